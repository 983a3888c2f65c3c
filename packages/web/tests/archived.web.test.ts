/// <reference lib="dom" />
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Client, formWithFile } from '../../server/src/testing/client.ts'
import { entry, sastReport } from '../../server/src/testing/reports/reports.ts'
import type { TestProject } from '../../server/src/testing/server.ts'
import { grid, row } from './vulnerabilities.ts'
import { accessProblems, dialogs, startWeb, visit, type Web } from './web.ts'

let web: Web
let project: TestProject
let owner: Client
let places: readonly (readonly [part: string, ...controls: string[]])[]
beforeAll(async () => {
  web = await startWeb()
  project = await web.server.project('acme/old')
  owner = await web.server.as('owner', project)
  const path = `/projects/${project.id}`
  await owner.post(`${path}/uploads`, formWithFile('file', 'a.txt', 'a'))
  const { body: upload } = await owner.post(`${path}/uploads`, formWithFile('file', 'gone.txt', 'b'))
  await owner.delete(`${path}/uploads/${upload.id}`)
  const hook = await owner.post(`${path}/hooks`, { url: 'https://hooks.example.com' })
  const report = JSON.stringify(sastReport([entry({ line: 1 }), entry({ line: 2, rule: 'other' })]))
  await owner.post(`${path}/security_reports`, formWithFile('file', 'report.json', report))
  const { body: findings } = await owner.get(`${path}/vulnerability_findings`)
  const { body } = await owner.post(`${path}/vulnerabilities`, { finding_id: findings[0].id })
  await owner.post(`/vulnerabilities/${body.id}/notes`, { body: 'A note' })
  expect((await owner.post(`${path}/archive`)).status).toBe(201)
  places = [
    ['', 'Edit', 'Add topics'],
    ['vulnerabilities', 'Confirm', 'Dismiss$'],
    [`vulnerabilities/${body.id}`, 'Confirm', 'Dismiss', 'Change severity', 'Link issue', 'Add a comment'],
    ['findings', 'Accept'],
    [`findings/${findings[1].id}`, 'Accept as vulnerability'],
    ['reports', 'Import report'],
    ['reports/new', 'Drop a scanner report here', 'Branch'],
    ['uploads', 'Markdown pad', 'Select a.txt'],
    ['uploads?deleted=true', 'Restore gone.txt'],
    ['settings', 'Save', 'Archive', 'Transfer project', 'Path', 'Create vulnerabilities automatically'],
    ['settings/hooks', 'Add webhook'],
    ['settings/hooks/new', 'URL'],
    [`settings/hooks/${hook.body.id}`, 'Delete', 'Send test event'],
  ]
})
afterAll(() => web?.close())

const open = (page: Page, part: string) => visit(page, `/acme/old${part && `/-/${part}`}`)

/** Returns which of these controls the page offers, matched by the start of their names. */
async function offered(page: Page, controls: readonly string[]): Promise<string[]> {
  const main = page.getByRole('main')
  const roles = ['button', 'link', 'textbox', 'checkbox'] as const
  const found = await Promise.all(
    controls.map(async (name) => {
      const counts = roles.map((role) =>
        main.getByRole(role, { name: new RegExp(`^${name}`), disabled: false }).count(),
      )
      return (await Promise.all(counts)).some((count) => count > 0) ? [name] : []
    }),
  )
  return found.flat()
}

const notice = (page: Page) => page.getByRole('region', { name: 'Archived' })

test('an archived project is shown as read-only without controls until it is unarchived', async () => {
  const page = await web.open('/acme/old', { as: owner })
  for (const [part, ...controls] of places) {
    await open(page, part)
    expect(await offered(page, controls), part).toEqual([])
    await notice(page).getByText('This project is archived and read-only.').waitFor()
  }
  const stays = [
    ['settings', 'Delete project', 'Star'],
    ['members', 'Add members'],
    ['vulnerabilities', 'Export'],
  ] as const
  for (const [part, ...controls] of stays) {
    await open(page, part)
    await expect.poll(() => offered(page, controls)).toEqual(controls)
  }
  await open(page, 'uploads/pad')
  await page.waitForURL('**/acme/old/-/uploads')

  await notice(page).getByRole('button', { name: 'Unarchive' }).click()
  await notice(page).waitFor({ state: 'detached' })
  for (const [part, ...controls] of places) {
    await open(page, part)
    await expect.poll(() => offered(page, controls), { message: part }).toEqual(controls)
  }
})

