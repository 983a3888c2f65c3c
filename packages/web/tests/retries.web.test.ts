/// <reference lib="dom" />
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startWeb, type Web } from './web.ts'

let web: Web
beforeAll(async () => {
  web = await startWeb()
})
afterAll(() => web?.close())

/** The keys of POSTs to a path. The server carries out the first one, but its answer is lost. */
async function keysOf(page: Page, path: string): Promise<string[]> {
  const keys: string[] = []
  await page.route(`**/api/v4${path}`, async (route) => {
    if (route.request().method() !== 'POST') return route.continue()
    keys.push(route.request().headers()['idempotency-key'] ?? 'none')
    if (keys.length > 1) return route.continue()
    await route.fetch()
    await route.abort()
  })
  return keys
}

const lost = { expects: /Failed to load resource/ }

test('a user whose answer was lost is created once', async () => {
  const page = await web.open('/-/admin/users/new', { as: web.server.admin, ...lost })
  const keys = await keysOf(page, '/users')
  await page.getByLabel('Name', { exact: true }).fill('Once Only')
  await page.getByLabel('Username').fill('once')
  await page.getByLabel(/E-?mail/i).fill('once@example.com')
  const create = page.getByRole('button', { name: 'Create the user' })
  await create.click()
  await expect.poll(() => keys.length).toBe(1)
  await page
    .getByRole('main')
    .getByText(/Failed to fetch/)
    .waitFor()
  await create.click()
  await page.getByRole('dialog').waitFor()
  expect(keys).toHaveLength(2)
  expect(keys[0]).toMatch(/^[0-9a-f]{32}$/)
  expect(keys[1]).toBe(keys[0])
  expect((await web.server.admin.get('/users?search=once')).body).toHaveLength(1)
})
