/// <reference lib="dom" />
import { afterAll, beforeAll, expect, test } from 'vitest'
import { problemsInBothThemes } from './access-rules.ts'
import { startDemo, testAreas } from './access-tour.ts'
import { quiet, type Web } from './web.ts'

let web: Web
beforeAll(async () => {
  web = await startDemo()
})
afterAll(() => web?.close())

await testAreas(['admin'], () => web)

test.each([
  { state: 'a screen that requires a sign-in', path: '/-/admin' },
  { state: 'a screen of another role', path: '/shop/Storefront/-/settings', isSignedIn: true },
  { state: 'a missing project', path: '/shop/none', expects: /404/ },
  {
    state: 'a missing vulnerability',
    path: '/shop/Storefront/-/vulnerabilities/999999',
    isAdmin: true,
    expects: /404/,
  },
])('$state has no problem that axe finds', async ({ path, isSignedIn, isAdmin, expects }) => {
  const as = isAdmin ? web.server.admin : isSignedIn ? await web.server.user(`visitor-${Date.now()}`) : undefined
  const page = await web.open(path, { ...(as && { as }), ...(expects && { expects }) })
  expect(await problemsInBothThemes(page, { within: undefined, checked: new Set() })).toEqual([])
})

test.each([
  ['a list', '**/api/v4/projects/*/vulnerabilities?*'],
  ['a whole page', '**/api/v4/projects/shop%2FStorefront'],
])('%s that the server fails to send has no problem that axe finds', async (_, requests) => {
  const page = await web.open('/explore/projects', { as: web.server.admin, expects: /500/ })
  await page.route(requests, (route) => route.fulfill({ status: 500, json: { message: '500 Internal Server Error' } }))
  await page.goto('/shop/Storefront/-/vulnerabilities')
  await quiet(page)
  await page.getByRole('button', { name: 'Try again' }).first().waitFor()
  expect(await problemsInBothThemes(page, { within: undefined, checked: new Set() })).toEqual([])
})
