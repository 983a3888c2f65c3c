/// <reference lib="dom" />
import type { Locator, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { quiet, startWeb, type Web } from './web.ts'

let web: Web
beforeAll(async () => {
  web = await startWeb()
  await web.server.project('acme/shop')
})
afterAll(() => web?.close())

const expects = /Failed to load resource/
const places = [
  '/',
  '/explore/projects',
  '/explore/topics',
  '/acme/shop',
  '/groups/acme',
  '/-/profile/tokens',
  '/-/admin/users',
]
const parts = ['vulnerabilities', 'findings', 'reports', 'uploads', 'members', 'settings'].map(
  (part) => `/acme/shop/-/${part}`,
)

/** Fast-forwards the clock through the retries of the page until it shows the error. */
async function sayingSo(page: Page, again: Locator): Promise<void> {
  const isSaid = async () => {
    await page.clock.fastForward(3_000)
    return again.isVisible()
  }
  await expect.poll(isSaid, { timeout: 15_000 }).toBe(true)
}

describe('when the API fails', () => {
  test.each([503, 429])(
    'with %d, every screen shows it, none loads endlessly, and retrying works',
    async (status) => {
      const page = await web.open('/', { as: web.server.admin, expects, isChanged: true })
      await page.clock.install()
      const body = '{"message":"503 Service Unavailable"}'
      const refuse = () =>
        page.route('**/api/v4/**', (route) => route.fulfill({ status, contentType: 'application/json', body }))
      const silent: string[] = []
      for (const place of [...places, ...parts]) {
        await refuse()
        await page.goto(place)
        const main = page.getByRole('main')
        const again = main.getByRole('button', { name: 'Try again' }).first()
        await sayingSo(page, again).catch(() => silent.push(place))
        await page.unroute('**/api/v4/**')
        if (silent.includes(place)) continue
        // A page with several parts has a button in each, some of which appear later.
        for (let clicks = 0; clicks < 10 && (await again.isVisible()); clicks++) {
          await again.click()
          await quiet(page)
        }
        if (await again.isVisible()) silent.push(`${place}, again`)
      }
      expect(silent).toEqual([])
    },
    240_000,
  )

  test('for the permissions in a group, the page shows it and hides nothing silently', async () => {
    const group = await web.server.admin.get('/groups/acme')
    const nadia = await web.server.user('nadia')
    await web.server.admin.post(`/groups/${group.body.id}/members`, { user_id: nadia.user?.id, access_level: 50 })
    const page = await web.open('/', { as: nadia, expects, isChanged: true })
    await page.clock.install()
    await page.route('**/members/all*', (route) => route.fulfill({ status: 503, body: '{}' }))
    await page.goto('/groups/acme')
    const again = page.getByRole('main').getByRole('button', { name: 'Try again' })
    await sayingSo(page, again)
    await page.unroute('**/members/all*')
    await again.click()
    await page.getByRole('link', { name: 'Settings' }).waitFor()
  })

  test('because the browser is offline, the form keeps its text and can be sent afterwards', async () => {
    const page = await web.open('/-/projects/new', { as: web.server.admin, expects, isChanged: true })
    await page.getByLabel('Name', { exact: true }).fill('Written offline')
    await page.context().setOffline(true)
    await page.getByRole('button', { name: 'Create project' }).click()
    await page
      .getByRole('main')
      .getByText(/cannot be reached|Failed to fetch/)
      .waitFor()
    await expect.poll(() => page.getByLabel('Name', { exact: true }).inputValue()).toBe('Written offline')
    await page.context().setOffline(false)
    await page.getByRole('button', { name: 'Create project' }).click()
    await page.waitForURL('**/written-offline')
  })
})

describe('pressing a button twice', () => {
  test('performs its action once', async () => {
    const page = await web.open('/-/projects/new', { as: web.server.admin })
    const sent: string[] = []
    page.on('request', (request) => request.method() === 'GET' || sent.push(new URL(request.url()).pathname))
    await page.getByLabel('Name', { exact: true }).fill('Pressed twice')
    await page.getByRole('button', { name: 'Create project' }).dblclick()
    await page.waitForURL('**/pressed-twice')
    expect(sent.filter((path) => path === '/api/v4/projects')).toEqual(['/api/v4/projects'])

    await page.goto('/-/groups/new')
    await page.getByLabel('Name', { exact: true }).fill('Twice')
    // Both clicks happen before React renders the busy state.
    await page.getByRole('button', { name: 'Create group' }).evaluate((button: HTMLElement) => {
      button.click()
      button.click()
    })
    await page.waitForURL('**/groups/twice')
    expect(sent.filter((path) => path === '/api/v4/groups')).toEqual(['/api/v4/groups'])
  })
})

test('a page whose files are gone after an update offers to reload', async () => {
  const page = await web.open('/', { as: web.server.admin, expects: /Failed to|dynamically imported|thrown/ })
  await page.route('**/-/assets/*.js', (route) => route.fulfill({ status: 404, body: '{}' }))
  await page.getByRole('banner').getByRole('link', { name: 'Topics' }).click()
  await page.getByRole('button', { name: 'Reload' }).waitFor()
  await page.unroute('**/-/assets/*.js')
  await page.getByRole('button', { name: 'Reload' }).click()
  await page.getByRole('heading', { name: 'Topics', level: 1 }).waitFor()
})
