import Type, { type Static } from 'typebox'
import type { Caller } from '../../../domain/access/callers.ts'
import type { Project } from '../../../domain/projects/project.ts'
import type { FindingSelection } from '../../../domain/vulnerabilities/promotion/promote-many.ts'
import { changeMany, findBulks, findDecidedGroups, undoBulk } from '../../../domain/vulnerabilities/triage/bulk/bulk.ts'
import type { Bulk } from '../../../domain/vulnerabilities/triage/bulk/bulk-change.ts'
import { freeForm, integer, integerList, optional } from '../../../http/params/input.ts'
import type { Route } from '../../../http/route.ts'
import { parameterProblem } from '../../../platform/failure.ts'
import { readFilterObject } from '../findings/filters.ts'
import { route, withFormerPath } from '../route.ts'
import { nullableInteger, nullableTimestamp, timestamp } from '../views.ts'
import { bulkActions, bulkFields, bulkGroup, requestFrom } from './bulk-fields.ts'

const bulkView = Type.Object(
  {
    id: Type.Integer(),
    project_id: Type.Integer(),
    action: Type.Unsafe<(typeof bulkActions)[number]>({ type: 'string', enum: bulkActions }),
    changed: Type.Integer(),
    requested: Type.Integer({ description: 'Number of dismissals that await the approval of a second person' }),
    unchanged: Type.Integer({ description: 'Number of vulnerabilities that already had the requested state' }),
    author_id: nullableInteger,
    created_at: timestamp,
    undone_at: nullableTimestamp,
    undone_by_id: nullableInteger,
    restored: Type.Unsafe<number | null>({
      type: ['integer', 'null'],
      description:
        'Number of vulnerabilities restored by the undo; the others had been changed since, or their dismissal needs approval now',
    }),
    withdrawn: {
      ...nullableInteger,
      description: 'Number of pending requests for dismissals that the undo withdrew',
    },
    scope_bulk_change_id: {
      ...nullableInteger,
      description: 'The bulk change of many projects that this one is part of',
    },
  },
  { title: 'VulnerabilityBulk' },
)

const viewBulk = (bulk: Bulk) => ({
  id: bulk.id,
  project_id: bulk.projectId,
  action: bulk.action,
  changed: bulk.changed,
  requested: bulk.requested,
  unchanged: bulk.unchanged,
  author_id: bulk.userId,
  created_at: bulk.createdAt,
  undone_at: bulk.undoneAt,
  undone_by_id: bulk.undoneById,
  restored: bulk.restored,
  withdrawn: bulk.withdrawn,
  scope_bulk_change_id: bulk.scopeChangeId,
})

/** Parameters that select findings which await triage. */
const findingFields = {
  finding_ids: optional(
    integerList({
      allowBlank: false,
      commaSeparated: true,
      description:
        'In place of vulnerabilities: findings, at most 500, which are promoted first, in the same transaction',
    }),
  ),
  finding_filter: optional(
    freeForm({
      description:
        'In place of IDs: filter of the finding list; selects findings that have not been promoted, at most 500',
    }),
  ),
}

const oneSelectionOrFindings = {
  exactlyOneOf: [['vulnerability_ids', 'filter', 'filters', 'finding_ids', 'finding_filter']],
}

function findingsFrom(
  { finding_ids: ids, finding_filter: filter }: Static<typeof findingsInput>,
  project: Project,
  caller: Caller,
): FindingSelection | undefined {
  if (filter) return { filter: readFilterObject(project, caller, filter) }
  return ids && { ids }
}
const findingsInput = Type.Object(findingFields)

const path = '/projects/:id/vulnerability_bulk_changes'

const bulkRoutes: readonly Route[] = [
  route({
    method: 'POST',
    path,
    summary: 'Change many vulnerabilities in bulk, in one transaction',
    permission: 'vulnerability.bulk',
    input: Type.Object({ ...bulkFields, ...findingFields }, oneSelectionOrFindings),
    status: 201,
    output: bulkView,
    async handle({ deps, project, caller, input, permit }) {
      if (input.scope !== 'group' && input.group_id !== undefined)
        throw parameterProblem('group_id needs the scope group')
      const request = requestFrom(input, caller, await bulkGroup(permit, input))
      const findings = findingsFrom(input, project, caller)
      return viewBulk(await changeMany(deps, project, caller.user, findings ? { ...request, findings } : request))
    },
  }),
  route({
    method: 'GET',
    path,
    summary: 'List bulk changes of vulnerabilities, newest first',
    permission: 'vulnerability.bulk.list',
    status: 200,
    output: Type.Array(bulkView),
    paged: true,
    unknownFilters: 'refused',
    async handle({ deps, project, page }) {
      const found = await findBulks(deps, project, page)
      return { ...found, rows: found.rows.map(viewBulk) }
    },
  }),
  route({
    method: 'POST',
    path: `${path}/:bulk_id/undo`,
    summary: 'Undo a bulk change for the vulnerabilities that have not been changed since',
    permission: 'vulnerability.bulk',
    input: Type.Object({ bulk_id: integer() }),
    status: 201,
    output: bulkView,
    async handle({ deps, project, caller, input, permit }) {
      for (const id of await findDecidedGroups(deps, project, input.bulk_id)) {
        await permit('group.vulnerability-rule.manage', String(id))
      }
      return viewBulk(await undoBulk(deps, project, caller.user, input.bulk_id))
    },
  }),
]

export const vulnerabilityBulkRoutes = withFormerPath(bulkRoutes, path, '/projects/:id/vulnerabilities/bulk')
