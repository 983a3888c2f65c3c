import sql, { raw } from 'sql-template-tag'
import { expect, test } from 'vitest'
import { noSolution } from '../../../domain/findings/fix-sql.ts'
import { examine } from '../../../domain/removal/doctor.ts'
import { emptyDatabase } from '../../../testing/databases/database.ts'
import { oldDatabase, oldObjects } from '../../../testing/databases/old-database.ts'
import { readSchema } from '../../../testing/databases/schema.ts'
import { startServer, type TestServer } from '../../../testing/server.ts'
import type { Db } from '../../db.ts'
import { migrate, pendingMigrations } from '../../migrate.ts'
import { uploadIndexes } from '../0165_upload_indexes.ts'
import { migrations } from '../all.ts'
import { unreleased } from './unreleased.ts'

/** Returns the names of the migrations of an old database after its first ones. Commit 5d14de7 had 24. */
const namesAfter = (count: number) => [...unreleased.slice(count), ...migrations.slice(1)].map(({ name }) => name)

async function newSchema() {
  const db = await emptyDatabase()
  expect(await migrate(db, migrations)).toEqual(migrations.map(({ name }) => name))
  return readSchema(db)
}

test('an upgraded database has the schema of a new one', async () => {
  const db = await oldDatabase()
  expect(await migrate(db, migrations)).toEqual(namesAfter(24))
  expect(await readSchema(db)).toEqual(await newSchema())
  expect(await pendingMigrations(db, migrations)).toEqual([])
})

test('a database of a later commit gets only the missing migrations', async () => {
  const db = await oldDatabase()
  await migrate(db, unreleased.slice(0, 28))
  expect(await migrate(db, migrations)).toEqual(namesAfter(28))
  expect(await readSchema(db)).toEqual(await newSchema())
})

test('a database of an earlier commit is rejected and not changed', async () => {
  const db = await oldDatabase()
  await db.run(sql`delete from schema_migrations where name = '0033_scans_of_category'`)
  const before = await readSchema(db)
  await expect(migrate(db, migrations)).rejects.toThrow(
    /older than commit 5d14de7; run `alcove migrate` of that commit/,
  )
  expect(await readSchema(db)).toEqual(before)
  expect(await db.all(sql`select name from schema_migrations`)).toHaveLength(23)
})

test('a database of a newer version is rejected', async () => {
  for (const db of [await oldDatabase(), await emptyDatabase()]) {
    await migrate(db, migrations)
    await db.run(
      sql`insert into schema_migrations (name, applied_at) values ('9999_later', '2026-11-22T00:00:00.000Z')`,
    )
    await expect(migrate(db, migrations)).rejects.toThrow(/\(9999_later\): it was used by a newer version/)
  }
})

/** Names that the upgrade changed, as far as rows have them. */
const renamed: Record<string, string> = {
  doomed_objects: 'pending_deletions',
  finding_promotion_slices: 'finding_promotion_batches',
  vulnerability_bulks: 'vulnerability_bulk_changes',
  doomedAt: 'markedAt',
  place: 'locationPath',
  findingsGone: 'findingsAbsent',
  findingsReturned: 'findingsReappeared',
  run: 'attempt',
  seenAt: 'observedAt',
  forgottenAt: 'undoExpiredAt',
}

