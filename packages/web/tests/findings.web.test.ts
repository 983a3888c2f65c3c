/// <reference lib="dom" />
import type { Page } from 'playwright-core'
import sql from 'sql-template-tag'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { formWithFile } from '../../server/src/testing/client.ts'
import { entry, sastReport } from '../../server/src/testing/reports/reports.ts'
import type { TestProject } from '../../server/src/testing/server.ts'
import { active } from './vulnerabilities.ts'
import { accessProblems, dialogs, startWeb, type Web } from './web.ts'

let web: Web
beforeAll(async () => {
  web = await startWeb()
})
afterAll(() => web?.close())

/** Creates a project with `count` findings that await triage, the first of them critical. */
async function projectWith(path: string, count: number): Promise<TestProject> {
  const project = await web.server.project(path)
  const entries = Array.from({ length: count }, (_, index) =>
    entry({
      name: `Flaw ${index + 1}`,
      severity: index === 0 ? 'Critical' : 'Low',
      line: index + 1,
      rule: `r${index}`,
    }),
  )
  const form = formWithFile('file', 'report.json', JSON.stringify(sastReport(entries)))
  expect((await web.server.admin.post(`/projects/${project.id}/security_reports`, form)).status).toBe(201)
  return project
}

const grid = (page: Page) => page.getByRole('grid', { name: 'Findings' })
const tab = (page: Page) =>
  page.getByRole('navigation', { name: 'Stages' }).getByRole('link', { name: /Awaiting triage/ })
const section = (page: Page) =>
  page.getByRole('navigation', { name: /sections/ }).getByRole('link', { name: /Vulnerabilities/ })
const inbox = (path: string, filter = '') => `/${path}/-/vulnerabilities?tab=awaiting${filter}`

const titles = (page: Page) => grid(page).getByRole('link').allInnerTexts()
const statesOf = async (project: TestProject) => {
  const { body } = await web.server.admin.get(`/projects/${project.id}/vulnerabilities`)
  return Object.fromEntries(body.map(({ title, state }: Record<string, string>) => [title, state]))
}

test('findings await triage in the list of vulnerabilities, with its columns, keys, undo and the former address', async () => {
  const project = await projectWith('acme/some', 5)
  const page = await web.open('/acme/some/-/findings', { as: await web.server.as('maintainer', project) })
  await page.waitForURL('**/acme/some/-/vulnerabilities?tab=awaiting')
  await expect.poll(() => titles(page)).toEqual(['Flaw 1', 'Flaw 2', 'Flaw 3', 'Flaw 4', 'Flaw 5'])
  await expect.poll(() => tab(page).innerText()).toMatch(/Awaiting triage\s*5/)
  await expect.poll(() => section(page).innerText()).toMatch(/Vulnerabilities\s*5/)
  const columns = () => page.getByRole('columnheader').allInnerTexts()
  const ofFindings = await columns()
  // Confirmed, resolved and dismissed in one step each, without waiting.
  await grid(page).focus()
  for (const key of ['c', 'r', 'd', '4', 'Enter']) await page.keyboard.press(key)
  await expect
    .poll(() => statesOf(project))
    .toEqual({ 'Flaw 1': 'confirmed', 'Flaw 2': 'resolved', 'Flaw 3': 'dismissed' })
  await expect.poll(() => titles(page)).toEqual(['Flaw 4', 'Flaw 5'])
  expect(await active(page)).toBe('Flaw 4')
  await page.keyboard.press('z')
  await page.getByText('1 reverted.').waitFor()
  expect(await statesOf(project)).toMatchObject({ 'Flaw 3': 'detected' })
  // Accepted without a decision. The cursor advances before the response.
  expect(await active(page)).toBe('Flaw 4')
  await page.keyboard.press('p')
  expect(await active(page)).toBe('Flaw 5')
  await page.getByText('1 vulnerability created.').waitFor()
  await expect.poll(() => titles(page)).toEqual(['Flaw 5'])
  await expect.poll(() => tab(page).innerText()).toMatch(/Awaiting triage\s*1/)
  await page.getByRole('navigation', { name: 'Stages' }).getByRole('link', { name: 'Open' }).click()
  const list = page.getByRole('grid', { name: 'Vulnerabilities' })
  await expect.poll(() => list.getByRole('link').allInnerTexts()).toEqual(['Flaw 1', 'Flaw 4', 'Flaw 3'])
  expect((await columns()).map((name) => name.trim())).toEqual(ofFindings.map((name) => name.trim()))
  for (const [stage, title] of [
    ['Resolved', 'Flaw 2'],
    ['All', 'Flaw 1'],
  ] as const) {
    await page.getByRole('navigation', { name: 'Stages' }).getByRole('link', { name: stage }).click()
    await expect.poll(() => list.getByRole('link').first().innerText()).toBe(title)
  }
})

