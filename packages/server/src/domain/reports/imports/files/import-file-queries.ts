import sql from 'sql-template-tag'
import type { Db } from '../../../../db/db.ts'
import type { ProjectFile } from '../../../vulnerabilities/project-files/project-file.ts'

/** Stores the files of a repository that came with a report, until the import is visible. */
export async function insertImportFiles(db: Db, importId: number, files: readonly ProjectFile[]): Promise<void> {
  for (const { name, path, content } of files) {
    await db.run(sql`
      insert into import_files (import_id, name, path, content) values (${importId}, ${name}, ${path}, ${content})`)
  }
}

/** Deletes the files of an import and returns them. */
export async function takeImportFiles(db: Db, importId: number): Promise<ProjectFile[]> {
  const files = await db.all<ProjectFile>(sql`
    select name, path, content from import_files where import_id = ${importId} order by name`)
  if (files.length > 0) await db.run(sql`delete from import_files where import_id = ${importId}`)
  return files
}
