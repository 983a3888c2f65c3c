import Type, { type Static } from 'typebox'
import { type State, severities, states } from '../../../domain/findings/scales.ts'
import type { BulkRequest } from '../../../domain/vulnerabilities/triage/bulk.ts'
import type { Change } from '../../../domain/vulnerabilities/triage/change.ts'
import type { ExpectedStates } from '../../../domain/vulnerabilities/triage/expected-states.ts'
import { readTags } from '../../../domain/vulnerabilities/triage/tags.ts'
import { date, freeForm, oneOf, optional, text } from '../../../http/params/input.ts'
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

export const requestFrom = (input: Static<typeof bulkInput>, caller: FilterCaller): BulkRequest => ({
  selection: selectionFrom(input, caller),
  change: changeFrom(input),
  expectedCount: input.expected_count,
  expectedStates: statesFrom(input),
})

function changeFrom({ action, severity, due_on, assignee_id, tags, ...input }: Static<typeof bulkInput>): Change {
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
  if (action === 'dismiss' && input.scope === 'group') {
    throw parameterProblem(
      'scope group: is not possible in bulk; dismiss one vulnerability, or create a rule of the group',
    )
  }
  if (action === 'dismiss') return { action, comment, ...dismissalFrom(input) }
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
