import { beforeAll, describe, expect, test } from 'vitest'
import { newestEvents } from '../../../testing/audit-events.ts'
import { onSqlite } from '../../../testing/databases/database.ts'
import { disagreements } from '../../../testing/kept-counts.ts'
import { historyOf } from '../../../testing/reports/imports.ts'
import { entry } from '../../../testing/reports/reports.ts'
import { startServer, type TestProject, type TestServer } from '../../../testing/server.ts'

let server: TestServer
beforeAll(async () => {
  server = await startServer()
})

let groups = 0

interface Group {
  id: number
  path: string
  site: TestProject
  shop: TestProject
}

/** Creates a group with two projects whose vulnerabilities are those of the same report. */
async function groupWith(report: object[] = [entry({ rule: 'xss', file: 'src/[id]*.ts' })]): Promise<Group> {
  const path = `decided-${++groups}`
  const site = await server.project(`${path}/site`)
  const shop = await server.project(`${path}/shop`)
  for (const project of [site, shop]) await server.report(project, report)
  return { id: site['namespace'].id, path, site, shop }
}

interface Row {
  id: number
  title: string
  state: string
  rule_id: number | null
}
async function rowsOf(project: TestProject, query = ''): Promise<Row[]> {
  await server.runJobs()
  const reply = await server.admin.get(`/projects/${project.id}/vulnerabilities?sort=detected_asc&${query}`)
  expect(reply.status, reply.text).toBe(200)
  return reply.body
}
const statesOf = async (project: TestProject) => (await rowsOf(project)).map(({ state }) => state)

async function firstIn(project: TestProject): Promise<number> {
  const [row] = await rowsOf(project)
  if (!row) throw new Error('the project has no vulnerability')
  return row.id
}

const dismiss = (id: number, groupId: number, fields: object = {}, client = server.admin) =>
  client.post(`/vulnerabilities/${id}/dismiss`, { scope: 'group', group_id: groupId, ...fields })

const rulesOf = async ({ id }: Pick<Group, 'id'>) =>
  (await server.admin.get(`/groups/${id}/vulnerability_rules`)).body.rules

