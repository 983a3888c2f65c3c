import Type from 'typebox'
import type { Project } from '../../../domain/projects/project.ts'
import { readableScope } from '../../../domain/vulnerabilities/list/readable-scope.ts'
import type { ScopeChange } from '../../../domain/vulnerabilities/scope-bulk/scope-change.ts'
import {
  changeInScope,
  findGroupsOfScopeChange,
  findScopeChanges,
  getScopeChange,
  undoInScope,
} from '../../../domain/vulnerabilities/scope-bulk/scope-changes.ts'
import { flag, integer, optional } from '../../../http/params/input.ts'
import type { Route } from '../../../http/route.ts'
import { parameterProblem } from '../../../platform/failure.ts'
import { route } from '../route.ts'
import { nullableInteger, nullableString, nullableTimestamp, timestamp } from '../views.ts'
import { bulkActions, bulkFields, bulkGroup, requestFrom } from './bulk-fields.ts'
import { instanceScope, projectFilter, scopeProperties } from './scope-filters.ts'
import { oneSelection } from './selection.ts'

const changeStates = ['running', 'done', 'failed', 'undoing', 'undone'] as const

/** Maximum number of projects in each list of an answer. */
const maxProjects = 100

const projectView = Type.Object({
  id: Type.Integer(),
  path_with_namespace: Type.String(),
  web_url: Type.String(),
})

const scopeChangeView = Type.Object(
  {
    id: Type.Unsafe<number | null>({ type: ['integer', 'null'], description: 'Null for a dry run' }),
    dry_run: Type.Boolean(),
    status: Type.Unsafe<(typeof changeStates)[number]>({ type: 'string', enum: changeStates }),
    action: Type.Unsafe<(typeof bulkActions)[number]>({ type: 'string', enum: bulkActions }),
    group_id: nullableInteger,
    total: Type.Integer({ description: 'Number of selected vulnerabilities in projects where the caller may triage' }),
    changed: Type.Integer(),
    requested: Type.Integer({ description: 'Number of dismissals that await the approval of a second person' }),
    unchanged: Type.Integer({ description: 'Number of vulnerabilities that already had the requested state' }),
    restored: Type.Unsafe<number | null>({
      type: ['integer', 'null'],
      description:
        'Number of vulnerabilities restored by the undo; the others had been changed since, or their dismissal needs approval now',
    }),
    withdrawn: {
      ...nullableInteger,
      description: 'Number of pending requests for dismissals that the undo withdrew',
    },
    author_id: nullableInteger,
    created_at: timestamp,
    undone_at: nullableTimestamp,
    undone_by_id: nullableInteger,
    error: { ...nullableString, description: 'Reason of a failure' },
    projects: Type.Array(
      Type.Object({
        project: projectView,
        bulk_change_id: Type.Unsafe<number | null>({
          type: ['integer', 'null'],
          description: 'The bulk change of the project, which can be undone by itself',
        }),
        changed: Type.Integer(),
        requested: Type.Integer(),
        unchanged: Type.Integer(),
        undone_at: nullableTimestamp,
        restored: nullableInteger,
        withdrawn: nullableInteger,
      }),
      { description: `Effect on each project; at most ${maxProjects}` },
    ),
    projects_count: Type.Integer(),
    skipped: Type.Array(
      Type.Object({ ...projectView.properties, archived: Type.Boolean(), selected: Type.Integer() }),
      {
        description: `Projects that are archived or in which the caller may not triage, with the number of selected vulnerabilities; at most ${maxProjects}`,
      },
    ),
    skipped_count: Type.Integer(),
    in_group: {
      ...nullableInteger,
      description:
        'Dry run with the scope `group`: number of vulnerabilities of the group that would be dismissed, the selected ones included',
    },
  },
  { title: 'VulnerabilityScopeBulk' },
)

