import Type from 'typebox'
import type { Deps } from '../../../domain/deps.ts'
import { mergeTopics, previewMerge } from '../../../domain/topics/merges/merge.ts'
import { type Actor, findMerges, type Merge, undoableUntil, undoMerge } from '../../../domain/topics/merges/merges.ts'
import { flag, integer } from '../../../http/params/input.ts'
import type { Route } from '../../../http/route.ts'
import { route } from '../route.ts'
import { nullableTimestamp, timestamp } from '../views.ts'
import { mergedTopicView, restoredTopicView, viewTopic } from './views.ts'

const actorView = Type.Union([
  Type.Object({ id: Type.Integer(), username: Type.String(), name: Type.String() }),
  Type.Null(),
])

const mergeView = Type.Object(
  {
    id: Type.Integer(),
    organization_id: Type.Integer(),
    source_topic: Type.Object({ id: Type.Integer(), name: Type.String(), title: Type.String() }),
    target_topic: Type.Object({ id: Type.Integer(), name: Type.String() }),
    moved_projects_count: Type.Integer(),
    shared_projects_count: Type.Integer(),
    keep_alias: Type.Boolean(),
    merged_by: actorView,
    merged_at: timestamp,
    undoable_until: nullableTimestamp,
    undone_by: actorView,
    undone_at: nullableTimestamp,
  },
  { title: 'TopicMerge' },
)

function viewMerge(deps: Deps, merge: Merge) {
  const { source, target } = merge
  return {
    id: merge.id,
    organization_id: merge.organizationId,
    source_topic: { id: source.id, name: source.name, title: source.title },
    target_topic: { id: target.id, name: target.name },
    moved_projects_count: merge.movedProjects,
    shared_projects_count: merge.sharedProjects,
    keep_alias: merge.keepsAlias,
    merged_by: viewActor(merge.mergedBy),
    merged_at: merge.mergedAt,
    undoable_until: undoableUntil(deps, merge),
    undone_by: viewActor(merge.undoneBy),
    undone_at: merge.undoneAt,
  }
}

function viewActor(actor: Actor | null) {
  return actor && { id: actor.id, username: actor.username, name: actor.name }
}

export const topicMergeRoutes: readonly Route[] = [
  route({
    method: 'POST',
    path: '/topics/merge',
    summary: 'Merge one topic into another: moves its projects, deletes it and keeps its name as an alias',
    permission: 'topic.manage',
    input: Type.Object({
      source_topic_id: integer(),
      target_topic_id: integer(),
      keep_alias: flag({
        default: true,
        description: 'If false, the name of the source topic does not become an alias',
      }),
      dry_run: flag({ default: false, description: 'Dry run: return what would move without changing anything' }),
    }),
    status: 201,
    output: mergedTopicView,
    async handle({ deps, caller, input, origin }) {
      const { source_topic_id: sourceId, target_topic_id: targetId, keep_alias: keepsAlias } = input
      const request = { sourceId, targetId, keepsAlias }
      if (!input.dry_run) return viewTopic(await mergeTopics(deps, caller, request), origin)
      const preview = await previewMerge(deps, request)
      return {
        ...viewTopic(preview.target, origin),
        preview: {
          source: viewTopic(preview.source, origin),
          moved_projects_count: preview.movedProjects,
          shared_projects_count: preview.sharedProjects,
          aliases: preview.aliases,
        },
      }
    },
  }),
  route({
    method: 'GET',
    path: '/topics/merges',
    summary: 'List the merges of topics, newest first',
    permission: 'topic.review',
    input: Type.Object({ organization_id: integer({ default: 1 }) }),
    status: 200,
    output: Type.Array(mergeView),
    paged: true,
    unknownFilters: 'refused',
    async handle({ deps, input, page }) {
      const found = await findMerges(deps, input.organization_id, page)
      return { ...found, rows: found.rows.map((merge) => viewMerge(deps, merge)) }
    },
  }),
  route({
    method: 'POST',
    path: '/topics/merges/:id/undo',
    summary: 'Undo a merge: restores the topic with its avatar, aliases and projects',
    permission: 'topic.manage',
    input: Type.Object({
      id: integer(),
      partial: flag({
        default: false,
        description: 'Restore only what has not changed since the merge, instead of rejecting the request',
      }),
    }),
    status: 201,
    output: restoredTopicView,
    async handle({ deps, caller, input, origin }) {
      const { topic, leftOut } = await undoMerge(deps, caller, input.id, { partial: input.partial })
      return { ...viewTopic(topic, origin), left_out: leftOut }
    },
  }),
]
