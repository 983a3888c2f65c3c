import { notFound, refused } from '../../../platform/failure.ts'
import type { Caller } from '../../access/callers.ts'
import { type Deps, transaction } from '../../deps.ts'
import { recordTopicAudit } from '../audited-topic.ts'
import { moveGroupTopics } from '../group-topics/group-topic-queries.ts'
import { lockChangedTopics } from '../lock-changed.ts'
import type { Topic } from '../topic.ts'
import { recordTopicEvents } from '../topic-events.ts'
import { deleteOwnName, listAliases, moveNames } from '../topic-name-queries.ts'
import { deleteTopic, findTopic, listTopicsById, moveAssignments, recountTopics } from '../topic-queries.ts'
import { countMoves, insertMerge } from './merge-queries.ts'

export interface MergeRequest {
  sourceId: number
  targetId: number
  /** Whether the source's name becomes an alias of the target. The source's aliases always do. */
  keepsAlias: boolean
}

/** Moves all assignments of the source to the target, deletes the source and returns the updated target. */
export function mergeTopics(deps: Deps, caller: Caller, request: MergeRequest): Promise<Topic> {
  return transaction(deps, async (deps) => {
    const { sourceId, targetId, keepsAlias } = request
    const { source, target } = pick(await lockChangedTopics(deps, [sourceId, targetId]), request)
    const counts = await countMoves(deps.db, sourceId, targetId)
    // The avatar's object is kept, because the journal refers to it.
    await insertMerge(deps.db, { source, target, counts, keepsAlias, mergedById: caller.user.id, now: deps.now() })
    if (!keepsAlias) await deleteOwnName(deps.db, sourceId)
    await moveNames(deps.db, sourceId, targetId)
    await moveAssignments(deps.db, sourceId, targetId)
    await moveGroupTopics(deps.db, sourceId, targetId)
    await deleteTopic(deps.db, sourceId)
    await recountTopics(deps.db, [targetId])
    await recordTopicEvents(deps, 'topic_merged', [target], source)
    await recordTopicAudit(deps, 'topics_merged', target, { name: { from: source.name, to: target.name } })
    return (await findTopic(deps.db, targetId)) ?? target
  })
}

/** Result that a merge would have. */
export interface MergePreview {
  source: Topic
  /** Target after the merge. */
  target: Topic
  movedProjects: number
  sharedProjects: number
  /** Names that would become aliases of the target. */
  aliases: string[]
}

/** Returns what a merge would do, without changing anything. */
export async function previewMerge(deps: Deps, request: MergeRequest): Promise<MergePreview> {
  const { sourceId, targetId, keepsAlias } = request
  const { source, target } = pick(await listTopicsById(deps.db, [sourceId, targetId]), request)
  const { moved, shared } = await countMoves(deps.db, sourceId, targetId)
  const aliases = (await listAliases(deps.db, sourceId)).map((alias) => alias.name)
  return {
    source,
    target: { ...target, totalProjectsCount: target.totalProjectsCount + moved },
    movedProjects: moved,
    sharedProjects: shared,
    aliases: keepsAlias ? [source.name, ...aliases] : aliases,
  }
}

/** Returns both topics. Checks for errors in GitLab's order. */
function pick(topics: readonly Topic[], { sourceId, targetId }: MergeRequest): { source: Topic; target: Topic } {
  const source = topics.find((topic) => topic.id === sourceId)
  const target = topics.find((topic) => topic.id === targetId)
  if (!source || !target) throw notFound()
  if (source.organizationId !== target.organizationId) {
    throw refused('The source topic and the target topic must belong to the same organization.')
  }
  if (source.id === target.id) throw refused('The source topic and the target topic are identical.')
  return { source, target }
}
