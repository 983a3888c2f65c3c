import { afterAll, beforeAll, expect, test } from 'vitest'
import { accessProblems, startWeb, visit, type Web } from './web.ts'

let web: Web
let paths = 0
beforeAll(async () => {
  web = await startWeb()
})
afterAll(() => web?.close())

test('a due date is set and removed on the page of a vulnerability, and overdue ones are filtered', async () => {
  const path = `acme/due-${++paths}`
  const project = await web.server.project(path)
  const maintainer = await web.server.as('maintainer', project)
  const { id } = await web.server.vulnerability(project, { name: 'SQL injection' })
  await web.server.vulnerability(project, { name: 'Weak hash', rule: 'hash', line: 9 })
  await maintainer.put('/user/display_settings', { date_format: 'day_month' })
  const page = await web.open(`/${path}/-/vulnerabilities/${id}`, { as: maintainer })
  await page.getByRole('button', { name: 'Change due date' }).click()
  await page.getByRole('textbox', { name: 'Due date' }).fill('2020-02-29')
  await page.getByRole('button', { name: 'Set due date' }).click()
  await page.getByText('Due date updated.').waitFor()
  await page.getByText('Overdue', { exact: true }).waitFor()
  await page.getByText('29 Feb 2020', { exact: true }).waitFor()
  const stored = async () => (await maintainer.get(`/vulnerabilities/${id}`)).body
  expect(await stored()).toMatchObject({ due_on: '2020-02-29', due_on_overridden: true })

  const list = await web.open(`/${path}/-/vulnerabilities?overdue=true`, { as: maintainer })
  await list.getByText('SQL injection').waitFor()
  await list.getByText('Overdue since 29 Feb 2020').waitFor()
  expect(await accessProblems(list)).toEqual([])
  expect(await list.getByText('Weak hash').count()).toBe(0)

  const again = await web.open(`/${path}/-/vulnerabilities/${id}`, { as: maintainer })
  await again.getByRole('button', { name: 'Change due date' }).click()
  await again.getByRole('button', { name: 'Remove manual date' }).click()
  await again.getByText('Due date reset.').waitFor()
  expect(await stored()).toMatchObject({ due_on: null, due_on_overridden: false })
})

test('lists count what is overdue, and sort by due dates', async () => {
  const group = `due-${Date.now()}`
  const path = `${group}/shop`
  const project = await web.server.project(path)
  const { id } = await web.server.vulnerability(project, { name: 'SQL injection' })
  await web.server.vulnerability(project, { name: 'Weak hash', rule: 'hash', line: 9 })
  await web.server.admin.put(`/vulnerabilities/${id}/due_date`, { due_on: '2020-02-29' })
  await web.server.vulnerability(project, { name: 'Path traversal', rule: 'path', line: 12 })
  const bar = await web.open(`/${path}/-/vulnerabilities`, { as: web.server.admin })
  const overdue = bar.getByRole('group', { name: 'By severity' }).getByRole('button', { name: '1 Overdue' })
  await overdue.click()
  await bar.getByText('Weak hash').waitFor({ state: 'detached' })
  expect(await overdue.getAttribute('aria-pressed')).toBe('true')
  await overdue.click()
  await bar.getByText('Weak hash').waitFor()
  for (const [order, first] of [
    ['due_asc', 'SQL injection'],
    ['due_desc', 'Path traversal'],
  ]) {
    await visit(bar, `/${path}/-/vulnerabilities?sort=${order}`)
    await bar
      .getByRole('row')
      .nth(1)
      .getByText(first ?? '')
      .waitFor()
  }
  const groupList = await web.open(`/groups/${group}/-/vulnerabilities`, { as: web.server.admin })
  await groupList.getByText(/Overdue since .*2020/).waitFor()
  await groupList.getByRole('button', { name: 'Overdue' }).waitFor()
})

test('a policy is previewed, saved and removed in the settings of a project', async () => {
  const path = `acme/policy-${++paths}`
  const project = await web.server.project(path)
  const maintainer = await web.server.as('maintainer', project)
  await web.server.vulnerability(project, { name: 'SQL injection', severity: 'High' })
  const page = await web.open(`/${path}/-/settings/due_dates`, { as: maintainer, width: 360 })
  await page.getByText('There is no policy').waitFor()
  await page.getByLabel('High: days').fill('30')
  await page.getByRole('button', { name: 'Preview' }).click()
  await page.getByRole('row', { name: 'High 1 1 0 0' }).waitFor()
  const policy = async () => (await maintainer.get(`/projects/${project.id}/due_date_policy`)).body.own
  expect(await policy()).toBeNull()
  await page.getByRole('button', { name: 'Save policy' }).click()
  await page.getByText('Policy saved.').waitFor()
  await page.getByRole('button', { name: 'Remove policy' }).waitFor()
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(360)
  expect(await policy()).toMatchObject({ counted_from: 'detection', high_days: 30, low_days: null })
  await page.getByRole('button', { name: 'Remove policy' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Remove policy' }).click()
  await page.getByText('Policy removed.').waitFor()
  expect(await policy()).toBeNull()
})

test('the policies of a group and of the instance have a page of their own', async () => {
  const path = `acme/levels-${++paths}`
  const project = await web.server.project(path)
  const admin = await web.open('/-/admin/due_dates', { as: web.server.admin })
  await admin.getByLabel('Critical: days').fill('7')
  await admin.getByRole('button', { name: 'Save policy' }).click()
  await admin.getByText('Policy saved.').waitFor()
  const groupList = await web.open('/groups/acme/-/settings/due_dates', { as: web.server.admin })
  await groupList.getByText('The policy of the instance applies: Critical 7 days.').waitFor()
  await web.server.admin.delete('/admin/due_date_policy')
  expect((await web.server.admin.get(`/projects/${project.id}/due_date_policy`)).body.inherited).toBeNull()
})
