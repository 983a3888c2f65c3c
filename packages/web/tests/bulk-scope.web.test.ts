/// <reference lib="dom" />
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { entry } from '../../server/src/testing/reports/reports.ts'
import type { TestProject } from '../../server/src/testing/server.ts'
import { grid } from './vulnerabilities.ts'
import { accessProblems, startWeb, type Web } from './web.ts'

let web: Web
beforeAll(async () => {
  web = await startWeb()
})
afterAll(() => web?.close())

const flaw = (rule: string, line: number) => entry({ name: `${rule} flaw`, rule, file: `src/${rule}.ts`, line })
const both = [flaw('xss', 3), flaw('sqli', 9)]

let number = 0
/** Creates a group with two projects that have the same flaws, an owner of the group and a maintainer of one project. */
async function arrange() {
  const path = `scoped-${Date.now()}-${++number}`
  const [site, shop] = [await web.server.project(`${path}/site`), await web.server.project(`${path}/shop`)]
  for (const project of [site, shop]) await web.server.report(project, both)
  const owner = await web.server.user(`${path}-owner`)
  const member = { user_id: owner.user?.id, access_level: 50 }
  expect((await web.server.admin.post(`/groups/${site['namespace'].id}/members`, member)).status).toBe(201)
  return { path, site, shop, owner, maintainer: await web.server.as('maintainer', site) }
}

async function statesOf(project: TestProject, query = ''): Promise<string[]> {
  await web.server.runJobs()
  const { body } = await web.server.admin.get(`/projects/${project.id}/vulnerabilities${query}`)
  return body.map(({ state }: { state: string }) => state)
}

const messages = (page: Page) => page.getByRole('region', { name: 'Messages' })
const [open, closed] = [
  ['detected', 'detected'],
  ['dismissed', 'dismissed'],
]

async function selectAll(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Select all', exact: true }).click()
  await page.getByText('All matching selected: 2 vulnerabilities').waitFor()
  await grid(page).focus()
  await page.keyboard.press('d')
}

test('a bulk dismissal in the list of a project can apply to a group, by the keyboard, and be undone', async () => {
  const { path, site, shop, owner } = await arrange()
  const page = await web.open(`/${path}/site/-/vulnerabilities`, { as: owner })
  await selectAll(page)
  const dialog = page.getByRole('dialog', { name: 'Dismiss: 2 vulnerabilities' })
  await dialog.getByLabel('Used in tests').press('Space')
  const scope = dialog.getByLabel('Applies to')
  await expect.poll(() => scope.locator('option').allInnerTexts()).toContain(`All projects of group ${path}`)
  await scope.focus()
  await page.keyboard.type('All projects')
  await dialog.getByText('Dismisses 2 selected vulnerabilities.').waitFor()
  await dialog.getByText('this changes 4 vulnerabilities now').waitFor()
  await dialog.getByRole('button', { name: 'Dismiss', exact: true }).press('Enter')
  await messages(page).getByText('2 dismissed').waitFor()
  expect([await statesOf(site), await statesOf(shop)]).toEqual([closed, closed])
  await messages(page).getByRole('button', { name: 'Undo' }).press('Enter')
  await messages(page).getByText('2 reverted').waitFor()
  expect([await statesOf(site), await statesOf(shop)]).toEqual([open, open])
})

test('a bulk dismissal in the list of a group can apply to the group, also on a phone in the dark', async () => {
  const { path, site, shop, owner } = await arrange()
  const options = { as: owner, width: 360, theme: 'dark' } as const
  const page = await web.open(`/groups/${path}/-/vulnerabilities?search=xss`, options)
  await selectAll(page)
  const dialog = page.getByRole('dialog', { name: 'Dismiss: 2 vulnerabilities' })
  await dialog.getByLabel('False positive').check()
  await dialog.getByLabel('Applies to').selectOption({ label: `All projects of group ${path}` })
  await dialog.getByText('this changes 2 vulnerabilities now').waitFor()
  expect(await accessProblems(page)).toEqual([])
  expect(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth)).toBe(true)
  await dialog.getByRole('button', { name: 'Dismiss', exact: true }).click()
  await messages(page).getByText('2 dismissed').waitFor()
  expect((await statesOf(site)).sort()).toEqual(['detected', 'dismissed'])
  expect((await owner.get(`/groups/${path}/vulnerability_rules`)).body.rules).toHaveLength(1)
  expect((await statesOf(shop)).sort()).toEqual(['detected', 'dismissed'])
})

test('a bulk dismissal of rows of all projects offers the groups that they have in common', async () => {
  const { path, site, shop, owner } = await arrange()
  const page = await web.open('/-/vulnerabilities?search=sqli', { as: owner })
  await selectAll(page)
  const dialog = page.getByRole('dialog', { name: 'Dismiss: 2 vulnerabilities' })
  await dialog.getByLabel('Used in tests').waitFor()
  expect(await dialog.getByLabel('Applies to').count()).toBe(0)
  await page.keyboard.press('Escape')
  await expect.poll(() => dialog.count()).toBe(0)
  await page.getByRole('button', { name: 'Clear selection' }).first().click()
  await page.getByText('All matching selected').waitFor({ state: 'detached' })
  await grid(page).focus()
  for (const key of ['x', 'Shift+ArrowDown']) await page.keyboard.press(key)
  await page.getByText('2 selected').waitFor()
  await page.keyboard.press('d')
  await dialog.getByLabel('Used in tests').check()
  await dialog.getByLabel('Applies to').selectOption({ label: `All projects of group ${path}` })
  await dialog.getByText('this changes 2 vulnerabilities now').waitFor()
  await dialog.getByRole('button', { name: 'Dismiss', exact: true }).click()
  await messages(page).getByText('2 dismissed').waitFor()
  expect([...(await statesOf(site)), ...(await statesOf(shop))].sort()).toEqual([...open, ...closed].sort())
})

test('a bulk dismissal can apply to one branch; without the right there is no choice of a group', async () => {
  const { path, site, maintainer } = await arrange()
  await web.server.report(site, both, { ref: 'release' })
  const page = await web.open(`/${path}/site/-/vulnerabilities`, { as: maintainer })
  await selectAll(page)
  const dialog = page.getByRole('dialog', { name: 'Dismiss: 2 vulnerabilities' })
  await dialog.getByLabel('Used in tests').check()
  const scope = dialog.getByLabel('Applies to')
  await expect
    .poll(async () => (await scope.locator('option').allInnerTexts()).sort())
    .toEqual(['All branches', 'This branch: main', 'This branch: release'])
  await scope.selectOption({ label: 'This branch: release' })
  await dialog.getByRole('button', { name: 'Dismiss', exact: true }).click()
  await messages(page).getByText('2 dismissed').waitFor()
  expect(await statesOf(site)).toEqual(open)
  expect(await statesOf(site, '?ref=release')).toEqual(closed)
})
