import { beforeEach, describe, expect, test } from 'vitest'
import { dependencyReport } from '../../../domain/vulnerabilities/flaws/testing/dependency-report.ts'
import type { Client } from '../../../testing/client.ts'
import { onSqlite } from '../../../testing/databases/database.ts'
import { historyOf } from '../../../testing/reports/imports.ts'
import { startServer, type TestProject, type TestServer } from '../../../testing/server.ts'

let server: TestServer
let shop: TestProject
let site: TestProject
let maintainer: Client
let owner: Client
let number = 0

/** Two scanners report a flaw of one package, and another flaw, in two projects of a group. */
beforeEach(async () => {
  server = await startServer()
  const group = `team-${++number}`
  shop = await server.project(`${group}/shop`)
  site = await server.project(`${group}/site`)
  maintainer = await server.as('maintainer', shop)
  owner = await server.user(`${group}-owner`)
  await server.admin.post(`/groups/${group}/members`, { user_id: owner.user?.id, access_level: 50 })
  for (const project of [shop, site]) {
    await server.report(project, report('trivy', ['first', 'second']), { category: 'trivy' })
    await server.report(project, report('grype', ['first']), { category: 'grype' })
  }
})

const report = (scanner: string, flaws: string[], severity = 'High') =>
  dependencyReport(
    scanner,
    flaws.map((flaw) => ({
      title: `${scanner} ${flaw}`,
      names: [flaw === 'first' ? 'CVE-2033-1' : 'CVE-2033-2'],
      pkg: 'lodash',
      severity,
    })),
  )

interface Flaw {
  id: number
  vulnerability_count: number
  explanation: string[]
}
const groupPath = () => `/groups/team-${number}`
const inProject = ({ id }: TestProject) => `/projects/${id}`

/** The titles of the members of each flaw. */
async function groupsIn(path: string): Promise<string[][]> {
  const { body: flaws } = await server.admin.get(`${path}/vulnerability_flaws`)
  const groups = await Promise.all(
    flaws.map(async ({ id }: Flaw) => {
      const { body } = await server.admin.get(`${path}/vulnerabilities?flaw=${id}&sort=detected_asc`)
      return body.map(({ title }: { title: string }) => title).sort()
    }),
  )
  return groups.sort((a, b) => (`${a}` < `${b}` ? -1 : 1))
}

async function find(path: string, title: string): Promise<{ id: number; flaw: Flaw }> {
  const { body: flaws } = await server.admin.get(`${path}/vulnerability_flaws`)
  for (const flaw of flaws) {
    const { body } = await server.admin.get(`${path}/vulnerabilities?flaw=${flaw.id}`)
    const found = body.find((row: { title: string }) => row.title === title)
    if (found) return { id: found.id, flaw }
  }
  throw new Error(`there is no ${title}`)
}

const both = ['grype first', 'trivy first']
const usual = [both, ['trivy second']]
const ofGroup = [[...both, ...both].sort(), ['trivy second', 'trivy second']]

