import { openCache, perDatabase } from '../../../db/cache.ts'
import type { RootDeps } from '../../deps.ts'
import type { Audience } from '../../projects/audience.ts'
import type { Topic } from '../topic.ts'
import { countReadableProjects } from './readable-count-queries.ts'
import { audienceTables } from './topic-audience.ts'

const maxCachedCounts = 100_000
const caches = perDatabase((changes) =>
  openCache<ReadonlyMap<number, number>>(changes, audienceTables, maxCachedCounts, (counts) => counts.size + 1),
)

/** Replaces the counts of projects by those of the audience. Without an audience it returns the topics unchanged. */
export async function withReadableCounts(
  deps: RootDeps,
  audience: Audience | undefined,
  topics: readonly Topic[],
): Promise<Topic[]> {
  if (!audience) return [...topics]
  const used = topics.filter(({ totalProjectsCount }) => totalProjectsCount > 0)
  if (used.length === 0) return [...topics]
  const ids = used.map(({ id }) => id)
  const counts = await caches(deps.db).get(
    JSON.stringify([audience, ids]),
    async () => new Map((await countReadableProjects(deps.db, ids, audience)).map(({ id, total }) => [id, total])),
  )
  return topics.map((topic) => ({ ...topic, totalProjectsCount: counts.get(topic.id) ?? 0 }))
}

/** Returns false for a topic that has projects, but none that the audience has. */
export async function isTopicVisible(deps: RootDeps, audience: Audience | undefined, topic: Topic): Promise<boolean> {
  const [counted] = await withReadableCounts(deps, audience, [topic])
  return topic.totalProjectsCount === 0 || counted?.totalProjectsCount !== 0
}
