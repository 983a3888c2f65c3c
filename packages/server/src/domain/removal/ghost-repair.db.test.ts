import sql from 'sql-template-tag'
import { expect, test } from 'vitest'
import type { Database } from '../../db/db.ts'
import { migrate } from '../../db/migrate.ts'
import { migrations } from '../../db/migrations/all.ts'
import { emptyOldDatabase } from '../../testing/databases/old-database.ts'

const now = '2026-03-05T12:00:00.000Z'

/** Schema before the ghost was added, with a user's project and one vulnerability. */
async function databaseBefore(): Promise<Database> {
  const db = await emptyOldDatabase()
  await db.run(sql`
    insert into users (username, username_key, email, email_key, name, created_at, updated_at)
    values ('anna', 'anna', 'anna@example.test', 'anna@example.test', 'Anna', ${now}, ${now})`)
  await db.run(sql`
    insert into namespaces (id, organization_id, kind, name, path, full_path, full_path_key, full_name, visibility,
      created_at, updated_at)
    values (1, 1, 'group', 'Acme', 'acme', 'acme', 'acme', 'Acme', 'private', ${now}, ${now})`)
  await db.run(sql`
    insert into projects (id, organization_id, namespace_id, creator_id, name, path, full_path, full_path_key, visibility,
      created_at, updated_at, last_activity_at)
    values (1, 1, 1, 1, 'Site', 'site', 'acme/site', 'acme/site', 'private', ${now}, ${now}, ${now})`)
  await db.run(sql`
    insert into scanners (id, project_id, external_id, name, vendor, created_at)
    values (1, 1, 'semgrep', 'Semgrep', 'Acme', ${now})`)
  await db.run(sql`
    insert into vulnerabilities (id, project_id, author_id, title, state, severity, confidence, report_type, scanner_id,
      created_at, updated_at)
    values (1, 1, 1, 'Flaw', 'detected', 4, 2, 'sast', 1, ${now}, ${now})`)
  return db
}

const ghosts = (db: Database) => db.all(sql`select id, username, email from users where is_ghost = true`)

test('the upgrade of a database without deleted users creates no ghost user', async () => {
  const db = await databaseBefore()
  await migrate(db, migrations)
  expect(await ghosts(db)).toEqual([])
})

test('the upgrade assigns references of deleted users to a ghost user with a free username', async () => {
  const db = await databaseBefore()
  await db.run(sql`
    insert into users (username, username_key, email, email_key, name, created_at, updated_at)
    values ('Ghost', 'ghost', 'g@example.test', 'g@example.test', 'A person', ${now}, ${now})`)
  await db.run(sql`
    insert into vulnerabilities (id, project_id, title, state, severity, confidence, report_type, scanner_id, dismissed_at,
      resolved_at, is_auto_resolved, created_at, updated_at)
    values (2, 1, 'Old', 'dismissed', 4, 2, 'sast', 1, ${now}, ${now}, true, ${now}, ${now})`)
  await db.run(sql`
    insert into vulnerability_history (id, vulnerability_id, kind, user_id, ref, created_at, updated_at)
    values (1, 2, 'note', null, null, ${now}, ${now}), (2, 2, 'state', null, 'main', ${now}, ${now}),
      (3, 2, 'created', null, 'main', ${now}, ${now}), (4, 1, 'note', 1, null, ${now}, ${now})`)
  await migrate(db, migrations)

  const [ghost] = await ghosts(db)
  expect(ghost).toEqual({ id: 3, username: 'ghost1', email: 'ghost1@alcove.invalid' })
  expect(
    await db.all(
      sql`select id, author_id, confirmed_by_id, dismissed_by_id, resolved_by_id from vulnerabilities order by id`,
    ),
  ).toEqual([
    { id: 1, authorId: 1, confirmedById: null, dismissedById: null, resolvedById: null },
    // Resolved by an import.
    { id: 2, authorId: 3, confirmedById: null, dismissedById: 3, resolvedById: null },
  ])
  expect(await db.all(sql`select id, user_id from vulnerability_history order by id`)).toEqual([
    { id: 1, userId: 3 },
    // Done by an import.
    { id: 2, userId: null },
    { id: 3, userId: 3 },
    { id: 4, userId: 1 },
  ])
})