test('users who may not unarchive a project see the notice only, and no empty tabs', async () => {
  await owner.post(`/projects/${project.id}/archive`)
  const developer = await web.server.as('developer', project)
  const page = await web.open('/acme/old', { as: developer, theme: 'dark', width: 360 })
  await notice(page).getByText('This project is archived and read-only.').waitFor()
  expect(await notice(page).getByRole('button').count()).toBe(0)
  const tabs = await page.getByRole('navigation', { name: 'old: sections' }).getByRole('link').allInnerTexts()
  expect(tabs.map((tab) => tab.replace(/\W.*/s, ''))).toEqual([
    'Overview',
    'Vulnerabilities',
    'Dependencies',
    'Reports',
    'Activity',
    'Coverage',
    'Members',
  ])
})

test('the list of a group offers no triage for rows of archived projects, and says why', async () => {
  const [old, live] = [await web.server.project('mixed/old'), await web.server.project('mixed/live')]
  const user = await web.server.user('mixed-owner')
  await web.server.admin.post(`/groups/${old['namespace'].id}/members`, { user_id: user.user?.id, access_level: 50 })
  await web.server.report(old, [entry({ name: 'In the archive', severity: 'Critical' })])
  await web.server.report(live, [entry({ name: 'Still open', severity: 'Low' })])
  await web.server.admin.post(`/projects/${old.id}/archive`)
  const page = await web.open('/groups/mixed/-/vulnerabilities', { as: user })
  const archived = row(page, 'In the archive')
  await archived.getByText('Archived').waitFor()
  await page.getByText('This project is archived and read-only.').waitFor()
  expect(await archived.getByRole('checkbox').isDisabled()).toBe(true)
  expect(await page.getByRole('button', { name: 'Confirm', disabled: true }).count()).toBe(1)
  await grid(page).press('x')
  await grid(page).press('c')
  expect(await accessProblems(page)).toEqual([])

  await grid(page).press('Shift+ArrowDown')
  await page.getByText('1 selected').waitFor()
  await page.getByRole('button', { name: 'Confirm' }).click()
  await row(page, 'Still open').getByText('Confirmed').waitFor()
  const [{ state }] = (await web.server.admin.get(`/projects/${old.id}/vulnerabilities`)).body
  expect(state).toBe('detected')
})

