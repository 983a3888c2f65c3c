/// <reference lib="dom" />
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startWeb, type Web } from './web.ts'

let web: Web
const password = 'correct horse battery staple'
beforeAll(async () => {
  web = await startWeb()
  const project = await web.server.project('acme/secret')
  const made = { name: 'Nadia', username: 'nadia', email: 'nadia@example.test', password, skip_confirmation: true }
  const { body } = await web.server.admin.post('/users', made)
  await web.server.admin.post(`/projects/${project.id}/members`, { user_id: body.id, access_level: 30 })
})
afterAll(() => web?.close())

test.each(['/acme/secret', '/acme/secret/-/vulnerabilities?severity=high', '/acme/unknown', '/groups/unknown'])(
  '%s offers sign-in to a signed-out user, since it may be private',
  async (path) => {
    const page = await web.open(path, { expects: /404/ })
    await page.getByText('It does not exist, or you need to sign in to see it.').waitFor()
    await page.getByRole('main').getByRole('link', { name: 'Sign in' }).waitFor()
  },
)

test('signing in returns to the requested private page', async () => {
  const page = await web.open('/acme/secret/-/vulnerabilities?severity=high', { expects: /404/ })
  await page.getByRole('main').getByRole('link', { name: 'Sign in' }).click()
  await page.getByLabel('Username or e-mail address').fill('nadia')
  await page.getByLabel('Password').fill(password)
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
  await page.waitForURL('**/acme/secret/-/vulnerabilities?severity=high')
  await page.getByRole('heading', { name: 'Vulnerabilities', level: 1 }).waitFor({ state: 'attached' })
})

test('a signed-in user gets "not found" without a sign-in link', async () => {
  const page = await web.open('/acme/unknown', { as: web.server.admin, expects: /404/ })
  await page.getByText('Not found', { exact: false }).first().waitFor()
  expect(await page.getByRole('main').getByRole('link', { name: 'Sign in' }).count()).toBe(0)
})