describe('a dismissal in all projects of a group', () => {
  test('dismisses the same flaw now and in later reports, by a rule of the group', async () => {
    const group = await groupWith()
    const id = await firstIn(group.site)
    const change = { dismissal_reason: 'used_in_tests', until: '2030-01-01', comment: 'Not shipped' }
    const dismissed = await dismiss(id, group.id, change)
    expect(dismissed.status, dismissed.text).toBe(201)
    const [rule, another] = await rulesOf(group)
    expect(another).toBeUndefined()
    expect(dismissed.body).toMatchObject({
      ...{ state: 'dismissed', dismissal_reason: 'used_in_tests', dismissed_until: '2030-01-01' },
      ...{ dismissal_scope: 'group', group_rule_id: rule.id, rule_id: null },
    })
    expect(rule).toMatchObject({
      ...{ origin: 'decision', level: 'group', created_by: { username: 'root' } },
      name: `Rule xss in src/[id]\\*.ts (vulnerability ${id})`,
      match: { scanner: ['test-scanner'], rule_id: ['xss'], path: ['src/[id]\\*.ts'] },
      action: { dismiss: { reason: 'used_in_tests', until: '2030-01-01', comment: 'Not shipped' } },
    })
    expect(await rowsOf(group.shop)).toMatchObject([
      { state: 'dismissed', dismissal_reason: 'used_in_tests', rule_id: rule.id, dismissal_scope: 'all_refs' },
    ])
    const api = await server.project(`${group.path}/api`)
    await server.report(api, [
      entry({ name: 'Same', rule: 'xss', file: 'src/[id]*.ts', line: 9 }),
      entry({ name: 'Other file', rule: 'xss', file: 'src/[id]x.ts', line: 2 }),
      entry({ name: 'Other rule', rule: 'sqli', file: 'src/[id]*.ts', line: 3 }),
    ])
    const states = Object.fromEntries((await rowsOf(api)).map(({ title, state }) => [title, state]))
    expect(states).toEqual({ Same: 'dismissed', 'Other file': 'detected', 'Other rule': 'detected' })
    expect(await rowsOf(group.site, 'dismissal_scope=group')).toMatchObject([{ id }])
    expect(await rowsOf(group.site, 'dismissal_scope=all_refs')).toEqual([])
    expect(await rowsOf(group.shop, 'dismissal_scope=group,ref')).toEqual([])
    const texts = (await historyOf(server.admin, id)).map(({ text }) => text)
    expect(texts).toContain(
      `changed vulnerability status from Detected to Dismissed in all projects of group ${group.path}: Used in tests, until 2030-01-01 with the following comment: "Not shipped"`,
    )
    expect(await disagreements(server.deps)).toEqual([])
  })

  test.runIf(onSqlite)('matches an advisory and its package at other places and by other names', async () => {
    const found = (names: readonly string[], name = 'lodash', file = 'package-lock.json') => ({
      ...entry({ name: `${names[0]} in ${name}`, file }),
      location: { file, dependency: { package: { name }, version: '4.0.0' } },
      identifiers: names.map((value) => ({ type: value.slice(0, 3).toLowerCase(), name: value, value })),
    })
    const group = await groupWith([found(['RHSA-2021:1', 'CVE-2021-1', 'GHSA-aaaa-bbbb-cccc'])])
    expect((await dismiss(await firstIn(group.site), group.id)).status).toBe(201)
    expect((await rulesOf(group))[0].match).toEqual({
      identifier: ['CVE-2021-1', 'GHSA-AAAA-BBBB-CCCC'],
      package: ['lodash'],
    })
    await server.report(group.shop, [
      found(['GHSA-aaaa-bbbb-cccc'], 'lodash', 'web/yarn.lock'),
      found(['CVE-2021-2', 'RHSA-2021:1']),
      found(['CVE-2021-1'], 'underscore'),
    ])
    const states = Object.fromEntries((await rowsOf(group.shop)).map(({ title, state }) => [title, state]))
    expect(states).toMatchObject({
      'GHSA-aaaa-bbbb-cccc in lodash': 'dismissed',
      'CVE-2021-2 in lodash': 'detected',
      'CVE-2021-1 in underscore': 'detected',
    })
  })

  test.runIf(onSqlite)('yields to what a user decided in another project', async () => {
    const group = await groupWith()
    const [id, other] = [await firstIn(group.site), await firstIn(group.shop)]
    await server.admin.post(`/vulnerabilities/${other}/confirm`)
    await dismiss(id, group.id)
    expect(await statesOf(group.shop)).toEqual(['confirmed'])
  })

  test.runIf(onSqlite)('extends a dismissal, and changes when it is repeated', async () => {
    const group = await groupWith()
    const id = await firstIn(group.site)
    await server.admin.post(`/vulnerabilities/${id}/dismiss`, { dismissal_reason: 'false_positive' })
    expect(await dismiss(id, group.id)).toMatchObject({ status: 201, body: { dismissal_scope: 'group' } })
    expect((await rowsOf(group.shop))[0]).toMatchObject({ dismissal_reason: 'false_positive' })
    expect((await dismiss(id, group.id)).status).toBe(304)
    expect((await dismiss(id, group.id, { dismissal_reason: 'acceptable_risk', comment: 'Agreed' })).status).toBe(201)
    expect(await rulesOf(group)).toMatchObject([
      { action: { dismiss: { reason: 'acceptable_risk', comment: 'Agreed' } } },
    ])
    expect((await rowsOf(group.shop))[0]).toMatchObject({ dismissal_reason: 'acceptable_risk' })
    // A dismissal by a rule becomes a decision, which stays when the rule is deleted.
    const copied = await firstIn(group.shop)
    expect((await dismiss(copied, group.id)).body).toMatchObject({ state: 'dismissed', rule_id: null })
    for (const { id } of await rulesOf(group))
      await server.admin.delete(`/groups/${group.id}/vulnerability_rules/${id}`)
    expect(await rowsOf(group.shop)).toMatchObject([
      { state: 'dismissed', dismissal_scope: 'all_refs', group_rule_id: null },
    ])
  })

  test.runIf(onSqlite)('ends for one vulnerability, or with its rule for all', async () => {
    const group = await groupWith()
    const id = await firstIn(group.site)
    await dismiss(id, group.id)
    expect(await statesOf(group.shop)).toEqual(['dismissed'])
    const path = `/vulnerabilities/${id}/revert`
    expect((await server.admin.post(path)).body).toMatchObject({ state: 'detected', dismissal_scope: null })
    expect(await statesOf(group.site)).toEqual(['detected'])
    expect(await statesOf(group.shop)).toEqual(['dismissed'])
    const reverted = await server.admin.post(path, { scope: 'group' })
    expect(reverted).toMatchObject({ status: 201, body: { state: 'detected', group_rule_id: null } })
    expect(await rulesOf(group)).toEqual([])
    expect(await statesOf(group.shop)).toEqual(['detected'])
    const texts = (await historyOf(server.admin, id)).map(({ text }) => text)
    expect(texts).toContain(`ended its dismissal in all projects of group ${group.path}`)

    await dismiss(id, group.id)
    expect((await server.admin.post(path, { scope: 'group', comment: 'Shipped' })).body.state).toBe('detected')
    expect(await statesOf(group.shop)).toEqual(['detected'])
    expect(await server.admin.post(path, { scope: 'group' })).toMatchObject({
      status: 409,
      body: { message: expect.stringContaining('no decision about this vulnerability applies to a group') },
    })
    expect(await disagreements(server.deps)).toEqual([])
  })

  test('is recorded for the project and the group', async () => {
    const group = await groupWith()
    const id = await firstIn(group.site)
    await dismiss(id, group.id, { dismissal_reason: 'mitigating_control' })
    await server.admin.post(`/vulnerabilities/${id}/revert`, { scope: 'group' })
    const names = (await newestEvents(server, 4)).map(({ name }) => name)
    expect(names.sort()).toEqual([
      ...['vulnerability_rule_created', 'vulnerability_rule_destroyed'],
      ...['vulnerability_state_updated', 'vulnerability_state_updated'],
    ])
  })
})