test('a finding opens in the side panel, where the keys work, and on its page', async () => {
  const project = await projectWith('acme/beside', 3)
  const page = await web.open(inbox('acme/beside'), { as: await web.server.as('maintainer', project) })
  await grid(page).focus()
  await page.keyboard.press('Enter')
  const panel = page.getByRole('region', { name: 'Selected vulnerability' })
  await panel.getByRole('heading', { name: 'Flaw 1' }).waitFor()
  await panel.getByText('1 of 3').waitFor()
  await page.keyboard.press('j')
  await panel.getByRole('heading', { name: 'Flaw 2' }).waitFor()
  await page.keyboard.press('c')
  await panel.getByRole('heading', { name: 'Flaw 3' }).waitFor()
  await expect.poll(() => statesOf(project)).toEqual({ 'Flaw 2': 'confirmed' })
  await page.keyboard.press('Shift+Enter')
  await page.getByRole('heading', { level: 1, name: 'Flaw 3' }).waitFor()
  await page.getByRole('button', { name: 'Accept as vulnerability' }).click()
  await expect.poll(() => statesOf(project)).toMatchObject({ 'Flaw 3': 'detected' })
})

test('the data flow of a report is shown step by step, in the panel and on the page', async () => {
  const project = await web.server.project('acme/flowing')
  const node = (line: number, node_type: string) => ({
    type: 'code-flow-node',
    file_location: { type: 'file-location', file_name: 'src/login.ts', line_start: line, line_end: line },
    node_type,
  })
  const flow = [node(3, 'source'), node(7, 'propagation'), node(12, 'sink')]
  const details = { flow: { name: 'Data flow', type: 'code-flows', items: [flow] } }
  const form = formWithFile('file', 'report.json', JSON.stringify(sastReport([{ ...entry({ line: 12 }), details }])))
  expect((await web.server.admin.post(`/projects/${project.id}/security_reports`, form)).status).toBe(201)
  const page = await web.open(inbox('acme/flowing'), { as: await web.server.as('developer', project) })
  await grid(page).focus()
  await page.keyboard.press('Enter')
  const steps = page.getByRole('list').filter({ hasText: 'src/login.ts:3' }).getByRole('listitem')
  const expected = [/Source\s*src\/login.ts:3/, /Step\s*src\/login.ts:7/, /Sink\s*src\/login.ts:12/].map((text) =>
    expect.stringMatching(text),
  )
  await expect.poll(() => steps.allInnerTexts()).toEqual(expected)
  expect(await accessProblems(page)).toEqual([])
  await page.keyboard.press('Shift+Enter')
  await page.getByRole('heading', { level: 1, name: 'Flaw' }).waitFor()
  await expect.poll(() => steps.allInnerTexts()).toEqual(expected)
})

test('a finding that another user has decided about is not changed', async () => {
  const project = await projectWith('acme/decided', 2)
  const page = await web.open(inbox('acme/decided'), { as: await web.server.as('maintainer', project), expects: /409/ })
  await grid(page).focus()
  const { body } = await web.server.admin.get(`/projects/${project.id}/vulnerability_findings?severity=critical`)
  const created = await web.server.admin.post(`/projects/${project.id}/vulnerabilities`, { finding_id: body[0].id })
  await web.server.admin.post(`/vulnerabilities/${created.body.id}/resolve`)
  await page.keyboard.press('c')
  await page.getByText('Nothing was changed').waitFor()
  expect(await statesOf(project)).toEqual({ 'Flaw 1': 'resolved' })
  await expect.poll(() => titles(page)).toEqual(['Flaw 2'])
})

test('selected findings are dismissed together after a reason is given', async () => {
  const project = await projectWith('acme/chosen', 4)
  const page = await web.open(inbox('acme/chosen', '&severity=low'), { as: await web.server.as('maintainer', project) })
  await page.getByText('3 findings').waitFor()
  await page.getByLabel('Select all matching').check()
  await page.keyboard.press('d')
  const dialog = page.getByRole('dialog', { name: 'Dismiss: 3 findings' })
  await dialog.waitFor()
  await page.keyboard.press('2')
  await dialog.getByRole('button', { name: 'Dismiss' }).click()
  await page.getByText('3 dismissed.').waitFor()
  expect(await statesOf(project)).toEqual({ 'Flaw 2': 'dismissed', 'Flaw 3': 'dismissed', 'Flaw 4': 'dismissed' })
  await page.getByRole('button', { name: 'Clear filters' }).click()
  await expect.poll(() => titles(page)).toEqual(['Flaw 1'])
})

