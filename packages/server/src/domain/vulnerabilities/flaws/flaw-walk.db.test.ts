import fc from 'fast-check'
import sql from 'sql-template-tag'
import { expect, test } from 'vitest'
import { testEngine } from '../../../testing/databases/database.ts'
import { entry, sastReport } from '../../../testing/reports/reports.ts'
import { startServer, type TestProject, type TestServer } from '../../../testing/server.ts'
import type { ListScope } from '../list/filter.ts'
import { listFlaws } from './flaw-list.ts'

interface Row {
  id: number
  projectId: number
  flawKey: number
  severity: number
  state: 'detected' | 'confirmed' | 'resolved' | 'dismissed'
}

const readRows = ({ deps }: TestServer): Promise<Row[]> =>
  deps.db.all(sql`select id, project_id, flaw_key, severity, state from vulnerabilities order by id`)

const compareRows = (a: Row, b: Row) => b.severity - a.severity || b.id - a.id
const keysOf = (rows: readonly Row[]) => [...new Set(rows.toSorted(compareRows).map(({ flawKey }) => flawKey))]

/** Pairs of entries at the same lines have the same weakness, so they are one flaw. */
const report = (lines: readonly number[], severity: string) =>
  sastReport(lines.flatMap((line) => ['One', 'Two'].map((name) => entry({ name, line, severity }))))

const change = fc.oneof(
  fc.record({
    kind: fc.constant('triage' as const),
    at: fc.nat(),
    action: fc.constantFrom('confirm', 'dismiss', 'revert'),
  }),
  fc.record({
    kind: fc.constant('severity' as const),
    at: fc.nat(),
    severity: fc.constantFrom('critical', 'high', 'low'),
  }),
  fc.record({ kind: fc.constant('split' as const), at: fc.nat() }),
  fc.record({ kind: fc.constant('join' as const), at: fc.nat(), other: fc.nat() }),
  fc.record({
    kind: fc.constant('import' as const),
    at: fc.nat(),
    lines: fc.uniqueArray(fc.integer({ min: 1, max: 40 }), { minLength: 1, maxLength: 12 }),
    severity: fc.constantFrom('Critical', 'Medium'),
  }),
)
type Change = typeof change extends fc.Arbitrary<infer Value> ? Value : never

/** Makes a change. Those that the current state does not permit change nothing. */
async function apply(server: TestServer, projects: readonly TestProject[], rows: readonly Row[], one: Change) {
  const { admin } = server
  const row = rows[one.at % rows.length] as Row // there are rows from the beginning
  const flaw = `/projects/${row.projectId}/vulnerability_flaws/${row.flawKey}`
  switch (one.kind) {
    case 'triage':
      return admin.post(`/vulnerabilities/${row.id}/${one.action}`, {})
    case 'severity':
      return admin.put(`/vulnerabilities/${row.id}/severity`, { severity: one.severity })
    case 'split':
      return admin.post(`${flaw}/split`, { vulnerability_ids: [row.id] })
    case 'join':
      return admin.post(`${flaw}/join`, { other_flaw_id: rows[one.other % rows.length]?.flawKey })
    case 'import': {
      const project = projects[one.at % projects.length] as TestProject
      await server.report(project, report(one.lines, one.severity), { category: `c${one.at % 3}` })
      return { status: 201, text: '' }
    }
  }
}

test('pages of a long grouped list follow every change, split and join', { timeout: 120_000 }, async () => {
  const server = await startServer()
  const projects = [await server.project('acme/one'), await server.project('acme/two')]
  for (const project of projects) await server.report(project, report([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12], 'High'))
  const scopes = [...projects.map(({ id }) => [id]), projects.map(({ id }) => id)].map(
    (projectIds): ListScope => ({ key: projectIds.join(), projectIds }),
  )
  const applied = new Set<string>()
  await fc.assert(
    fc.asyncProperty(change, fc.integer({ min: 0, max: 3 }), fc.boolean(), async (one, page, isOpen) => {
      const reply = await apply(server, projects, await readRows(server), one)
      expect(reply.status, reply.text).toBeLessThan(500)
      if (reply.status < 300) applied.add(one.kind)
      const rows = await readRows(server)
      const states = ['detected', 'confirmed'] as const
      for (const scope of scopes) {
        const expected = keysOf(
          rows.filter(
            ({ projectId, state }) =>
              scope.projectIds.includes(projectId) && (!isOpen || states.some((one) => one === state)),
          ),
        )
        const query = { scope, filter: isOpen ? { states } : {}, sort: 'severity_desc' } as const
        const request = { page: page + 1, perPage: 5, offset: 5 * page }
        const numbered = await listFlaws(server.deps, query, request, { maxGroupedRows: 0 })
        expect(numbered.rows.map(({ key }) => key)).toEqual(expected.slice(5 * page, 5 * page + 5))
        if (!numbered.next) continue
        const after = { page: 1, perPage: 5, offset: 0, keyset: { after: numbered.next } }
        const next = await listFlaws(server.deps, query, after, { maxGroupedRows: 0 })
        expect(next.rows.map(({ key }) => key)).toEqual(expected.slice(5 * page + 5, 5 * page + 10))
      }
    }),
    { seed: 11, numRuns: testEngine === 'postgres' ? 14 : 25 },
  )
  expect(applied.size).toBeGreaterThanOrEqual(4)
})
