import Type, { type Static } from 'typebox'
import type { Caller } from '../../../domain/access/callers.ts'
import type { Deps } from '../../../domain/deps.ts'
import type { Namespace } from '../../../domain/namespaces/namespace.ts'
import { checkPath, countMembersFor, findNamespaces, getNamespace } from '../../../domain/namespaces/namespace-list.ts'
import { flag, integer, optional, text } from '../../../http/params/input.ts'
import { perMinute, type Route } from '../../../http/route.ts'
import { organizationField } from '../projects/input.ts'
import { route } from '../route.ts'
import { namespaceView, viewNamespace } from './views.ts'

const listedNamespaceView = Type.Object({
  ...namespaceView.properties,
  members_count_with_descendants: Type.Optional(Type.Integer()),
})

export const namespaceRoutes: readonly Route[] = [
  route({
    method: 'GET',
    path: '/namespaces',
    summary: 'List your own namespace and the groups that you are a member of',
    permission: 'namespace.list',
    input: Type.Object({
      search: optional(text({ description: 'Matches name and path' })),
      full_path_search: optional(flag({ description: 'Search in full paths instead of paths' })),
      owned_only: optional(flag()),
      top_level_only: optional(flag()),
      ...organizationField,
    }),
    status: 200,
    output: Type.Array(listedNamespaceView),
    paged: true,
    async handle({ deps, caller, input, page, origin }) {
      const query = {
        search: input.search,
        fullPathSearch: input.full_path_search,
        ownedOnly: input.owned_only,
        topLevelOnly: input.top_level_only,
        organizationId: input.organization_id,
      }
      const found = await findNamespaces(deps, caller, query, page)
      return { ...found, rows: await viewNamespaces(deps, caller, found.rows, origin) }
    },
  }),
  route({
    method: 'GET',
    path: '/namespaces/:id',
    summary: 'Get a namespace by ID or path',
    permission: 'namespace.read',
    input: Type.Object({ id: text() }),
    status: 200,
    output: listedNamespaceView,
    async handle({ deps, caller, input, origin }) {
      const namespace = await getNamespace(deps, caller, input.id)
      const [view] = await viewNamespaces(deps, caller, [namespace], origin)
      return view ?? viewNamespace(namespace, origin)
    },
  }),
  route({
    method: 'GET',
    path: '/namespaces/:id/exists',
    rateLimit: perMinute(20),
    summary: 'Check whether a namespace path is taken, and suggest a free one',
    permission: 'namespace.read',
    input: Type.Object({ id: text(), parent_id: optional(integer()) }),
    status: 200,
    output: Type.Object({ exists: Type.Boolean(), suggests: Type.Array(Type.String()) }),
    handle: ({ deps, caller, input }) => checkPath(deps, caller, input.id, input.parent_id),
  }),
]

async function viewNamespaces(
  deps: Deps,
  caller: Caller,
  namespaces: readonly Namespace[],
  origin: string,
): Promise<Static<typeof listedNamespaceView>[]> {
  const counts = await countMembersFor(deps, caller, namespaces)
  return namespaces.map((namespace) => {
    const count = counts.get(namespace.id)
    return {
      ...viewNamespace(namespace, origin),
      ...(count !== undefined && { members_count_with_descendants: count }),
    }
  })
}
