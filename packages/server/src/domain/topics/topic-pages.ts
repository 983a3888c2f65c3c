import { openCache, perDatabase } from '../../db/cache.ts'
import type { Changes } from '../../db/db.ts'
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

/** Number of topics that are read together. Reading so many ids takes as long as reading five topics. */
const topicsPerBatch = 500
/** Maximum number of ids in all batches of a cache. They take 8 bytes each. */
const maxCachedIds = 200_000
/** Weight of a batch without its ids. */
const overheadIds = 50
const maxCachedBatches = maxCachedIds / topicsPerBatch

/** Consecutive topics of a list. */
interface Batch {
  ids: number[]
  /** Position of the last topic. */
  end: TopicPosition | undefined
}

/** Batches that contain requested pages, by filter and number; valid until a topic changes. */
const sharedCaches = perDatabase((changes) => openBatches(changes, ['topics', 'topic_names']))
const audienceCaches = perDatabase((changes) => openBatches(changes, ['topics', 'topic_names', ...audienceTables]))

const openBatches = (changes: Changes, tables: readonly string[]) =>
  openCache<Batch>(changes, tables, maxCachedIds, ({ ids }) => ids.length + overheadIds)

/** Returns the ids of a page of topics, and one more. Pages that are near each other need one statement together. */
export async function listPageIds(deps: RootDeps, filter: TopicFilter, page: PageRequest): Promise<number[]> {
  const first = Math.floor(page.offset / topicsPerBatch)
  // Most lists are only read at their beginning, so the first page is read alone.
  if (first === 0) return listTopicIds(deps.db, filter, page)
  const last = Math.floor((page.offset + page.perPage) / topicsPerBatch)
  const ids: number[] = []
  for (let number = first; number <= last; number++) ids.push(...(await readBatch(deps, filter, number)).ids)
  const start = page.offset - first * topicsPerBatch
  return ids.slice(start, start + page.perPage + 1)
}

function readBatch(deps: RootDeps, filter: TopicFilter, number: number): Promise<Batch> {
  const batches = (filter.audience ? audienceCaches : sharedCaches)(deps.db)
  const key = JSON.stringify(filter)
  const keyOf = (number: number) => `${number} ${key}`
  const endOf = (number: number) => batches.peek(keyOf(number))?.end
  return batches.get(keyOf(number), async () => {
    const after = await findEnd(deps, filter, number - 1, endOf)
    const topics = after ? await listTopicPositions(deps.db, filter, after, topicsPerBatch) : []
    return { ids: topics.map(({ id }) => id), end: topics.at(-1) }
  })
}

/** Finds the last topic of a batch, from the end of the nearest batch before it if the topics between have as many projects. */
async function findEnd(
  { db }: RootDeps,
  filter: TopicFilter,
  number: number,
  endOf: (number: number) => TopicPosition | undefined,
): Promise<TopicPosition | undefined> {
  let nearest = number
  while (!endOf(nearest) && nearest > 0 && nearest > number - maxCachedBatches) nearest--
  const end = endOf(nearest)
  if (end && nearest === number) return end
  const skipped = (number - nearest) * topicsPerBatch - 1
  const found = end && (await findTopicPosition(db, filter, skipped, end))
  return found ?? findTopicPosition(db, filter, (number + 1) * topicsPerBatch - 1)
}
