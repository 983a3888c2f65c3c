import sql, { raw } from 'sql-template-tag'
import type { Database } from '../../packages/server/src/db/db.ts'
import { roles } from '../../packages/server/src/domain/access/roles.ts'
import { removeFindings } from '../../packages/server/src/domain/removal/remove.ts'
import { digestToken } from '../../packages/server/src/domain/tokens/tokens.ts'
import type { Sizes } from '../options.ts'
import { forEachBatch } from './batches.ts'
import { copyFindings } from './copy-findings.ts'
import { assigneeCount, benchToken, firstAssigneeId, now } from './fixtures.ts'
import { insertCounts, seedFindings } from './seed-findings.ts'
import { seedTopics } from './seed-topics.ts'
import { seedUploads } from './seed-uploads.ts'
import { sentence } from './words.ts'

const userId = 1
const groupId = 1
/** Projects from this id on belong to one run. */
const firstScratchId = 1_000_000

/** Seeds an empty database with the same rows every time. */
export async function seed(db: Database, sizes: Sizes): Promise<void> {
  await seedPeople(db)
  await insertProjects(db, 1, sizes.projects)
  await seedTopics(db, sizes)
  await seedFindings(db, sizes)
  if (sizes.allFindings) await copyFindings(db, sizes.projects, sizes.allFindings)
  await insertCounts(db)
  await seedUploads(db, userId)
  for (const table of tablesWithGivenIds) await skipUsedIds(db, table)
}

/** Creates empty projects for the writes of this run and removes those of earlier runs. */
export async function scratchProjects(db: Database, count: number): Promise<number[]> {
  const left = await db.all<{ id: number }>(sql`select id from projects where id >= ${firstScratchId} order by id`)
  for (const { id } of left) {
    await removeFindings({ db }, [id])
    await db.run(sql`delete from projects where id = ${id}`)
  }
  await insertProjects(db, firstScratchId, count)
  return Array.from({ length: count }, (_, index) => firstScratchId + index)
}

async function seedPeople(db: Database): Promise<void> {
  await db.run(sql`
    insert into users (id, username, username_key, email, email_key, name, created_at, updated_at)
    values (${userId}, 'bench', 'bench', 'bench@example.test', 'bench@example.test', 'Bench', ${now}, ${now})`)
  const assignees = Array.from({ length: assigneeCount }, (_, index) => ({
    id: firstAssigneeId + index,
    username: `developer-${index}`,
  }))
  await db.run(sql`
    insert into users (id, username, username_key, email, email_key, name, created_at, updated_at)
    select r.id, r.username, r.username, r.username || '@example.test', r.username || '@example.test', r.username,
      ${now}, ${now}
    from ${db.dialect.records(assignees, { id: 'integer', username: 'text' })} as r`)
  await db.run(sql`
    insert into access_tokens (user_id, kind, name, digest, scopes, created_at)
    values (${userId}, 'personal', 'bench', ${digestToken(benchToken)}, ${['api']}, ${now})`)
  await db.run(sql`
    insert into namespaces (id, organization_id, kind, name, path, full_path, full_path_key, full_name, visibility,
      created_at, updated_at)
    values (${groupId}, 1, 'group', 'Bench', 'bench', 'bench', 'bench', 'Bench', 'private', ${now}, ${now})`)
  await db.run(sql`
    insert into members (namespace_id, user_id, access_level, created_at)
    values (${groupId}, ${userId}, ${roles.maintainer}, ${now})`)
}

async function insertProjects(db: Database, firstId: number, count: number): Promise<void> {
  await forEachBatch(db, 'projects', count, async (db, numbers) => {
    const rows = numbers.map((number) => {
      const id = firstId + number
      return { id, name: `Project ${id}`, path: `project-${id}`, description: sentence(id, 8) }
    })
    const columns = { id: 'integer', name: 'text', path: 'text', description: 'text' } as const
    await db.run(sql`
      insert into projects (id, organization_id, namespace_id, creator_id, name, path, full_path, full_path_key,
        description, visibility, created_at, updated_at, last_activity_at)
      select r.id, 1, ${groupId}, ${userId}, r.name, r.path, 'bench/' || r.path, 'bench/' || r.path, r.description,
        case when r.id % 3 = 0 then 'public' else 'private' end, ${now}, ${now}, ${now}
      from ${db.dialect.records(rows, columns)} as r`)
  })
}

const tablesWithGivenIds = [
  ...['users', 'namespaces', 'projects', 'topics', 'uploads'],
  ...['imports', 'scanners', 'identifiers', 'vulnerabilities', 'findings'],
]

/** Updates PostgreSQL's sequences, which do not notice explicit ids. */
async function skipUsedIds(db: Database, table: string): Promise<void> {
  if (db.dialect.engine === 'sqlite') return
  const name = raw(table)
  await db.all(sql`select setval(pg_get_serial_sequence(${table}, 'id'), (select max(id) from ${name}))`)
}
