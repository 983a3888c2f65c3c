import Type, { type Static } from 'typebox'
import type { RootDeps } from '../../../domain/deps.ts'
import type { Visitor } from '../../../domain/projects/visible.ts'
import type { Topic } from '../../../domain/topics/topic.ts'
import { readTopics } from '../../../domain/topics/topics.ts'
import { audienceTables, topicAudience } from '../../../domain/topics/visibility/topic-audience.ts'
import type { RenderedRow } from '../../../http/response/rendered-row.ts'
import { type RowSource, renderRows } from '../../../http/response/row-cache.ts'
import { addMirrors, mirrorField } from '../import-sources/views.ts'
import { nullableString } from '../views.ts'

export const topicFields = {
  id: Type.Integer(),
  name: Type.String(),
  title: Type.String(),
  description: nullableString,
  total_projects_count: Type.Integer(),
  organization_id: Type.Integer(),
  avatar_url: nullableString,
}

export const topicView = Type.Object({ ...topicFields, ...mirrorField }, { title: 'Topic' })

export function viewTopic(topic: Topic, origin: string) {
  const file = topic.avatar && encodeURIComponent(topic.avatar.filename)
  return {
    id: topic.id,
    name: topic.name,
    title: topic.title,
    description: topic.description,
    total_projects_count: topic.totalProjectsCount,
    organization_id: topic.organizationId,
    avatar_url: file && `${origin}/uploads/-/system/projects/topic/avatar/${topic.id}/${file}`,
  }
}

const tables = ['topics', 'import_sources']

/**
 * Renders topics in the order of their ids, without those that do not exist. Each is rendered once until a topic changes,
 * unless its number of projects depends on the caller.
 */
export function renderTopics(
  deps: RootDeps,
  caller: Visitor | null,
  ids: readonly number[],
  origin: string,
): Promise<RenderedRow<Static<typeof topicView>>[]> {
  const audience = topicAudience(deps, caller)
  const isForAll = audience === undefined
  const source: RowSource<typeof topicView> = {
    name: `topic ${isForAll ? '' : JSON.stringify(audience)} ${origin}`,
    view: topicView,
    tables: isForAll ? tables : [...tables, ...audienceTables],
    // Topics have no versions of their own. They are read again after any change.
    listVersions: async () => new Map(),
    async load(ids) {
      const views = await viewTopics(deps, await readTopics(deps, caller, ids), origin)
      // Rows of one caller would displace those of all.
      return views.map((view) => ({ key: view.id, version: isForAll ? '' : undefined, view }))
    },
  }
  return renderRows(deps.db, source, ids)
}

/** Views topics with the sources of those that are mirrors. */
function viewTopics(deps: RootDeps, topics: readonly Topic[], origin: string) {
  return addMirrors(
    deps,
    'topic',
    topics.map((topic) => viewTopic(topic, origin)),
  )
}

export async function viewOneTopic(deps: RootDeps, topic: Topic, origin: string) {
  const [view = viewTopic(topic, origin)] = await viewTopics(deps, [topic], origin)
  return view
}

/** GitLab's response to a merge. `preview` is present for a dry run only. */
export const mergedTopicView = Type.Object(
  {
    ...topicFields,
    preview: Type.Optional(
      Type.Object({
        source: topicView,
        moved_projects_count: Type.Integer(),
        shared_projects_count: Type.Integer(),
        aliases: Type.Array(Type.String()),
      }),
    ),
  },
  { title: 'MergedTopic' },
)

/** The restored topic, and in `left_out` the parts that could not be restored. */
export const restoredTopicView = Type.Object(
  { ...topicFields, left_out: Type.Array(Type.String()) },
  { title: 'RestoredTopic' },
)
