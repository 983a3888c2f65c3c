/// <reference lib="dom" />
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { formWithFile } from '../../server/src/testing/client.ts'
import { entry } from '../../server/src/testing/reports/reports.ts'
import { openSignedIn } from './sign-in.ts'
import { accessProblems, quiet, startWeb, type Web } from './web.ts'

let web: Web
beforeAll(async () => {
  web = await startWeb()
  const shop = await web.server.project('acme/shop')
  const hidden = await web.server.project('other/hidden-shop')
  const cve = { type: 'cve', name: 'CVE-2021-44228', value: 'CVE-2021-44228' }
  await web.server.report(shop, [
    entry({ line: 1, severity: 'Critical', name: 'Remote code execution', rule: 'a', others: [cve] }),
    entry({ line: 2, severity: 'Low', name: 'Weak hash', rule: 'b' }),
  ])
  await web.server.report(hidden, [
    entry({ line: 1, severity: 'High', name: 'Remote code in secret', rule: 'a', others: [cve] }),
  ])
  const component = { type: 'library', name: 'log4j-core', version: '2.14.1', purl: 'pkg:npm/log4j-core@2.14.1' }
  const app = { component: { type: 'application', name: 'app' } }
  const bom = { bomFormat: 'CycloneDX', specVersion: '1.6', metadata: app, components: [component] }
  await web.server.report(shop, JSON.stringify(bom))
  await web.server.admin.post('/topics', { name: 'shopping', title: 'Shopping' })
})
afterAll(() => web?.close())

const dialog = (page: Page) => page.getByRole('dialog', { name: 'Search' })
const field = (page: Page) => dialog(page).getByRole('combobox', { name: 'Search' })
const titles = (page: Page) => dialog(page).getByRole('option').allInnerTexts()

test('Ctrl+K opens a search of vulnerabilities, projects, topics and users, and Enter opens the result', async () => {
  const page = await web.open('/', { as: web.server.admin })
  await page.keyboard.press('Control+k')
  await expect.poll(() => field(page).evaluate((input) => input === document.activeElement)).toBe(true)
  await page.keyboard.type('shop')
  const group = (name: string) => dialog(page).getByRole('group', { name })
  await group('Projects').getByRole('option', { name: /^shop/ }).waitFor()
  await group('Projects')
    .getByRole('option', { name: /hidden-shop/ })
    .waitFor()
  await group('Topics').getByRole('option', { name: 'Shopping' }).waitFor()
  expect(await accessProblems(page)).toEqual([])

  await field(page).fill('weak hash')
  await group('Vulnerabilities')
    .getByRole('option', { name: /Weak hash/ })
    .waitFor()
  await expect.poll(() => titles(page)).toHaveLength(2)
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { name: 'Weak hash' }).waitFor()
  await expect.poll(() => dialog(page).count()).toBe(0)
})

test('Enter before the results are there opens the first result of the text', async () => {
  const page = await web.open('/', { as: web.server.admin })
  await page.keyboard.press('Control+k')
  await field(page).waitFor()
  await page.keyboard.type('weak hash')
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { name: 'Weak hash' }).waitFor()
})

test('packages and actions are found', async () => {
  const page = await web.open('/', { as: web.server.admin })
  await page.keyboard.press('Control+k')
  await field(page).fill('log4j-core')
  await dialog(page)
    .getByRole('group', { name: 'Packages' })
    .getByRole('option', { name: /log4j-core 2\.14\.1.*1 project/ })
    .click()
  await page.waitForURL('**/-/dependencies?search=pkg*')
  await page.getByRole('region', { name: 'Packages' }).getByText('log4j-core').first().waitFor()
  await page.keyboard.press('Control+k')
  await field(page).fill('new proj')
  await dialog(page).getByRole('option', { name: 'New project' }).click()
  await page.waitForURL('**/-/projects/new')
})

test('files are found by name, and open in the list of their project', async () => {
  const form = formWithFile('file', 'Network plan.txt', 'plan')
  const { id } = (await web.server.admin.get('/projects/acme%2Fshop')).body
  expect((await web.server.admin.post(`/projects/${id}/uploads`, form)).status).toBe(201)
  const page = await web.open('/', { as: web.server.admin })
  await page.keyboard.press('Control+k')
  await field(page).fill('network plan')
  await dialog(page)
    .getByRole('group', { name: 'Files' })
    .getByRole('option', { name: /Network_plan\.txt.*acme\/shop/ })
    .click()
  await page.waitForURL('**/acme/shop/-/uploads?search=Network_plan.txt')
  await page.getByText('Network_plan.txt').first().waitFor()
})

