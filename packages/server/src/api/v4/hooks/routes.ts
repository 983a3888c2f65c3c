import Type from 'typebox'
import { type Deps, transaction } from '../../../domain/deps.ts'
import { alertStatus, eventNameOf, type Hook } from '../../../domain/hooks/hook.ts'
import {
  changeHook,
  createHook,
  type Delivery,
  findDeliveries,
  findHooks,
  getHook,
  removeHook,
  resendDelivery,
  type StatusRange,
  testHook,
} from '../../../domain/hooks/hooks.ts'
import type { GitlabAttributes } from '../../../domain/projects/gitlab-attribute.ts'
import { readAttributes, storeAttributes } from '../../../domain/projects/gitlab-attributes.ts'
import { describeNewestVulnerability } from '../../../domain/vulnerabilities/triage/vulnerability-events.ts'
import { flag, integer, nullable, oneOf, optional, text, textList } from '../../../http/params/input.ts'
import { noOutput, type Route } from '../../../http/route.ts'
import { parameterProblem, unprocessable } from '../../../platform/failure.ts'
import {
  attributesFrom,
  firstEvents,
  hookExtras,
  inputsOf,
  otherEvents,
  outputsOf,
} from '../projects/gitlab-attributes.ts'
import { route } from '../route.ts'
import { freeObject, nullableString, nullableTimestamp, timestamp } from '../views.ts'

const hookFields = {
  id: Type.Integer(),
  url: Type.String(),
  name: nullableString,
  description: nullableString,
  created_at: timestamp,
  ...booleans(firstEvents),
  enable_ssl_verification: Type.Boolean(),
  alert_status: Type.String(),
  disabled_until: nullableTimestamp,
  url_variables: Type.Array(freeObject),
  push_events_branch_filter: nullableString,
  branch_filter_strategy: Type.String(),
  custom_webhook_template: nullableString,
  custom_headers: Type.Array(freeObject),
  project_id: Type.Integer(),
  ...booleans(otherEvents),
  vulnerability_events: Type.Boolean(),
}

const hookView = Type.Object({ ...hookFields, ...outputsOf(hookExtras, hookFields) }, { title: 'Hook' })

async function viewHooks(deps: Deps, hooks: readonly Hook[]) {
  const ids = hooks.map(({ id }) => id)
  const extras = await readAttributes(deps, 'hooks', ids)
  return hooks.map((hook) => viewHook(deps, hook, extras.get(hook.id)))
}

async function viewOneHook(deps: Deps, hook: Hook) {
  const extras = await readAttributes(deps, 'hooks', [hook.id])
  return viewHook(deps, hook, extras.get(hook.id))
}

function viewHook({ now }: Deps, hook: Hook, extras: GitlabAttributes = {}) {
  const status = alertStatus(hook, now())
  return {
    id: hook.id,
    url: hook.url,
    name: hook.name,
    description: hook.description,
    created_at: hook.createdAt,
    ...allFalse(firstEvents),
    enable_ssl_verification: hook.verifiesCertificates,
    alert_status: status,
    disabled_until: status === 'temporarily_disabled' ? hook.disabledUntil : null,
    url_variables: [],
    push_events_branch_filter: null,
    branch_filter_strategy: 'wildcard',
    custom_webhook_template: null,
    custom_headers: [],
    project_id: hook.projectId,
    ...allFalse(otherEvents),
    vulnerability_events: hook.hasVulnerabilityEvents,
    ...extras,
    resource_access_token_events: hook.hasAccessTokenEvents,
  }
}

function booleans<Name extends string>(names: readonly Name[]) {
  const entries = names.map((name) => [name, Type.Boolean()] as const)
  return Object.fromEntries(entries) as Record<Name, ReturnType<typeof Type.Boolean>> // has one entry for each name
}

function allFalse<Name extends string>(names: readonly Name[]) {
  return Object.fromEntries(names.map((name) => [name, false])) as Record<Name, boolean> // has one entry for each name
}

