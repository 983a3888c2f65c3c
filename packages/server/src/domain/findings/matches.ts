import { notFound } from '../../platform/failure.ts'
import type { RootDeps } from '../deps.ts'
import { type Page, type PageRequest, pageOf } from '../page.ts'
import type { Project } from '../projects/project.ts'
import { findFindingId, listMatches, type StoredMatch } from './match-queries.ts'

/** Returns the other uuids under which a finding was reported, and the reasons for the matches; newest first. */
export async function findMatches(
  { db }: RootDeps,
  project: Project,
  findingId: number,
  page: PageRequest,
): Promise<Page<StoredMatch>> {
  if (!(await findFindingId(db, project.id, findingId))) throw notFound()
  return pageOf(page, await listMatches(db, findingId, { limit: page.perPage + 1, offset: page.offset }))
}
