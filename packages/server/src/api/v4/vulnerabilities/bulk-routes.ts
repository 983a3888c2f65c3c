import Type, { type Static } from 'typebox'
import { type State, severities, states } from '../../../domain/findings/scales.ts'
import { changeMany, findBulks, undoBulk } from '../../../domain/vulnerabilities/triage/bulk.ts'
import type { Bulk } from '../../../domain/vulnerabilities/triage/bulk-change.ts'
import type { Change } from '../../../domain/vulnerabilities/triage/change.ts'
import type { ExpectedStates } from '../../../domain/vulnerabilities/triage/expected-states.ts'
import { date, freeForm, integer, oneOf, optional, text } from '../../../http/params/input.ts'
import type { Route } from '../../../http/route.ts'
import { parameterProblem } from '../../../platform/failure.ts'
import { route, withFormerPath } from '../route.ts'
import { nullableInteger, nullableTimestamp, timestamp } from '../views.ts'
import { oneSelection, selectionFields, selectionFrom } from './selection.ts'
import { dismissalFields, dismissalReasonFrom, given } from './triage-routes.ts'

const actions = ['confirm', 'resolve', 'dismiss', 'revert', 'severity', 'due_date'] as const

const bulkView = Type.Object(
  {
    id: Type.Integer(),
    project_id: Type.Integer(),
    action: Type.Unsafe<(typeof actions)[number]>({ type: 'string', enum: actions }),
    changed: Type.Integer(),
    unchanged: Type.Integer({ description: 'Number of vulnerabilities that already had the requested state' }),
    author_id: nullableInteger,
    created_at: timestamp,
    undone_at: nullableTimestamp,
    undone_by_id: nullableInteger,
    restored: Type.Unsafe<number | null>({
      type: ['integer', 'null'],
      description: 'Number of vulnerabilities restored by the undo; the others had been changed since',
    }),
  },
  { title: 'VulnerabilityBulk' },
)

const viewBulk = (bulk: Bulk) => ({
  id: bulk.id,
  project_id: bulk.projectId,
  action: bulk.action,
  changed: bulk.changed,
  unchanged: bulk.unchanged,
  author_id: bulk.userId,
  created_at: bulk.createdAt,
  undone_at: bulk.undoneAt,
  undone_by_id: bulk.undoneById,
  restored: bulk.restored,
})

const bulkFields = {
  action: oneOf(actions),
  ...selectionFields,
  expected_states: optional(
    freeForm({
      description:
        'Expected current state by ID, such as `{"7": "detected"}`; if any vulnerability is in another state, the request is rejected with 409',
    }),
  ),
  comment: optional(text({ description: 'Stored in the history; at most 50,000 characters' })),
  ...dismissalFields,
  severity: optional(
    oneOf([...severities, 'reported'], {
      description: 'For the action `severity`. `reported` restores the severity that the scanner reported',
    }),
  ),
  due_on: optional(
    date({ description: 'For the action `due_date`. Without it, the due dates of the policy are restored' }),
  ),
}
const bulkInput = Type.Object(bulkFields, oneSelection)

function changeFrom({ action, severity, due_on, ...input }: Static<typeof bulkInput>): Change {
  const comment = given(input.comment)
  if (action === 'dismiss') return { action, comment, dismissalReason: dismissalReasonFrom(input) }
  if (action === 'due_date') return { action, comment, dueOn: due_on }
  if (action !== 'severity') return { action, comment }
  if (severity === undefined) throw parameterProblem('severity is missing')
  return { action, comment, severity: severity === 'reported' ? undefined : severity }
}

function statesFrom({ expected_states: given, vulnerability_ids: ids }: Static<typeof bulkInput>) {
  if (given === undefined) return undefined
  if (ids === undefined) throw parameterProblem('expected_states needs vulnerability_ids')
  const known = new Set(ids)
  const expected: [number, State][] = Object.entries(given).map(([id, word]) => {
    const state = states.find((name) => name === word)
    if (!known.has(Number(id)) || state === undefined) throw parameterProblem(`expected_states[${id}] is invalid`)
    return [Number(id), state]
  })
  return new Map(expected) satisfies ExpectedStates
}

const path = '/projects/:id/vulnerability_bulk_changes'

const bulkRoutes: readonly Route[] = [
  route({
    method: 'POST',
    path,
    summary: 'Change many vulnerabilities in bulk, in one transaction',
    permission: 'vulnerability.bulk',
    input: bulkInput,
    status: 201,
    output: bulkView,
    handle: async ({ deps, project, caller, input }) =>
      viewBulk(
        await changeMany(deps, project, caller.user, {
          selection: selectionFrom(input),
          change: changeFrom(input),
          expectedCount: input.expected_count,
          expectedStates: statesFrom(input),
        }),
      ),
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
    handle: async ({ deps, project, caller, input }) =>
      viewBulk(await undoBulk(deps, project, caller.user, input.bulk_id)),
  }),
]

export const vulnerabilityBulkRoutes = withFormerPath(bulkRoutes, path, '/projects/:id/vulnerabilities/bulk')
