import sql from 'sql-template-tag'
import { expect, test } from 'vitest'
import { insertMadeUp, type MadeUp, usual } from '../../../testing/reports/vulnerabilities.ts'
import { startServer } from '../../../testing/server.ts'
import { compareRefs } from './ref-comparisons.ts'

const findings = 10_050

test('fixed findings are those of scanners with a scan of the ref, whether they have few or many', async () => {
  const server = await startServer()
  const { db, now } = server.deps
  const project = await server.project('acme/site')
  const rows = Array.from({ length: findings + 5 }, (_, index): MadeUp => {
    const id = index + 1
    const scanner = id > findings ? 'gitleaks' : usual.scanner
    return { ...usual, id, projectId: project.id, scanner, severity: id % findings === 0 ? 'critical' : 'medium' }
  })
  await insertMadeUp(db, rows, now())
  await db.run(sql`
    insert into imports (id, project_id, ref, format, report_type, file_sha256, file_bytes, findings_read, findings_new,
      findings_known, findings_absent, findings_reappeared, findings_merged, findings_skipped, warnings, state, created_at)
    values (1, ${project.id}, 'feature', 'gitlab', 'sast', '', 0, 0, 0, 0, 0, 0, 0, 0, '[]', 'done', ${now()})`)
  const scan = (scanner: string) =>
    db.run(sql`
      insert into scans (import_id, scanner_id, report_type, ref, is_complete, observed_at)
      select 1, id, 'sast', 'feature', true, ${now()} from scanners where external_id = ${scanner}`)
  const compare = async () => {
    const refs = { projectId: project.id, ref: 'feature', targetRef: 'main' }
    const { fixed, samples } = await compareRefs({ db }, refs)
    return { fixed, ids: samples.fixed.map(({ id }) => id) }
  }

  expect(await compare()).toEqual({ fixed: 0, ids: [] })
  await scan('gitleaks')
  expect(await compare()).toEqual({ fixed: 5, ids: [1, 2, 3, 4, 5].map((number) => findings + number) })
  await scan(usual.scanner)
  const ids = [findings, ...Array.from({ length: 19 }, (_, index) => index + 1)]
  expect(await compare()).toEqual({ fixed: findings + 5, ids })
})
