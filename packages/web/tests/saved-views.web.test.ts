/// <reference lib="dom" />
import { afterAll, beforeAll, expect, test } from 'vitest'
import { total } from './vulnerabilities.ts'
import { accessProblems, dialogs, startWeb, type Web } from './web.ts'

let web: Web
let paths = 0
beforeAll(async () => {
  web = await startWeb()
})
afterAll(() => web?.close())

/** Creates a project with a critical and a low vulnerability. */
async function world() {
  const path = `acme/views-${++paths}-${Date.now()}`
  const project = await web.server.project(path)
  await web.server.vulnerability(project, { name: 'SQL injection', severity: 'Critical' })
  await web.server.vulnerability(project, { name: 'Weak hash', rule: 'hash', line: 9, severity: 'Low' })
  const maintainer = await web.server.as('maintainer', project)
  return {
    path,
    project,
    maintainer,
    list: `/${path}/-/vulnerabilities`,
    api: `/projects/${project.id}/vulnerability_views`,
  }
}

test('a view is saved, opened by its address, changed, renamed, made the default and deleted', async () => {
  const { maintainer, list, api } = await world()
  const page = await web.open(`${list}?severity=critical`, { as: maintainer })
  await page.getByRole('button', { name: 'Save view' }).click()
  await page.getByLabel('Name').fill('Urgent')
  await page.getByLabel('Share with everyone who may read this list').check()
  expect(await accessProblems(page, dialogs)).toEqual([])
  await page.getByRole('dialog').getByRole('button', { name: 'Save view' }).click()
  await page.getByText('View saved.').waitFor()
  const [stored] = (await maintainer.get(api)).body
  expect(stored).toMatchObject({ name: 'Urgent', shared: true, filter: { severity: ['critical'] } })
  await expect.poll(() => page.url()).toContain(`view=${stored.id}`)
  const link = page.getByRole('navigation', { name: 'Saved views' }).getByRole('link', { name: 'Urgent' })
  await expect.poll(() => link.getAttribute('aria-current')).toBe('true')
  expect(await accessProblems(page)).toEqual([])

  await page.goto(`${list}?view=${stored.id}`)
  await expect.poll(() => total(page).innerText()).toBe('1 vulnerability')
  expect(page.url()).toContain('severity=critical')
  await page.getByRole('button', { name: /Low/ }).first().click()
  await page.getByText('(changed)').waitFor()
  await page.getByRole('button', { name: 'Update view' }).click()
  await page.getByText('View updated.').waitFor()
  await expect.poll(async () => (await maintainer.get(api)).body[0].filter.severity).toEqual(['critical', 'low'])
  await expect.poll(() => page.getByText('(changed)').count()).toBe(0)

  const choose = async (item: string) => {
    await page.getByRole('button', { name: /^Actions for/ }).click()
    await page.getByRole('menuitem', { name: item }).click()
  }
  await choose('Rename')
  expect(await accessProblems(page, dialogs)).toEqual([])
  await page.getByRole('textbox', { name: 'Name' }).fill('Most urgent')
  await page.getByRole('button', { name: 'Rename view' }).click()
  await page.getByText('View renamed.').waitFor()
  await choose('Set as default')
  await page.getByText('The list opens with this view.').waitFor()
  await page.goto(list)
  await expect.poll(() => page.url()).toContain(`view=${stored.id}`)
  await page.getByRole('link', { name: 'All open' }).click()
  await expect.poll(() => page.url()).toContain('view=all')
  await page.getByRole('link', { name: 'Most urgent' }).click()
  await choose('Delete')
  expect(await accessProblems(page, dialogs)).toEqual([])
  await page.getByRole('button', { name: 'Delete view' }).click()
  await page.getByText('View deleted.').waitFor()
  await expect.poll(async () => (await maintainer.get(api)).body).toEqual([])
})

