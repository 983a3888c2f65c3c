import { beforeAll, describe, expect, test } from 'vitest'
import type { Client } from '../../../testing/client.ts'
import { disagreements } from '../../../testing/kept-counts.ts'
import { entry } from '../../../testing/reports/reports.ts'
import { startServer, type TestProject, type TestServer } from '../../../testing/server.ts'

let server: TestServer
beforeAll(async () => {
  server = await startServer()
})

let groups = 0
const rulesWithFile = (rule: string, line: number) => entry({ name: rule, rule, file: `src/${rule}.ts`, line })
const both = [rulesWithFile('xss', 3), rulesWithFile('sqli', 9)]

/** Creates a group with two projects that have the same two flaws each, and a third one without a member. */
async function newGroup() {
  const path = `bulk-decided-${++groups}`
  const [site, shop] = [await server.project(`${path}/site`), await server.project(`${path}/shop`)]
  for (const project of [site, shop]) await server.report(project, both)
  return { id: site['namespace'].id as number, path, site, shop }
}

interface Row {
  id: number
  title: string
  state: string
  rule_id: number | null
  group_rule_id: number | null
}
async function rowsOf(project: TestProject): Promise<Row[]> {
  await server.runJobs()
  return (await server.admin.get(`/projects/${project.id}/vulnerabilities?sort=detected_asc`)).body
}
const statesOf = async (project: TestProject) => (await rowsOf(project)).map(({ state }) => state)
const idsOf = async (project: TestProject) => (await rowsOf(project)).map(({ id }) => id)
const rulesOf = async (id: number) => (await server.admin.get(`/groups/${id}/vulnerability_rules`)).body.rules

const dismissal = (groupId: number, ids: readonly number[], fields: object = {}) => ({
  ...{ action: 'dismiss', scope: 'group', group_id: groupId, vulnerability_ids: ids },
  ...{ dismissal_reason: 'used_in_tests', comment: 'Not shipped', ...fields },
})
const inProject = (project: TestProject, body: object, client: Client = server.admin) =>
  client.post(`/projects/${project.id}/vulnerability_bulk_changes`, body)
const inGroup = (id: number, body: object, client: Client = server.admin) =>
  client.post(`/groups/${id}/vulnerability_bulk_changes`, body)

const open = ['detected', 'detected']
const closed = ['dismissed', 'dismissed']

describe('a bulk dismissal in all projects of a group', () => {
  test('of one project creates a rule of the group for each flaw, and its undo removes them', async () => {
    const { id, site, shop } = await newGroup()
    const sent = await inProject(site, dismissal(id, await idsOf(site)))
    expect(sent, sent.text).toMatchObject({ status: 201, body: { changed: 2, unchanged: 0 } })
    const rules = await rulesOf(id)
    const dismiss = { reason: 'used_in_tests', comment: 'Not shipped' }
    expect(rules).toMatchObject([
      { origin: 'decision', match: { rule_id: ['xss'] }, action: { dismiss } },
      { origin: 'decision', match: { rule_id: ['sqli'] }, action: { dismiss } },
    ])
    expect(await rowsOf(site)).toMatchObject(
      rules.map(({ id }: Row) => ({ state: 'dismissed', rule_id: null, group_rule_id: id })),
    )
    expect(await rowsOf(shop)).toMatchObject(rules.map(({ id }: Row) => ({ state: 'dismissed', rule_id: id })))
    const undo = `/projects/${site.id}/vulnerability_bulk_changes/${sent.body.id}/undo`
    expect(await server.admin.post(undo)).toMatchObject({ status: 201, body: { restored: 2 } })
    expect(await rulesOf(id)).toEqual([])
    expect([await statesOf(site), await statesOf(shop)]).toEqual([open, open])
    expect((await rowsOf(site)).map((row) => row.group_rule_id)).toEqual([null, null])
    expect(await disagreements(server.deps)).toEqual([])
  })

  test('of several projects has one rule for equal flaws; a dry run counts what it would reach', async () => {
    const { id, site, shop, path } = await newGroup()
    const api = await server.project(`${path}/api`)
    await server.report(api, both)
    const body = dismissal(id, [...(await idsOf(site)), ...(await idsOf(shop))])
    const dryRun = await inGroup(id, { ...body, dry_run: true })
    expect(dryRun.body).toMatchObject({ dry_run: true, changed: 4, unchanged: 0, in_group: 6 })
    expect(await rulesOf(id)).toEqual([])
    expect(await statesOf(site)).toEqual(open)
    const sent = await inGroup(id, body)
    expect(sent.body).toMatchObject({ status: 'done', changed: 4, in_group: null })
    expect(await rulesOf(id)).toHaveLength(2)
    expect(await statesOf(api)).toEqual(closed)
    const again = await inGroup(id, body)
    expect(again.body).toMatchObject({ changed: 0, unchanged: 4 })
    const undone = await server.admin.post(`/vulnerability_bulk_changes/${sent.body.id}/undo`)
    expect(undone.body).toMatchObject({ status: 'undone', restored: 4 })
    expect(await rulesOf(id)).toEqual([])
    for (const project of [site, shop, api]) expect(await statesOf(project)).toEqual(open)
    expect(await disagreements(server.deps)).toEqual([])
  })

  test('of all projects, by a filter, is limited to those of the group', async () => {
    const { id, site, shop } = await newGroup()
    const elsewhere = await newGroup()
    const { vulnerability_ids: _, ...body } = dismissal(id, [])
    const sent = await server.admin.post('/vulnerability_bulk_changes', { ...body, filter: { search: 'xss' } })
    expect(sent.body).toMatchObject({ changed: 2, projects_count: 2 })
    const states = ['dismissed', 'detected']
    expect([await statesOf(site), await statesOf(shop)]).toEqual([states, states])
    expect(await statesOf(elsewhere.site)).toEqual(open)
  })

  test('keeps what was dismissed in a group before, and undoes its own part only', async () => {
    const { id, site } = await newGroup()
    const [first = 0, second = 0] = await idsOf(site)
    await server.admin.post(`/vulnerabilities/${first}/dismiss`, { scope: 'group', group_id: id })
    const [rule] = await rulesOf(id)
    const sent = await inProject(site, dismissal(id, [first, second]))
    expect(sent.body).toMatchObject({ changed: 2 })
    expect(await rulesOf(id)).toHaveLength(2)
    await server.admin.post(`/projects/${site.id}/vulnerability_bulk_changes/${sent.body.id}/undo`)
    expect((await rulesOf(id)).map((one: Row) => one.id)).toEqual([rule.id])
    expect(await rowsOf(site)).toMatchObject([
      { state: 'dismissed', group_rule_id: rule.id },
      { state: 'detected', group_rule_id: null },
    ])
  })

  test('leaves what needs approval unchanged', async () => {
    const { id, site, shop } = await newGroup()
    await server.admin.put(`/projects/${site.id}/dismissal_approval`, { severity: 'low' })
    const body = dismissal(id, [...(await idsOf(site)), ...(await idsOf(shop))])
    expect((await inGroup(id, { ...body, dry_run: true })).body).toMatchObject({
      changed: 2,
      requested: 0,
      unchanged: 2,
    })
    expect((await inGroup(id, body)).body).toMatchObject({ changed: 2, requested: 0, unchanged: 2 })
    expect([await statesOf(site), await statesOf(shop)]).toEqual([open, closed])
  })
})