test('the upgrade keeps every row', async () => {
  const db = await oldDatabase()
  const before = new Map<string, Row[]>()
  for (const table of await listTables(db)) before.set(table, await listRows(db, table))
  expect(before.size).toBe(51)
  await migrate(db, migrations)

  const ghost = await db.one<{ id: number }>(sql`select id from users where is_ghost = true`)
  for (const [table, rows] of before) {
    if (table === 'schema_migrations') continue
    expect(rows.length, table).toBeGreaterThan(0)
    const columns = Object.keys(rows[0] ?? {})
    // References to deleted users were null before the ghost replaced them.
    const former = (row: Row, column: string) => {
      const value = row[renamed[column] ?? column]
      return /ById$|^(author|user|creator)Id$/.test(column) && value === ghost?.id ? null : value
    }
    const after = (await listRows(db, renamed[table] ?? table))
      .filter((row) => table !== 'users' || row['isGhost'] === false)
      .filter((row) => row['kind'] !== 'package-urls' && row['kind'] !== 'flaw-keys') // queued by the upgrade
      .map((row) => Object.fromEntries(columns.map((column) => [column, former(row, column)])))
    expect(sorted(after), table).toEqual(sorted(rows))
  }
})

test('an occurrence keeps every category', async () => {
  const db = await oldDatabase()
  await db.run(sql`insert into report_categories (id, project_id, name) values (2, 1, 'weekly'), (12, 1, 'images')`)
  await db.run(sql`update occurrences set categories = ',12,1,' where id = 2`)
  await db.run(sql`update occurrences set categories = ',2,' where id = 7`)
  await migrate(db, migrations)
  const rows = await db.all<{ categoryId: number }>(sql`
    select category_id from occurrence_categories where occurrence_id in (2, 6, 7) order by occurrence_id, category_id`)
  expect(rows.map(({ categoryId }) => categoryId)).toEqual([1, 12, 2])
})

test('migrating uploads keeps the rows that refer to them, and never reuses an id', async () => {
  const db = await oldDatabase()
  await migrate(db, migrations.slice(0, migrations.indexOf(uploadIndexes)))
  const time = '2026-11-20T10:00:00.000Z'
  const upload = await db.one<{ id: number; projectId: number }>(sql`
    select id, project_id from uploads where project_id is not null order by id limit 1`)
  if (!upload) throw new Error('the old database has no upload of a project')
  const addUpload = async () => {
    const row = await db.one<{ id: number }>(sql`
      insert into uploads (project_id, secret, filename, bytes, sha256, object_key, created_at)
      values (${upload.projectId}, 'c0ffee', 'new-name.txt', 1, 'abc', 'files/c0ffee', ${time}) returning id`)
    return row?.id ?? 0
  }
  const deletedId = await addUpload()
  await db.run(sql`delete from uploads where id = ${deletedId}`)
  await db.run(sql`
    insert into upload_links (upload_id, token_hash, name, created_at, expires_at)
    values (${upload.id}, 'hash', 'For the auditor', ${time}, ${time})`)
  await db.run(sql`
    insert into upload_reference_sources (project_id, source, created_at, updated_at)
    values (${upload.projectId}, 'wiki', ${time}, ${time})`)
  await db.run(sql`
    insert into upload_references (source_id, upload_id, uses) select id, ${upload.id}, 2 from upload_reference_sources`)
  await db.run(sql`
    insert into resumable_uploads (project_id, user_id, upload_key, filename, total_bytes, created_at, expires_at, upload_id)
    select ${upload.projectId}, min(id), 'key', 'disk.img', 10, ${time}, ${time}, ${upload.id} from users`)
  await db.run(sql`
    insert into resumable_uploads (project_id, user_id, upload_key, filename, total_bytes, created_at, expires_at)
    select ${upload.projectId}, min(id), 'unfinished', 'disk.img', 10, ${time}, ${time} from users`)
  await db.run(sql`
    insert into resumable_parts (resumable_id, start_byte, bytes, sha256, object_key)
    select id, 0, 5, 'abc', 'files/part' from resumable_uploads where upload_id is null`)
  const tables = [
    'resumable_parts',
    'uploads',
    'upload_links',
    'upload_reference_sources',
    'upload_references',
    'resumable_uploads',
  ]
  const read = () => Promise.all(tables.map((table) => listRows(db, table)))
  const before = await read()

  expect(await migrate(db, migrations)).toContain('0165_upload_indexes')
  expect(await read()).toEqual(before)
  const id = await addUpload()
  expect(id).toBeGreaterThan(deletedId)
  const found = await db.all(sql`select id from uploads where ${db.dialect.contains(sql`filename`, 'ew-nam')}`)
  expect(found).toEqual([{ id }])
  await db.run(sql`delete from uploads where id = ${upload.id}`)
  const left = await read()
  expect(left.map((rows) => rows.length)).toEqual([1, before[1]?.length, 0, 1, 0, 1])
})

