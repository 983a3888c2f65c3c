import Type from 'typebox'
import type { Caller } from '../../../domain/access/callers.ts'
import type { RootDeps } from '../../../domain/deps.ts'
import { type DismissalReason, dismissalReasons, severities, states } from '../../../domain/findings/scales.ts'
import { lineageOf, type Namespace } from '../../../domain/namespaces/namespace.ts'
import type { Project } from '../../../domain/projects/project.ts'
import type { DecidedGroup } from '../../../domain/vulnerabilities/triage/change.ts'
import { findDecidedGroup } from '../../../domain/vulnerabilities/triage/dismissals/group-dismissals.ts'
import {
  type DismissalScope,
  dismissalScopes,
} from '../../../domain/vulnerabilities/triage/dismissals/ref-dismissals.ts'
import { type ChangeRequest, changeVulnerability, withFinding } from '../../../domain/vulnerabilities/triage/triage.ts'
import type { BasicVulnerability } from '../../../domain/vulnerabilities/vulnerability.ts'
import { date, flag, integer, nullable, oneOf, optional, text } from '../../../http/params/input.ts'
import { renderRows } from '../../../http/response/row-cache.ts'
import type { Route, RouteContext } from '../../../http/route.ts'
import { notFound, parameterProblem } from '../../../platform/failure.ts'
import { route } from '../route.ts'
import { vulnerabilityRows } from './rendered-rows.ts'
import { viewChanged, vulnerabilityView } from './views.ts'

const comment = optional(text({ description: 'Stored in the history; at most 50,000 characters' }))

/** Parameter of a new assignee. */
export const assigneeId = integer({ description: 'ID of a user who may triage vulnerabilities of the project' })

interface Call {
  deps: RootDeps
  project: Project
  vulnerability: BasicVulnerability
  caller: Caller
  origin: string
  permit: RouteContext['permit']
}

const expected_state = optional(
  oneOf(states, {
    description: 'Expected current state; if the vulnerability is in another state, the request is rejected with 409',
  }),
)

async function change({ deps, project, caller, vulnerability, origin }: Call, what: Omit<ChangeRequest, 'id'>) {
  const changed = await changeVulnerability(deps, project, caller.user, { id: vulnerability.id, ...what })
  return viewChanged(deps, project, changed, origin)
}

function transition(action: 'confirm' | 'resolve', summary: string): Route {
  return route({
    method: 'POST',
    path: `/vulnerabilities/:id/${action}`,
    summary,
    permission: `vulnerability.${action}`,
    input: Type.Object({ comment, expected_state }),
    status: 201,
    output: vulnerabilityView,
    handle: (call) =>
      change(call, {
        change: { action, comment: given(call.input.comment) },
        expectedState: call.input.expected_state,
      }),
  })
}

/** Parameters of a dismissal. Some GitLab clients send `reason`. */
export const dismissalFields = {
  dismissal_reason: optional(
    oneOf(dismissalReasons, { description: 'Can also change the reason or comment of a dismissed vulnerability' }),
  ),
  reason: optional(oneOf(dismissalReasons, { description: 'Alias of `dismissal_reason`' })),
  scope: optional(
    oneOf(dismissalScopes, {
      description:
        'How far the dismissal reaches: all branches (default), or only the branch or tag `ref`, on which the vulnerability must be present. It stays as it is on others. The dismissal also ends when the branch is closed. `group`: the same flaw in all projects of the group `group_id`',
    }),
  ),
  ref: optional(text({ allowBlank: false, description: 'Branch or tag, for the scope `ref`' })),
  until: optional(
    nullable(
      date({
        description:
          'Day (UTC) on which the dismissal ends and the vulnerability is detected again; in the future, at most 5 years ahead. Null or blank: no day',
      }),
    ),
  ),
  until_fixed: optional(
    flag({
      description:
        'True: the dismissal ends when a report says how to fix the vulnerability, such as by a fixed version. Rejected if the latest report does so already; bulk changes leave such vulnerabilities unchanged',
    }),
  ),
}