describe.runIf(onSqlite)('a split', () => {
  test('takes vulnerabilities out of a flaw in one project, and lasts until it is undone', async () => {
    const { id, flaw } = await find(inProject(shop), 'grype first')
    const { status, body } = await maintainer.post(`${inProject(shop)}/vulnerability_flaws/${flaw.id}/split`, {
      vulnerability_ids: [id],
    })
    expect([status, body]).toEqual([201, expect.objectContaining({ kind: 'split', vulnerability_count: 1 })])
    const split = [['grype first'], ['trivy first'], ['trivy second']]
    expect(await groupsIn(inProject(shop))).toEqual(split)
    const found = await find(inProject(shop), 'grype first')
    expect(found.flaw.explanation.at(-1)).toMatch(/^Split from its group by @.+ on \d{4}-\d\d-\d\d$/)

    await server.report(shop, report('grype', ['first'], 'Low'), { category: 'grype' })
    await server.runJobs()
    expect(await groupsIn(inProject(shop))).toEqual(split)
    expect(await groupsIn(inProject(site))).toEqual(usual)

    const { body: changes } = await maintainer.get(`${inProject(shop)}/vulnerability_flaw_changes`)
    expect(changes).toMatchObject([{ id: body.id, author_id: maintainer.user?.id, undone_at: null }])
    const undo = await maintainer.post(`${inProject(shop)}/vulnerability_flaw_changes/${body.id}/undo`)
    expect([undo.status, undo.body.undone_by_id]).toEqual([201, maintainer.user?.id])
    expect(await groupsIn(inProject(shop))).toEqual(usual)
    expect((await maintainer.post(`${inProject(shop)}/vulnerability_flaw_changes/${body.id}/undo`)).status).toBe(404)
    const { body: events } = await server.admin.get('/audit_events?per_page=5')
    const names = events.map((event: { event_name: string }) => event.event_name)
    expect(names).toEqual(expect.arrayContaining(['vulnerability_flaw_split', 'vulnerability_flaw_change_undone']))

    const history = await historyOf(server.admin, id)
    expect(history.filter(({ kind }) => kind.startsWith('flaw_'))).toMatchObject([
      { kind: 'flaw_split', text: 'split vulnerability from its flaw', author: { id: maintainer.user?.id } },
      { kind: 'flaw_undone', text: 'undid the split of the flaw', details: { flaw_change_id: body.id } },
    ])
    const left = await find(inProject(shop), 'trivy first')
    expect((await historyOf(server.admin, left.id)).some(({ kind }) => kind.startsWith('flaw_'))).toBe(false)
  })

  test('refuses vulnerabilities of another flaw or project, and callers who may not triage', async () => {
    const { flaw } = await find(inProject(shop), 'grype first')
    const other = await find(inProject(shop), 'trivy second')
    const foreign = await find(inProject(site), 'grype first')
    const path = `${inProject(shop)}/vulnerability_flaws/${flaw.id}/split`
    for (const id of [other.id, foreign.id, 999_999]) {
      expect((await maintainer.post(path, { vulnerability_ids: [id] })).status).toBe(400)
    }
    expect((await maintainer.post(path, {})).status).toBe(400)
    const developer = await server.as('developer', shop)
    expect((await developer.post(path, { vulnerability_ids: [other.id] })).status).toBe(403)
    expect((await maintainer.post(`${groupPath()}/vulnerability_flaws/${flaw.id}/split`)).status).toBeGreaterThan(399)
    const unknown = `${inProject(shop)}/vulnerability_flaws/12345/split`
    expect((await maintainer.post(unknown, { vulnerability_ids: [other.id] })).status).toBe(404)
    expect(await groupsIn(inProject(shop))).toEqual(usual)
  })
})

describe('a join', () => {
  test.runIf(onSqlite)('of a project applies to later imports of it, and not to other projects', async () => {
    const first = await find(inProject(shop), 'trivy first')
    const second = await find(inProject(shop), 'trivy second')
    const path = `${inProject(shop)}/vulnerability_flaws/${first.flaw.id}/join`
    const { status, body } = await maintainer.post(path, { other_flaw_id: second.flaw.id })
    expect([status, body]).toEqual([201, expect.objectContaining({ kind: 'join', vulnerability_count: 3 })])
    expect(await groupsIn(inProject(shop))).toEqual([[...both, 'trivy second']])
    expect(await groupsIn(inProject(site))).toEqual(usual)
    for (const { id } of [first, second]) {
      expect((await historyOf(server.admin, id)).at(-1)).toMatchObject({
        kind: 'flaw_joined',
        text: 'joined the flaw of this vulnerability with another one',
        author: { id: maintainer.user?.id },
      })
    }

    for (const project of [shop, site]) {
      await server.report(project, report('snyk', ['second']), { category: 'snyk' })
    }
    expect(await groupsIn(inProject(shop))).toEqual([['grype first', 'snyk second', 'trivy first', 'trivy second']])
    expect(await groupsIn(inProject(site))).toEqual([both, ['snyk second', 'trivy second']])

    await maintainer.post(`${inProject(shop)}/vulnerability_flaw_changes/${body.id}/undo`)
    expect(await groupsIn(inProject(shop))).toEqual([both, ['snyk second', 'trivy second']])
  })

  test('of a group applies to its projects, and needs a maintainer of the group', async () => {
    const first = await find(groupPath(), 'trivy first')
    const second = await find(groupPath(), 'trivy second')
    const path = `${groupPath()}/vulnerability_flaws/${first.flaw.id}/join`
    expect((await maintainer.post(path, { other_flaw_id: second.flaw.id })).status).toBe(403)
    expect((await owner.post(path, { other_flaw_id: first.flaw.id })).status).toBe(400)
    expect((await owner.post(path, { other_flaw_id: 12_345 })).status).toBe(404)
    const { body } = await owner.post(path, { other_flaw_id: second.flaw.id })
    expect(body).toMatchObject({ vulnerability_count: 6 })
    expect(await groupsIn(groupPath())).toEqual([ofGroup.flat().sort()])

    const late = await server.project(`team-${number}/late`)
    await server.report(late, report('trivy', ['second', 'first']))
    expect(await groupsIn(inProject(late))).toEqual([['trivy first', 'trivy second']])
    const outside = await server.project(`outside-${number}/app`)
    await server.report(outside, report('trivy', ['second', 'first']))
    expect(await groupsIn(inProject(outside))).toEqual([['trivy first'], ['trivy second']])

    const undo = `/vulnerability_flaw_changes/${body.id}/undo`
    expect((await owner.post(`${inProject(shop)}${undo}`)).status).toBe(404)
    expect((await owner.post(`${groupPath()}${undo}`)).status).toBe(201)
    expect(await groupsIn(inProject(late))).toEqual([['trivy first'], ['trivy second']])
    expect(await groupsIn(groupPath())).toHaveLength(2)
  })
})

