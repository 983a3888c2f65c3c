/// <reference lib="dom" />
import type { Page, Route } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { entry, sastReport } from '../../server/src/testing/reports/reports.ts'
import { startWeb, type Web } from './web.ts'

let web: Web
beforeAll(async () => {
  web = await startWeb()
})
afterAll(() => web?.close())

const loss = (route: Route) => route.abort()

/**
 * Records the idempotency keys of POST requests to a path. The server executes the first one, but its response is
 * replaced.
 */
async function keysOf(page: Page, path: string, replace = loss): Promise<string[]> {
  const keys: string[] = []
  await page.route(`**${path}`, async (route) => {
    if (route.request().method() !== 'POST') return route.continue()
    const key = route.request().headers()['idempotency-key'] ?? 'none'
    const isReplaced = key !== 'none' && keys.every((earlier) => earlier === 'none')
    keys.push(key)
    if (!isReplaced) return route.continue()
    await route.fetch()
    await replace(route)
  })
  return keys
}

const lost = { expects: /Failed to load resource/ }

test('a user is created once when the response is lost and the form is sent again', async () => {
  const page = await web.open('/-/admin/users/new', { as: web.server.admin, ...lost })
  const keys = await keysOf(page, '/api/v4/users')
  await page.getByLabel('Name', { exact: true }).fill('Once Only')
  await page.getByLabel('Username').fill('once')
  await page.getByLabel(/E-?mail/i).fill('once@example.com')
  const create = page.getByRole('button', { name: 'Create user' })
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

const outage = (route: Route) =>
  route.fulfill({
    status: 503,
    headers: { 'x-alcove-outcome': 'unknown', 'retry-after': '1' },
    contentType: 'application/json',
    body: JSON.stringify({ message: '503 Service Unavailable', detail: 'The change may have been made.' }),
  })

test.each([
  ['was lost', loss],
  ['failed after the change', outage],
])('a report is imported once when its response %s', async (_, replace) => {
  const project = await web.server.project(`acme/${replace === loss ? 'lost' : 'outage'}`)
  const page = await web.open(`/${project.path_with_namespace}/-/reports/new`, { as: web.server.admin, ...lost })
  const keys = await keysOf(page, '/security_reports', replace)
  await page.getByLabel('Drop a scanner report here').setInputFiles({
    name: 'report.json',
    mimeType: 'application/json',
    buffer: Buffer.from(JSON.stringify(sastReport([entry({ line: 10 })]))),
  })
  await page.getByRole('button', { name: 'Preview changes' }).click()
  const take = page.getByRole('button', { name: 'Import' })
  await take.click()
  await page.getByRole('alert').getByText('Import failed').waitFor()
  await take.click()
  await expect.poll(() => keys.length).toBe(3)
  await page.getByRole('list', { name: 'Changes' }).waitFor()
  const [dryRun, first, second] = keys
  expect(dryRun).toBe('none')
  expect(first).toMatch(/^[0-9a-f]{32}$/)
  expect(second).toBe(first)
  const { body } = await web.server.admin.get(`/projects/${project.id}/security_reports`)
  expect(body).toHaveLength(1)
})

test('sign-in sends no idempotency key, so that no response is stored', async () => {
  const user = await web.server.user('nadia')
  const page = await web.open('/-/sign_in?with=token')
  const keys = await keysOf(page, '/-/sessions')
  await page.getByLabel('Access token').fill(user.token ?? '')
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
  await page.getByRole('button', { name: /account/i }).waitFor()
  expect(keys).toEqual(['none'])
})
