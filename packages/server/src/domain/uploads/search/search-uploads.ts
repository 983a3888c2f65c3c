import { parameterProblem } from '../../../platform/failure.ts'
import { roles } from '../../access/roles.ts'
import type { RootDeps } from '../../deps.ts'
import { type Page, type PageRequest, pageOf } from '../../page.ts'
import type { Visitor } from '../../projects/visible.ts'
import type { FoundUpload } from './found-upload.ts'
import { searchUploads } from './upload-search-queries.ts'

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
  return pageOf(page, await searchUploads(db, terms, member, page))
}