describe.runIf(onSqlite)('a dismissal in a group is refused', () => {
  test('without the right to change the rules of the group, and to revert them', async () => {
    const group = await groupWith()
    const id = await firstIn(group.site)
    const ada = await server.as('maintainer', group.site)
    expect((await dismiss(id, group.id, {}, ada)).status).toBe(403)
    expect(await statesOf(group.site)).toEqual(['detected'])
    await dismiss(id, group.id)
    expect((await ada.post(`/vulnerabilities/${id}/revert`, { scope: 'group' })).status).toBe(403)
    expect(await statesOf(group.shop)).toEqual(['dismissed'])
    expect((await ada.post(`/vulnerabilities/${id}/revert`)).status).toBe(201)
    expect(await rulesOf(group)).toHaveLength(1)
    const owner = await server.user(`owner-${group.path}`)
    const member = { user_id: owner.user?.id, access_level: 50 }
    expect((await server.admin.post(`/groups/${group.id}/members`, member)).status).toBe(201)
    expect((await dismiss(id, group.id, { dismissal_reason: 'false_positive' }, owner)).status).toBe(201)
  })

  test('for a group that is not above the project or is missing', async () => {
    const [group, other] = [await groupWith(), await groupWith()]
    const id = await firstIn(group.site)
    for (const missing of [other.id, 9_999_999]) {
      expect(await dismiss(id, missing)).toMatchObject({ status: 404, body: { message: '404 Group Not Found' } })
    }
    expect(await rulesOf(other)).toEqual([])
  })

  test('with other parameters missing or contradicting', async () => {
    const group = await groupWith()
    const id = await firstIn(group.site)
    const path = `/vulnerabilities/${id}/dismiss`
    for (const [fields, error] of [
      [{ scope: 'group' }, 'group_id is missing'],
      [{ group_id: group.id }, 'group_id needs the scope group'],
      [{ scope: 'group', group_id: group.id, ref: 'main' }, 'ref needs the scope ref'],
    ] as const) {
      expect(await server.admin.post(path, fields)).toMatchObject({ status: 400, body: { error } })
    }
    const bulk = { action: 'dismiss', scope: 'group', vulnerability_ids: [id] }
    expect(await server.admin.post(`/projects/${group.site.id}/vulnerability_bulk_changes`, bulk)).toMatchObject({
      status: 400,
      body: { error: 'group_id is missing' },
    })
    const revert = { scope: 'group', ref: 'main' }
    expect((await server.admin.post(`/vulnerabilities/${id}/revert`, revert)).status).toBe(400)
    expect(await statesOf(group.site)).toEqual(['detected'])
  })

  test('where it needs approval', async () => {
    const group = await groupWith()
    await server.admin.put(`/projects/${group.site.id}/dismissal_approval`, { severity: 'low' })
    expect((await dismiss(await firstIn(group.site), group.id)).status).toBe(409)
    expect(await rulesOf(group)).toEqual([])
    expect(await statesOf(group.site)).toEqual(['detected'])
  })

  test('while it applies to another group', async () => {
    const group = await groupWith()
    const path = `${group.path}-sub`
    const subgroup = await server.admin.post('/groups', {
      name: path,
      path,
      parent_id: group.id,
      visibility: 'private',
    })
    const { body: project } = await server.admin.post('/projects', { path: 'deep', namespace_id: subgroup.body.id })
    await server.report(project, [entry()])
    const id = await firstIn(project)
    expect((await dismiss(id, subgroup.body.id)).status).toBe(201)
    expect((await dismiss(id, group.id)).status).toBe(409)
    expect(await rulesOf(group)).toEqual([])
  })

  test('without anything by which a rule could find the flaw', async () => {
    const group = await groupWith([{ ...entry(), location: { start_line: 1 } }])
    const reply = await dismiss(await firstIn(group.site), group.id)
    expect(reply).toMatchObject({ status: 400, body: { message: { scope: [expect.any(String)] } } })
    expect(await statesOf(group.site)).toEqual(['detected'])
  })
})

