import Type, { type Static } from 'typebox'
import { grantableLevels } from '../../../domain/access/roles.ts'
import { withAvatar } from '../../../domain/avatars/avatars.ts'
import { customAttributeFilter } from '../../../domain/custom-attributes/custom-attributes.ts'
import { type RootDeps, transaction } from '../../../domain/deps.ts'
import { changeGroup, createGroup, findGroups, type GroupQuery } from '../../../domain/namespaces/groups.ts'
import type { Namespace, NamespaceOrder } from '../../../domain/namespaces/namespace.ts'
import { transferGroup } from '../../../domain/namespaces/transfer-group.ts'
import type { PageRequest } from '../../../domain/page.ts'
import { storeAttributes } from '../../../domain/projects/gitlab-attributes.ts'
import { findProjects } from '../../../domain/projects/project-list.ts'
import type { Visitor } from '../../../domain/projects/visible.ts'
import { removeGroup } from '../../../domain/removal/remove.ts'
import { recount, topicsOfProjects } from '../../../domain/topics/assignment.ts'
import { inheritTopicsIn } from '../../../domain/topics/group-topics/inherited-topics.ts'
import { assertUnmodified } from '../../../domain/unmodified.ts'
import {
  blankableImage,
  flag,
  integer,
  integerList,
  nullable,
  oneOf,
  optional,
  text,
} from '../../../http/params/input.ts'
import { cursorFields, nextOf, readKeyset } from '../../../http/response/keyset.ts'
import { appendRows } from '../../../http/response/rendered-row.ts'
import { serialiserOf } from '../../../http/response/serialiser.ts'
import type { Route } from '../../../http/route.ts'
import { refused } from '../../../platform/failure.ts'
import { anyFile } from '../avatars/any-file.ts'
import { addCustomAttributes, customAttributeFilters, withCustomAttributes } from '../custom-attributes/views.ts'
import { attributesFrom, groupExtras, inputsOf } from '../projects/gitlab-attributes.ts'
import { organizationField, visibility } from '../projects/input.ts'
import { renderProjects } from '../projects/views.ts'
import { route } from '../route.ts'
import { acceptedView, viewAccepted } from '../views.ts'
import { groupDetailView, groupView, viewGroups, viewOneGroup } from './views.ts'

const promotion = optional(
  nullable(
    flag({
      description:
        'Whether new projects promote the findings of imported reports. Null: as the parent group or the server',
    }),
  ),
)

const listFields = {
  search: optional(text({ description: 'Matches name and path' })),
  owned: optional(flag({ description: 'Only items that the caller owns' })),
  min_access_level: optional(oneOf(grantableLevels, { description: 'Minimum access level of the caller' })),
  all_available: optional(flag({ description: 'If false, returns only groups that the caller is a member of' })),
  top_level_only: optional(flag()),
  visibility: optional(visibility),
  skip_groups: optional(integerList({ commaSeparated: true })),
  order_by: oneOf(['name', 'path', 'id'], { default: 'name' }),
  sort: oneOf(['asc', 'desc'], { default: 'asc' }),
  statistics: optional(flag({ description: 'No effect' })),
  ...customAttributeFilters,
}
const listInput = Type.Object(listFields)

function groupQueryFrom(input: Static<typeof listInput>, caller: Visitor | null): GroupQuery {
  return {
    customAttributes: customAttributeFilter(caller?.isAdmin === true, input.custom_attributes),
    search: input.search,
    owned: input.owned,
    minAccessLevel: input.min_access_level,
    allAvailable: input.all_available,
    topLevelOnly: input.top_level_only,
    visibility: input.visibility,
    exceptIds: input.skip_groups,
  }
}