type Reasons = Partial<Record<'dismissal_reason' | 'reason', DismissalReason | undefined>>

/** Parameter of a decision for the projects of a group. */
const group_id = optional(
  integer({
    description:
      'For the scope `group`: a group above the project. A rule of this group dismisses the same flaw in its projects, now by a job and in later reports. Needs the right to change the rules of the group',
  }),
)

interface DismissalInput extends Reasons {
  scope?: DismissalScope | undefined
  ref?: string | undefined
  until?: string | null | undefined
  until_fixed?: boolean | undefined
}

/** Returns the reason and end of a dismissal. */
export const dismissalFrom = (input: DismissalInput) => ({
  dismissalReason: dismissalReasonFrom(input),
  ref: refFrom(input),
  until: input.until,
  untilFixed: input.until_fixed,
})

function refFrom({ scope, ref }: DismissalInput): string | undefined {
  if (scope === 'ref' && ref === undefined) throw parameterProblem('ref is missing')
  if (scope !== 'ref' && ref !== undefined) throw parameterProblem('ref needs the scope ref')
  return ref
}

/** Returns the group of a decision, whose rules the caller must be permitted to change. */
export async function decidedGroup(
  { permit, project }: Pick<Call, 'permit' | 'project'>,
  groupId: number,
): Promise<DecidedGroup> {
  if (!lineageOf(project.namespace).includes(groupId)) throw notFound('Group')
  const { resources } = await permit('group.vulnerability-rule.manage', String(groupId))
  const { group } = resources as { group: Namespace } // as the permission has resolved
  return { id: group.id, fullPath: group.fullPath }
}

function dismissedGroup(
  call: Call,
  { scope, group_id: id }: Pick<DismissalInput, 'scope'> & { group_id?: number | undefined },
) {
  if (scope === 'group' && id === undefined) throw parameterProblem('group_id is missing')
  if (scope !== 'group' && id !== undefined) throw parameterProblem('group_id needs the scope group')
  return id === undefined ? undefined : decidedGroup(call, id)
}

async function revertedGroup(call: Call, { scope, ref }: { scope?: 'group' | undefined; ref?: string | undefined }) {
  if (scope === undefined) return undefined
  if (ref !== undefined) throw parameterProblem('ref cannot be combined with the scope group')
  const { vulnerability } = await withFinding(call.deps, call.vulnerability)
  return decidedGroup(call, await findDecidedGroup(call.deps, vulnerability))
}

function dismissalReasonFrom({ dismissal_reason, reason }: Reasons): DismissalReason | undefined {
  if (dismissal_reason !== undefined && reason !== undefined && dismissal_reason !== reason) {
    throw parameterProblem('dismissal_reason, reason have different values')
  }
  return dismissal_reason ?? reason
}

/** Returns undefined for a blank value, because forms cannot omit a field. */
export const given = (written: string | undefined) => (written?.trim() ? written : undefined)