describe.runIf(onSqlite)('the preview of a dismissal in a group', () => {
  const preview = (id: number, groupId: number, fields: object = {}, client = server.admin) =>
    client.post(`/vulnerabilities/${id}/dismiss/preview`, { group_id: groupId, ...fields })

  test('counts and names what the dismissal would change, and changes nothing', async () => {
    const group = await groupWith()
    const id = await firstIn(group.site)
    const before = await historyOf(server.admin, id)
    const shown = await preview(id, group.id, { dismissal_reason: 'used_in_tests' })
    expect(shown).toMatchObject({ status: 200, body: { total: 2, matched: 2, changed: 2, dismissed: 2 } })
    const paths = shown.body.samples.map((sample: { path_with_namespace: string }) => sample.path_with_namespace)
    expect(paths.sort()).toEqual([`${group.path}/shop`, `${group.path}/site`])
    expect(await historyOf(server.admin, id)).toEqual(before)
    expect(await rulesOf(group)).toEqual([])
    expect(await statesOf(group.shop)).toEqual(['detected'])
  })

  test('counts what users have decided as kept, and applies before other rules of the group', async () => {
    const group = await groupWith()
    const [id, other] = [await firstIn(group.site), await firstIn(group.shop)]
    await server.admin.post(`/vulnerabilities/${other}/confirm`)
    const rules = `/groups/${group.id}/vulnerability_rules`
    await server.admin.post(rules, { name: 'All', match: { path: '**' }, action: { severity: 'low' } })
    expect((await preview(id, group.id)).body).toMatchObject({ matched: 2, dismissed: 1, kept: 1 })
    await dismiss(id, group.id)
    expect(await statesOf(group.shop)).toEqual(['confirmed'])
  })

  test('previews the change of a former decision', async () => {
    const group = await groupWith()
    const id = await firstIn(group.site)
    await dismiss(id, group.id)
    await server.runJobs()
    expect((await preview(id, group.id)).body).toMatchObject({ changed: 0 })
    const otherReason = await preview(id, group.id, { dismissal_reason: 'false_positive' })
    expect(otherReason.body).toMatchObject({ changed: 1, samples: [{ project_id: group.shop.id }] })
  })

  test('needs the right to change the rules of a group above the project', async () => {
    const group = await groupWith()
    const id = await firstIn(group.site)
    const maintainer = await server.as('maintainer', group.site)
    expect((await preview(id, group.id, {}, maintainer)).status).toBe(403)
    const elsewhere = await groupWith()
    expect((await preview(id, elsewhere.id)).status).toBe(404)
    const past = await preview(id, group.id, { until: '2020-01-01' })
    expect(past).toMatchObject({ status: 400, body: { message: { until: ['must be a date in the future'] } } })
  })
})

