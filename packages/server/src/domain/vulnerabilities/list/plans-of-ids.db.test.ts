import sql, { type Sql } from 'sql-template-tag'
import { expect, test } from 'vitest'
import type { Reply } from '../../../testing/client.ts'
import { columnsSearchedByNull, isReadByIds, planOf, tablesNamedById } from '../../../testing/plans-of-ids.ts'
import { entry } from '../../../testing/reports/reports.ts'
import { insertMadeUp, type MadeUp, usual } from '../../../testing/reports/vulnerabilities.ts'
import { startServer, type TestServer } from '../../../testing/server.ts'

// An index of the project reads all of its rows to find a few, which takes 6 ms at 100,000 of them.
test('every statement with ids uses an index on them', async () => {
  const statements = new Map<string, Sql>()
  const server = await startServer({ observe: (query) => statements.set(query.text, query) })
  const project = await useEverything(server)
  const { db } = server.deps

  const problems: string[] = []
  let checked = 0
  for (const query of [...statements.values()]) {
    const tables = tablesNamedById(query.text)
    const hasNulls = / is null\b/.test(query.text)
    if (tables.length === 0 && !hasNulls) continue
    const plan = await planOf(db, query)
    checked += tables.length
    const byNulls = columnsSearchedByNull(db, query, plan)
    if (byNulls.length > 0) problems.push(`nulls of ${byNulls}: ${query.text}\n${plan}`)
    for (const table of tables) {
      if (!isReadByIds(db, plan, table)) problems.push(`${table.alias}: ${query.text}\n${plan}`)
    }
  }
  expect(problems).toEqual([])
  expect(checked).toBeGreaterThan(30)
  expect(project.id).toBeGreaterThan(0)
})

/** One request at least of every kind that changes or reads single vulnerabilities and findings, in a large project. */
async function useEverything(server: TestServer) {
  const admin = {
    get: async (path: string) => succeeded(await server.admin.get(path)),
    post: async (path: string, body?: object) => succeeded(await server.admin.post(path, body)),
    put: async (path: string, body: object) => succeeded(await server.admin.put(path, body)),
    delete: async (path: string) => succeeded(await server.admin.delete(path)),
  }
  const project = await server.project('acme/site')
  const rows = Array.from({ length: 3_000 }, (_, id): MadeUp => ({ ...usual, id: id + 1, projectId: project.id }))
  await insertMadeUp(server.deps.db, rows, server.deps.now())
  if (server.deps.db.dialect.engine === 'postgres') {
    for (const table of [
      'findings',
      'vulnerabilities',
      'occurrences',
      'identifiers',
      'scanners',
      'projects',
      'users',
    ]) {
      await server.deps.db.run(sql`select setval(pg_get_serial_sequence(${table}, 'id'), 100000)`)
    }
  }
  const at = `/projects/${project.id}`
  for (const action of ['confirm', 'dismiss', 'revert', 'resolve']) await admin.post(`/vulnerabilities/5/${action}`)
  await admin.put('/vulnerabilities/5/severity', { severity: 'high' })
  await admin.delete('/vulnerabilities/5/severity')
  await admin.post(`${at}/vulnerabilities/5/notes`, { body: 'Checked.' })
  await admin.post('/vulnerabilities/5/issue_links', { url: 'https://example.com/1' })
  await admin.get('/vulnerabilities/5')
  await admin.get('/vulnerabilities/5/history')
  await admin.get('/vulnerabilities/5/occurrences')
  const bulk = await admin.post(`${at}/vulnerabilities/bulk`, {
    action: 'dismiss',
    vulnerability_ids: [7, 8, 9],
    dismissal_reason: 'used_in_tests',
  })
  await admin.post(`${at}/vulnerabilities/bulk/${bulk.body.id}/undo`)
  const report = await server.report(project, [entry({ rule: 'a', code: 'x' }), entry({ rule: 'b', signature: 's' })])
  await server.report(project, [entry({ rule: 'a', code: 'x', line: 9 }), entry({ rule: 'c' })])
  await server.report(project, [entry({ rule: 'd' }), entry({ rule: 'e' })], { promote: 'false' })
  const waiting = await admin.get(`${at}/vulnerability_findings?has_vulnerability=false`)
  const [first, second] = waiting.body
  await admin.post(`${at}/vulnerabilities?finding_id=${first?.id}`)
  await admin.post(`${at}/vulnerability_findings/bulk`, { action: 'promote', finding_ids: [second?.id] })
  for (const query of [
    '',
    '?search=hash',
    '?identifier=CWE-327',
    '?ref=main',
    '?ref=main&not_on=other',
    '?state=detected&severity=high',
  ]) {
    await admin.get(`${at}/vulnerabilities${query}`)
    await admin.get(`/groups/acme/vulnerabilities${query}`)
  }
  for (const query of [
    '',
    '?scope=all',
    '?not_on=other',
    '?search=hash',
    '?scanner=semgrep',
    `?report_id=${report.id}`,
  ]) {
    await admin.get(`${at}/vulnerability_findings${query}`)
  }
  for (const place of [at, '/groups/acme', '']) {
    await admin.get(`${place}/vulnerability_statistics`)
    await admin.get(`${place}/vulnerabilities/summary`)
  }
  await admin.get('/security_dashboard')
  await admin.post(`/security/projects/${project.id}/vulnerability_exports`)
  await server.runJobs()
  await admin.delete(`${at}`)
  await server.runJobs()
  return project
}

function succeeded(reply: Reply): Reply {
  if (reply.status >= 300) throw new Error(`${reply.status}: ${reply.text}`)
  return reply
}
