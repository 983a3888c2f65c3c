import { AsyncLocalStorage } from 'node:async_hooks'
import sql, { raw, type Sql } from 'sql-template-tag'
import { beforeAll, expect, test } from 'vitest'
import { insertMadeUp, type MadeUp, usual } from '../../../testing/reports/vulnerabilities.ts'
import { startServer, type TestProject, type TestServer } from '../../../testing/server.ts'

// After each write nothing cached may be shown, so the first page of a list has to be cheap without a cache.
const rowCount = 6_000
let server: TestServer
let project: TestProject
const request = new AsyncLocalStorage<Sql[]>()
beforeAll(async () => {
  server = await startServer({ observe: (query) => request.getStore()?.push(query) })
  project = await server.project('acme/site')
  const rows = Array.from({ length: rowCount }, (_, index): MadeUp => {
    // What is worst has been dismissed; every other one has the frequent text.
    const isDismissed = index < rowCount / 2
    return {
      ...usual,
      id: index + 1,
      projectId: project.id,
      title: index % 2 === 0 ? `Handler ${index}` : `Parser ${index}`,
      severity: isDismissed ? 'critical' : 'medium',
      state: isDismissed ? 'dismissed' : 'detected',
      dismissalReason: isDismissed ? 'false_positive' : null,
    }
  })
  await insertMadeUp(server.deps.db, rows, server.deps.now())
})

/** The statements of a request that follows a write by another one. */
async function statementsAfterWrite(path: string): Promise<Sql[]> {
  const changed = await server.admin.post(`/vulnerabilities/${rowCount}/dismiss`)
  expect(changed.status).toBe(201)
  await server.admin.post(`/vulnerabilities/${rowCount}/revert`)
  const statements: Sql[] = []
  const reply = await request.run(statements, () => server.admin.get(`/projects/${project.id}${path}`))
  expect(reply.status).toBe(200)
  expect(reply.body).toHaveLength(20)
  return statements
}

const findings = '/vulnerability_findings'
const vulnerabilities = '/vulnerabilities'
test.each([
  ['findings that are not dismissed', findings, 3],
  ['all findings', `${findings}?scope=all`, 3],
  ['findings with a frequent text', `${findings}?search=handler`, 4],
  ['findings of a scanner', `${findings}?scanner=semgrep`, 4],
  ['findings with a vulnerability', `${findings}?has_vulnerability=true`, 4],
  ['open vulnerabilities', `${vulnerabilities}?state=detected`, 4],
])('the first page of %s needs few statements after each write', async (_, path, most) => {
  for (let n = 0; n < 3; n++) {
    const texts = (await statementsAfterWrite(path)).map(({ text }) => text)
    expect(texts.slice(most)).toEqual([])
  }
})

test('vulnerabilities with a frequent text are collected once, not after each write', async () => {
  await statementsAfterWrite(`${vulnerabilities}?search=handler`)
  for (let n = 0; n < 3; n++) {
    expect((await statementsAfterWrite(`${vulnerabilities}?search=handler`)).length).toBeLessThanOrEqual(4)
  }
})

test('a list of findings by state is read in index order', async () => {
  const { db } = server.deps
  const [listing] = (await statementsAfterWrite(findings)).filter(({ text }) => text.includes('union all'))
  expect(listing).toBeDefined()
  const rows = await db.all<object>(
    sql`${raw(db.dialect.engine === 'sqlite' ? 'explain query plan' : 'explain')} ${listing}`,
  )
  const plan = rows.map((row) => Object.values(row).join(' ')).join('\n')
  expect(plan).toMatch(/occurrences_by_severity/)
  expect(plan).not.toMatch(/TEMP B-TREE|Seq Scan/)
  // PostgreSQL sorts the first rows of all ranges; it reads no more rows of a range than a page has.
  const lines = plan.split('\n')
  const unlimited = lines.filter(
    (line, index) => /Scan using/.test(line) && !/-> {2}Limit/.test(lines[index - 1] ?? ''),
  )
  expect(unlimited).toEqual([])
})
