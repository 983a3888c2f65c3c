/// <reference lib="dom" />
import type { Page } from 'playwright-core'
import sql from 'sql-template-tag'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { formWithFile } from '../../server/src/testing/client.ts'
import { entry, sastReport } from '../../server/src/testing/reports/reports.ts'
import type { TestProject } from '../../server/src/testing/server.ts'
import { openSignedIn } from './sign-in.ts'
import { grid, row } from './vulnerabilities.ts'
import { accessProblems, dialogs, startWeb, visit, type Web } from './web.ts'

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

test('the start page shows open vulnerabilities, projects by risk and the findings that wait', async () => {
  const page = await web.open('/', { as: web.server.admin })
  const counts = page.getByRole('list', { name: 'By severity' })
  await counts.getByRole('link', { name: '1 Critical' }).waitFor()
  await counts.getByRole('link', { name: '1 High' }).waitFor()
  await page.getByRole('figure', { name: 'Open vulnerabilities per day' }).waitFor()
  const projects = page.getByRole('region', { name: 'Open vulnerabilities by project' }).getByRole('row')
  await expect.poll(() => projects.nth(1).innerText()).toMatch(/acme \/ shop/)
  expect(await projects.nth(2).innerText()).toMatch(/tools \/ site/)
  const waiting = page.getByRole('region', { name: '2 findings need triage' })
  expect(await waiting.innerText()).toContain('tools / site: 2 findings need triage')
  expect(await accessProblems(page)).toEqual([])

  await waiting.getByRole('link', { name: 'Review findings' }).click()
  await page.waitForURL('**/tools/site/-/vulnerabilities?tab=awaiting')
  await page.getByRole('link', { name: 'Alcove home' }).click()
  await counts.getByRole('link', { name: '1 Critical' }).click()
  await row(page, 'Injection').waitFor()
  expect(await grid(page).innerText()).not.toContain('Open redirect')
})

describe.each([
  { path: '/', list: '/-/vulnerabilities', width: 1440, theme: 'light' },
  { path: '/', list: '/-/vulnerabilities', width: 360, theme: 'dark' },
  { path: '/groups/acme', list: '/groups/acme/-/vulnerabilities', width: 1440, theme: 'dark' },
  { path: '/groups/acme', list: '/groups/acme/-/vulnerabilities', width: 360, theme: 'light' },
] as const)('the dashboard of $path with $width px ($theme)', ({ path, list, width, theme }) => {
  test('shows the work to do, changes and projects without a scan, and links to the lists', async () => {
    const name = `never-${width}-${path.length}-${Date.now()}`
    const project = await web.server.project(`acme/${name}`)
    const { admin } = web.server
    const user = await web.server.as('maintainer', shop)
    await admin.post(`/projects/${project.id}/members`, { user_id: user.user?.id, access_level: 40 })
    const [{ id }] = (await admin.get(`/projects/${shop.id}/vulnerabilities?search=Injection`)).body
    const assigned = await user.post(`/projects/${shop.id}/vulnerability_bulk_changes`, {
      ...{ action: 'assign', vulnerability_ids: [id], assignee_id: user.user?.id },
    })
    expect(assigned.body).toMatchObject({ changed: 1 })
    await user.post(`/vulnerabilities/${id}/confirm`)
    const page = await web.open(path, { as: user, width, theme, height: 1100 })
    const work = page.getByRole('list', { name: 'Open work' })
    await work.getByRole('link', { name: '1 Assigned to me' }).waitFor()
    await work.getByRole('link', { name: '0 Overdue' }).waitFor()
    await work.getByRole('link', { name: '0 Awaiting approval' }).waitFor()
    const changes = page.getByRole('list', { name: 'Recent changes' })
    await changes
      .getByText(/confirmed Injection in acme \/ shop/)
      .first()
      .waitFor()
    await changes.getByRole('link', { name: '2 new findings' }).first().waitFor()
    await page.getByRole('list', { name: 'By severity' }).getByText('1 more in 7 days').first().waitFor()
    const never = page.getByRole('region', { name: 'Never scanned' })
    await never.getByRole('link', { name: `acme / ${name}` }).waitFor()
    await never.getByRole('button', { name: `Copy command for ${name}` }).click()
    expect(await page.evaluate(() => navigator.clipboard.readText())).toContain(`acme%2F${name}/security_reports`)
    if (process.env['ALCOVE_TEST_PICTURES']) {
      const file = `dashboard-${path.length > 1 ? 'group' : 'home'}-${width}-${theme}.png`
      await page.screenshot({ path: `${process.env['ALCOVE_TEST_PICTURES']}/${file}`, fullPage: true })
    }
    expect(await accessProblems(page)).toEqual([])
    expect(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)).toBeLessThanOrEqual(0)
    await work.getByRole('link', { name: '1 Assigned to me' }).focus()
    await page.keyboard.press('Enter')
    await row(page, 'Injection').waitFor()
    expect(new URL(page.url()).pathname).toBe(list)
    await admin.delete(`/projects/${project.id}`)
    await admin.post(`/vulnerabilities/${id}/revert`)
  })
})