export const vulnerabilityLifeRoutes: readonly Route[] = [
  route({
    method: 'GET',
    path: '/vulnerabilities/:id',
    summary: 'Get a vulnerability',
    permission: 'vulnerability.read',
    status: 200,
    output: vulnerabilityView,
    async handle({ deps, project, vulnerability, origin }) {
      const source = await vulnerabilityRows(deps, project, { origin })
      const [row] = await renderRows(deps.db, source, [vulnerability.id])
      if (!row) throw notFound()
      return row
    },
  }),
  transition('confirm', 'Confirm a vulnerability'),
  transition('resolve', 'Resolve a vulnerability'),
  route({
    method: 'POST',
    path: '/vulnerabilities/:id/dismiss',
    summary: 'Dismiss a vulnerability',
    permission: 'vulnerability.dismiss',
    input: Type.Object({ comment, ...dismissalFields, group_id, expected_state }),
    status: 201,
    output: vulnerabilityView,
    // The dismissal awaits approval. A dismissed vulnerability may await that of another reason or end.
    isUnfinished: ({ dismissal_request_id }) => dismissal_request_id !== null,
    async handle(call) {
      const dismissal = dismissalFrom(call.input)
      const group = await dismissedGroup(call, call.input)
      return change(call, {
        change: { action: 'dismiss', comment: given(call.input.comment), ...dismissal, group },
        expectedState: call.input.expected_state,
      })
    },
  }),
  route({
    method: 'POST',
    path: '/vulnerabilities/:id/revert',
    summary: 'Revert a vulnerability to the detected state',
    permission: 'vulnerability.revert',
    input: Type.Object({
      comment,
      ref: optional(text({ allowBlank: false, description: 'Branch or tag; only the dismissal on it is ended' })),
      scope: optional(
        oneOf(['group'], {
          description:
            'Deletes the rule that a dismissal with the scope `group` has created; a job reverts what it dismissed. Without it, only this vulnerability is reverted',
        }),
      ),
      expected_state,
    }),
    status: 201,
    output: vulnerabilityView,
    async handle(call) {
      const { ref } = call.input
      const group = await revertedGroup(call, call.input)
      return change(call, {
        change: { action: 'revert', ref, group, comment: given(call.input.comment) },
        expectedState: call.input.expected_state,
      })
    },
  }),
  route({
    method: 'PUT',
    path: '/vulnerabilities/:id/severity',
    summary: 'Override the severity of a vulnerability',
    permission: 'vulnerability.severity',
    input: Type.Object({ severity: oneOf(severities), comment }),
    status: 200,
    output: vulnerabilityView,
    handle: (call) =>
      change(call, {
        change: { action: 'severity', severity: call.input.severity, comment: given(call.input.comment) },
      }),
  }),
  route({
    method: 'PUT',
    path: '/vulnerabilities/:id/assignee',
    summary: 'Assign a vulnerability to a user who may triage it',
    permission: 'vulnerability.assign',
    input: Type.Object({ assignee_id: assigneeId, comment }),
    status: 200,
    output: vulnerabilityView,
    handle: (call) =>
      change(call, {
        change: { action: 'assign', assigneeId: call.input.assignee_id, comment: given(call.input.comment) },
      }),
  }),
  route({
    method: 'DELETE',
    path: '/vulnerabilities/:id/assignee',
    summary: 'Remove the assignee of a vulnerability',
    permission: 'vulnerability.assign',
    input: Type.Object({ comment }),
    status: 200,
    output: vulnerabilityView,
    handle: (call) => change(call, { change: { action: 'unassign', comment: given(call.input.comment) } }),
  }),
  route({
    method: 'DELETE',
    path: '/vulnerabilities/:id/severity',
    summary: 'Remove the severity override of a vulnerability',
    permission: 'vulnerability.severity',
    input: Type.Object({ comment }),
    status: 200,
    output: vulnerabilityView,
    handle: (call) =>
      change(call, { change: { action: 'severity', severity: undefined, comment: given(call.input.comment) } }),
  }),
  route({
    method: 'PUT',
    path: '/vulnerabilities/:id/due_date',
    summary: 'Set the due date of a vulnerability, in place of that of the policy',
    permission: 'vulnerability.due-date',
    input: Type.Object({ due_on: date(), comment }),
    status: 200,
    output: vulnerabilityView,
    handle: (call) =>
      change(call, {
        change: { action: 'due_date', dueOn: call.input.due_on, comment: given(call.input.comment) },
      }),
  }),
  route({
    method: 'DELETE',
    path: '/vulnerabilities/:id/due_date',
    summary: 'Remove the due date that a user has set, so that the policy applies again',
    permission: 'vulnerability.due-date',
    input: Type.Object({ comment }),
    status: 200,
    output: vulnerabilityView,
    handle: (call) =>
      change(call, { change: { action: 'due_date', dueOn: undefined, comment: given(call.input.comment) } }),
  }),
]
