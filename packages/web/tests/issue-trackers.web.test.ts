/// <reference lib="dom" />
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { pollTrackers } from '../../server/src/domain/trackers/sync-issues.ts'
import type { TrackerKind } from '../../server/src/domain/trackers/tracker.ts'
import { startTracker, token } from '../../server/src/testing/stand-ins/tracker.ts'
import { trackerSettings } from '../../server/src/testing/trackers.ts'
import { row } from './vulnerabilities.ts'
import { accessProblems, dialogs, startWeb, type Web } from './web.ts'

let web: Web
beforeAll(async () => {
  web = await startWeb({ settings: { webhooksReachPrivate: true } })
})
afterAll(() => web?.close())

const clock = {
  get now() {
    return new Date().toISOString()
  },
}

/** Creates a project with a scripted tracker and a vulnerability. */
async function projectWithTracker(path: string, kind: TrackerKind = 'gitlab') {
  const project = await web.server.project(path)
  const tracker = await startTracker(kind, clock)
  await web.server.admin.put(`/projects/${project.id}/issue_tracker`, trackerSettings(kind, tracker.url))
  const { id } = await web.server.vulnerability(project, { name: 'SQL injection' })
  return { project, tracker, id, address: `/${path}/-/vulnerabilities/${id}` }
}

test('the issue tracker of a project can be added, previewed, tested, changed and removed', async () => {
  const project = await web.server.project('acme/tracked')
  const tracker = await startTracker('gitlab', clock)
  const maintainer = await web.server.as('maintainer', project)
  const page = await web.open('/acme/tracked/-/settings', { as: maintainer, expects: /400/ })
  await page.getByRole('link', { name: 'Issue tracker' }).click()
  await page.getByLabel('URL').fill(tracker.url)
  await page.getByLabel('Project path').fill('acme')
  await page.getByLabel('Token').fill(token)
  await page.getByRole('button', { name: 'Add tracker' }).click()
  await page.getByText('Must be a path: group/project.').waitFor()
  await page.getByLabel('Project path').fill('acme/shop')

  await page.getByLabel('Title template').fill('[{{severity}}] {{titel}}')
  await page.getByRole('button', { name: 'Preview issue' }).click()
  await page.getByText('unknown placeholder titel').waitFor()
  await page.getByLabel('Title template').fill('[{{severity}}] {{title}}')
  await page.getByRole('button', { name: 'Preview issue' }).click()
  await page.getByRole('heading', { name: '[high] SQL injection in the search for orders' }).waitFor()
  expect(await accessProblems(page)).toEqual([])
  await page.getByRole('button', { name: 'Add tracker' }).click()
  await page.getByText('Issue tracker saved.').waitFor()

  await page.getByRole('button', { name: 'Test connection' }).click()
  await page.getByText('Connected. The token can read acme/shop.').waitFor()
  expect(await accessProblems(page)).toEqual([])
  expect(await page.getByLabel('New token').inputValue()).toBe('')
  expect(await page.content()).not.toContain(token)

  await page.getByLabel('Labels').fill('security, bug')
  await page.getByRole('button', { name: 'Save', exact: true }).click()
  await expect
    .poll(async () => (await maintainer.get(`/projects/${project.id}/issue_tracker`)).body.own)
    .toMatchObject({ labels: ['security', 'bug'], title_template: '[{{severity}}] {{title}}' })

  const narrow = await web.open('/acme/tracked/-/settings/issue_tracker', {
    as: maintainer,
    ...{ theme: 'dark', width: 360 },
  })
  expect(await accessProblems(narrow)).toEqual([])
  expect(await narrow.evaluate(() => document.documentElement.scrollWidth <= innerWidth)).toBe(true)

  await page.getByRole('button', { name: 'Remove tracker' }).click()
  expect(await accessProblems(page, dialogs)).toEqual([])
  await page.getByRole('dialog').getByRole('button', { name: 'Remove tracker' }).click()
  await page.getByRole('heading', { name: 'Add an issue tracker' }).waitFor()
  expect((await maintainer.get(`/projects/${project.id}/issue_tracker`)).body.own).toBeNull()
})

