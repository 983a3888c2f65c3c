import Type, { type Static } from 'typebox'
import { vulnerabilitySorts } from '../../../domain/vulnerabilities/list/filter.ts'
import type { SavedView, ViewPlace } from '../../../domain/vulnerabilities/saved-views/saved-view.ts'
import {
  changeSavedView,
  createSavedView,
  findSavedViews,
  getSavedView,
  removeSavedView,
  setDefaultView,
} from '../../../domain/vulnerabilities/saved-views/saved-views.ts'
import { flag, freeForm, integer, oneOf, optional, text } from '../../../http/params/input.ts'
import { noOutput, type Route } from '../../../http/route.ts'
import { route } from '../route.ts'
import { basicUserView, viewBasicUser } from '../users/views.ts'
import { freeObject, nullableInteger, timestamp } from '../views.ts'
import type { FilterCaller } from '../vulnerabilities/filters.ts'
import { readViewFilter, type ViewKind } from './view-filters.ts'

const savedView = Type.Object(
  {
    id: Type.Integer(),
    project_id: nullableInteger,
    group_id: nullableInteger,
    name: Type.String(),
    filter: { ...freeObject, description: 'Parameters of the list; `me` stands for the user who opens the view' },
    sort: Type.String(),
    shared: Type.Boolean({ description: 'True: everyone who may read the list can use the view' }),
    author: basicUserView,
    default: Type.Boolean({ description: 'Whether you open the list with this view' }),
    created_at: timestamp,
    updated_at: timestamp,
  },
  { title: 'SavedView' },
)

const viewSavedView = (view: SavedView, origin: string) => ({
  id: view.id,
  project_id: view.projectId,
  group_id: view.namespaceId,
  name: view.name,
  filter: view.filter,
  sort: view.sort,
  shared: view.isShared,
  author: viewBasicUser(view.author, origin),
  default: view.isDefault,
  created_at: view.createdAt,
  updated_at: view.updatedAt,
})

const shared = {
  description: 'Share the view with everyone who may read the list: maintainers, owners of a group, administrators',
}
const sort = { description: 'Order of the list' }
const filter = { description: 'Filters of the list, named as its parameters' }

const createInput = Type.Object({
  name: text({ allowBlank: false }),
  filter: freeForm({ ...filter, default: {} }),
  sort: oneOf(vulnerabilitySorts, { ...sort, default: 'severity_desc' }),
  shared: flag({ ...shared, default: false }),
})
const changeFields = {
  name: optional(text({ allowBlank: false })),
  filter: optional(freeForm(filter)),
  sort: optional(oneOf(vulnerabilitySorts, sort)),
  shared: optional(flag(shared)),
}
const idField = { view_id: integer() }

const draftFrom = (kind: ViewKind, input: Static<typeof createInput>, caller: FilterCaller) => ({
  name: input.name.trim(),
  ...readViewFilter(kind, input.filter, caller),
  sort: input.sort,
  isShared: input.shared,
})

const changeInput = Type.Object(changeFields)

const changesFrom = (kind: ViewKind, input: Static<typeof changeInput>, caller: FilterCaller) => ({
  ...(input.name !== undefined && { name: input.name.trim() }),
  ...(input.filter && readViewFilter(kind, input.filter, caller)),
  ...(input.sort && { sort: input.sort }),
  ...(input.shared !== undefined && { isShared: input.shared }),
})

const prefixes = { project: '/projects/:id', group: '/groups/:id', instance: '' }
const placeWords = { project: 'a project', group: 'a group', instance: 'all projects' }

const readPermissions = {
  project: 'vulnerability.list',
  group: 'group.vulnerability.list',
  instance: 'instance.vulnerability.list',
} as const
const writePermissions = {
  project: 'saved-view.write',
  group: 'group.saved-view.write',
  instance: 'instance.saved-view.write',
} as const

/** Returns the place of a request. A row of the permissions that is on a group provides one, and so on. */
const placeOf = (context: object) => context as ViewPlace // the guard provides what the permission's row promises

function routesOf(kind: ViewKind): Route[] {
  const path = `${prefixes[kind]}/vulnerability_views`
  const one = `${path}/:view_id`
  const [reading, writing] = [readPermissions[kind], writePermissions[kind]]
  return [
    route({
      method: 'GET',
      path,
      summary: `List the shared saved views of the vulnerabilities of ${placeWords[kind]}, and your own`,
      permission: reading,
      status: 200,
      output: Type.Array(savedView),
      unknownFilters: 'refused',
      handle: async (context) =>
        (await findSavedViews(context.deps, placeOf(context), context.caller)).map((view) =>
          viewSavedView(view, context.origin),
        ),
    }),
    route({
      method: 'GET',
      path: one,
      summary: `Get a saved view of the vulnerabilities of ${placeWords[kind]}`,
      permission: reading,
      input: Type.Object(idField),
      status: 200,
      output: savedView,
      handle: async (context) =>
        viewSavedView(
          await getSavedView(context.deps, placeOf(context), context.caller, context.input.view_id),
          context.origin,
        ),
    }),
    route({
      method: 'POST',
      path,
      summary: `Save a view of the vulnerabilities of ${placeWords[kind]}`,
      permission: writing,
      input: createInput,
      status: 201,
      output: savedView,
      async handle({ deps, caller, input, origin, ...context }) {
        const draft = draftFrom(kind, input, caller)
        return viewSavedView(await createSavedView(deps, placeOf(context), caller, draft), origin)
      },
    }),
    route({
      method: 'PUT',
      path: one,
      summary: `Change a saved view of the vulnerabilities of ${placeWords[kind]}`,
      permission: writing,
      input: Type.Object({ ...idField, ...changeFields }),
      status: 200,
      output: savedView,
      async handle({ deps, caller, input, origin, ...context }) {
        const changes = { id: input.view_id, changes: changesFrom(kind, input, caller) }
        return viewSavedView(await changeSavedView(deps, placeOf(context), caller, changes), origin)
      },
    }),
    route({
      method: 'DELETE',
      path: one,
      summary: `Delete a saved view of the vulnerabilities of ${placeWords[kind]}`,
      permission: writing,
      input: Type.Object(idField),
      status: 204,
      output: noOutput,
      handle: (context) => removeSavedView(context.deps, placeOf(context), context.caller, context.input.view_id),
    }),
    route({
      method: 'POST',
      path: `${one}/default`,
      summary: `Open the vulnerabilities of ${placeWords[kind]} with a saved view by default (only for you)`,
      permission: writing,
      input: Type.Object(idField),
      status: 204,
      output: noOutput,
      async handle({ deps, caller, input, ...context }) {
        const place = placeOf(context)
        await setDefaultView(deps, place, caller, await getSavedView(deps, place, caller, input.view_id))
      },
    }),
    route({
      method: 'DELETE',
      path: `${one}/default`,
      summary: `Stop opening the vulnerabilities of ${placeWords[kind]} with a saved view (only for you)`,
      permission: writing,
      input: Type.Object(idField),
      status: 204,
      output: noOutput,
      async handle({ deps, caller, input, ...context }) {
        const place = placeOf(context)
        const view = await getSavedView(deps, place, caller, input.view_id)
        if (view.isDefault) await setDefaultView(deps, place, caller, null)
      },
    }),
  ]
}

export const savedViewRoutes: readonly Route[] = [...routesOf('project'), ...routesOf('group'), ...routesOf('instance')]