test('actions are offered where the user may perform them', async () => {
  await web.server.user('ada', { admin: true })
  const page = await openSignedIn(web, 'ada', '/acme/shop/-/reports')
  const find = async (text: string) => {
    await page.keyboard.press('Control+k')
    await field(page).fill(text)
  }
  const choose = async (name: string | RegExp) => {
    await dialog(page).getByRole('option', { name }).click()
    await dialog(page).waitFor({ state: 'hidden' })
  }
  await find('quarantine')
  await choose(/^Quarantine.*Admin/)
  await page.waitForURL('**/-/admin/quarantine')
  await page.goto('/acme/shop')
  await quiet(page)
  await find('import rep')
  await choose(/^Import report.*shop/)
  await page.waitForURL('**/acme/shop/-/reports/new')
  await find('use the dark')
  await choose('Use the dark theme')
  await expect.poll(() => page.evaluate(() => document.documentElement.dataset['theme'])).toBe('dark')
  await find('theme')
  await expect.poll(() => titles(page)).toEqual(['Use the system theme', 'Use the light theme'])
  await choose('Use the system theme')
  await find('new access')
  await choose('New access token')
  await page.getByRole('dialog', { name: /token/i }).waitFor()
  expect(page.url()).toContain('/-/profile/tokens?create=true')
  await page.keyboard.press('Escape')
  await expect.poll(() => page.url()).not.toContain('create')
  await find('sign out')
  await choose('Sign out')
  await page.getByRole('link', { name: 'Sign in' }).waitFor()
})

test('an identifier is found in all projects, with a link to the list of all of them', async () => {
  const page = await web.open('/explore/projects', { as: web.server.admin })
  await page.getByRole('button', { name: 'Search', exact: true }).click()
  await field(page).fill('cve-2021-44228')
  await expect.poll(() => titles(page)).toHaveLength(3)
  await dialog(page)
    .getByRole('option', { name: /^All vulnerabilities/ })
    .click()
  await page.waitForURL('**/-/vulnerabilities?identifier=cve-2021-44228')
  await page.getByRole('link', { name: 'Remote code in secret' }).waitFor()
})

test('the search shows nothing that the user may not see', async () => {
  const shop = await web.server.project('acme/visible')
  const developer = await web.server.as('developer', shop)
  const page = await web.open('/', { as: developer })
  await page.keyboard.press('Control+k')
  await field(page).fill('visible')
  await expect.poll(() => titles(page)).not.toEqual([])
  await field(page).fill('cve-2021-44228')
  await dialog(page).getByText('No results.').waitFor()
  await field(page).fill('hidden-shop')
  await expect.poll(() => titles(page)).toEqual([])
  // A developer may not list the files of the project.
  await web.server.admin.post(`/projects/${shop.id}/uploads`, formWithFile('file', 'visible-plan.txt', 'x'))
  await field(page).fill('visible-plan')
  await dialog(page).getByText('No results.').waitFor()
  for (const word of ['quarantine', 'audit log']) {
    await field(page).fill(word)
    await expect.poll(() => titles(page), { message: word }).toEqual([])
  }
})

test('the pages of the open group are found by those who may open them', async () => {
  await web.server.user('linus', { admin: true })
  const page = await openSignedIn(web, 'linus', '/groups/acme/-/members')
  const find = async (text: string) => {
    await page.keyboard.press('Control+k')
    await field(page).fill(text)
  }
  await find('due dates')
  await dialog(page)
    .getByRole('option', { name: /^Due dates.*acme/ })
    .click()
  await page.waitForURL('**/groups/acme/-/settings/due_dates')

  const guest = await web.open('/groups/acme', { as: await web.server.user('margaret') })
  await guest.keyboard.press('Control+k')
  await field(guest).fill('acti')
  await expect.poll(() => titles(guest)).toEqual(expect.arrayContaining([expect.stringMatching(/^Activity.*acme/s)]))
  await field(guest).fill('due dates')
  await expect.poll(() => titles(guest)).toEqual([])
})

test('a user who may not create groups of their own is not offered it', async () => {
  const client = await web.server.user('grace')
  await web.server.admin.put(`/users/${client.user?.id}`, { can_create_group: false })
  const page = await web.open('/', { as: client })
  await page.keyboard.press('Control+k')
  await field(page).fill('new')
  await expect.poll(() => titles(page)).toContain('New project')
  expect(await titles(page)).not.toContain('New group')
})

test('a visitor searches public projects and pages', async () => {
  const page = await web.open('/explore/projects', { width: 360 })
  await page.getByRole('button', { name: 'Search', exact: true }).click()
  await dialog(page).getByRole('option', { name: 'Topics' }).waitFor()
  for (const word of ['sign out', 'new', 'import', 'quarantine']) {
    await field(page).fill(word)
    await expect.poll(() => titles(page), { message: word }).toEqual([])
  }
  await field(page).fill('topics')
  await expect.poll(() => titles(page)).toEqual(['Topics'])
  await page.keyboard.press('Enter')
  await page.waitForURL('**/explore/topics')
})