describe('charts', () => {
  const openHome = async () => {
    const project = await web.server.project(`acme/charts-${Date.now()}`)
    await web.server.report(project, [
      entry({ line: 1, severity: 'Critical', name: 'One', rule: 'a' }),
      entry({ line: 2, severity: 'Low', name: 'Two', rule: 'b' }),
    ])
    const page = await web.open('/', { as: await web.server.as('developer', project), isChanged: true })
    await page.locator('[data-chart=area]').waitFor()
    return page
  }
  const colors = (page: Page, chart: string, property: 'fill' | 'stroke' | 'backgroundColor') =>
    page
      .locator(`[data-chart=${chart}] > *`)
      .evaluateAll((all, name) => all.map((part) => getComputedStyle(part)[name]), property)
  const canvas = (page: Page) => page.evaluate(() => getComputedStyle(document.body).backgroundColor)

  test('the area of open vulnerabilities has a table, a day for each arrow key, and outlines with forced colors', async () => {
    const page = await openHome()
    const chart = page.getByRole('figure', { name: 'Open vulnerabilities per day' })
    const day = chart.getByRole('slider', { name: 'Day in the chart' })
    await day.focus()
    const today = await chart.locator('figcaption').innerText()
    expect(today).toMatch(/: 2 \(1 critical, 1 low\)$/)
    expect(await day.getAttribute('aria-valuetext')).toBe(today)
    await page.keyboard.press('ArrowLeft')
    await expect.poll(() => chart.locator('figcaption').innerText()).toMatch(/: 0$/)
    await page.keyboard.press('End')
    await expect.poll(() => chart.locator('figcaption').innerText()).toBe(today)
    await page.emulateMedia({ forcedColors: 'active' })
    expect(await colors(page, 'area', 'stroke')).not.toContain('none')
    expect(new Set(await colors(page, 'area', 'fill')).size).toBeGreaterThanOrEqual(5)
    await chart.getByRole('button', { name: 'Show as table' }).press('Enter')
    const rows = chart.getByRole('region').getByRole('row')
    await expect.poll(() => rows.nth(1).innerText()).toMatch(/\s2\s+1\s+0\s+0\s+1/)
  })

  test('the line of a severity is in a link that has its number, and visible with forced colors', async () => {
    const page = await openHome()
    const card = page.getByRole('list', { name: 'By severity' }).getByRole('link', { name: /^1 Critical/ })
    expect(await card.locator('[data-chart=sparkline]').getAttribute('aria-hidden')).toBe('true')
    await page.emulateMedia({ forcedColors: 'active' })
    const background = await canvas(page)
    const strokes = await colors(page, 'sparkline', 'stroke')
    expect(strokes.length).toBeGreaterThanOrEqual(4)
    for (const stroke of strokes) expect([background, 'none']).not.toContain(stroke)
    await card.focus()
    await page.keyboard.press('Enter')
    await page.waitForURL('**/-/vulnerabilities?severity=critical')
  })

  test('the shares of severities are beside the numbers in a table, and distinct with forced colors', async () => {
    const page = await openHome()
    const table = page.getByRole('region', { name: 'Open vulnerabilities by project' })
    const row = table.getByRole('row').filter({ has: page.locator('[data-chart=shares]') })
    expect(await row.getByRole('cell').allInnerTexts()).toEqual(expect.arrayContaining(['1', '0', '2']))
    await page.emulateMedia({ forcedColors: 'active' })
    const shares = await colors(page, 'shares', 'backgroundColor')
    expect(new Set([...shares, await canvas(page)]).size).toBe(3)
    await row.getByRole('link').first().focus()
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { level: 1, name: 'Vulnerabilities' }).waitFor({ state: 'attached' })
  })
})

