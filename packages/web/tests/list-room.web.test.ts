/// <reference lib="dom" />
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Client, formWithFile } from '../../server/src/testing/client.ts'
import { entry, sastReport } from '../../server/src/testing/reports/reports.ts'
import type { TestProject } from '../../server/src/testing/server.ts'
import { coveredByMessages, messages } from './messages.ts'
import { fill, grid } from './vulnerabilities.ts'
import { accessProblems, startWeb, type Web } from './web.ts'

let web: Web
let maintainer: Client
let numbered: TestProject
const path = 'acme-international-holdings/payment-platform/settlement-and-reconciliation-service'
const list = `/${path}/-/vulnerabilities`

beforeAll(async () => {
  web = await startWeb()
  const top = await web.server.admin.post('/groups', {
    ...{ name: 'ACME International Holdings', path: 'acme-international-holdings', visibility: 'public' },
  })
  await web.server.admin.post('/groups', {
    ...{ name: 'Payment platform', path: 'payment-platform', parent_id: top.body.id, visibility: 'public' },
  })
  const project = await web.server.project(path)
  await web.server.admin.put(`/projects/${project.id}`, { name: 'Settlement and reconciliation service (Europe)' })
  maintainer = await web.server.as('maintainer', project)
  const kinds = ['critical', 'high', 'medium', 'low', 'info', 'unknown'] as const
  await fill(
    web,
    project,
    Array.from({ length: 4_000 }, (_, index) => ({
      title: `SQL query built from user-controlled sources in the settlement import, variant ${index}`,
      severity: kinds[index % kinds.length] ?? 'low',
      file: `services/settlement/src/main/java/com/example/settlement/imports/${index}/ReconciliationImportController.java`,
      ...(index % 5 === 0 && { state: 'confirmed' as const }),
      ...(index % 7 === 0 && { isResolvedOnDefaultBranch: true }),
    })),
  )
  numbered = await web.server.project('acme/numbers')
  await fill(web, numbered, [
    { title: 'Late', severity: 'high', dueOn: '2020-01-31' },
    { title: 'In time', severity: 'high' },
    { title: 'Small' },
  ])
  const [first] = (await web.server.admin.get(`/projects/${project.id}/vulnerabilities?state[]=detected,confirmed`))
    .body
  const tags = { action: 'tag', tags: 'payment,customer-facing,quarterly review,legacy', vulnerability_ids: [first.id] }
  expect(await web.server.admin.post(`/projects/${project.id}/vulnerability_bulk_changes`, tags)).toMatchObject({
    status: 201,
  })
  await web.server.admin.put(`/vulnerabilities/${first.id}/due_date`, { due_on: '2099-01-31' })
  // Findings that await triage are counted on their tab.
  const waiting = Array.from({ length: 12 }, (_, line) =>
    entry({ name: `Waiting ${line}`, line: line + 1, rule: `w${line}`, severity: line < 9 ? 'Critical' : 'Low' }),
  )
  const form = formWithFile('file', 'report.json', JSON.stringify(sastReport(waiting)))
  expect((await web.server.admin.post(`/projects/${project.id}/security_reports`, form)).status).toBe(201)
})
afterAll(() => web?.close())

/** Counts the fully visible rows. */
const wholeRows = (page: Page) =>
  grid(page).evaluate((grid) => {
    const rows = [...grid.querySelectorAll('[role=row][aria-rowindex]:not([aria-rowindex="1"])')]
    const barEnd = grid.previousElementSibling?.getBoundingClientRect().bottom ?? 0
    return rows.filter((row) => {
      const { top, bottom } = row.getBoundingClientRect()
      return top >= barEnd && bottom <= innerHeight
    }).length
  })

describe.each([
  { width: 1440, height: 900, least: 12 },
  { width: 1024, height: 768, least: 6 },
  { width: 390, height: 844, least: 4 },
])('a window of $width × $height', ({ width, height, least }) => {
  test.each(['light', 'dark'] as const)('shows enough rows without scrolling (%s)', async (theme) => {
    const page = await web.open(list, { as: maintainer, width, height, theme })
    await page.getByRole('link', { name: 'Awaiting triage 12' }).waitFor()
    if (process.env['ALCOVE_TEST_PICTURES']) {
      await page.screenshot({ path: `${process.env['ALCOVE_TEST_PICTURES']}/list-${width}-${theme}.png` })
    }
    expect(await page.evaluate(() => scrollY)).toBe(0)
    expect(await wholeRows(page)).toBeGreaterThanOrEqual(least)
    expect(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)).toBeLessThanOrEqual(0)
    expect(await accessProblems(page)).toEqual([])
  })

  test('gives a title the room beside tags and a due date', async () => {
    const page = await web.open(list, { as: maintainer, width, height })
    const [cell, title] = [
      grid(page).locator('[data-active] [role=gridcell]:has(a)'),
      grid(page).locator('[data-active] a'),
    ]
    await cell.getByText('customer-facing').waitFor({ state: 'attached' })
    const widthOf = async (part: typeof cell) => (await part.boundingBox())?.width ?? 0
    const isWhole = await title.evaluate(({ scrollWidth, clientWidth }) => scrollWidth <= clientWidth)
    expect(isWhole || (await widthOf(title)) >= 0.45 * (await widthOf(cell))).toBe(true)
    expect(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)).toBeLessThanOrEqual(0)
  })

  test('keeps messages away from the active row and its controls', async () => {
    const page = await web.open(list, { as: maintainer, width, height })
    await grid(page).focus()
    for (let presses = 0; presses < 25; presses++) await page.keyboard.press(presses % 2 === 0 ? 'c' : 'j')
    await messages(page).waitFor()
    expect(await messages(page).count()).toBe(1)
    const bar = grid(page).locator('xpath=preceding-sibling::*[1]')
    const kept = grid(page).locator('[data-active]').or(bar.locator('button, select'))
    expect(await kept.count()).toBeGreaterThan(1)
    expect(await coveredByMessages(page, kept)).toEqual([])
  })
})