test('the webhook of a tracker gets a secret, which is shown once and can be replaced and removed', async () => {
  const { project } = await projectWithTracker('acme/notified')
  const maintainer = await web.server.as('maintainer', project)
  const page = await web.open('/acme/notified/-/settings/issue_tracker', { as: maintainer })
  const panel = page.getByRole('region', { name: 'Webhook' })
  await panel.getByRole('button', { name: 'Generate secret' }).click()
  await panel.getByText('Copy the secret now: it is not shown again.').waitFor()
  const copied = async (name: string) => {
    await panel.getByRole('button', { name }).click()
    return page.evaluate(() => navigator.clipboard.readText())
  }
  const url = await copied('Copy URL')
  const secret = await copied('Copy secret')
  const notify = async (secret: string) =>
    (await fetch(url, { method: 'POST', headers: { 'x-gitlab-token': secret }, body: '{}' })).status
  expect(await notify(secret)).toBe(204)
  await page.reload()
  await panel.getByText('Last event').waitFor()
  expect(await page.content()).not.toContain(secret)

  await panel.getByRole('button', { name: 'Replace secret' }).click()
  expect(await accessProblems(page, dialogs)).toEqual([])
  await page.getByRole('dialog').getByRole('button', { name: 'Replace secret' }).click()
  await panel.getByText('Copy the secret now: it is not shown again.').waitFor()
  const replaced = await copied('Copy secret')
  expect([await notify(secret), await notify(replaced)]).toEqual([401, 204])
  await panel.getByRole('button', { name: 'Remove secret' }).click()
  await panel.getByRole('button', { name: 'Generate secret' }).waitFor()
  expect(await notify(replaced)).toBe(401)
})

test('a rejected token is explained, and another project requires the token again', async () => {
  const { project, tracker } = await projectWithTracker('acme/rejected')
  tracker.status = 401
  const page = await web.open('/acme/rejected/-/settings/issue_tracker', { as: web.server.admin, expects: /429/ })
  await page.getByRole('button', { name: 'Test connection' }).click()
  await page.getByText('does not accept the token. It is wrong, has expired or was revoked.').waitFor()
  await page.getByLabel('Project path').fill('acme/other')
  await page.getByRole('button', { name: 'Save', exact: true }).click()
  expect(await page.getByLabel('New token').evaluate((field: HTMLInputElement) => field.validity.valueMissing)).toBe(
    true,
  )
  const { body } = await web.server.admin.get(`/projects/${project.id}/issue_tracker`)
  expect(body.own).toMatchObject({ project: 'acme/shop' })
})

test('a group has the same page, and its projects show what they inherit', async () => {
  const project = await web.server.project('inherits/site')
  const tracker = await startTracker('jira', clock)
  const page = await web.open('/groups/inherits/-/settings', { as: web.server.admin })
  await page.getByRole('link', { name: 'Issue tracker' }).click()
  await page.getByLabel('Type').selectOption('Jira')
  await page.getByLabel('URL').fill(tracker.url)
  await page.getByLabel('Project key').fill('SHOP')
  await page.getByLabel('Token', { exact: true }).fill(token)
  await page.getByLabel('Issue type').fill('Bug')
  expect(await accessProblems(page)).toEqual([])
  await page.getByRole('button', { name: 'Add tracker' }).click()
  await page.getByRole('heading', { name: 'Connection' }).waitFor()
  const { body } = await web.server.admin.get(`/projects/${project.id}/issue_tracker`)
  expect(body).toMatchObject({ own: null, effective: { kind: 'jira', project: 'SHOP', issue_type: 'Bug' } })
  const below = await web.open('/inherits/site/-/settings/issue_tracker', { as: web.server.admin })
  await below.getByText(`A group above has set SHOP on ${new URL(tracker.url).host}.`).waitFor()
})

test('a vulnerability creates its issue, and shows the state of the issue', async () => {
  const { project, tracker, id, address } = await projectWithTracker('acme/creates')
  const page = await web.open(address, { as: await web.server.as('maintainer', project) })
  await page.getByRole('button', { name: 'Create issue' }).click()
  const issue = page.getByRole('link', { name: /^SQL injection/ })
  await issue.waitFor()
  expect(await issue.getAttribute('href')).toBe(`${tracker.url}/acme/shop/-/issues/1`)
  const panel = page.getByRole('region', { name: 'Issues' })
  await panel.getByText('Open', { exact: true }).waitFor()
  await panel.getByText('Last synchronized').waitFor()
  expect(await page.getByRole('button', { name: 'Create issue' }).count()).toBe(0)
  expect(await accessProblems(page)).toEqual([])
  expect(tracker.issues).toHaveLength(1)

  tracker.change(1, { isOpen: false })
  await pollTrackers(web.server.deps)
  await expect
    .poll(async () => (await web.server.admin.get(`/vulnerabilities/${id}/issue_links`)).body[0].state)
    .toBe('closed')
  const developer = await web.open(address, { as: await web.server.as('developer', project) })
  const shown = developer.getByRole('region', { name: 'Issues' })
  await shown.getByText('Closed', { exact: true }).waitFor()
  await shown.getByText('Last synchronized').waitFor()
  expect(await developer.getByRole('button', { name: 'Create issue' }).count()).toBe(0)
})