describe.runIf(onSqlite)('a change in a group', () => {
  const joined = [[...both, 'trivy second']]
  const transfer = async (to: string) => {
    const { status, text } = await server.admin.put(`${inProject(shop)}/transfer`, { namespace: to })
    expect(status, text).toBe(200)
    await server.runJobs()
  }
  const join = async () => {
    const [first, second] = [await find(groupPath(), 'trivy first'), await find(groupPath(), 'trivy second')]
    const path = `${groupPath()}/vulnerability_flaws/${first.flaw.id}/join`
    const { status, body } = await owner.post(path, { other_flaw_id: second.flaw.id })
    expect(status).toBe(201)
    return { change: body, first }
  }

  test('ends for a project that is transferred out of it, and applies again when it returns', async () => {
    const { first } = await join()
    const split = await find(groupPath(), 'grype first')
    await owner.post(`${groupPath()}/vulnerability_flaws/${first.flaw.id}/split`, { vulnerability_ids: [split.id] })
    await server.admin.post('/groups', { name: 'Other', path: `other-${number}` })
    const inGroup = await groupsIn(inProject(shop))
    expect(inGroup.flat()).toHaveLength(3)
    expect(inGroup).not.toEqual(usual)

    await transfer(`other-${number}`)
    expect(await groupsIn(inProject(shop))).toEqual(usual)
    await server.report(shop, report('snyk', ['second']), { category: 'snyk' })
    expect(await groupsIn(inProject(shop))).toEqual([both, ['snyk second', 'trivy second']])
    await transfer(`team-${number}`)
    expect((await groupsIn(inProject(shop))).filter((titles) => titles.includes('snyk second'))).toEqual([
      expect.arrayContaining(['trivy first', 'trivy second']),
    ])
  })

  test('ends for the projects of a group that is transferred out of it', async () => {
    const { body: inner } = await server.admin.post('/groups', {
      ...{ name: 'Inner', path: 'inner', parent_id: shop['namespace'].id },
    })
    await transfer(`team-${number}/inner`)
    await join()
    expect(await groupsIn(inProject(shop))).toEqual(joined)
    expect((await server.admin.post(`/groups/${inner.id}/transfer`)).status).toBe(201)
    await server.runJobs()
    expect(await groupsIn(inProject(shop))).toEqual(usual)
    expect(await groupsIn(inProject(site))).toEqual(joined)
  })

  test('is undone without an entry in the history of a project that has left', async () => {
    const { change } = await join()
    const left = await find(inProject(shop), 'trivy first')
    await server.admin.post('/groups', { name: 'Other', path: `other-${number}` })
    await transfer(`other-${number}`)
    expect((await owner.post(`${groupPath()}/vulnerability_flaw_changes/${change.id}/undo`)).status).toBe(201)
    expect(await groupsIn(inProject(site))).toEqual(usual)
    expect((await historyOf(server.admin, left.id)).map(({ kind }) => kind)).not.toContain('flaw_undone')
    await transfer(`team-${number}`)
    expect(await groupsIn(inProject(shop))).toEqual(usual)
  })
})