test('a list without saved views suggests some, which store nothing', async () => {
  const { maintainer, project, list, api } = await world()
  const [{ id }] = (await web.server.admin.get(`/projects/${project.id}/vulnerabilities?severity=low`)).body
  const assigned = await web.server.admin.put(`/vulnerabilities/${id}/assignee`, { assignee_id: maintainer.user?.id })
  expect(assigned.status).toBe(200)
  const page = await web.open(list, { as: maintainer, width: 1440 })
  const presets = page.getByRole('navigation', { name: 'Suggested views' })
  for (const [name, query, count] of [
    ['Critical, fixable', 'severity=critical&fix_available=true', 'No results'],
    ['Mine', 'assignee_id=me', '1 vulnerability'],
    ['Overdue', 'overdue=true', 'No results'],
  ] as const) {
    await presets.getByRole('link', { name }).click()
    await expect.poll(() => new URL(page.url()).search).toBe(`?${query}`)
    await expect.poll(() => presets.locator('[aria-current]').allInnerTexts()).toEqual([name])
    await page.locator('main').getByText(count).first().waitFor()
  }
  expect((await maintainer.get(api)).body).toEqual([])
  await page.setViewportSize({ width: 360, height: 800 })
  expect(await presets.isVisible()).toBe(false)
  expect(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)).toBeLessThanOrEqual(0)

  await maintainer.post(api, { name: 'Own', filter: { severity: 'low' } })
  const other = await web.open(list, { as: maintainer, width: 1440 })
  await other.getByRole('link', { name: 'Own' }).waitFor()
  expect(await other.getByRole('navigation', { name: 'Suggested views' }).count()).toBe(0)
})

test('the address of a private view of another user explains that it cannot be opened', async () => {
  const { maintainer, project, list, api } = await world()
  const { body: own } = await maintainer.post(api, { name: 'Own', filter: { severity: 'low' } })
  const reader = await web.server.as('developer', project)
  const page = await web.open(`${list}?view=${own.id}`, { as: reader })
  await page.getByText('This view does not exist, or is private to another user.').waitFor()
  await page.getByRole('button', { name: 'Close' }).click()
  await expect.poll(() => page.url()).not.toContain('view=')
})

test('views of a group and of the instance keep all statuses and the chosen projects', async () => {
  const { maintainer, project } = await world()
  const { body: view } = await maintainer.post('/vulnerability_views', {
    ...{ name: 'Everything', filter: { project_id: [project.id] }, sort: 'detected_asc' },
  })
  const page = await web.open(`/-/vulnerabilities?view=${view.id}`, { as: maintainer })
  await expect.poll(() => new URL(page.url()).searchParams.get('state')).toBe('any')
  const { searchParams } = new URL(page.url())
  expect([searchParams.get('project_id'), searchParams.get('sort')]).toEqual([`${project.id}`, 'detected_asc'])
  await expect.poll(() => page.getByText('(changed)').count()).toBe(0)
  const groupPath = `/groups/${project['namespace'].id}/vulnerability_views`
  const name = `Of one project ${view.id}`
  const ofGroup = await web.server.admin.post(groupPath, { name, filter: { project_id: [project.id] }, shared: true })
  const group = await web.open(`/groups/acme/-/vulnerabilities?view=${ofGroup.body.id}`, { as: web.server.admin })
  await group.getByRole('button', { name: `Remove filter Project: ${project['path_with_namespace']}` }).waitFor()
  expect(await group.getByText('it leaves out the filter').count()).toBe(0)
  await expect.poll(() => total(group).innerText()).toBe('2 vulnerabilities')
  expect(await group.getByText('(changed)').count()).toBe(0)
  expect(await accessProblems(group)).toEqual([])
})

test('a webhook is limited to a shared view', async () => {
  const { maintainer, path, project, api } = await world()
  const { body: view } = await maintainer.post(api, { name: 'Urgent', filter: { severity: 'critical' }, shared: true })
  const page = await web.open(`/${path}/-/settings/hooks/new`, { as: maintainer })
  await page.getByLabel('URL', { exact: true }).fill('https://receiver.example/hook')
  await page.getByText('Filters', { exact: true }).click()
  await page.getByLabel('Saved view').selectOption({ label: 'Urgent' })
  await page.getByRole('button', { name: 'Add webhook' }).click()
  const hooks = async () => (await maintainer.get(`/projects/${project.id}/hooks`)).body
  await expect.poll(async () => (await hooks()).length).toBe(1)
  expect((await hooks())[0]).toMatchObject({ saved_view_id: view.id })
})