test('a refused issue is explained and can be requested again', async () => {
  const { project, tracker, address } = await projectWithTracker('acme/refuses', 'github')
  const triager = await web.server.as('maintainer', project)
  tracker.status = 401
  const page = await web.open(address, { as: triager })
  await page.getByRole('button', { name: 'Create issue' }).click()
  await page.getByText('The issue was not created.').waitFor()
  await page.getByText('does not accept the token').waitFor()
  tracker.status = undefined
  await page.getByRole('button', { name: 'Try again' }).click()
  await page.getByRole('link', { name: /^SQL injection/ }).waitFor()
  expect(tracker.issues).toHaveLength(1)
})

test('without a tracker only maintainers are led to its settings', async () => {
  const project = await web.server.project('acme/untracked')
  const { id } = await web.server.vulnerability(project)
  const address = `/acme/untracked/-/vulnerabilities/${id}`
  const developer = await web.open(address, { as: await web.server.as('developer', project) })
  await developer.getByText('No linked issues.').waitFor()
  expect(await developer.getByRole('button', { name: 'Create issue' }).count()).toBe(0)
  expect(await developer.getByRole('link', { name: 'Add an issue tracker' }).count()).toBe(0)
  const page = await web.open(address, { as: await web.server.as('maintainer', project) })
  await page.getByRole('link', { name: 'Add an issue tracker' }).click()
  await page.getByRole('heading', { name: 'Issue tracker', level: 1 }).waitFor()
})

describe('a selection', () => {
  test('creates one issue for each vulnerability, after a preview of the counts', async () => {
    const { project, tracker, id } = await projectWithTracker('acme/selects')
    await web.server.vulnerability(project, { name: 'Path traversal', rule: 'other', line: 9 })
    const page = await web.open('/acme/selects/-/vulnerabilities', { as: await web.server.as('maintainer', project) })
    await row(page, 'Path traversal').waitFor()
    expect(await page.getByRole('button', { name: 'Create issues' }).count()).toBe(0)
    expect((await web.server.admin.post(`/vulnerabilities/${id}/issue`)).status).toBe(202)
    await page.getByRole('button', { name: 'Select all', exact: true }).click()
    await page.getByRole('button', { name: 'Create issues' }).click()
    const dialog = page.getByRole('dialog')
    const host = new URL(tracker.url).host
    await dialog.getByText(`1 new issue in acme/shop on ${host}. 1 vulnerability already has one.`).waitFor()
    expect(await accessProblems(page)).toEqual([])
    await dialog.getByRole('button', { name: 'Create issues' }).click()
    await page.getByText('1 issue requested. 1 vulnerability already has one.').waitFor()
    await expect
      .poll(() => tracker.issues.map(({ title }) => title).sort())
      .toEqual(['Path traversal', 'SQL injection'])

    await page.getByRole('button', { name: 'Select all', exact: true }).click()
    await page.getByRole('button', { name: 'Create issues' }).click()
    await dialog.getByText(`0 new issues in acme/shop on ${host}. 2 vulnerabilities already have one.`).waitFor()
    expect(await dialog.getByRole('button', { name: 'Create issues' }).isDisabled()).toBe(true)
  })

  test('of a group names the projects that have no tracker', async () => {
    const { tracker } = await projectWithTracker('several/first')
    await web.server.vulnerability(await web.server.project('several/second'), { name: 'Weak hash' })
    const page = await web.open('/groups/several/-/vulnerabilities', { as: web.server.admin, expects: /422/ })
    for (const title of ['SQL injection', 'Weak hash']) await row(page, title).getByRole('checkbox').check()
    await page.getByRole('button', { name: 'Create issues' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByText(/second: No issues can be created. The project has no issue tracker./).waitFor()
    await dialog.getByRole('button', { name: 'Create issues' }).click()
    await page.getByText(/first: 1 issue requested./).waitFor()
    await expect.poll(() => tracker.issues).toHaveLength(1)
  })
})
