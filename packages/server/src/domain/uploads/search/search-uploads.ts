import { setImmediate } from 'node:timers/promises'
import type { Db } from '../../../db/db.ts'
import { parameterProblem } from '../../../platform/failure.ts'
import { roles } from '../../access/roles.ts'
import type { RootDeps } from '../../deps.ts'
import { type Page, type PageRequest, pageOf } from '../../page.ts'
import type { Visitor } from '../../projects/visible.ts'
import type { FoundUpload } from './found-upload.ts'
import { findNewestUploadId, listFoundUploads, searchUploads, type UploadSearch } from './upload-search-queries.ts'

/** Longer searches would not narrow the result. */
const maxLength = 255
const minTermLength = 3

/**
 * Returns uploads by words of their filenames, in the projects and groups whose uploads the caller may list. Throws for a
 * search without a word of three characters, which no index supports.
 */
export async function findUploadsByName(
  { db, now }: RootDeps,
  caller: Visitor,
  search: string,
  page: PageRequest,
): Promise<Page<FoundUpload>> {
  const words = search.slice(0, maxLength).trim().split(/\s+/)
  const terms = words.filter((word) => [...word].length >= minTermLength)
  if (terms.length === 0) throw parameterProblem('search is too short (minimum is 3 characters)')
  const today = now().slice(0, 10)
  const member = caller.isAdmin ? undefined : { userId: caller.user.id, level: roles.maintainer, today }
  const ids = await searchInRanges(db, { terms, member }, page.offset + page.perPage + 1)
  const found = pageOf(page, ids.slice(page.offset))
  return { ...found, rows: await listFoundUploads(db, found.rows) }
}

/** Returns the newest ids. SQLite would block other requests while one statement searches the files of all projects. */
async function searchInRanges(db: Db, search: UploadSearch, limit: number): Promise<number[]> {
  let ids: number[] = []
  for (let upTo = await findNewestUploadId(db); upTo > 0 && ids.length < limit; upTo -= db.dialect.searchedAtOnce) {
    const range = { above: Math.max(0, upTo - db.dialect.searchedAtOnce), upTo }
    ids = ids.concat(await searchUploads(db, search, range, limit - ids.length))
    await setImmediate()
  }
  return ids
}
