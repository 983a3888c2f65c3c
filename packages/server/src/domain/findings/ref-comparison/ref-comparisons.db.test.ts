import sql from 'sql-template-tag'
import { expect, test } from 'vitest'
import { insertMadeUp, type MadeUp, usual } from '../../../testing/reports/vulnerabilities.ts'
import { startServer } from '../../../testing/server.ts'
import { compareRefs } from './ref-comparisons.ts'

const findings = 10_050

test('fixed findings are counted and sampled in every range of ids, and only of scanners that scanned the ref', async () => {
  const server = await startServer()
  const { db, now } = server.deps
  const project = await server.project('acme/site')
  const rows = Array.from({ length: findings + 5 }, (_, index): MadeUp => {
    const id = index + 1
    const scanner = id > findings ? 'gitleaks' : usual.scanner
    return { ...usual, id, projectId: project.id, scanner, severity: id === findings ? 'critical' : 'medium' }
  })
  await insertMadeUp(db, rows, now())
  const compare = () => compareRefs({ db }, { projectId: project.id, ref: 'feature', targetRef: 'main' })
  expect(await compare()).toMatchObject({ new: 0, fixed: 0, known: 0 })

  await db.run(sql`
    insert into imports (id, project_id, ref, format, report_type, file_sha256, file_bytes, findings_read, findings_new,
      findings_known, findings_absent, findings_reappeared, findings_merged, findings_skipped, warnings, state, created_at)
    values (1, ${project.id}, 'feature', 'gitlab', 'sast', '', 0, 0, 0, 0, 0, 0, 0, 0, '[]', 'done', ${now()})`)
  await db.run(sql`
    insert into scans (import_id, scanner_id, report_type, ref, is_complete, observed_at)
    select 1, id, 'sast', 'feature', true, ${now()} from scanners where external_id = ${usual.scanner}`)
  const { fixed, samples } = await compare()
  const ids = samples.fixed.map(({ id }) => id)
  expect({ fixed, ids }).toEqual({ fixed: findings, ids: [findings, ...Array.from({ length: 19 }, (_, n) => n + 1)] })
})
