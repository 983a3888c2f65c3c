import sql from 'sql-template-tag'
import { expect, test } from 'vitest'
import { startFilledServer } from '../../testing/backups.ts'
import { listStoredFiles, type StoredFile } from './removal-queries.ts'

test('stored files are listed in pages of any size, by kind and id', async () => {
  const { server, project } = await startFilledServer()
  const { db } = server.deps
  const now = '2026-05-01T10:00:00.000Z'
  for (const key of ['a', 'b']) {
    await db.run(sql`
      insert into vulnerability_exports (author_id, project_id, format, filters, filename, object_key, bytes, created_at)
      values (1, ${project.id}, 'csv', '{}', 'list.csv', ${key}, 1, ${now})`)
  }
  await db.run(sql`update imports set object_key = 'report', file_bytes = 2 where id = 1`)
  const inPages = async (size: number) => {
    const found: StoredFile[] = []
    for (let after: StoredFile | undefined; ; after = found.at(-1)) {
      const page = await listStoredFiles(db, after, size)
      expect(page.length).toBeLessThanOrEqual(size)
      found.push(...page)
      if (page.length < size) return found
    }
  }
  const all = await inPages(100)
  expect(all.map(({ what }) => what)).toEqual([
    'upload 1, first.txt',
    'upload 2, second.txt',
    'upload 3, same_as_first.txt',
    'avatar of topic 1, rust',
    'export 1, list.csv',
    'export 2, list.csv',
    'report of import 1, main',
  ])
  for (const size of [1, 2, 3, 4, 7]) expect(await inPages(size)).toEqual(all)
})
