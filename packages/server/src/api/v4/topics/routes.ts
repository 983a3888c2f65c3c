import Type from 'typebox'
import { openIntact } from '../../../domain/files/intact.ts'
import { assertOrganizationReadable, getOrganization } from '../../../domain/namespaces/organizations.ts'
import {
  assertTopicReadable,
  changeTopic,
  createTopic,
  deleteTopic,
  findTopics,
  getTopic,
} from '../../../domain/topics/topics.ts'
import { blankableImage, flag, integer, nullable, optional, text } from '../../../http/params/input.ts'
import { inline } from '../../../http/response/content-disposition.ts'
import { untrustedContentPolicy } from '../../../http/response/download.ts'
import { fileOutput, noOutput, type Route } from '../../../http/route.ts'
import { gone, notFound } from '../../../platform/failure.ts'
import { anyFile } from '../avatars/any-file.ts'
import { route } from '../route.ts'
import { renderTopics, topicView, viewOneTopic, viewTopic } from './views.ts'

export const topicRoutes: readonly Route[] = [
  route({
    method: 'GET',
    path: '/topics',
    summary: 'List topics, most used first',
    permission: 'topic.read',
    input: Type.Object({
      search: optional(
        text({ description: 'Words of at least three letters, all of which must occur in the name or title' }),
      ),
      name: optional(text({ description: 'Exact name or alias, case-insensitive' })),
      without_projects: optional(flag({ description: 'Only topics that are not assigned to any project' })),
      organization_id: integer({ default: 1 }),
    }),
    status: 200,
    output: Type.Array(topicView),
    paged: true,
    cacheTables: ['topics', 'topic_names', 'import_sources'],
    isPersonal: ({ deps }) => deps.settings.hidesTopicsOfHiddenProjects,
    check: ({ deps, caller, input }) => assertOrganizationReadable(deps, caller, input.organization_id),
    async handle({ deps, caller, input, page, origin }) {
      const { search, name, without_projects: withoutProjects, organization_id: organizationId } = input
      const found = await findTopics(deps, caller, { search, name, withoutProjects, organizationId }, page)
      return { ...found, rows: await renderTopics(deps, caller, found.rows, origin) }
    },
  }),
  route({
    method: 'GET',
    path: '/topics/:id',
    summary: 'Get a topic',
    permission: 'topic.read',
    input: Type.Object({ id: integer() }),
    status: 200,
    output: topicView,
    isPersonal: ({ deps }) => deps.settings.hidesTopicsOfHiddenProjects,
    check: ({ deps, caller, input }) => assertTopicReadable(deps, caller, input.id),
    async handle({ deps, caller, input, origin }) {
      const [row] = await renderTopics(deps, caller, [input.id], origin)
      if (!row) throw notFound()
      return row
    },
  }),
  route({
    method: 'POST',
    path: '/topics',
    summary: 'Create a topic',
    permission: 'topic.manage',
    input: Type.Object({
      name: text({ description: 'ASCII, at most 255 characters; unique, case-insensitive' }),
      title: text(),
      description: optional(nullable(text())),
      avatar: optional(blankableImage),
      organization_id: optional(integer()),
    }),
    status: 201,
    output: topicView,
    fileLimit: ({ settings }) => anyFile(settings),
    async handle({ deps, input, origin }) {
      const { name, title, description = null, organization_id: organizationId } = input
      const avatar = input.avatar || undefined
      return viewTopic(await createTopic(deps, { name, title, description, avatar, organizationId }), origin)
    },
  }),
  route({
    method: 'PUT',
    path: '/topics/:id',
    summary: 'Update a topic; a blank avatar removes the current avatar',
    permission: 'topic.manage',
    input: Type.Object({
      id: integer(),
      name: optional(text()),
      title: optional(text()),
      description: optional(nullable(text())),
      avatar: optional(blankableImage),
    }),
    status: 200,
    output: topicView,
    fileLimit: ({ settings }) => anyFile(settings),
    async handle({ deps, input, origin }) {
      const { id, avatar, ...texts } = input
      const changed = await changeTopic(deps, id, { ...texts, avatar: avatar === '' ? null : avatar })
      return viewOneTopic(deps, changed, origin)
    },
  }),
  route({
    method: 'DELETE',
    path: '/topics/:id',
    summary: 'Delete a topic and its assignments',
    permission: 'topic.manage',
    input: Type.Object({ id: integer() }),
    status: 204,
    output: noOutput,
    handle: ({ deps, input, unmodifiedSince }) => deleteTopic(deps, input.id, unmodifiedSince),
  }),
  route({
    method: 'GET',
    path: '/uploads/-/system/projects/topic/avatar/:id/:filename',
    outside: true,
    summary: 'Get the avatar of a topic',
    permission: 'topic.avatar',
    input: Type.Object({ id: integer(), filename: text() }),
    status: 200,
    output: fileOutput,
    check: ({ deps, caller, input }) => assertTopicReadable(deps, caller, input.id),
    async handle({ deps, input }) {
      const { avatar, organizationId } = await getTopic(deps, input.id)
      if (avatar?.filename !== input.filename) throw gone()
      const isPublic =
        !deps.settings.hidesTopicsOfHiddenProjects && (await getOrganization(deps, organizationId)).isPublic
      const file = { key: avatar.objectKey, bytes: avatar.bytes, sha256: avatar.sha256 }
      return {
        open: (range) => openIntact(deps, file, range),
        bytes: avatar.bytes,
        contentType: avatar.contentType,
        disposition: inline(avatar.filename),
        etag: `"${avatar.objectKey.slice(-32)}"`,
        // Shared caches must not store avatars that some callers may not see.
        ...(isPublic && { cacheControl: 'max-age=300, public' }),
        contentSecurityPolicy: untrustedContentPolicy,
      }
    },
  }),
]
