import sql, { raw, type Sql } from 'sql-template-tag'
import { expect, test } from 'vitest'
import type { Reply } from '../../../testing/client.ts'
import { entry } from '../../../testing/reports/reports.ts'
import { insertMadeUp, type MadeUp, usual } from '../../../testing/reports/vulnerabilities.ts'
import { startServer, type TestServer } from '../../../testing/server.ts'

// An index of the project reads all of its rows to find a few, which takes 6 ms at 100,000 of them.
test('every statement with ids uses an index on them', async () => {
  const statements = new Map<string, Sql>()
  const server = await startServer({ observe: (query) => statements.set(query.text, query) })
  const project = await useEverything(server)
  const { db } = server.deps
  const isSqlite = db.dialect.engine === 'sqlite'

  const problems: string[] = []
  let checked = 0
  for (const query of [...statements.values()]) {
    const tables = tablesNamedById(query.text)
    if (tables.length === 0) continue
    const rows = await db.all<object>(sql`${raw(isSqlite ? 'explain query plan' : 'explain')} ${query}`)
    const plan = rows.map((row) => Object.values(row).join(' ')).join('\n')
    checked += tables.length
    for (const table of tables) {
      if (!(isSqlite ? isFoundByIds(plan, table) : isFoundWithoutProject(plan, table)))
        problems.push(`${table.alias}: ${query.text}\n${plan}`)
    }
  }
  expect(problems).toEqual([])
  expect(checked).toBeGreaterThan(30)
  expect(project.id).toBeGreaterThan(0)
})

interface NamedTable {
  table: string
  alias: string
  /** The column whose values the statement lists: `id`, or a reference such as `finding_id`. */
  column: string
}

/** Returns the tables of which a statement names rows by ids; a column of another row is a join. */
function tablesNamedById(text: string): NamedTable[] {
  const flat = text.replace(/--[^\n]*/g, ' ').replace(/\s+/g, ' ')
  const declared = [
    ...flat.matchAll(
      /\b(?:from|join|update) (\w+)(?: (?:as )?(?!where|set|join|on|cross|left|order|limit|indexed|union)(\w+))?/g,
    ),
  ]
  const conditions = flat.matchAll(
    /\b(?:where|and) (?:(\w+)\.)?(id|\w+_id) (?:= (?:\?|\$\d+)|in \(select (?:value|\w+\.value|\*) from |= any)/g,
  )
  return [...conditions].flatMap(({ 1: qualifier, 2: column = '', 0: condition, index }) => {
    // A single reference, the project or its scanners may stand beside a condition that names fewer rows.
    if (column !== 'id' && (!/ in |any/.test(condition) || /^(?:project|scanner)_id$/.test(column))) return []
    const match = qualifier
      ? declared.find(([, table, alias]) => (alias ?? table) === qualifier)
      : declared.findLast((match) => match.index < index && depthAt(flat, match.index) === depthAt(flat, index))
    return match?.[1] ? [{ table: match[1], alias: match[2] ?? match[1], column }] : []
  })
}

/** How many parentheses are open: a column without a qualifier is not of a table in a subquery before it. */
const depthAt = (text: string, index: number): number =>
  text.slice(0, index).split('(').length - text.slice(0, index).split(')').length

const isFoundByIds = (plan: string, { alias, column }: NamedTable) =>
  new RegExp(`SEARCH ${alias} (?:EXISTS )?USING (?:INTEGER PRIMARY KEY|[^\\n]*\\b${column}=)`).test(plan)

/** PostgreSQL reads small tables whole; a search by the project alone is what must not happen. */
const isFoundWithoutProject = (plan: string, { table, alias }: NamedTable) =>
  !new RegExp(`on ${table}(?: ${alias})?\\b[^\\n]*\\n[^\\n]*Index Cond: \\(project_id = [^)]*\\)\\n`).test(plan)

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