test('vulnerabilities have a fix if the report describes one', async () => {
  const db = await oldDatabase()
  const solutions = ['Upgrade to 2.0', '', ...noSolution.map((text) => `${text} yet`)]
  const found = await db.all<{ id: number; vulnerabilityId: number }>(sql`
    select id, vulnerability_id from findings where vulnerability_id is not null order by id limit ${solutions.length}`)
  expect(found.length).toBe(solutions.length)
  for (const [index, { id }] of found.entries())
    await db.run(sql`update findings set solution = ${solutions[index]} where id = ${id}`)
  await migrate(db, migrations)
  const ids = found.map(({ vulnerabilityId }) => vulnerabilityId)
  const fixed = await db.all<{ id: number }>(sql`
    select id from vulnerabilities where fix_available_at = created_at and id in ${db.dialect.integers(ids)}`)
  expect(fixed.map(({ id }) => id)).toEqual([ids[0]])
})

test('an upgraded database is served as before, its jobs run, and the doctor finds no problems', async () => {
  const db = await oldDatabase()
  await migrate(db, migrations)
  const objects = await oldObjects()
  const clock = { now: '2026-11-20T10:00:00.000Z' }
  const drop = async () => {}
  const server = await startServer({ database: { db, drop }, objects, clock, resolve: async () => ['10.0.0.7'] })
  const { admin } = server
  const anna = await server.client({ ...admin, user: (await admin.get('/users/2')).body }, { scopes: ['api'] })
  expect((await anna.get('/security/vulnerability_exports/1')).body).toMatchObject({ status: 'finished' })
  await expectServed(server)
  expect(await listWrongStates(db)).toEqual([])

  const promoted = () => admin.get('/projects/1/vulnerability_findings/5')
  await server.runJobs()
  expect((await promoted()).body).toMatchObject({ name: 'Path traversal', vulnerability_id: expect.any(Number) })
  expect((await anna.get('/security/vulnerability_exports/2')).body).toMatchObject({ status: 'finished' })
  expect(await examine(server.deps, { fix: false, contents: true })).toMatchObject({ findings: [] })
})

