import Type, { type Static } from 'typebox'
import { type State, severities, states } from '../../../domain/findings/scales.ts'
import type { Namespace } from '../../../domain/namespaces/namespace.ts'
import type { BulkRequest } from '../../../domain/vulnerabilities/triage/bulk/bulk.ts'
import type { Change, DecidedGroup } from '../../../domain/vulnerabilities/triage/change.ts'
import type { ExpectedStates } from '../../../domain/vulnerabilities/triage/expected-states.ts'
import { readTags } from '../../../domain/vulnerabilities/triage/tags.ts'
import { date, freeForm, integer, oneOf, optional, text } from '../../../http/params/input.ts'
import type { RouteContext } from '../../../http/route.ts'
import { parameterProblem } from '../../../platform/failure.ts'
import type { FilterCaller } from './filters.ts'
import { selectionFields, selectionFrom } from './selection.ts'
import { tagList } from './tag-routes.ts'
import { assigneeId, dismissalFields, dismissalFrom, given } from './triage-routes.ts'

export const bulkActions = [
  'confirm',
  'resolve',
  'dismiss',
  'revert',
  'severity',
  'due_date',
  'assign',
  'unassign',
  'tag',
  'untag',
  'set_tags',
] as const

/** Parameters of a bulk change, in one project or in many. */
export const bulkFields = {
  action: oneOf(bulkActions),
  ...selectionFields,
  expected_states: optional(
    freeForm({
      description:
        'Expected current state by ID, such as `{"7": "detected"}`; if any vulnerability is in another state, the request is rejected with 409',
    }),
  ),
  comment: optional(text({ description: 'Stored in the history; at most 50,000 characters' })),
  ...dismissalFields,
  group_id: optional(
    integer({
      description:
        'For the scope `group`: a group above all selected projects, whose rules the caller may change. Each flaw becomes a rule of it, so at most 100 vulnerabilities are allowed. In the bulk change of all projects, it also limits the selection',
    }),
  ),
  severity: optional(
    oneOf([...severities, 'reported'], {
      description: 'For the action `severity`. `reported` restores the severity that the scanner reported',
    }),
  ),
  assignee_id: optional(assigneeId),
  tags: optional(tagList),
  due_on: optional(
    date({ description: 'For the action `due_date`. Without it, the due dates of the policy are restored' }),
  ),
}
const bulkInput = Type.Object(bulkFields)

/** Returns the group of a decision, whose rules the caller must be permitted to change. */
export async function bulkGroup(
  permit: RouteContext['permit'],
  { action, scope, group_id: id }: Pick<Static<typeof bulkInput>, 'action' | 'scope' | 'group_id'>,
): Promise<DecidedGroup | undefined> {
  if (action !== 'dismiss' || scope !== 'group') return undefined
  if (id === undefined) throw parameterProblem('group_id is missing')
  const { resources } = await permit('group.vulnerability-rule.manage', String(id))
  const { group } = resources as { group: Namespace } // as the permission has resolved
  return { id: group.id, fullPath: group.fullPath }
}

export const requestFrom = (
  input: Static<typeof bulkInput>,
  caller: FilterCaller,
  group?: DecidedGroup,
): BulkRequest => ({
  selection: selectionFrom(input, caller),
  change: changeFrom(input, group),
  expectedCount: input.expected_count,
  expectedStates: statesFrom(input),
})

function changeFrom(
  { action, severity, due_on, assignee_id, tags, ...input }: Static<typeof bulkInput>,
  group: DecidedGroup | undefined,
): Change {
  const comment = given(input.comment)
  if (action === 'assign') {
    if (assignee_id === undefined) throw parameterProblem('assignee_id is missing')
    return { action, comment, assigneeId: assignee_id }
  }
  if (action === 'tag' || action === 'untag' || action === 'set_tags') {
    if (tags === undefined) throw parameterProblem('tags is missing')
    return { action, comment, tags: readTags(tags) }
  }
  if (action === 'revert') return { action, comment, ref: input.ref }
  if (action === 'dismiss') return { action, comment, ...dismissalFrom(input), group }
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
