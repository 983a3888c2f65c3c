import Type, { type TProperties } from 'typebox'
import type { CustomAttributeOwner } from '../../../domain/custom-attributes/custom-attribute.ts'
import {
  getCustomAttribute,
  readCustomAttributes,
  removeCustomAttribute,
  setCustomAttribute,
} from '../../../domain/custom-attributes/custom-attributes.ts'
import type { Deps } from '../../../domain/deps.ts'
import { getUser } from '../../../domain/users/users.ts'
import { integer, text } from '../../../http/params/input.ts'
import { noOutput, type Route } from '../../../http/route.ts'
import { route } from '../route.ts'
import { customAttributeView } from './views.ts'

interface Context {
  deps: Deps
  project?: { id: number } | undefined
  group?: { id: number } | undefined
  input: object
}

interface Kind {
  owner: CustomAttributeOwner
  noun: string
  /** Parameters that the guard does not read. */
  id: TProperties
  may: { read: 'project.custom-attribute.read' | 'group.custom-attribute.read' | 'user.custom-attribute.read' } & {
    manage: 'project.custom-attribute.manage' | 'group.custom-attribute.manage' | 'user.custom-attribute.manage'
  }
  idOf(context: Context): Promise<number>
}

const kinds: readonly Kind[] = [
  {
    owner: 'projects',
    noun: 'project',
    id: {},
    may: { read: 'project.custom-attribute.read', manage: 'project.custom-attribute.manage' },
    idOf: async ({ project }) => project?.id ?? 0,
  },
  {
    owner: 'namespaces',
    noun: 'group',
    id: {},
    may: { read: 'group.custom-attribute.read', manage: 'group.custom-attribute.manage' },
    idOf: async ({ group }) => group?.id ?? 0,
  },
  {
    owner: 'users',
    noun: 'user',
    id: { id: integer() },
    may: { read: 'user.custom-attribute.read', manage: 'user.custom-attribute.manage' },
    async idOf({ deps, input }) {
      return (await getUser(deps, 'id' in input ? Number(input.id) : 0)).id
    },
  },
]

const key = { key: text({ description: 'Name of the attribute' }) }

export const customAttributeRoutes: readonly Route[] = kinds.flatMap(routesOf)

function routesOf({ owner, noun, id, may, idOf }: Kind): readonly Route[] {
  const base = `/${noun}s/:id/custom_attributes`
  return [
    route({
      method: 'GET',
      path: base,
      summary: `List the custom attributes of a ${noun}`,
      permission: may.read,
      input: Type.Object(id),
      status: 200,
      output: Type.Array(customAttributeView),
      async handle(context) {
        const ownerId = await idOf(context)
        return (await readCustomAttributes(context.deps, owner, [ownerId])).get(ownerId) ?? []
      },
    }),
    route({
      method: 'GET',
      path: `${base}/:key`,
      summary: `Get a custom attribute of a ${noun}`,
      permission: may.read,
      input: Type.Object({ ...id, ...key }),
      status: 200,
      output: customAttributeView,
      handle: async (context) => getCustomAttribute(context.deps, owner, await idOf(context), keyOf(context.input)),
    }),
    route({
      method: 'PUT',
      path: `${base}/:key`,
      summary: `Set a custom attribute of a ${noun}`,
      permission: may.manage,
      input: Type.Object({ ...id, ...key, value: text() }),
      status: 200,
      output: customAttributeView,
      async handle(context) {
        const { value } = context.input as { value: string } // declared above
        return setCustomAttribute(context.deps, owner, await idOf(context), { key: keyOf(context.input), value })
      },
    }),
    route({
      method: 'DELETE',
      path: `${base}/:key`,
      summary: `Delete a custom attribute of a ${noun}`,
      permission: may.manage,
      input: Type.Object({ ...id, ...key }),
      status: 204,
      output: noOutput,
      handle: async (context) => removeCustomAttribute(context.deps, owner, await idOf(context), keyOf(context.input)),
    }),
  ]
}

const keyOf = (input: object): string => ('key' in input ? String(input.key) : '')
