import { hash } from 'node:crypto'
import { openCache, perDatabase } from '../../db/cache.ts'
import type { Changes, Db } from '../../db/db.ts'
import type { RootDeps } from '../deps.ts'
import type { PageRequest } from '../page.ts'
import {
  findTopicPosition,
  listTopicIds,
  listTopicPositions,
  type TopicFilter,
  type TopicPosition,
} from './topic-queries.ts'
import { audienceTables } from './visibility/topic-audience.ts'

/** Number of topics that are read together. Reading that many ids takes as long as reading five topics. */
const topicsPerBatch = 500
/** Maximum total weight of the batches in a cache. An id weighs 1 and takes 8 bytes. */
const maxCachedIds = 200_000
/** Weight of a batch without its ids. */
const overheadIds = 50
/** Number of earlier batches that are searched for a cached end. */
const maxLookback = 50

/** Consecutive topics of a list. */
interface Batch {
  ids: number[]
  /** Position of the last topic. */
  end: TopicPosition | undefined
}

/** Batches that contain requested pages, by filter and batch number; valid until a topic changes. */
const sharedCaches = perDatabase((changes) => openBatches(changes, ['topics', 'topic_names']))
const audienceCaches = perDatabase((changes) => openBatches(changes, ['topics', 'topic_names', ...audienceTables]))

const openBatches = (changes: Changes, tables: readonly string[]) =>
  openCache<Batch>(changes, tables, maxCachedIds, ({ ids }) => ids.length + overheadIds)

/**
 * Returns the ids of a page of topics, plus one more if another page follows. Pages in the same batch share its cached ids.
 */
export async function listPageIds(deps: RootDeps, filter: TopicFilter, page: PageRequest): Promise<number[]> {
  const first = Math.floor(page.offset / topicsPerBatch)
  // Most lists are read only at their beginning, so pages that start within the first batch are read without it.
  if (first === 0) return listTopicIds(deps.db, filter, page)
  const last = Math.floor((page.offset + page.perPage) / topicsPerBatch)
  const readBatch = batchReader(deps, filter)
  const ids: number[] = []
  for (let number = first; number <= last; number++) ids.push(...(await readBatch(number)).ids)
  const start = page.offset - first * topicsPerBatch
  return ids.slice(start, start + page.perPage + 1)
}

/** Returns a function that reads a batch of the list, or takes it from the cache. */
function batchReader({ db }: RootDeps, filter: TopicFilter): (number: number) => Promise<Batch> {
  const batches = (filter.audience ? audienceCaches : sharedCaches)(db)
  const key = hash('sha1', JSON.stringify(filter)) // a filter can contain long texts
  const endOf = (number: number) => batches.peek(`${number} ${key}`)?.end
  return (number) =>
    batches.getShared(`${number} ${key}`, async () => {
      const after = await findEnd(db, filter, number - 1, endOf)
      const topics = after ? await listAfter(db, filter, after) : []
      return { ids: topics.map(({ id }) => id), end: topics.at(-1) }
    })
}

async function listAfter(db: Db, filter: TopicFilter, after: TopicPosition): Promise<TopicPosition[]> {
  const asUsed = await listTopicPositions(db, filter, { after }, topicsPerBatch)
  if (asUsed.length === topicsPerBatch) return asUsed
  const left = topicsPerBatch - asUsed.length
  return [...asUsed, ...(await listTopicPositions(db, filter, { fewerThan: after.projects }, left))]
}

/**
 * Returns the position of the last topic of a batch. Counts from the end of the nearest cached batch before it if all topics
 * between have the same number of projects, otherwise from the start of the list.
 */
async function findEnd(
  db: Db,
  filter: TopicFilter,
  number: number,
  endOf: (number: number) => TopicPosition | undefined,
): Promise<TopicPosition | undefined> {
  let nearest = number
  while (!endOf(nearest) && nearest > 0 && nearest > number - maxLookback) nearest--
  const end = endOf(nearest)
  if (end && nearest === number) return end
  const skipped = (number - nearest) * topicsPerBatch - 1
  const found = end && (await findTopicPosition(db, filter, skipped, end))
  return found ?? findTopicPosition(db, filter, (number + 1) * topicsPerBatch - 1)
}
