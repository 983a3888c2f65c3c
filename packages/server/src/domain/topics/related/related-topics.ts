import { openCache, perDatabase } from '../../../db/cache.ts'
import type { RootDeps } from '../../deps.ts'
import { openVisibilities, type Visitor } from '../../projects/visible.ts'
import type { Topic } from '../topic.ts'
import { listTopicsById } from '../topic-queries.ts'
import { getTopic } from '../topics.ts'
import { withReadableCounts } from '../visibility/readable-counts.ts'
import { topicAudience } from '../visibility/topic-audience.ts'
import { listRelatedIds, type RelatedTopicId } from './related-queries.ts'

export interface RelatedTopic {
  topic: Topic
  /** Number of projects that have both topics, of those that every caller of the same kind can read. */
  sharedProjects: number
}

/** Maximum number of related topics. */
const maxRelated = 20

const tables = ['project_topics', 'projects']
const caches = perDatabase((changes) => openCache<RelatedTopicId[]>(changes, tables, 2000))

/**
 * Returns the topics that are most often assigned to the same projects. Counts public projects, for signed-in users also
 * internal ones, and for administrators all: a project that a caller reads only as a member counts for no one else.
 */
export async function findRelatedTopics(deps: RootDeps, caller: Visitor | null, id: number): Promise<RelatedTopic[]> {
  await getTopic(deps, id)
  const visibilities = openVisibilities(caller)
  const related = await caches(deps.db).get(`${id} ${visibilities.join()}`, () =>
    listRelatedIds(deps.db, id, visibilities, maxRelated),
  )
  const ids = related.map(({ id }) => id)
  const found = await withReadableCounts(deps, topicAudience(deps, caller), await listTopicsById(deps.db, ids))
  const topics = new Map(found.map((topic) => [topic.id, topic]))
  return related.flatMap(({ id, shared }) => {
    const topic = topics.get(id)
    return topic ? [{ topic, sharedProjects: shared }] : []
  })
}