test('the count on the tab follows an import that was watched until its end', async () => {
  const project = await projectWith('acme/growing', 2)
  const page = await web.open('/acme/growing/-/reports/new', { as: await web.server.as('maintainer', project) })
  await expect.poll(() => section(page).innerText()).toMatch(/Vulnerabilities\s*2$/)
  const report = sastReport(Array.from({ length: 5 }, (_, index) => entry({ line: index + 1, rule: `r${index}` })))
  await page.getByLabel('Drop a scanner report here').setInputFiles({
    ...{ name: 'report.json', mimeType: 'application/json', buffer: Buffer.from(JSON.stringify(report)) },
  })
  await page.getByRole('button', { name: 'Preview changes' }).click()
  await page.getByRole('button', { name: 'Import' }).click()
  await page.getByRole('list', { name: 'Changes' }).waitFor()
  await expect.poll(() => section(page).innerText()).toMatch(/Vulnerabilities\s*5$/)
})

test('all findings that match a filter can be promoted after a confirmation', async () => {
  const project = await projectWith('acme/more', 250)
  const page = await web.open(inbox('acme/more', '&severity=low'), { as: await web.server.as('maintainer', project) })
  await page.getByText('249 findings').waitFor()
  await page.getByLabel('Select all matching').check()
  await page.getByRole('button', { name: 'Accept' }).click()
  const dialog = page.getByRole('dialog', { name: 'Accept 249 findings?' })
  expect(await accessProblems(page, dialogs)).toEqual([])
  await dialog.getByRole('button', { name: 'Accept' }).click()
  await page.getByText('249 vulnerabilities created.').waitFor()
  await page.getByText('No results').waitFor()
  await page.getByRole('button', { name: 'Clear filters' }).click()
  await expect.poll(() => grid(page).getByRole('link').allInnerTexts()).toEqual(['Flaw 1'])
  await expect.poll(() => tab(page).innerText()).toMatch(/Awaiting triage\s*1/)
  await page.getByLabel('Select Flaw 1').check()
  await page.getByRole('button', { name: 'Accept' }).click()
  await page.getByText('Nothing to triage').waitFor()
})

test('a bulk promotion shows its progress and continues in the background', async () => {
  const project = await projectWith('acme/many', 900)
  const page = await web.open(inbox('acme/many'), { as: await web.server.as('maintainer', project) })
  await page.getByText('900 findings').waitFor()
  // A running job blocks the requested one until it is released.
  const { db, now } = web.server.deps
  await db.run(sql`
    insert into jobs (kind, key, payload, state, attempts, run_at, created_at, lease, lease_expires_at)
    values ('promotion', ${`promotion:${project.id}`}, ${{}}, 'running', 1, ${now()}, ${now()}, 'test',
      '2100-01-01T00:00:00.000Z')`)
  await page.getByLabel('Select all matching').check()
  await page.getByRole('button', { name: 'Accept' }).click()
  await page.getByRole('dialog', { name: 'Accept 900 findings?' }).getByRole('button', { name: 'Accept' }).click()
  const dialog = page.getByRole('dialog', { name: 'Accepting 900 findings' })
  await dialog.getByRole('progressbar', { name: 'Creating vulnerabilities 0%' }).waitFor()
  expect(await accessProblems(page)).toEqual([])
  await dialog.getByText('Close', { exact: true }).click()
  await dialog.waitFor({ state: 'detached' })
  await db.run(sql`delete from jobs where key = ${`promotion:${project.id}`} and lease = 'test'`)
  await db.run(sql`update jobs set stage = 'new' where key = ${`promotion:${project.id}`} and state = 'waiting'`)
  await page.getByText('900 vulnerabilities created.').waitFor()
  await page.getByText('Nothing to triage').waitFor()
})

test('developers can view and filter findings, but not promote them', async () => {
  const project = await projectWith('acme/looked-at', 2)
  const as = await web.server.as('developer', project)
  const page = await web.open(inbox('acme/looked-at'), { as, width: 360, theme: 'dark' })
  await expect.poll(() => page.getByRole('button', { name: 'Accept' }).count()).toBe(0)
  expect(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)).toBeLessThanOrEqual(0)
  await page.getByRole('button', { name: 'Filters', exact: true }).click()
  await page.getByRole('button', { name: 'More filters' }).click()
  await page.getByLabel('Identifier').fill('rule r1')
  await page.getByRole('button', { name: 'Apply' }).click()
  await expect.poll(() => grid(page).getByRole('link').allInnerTexts()).toEqual(['Flaw 2'])
  await page.getByRole('group', { name: 'By severity' }).getByRole('button', { name: 'Critical' }).click()
  await page.getByText('No results').waitFor()
})