describe('a bulk dismissal in a group is refused', () => {
  test('without the right to change the rules of the group, as is its undo', async () => {
    const { id, site } = await newGroup()
    const maintainer = await server.as('maintainer', site)
    const body = dismissal(id, await idsOf(site))
    expect((await inProject(site, body, maintainer)).status).toBe(403)
    expect((await maintainer.post('/vulnerability_bulk_changes', body)).status).toBe(403)
    expect(await statesOf(site)).toEqual(open)
    const sent = await inProject(site, body)
    const undo = `/projects/${site.id}/vulnerability_bulk_changes/${sent.body.id}/undo`
    expect((await maintainer.post(undo)).status).toBe(403)
    expect(await statesOf(site)).toEqual(closed)
    expect(await rulesOf(id)).toHaveLength(2)
  })

  test('with the projects that are not below the group', async () => {
    const { id, site } = await newGroup()
    const elsewhere = await newGroup()
    const error = `group_id: ${elsewhere.path} is not above ${site['path_with_namespace']}`
    const body = dismissal(elsewhere.id, await idsOf(site))
    for (const refused of [await inProject(site, body), await inGroup(id, body)]) {
      expect(refused).toMatchObject({ status: 400, body: { error } })
    }
    expect(await inGroup(id, { ...body, dry_run: true })).toMatchObject({ status: 400, body: { error } })
    expect(await rulesOf(elsewhere.id)).toEqual([])
  })

  test('without a group, with a group in vain, and for a group that the caller cannot see', async () => {
    const { id, site } = await newGroup()
    const ids = await idsOf(site)
    const { group_id: _, ...without } = dismissal(id, ids)
    expect(await inProject(site, without)).toMatchObject({ status: 400, body: { error: 'group_id is missing' } })
    const inVain = await inGroup(id, { ...dismissal(id, ids), scope: 'all_refs' })
    expect(inVain).toMatchObject({ status: 400, body: { error: 'group_id needs the scope group' } })
    expect((await inProject(site, dismissal(999_999, ids))).status).toBe(404)
  })

  test('for more than 100 vulnerabilities, and where no rule could find a flaw', async () => {
    const { id, path, site } = await newGroup()
    const many = await server.project(`${path}/many`)
    await server.report(
      many,
      Array.from({ length: 101 }, (_, line) => rulesWithFile(`r${line}`, line + 1)),
    )
    const { vulnerability_ids: _, ...body } = dismissal(id, [])
    const refused = await inProject(many, { ...body, filter: {} })
    expect(refused).toMatchObject({
      status: 400,
      body: { error: expect.stringContaining('at most 100 vulnerabilities') },
    })
    const nowhere = await server.project(`${path}/nowhere`)
    await server.report(nowhere, [{ ...entry({ name: 'Nowhere', rule: 'x' }), location: {} }])
    const all = [...(await idsOf(site)), ...(await idsOf(nowhere))]
    for (const dry_run of [true, false]) {
      const unmatched = await inGroup(id, { ...dismissal(id, all), dry_run })
      expect(unmatched).toMatchObject({ status: 400, body: { message: { scope: [expect.any(String)] } } })
    }
    expect(await statesOf(site)).toEqual(open)
    expect(await rulesOf(id)).toEqual([])
  })
})