test('the dashboard names scanners that stopped reporting, and marks old scans', async () => {
  const project = await web.server.project(`acme/old-${Date.now()}`)
  const maintainer = await web.server.as('maintainer', project)
  await web.server.report(project, [entry({ line: 1, severity: 'Low', name: 'Old' })])
  const past = new Date(Date.now() - 20 * 24 * 60 * 60 * 1000).toISOString()
  await web.server.deps.db.run(sql`update imports set shown_at = ${past} where project_id = ${project.id}`)
  await web.server.deps.db.run(sql`
    update scans set observed_at = ${past}
    where import_id in (select id from imports where project_id = ${project.id})`)
  const page = await web.open('/', { as: maintainer })
  await page.getByRole('list', { name: 'Scanners that stopped reporting' }).getByText('has not reported for').waitFor()
  await page.getByRole('region', { name: 'Open vulnerabilities by project' }).getByText('Stale').waitFor()
  await page.getByRole('link', { name: 'Scanner coverage' }).first().click()
  const coverage = page.getByRole('region', { name: 'Scanners by project' })
  const mine = coverage.getByRole('row').filter({ hasText: `${project['name_with_namespace']}` })
  await mine.getByText('Stale').waitFor()
  expect(await mine.innerText()).toContain('Missing')
  expect(await accessProblems(page)).toEqual([])
  await page.getByLabel('Report type', { exact: true }).selectOption('sast')
  await expect.poll(() => mine.count()).toBe(0)
  await page.getByLabel('Report type', { exact: true }).selectOption('secret_detection')
  await mine.waitFor()
  await page.setViewportSize({ width: 360, height: 800 })
  expect(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)).toBeLessThanOrEqual(0)
  const tab = (name: string) => page.getByRole('navigation', { name: /: sections$/ }).getByRole('link', { name })
  for (const place of [`/${project['path_with_namespace']}`, '/groups/acme']) {
    await visit(page, place)
    await tab('Coverage').click()
    await coverage.getByText('Stale').waitFor()
    expect(await tab('Coverage').getAttribute('aria-current')).toBe('page')
    await tab('Activity').click()
    await page
      .getByText(/^No report from .* for 20 days in /)
      .first()
      .waitFor()
    expect(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)).toBeLessThanOrEqual(0)
  }
  await page.getByLabel('Activity type').selectOption('Triage decisions')
  await page
    .getByText(/^No report from /)
    .first()
    .waitFor({ state: 'detached' })
  expect(await accessProblems(page)).toEqual([])
  await visit(page, `/${project['path_with_namespace']}/-/vulnerabilities/trends`)
  const summary = page.getByRole('region', { name: 'Summary' })
  await summary.getByText('Stale').waitFor()
  expect(await summary.getByText('B', { exact: true }).count()).toBe(0)
})

test('the activity of the server, a group and a project is listed on pages', async () => {
  const page = await web.open('/', { as: web.server.admin })
  await page.getByRole('link', { name: 'All activity' }).click()
  const changes = page.getByRole('list', { name: 'Recent changes' })
  await changes.getByRole('link', { name: '2 new findings (1 critical)' }).first().waitFor()
  await changes.getByText('tools / site').first().waitFor()
  expect((await page.getByLabel('Activity type').boundingBox())?.width).toBeLessThan(400)
  for (const path of ['/groups/acme/-/activity', '/acme/shop/-/activity']) {
    await visit(page, path)
    await changes.getByText('acme / shop').first().waitFor()
    expect(await changes.innerText()).not.toContain('tools / site')
  }
})

