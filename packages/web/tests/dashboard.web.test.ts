/// <reference lib="dom" />
import { afterAll, beforeAll, expect, test } from 'vitest'
import { entry } from '../../server/src/testing/reports.ts'
import type { TestProject } from '../../server/src/testing/server.ts'
import { grid, row } from './vulnerabilities.ts'
import { accessProblems, startWeb, type Web } from './web.ts'

let web: Web
let shop: TestProject
let site: TestProject
beforeAll(async () => {
  web = await startWeb()
  shop = await web.server.project('acme/shop')
  site = await web.server.project('tools/site')
  await web.server.report(shop, [
    entry({ line: 1, severity: 'Critical', name: 'Injection', rule: 'a' }),
    entry({ line: 2, severity: 'Low', name: 'Weak hash', rule: 'b' }),
  ])
  await web.server.report(site, [entry({ line: 1, severity: 'High', name: 'Open redirect' })])
  await web.server.report(
    site,
    [1, 2].map((line) => entry({ line, severity: 'Medium', name: 'Unread', rule: `w${line}` })),
    { promote: 'false', category: 'other' },
  )
  await web.server.admin.put(`/projects/${site.id}`, { topics: ['web'] })
})
afterAll(() => web?.close())

test('the start page shows open vulnerabilities, the most affected projects and the findings that wait', async () => {
  const page = await web.open('/', { as: web.server.admin })
  const counts = page.getByRole('list', { name: 'By severity' })
  await counts.getByRole('link', { name: '1 Critical' }).waitFor()
  await counts.getByRole('link', { name: '1 High' }).waitFor()
  await page.getByRole('figure', { name: 'Open vulnerabilities per day' }).waitFor()
  const projects = page.getByRole('region', { name: 'Most affected projects' }).getByRole('row')
  await expect.poll(() => projects.nth(1).innerText()).toMatch(/acme \/ shop/)
  expect(await projects.nth(2).innerText()).toMatch(/tools \/ site/)
  const waiting = page.getByRole('region', { name: '2 findings need triage' })
  expect(await waiting.innerText()).toContain('tools / site: 2 findings need triage')
  expect(await accessProblems(page)).toEqual([])

  await waiting.getByRole('link', { name: 'Review findings' }).click()
  await page.waitForURL('**/tools/site/-/findings')
  await page.getByRole('link', { name: 'Alcove home' }).click()
  await counts.getByRole('link', { name: '1 Critical' }).click()
  await row(page, 'Injection').waitFor()
  expect(await grid(page).innerText()).not.toContain('Open redirect')
})

test('the list of all vulnerabilities is in the header and can be narrowed to a group, a project or a topic', async () => {
  const page = await web.open('/explore/projects', { as: web.server.admin })
  await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Vulnerabilities' }).click()
  await row(page, 'Injection').getByText('acme / shop').waitFor()
  await row(page, 'Open redirect').waitFor()
  await page.getByText('2 findings need triage').waitFor()
  expect(await accessProblems(page)).toEqual([])

  await page.getByLabel('Topic').selectOption('web')
  await expect.poll(() => grid(page).innerText()).not.toContain('Injection')
  await row(page, 'Open redirect').waitFor()
  await page.getByLabel('Topic').selectOption('')
  await page.getByLabel('Group').selectOption({ label: 'acme' })
  await expect.poll(() => grid(page).innerText()).not.toContain('Open redirect')
  await page.getByLabel('Group').selectOption('')
  await page.getByLabel('Project').selectOption({ label: 'tools/site' })
  await expect.poll(() => grid(page).innerText()).not.toContain('Injection')
  expect(new URL(page.url()).searchParams.get('project_id')).toBe(`${site.id}`)
})

test('the start page of a user without projects shows the commands that send the first report', async () => {
  const page = await web.open('/', { as: await web.server.user('nadia') })
  await page.getByText('You have no projects yet').waitFor()
  const { origin } = new URL(page.url())
  const text = await page.getByRole('region', { name: 'Command line' }).innerText()
  expect(text).toContain(`ALCOVE_URL=${origin}`)
  expect(text).toContain('npx alcove upload --project')
  expect(await page.getByRole('region', { name: 'curl' }).innerText()).toContain(`${origin}/api/v4/projects/`)
  await expect.poll(() => page.getByText('Open vulnerabilities').count()).toBe(0)
  expect(await accessProblems(page)).toEqual([])
  await page.getByRole('link', { name: 'Create token' }).click()
  await page.waitForURL('**/-/profile/tokens')
})

test('a project without reports shows the commands for it', async () => {
  const project = await web.server.project('acme/empty')
  const page = await web.open('/acme/empty/-/vulnerabilities', { as: await web.server.as('maintainer', project) })
  await page.getByText('Not scanned').waitFor()
  expect(await page.getByRole('region', { name: 'Command line' }).innerText()).toContain('--project acme/empty')
  expect(await accessProblems(page)).toEqual([])
  await page.getByRole('link', { name: 'Create token' }).click()
  await page.waitForURL('**/acme/empty/-/settings/access_tokens')
})

test.each([
  ['/acme/shop/-/security/vulnerability_report', '/acme/shop/-/vulnerabilities'],
  ['/groups/acme/-/security/vulnerabilities', '/groups/acme/-/vulnerabilities'],
  ['/-/security/vulnerabilities', '/-/vulnerabilities'],
  ['/-/security/dashboard', '/'],
])("GitLab's address %s opens %s", async (theirs, ours) => {
  const page = await web.open(theirs, { as: web.server.admin })
  await expect.poll(() => new URL(page.url()).pathname).toBe(ours)
  await page.getByText('Page not found').waitFor({ state: 'detached' })
})

test("GitLab's address of a vulnerability opens its page", async () => {
  const [{ id }] = (await web.server.admin.get(`/projects/${shop.id}/vulnerabilities`)).body
  const page = await web.open(`/acme/shop/-/security/vulnerabilities/${id}`, { as: web.server.admin })
  await page.getByRole('heading', { name: 'Injection' }).waitFor()
  expect(new URL(page.url()).pathname).toBe(`/acme/shop/-/vulnerabilities/${id}`)
})
