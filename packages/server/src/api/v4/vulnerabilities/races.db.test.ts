import sql from 'sql-template-tag'
import { expect, test } from 'vitest'
import type { Reply } from '../../../testing/client.ts'
import { historyOf, vulnerabilitiesOf } from '../../../testing/reports/imports.ts'
import { entry } from '../../../testing/reports/reports.ts'
import { startServer, type TestProject, type TestServer } from '../../../testing/server.ts'

const entriesOf = (count: number) =>
  Array.from({ length: count }, (_, index) =>
    entry({ name: `Flaw ${index}`, line: index + 1, rule: `r${index}`, severity: index % 2 ? 'High' : 'Low' }),
  )

/** Returns stored and actual facet counts, which must be equal. */
async function countsOf({ deps: { db } }: TestServer, project: TestProject) {
  const key = sql`severity, state, report_type, scanner_id, is_resolved_on_default_branch, is_on_default_branch`
  const kept = await db.all(sql`
    select ${key}, dismissal_reason, total from vulnerability_counts
    where project_id = ${project.id} and total <> 0 order by ${key}, dismissal_reason`)
  const counted = await db.all(sql`
    select ${key}, coalesce(dismissal_reason, '') as dismissal_reason, count(*) as total from vulnerabilities
    where project_id = ${project.id} group by ${key}, coalesce(dismissal_reason, '')
    order by ${key}, coalesce(dismissal_reason, '')`)
  return { kept, counted }
}

async function seconds({ deps: { db } }: TestServer, project: TestProject): Promise<number> {
  const row = await db.one<{ seconds: number }>(sql`
    select cast(sum(seconds) as bigint) as seconds from vulnerability_counts where project_id = ${project.id}`)
  return row?.seconds ?? Number.NaN
}

test('concurrent transitions: one changes the vulnerability, the others return 304', async () => {
  const server = await startServer()
  const project = await server.project('acme/site')
  await server.report(project, entriesOf(1))
  const id = (await vulnerabilitiesOf(server, project))['Flaw 0'].id
  for (const action of ['confirm', 'resolve', 'dismiss', 'revert']) {
    const both = await Promise.all([1, 2, 3].map(() => server.admin.post(`/vulnerabilities/${id}/${action}`)))
    expect(both.map(({ status }) => status).sort()).toEqual([201, 304, 304])
  }
  expect(await historyOf(server.admin, id)).toHaveLength(5)
  const { kept, counted } = await countsOf(server, project)
  expect(kept).toEqual(counted)
})

test('conflicting concurrent requests cause no errors, and all counters stay correct', async () => {
  const server = await startServer({ settings: { logLevel: 'error' } })
  const project = await server.project('acme/site')
  const entries = entriesOf(600)
  await server.report(project, entries)
  const path = `/projects/${project.id}/vulnerabilities`
  const ids = Object.values(await vulnerabilitiesOf(server, project)).map(({ id }) => id)
  const replies: Promise<Reply>[] = []
  const bulk = (fields: object) => replies.push(server.admin.post(`${path}/bulk`, fields))
  for (let round = 0; round < 3; round++) {
    bulk({ action: 'confirm', vulnerability_ids: ids })
    bulk({ action: 'resolve', vulnerability_ids: [...ids].reverse() })
    bulk({ action: 'dismiss', filter: { severity: 'high' }, dismissal_reason: 'false_positive' })
    bulk({ action: 'severity', severity: 'medium', filter: { state: 'detected' } })
    for (const [index, id] of ids.slice(round * 20, round * 20 + 20).entries()) {
      const action = ['confirm', 'resolve', 'dismiss', 'revert'][index % 4]
      replies.push(server.admin.post(`/vulnerabilities/${id}/${action}`))
      replies.push(server.admin.post(`/vulnerabilities/${id}/issue_links`, { url: 'https://tracker.test/1' }))
    }
    const imports = [entries.slice(0, 300), entries, entries.slice(200)].map((part) => server.report(project, part))
    replies.push(server.admin.post(`${path}/bulk/${round + 1}/undo`))
    await Promise.all(imports)
  }
  const bad = (await Promise.all(replies)).filter(({ status }) => ![201, 304, 404, 422].includes(status))
  expect(bad.map(({ status, text }) => `${status} ${text}`)).toEqual([])
  const { kept, counted } = await countsOf(server, project)
  expect(kept).toEqual(counted)
  expect(counted.reduce<number>((sum, row) => sum + (row as { total: number }).total, 0)).toBe(600)

  // All are back in their initial state, so no time to resolution remains.
  expect((await server.admin.post(`${path}/bulk`, { action: 'revert', filter: {} })).status).toBe(201)
  expect(await seconds(server, project)).toBe(0)
}, 60_000)

test('deleting a project during promotion, triage and import leaves no rows', async () => {
  const server = await startServer({ settings: { logLevel: 'error' } })
  const entries = entriesOf(30)
  for (let round = 0; round < 4; round++) {
    const project = await server.project(`acme/site-${round}`)
    await server.report(project, entries)
    const ids = Object.values(await vulnerabilitiesOf(server, project)).map(({ id }) => id)
    const path = `/projects/${project.id}`
    const replies = await Promise.all([
      server.admin.post(`/vulnerabilities/${ids[0]}/confirm`),
      server.admin.post(`${path}/vulnerabilities/bulk`, { action: 'dismiss', vulnerability_ids: ids }),
      server.admin.post(`${path}/vulnerabilities/${ids[1]}/notes`, { body: 'x' }),
      server.admin.delete(path),
      server.admin.post(`/vulnerabilities/${ids[2]}/issue_links`, { url: 'https://tracker.test/1' }),
      server.admin.post(`${path}/vulnerabilities/bulk`, { action: 'resolve', filter: {} }),
    ])
    expect(replies.map(({ status }) => status).filter((status) => status >= 500)).toEqual([])
    expect((await server.admin.get(`/vulnerabilities/${ids[0]}`)).status).toBe(404)
  }
  for (const table of [sql`vulnerability_history`, sql`vulnerability_links`, sql`vulnerability_bulk_changes`]) {
    expect(await server.deps.db.all(sql`select id from ${table}`)).toEqual([])
  }
})
