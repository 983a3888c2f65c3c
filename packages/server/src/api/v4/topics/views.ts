import Type from 'typebox'
import type { Topic } from '../../../domain/topics/topic.ts'
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

export const topicView = Type.Object(topicFields, { title: 'Topic' })

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
