/// <reference lib="dom" />
import type { Page } from 'playwright-core'
import sql from 'sql-template-tag'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { formWithFile } from '../../server/src/testing/client.ts'
import { entry, sastReport } from '../../server/src/testing/reports/reports.ts'
import type { TestProject } from '../../server/src/testing/server.ts'
import { accessProblems, startWeb, type Web } from './web.ts'

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
const tab = (page: Page) => page.getByRole('navigation', { name: /sections/ }).getByRole('link', { name: /Findings/ })

test('unpromoted findings are listed by severity, counted on the tab, and promoted by a key', async () => {
  const project = await projectWith('acme/some', 3)
  const page = await web.open('/acme/some/-/findings', { as: await web.server.as('maintainer', project) })
  await expect.poll(() => tab(page).innerText()).toMatch(/Findings\s*3/)
  await expect.poll(() => grid(page).getByRole('link').allInnerTexts()).toEqual(['Flaw 1', 'Flaw 2', 'Flaw 3'])
  expect(await accessProblems(page)).toEqual([])
  await page.keyboard.press('j')
  await page.keyboard.press('p')
  await page.getByText('1 vulnerability created.').waitFor()
  await expect.poll(() => grid(page).getByRole('link').allInnerTexts()).toEqual(['Flaw 1', 'Flaw 3'])
  await expect.poll(() => tab(page).innerText()).toMatch(/Findings\s*2/)
  const { body } = await web.server.admin.get(`/projects/${project.id}/vulnerabilities`)
  expect(body.map(({ title }: { title: string }) => title)).toEqual(['Flaw 2'])
  await grid(page).focus()
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { level: 1, name: 'Flaw 3' }).waitFor()
})

test('the count on the tab follows an import that was watched until its end', async () => {
  const project = await projectWith('acme/growing', 2)
  const page = await web.open('/acme/growing/-/reports/new', { as: await web.server.as('maintainer', project) })
  await expect.poll(() => tab(page).innerText()).toMatch(/Findings\s*2$/)
  const report = sastReport(Array.from({ length: 5 }, (_, index) => entry({ line: index + 1, rule: `r${index}` })))
  await page.getByLabel('Drop a scanner report here').setInputFiles({
    ...{ name: 'report.json', mimeType: 'application/json', buffer: Buffer.from(JSON.stringify(report)) },
  })
  await page.getByRole('button', { name: 'Preview changes' }).click()
  await page.getByRole('button', { name: 'Import' }).click()
  await page.getByRole('list', { name: 'Changes' }).waitFor()
  await expect.poll(() => tab(page).innerText()).toMatch(/Findings\s*5$/)
})

test('all findings that match a filter can be promoted after a confirmation', async () => {
  const project = await projectWith('acme/more', 250)
  const page = await web.open('/acme/more/-/findings?severity=low', { as: await web.server.as('maintainer', project) })
  await page.getByText('249 findings').waitFor()
  await page.getByLabel('Select all matching').check()
  await page.getByRole('button', { name: 'Accept' }).click()
  const dialog = page.getByRole('dialog', { name: 'Accept 249 findings?' })
  expect(await accessProblems(page)).toEqual([])
  await dialog.getByRole('button', { name: 'Accept' }).click()
  await page.getByText('249 vulnerabilities created.').waitFor()
  await page.getByText('No results').waitFor()
  await page.getByRole('button', { name: 'Clear filters' }).click()
  await expect.poll(() => grid(page).getByRole('link').allInnerTexts()).toEqual(['Flaw 1'])
  await expect.poll(() => tab(page).innerText()).toMatch(/Findings\s*1/)
  await page.getByLabel('Select Flaw 1').check()
  await page.getByRole('button', { name: 'Accept' }).click()
  await page.getByText('Nothing to triage').waitFor()
  expect(await accessProblems(page)).toEqual([])
})

test('a bulk promotion shows its progress and continues in the background', async () => {
  const project = await projectWith('acme/many', 900)
  const page = await web.open('/acme/many/-/findings', { as: await web.server.as('maintainer', project) })
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
  await dialog.getByRole('progressbar', { name: 'Creating vulnerabilities 0 %' }).waitFor()
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
  const page = await web.open('/acme/looked-at/-/findings', { as, width: 360, theme: 'dark' })
  await expect.poll(() => page.getByRole('button', { name: 'Accept' }).count()).toBe(0)
  expect(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)).toBeLessThanOrEqual(0)
  expect(await accessProblems(page)).toEqual([])
  await page.getByRole('button', { name: 'More filters' }).click()
  await page.getByLabel('Identifier').fill('rule r1')
  await page.getByRole('button', { name: 'Apply' }).click()
  await expect.poll(() => grid(page).getByRole('link').allInnerTexts()).toEqual(['Flaw 2'])
  await page.getByRole('button', { name: 'Severity' }).click()
  await page.getByRole('menuitemcheckbox', { name: 'Critical' }).click()
  await page.keyboard.press('Escape')
  await page.getByText('No results').waitFor()
})
