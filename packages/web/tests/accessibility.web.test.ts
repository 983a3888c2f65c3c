/// <reference lib="dom" />
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { obscuredOnFocus } from './access-criteria.ts'
import { problemsInBothThemes } from './access-rules.ts'
import { startDemo, testAreas } from './access-tour.ts'
import { accessProblems, password, quiet, visit, type Web } from './web.ts'

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

const storefront = '/shop/Storefront/-'

test('signing in accepts pasted text, names its fields for password managers, and keeps them after an error', async () => {
  const { user } = await web.server.user(`pasting-${Date.now()}`)
  const page = await web.open('/-/sign_in', { expects: /401/ })
  const [name, secret] = [page.getByLabel('Username or e-mail address'), page.getByLabel('Password', { exact: true })]
  const paste = async (field: typeof name, text: string) => {
    await page.evaluate((text) => navigator.clipboard.writeText(text), text)
    await field.focus()
    await page.keyboard.press('ControlOrMeta+A')
    await page.keyboard.press('ControlOrMeta+V')
  }
  expect(await name.getAttribute('autocomplete')).toBe('username')
  expect(await secret.getAttribute('autocomplete')).toBe('current-password')

  await paste(name, user?.username ?? '')
  await paste(secret, 'wrong')
  await page.keyboard.press('Enter')
  await page.getByRole('alert').waitFor()
  expect(await name.inputValue()).toBe(user?.username)

  await paste(secret, password)
  await page.keyboard.press('Enter')
  await page.waitForURL((url) => url.pathname === '/')
})

test('a form that the server rejects keeps what was entered', async () => {
  const page = await web.open('/-/groups/new', { as: web.server.admin, expects: /400/ })
  const entered = { name: 'Shop of the north', path: 'shop', description: 'What customers see.' }
  for (const [name, text] of Object.entries(entered)) await page.locator(`[name=${name}]`).fill(text)
  await page.getByRole('button', { name: 'Create group' }).click()
  await page.getByText(/taken/).first().waitFor()
  for (const [name, text] of Object.entries(entered)) {
    expect(await page.locator(`[name=${name}]`).inputValue()).toBe(text)
  }
})

test('the rules of the tour find a target that is too small', async () => {
  const page = await web.open('/explore/projects', { as: web.server.admin })
  await page.evaluate(() => {
    const place = document.createElement('p')
    place.style.fontSize = '0'
    for (const name of ['One', 'Two']) {
      const button = Object.assign(document.createElement('button'), { ariaLabel: name })
      Object.assign(button.style, { width: '12px', height: '12px', padding: '0', border: '0' })
      place.append(button)
    }
    document.querySelector('main')?.prepend(place)
  })
  expect((await accessProblems(page)).join()).toContain('target-size')
})

test('the rules of the tour find a contrast that is too low in one theme', async () => {
  const page = await web.open('/explore/projects', { as: web.server.admin })
  await page.evaluate(() => {
    for (const [name, color] of [
      ['Pale', 'light-dark(#bbb, #fff)'],
      ['Dim', 'light-dark(#000, #444)'],
    ] as const) {
      const text = Object.assign(document.createElement('p'), { textContent: name })
      Object.assign(text.style, { color, background: 'light-dark(#fff, #000)' })
      document.querySelector('main')?.prepend(text)
    }
  })
  const problems = await problemsInBothThemes(page, { within: undefined, checked: new Set() })
  expect(problems).toEqual([
    expect.stringMatching(/^color-contrast: .*Pale/),
    expect.stringMatching(/^dark: color-contrast: .*Dim/),
  ])
})

test('files can be chosen wherever they can be dropped, and nothing else is dragged', async () => {
  const page = await web.open('/', { as: web.server.admin })
  for (const [path, way] of [
    [`${storefront}/uploads`, /Choose files/],
    [`${storefront}/uploads/pad`, /Add files/],
    [`${storefront}/reports/new`, /Choose a file/],
    [`${storefront}/reports`, /Import report/],
  ] as const) {
    await visit(page, path)
    const button = page.getByRole('button', { name: way }).or(page.getByRole('link', { name: way }))
    expect(await button.first().isVisible(), path).toBe(true)
    expect(await page.locator('[draggable=true]').count(), path).toBe(0)
  }
})

test('no style sheet shows content only under the pointer', async () => {
  const page = await web.open(`${storefront}/vulnerabilities`, { as: web.server.admin })
  for (const path of ['/', `${storefront}/vulnerabilities/trends`, `${storefront}/uploads`, '/-/admin/users', '/-/api'])
    await visit(page, path)
  const rules = await page.evaluate(() => {
    const all: string[] = []
    const collect = (list: CSSRuleList) => {
      for (const rule of list) {
        if ('cssRules' in rule) collect((rule as CSSGroupingRule).cssRules) // has rules by the line before
        if (!(rule instanceof CSSStyleRule) || !rule.selectorText.includes(':hover')) continue
        const { display, visibility, clipPath } = rule.style
        if ((display && display !== 'none') || visibility === 'visible' || clipPath) all.push(rule.cssText)
      }
    }
    for (const sheet of document.styleSheets) collect(sheet.cssRules)
    return all
  })
  expect(rules).toEqual([])
})

test.each([
  { width: 1280, height: 600 },
  { width: 360, height: 640 },
])('nothing sticky covers what has the focus at $width × $height', async ({ width, height }) => {
  const page = await web.open('/', { as: web.server.admin, width, height })
  const covered: string[] = []
  const [{ id }] = (await web.server.admin.get('/projects/shop%2FStorefront/vulnerabilities')).body
  for (const path of [`${storefront}/vulnerabilities/${id}`, `${storefront}/settings`, '/-/admin/users']) {
    await visit(page, path)
    covered.push(...(await obscuredOnFocus(page, 20)).map((element) => `${path}: ${element}`))
  }
  expect(covered).toEqual([])
})

test('help is at the same place in the header of every screen', async () => {
  const placesOn = async (page: Page, paths: readonly string[]) => {
    const places = new Set<string>()
    for (const path of paths) {
      await visit(page, path)
      const links = page.getByRole('banner').locator('a, button')
      places.add(
        await links.evaluateAll((all) =>
          all.map((one) => one.getAttribute('href')?.split('?')[0] ?? 'button').join(' '),
        ),
      )
    }
    return [...places]
  }
  const paths = ['/explore/projects', '/explore/topics', '/shop/Storefront', '/-/api', '/-/help']
  const signedOut = await placesOn(await web.open('/explore/projects'), paths)
  expect(signedOut).toEqual([expect.stringContaining('/-/help')])
  const admin = await web.open('/', { as: web.server.admin })
  const others = ['/', `${storefront}/vulnerabilities`, '/groups/shop', '/-/admin', '/-/profile']
  expect(await placesOn(admin, [...paths, ...others])).toEqual([expect.stringContaining('/-/help')])
})