async function listGroups(
  deps: RootDeps,
  caller: Visitor | null,
  {
    query,
    order,
    page,
    origin,
    input,
  }: {
    query: GroupQuery
    order: NamespaceOrder
    page: PageRequest
    origin: string
    input: { with_custom_attributes?: boolean }
  },
) {
  const found = await findGroups(deps, caller, query, { order, page })
  const isWanted = caller?.isAdmin === true && input.with_custom_attributes === true
  const rows = await addCustomAttributes(deps, 'namespaces', await viewGroups(deps, found.rows, origin), isWanted)
  const placeOf = (group: Namespace) => ({ value: String(group[order.by]), id: group.id })
  const next = nextOf(page, found, placeOf)
  return next ? { ...next, rows } : { ...found, rows }
}

/** Tables that responses with groups depend on. */
const groupTables = ['custom_attributes', 'import_sources', 'members', 'namespaces', 'projects']

/** The page of projects that is part of a group. */
const shownProjects = { page: 1, perPage: 100, offset: 0 }

export const groupRoutes: readonly Route[] = [
  route({
    method: 'GET',
    path: '/groups',
    summary: 'List the groups that you can see',
    permission: 'group.list',
    input: Type.Object({ ...listFields, ...organizationField, ...cursorFields }),
    status: 200,
    output: Type.Array(groupView),
    paged: true,
    cacheTables: groupTables,
    isPerCaller: true,
    async handle({ deps, caller, input, page, origin }) {
      const order = { by: input.order_by, direction: input.sort }
      const query = { ...groupQueryFrom(input, caller), organizationId: input.organization_id }
      return listGroups(deps, caller, { query, order, page: readKeyset(input, page), origin, input })
    },
  }),
  route({
    method: 'GET',
    path: '/groups/:id/subgroups',
    summary: 'List the direct subgroups of a group',
    permission: 'group.read',
    input: listInput,
    status: 200,
    output: Type.Array(groupView),
    paged: true,
    cacheTables: groupTables,
    isPerCaller: true,
    async handle({ deps, caller, group, input, page, origin }) {
      const order = { by: input.order_by, direction: input.sort }
      const query = { ...groupQueryFrom(input, caller), topLevelOnly: false, parentId: group.id }
      return listGroups(deps, caller, { query, order, page, origin, input })
    },
  }),
  route({
    method: 'GET',
    path: '/groups/:id/descendant_groups',
    summary: 'List all descendant groups of a group',
    permission: 'group.read',
    input: listInput,
    status: 200,
    output: Type.Array(groupView),
    paged: true,
    cacheTables: groupTables,
    isPerCaller: true,
    async handle({ deps, caller, group, input, page, origin }) {
      const order = { by: input.order_by, direction: input.sort }
      const query = { ...groupQueryFrom(input, caller), topLevelOnly: false, below: group }
      return listGroups(deps, caller, { query, order, page, origin, input })
    },
  }),
  route({
    method: 'POST',
    path: '/groups',
    summary: 'Create a group or subgroup',
    permission: 'group.create',
    creates: 'group.read',
    input: Type.Object({
      ...inputsOf(groupExtras),
      avatar: optional(blankableImage),
      name: text(),
      path: text(),
      description: optional(nullable(text())),
      visibility: optional(visibility),
      promote_vulnerabilities_on_ingestion: promotion,
      parent_id: optional(integer({ description: 'Requires the maintainer role in the parent group' })),
      organization_id: optional(integer({ description: 'Default: the organization of the parent group, otherwise 1' })),
    }),
    status: 201,
    output: groupDetailView,
    fileLimit: ({ settings }) => anyFile(settings),
    async handle({ deps, caller, input, origin }) {
      const { name, path, visibility, parent_id: parentId, organization_id: organizationId, description } = input
      const attributes = { name, path, visibility, description: description ?? undefined }
      const promoteOnIngestion = input.promote_vulnerabilities_on_ingestion
      const fresh = { ...attributes, promoteOnIngestion, parentId, organizationId }
      const group = await withAvatar(deps, 'namespaces', input.avatar || undefined, (deps) =>
        transaction(deps, async (deps) => {
          const group = await createGroup(deps, caller, fresh)
          await storeAttributes(deps, 'namespaces', group.id, attributesFrom(groupExtras, input))
          return group
        }),
      )
      return viewOneGroup(deps, group, origin)
    },
  }),
  route({
    method: 'GET',
    path: '/groups/:id',
    summary: 'Get a group with its newest projects',
    permission: 'group.read',
    input: Type.Object({
      with_projects: flag({ default: true }),
      ...withCustomAttributes,
    }),
    status: 200,
    output: groupDetailView,
    cacheTables: [...groupTables, 'project_topics', 'topics'],
    isPerCaller: true,
    async handle({ deps, caller, group, input, origin }) {
      const isWanted = caller?.isAdmin === true && input.with_custom_attributes === true
      const shown = await viewOneGroup(deps, group, origin)
      const [view = shown] = await addCustomAttributes(deps, 'namespaces', [shown], isWanted)
      if (!input.with_projects) return view
      const query = { within: { namespace: group, descendants: false } }
      const { rows } = await findProjects(deps, caller, query, {
        asked: { by: 'id', direction: 'desc' },
        page: shownProjects,
      })
      const projects = await renderProjects(deps, caller, rows, { origin, detail: caller ? 'full' : 'basic' })
      const json = serialiserOf(groupDetailView)({ ...view, shared_projects: [] })
      return appendRows<Static<typeof groupDetailView>>(json, 'projects', projects)
    },
  }),
  route({
    method: 'PUT',
    path: '/groups/:id',
    summary: 'Update a group',
    permission: 'group.update',
    input: Type.Object({
      ...inputsOf(groupExtras),
      avatar: optional(blankableImage),
      name: optional(text()),
      path: optional(text()),
      description: optional(nullable(text())),
      visibility: optional(visibility),
      promote_vulnerabilities_on_ingestion: promotion,
    }),
    status: 200,
    output: groupDetailView,
    fileLimit: ({ settings }) => anyFile(settings),
    async handle({ deps, group, input, origin }) {
      const { name, path, visibility, promote_vulnerabilities_on_ingestion: promoteOnIngestion } = input
      const description = input.description === null ? '' : input.description
      const change = { name, path, visibility, description, promoteOnIngestion }
      const avatar = input.avatar === '' ? null : input.avatar
      const changed = await withAvatar(deps, 'namespaces', avatar, (deps) =>
        transaction(deps, async (deps) => {
          const changed = await changeGroup(deps, group.id, change)
          await storeAttributes(deps, 'namespaces', group.id, attributesFrom(groupExtras, input))
          return changed
        }),
      )
      return viewOneGroup(deps, changed, origin)
    },
  }),
  route({
    method: 'POST',
    path: '/groups/:id/transfer',
    summary: 'Move a group into another group, or to the top level',
    permission: 'group.transfer',
    input: Type.Object({
      group_id: optional(
        integer({
          description:
            'New parent group; requires the maintainer role there. Without it, the group moves to the top level',
        }),
      ),
    }),
    status: 201,
    output: groupDetailView,
    async handle({ deps, caller, group, input, origin }) {
      const transferred = await transaction(deps, async (deps) => {
        const { group: moved, narrowedProjectIds } = await transferGroup(deps, caller, group.id, input.group_id)
        await recount(deps, await topicsOfProjects(deps, narrowedProjectIds))
        await inheritTopicsIn(deps, [moved])
        return moved
      })
      return viewOneGroup(deps, transferred, origin)
    },
  }),
  route({
    method: 'POST',
    path: '/groups/:id/restore',
    summary: 'Always rejected, because deleted groups are removed immediately',
    permission: 'group.restore',
    status: 201,
    output: groupDetailView,
    async handle() {
      throw refused('Group has not been marked for deletion')
    },
  }),
  route({
    method: 'DELETE',
    path: '/groups/:id',
    summary: 'Delete a group and everything in it immediately',
    permission: 'group.delete',
    status: 202,
    output: acceptedView,
    async handle({ deps, group, unmodifiedSince }) {
      assertUnmodified(group, unmodifiedSince)
      await removeGroup(deps, group)
      return viewAccepted()
    },
  }),
]