describe('a mirror', () => {
  let importer: Client
  beforeAll(async () => {
    importer = await web.server.user('importer', { admin: true })
  })
  const mark = async (kind: 'group' | 'project' | 'topic', id: number, local_changes = 'triage') => {
    const source = { source: 'https://gitlab.example.com', kind, source_id: `${id}`, target_id: id }
    expect((await importer.put('/import_sources', { ...source, local_changes })).status).toBe(200)
  }

  test('says on its pages where it comes from, and its owner detaches it', async () => {
    const mirror = await web.server.project('copied/site')
    const group = (await web.server.admin.get('/groups/copied')).body
    await mark('group', group.id)
    await mark('project', mirror.id)
    const page = await web.open('/copied/site', { as: web.server.admin, width: 360 })
    const shown = page.getByRole('region', { name: 'Mirror' })
    await shown.getByText('This project is a mirror of https://gitlab.example.com.').waitFor()
    await visit(page, '/groups/copied')
    await shown.getByText('This group is a mirror of https://gitlab.example.com.').waitFor()
    await shown.getByRole('button', { name: 'Detach mirror' }).click()
    expect(await accessProblems(page, dialogs)).toEqual([])
    await page.getByRole('dialog').getByRole('button', { name: 'Detach mirror' }).click()
    await shown.waitFor({ state: 'detached' })
    await visit(page, '/copied/site')
    await page.getByRole('navigation', { name: 'site: sections' }).waitFor()
    expect(await shown.count()).toBe(0)
  })

  test('offers no controls that it refuses, and triage as far as it permits it', async () => {
    const mirror = await web.server.project('copied/api')
    const vulnerability = await web.server.vulnerability(mirror)
    await web.server.finding(mirror, { line: 90, name: 'Another flaw' })
    const holder = await web.server.as('owner', mirror)
    const triage = [
      ['vulnerabilities', 'Confirm', 'Dismiss$'],
      [`vulnerabilities/${vulnerability.id}`, 'Confirm', 'Dismiss', 'Change severity', 'Link issue', 'Add a comment'],
    ] as const
    const others = [
      ['', 'Edit', 'Add topics'],
      ['reports', 'Import report'],
      ['reports/new', 'Drop a scanner report here', 'Branch'],
      ['uploads', 'Markdown pad'],
      ['members', 'Add members', 'Invite'],
      ['settings', 'Save', 'Archive', 'Transfer project', 'Delete project', 'Path'],
      ['settings/hooks', 'Add webhook'],
    ] as const
    const page = await web.open('/copied/api', { as: holder })
    const visitPart = (part: string) => visit(page, `/copied/api${part && `/-/${part}`}`)
    for (const [part, ...controls] of [...triage, ...others]) {
      await visitPart(part)
      await expect.poll(() => offered(page, controls), { message: part }).toEqual(controls)
    }
    await mark('project', mirror.id)
    await page.reload()
    const reason = page.getByRole('region', { name: 'Mirror' })
    for (const [part, ...controls] of others) {
      await visitPart(part)
      await expect.poll(() => offered(page, controls), { message: part }).toEqual([])
      await reason.getByText('Vulnerabilities can be triaged here.').waitFor()
    }
    for (const [part, ...controls] of triage) {
      await visitPart(part)
      await expect.poll(() => offered(page, controls), { message: part }).toEqual(controls)
    }
    await mark('project', mirror.id, 'none')
    await page.reload()
    await reason.getByText('It can only be changed there.').waitFor()
    for (const [part, ...controls] of triage) {
      await visitPart(part)
      await expect.poll(() => offered(page, controls), { message: part }).toEqual([])
    }
    // Lists of many projects mark its rows and offer triage of the others.
    const own = await web.server.project('copied/own')
    await web.server.vulnerability(own, { name: 'Our own' })
    await web.server.admin.post(`/projects/${own.id}/members`, { user_id: holder.user?.id, access_level: 40 })
    await visit(page, '/groups/copied/-/vulnerabilities')
    await row(page, 'Mirror').click()
    await page.getByText('This project is a mirror and does not allow triage.').waitFor()
    await row(page, 'Mirror').getByRole('checkbox', { disabled: true }).waitFor()
    expect(await offered(page, ['Confirm'])).toEqual([])
    await page.getByRole('button', { name: 'Close panel' }).click()
    await row(page, 'Our own').click()
    await expect.poll(() => offered(page, ['Confirm'])).toEqual(['Confirm'])
    expect(await accessProblems(page)).toEqual([])
  })

  test('of a topic is named on its page, and an administrator detaches it', async () => {
    const { body: topic } = await web.server.admin.post('/topics', { name: 'mirrored', title: 'Mirrored' })
    await mark('topic', topic.id)
    const reason = 'This topic is a mirror of https://gitlab.example.com. It can only be changed there.'
    const page = await web.open('/explore/topics/mirrored', { as: owner, width: 360, theme: 'dark' })
    await page.getByText(reason).waitFor()
    expect(await page.getByRole('button', { name: 'Detach mirror' }).count()).toBe(0)
    expect(await accessProblems(page)).toEqual([])

    const admin = await web.open(`/-/admin/topics/${topic.id}`, { as: web.server.admin })
    await admin.getByText(reason).waitFor()
    const controls = ['Save', 'Merge into', 'Delete', 'Title']
    expect(await offered(admin, controls)).toEqual([])
    await admin.getByRole('button', { name: 'Detach mirror' }).click()
    await admin.getByRole('dialog').getByRole('button', { name: 'Detach mirror' }).click()
    await expect.poll(() => offered(admin, controls)).toEqual(controls)
    await visit(admin, '/explore/topics/mirrored')
    await admin.getByRole('heading', { name: 'Mirrored', level: 1 }).waitFor()
    expect(await admin.getByText(reason).count()).toBe(0)
  })
})