describe('the source of a decision', () => {
  const sourceOf = async (id: number, client = server.admin) =>
    (await client.get(`/vulnerabilities/${id}/decision_source`)).body

  test('is the rule and what it has decided, which only those see who may read the rule', async () => {
    const group = await groupWith()
    const rules = `/groups/${group.id}/vulnerability_rules`
    const rule = { name: 'Tests', match: { path: 'src/**' }, action: { severity: 'low', tags: ['tests'] } }
    const { body: created } = await server.admin.post(rules, rule)
    const id = await firstIn(group.site)
    const effects = { rule_effects: ['severity', 'tags'], suppression: null }
    const named = { id: created.id, name: 'Tests', level: 'group', path: group.path, origin: 'user', file: null }
    const web_url = expect.stringMatching(`/groups/${group.path}/-/settings/rules$`)
    expect(await sourceOf(id)).toEqual({ ...effects, rule: { ...named, web_url } })
    const reader = await server.as('maintainer', group.site)
    expect(await sourceOf(id, reader)).toEqual({ ...effects, rule: null })
    await server.admin.put(`/vulnerabilities/${id}/severity`, { severity: 'high' })
    expect(await sourceOf(id)).toMatchObject({ rule_effects: ['tags'] })
    await server.admin.delete(`${rules}/${created.id}`)
    await server.runJobs()
    expect(await sourceOf(id)).toEqual({ rule_effects: [], rule: null, suppression: null })
  })

  test.runIf(onSqlite)('is the rule of a project or of the instance', async () => {
    const group = await groupWith()
    const own = { name: 'Own', match: { path: 'src/**' }, action: { severity: 'low' } }
    const { body } = await server.admin.post(`/projects/${group.site.id}/vulnerability_rules`, own)
    const id = await firstIn(group.site)
    const path = `${group.path}/site`
    expect((await sourceOf(id)).rule).toMatchObject({ id: body.id, level: 'project', path })
    const developer = await server.as('developer', group.site)
    expect((await sourceOf(id, developer)).rule).toMatchObject({ id: body.id, web_url: null })
    const { body: wide } = await server.admin.post('/vulnerability_rules', { ...own, name: 'Wide' })
    const other = await firstIn(group.shop)
    expect((await sourceOf(other)).rule).toMatchObject({
      id: wide.id,
      level: 'instance',
      path: null,
      web_url: expect.stringMatching('/-/admin/rules$'),
    })
    const owner = await server.as('owner', group.shop)
    expect(await sourceOf(other, owner)).toMatchObject({ rule_effects: ['severity'], rule: null })
    await server.admin.delete(`/vulnerability_rules/${wide.id}`)
  })
})
