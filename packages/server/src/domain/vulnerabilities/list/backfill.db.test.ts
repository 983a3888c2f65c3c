import sql from 'sql-template-tag'
import { expect, test } from 'vitest'
import { migrate } from '../../../db/migrate.ts'
import { migrations } from '../../../db/migrations/all.ts'
import { emptyDatabase } from '../../../testing/database.ts'
import { listCells } from './cell-queries.ts'
import { openListing } from './listing.ts'
import { readStatistics } from './statistics.ts'

const now = '2026-03-05T12:00:00.000Z'

test('vulnerabilities of an older database are counted, dated and searchable after the migration', async () => {
  const db = await emptyDatabase()
  await migrate(
    db,
    migrations.filter(({ name }) => name < '0006'),
  )
  await db.run(sql`
    insert into namespaces (id, organization_id, kind, name, path, full_path, full_path_key, full_name, visibility,
      created_at, updated_at)
    values (1, 1, 'group', 'Acme', 'acme', 'acme', 'acme', 'Acme', 'private', ${now}, ${now})`)
  await db.run(sql`
    insert into projects (id, organization_id, namespace_id, name, path, full_path, full_path_key, visibility, created_at,
      updated_at, last_activity_at)
    values (1, 1, 1, 'Site', 'site', 'acme/site', 'acme/site', 'private', ${now}, ${now}, ${now})`)
  await db.run(sql`
    insert into scanners (id, project_id, external_id, name, vendor, created_at)
    values (7, 1, 'semgrep', 'Semgrep', 'Acme', ${now})`)
  await db.run(sql`
    insert into identifiers (id, project_id, fingerprint, external_type, external_id, name)
    values (1, 1, 'f', 'cwe', '79', 'CWE-79')`)
  const made = [
    { id: 1, state: 'detected', severity: 7, created_at: '2026-03-01T10:00:00.000Z', resolved_at: null },
    { id: 2, state: 'confirmed', severity: 4, created_at: '2026-03-02T10:00:00.000Z', resolved_at: null },
    {
      id: 3,
      state: 'resolved',
      severity: 4,
      created_at: '2026-03-02T10:00:00.000Z',
      resolved_at: '2026-03-04T10:00:00.000Z',
    },
  ]
  const columns = {
    id: 'integer',
    state: 'text',
    severity: 'integer',
    created_at: 'timestamp',
    resolved_at: 'timestamp',
  } as const
  await db.run(sql`
    insert into vulnerabilities (id, project_id, title, state, severity, confidence, report_type, created_at, updated_at,
      resolved_at)
    select r.id, 1, 'Flaw', r.state, r.severity, 2, 'sast', r.created_at, r.created_at, r.resolved_at
    from ${db.dialect.records(made, columns)} as r`)
  await db.run(sql`
    insert into findings (id, project_id, vulnerability_id, uuid, report_type, scanner_id, primary_identifier_id, name,
      severity, confidence, location, location_fingerprint, details, extras, digest, metadata_version, raw_metadata,
      detected_at, created_at, updated_at)
    select r.id, 1, r.id, 'uuid-' || r.id, 'sast', 7, 1, 'Weak hash ' || r.id, r.severity, 2, ${{ file: 'src/app.ts' }},
      '', '{}', '{}', '', '15.2.1', '{}', r.created_at, r.created_at, r.created_at
    from ${db.dialect.records(made, columns)} as r`)

  await db.run(sql`
    insert into occurrences (project_id, finding_id, ref, severity, is_present, first_seen_at, last_seen_at)
    select 1, id, 'main', severity, true, ${now}, ${now} from findings`)

  await migrate(db, migrations)
  const occurrences = await db.all(sql`select finding_id as id, state from occurrences order by finding_id`)
  expect(occurrences).toEqual(made.map(({ id, state }) => ({ id, state })))
  const scope = { key: '', projectIds: [1] }
  const cells = await listCells(db, scope.projectIds)
  expect(
    cells.map(({ severity, state, scanner, total, seconds }) => [severity, state, scanner, total, seconds]),
  ).toEqual([
    ['critical', 'detected', 'semgrep', 1, 0],
    ['low', 'confirmed', 'semgrep', 1, 0],
    ['low', 'resolved', 'semgrep', 1, 2 * 24 * 3600],
  ])
  const { days } = await readStatistics({ db, now: () => now }, scope)
  expect(days.slice(-6).map(({ active }) => active.critical + active.low)).toEqual([0, 1, 3, 3, 2, 2])
  const found = async (search: string) => {
    const listing = await openListing(db, cells, scope, { search }, 'detected_asc')
    return (await listing.next(undefined, 10)).map(({ id }) => id)
  }
  expect(await found('hash 2')).toEqual([1, 2, 3])
  expect(await found('app.ts')).toEqual([1, 2, 3])
  expect(await found('nowhere')).toEqual([])
})