test('the trends show each severity with what is overdue, and lead to its vulnerabilities', async () => {
  const as = await web.server.as('maintainer', numbered)
  const form = formWithFile(
    'file',
    'report.json',
    JSON.stringify(sastReport([entry({ line: 1, severity: 'Critical' })])),
  )
  await as.post(`/projects/${numbered.id}/security_reports`, form)
  const { body: findings } = await as.get(`/projects/${numbered.id}/vulnerability_findings?severity=critical`)
  await as.post(`/projects/${numbered.id}/vulnerabilities`, { finding_id: findings[0].id })
  const page = await web.open('/acme/numbers/-/vulnerabilities/trends', { as })
  const numbers = page.getByRole('region', { name: 'Numbers by severity' }).getByRole('row')
  await expect.poll(() => numbers.count()).toBe(5)
  const high = numbers.filter({ hasText: 'High' })
  expect(await high.getByRole('cell').allInnerTexts()).toEqual(['2', 'No change', '1', 'No data'])
  expect(await numbers.filter({ hasText: 'Critical' }).getByRole('cell').allInnerTexts()).toEqual([
    ...['1', '+1', '0', 'No data'],
  ])
  expect(await accessProblems(page)).toEqual([])
  await high.getByRole('link', { name: 'High, overdue: 1' }).click()
  await grid(page).getByRole('link', { name: 'Late' }).waitFor()
  expect(await grid(page).getByRole('link').count()).toBe(1)
})

describe('without scan results', () => {
  test('a project that was never scanned has no grade, and its list explains how to start', async () => {
    const project = await web.server.project('acme/empty')
    const as = await web.server.as('developer', project)
    const page = await web.open('/acme/empty/-/vulnerabilities', { as })
    await page.getByText('Not scanned').waitFor()
    expect(await page.getByText('No open vulnerabilities').count()).toBe(0)
    await page.getByRole('link', { name: 'Trends' }).click()
    const glance = page.getByRole('region', { name: 'Summary' })
    await glance.getByText('Not scanned').waitFor()
    expect(await glance.getByText('A', { exact: true }).count()).toBe(0)
  })

  test('findings that need triage prevent a grade', async () => {
    const project = await web.server.project('acme/untriaged')
    const as = await web.server.as('maintainer', project)
    const report = sastReport([
      entry({ line: 1, severity: 'Critical' }),
      entry({ line: 2, rule: 'b', severity: 'Low' }),
    ])
    const form = formWithFile('file', 'report.json', JSON.stringify(report))
    expect((await as.post(`/projects/${project.id}/security_reports`, form)).status).toBe(201)
    const page = await web.open('/acme/untriaged/-/vulnerabilities/trends', { as })
    const glance = page.getByRole('region', { name: 'Summary' })
    await glance.getByText('2 findings need triage (1 critical)').waitFor()
    expect(await glance.getByText('A', { exact: true }).count()).toBe(0)
    await page
      .getByRole('navigation', { name: /sections/ })
      .getByRole('link', { name: 'Vulnerabilities' })
      .click()
    await page.getByText('No open vulnerabilities yet').waitFor()
    await page.getByRole('link', { name: 'Review findings' }).click()
    await page.getByRole('grid', { name: 'Findings' }).waitFor()
  })

  test('a scan without findings gives a grade', async () => {
    const project = await web.server.project('acme/clean')
    const as = await web.server.as('maintainer', project)
    const form = formWithFile('file', 'report.json', JSON.stringify(sastReport([])))
    expect((await as.post(`/projects/${project.id}/security_reports`, form)).status).toBe(201)
    const page = await web.open('/acme/clean/-/vulnerabilities/trends', { as })
    await page.getByRole('region', { name: 'Summary' }).getByText('A', { exact: true }).waitFor()
    await page.getByRole('button', { name: 'Show as table' }).click()
    await page.getByRole('columnheader', { name: 'Day', exact: true }).waitFor()
    expect(await accessProblems(page)).toEqual([])
  })

  test('a group without vulnerabilities has no grade, and its trends fit a phone', async () => {
    await web.server.project('bare/one')
    const page = await web.open('/groups/bare/-/vulnerabilities/trends', {
      as: web.server.admin,
      width: 360,
      theme: 'dark',
    })
    await page.getByText('No vulnerabilities recorded').waitFor()
    expect(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)).toBeLessThanOrEqual(0)
    expect(await accessProblems(page)).toEqual([])
  })
})
