/// <reference lib="dom" />
import { afterAll, beforeAll, expect, test } from 'vitest'
import { formWithFile } from '../../server/src/testing/client.ts'
import { entry } from '../../server/src/testing/reports/reports.ts'
import { accessProblems, startWeb, type Web } from './web.ts'

let web: Web
beforeAll(async () => {
  web = await startWeb()
})
afterAll(() => web?.close())

const dayIn = (days: number) => new Date(Date.now() + days * 24 * 60 * 60 * 1000).toISOString().slice(0, 10)

test('the page of a vulnerability says what a rule has decided, with a link for users who may change it', async () => {
  const place = await web.server.project(`acme/by-rule-${Date.now()}`)
  const path = String(place['path_with_namespace'])
  await web.server.report(place, [entry()])
  const [owner, reader] = [await web.server.as('maintainer', place), await web.server.as('developer', place)]
  const action = {
    dismiss: { reason: 'used_in_tests', until: dayIn(30) },
    severity: 'low',
    tags: ['tests'],
    due_in_days: 9,
  }
  const rule = { name: 'Test code', match: { path: 'src/**' }, action: { ...action, assignee: owner.user?.username } }
  expect((await owner.post(`/projects/${place.id}/vulnerability_rules`, rule)).status).toBe(201)
  await web.server.runJobs()
  const [{ id }] = (await owner.get(`/projects/${place.id}/vulnerabilities`)).body
  for (const options of [{ as: owner, width: 1280 }, { as: owner, width: 360, theme: 'dark' } as const]) {
    const page = await web.open(`/${path}/-/vulnerabilities/${id}`, options)
    const summary = page.getByRole('region', { name: 'Summary' })
    const text = /Dismissal, severity, assignee, due date, and tags set by the rule Test code · Used in tests · Until/
    await expect.poll(() => summary.innerText()).toMatch(text)
    const facts = page.getByRole('region', { name: 'Details' })
    expect(await facts.getByText('Set by the rule Test code').count()).toBe(4)
    expect(await facts.getByText('Set manually').count()).toBe(0)
    expect(await accessProblems(page)).toEqual([])
    expect(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth)).toBe(true)
  }
  const page = await web.open(`/${path}/-/vulnerabilities/${id}`, { as: owner })
  await page.getByRole('region', { name: 'Summary' }).getByRole('link', { name: 'Test code' }).press('Enter')
  await page.waitForURL(`**/${path}/-/settings/rules`)
  await page.getByRole('rowheader', { name: 'Test code' }).waitFor()
  await owner.put(`/vulnerabilities/${id}/severity`, { severity: 'high' })
  const other = await web.open(`/${path}/-/vulnerabilities/${id}`, { as: reader })
  const facts = other.getByRole('region', { name: 'Details' })
  await expect.poll(() => facts.getByText('Set by the rule Test code').count()).toBe(3)
  expect(await facts.getByText('Set manually').count()).toBe(1)
  expect(await other.getByRole('link', { name: 'Test code' }).count()).toBe(0)
})

test('the summary of a vulnerability says which suppression of a report has dismissed it, on its page and in the panel of the list', async () => {
  const place = await web.server.project(`acme/suppressed-${Date.now()}`)
  const path = String(place['path_with_namespace'])
  const at = { physicalLocation: { artifactLocation: { uri: 'a.ts' }, region: { startLine: 7 } } }
  const properties = { expiryUtc: `${dayIn(30)}T12:00:00Z` }
  const suppressions = [{ kind: 'inSource', justification: 'no user input', properties }]
  const result = { ruleId: 'r', message: { text: 'Weak hash' }, locations: [at], suppressions }
  const sarif = { version: '2.1.0', runs: [{ tool: { driver: { name: 'Lint' } }, results: [result] }] }
  const form = formWithFile('file', 'report.sarif', JSON.stringify(sarif), { promote: 'true' })
  expect((await web.server.admin.post(`/projects/${place.id}/security_reports`, form)).status).toBe(201)
  const reader = await web.server.as('developer', place)
  const [{ id }] = (await reader.get(`/projects/${place.id}/vulnerabilities`)).body
  for (const address of [`vulnerabilities/${id}`, `vulnerabilities?state=dismissed&open=${id}`]) {
    const page = await web.open(`/${path}/-/${address}`, { as: reader })
    const summary = page.getByRole('region', { name: 'Summary' })
    const text = /Suppressed in the source, at a\.ts:7\. Reported by Lint: no user input.*Until/
    await expect.poll(() => summary.innerText()).toMatch(text)
    expect(await accessProblems(page)).toEqual([])
  }
})
