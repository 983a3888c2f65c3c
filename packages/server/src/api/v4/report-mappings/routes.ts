import Type from 'typebox'
import type { MappingPlace, ReportMapping } from '../../../domain/reports/mappings/report-mapping.ts'
import {
  changeMapping,
  createMapping,
  findMappings,
  findUsableMappings,
  getMapping,
  removeMapping,
} from '../../../domain/reports/mappings/report-mappings.ts'
import { flag, freeForm, integer, optional, text } from '../../../http/params/input.ts'
import { noOutput, type Route } from '../../../http/route.ts'
import { route } from '../route.ts'
import { freeObject, nullableInteger, timestamp } from '../views.ts'

const mappingView = Type.Object(
  {
    id: Type.Integer(),
    project_id: nullableInteger,
    group_id: nullableInteger,
    name: Type.String(),
    mapping: freeObject,
    created_at: timestamp,
    updated_at: timestamp,
  },
  { title: 'ReportMapping' },
)

const viewMapping = (found: ReportMapping) => ({
  id: found.id,
  project_id: found.projectId,
  group_id: found.namespaceId,
  name: found.name,
  mapping: found.mapping,
  created_at: found.createdAt,
  updated_at: found.updatedAt,
})

const name = { allowBlank: false, description: 'Name by which a report uses the mapping, as `mapping=name`' }
const mapping = {
  description:
    'Columns or keys by field, `severities`, `scanner` and `findings`, as the parameter `mapping` of a report',
}
const changeFields = { name: optional(text(name)), mapping: optional(freeForm(mapping)) }
const ancestorsField = optional(
  flag({ description: 'Also return the mappings of the groups above the project, which its reports can name as well' }),
)
const idField = { mapping_id: integer() }

const permissions = {
  project: { read: 'report-mapping.read', manage: 'report-mapping.manage' },
  group: { read: 'group.report-mapping.read', manage: 'group.report-mapping.manage' },
} as const

/** Returns the place of a request. A row of the permissions that is on a group provides one, and so on. */
const placeOf = (context: object) => context as MappingPlace // the guard provides what the permission's row promises

function routesOf(kind: 'project' | 'group'): Route[] {
  const path = `/${kind}s/:id/report_mappings`
  const one = `${path}/:mapping_id`
  const may = permissions[kind]
  return [
    route({
      method: 'GET',
      path,
      summary: `List the mappings of generic reports of a ${kind}`,
      permission: may.read,
      ...(kind === 'project' && { input: Type.Object({ include_ancestors: ancestorsField }) }),
      status: 200,
      output: Type.Array(mappingView),
      unknownFilters: 'refused',
      async handle(context) {
        const place = placeOf(context)
        const { include_ancestors: isUsable } = context.input as { include_ancestors?: boolean } // only of projects
        const found =
          isUsable && place.project
            ? await findUsableMappings(context.deps, place.project)
            : await findMappings(context.deps, place)
        return found.map(viewMapping)
      },
    }),
    route({
      method: 'GET',
      path: one,
      summary: `Get a mapping of generic reports of a ${kind}`,
      permission: may.read,
      input: Type.Object(idField),
      status: 200,
      output: mappingView,
      handle: async (context) =>
        viewMapping(await getMapping(context.deps, placeOf(context), context.input.mapping_id)),
    }),
    route({
      method: 'POST',
      path,
      summary: `Store a mapping of generic reports of a ${kind}`,
      permission: may.manage,
      input: Type.Object({ name: text(name), mapping: freeForm(mapping) }),
      status: 201,
      output: mappingView,
      async handle({ deps, input, ...context }) {
        const draft = { name: input.name.trim(), mapping: input.mapping }
        return viewMapping(await createMapping(deps, placeOf(context), draft))
      },
    }),
    route({
      method: 'PUT',
      path: one,
      summary: `Change a mapping of generic reports of a ${kind}`,
      permission: may.manage,
      input: Type.Object({ ...idField, ...changeFields }, { atLeastOneOf: [Object.keys(changeFields)] }),
      status: 200,
      output: mappingView,
      async handle({ deps, input, ...context }) {
        const changes = {
          ...(input.name !== undefined && { name: input.name.trim() }),
          ...(input.mapping && { mapping: input.mapping }),
        }
        return viewMapping(await changeMapping(deps, placeOf(context), input.mapping_id, changes))
      },
    }),
    route({
      method: 'DELETE',
      path: one,
      summary: `Delete a mapping of generic reports of a ${kind}`,
      permission: may.manage,
      input: Type.Object(idField),
      status: 204,
      output: noOutput,
      handle: (context) => removeMapping(context.deps, placeOf(context), context.input.mapping_id),
    }),
  ]
}

export const reportMappingRoutes: readonly Route[] = [...routesOf('project'), ...routesOf('group')]
