import sql from 'sql-template-tag'
import type { Database } from '../../packages/server/src/db/db.ts'
import { forEachBatch } from './batches.ts'
import { measuredProjects, now } from './fixtures.ts'

/** Number of listed uploads. They have no objects. */
const uploads = 2_000
const sha256 = '0'.repeat(64)

/** Seeds uploads of one project. */
export async function seedUploads(db: Database, userId: number): Promise<void> {
  await forEachBatch(db, 'uploads', uploads, async (db, numbers) => {
    const rows = numbers.map((number) => ({
      secret: number.toString(16).padStart(32, '0'),
      filename: `screenshot-${number}.png`,
      bytes: 1_000 + number,
      object_key: `bench/upload-${number}`,
    }))
    const columns = { secret: 'text', filename: 'text', bytes: 'integer', object_key: 'text' } as const
    await db.run(sql`
      insert into uploads (project_id, uploaded_by_id, secret, filename, content_type, bytes, sha256, object_key, created_at)
      select ${measuredProjects.large}, ${userId}, r.secret, r.filename, 'image/png', r.bytes, ${sha256}, r.object_key,
        ${now}
      from ${db.dialect.records(rows, columns)} as r`)
  })
}