const deliveryView = Type.Object(
  {
    id: Type.Integer(),
    url: Type.String(),
    trigger: Type.String(),
    request_headers: freeObject,
    request_data: freeObject,
    response_headers: freeObject,
    response_body: Type.String(),
    execution_duration: Type.Number({ description: 'Seconds' }),
    response_status: Type.String({ description: 'HTTP status, or `internal error` if there was no response' }),
    created_at: timestamp,
    // Not in GitLab, which puts the error into the response body.
    error: nullableString,
  },
  { title: 'HookEvent' },
)

const triggers = {
  'Vulnerability Hook': 'vulnerability_hooks',
  'Resource Access Token Hook': 'resource_access_token_hooks',
  'Security Report Hook': 'security_report_hooks',
} as const

function viewDelivery(delivery: Delivery) {
  return {
    id: delivery.id,
    url: delivery.url,
    trigger: triggers[eventNameOf(delivery.payload)],
    request_headers: delivery.requestHeaders,
    request_data: delivery.payload,
    response_headers: delivery.responseHeaders,
    response_body: delivery.responseBody,
    execution_duration: delivery.durationMs / 1000,
    response_status: delivery.responseStatus === null ? 'internal error' : String(delivery.responseStatus),
    created_at: delivery.createdAt,
    error: delivery.error,
  }
}

const hookInput = {
  ...inputsOf(hookExtras),
  name: optional(nullable(text())),
  description: optional(nullable(text())),
  token: optional(nullable(text({ description: 'Sent as `X-Gitlab-Token`; never returned' }))),
  vulnerability_events: optional(flag()),
  resource_access_token_events: optional(
    flag({ description: 'Notices 60, 30 and 7 days before an access token of the project expires' }),
  ),
  enable_ssl_verification: optional(flag({ description: 'Default: true' })),
}

const hookId = { hook_id: integer() }

