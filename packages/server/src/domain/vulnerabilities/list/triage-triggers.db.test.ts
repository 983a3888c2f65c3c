import sql from 'sql-template-tag'
import { expect, test } from 'vitest'
import { insertMadeUp, usual } from '../../../testing/reports/vulnerabilities.ts'
import { startServer } from '../../../testing/server.ts'
import { countWrongOccurrences } from '../../findings/occurrences/occurrences.ts'
import { dismissalReasons, reportTypes, severities, severityRanks, states } from '../../findings/scales.ts'
import { listWronglyPromoted } from './counts/recount.ts'

test('an update of a vulnerability also updates its facets and occurrences, for every value of a facet', async () => {
  const server = await startServer()
  const { db, now } = server.deps
  const { id: projectId } = await server.project('acme/site')
  const ids = Array.from({ length: 40 }, (_, index) => 1000 + index)
  await insertMadeUp(
    db,
    ids.map((id) => ({ ...usual, id, projectId, refs: ['main', 'next'] })),
    now(),
  )

  const at = <T>(values: readonly T[], index: number): T => values[index % values.length] as T // there are values
  for (const [index, id] of ids.entries()) {
    await db.run(sql`
      update vulnerabilities set state = ${at(states, index)}, severity = ${severityRanks[at(severities, index)]},
        is_severity_overridden = true, is_on_default_branch = ${index % 2 === 0},
        is_resolved_on_default_branch = ${index % 3 === 0}, scanner_id = ${index},
        dismissal_reason = ${at([...dismissalReasons, null], index)}, report_type = ${at([...reportTypes, 'generic'], index)}
      where id = ${id}`)
  }
  expect(await listWronglyPromoted(db, ids)).toEqual([])
  expect(await countWrongOccurrences(db, ids)).toBe(0)
  const stored = await db.all(sql`select distinct state from occurrences`)
  expect(stored).toHaveLength(states.length)

  await db.run(sql`update vulnerabilities set is_severity_overridden = false`)
  expect(await countWrongOccurrences(db, ids)).toBe(0)
})

test('a statement that changes vulnerabilities also changes the versions of the tables that triggers update', async () => {
  const { deps } = await startServer()
  const { changes } = deps.db
  const versions = () => ['promoted_findings', 'occurrences'].map((table) => changes.version([table]) ?? 0)
  const before = versions()
  await deps.db.run(sql`update vulnerabilities set state = 'resolved' where id = 0`)
  expect(versions().map((version, index) => version > (before[index] ?? 0))).toEqual([true, true])
})
