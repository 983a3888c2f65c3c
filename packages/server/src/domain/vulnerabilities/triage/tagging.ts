import type { Deps } from '../../deps.ts'
import { type Page, type PageRequest, pageOf } from '../../page.ts'
import type { ListScope } from '../list/filter.ts'
import type { Change } from './change.ts'
import { listTagNames, upsertTags } from './tag-queries.ts'

/** Returns the change with its new tags as the project spells them, which it adds to those of the project. */
export async function withProjectTags(deps: Deps, projectId: number, change: Change): Promise<Change> {
  if (change.action !== 'tag' && change.action !== 'set_tags') return change
  return { ...change, tags: await upsertTags(deps.db, projectId, change.tags) }
}

/** Returns the tags that vulnerabilities of the projects have, in alphabetical order. */
export async function findTags(
  { db }: Pick<Deps, 'db'>,
  { projectIds }: Pick<ListScope, 'projectIds'>,
  filter: { search?: string | undefined; page: PageRequest },
): Promise<Page<string>> {
  return pageOf(filter.page, await listTagNames(db, projectIds, filter))
}
