/// <reference lib="dom" />
import { afterAll, beforeAll, expect, test } from 'vitest'
import { loadFeed } from '../../server/src/domain/feeds/load-feed.ts'
import type { Client } from '../../server/src/testing/client.ts'
import { entry } from '../../server/src/testing/reports/reports.ts'
import { accessProblems, startWeb, visit, type Web } from './web.ts'

let web: Web
let maintainer: Client
let exploited: { id: number }
beforeAll(async () => {
  web = await startWeb()
  const { server } = web
  await loadFeed(
    server.deps,
    {
      kind: 'epss',
      async *read() {
        yield {
          kind: 'epss',
          rows: [{ cve: 'CVE-2024-0001', scoreMillionths: 943_580, percentileMillionths: 999_000 }],
        }
        return { version: 'v1', publishedAt: server.deps.now() }
      },
    },
    { fileName: 'epss.csv', isForced: false },
  )
  await loadFeed(
    server.deps,
    {
      kind: 'kev',
      async *read() {
        yield {
          kind: 'kev',
          rows: [{ cve: 'CVE-2024-0001', addedOn: '2024-01-01', dueOn: '2024-01-22', isRansomware: true }],
        }
        return { version: '2026.11.20', publishedAt: server.deps.now() }
      },
    },
    { fileName: 'kev.json', isForced: false },
  )
  const project = await server.project('acme/prioritized')
  maintainer = await server.as('maintainer', project)
  const cve = { type: 'cve', name: 'CVE-2024-0001', value: 'CVE-2024-0001' }
  await server.report(
    project,
    [
      entry({ name: 'Exploited flaw', line: 1, severity: 'Medium', others: [cve] }),
      entry({ name: 'Severe flaw', line: 2, severity: 'High' }),
    ],
    { promote: 'true' },
  )
  const listed = await server.admin.get(`/projects/${project.id}/vulnerabilities?kev=true`)
  exploited = listed.body[0]
})
afterAll(() => web?.close())

test('a list sorted by priority begins with the exploited vulnerability, and filters find it', async () => {
  const page = await web.open('/acme/prioritized/-/vulnerabilities?sort=priority_desc', { as: maintainer })
  const rows = page.getByRole('row').filter({ hasText: 'flaw' })
  await expect.poll(() => rows.count()).toBe(2)
  expect(await rows.first().innerText()).toMatch(/Exploited flaw[\s\S]*Known exploited[\s\S]*55/)
  await visit(page, '/acme/prioritized/-/vulnerabilities?kev=false')
  await expect.poll(() => rows.count()).toBe(1)
  expect(await rows.first().innerText()).toContain('Severe flaw')
})

test('the page of a vulnerability explains its priority', async () => {
  const page = await web.open(`/acme/prioritized/-/vulnerabilities/${exploited.id}`, { as: maintainer })
  await page.getByText('EPSS 94%').waitFor()
  await page.getByText(/CVE-2024-0001: in the KEV catalogue since .*2024.*, to be fixed by .*2024/).waitFor()
  await page.getByText('Used by ransomware').waitFor()
  await page.getByText('Why this priority').click()
  const table = page.getByRole('region', { name: 'Why this priority' })
  const text = await table.innerText()
  for (const part of ['20 of 40', '94%', '15 of 15', 'Unknown', '5 of 10', 'Under 30 days'])
    expect(text).toContain(part)
  // Below the header, which stays in place, the page is scrolled: what it covers has no size.
  await page.evaluate(() => scrollTo(0, 0))
  expect(await accessProblems(page)).toEqual([])
})

test('maintainers set the exposure of a project', async () => {
  const page = await web.open('/acme/prioritized/-/settings', { as: maintainer })
  await page.getByLabel('Exposure').selectOption('internet')
  await page.getByRole('button', { name: 'Save exposure' }).click()
  await page.getByText('Saved.').waitFor()
  await expect
    .poll(async () => (await web.server.admin.get('/projects/acme%2Fprioritized')).body.exposure)
    .toBe('internet')
})

test('the Admin area shows the age of the feeds', async () => {
  const page = await web.open('/-/admin', { as: web.server.admin })
  const table = page.getByRole('region', { name: 'Loaded feeds' })
  await table.getByText('epss.csv').waitFor()
  const text = await table.innerText()
  for (const part of ['EPSS scores', 'Known exploited (KEV)', '0 days', 'Not loaded']) expect(text).toContain(part)
})