function viewScopeChange(change: ScopeChange, origin: string) {
  const viewProject = ({ id, fullPath }: Project) => ({
    id,
    path_with_namespace: fullPath,
    web_url: `${origin}/${fullPath}`,
  })
  return {
    id: change.id,
    dry_run: change.id === null,
    status: change.state,
    action: change.action,
    group_id: change.namespaceId,
    total: change.total,
    changed: change.changed,
    requested: change.requested,
    unchanged: change.unchanged,
    restored: change.restored,
    withdrawn: change.withdrawn,
    author_id: change.userId,
    created_at: change.createdAt,
    undone_at: change.undoneAt,
    undone_by_id: change.undoneById,
    error: change.error,
    projects: change.projects
      .slice(0, maxProjects)
      .map(({ project, bulkId, changed, requested, unchanged, ...undo }) => ({
        project: viewProject(project),
        bulk_change_id: bulkId,
        changed,
        requested,
        unchanged,
        undone_at: undo.undoneAt,
        restored: undo.restored,
        withdrawn: undo.withdrawn,
      })),
    projects_count: change.projects.length,
    skipped: change.skipped.slice(0, maxProjects).map(({ project, total }) => ({
      ...viewProject(project),
      archived: project.isArchived,
      selected: total,
    })),
    skipped_count: change.skipped.length,
    in_group: change.inGroup,
  }
}

const asyncFlag = optional(
  flag({ description: 'For more than 500 vulnerabilities: return 202 immediately; poll the change for its progress' }),
)

const scopeBulkFields = {
  ...bulkFields,
  dry_run: flag({ default: false, description: 'Dry run: return what would change without changing anything' }),
  async: asyncFlag,
}

const path = '/vulnerability_bulk_changes'

const shape = {
  status: 201,
  output: scopeChangeView,
  isUnfinished: ({ status }: { status: string }) => status === 'running' || status === 'undoing',
} as const

export const scopeBulkRoutes: readonly Route[] = [
  route({
    ...shape,
    method: 'POST',
    path: `/groups/:id${path}`,
    summary: 'Change many vulnerabilities of a group and its subgroups in bulk, where the caller may',
    permission: 'group.vulnerability.bulk',
    input: Type.Object({ ...scopeBulkFields, project_id: projectFilter }, oneSelection),
    async handle({ deps, caller, group, input, origin, permit }) {
      if (input.scope !== 'group' && input.group_id !== undefined)
        throw parameterProblem('group_id needs the scope group')
      const decided = await bulkGroup(permit, input)
      const scope = await readableScope(deps, caller, { group, projectIds: input.project_id })
      const request = { ...requestFrom(input, caller, decided), isDryRun: input.dry_run, isAsync: input.async }
      return viewScopeChange(await changeInScope(deps, caller, { scope, group }, request), origin)
    },
  }),
  route({
    ...shape,
    method: 'POST',
    path,
    summary: 'Change many vulnerabilities of all projects in bulk, where the caller may',
    permission: 'instance.vulnerability.bulk',
    input: Type.Object({ ...scopeBulkFields, ...scopeProperties, group_id: bulkFields.group_id }, oneSelection),
    async handle({ deps, caller, input, origin, permit }) {
      const decided = await bulkGroup(permit, input)
      const scope = await instanceScope(deps, caller, input)
      const request = { ...requestFrom(input, caller, decided), isDryRun: input.dry_run, isAsync: input.async }
      return viewScopeChange(await changeInScope(deps, caller, { scope }, request), origin)
    },
  }),
  route({
    method: 'GET',
    path,
    summary: 'List your bulk changes of vulnerabilities of many projects, newest first',
    permission: 'instance.vulnerability.bulk.list',
    status: 200,
    output: Type.Array(scopeChangeView),
    paged: true,
    unknownFilters: 'refused',
    async handle({ deps, caller, page, origin }) {
      const found = await findScopeChanges(deps, caller, page)
      return { ...found, rows: found.rows.map((change) => viewScopeChange(change, origin)) }
    },
  }),
  route({
    method: 'GET',
    path: `${path}/:bulk_id`,
    summary: 'Get the progress of your bulk change of many projects',
    permission: 'instance.vulnerability.bulk.list',
    input: Type.Object({ bulk_id: integer() }),
    status: 200,
    output: scopeChangeView,
    handle: async ({ deps, caller, input, origin }) =>
      viewScopeChange(await getScopeChange(deps, caller, input.bulk_id), origin),
  }),
  route({
    ...shape,
    method: 'POST',
    path: `${path}/:bulk_id/undo`,
    summary: 'Undo a bulk change in every project where the caller may still triage',
    permission: 'instance.vulnerability.bulk',
    input: Type.Object({ bulk_id: integer(), async: asyncFlag }),
    async handle({ deps, caller, input, origin, permit }) {
      for (const id of await findGroupsOfScopeChange(deps, caller, input.bulk_id)) {
        await permit('group.vulnerability-rule.manage', String(id))
      }
      return viewScopeChange(await undoInScope(deps, caller, input.bulk_id, { isAsync: input.async }), origin)
    },
  }),
]
