import Type from 'typebox'
import { findDuplicates } from '../../../domain/topics/merges/duplicates.ts'
import { integer } from '../../../http/params/input.ts'
import type { Route } from '../../../http/route.ts'
import { route } from '../route.ts'
import { topicView, viewTopic } from './views.ts'

const duplicateView = Type.Object(
  {
    score: Type.Number(),
    reasons: Type.Array(
      Type.Unsafe<string>({
        type: 'string',
        enum: ['case', 'separators', 'plural', 'js', 'spelling', 'shared_projects'],
      }),
    ),
    shared_projects_count: Type.Integer(),
    topics: Type.Array(topicView),
  },
  { title: 'TopicDuplicate' },
)

export const topicDuplicateRoutes: readonly Route[] = [
  route({
    method: 'GET',
    path: '/topics/duplicates',
    summary: 'List pairs of probable duplicate topics, most likely first',
    permission: 'topic.review',
    input: Type.Object({ organization_id: integer({ default: 1 }) }),
    status: 200,
    output: Type.Array(duplicateView),
    paged: true,
    unknownFilters: 'refused',
    async handle({ deps, input, page, origin }) {
      const found = await findDuplicates(deps, input.organization_id, page)
      const rows = found.rows.map(({ score, reasons, sharedProjects, topics }) => ({
        score,
        reasons: [...reasons],
        shared_projects_count: sharedProjects,
        topics: topics.map((topic) => viewTopic(topic, origin)),
      }))
      return { ...found, rows }
    },
  }),
]
