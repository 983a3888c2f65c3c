import Type from 'typebox'
import type { Deps } from '../../../domain/deps.ts'
import { alertStatus, type Hook } from '../../../domain/hooks/hook.ts'
import { bodyOf, nounOf } from '../../../domain/hooks/hook-event-body.ts'
import { hookFormats } from '../../../domain/hooks/hook-format.ts'
import type { Delivery } from '../../../domain/hooks/hooks.ts'
import type { GitlabAttributes } from '../../../domain/projects/gitlab-attribute.ts'
import { readAttributes } from '../../../domain/projects/gitlab-attributes.ts'
import {
  firstEvents,
  groupEvents,
  groupHookExtras,
  hookExtras,
  instanceHookExtras,
  otherEvents,
  outputsOf,
} from '../projects/gitlab-attributes.ts'
import { freeObject, nullableInteger, nullableString, nullableTimestamp, timestamp } from '../views.ts'

const firstFields = {
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
}
const ownFields = {
  ...booleans(['vulnerability_events', 'import_events', 'upload_events', 'member_events', 'token_events']),
  resource_access_token_events: Type.Boolean(),
  token_present: Type.Boolean(),
  signing_token_present: Type.Boolean(),
  format: Type.Enum(hookFormats),
  min_severity: nullableString,
  states: Type.Array(Type.String()),
  refs: Type.Array(Type.String()),
  saved_view_id: nullableInteger,
}
const project_ids = Type.Array(Type.Integer())
const projectFields = { ...firstFields, project_id: Type.Integer(), ...booleans(otherEvents), ...ownFields }
const groupFields = {
  ...{ ...firstFields, group_id: Type.Integer(), ...booleans(otherEvents), ...ownFields },
  ...{ ...booleans(groupEvents), project_ids },
}
const instanceFields = { ...firstFields, ...ownFields, topic_events: Type.Boolean(), project_ids }

/** Attributes of GitLab that have no effect here. */
export const extrasOf = { project: hookExtras, group: groupHookExtras, instance: instanceHookExtras } as const

export const hookViews = {
  project: Type.Object({ ...projectFields, ...outputsOf(hookExtras, projectFields) }, { title: 'Hook' }),
  group: Type.Object({ ...groupFields, ...outputsOf(groupHookExtras, groupFields) }, { title: 'GroupHook' }),
  instance: Type.Object(
    { ...instanceFields, ...outputsOf(instanceHookExtras, instanceFields) },
    { title: 'SystemHook' },
  ),
} as const

export async function viewHooks(deps: Deps, hooks: readonly Hook[]) {
  const ids = hooks.map(({ id }) => id)
  const extras = await readAttributes(deps, 'hooks', ids)
  return hooks.map((hook) => viewHook(deps, hook, extras.get(hook.id)))
}

export async function viewOneHook(deps: Deps, hook: Hook) {
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
    url_variables: keysOf(hook.urlVariables),
    push_events_branch_filter: null,
    branch_filter_strategy: 'wildcard',
    custom_webhook_template: null,
    custom_headers: keysOf(hook.customHeaders),
    ...viewPlace(hook),
    vulnerability_events: hook.hasVulnerabilityEvents,
    ...extras,
    import_events: hook.hasImportEvents,
    upload_events: hook.hasUploadEvents,
    member_events: hook.hasMemberEvents,
    resource_access_token_events: hook.hasAccessTokenEvents,
    token_events: hook.hasTokenEvents,
    token_present: hook.token !== null,
    signing_token_present: hook.signingToken !== null,
    format: hook.format,
    min_severity: hook.minSeverity,
    states: [...(hook.states ?? [])],
    refs: [...(hook.refs ?? [])],
    saved_view_id: hook.savedViewId,
  }
}

/** Returns the fields that only the webhooks of one kind of owner have. */
function viewPlace(hook: Hook) {
  if (hook.projectId !== null) return { project_id: hook.projectId, ...allFalse(otherEvents) }
  const project_ids = [...(hook.projectIds ?? [])]
  if (hook.namespaceId === null) return { topic_events: hook.hasTopicEvents, project_ids }
  return { group_id: hook.namespaceId, ...allFalse(groupEvents), ...allFalse(otherEvents), project_ids }
}

/** Names of secret values, which are never returned. */
const keysOf = (values: Readonly<Record<string, string>>) => Object.keys(values).map((key) => ({ key }))

function booleans<Name extends string>(names: readonly Name[]) {
  const entries = names.map((name) => [name, Type.Boolean()] as const)
  return Object.fromEntries(entries) as Record<Name, ReturnType<typeof Type.Boolean>> // has one entry for each name
}

function allFalse<Name extends string>(names: readonly Name[]) {
  return Object.fromEntries(names.map((name) => [name, false])) as Record<Name, boolean> // has one entry for each name
}

export const deliveryView = Type.Object(
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
  vulnerability: 'vulnerability_hooks',
  access_token: 'resource_access_token_hooks',
  member: 'member_hooks',
  test: 'system_hooks',
  security_report: 'security_report_hooks',
  upload: 'upload_hooks',
  topic: 'topic_hooks',
} as const

export function viewDelivery(delivery: Delivery) {
  return {
    id: delivery.id,
    url: delivery.url,
    trigger: triggers[nounOf(delivery.payload)],
    request_headers: delivery.requestHeaders,
    request_data: bodyOf(delivery.payload),
    response_headers: delivery.responseHeaders,
    response_body: delivery.responseBody,
    execution_duration: delivery.durationMs / 1000,
    response_status: delivery.responseStatus === null ? 'internal error' : String(delivery.responseStatus),
    created_at: delivery.createdAt,
    error: delivery.error,
  }
}
