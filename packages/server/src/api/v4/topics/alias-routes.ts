import Type from 'typebox'
import { type Alias, addAlias, findAliases, removeAlias } from '../../../domain/topics/aliases.ts'
import { assertTopicReadable } from '../../../domain/topics/topics.ts'
import { integer, text } from '../../../http/params/input.ts'
import { noOutput, type Route } from '../../../http/route.ts'
import { route } from '../route.ts'
import { timestamp } from '../views.ts'

const aliasView = Type.Object(
  { id: Type.Integer(), name: Type.String(), created_at: timestamp },
  { title: 'TopicAlias' },
)

const viewAlias = ({ id, name, createdAt }: Alias) => ({ id, name, created_at: createdAt })

export const topicAliasRoutes: readonly Route[] = [
  route({
    method: 'GET',
    path: '/topics/:id/aliases',
    summary: 'List the aliases of a topic',
    permission: 'topic.read',
    input: Type.Object({ id: integer() }),
    status: 200,
    output: Type.Array(aliasView),
    paged: true,
    check: ({ deps, caller, input }) => assertTopicReadable(deps, caller, input.id),
    async handle({ deps, input, page }) {
      const found = await findAliases(deps, input.id, page)
      return { ...found, rows: found.rows.map(viewAlias) }
    },
  }),
  route({
    method: 'POST',
    path: '/topics/:id/aliases',
    summary: 'Add an alias to a topic',
    permission: 'topic.manage',
    input: Type.Object({
      id: integer(),
      name: text({
        description: 'ASCII, at most 255 characters; unique among topic names and aliases, case-insensitive',
      }),
    }),
    status: 201,
    output: aliasView,
    handle: async ({ deps, input }) => viewAlias(await addAlias(deps, input.id, input.name)),
  }),
  route({
    method: 'DELETE',
    path: '/topics/:id/aliases',
    summary: 'Remove an alias from a topic',
    permission: 'topic.manage',
    input: Type.Object({ id: integer(), name: text() }),
    status: 204,
    output: noOutput,
    handle: ({ deps, input }) => removeAlias(deps, input.id, input.name),
  }),
]