export const hookRoutes: readonly Route[] = [
  route({
    method: 'GET',
    path: '/projects/:id/hooks',
    summary: 'List a project’s webhooks',
    permission: 'hook.read',
    status: 200,
    output: Type.Array(hookView),
    paged: true,
    async handle({ deps, project, page }) {
      const found = await findHooks(deps, project, page)
      return { ...found, rows: await viewHooks(deps, found.rows) }
    },
  }),
  route({
    method: 'GET',
    path: '/projects/:id/hooks/:hook_id',
    summary: 'Get a webhook',
    permission: 'hook.read',
    input: Type.Object(hookId),
    status: 200,
    output: hookView,
    handle: async ({ deps, project, input }) => viewOneHook(deps, await getHook(deps, project, input.hook_id)),
  }),
  route({
    method: 'POST',
    path: '/projects/:id/hooks',
    summary: 'Add a webhook',
    permission: 'hook.manage',
    input: Type.Object({ url: text(), ...hookInput }),
    status: 201,
    output: hookView,
    async handle({ deps, project, input }) {
      const draft = {
        url: input.url,
        name: input.name ?? null,
        description: input.description ?? null,
        token: input.token || null,
        hasVulnerabilityEvents: input.vulnerability_events ?? false,
        hasAccessTokenEvents: input.resource_access_token_events ?? false,
        verifiesCertificates: input.enable_ssl_verification ?? true,
      }
      const hook = await transaction(deps, async (deps) => {
        const hook = await createHook(deps, project, draft)
        await storeAttributes(deps, 'hooks', hook.id, attributesFrom(hookExtras, input))
        return hook
      })
      return viewOneHook(deps, hook)
    },
  }),
  route({
    method: 'PUT',
    path: '/projects/:id/hooks/:hook_id',
    summary: 'Update a webhook; changing the URL removes the token unless a new one is given',
    permission: 'hook.manage',
    input: Type.Object({ ...hookId, url: optional(text()), ...hookInput }),
    status: 200,
    output: hookView,
    async handle({ deps, project, input }) {
      const { hook_id: id, url, name, description, token } = input
      const changes = {
        ...(url !== undefined && { url }),
        ...(name !== undefined && { name }),
        ...(description !== undefined && { description }),
        ...(token !== undefined && { token: token || null }),
        ...(input.vulnerability_events !== undefined && { hasVulnerabilityEvents: input.vulnerability_events }),
        ...(input.resource_access_token_events !== undefined && {
          hasAccessTokenEvents: input.resource_access_token_events,
        }),
        ...(input.enable_ssl_verification !== undefined && { verifiesCertificates: input.enable_ssl_verification }),
      }
      const extras = attributesFrom(hookExtras, input)
      if (Object.keys({ ...changes, ...extras }).length === 0) throw parameterProblem('No parameters provided')
      const changed = await transaction(deps, async (deps) => {
        const changed = await changeHook(deps, project, id, changes)
        await storeAttributes(deps, 'hooks', id, extras)
        return changed
      })
      return viewOneHook(deps, changed)
    },
  }),
  route({
    method: 'DELETE',
    path: '/projects/:id/hooks/:hook_id',
    summary: 'Delete a webhook',
    permission: 'hook.manage',
    input: Type.Object(hookId),
    status: 204,
    output: noOutput,
    handle: ({ deps, project, input }) => removeHook(deps, project, input.hook_id),
  }),
  route({
    method: 'POST',
    path: '/projects/:id/hooks/:hook_id/test/:trigger',
    summary: 'Send a test event with the newest vulnerability',
    permission: 'hook.manage',
    input: Type.Object({ ...hookId, trigger: oneOf([...firstEvents, ...otherEvents, 'vulnerability_events']) }),
    status: 201,
    output: Type.Object({ message: Type.String() }),
    async handle({ deps, project, input }) {
      const hook = await getHook(deps, project, input.hook_id)
      if (input.trigger !== 'vulnerability_events') throw unprocessable('only vulnerability_events happen here')
      const payload = await describeNewestVulnerability(deps, project.id)
      if (!payload) throw unprocessable('Ensure the project has vulnerabilities.')
      await testHook(deps, hook, payload)
      return { message: '201 Created' }
    },
  }),
  route({
    method: 'GET',
    path: '/projects/:id/hooks/:hook_id/events',
    summary: 'List the deliveries of a webhook in the last week, newest first',
    permission: 'hook.read',
    input: Type.Object({
      ...hookId,
      status: optional(
        textList({
          commaSeparated: true,
          description: '`successful`, `client_failure`, `server_failure`, or an HTTP status code',
        }),
      ),
    }),
    status: 200,
    output: Type.Array(deliveryView),
    paged: true,
    async handle({ deps, project, input, page }) {
      const hook = await getHook(deps, project, input.hook_id)
      const found = await findDeliveries(deps, hook, input.status?.map(statusRange), page)
      return { ...found, rows: found.rows.map(viewDelivery) }
    },
  }),
  route({
    method: 'POST',
    path: '/projects/:id/hooks/:hook_id/events/:hook_event_id/resend',
    summary: 'Resend a webhook delivery',
    permission: 'hook.manage',
    input: Type.Object({ ...hookId, hook_event_id: integer() }),
    status: 201,
    output: Type.Object({ response_status: Type.Integer() }),
    async handle({ deps, project, input }) {
      const hook = await getHook(deps, project, input.hook_id)
      return { response_status: await resendDelivery(deps, hook, input.hook_event_id) }
    },
  }),
]

const statusRanges: Readonly<Record<string, StatusRange>> = {
  successful: [200, 299],
  client_failure: [400, 499],
  server_failure: [500, 599],
}

function statusRange(word: string): StatusRange {
  const status = /^[1-5]\d\d$/.test(word) ? Number(word) : undefined
  const range = status === undefined ? statusRanges[word] : ([status, status] as const)
  if (!range) throw parameterProblem('status does not have a valid value')
  return range
}
