import { openCache, perDatabase } from '../../db/cache.ts'
import type { Changes } from '../../db/db.ts'
import type { RootDeps } from '../deps.ts'
import type { PageRequest } from '../page.ts'
import {
  findTopicPosition,
  listTopicIds,
  listTopicIdsAfter,
  type TopicFilter,
  type TopicPosition,
} from './topic-queries.ts'
import { audienceTables } from './visibility/topic-audience.ts'

/** Number of topics between two bookmarks. Skipping so many takes as long as reading two topics. */
const topicsPerBookmark = 500
const maxBookmarkedLists = 100

/** The position before every page that was requested, by the number of bookmarks before it; valid until a topic changes. */
const sharedCaches = perDatabase((changes) => openBookmarks(changes, ['topics', 'topic_names']))
const audienceCaches = perDatabase((changes) => openBookmarks(changes, ['topics', 'topic_names', ...audienceTables]))

const openBookmarks = (changes: Changes, tables: readonly string[]) =>
  openCache<Map<number, TopicPosition>>(changes, tables, maxBookmarkedLists)

/** Returns the ids of a page of topics, and one more. A far page skips few topics once a page near it has been requested. */
export async function listPageIds(deps: RootDeps, filter: TopicFilter, page: PageRequest): Promise<number[]> {
  const number = Math.floor(page.offset / topicsPerBookmark)
  if (number === 0) return listTopicIds(deps.db, filter, page)
  const caches = filter.audience ? audienceCaches : sharedCaches
  const bookmarks = await caches(deps.db).get(JSON.stringify(filter), async () => new Map())
  const start = bookmarks.get(number) ?? (await findPosition(deps, filter, bookmarks, number))
  if (!start) return []
  bookmarks.set(number, start)
  const offset = page.offset - number * topicsPerBookmark
  const ids = await listTopicIdsAfter(deps.db, filter, start, { ...page, offset })
  // These have the same number of projects. A page of topics with different numbers is read from the start.
  return ids.length > page.perPage ? ids : listTopicIds(deps.db, filter, page)
}

/** Finds the topic before a page, from the nearest bookmark before it if the topics between have as many projects. */
async function findPosition(
  { db }: RootDeps,
  filter: TopicFilter,
  bookmarks: ReadonlyMap<number, TopicPosition>,
  number: number,
): Promise<TopicPosition | undefined> {
  let nearest = number - 1
  while (nearest > 0 && !bookmarks.has(nearest)) nearest--
  const after = bookmarks.get(nearest)
  const skipped = (number - nearest) * topicsPerBookmark - 1
  const found = after && (await findTopicPosition(db, filter, skipped, after))
  return found ?? findTopicPosition(db, filter, number * topicsPerBookmark - 1)
}
