import { createHash } from 'node:crypto'
import Type from 'typebox'
import { findProjects } from '../../../domain/projects/project-list.ts'
import { atomFeedOf } from '../../../domain/topics/atom.ts'
import { findRelatedTopics } from '../../../domain/topics/related/related-topics.ts'
import { assertTopicReadable, getTopic } from '../../../domain/topics/topics.ts'
import { integer } from '../../../http/params/input.ts'
import { inline } from '../../../http/response/content-disposition.ts'
import { fileOutput, type Route } from '../../../http/route.ts'
import { route } from '../route.ts'
import { topicFields, viewTopic } from './views.ts'

const relatedTopicView = Type.Object(
  {
    ...topicFields,
    shared_projects_count: Type.Integer({ description: 'Projects with both topics, among the newest 1,000' }),
  },
  { title: 'RelatedTopic' },
)

/** Number of projects in a feed. */
const feedLength = 20

export const topicDiscoveryRoutes: readonly Route[] = [
  route({
    method: 'GET',
    path: '/topics/:id/related',
    summary: 'List the topics that are most often assigned to the same projects',
    permission: 'topic.read',
    input: Type.Object({ id: integer() }),
    status: 200,
    output: Type.Array(relatedTopicView),
    check: ({ deps, caller, input }) => assertTopicReadable(deps, caller, input.id),
    async handle({ deps, caller, input, origin }) {
      const related = await findRelatedTopics(deps, caller, input.id)
      return related.map(({ topic, sharedProjects }) => ({
        ...viewTopic(topic, origin),
        shared_projects_count: sharedProjects,
      }))
    },
  }),
  route({
    method: 'GET',
    path: '/topics/:id/feed',
    summary: 'Get an Atom feed of the newest projects with a topic',
    permission: 'topic.read',
    input: Type.Object({ id: integer() }),
    status: 200,
    output: fileOutput,
    check: ({ deps, caller, input }) => assertTopicReadable(deps, caller, input.id),
    async handle({ deps, caller, input, origin }) {
      const topic = await getTopic(deps, input.id)
      const found = await findProjects(
        deps,
        caller,
        { topicId: topic.id },
        { asked: { by: 'id', direction: 'desc' }, page: { page: 1, perPage: feedLength, offset: 0 } },
      )
      const feed = `${origin}/api/v4/topics/${topic.id}/feed`
      const bytes = Buffer.from(atomFeedOf(topic, found.rows, { feed, origin }))
      return {
        open: async (range) => (range ? bytes.subarray(range.start, range.end + 1) : bytes),
        bytes: bytes.length,
        contentType: 'application/atom+xml; charset=utf-8',
        disposition: inline('feed.atom'),
        etag: `"${createHash('sha256').update(bytes).digest('hex').slice(0, 32)}"`,
        cacheControl: 'max-age=0, private, must-revalidate',
      }
    },
  }),
]
