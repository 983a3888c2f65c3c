import Type from 'typebox'
import { severities } from '../../../domain/findings/scales.ts'
import type { Project } from '../../../domain/projects/project.ts'
import { findQueue, type QueuedRequest, queueSides } from '../../../domain/vulnerabilities/approval/approval-queue.ts'
import { type DismissalRequest, requestStates } from '../../../domain/vulnerabilities/approval/dismissal-request.ts'
import {
  approveRequest,
  findRequests,
  getRequest,
  rejectRequest,
  withdrawRequest,
} from '../../../domain/vulnerabilities/approval/dismissal-requests.ts'
import { integer, integerList, listOf, oneOf, optional, text } from '../../../http/params/input.ts'
import { cursorFields, nextOf, readKeyset } from '../../../http/response/keyset.ts'
import type { Route } from '../../../http/route.ts'
import { vulnerabilityUrl } from '../findings/web-url.ts'
import { route } from '../route.ts'
import { nullableUser, viewBasicUser } from '../users/views.ts'
import { nullableString, nullableTimestamp, timestamp } from '../views.ts'
import { instanceScope, scopeProperties } from '../vulnerabilities/scope-filters.ts'
import { given } from '../vulnerabilities/triage-routes.ts'

const requestView = Type.Object(
  {
    id: Type.Integer(),
    project_id: Type.Integer(),
    state: Type.Unsafe<DismissalRequest['state']>({ type: 'string', enum: requestStates }),
    vulnerability: Type.Object({
      id: Type.Integer(),
      title: Type.String(),
      severity: Type.Unsafe<DismissalRequest['severity']>({ type: 'string', enum: severities }),
      web_url: Type.String(),
    }),
    requested_by: nullableUser,
    dismissal_reason: nullableString,
    comment: nullableString,
    until: nullableString,
    until_fixed: Type.Boolean(),
    created_at: timestamp,
    expires_at: timestamp,
    decided_by: nullableUser,
    decided_at: nullableTimestamp,
    decision_comment: nullableString,
  },
  { title: 'DismissalRequest' },
)

const viewRequest = (project: Project, request: DismissalRequest, origin: string) => ({
  id: request.id,
  project_id: request.projectId,
  state: request.state,
  vulnerability: {
    id: request.vulnerabilityId,
    title: request.title,
    severity: request.severity,
    web_url: vulnerabilityUrl(project.fullPath, request.vulnerabilityId, origin),
  },
  requested_by: request.requestedBy && viewBasicUser(request.requestedBy, origin),
  dismissal_reason: request.dismissalReason,
  comment: request.comment,
  until: request.dismissedUntil,
  until_fixed: request.dismissedUntilFixed ?? false,
  created_at: request.createdAt,
  expires_at: request.expiresAt,
  decided_by: request.decidedBy && viewBasicUser(request.decidedBy, origin),
  decided_at: request.decidedAt,
  decision_comment: request.decisionComment,
})

const path = '/projects/:id/dismissal_requests'

const decisions = {
  approve: { decide: approveRequest, summary: 'Approve a dismissal that another user has requested' },
  reject: { decide: rejectRequest, summary: 'Reject a dismissal that another user has requested' },
  withdraw: { decide: withdrawRequest, summary: 'Withdraw an own request for a dismissal' },
} as const

const decisionRoutes = Object.entries(decisions).map(([name, { decide, summary }]) =>
  route({
    method: 'POST',
    path: `${path}/:request_id/${name}`,
    summary,
    permission: 'vulnerability.approve',
    input: Type.Object({
      request_id: integer(),
      comment: optional(text({ description: 'Stored in the history; at most 50,000 characters' })),
    }),
    status: 201,
    output: requestView,
    handle: async ({ deps, project, caller, input, origin }) =>
      viewRequest(
        project,
        await decide(deps, project, caller.user, { id: input.request_id, comment: given(input.comment) }),
        origin,
      ),
  }),
)

const queuedView = Type.Object(
  {
    ...requestView.properties,
    project: Type.Object({
      id: Type.Integer(),
      path_with_namespace: Type.String(),
      name: Type.String(),
      web_url: Type.String(),
    }),
    can_decide: Type.Boolean({
      description: 'Whether the caller may approve or reject the request: it is pending, and they are not behind it',
    }),
  },
  { title: 'QueuedDismissalRequest' },
)

function viewQueued({ request, project, canDecide }: QueuedRequest, origin: string) {
  return {
    ...viewRequest(project, request, origin),
    project: {
      id: project.id,
      path_with_namespace: project.fullPath,
      name: project.name,
      web_url: `${origin}/${project.fullPath}`,
    },
    can_decide: canDecide,
  }
}

const queueRoute = route({
  method: 'GET',
  path: '/dismissal_requests',
  summary: 'List requests for dismissals of all projects where the caller may decide or has requested, newest first',
  permission: 'instance.vulnerability.request.list',
  input: Type.Object({
    state: optional(oneOf(requestStates)),
    severity: optional(listOf(severities, { commaSeparated: true })),
    side: optional(
      oneOf(queueSides, {
        description:
          '`to_decide`: requests that the caller may decide, so none that they made, also with a token; `requested`: those of the caller',
      }),
    ),
    group_id: scopeProperties.group_id,
    project_id: optional(integerList({ commaSeparated: true, description: 'Only requests of these projects' })),
    ...cursorFields,
  }),
  status: 200,
  output: Type.Array(queuedView),
  paged: true,
  unknownFilters: 'refused',
  async handle({ deps, caller, input, page, origin }) {
    const scope = await instanceScope(deps, caller, input)
    const request = readKeyset({ ...input, order_by: 'id' }, page)
    const query = { state: input.state, severities: input.severity, side: input.side }
    const found = await findQueue(deps, caller, scope, { query, page: request })
    const next = nextOf(request, found, ({ request: { id } }) => ({ value: `${id}`, id }))
    return { ...found, ...next, rows: found.rows.map((queued) => viewQueued(queued, origin)) }
  },
})

export const dismissalRequestRoutes: readonly Route[] = [
  queueRoute,
  route({
    method: 'GET',
    path,
    summary: 'List requests for dismissals, newest first',
    permission: 'vulnerability.request.list',
    input: Type.Object({ state: optional(oneOf(requestStates)) }),
    status: 200,
    output: Type.Array(requestView),
    paged: true,
    unknownFilters: 'refused',
    async handle({ deps, project, input, page, origin }) {
      const found = await findRequests(deps, project, input.state, page)
      return { ...found, rows: found.rows.map((request) => viewRequest(project, request, origin)) }
    },
  }),
  route({
    method: 'GET',
    path: `${path}/:request_id`,
    summary: 'Get a request for a dismissal',
    permission: 'vulnerability.request.list',
    input: Type.Object({ request_id: integer() }),
    status: 200,
    output: requestView,
    handle: async ({ deps, project, input, origin }) =>
      viewRequest(project, await getRequest(deps, project, input.request_id), origin),
  }),
  ...decisionRoutes,
]