test('the list of all vulnerabilities is in the header and can be narrowed to a group, a project or a topic', async () => {
  const page = await web.open('/explore/projects', { as: web.server.admin })
  await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Vulnerabilities' }).click()
  await row(page, 'Injection').getByText('acme/shop').waitFor()
  await row(page, 'Open redirect').waitFor()
  await page.getByText('2 findings need triage').waitFor()

  await page.getByLabel('Topic').selectOption('web')
  await expect.poll(() => grid(page).innerText()).not.toContain('Injection')
  await row(page, 'Open redirect').waitFor()
  await page.getByLabel('Topic').selectOption('')
  await page.getByLabel('Group', { exact: true }).selectOption({ label: 'acme' })
  await expect.poll(() => grid(page).innerText()).not.toContain('Open redirect')
  await page.getByLabel('Group', { exact: true }).selectOption('')
  await page.getByRole('button', { name: 'Project', exact: true }).click()
  await page.getByRole('dialog', { name: 'Projects' }).getByLabel('tools/site').check()
  await expect.poll(() => grid(page).innerText()).not.toContain('Injection')
  expect(new URL(page.url()).searchParams.get('project_id')).toBe(`${site.id}`)
})

test('the start page of a user without projects shows the commands that send the first report', async () => {
  await web.server.user('nadia')
  const page = await openSignedIn(web, 'nadia', '/')
  await page.getByText('You have no projects yet').waitFor()
  const { origin } = new URL(page.url())
  const text = await page.getByRole('region', { name: 'Command line' }).innerText()
  expect(text).toContain(`ALCOVE_URL=${origin}`)
  expect(text).toContain('/-/alcove.tgz upload --project')
  expect(await page.getByRole('region', { name: 'curl' }).innerText()).toContain('/api/v4/projects/')
  await expect.poll(() => page.getByText('Open vulnerabilities').count()).toBe(0)
  // The command creates the project, which the right to send reports does not permit.
  await page.getByRole('button', { name: 'Create token' }).click()
  const dialog = page.getByRole('dialog', { name: 'New access token' })
  expect(await dialog.getByLabel('api', { exact: true }).isChecked()).toBe(true)
  expect(await dialog.getByLabel('write_security_reports').isChecked()).toBe(false)
  await dialog.getByRole('button', { name: 'Create token' }).click()
  const token = await page.getByLabel('security-reports created.').inputValue()
  expect(await page.getByRole('region', { name: 'curl' }).innerText()).toContain(`ALCOVE_TOKEN=${token}`)
  const self = await web.server.anonymous.get('/personal_access_tokens/self', { headers: { 'private-token': token } })
  expect(self.body).toMatchObject({ name: 'security-reports', scopes: ['api'] })
  // The command works as it is shown.
  expect(text).toContain('--project nadia/project')
  const form = formWithFile('file', 'report.json', JSON.stringify(sastReport([])), { create: 'true' })
  const headers = { 'private-token': token }
  const sent = await web.server.anonymous.post('/projects/nadia%2Fproject/security_reports', form, { headers })
  expect(sent).toMatchObject({ status: 201, body: { project_created: true } })
})

test('a group without projects shows the commands that create its first project', async () => {
  await web.server.admin.post('/groups', { name: 'Fresh', path: 'fresh' })
  const page = await web.open('/groups/fresh/-/vulnerabilities', { as: web.server.admin })
  await page.getByText('No projects').waitFor()
  expect(await page.getByRole('region', { name: 'Command line' }).innerText()).toContain('--project fresh/project')
  expect(await page.getByRole('region', { name: 'curl' }).innerText()).toContain('create=true')
})