/** Reads nouns of every kind and compares them with what commit 5d14de7 returned. */
async function expectServed({ admin }: TestServer): Promise<void> {
  const values = async (path: string, field: string) =>
    (await admin.get(path)).body.map((row: Record<string, unknown>) => row[field])
  expect(await values('/projects?order_by=id&sort=asc', 'path_with_namespace')).toEqual(['acme/site', 'acme/library'])
  const moved = await admin.get('/projects/acme%2Flib')
  expect(moved).toMatchObject({ status: 301, headers: { location: expect.stringMatching(/projects.2$/) } })
  expect(await values('/projects?search=libr', 'path')).toEqual(['library'])
  expect(await values('/projects/1/members', 'username')).toEqual(['dora'])
  expect(await values('/groups/acme/members', 'username')).toEqual(['root', 'anna'])
  expect(await values('/organizations', 'path')).toEqual(['default', 'globex'])
  expect(await values('/personal_access_tokens?user_id=2&state=active', 'name')).toEqual(['test', 'ci', 'test'])
  expect(await values('/topics', 'name')).toEqual(['web', 'security'])
  expect(await values('/topics?search=infosec', 'name')).toEqual(['security'])
  expect((await admin.get('/topics/merges')).body).toMatchObject([
    { source_topic: { name: 'websites' }, undone_at: null },
  ])
  expect((await admin.post('/topics/merges/1/undo')).status).toBe(201)

  const uploads = (await admin.get('/projects/1/uploads')).body
  expect(uploads).toMatchObject([
    { filename: 'eve.txt', uploaded_by: { username: 'ghost' } },
    { filename: 'notes.txt', uploaded_by: { username: 'anna' } },
  ])
  expect((await admin.get(`/projects/1/uploads/${uploads[1].id}`)).text).toBe('kept notes')
  const [deleted] = (await admin.get('/projects/1/uploads?deleted=true')).body
  expect((await admin.post(`/projects/1/uploads/${deleted.id}/restore`)).body).toMatchObject({ alt: 'old.txt' })

  const vulnerabilities = (await admin.get('/projects/1/vulnerabilities')).body
  // The job that was waiting may have promoted another one meanwhile.
  const former = vulnerabilities.filter(({ id }: { id: number }) => id <= 5)
  expect(former.map(({ title, state, severity }: Row) => [title, state, severity])).toEqual([
    ['Weak hash', 'dismissed', 'high'],
    ['SQL injection', 'confirmed', 'high'],
    ['Open redirect', 'resolved', 'medium'],
    ['Debug on', 'detected', 'info'],
  ])
  expect(await values('/projects/1/vulnerabilities?search=hash', 'title')).toEqual(['Weak hash'])
  expect(await values('/vulnerabilities/1/history', 'kind')).toEqual(['created', 'severity', 'state', 'linked', 'note'])
  expect(await values('/vulnerabilities/2/history', 'comment')).toContain('Written by Eve')
  expect(await values('/vulnerabilities/1/issue_links', 'title')).toEqual(['Issue 1'])
  expect(await values('/projects/1/vulnerabilities/bulk', 'changed')).toEqual([1])
  expect(await values('/projects/1/hooks', 'name')).toEqual(['Chat'])
  expect(await values('/projects/1/security_reports', 'findings')).toMatchObject([
    { read: 0 },
    { read: 2, new: 1, known: 1, promoted: 1 },
    { read: 4, new: 2, known: 2, gone: 1, changed: 2 },
    { read: 3, new: 3, promoted: 3 },
  ])
}

type Row = Record<string, unknown>

/** Returns the occurrences whose state is not that of their vulnerability. */
const listWrongStates = (db: Db) =>
  db.all(sql`
    select o.id, o.state, v.state as expected from occurrences o join findings f on f.id = o.finding_id
      left join vulnerabilities v on v.id = f.vulnerability_id
    where o.state <> coalesce(v.state, 'detected')`)

async function listTables({ all, dialect }: Db): Promise<string[]> {
  const rows = await all<{ name: string }>(
    dialect.engine === 'sqlite'
      ? sql`select name from pragma_table_list where type = 'table' and schema = 'main' and name not like 'sqlite_%'`
      : sql`
          select tablename as name from pg_tables where schemaname = 'public' and tablename <> 'recent_commits'`,
  )
  return rows.map(({ name }) => name)
}

/** Returns all rows. Occurrences that have no column of categories get it from the table of them. */
async function listRows(db: Db, table: string): Promise<Row[]> {
  const rows = await db.all<Row>(sql`select * from ${raw(table)}`)
  if (table !== 'occurrences' || rows.every((row) => 'categories' in row)) return rows
  const listed = await db.all<{ occurrenceId: number; categoryId: number }>(sql`
    select occurrence_id, category_id from occurrence_categories order by occurrence_id, category_id`)
  const idsOf = ({ id }: Row) => listed.flatMap((one) => (one.occurrenceId === id ? `${one.categoryId},` : []))
  return rows.map((row) => ({ ...row, categories: idsOf(row).reduce((text, id) => (text || ',') + id, '') }))
}

const sorted = (rows: Row[]) => rows.map((row) => JSON.stringify(row)).sort()