test('a developer of a project without reports creates a personal token that may only send reports', async () => {
  const project = await web.server.project('acme/shared')
  const developer = await web.server.as('developer', project)
  const page = await openSignedIn(web, developer.user?.username ?? '', '/acme/shared/-/vulnerabilities')
  await page.getByRole('button', { name: 'Create token' }).click()
  const dialog = page.getByRole('dialog', { name: 'New access token' })
  await dialog.getByRole('button', { name: 'Create token' }).click()
  await page.getByLabel('security-reports created.').waitFor()
  const [{ scopes }] = (await developer.get('/personal_access_tokens?search=security-reports')).body
  expect(scopes).toEqual(['write_security_reports'])
})

test('a project without reports shows the commands for it, with the token that they need', async () => {
  const project = await web.server.project('acme/empty')
  const page = await web.open('/acme/empty/-/vulnerabilities', { as: await web.server.as('maintainer', project) })
  await page.getByText('Not scanned').waitFor()
  expect(await page.getByRole('region', { name: 'Command line' }).innerText()).toContain('--project acme/empty')
  await page.getByRole('button', { name: 'Create token' }).click()
  const dialog = page.getByRole('dialog', { name: 'New access token' })
  expect(await dialog.getByLabel('Name').inputValue()).toBe('security-reports')
  await dialog.getByRole('button', { name: 'Create token' }).click()
  const token = await page.getByLabel('security-reports created.').inputValue()
  const command = page.getByRole('region', { name: 'Command line' })
  expect(await command.innerText()).toContain(`ALCOVE_TOKEN=${token}`)
  expect(await accessProblems(page)).toEqual([])
  const [bot] = (await web.server.admin.get(`/projects/${project.id}/access_tokens`)).body
  expect(bot).toMatchObject({ name: 'security-reports', access_level: 30, scopes: ['write_security_reports'] })
  await page.getByRole('button', { name: 'Copy Command line example' }).click()
  expect(await page.evaluate(() => navigator.clipboard.readText())).toContain(token)
  await page.getByRole('button', { name: 'Done' }).click()
  expect(await page.getByRole('main').innerHTML()).not.toContain(token)
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

test('an open project without reports waits for the first one and shows its result without a reload', async () => {
  const path = `acme/waiting-${Date.now()}`
  const project = await web.server.project(path)
  const maintainer = await web.server.as('maintainer', project)
  const page = await web.open(`/${path}`, { as: maintainer })
  const panel = page.getByRole('region', { name: 'Send the first report' })
  await panel.getByText('Waiting for the first report…').waitFor()
  const snippet = panel.getByRole('region', { name: 'GitHub Actions' })
  expect(await snippet.innerText()).toContain(`upload --project ${path} report.json`)
  for (const name of ['GitLab CI', 'Gitea Actions', 'Jenkins']) {
    await panel.getByLabel('Pipeline', { exact: true }).selectOption(name)
    expect(await panel.getByRole('region', { name }).innerText()).toContain(new URL(page.url()).origin)
  }
  await page.evaluate(() => Object.assign(globalThis, { isSameDocument: true }))
  await web.server.report(project, [entry({ line: 1, severity: 'High', name: 'Found first' })])
  const result = page.getByRole('region', { name: 'First report' })
  await result.getByText('The first report has arrived: 1 finding').waitFor()
  await expect.poll(() => panel.count()).toBe(0)
  expect(await accessProblems(page)).toEqual([])
  await result.getByRole('link', { name: 'Start triage' }).click()
  await page.getByText('Found first').first().waitFor()
  expect(await page.evaluate(() => 'isSameDocument' in globalThis)).toBe(true)
  await web.server.admin.delete(`/projects/${project.id}`)
})

test('the start page of a new user leads from a project to the first triaged vulnerability', async () => {
  const name = `newcomer-${Date.now()}`
  const user = await web.server.user(name)
  const page = await web.open('/', { as: user })
  const steps = page.getByRole('region', { name: 'Get started' })
  await steps.getByRole('link', { name: 'Create a project' }).waitFor()
  expect(await steps.innerText()).toMatch(/Create an access token\s*: done/)
  const { body: project } = await user.post('/projects', { name: 'first' })
  await page.reload()
  await steps.getByRole('link', { name: 'Send a report' }).waitFor()
  const form = formWithFile('file', 'report.json', JSON.stringify(sastReport([entry({ line: 1, name: 'Flaw' })])), {
    promote: 'true',
  })
  expect((await user.post(`/projects/${project.id}/security_reports`, form)).status).toBe(201)
  await page.reload()
  await steps.getByRole('link', { name: 'Triage the first finding' }).waitFor()
  const [{ id }] = (await user.get(`/projects/${project.id}/vulnerabilities`)).body
  expect((await user.post(`/vulnerabilities/${id}/confirm`)).status).toBe(201)
  await page.reload()
  await page.getByRole('list', { name: 'By severity' }).waitFor()
  await expect.poll(() => steps.count()).toBe(0)
  await web.server.admin.delete(`/projects/${project.id}`)
})

test("GitLab's address keeps its filters", async () => {
  const theirs = '?state=DETECTED,CONFIRMED&severity=HIGH&reportType=ALL&activity=NO_LONGER_DETECTED&search=SQL'
  const page = await web.open(`/acme/shop/-/security/vulnerability_report/${theirs}`, { as: web.server.admin })
  await expect.poll(() => new URL(page.url()).pathname).toBe('/acme/shop/-/vulnerabilities')
  const filters = Object.fromEntries(new URL(page.url()).searchParams)
  expect(filters).toEqual({ state: 'detected,confirmed', severity: 'high', has_resolution: 'true', search: 'SQL' })
  await page.getByRole('button', { name: 'Remove filter Severity: High' }).waitFor()
})

test("GitLab's address of a vulnerability opens its page", async () => {
  const [{ id }] = (await web.server.admin.get(`/projects/${shop.id}/vulnerabilities`)).body
  const page = await web.open(`/acme/shop/-/security/vulnerabilities/${id}`, { as: web.server.admin })
  await page.getByRole('heading', { name: 'Injection' }).waitFor()
  expect(new URL(page.url()).pathname).toBe(`/acme/shop/-/vulnerabilities/${id}`)
})

test('the findings of all projects of a group or of the server are accepted at once, and skipped projects are named', async () => {
  const [first, second] = [await web.server.project('lab/first'), await web.server.project('lab/second')]
  const user = await web.server.as('maintainer', first)
  const members = `/groups/${second['namespace'].id}/members`
  expect(await web.server.admin.post(members, { user_id: user.user?.id, access_level: 30 })).toMatchObject({
    status: 201,
  })
  const report = (project: TestProject, count: number) =>
    web.server.report(
      project,
      Array.from({ length: count }, (_, line) => entry({ line: line + 1, rule: `l${line}` })),
      { promote: 'false' },
    )
  await report(first, 3)
  await report(second, 2)
  const page = await web.open('/groups/lab/-/vulnerabilities', { as: user })
  const banner = page.getByRole('region', { name: 'Findings that need triage' })
  await banner.getByText('5 findings need triage').waitFor()
  await banner.getByRole('button', { name: 'Accept all' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('heading', { name: 'Accept all findings?' }).waitFor()
  expect(await accessProblems(page, dialogs)).toEqual([])
  await dialog.getByRole('button', { name: 'Accept all' }).click()
  await dialog.getByText('3 vulnerabilities created in 1 project.').waitFor()
  expect(await dialog.innerText()).toMatch(/You cannot triage in these projects:\s+lab\/second/)
  expect(await accessProblems(page)).toEqual([])
  await dialog.getByRole('button', { name: 'Close', exact: true }).last().click()
  await banner.getByText('2 findings need triage').waitFor()

  await web.server.admin.put(`${members}/${user.user?.id}`, { access_level: 40 })
  const home = await web.open('/', { as: user })
  const waiting = home.getByRole('region', { name: '2 findings need triage' })
  await waiting.getByRole('button', { name: 'Accept all' }).click()
  await home.getByRole('dialog').getByRole('button', { name: 'Accept all' }).click()
  await home.getByText('2 vulnerabilities created in 1 project.').waitFor()
  await expect.poll(() => home.getByText('need triage').count()).toBe(0)
})
