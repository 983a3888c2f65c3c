import Type, { type Static } from 'typebox'
import { severities, states } from '../../../domain/findings/scales.ts'
import type { HookDraft, HookOwner } from '../../../domain/hooks/hook.ts'
import { hookFormats } from '../../../domain/hooks/hook-format.ts'
import type { HookChanges } from '../../../domain/hooks/hooks.ts'
import {
  flag,
  freeFormList,
  integer,
  integerList,
  listOf,
  nullable,
  oneOf,
  optional,
  text,
  textList,
} from '../../../http/params/input.ts'
import type { RawParams } from '../../../http/params/raw-params.ts'
import { parameterProblem } from '../../../platform/failure.ts'

/** Fields of a hook by the parameters that subscribe it to events. */
const eventFlags = {
  vulnerability_events: 'hasVulnerabilityEvents',
  import_events: 'hasImportEvents',
  upload_events: 'hasUploadEvents',
  topic_events: 'hasTopicEvents',
  member_events: 'hasMemberEvents',
  resource_access_token_events: 'hasAccessTokenEvents',
  token_events: 'hasTokenEvents',
} as const satisfies Record<string, keyof HookDraft>

const pairs = (description: string) => optional(freeFormList({ description }))

const inputs = {
  name: optional(nullable(text())),
  description: optional(nullable(text())),
  token: optional(nullable(text({ description: 'Sent as `X-Gitlab-Token`; never returned' }))),
  signing_token: optional(
    nullable(
      text({
        description:
          'Key of `webhook-signature`, by which the receiver verifies a delivery; never returned. With `whsec_` in front it is in Base64',
      }),
    ),
  ),
  format: optional(
    oneOf(hookFormats, {
      description:
        'Format of the requests (ours): GitLab’s events, plain JSON, or one message for all changes of a report. Default: `gitlab`',
    }),
  ),
  min_severity: optional(
    nullable(oneOf(severities, { description: 'Lowest severity of the vulnerability events that are sent (ours)' })),
  ),
  states: optional(
    listOf(states, {
      description: 'States of the vulnerabilities whose events are sent (ours). Empty: all',
      commaSeparated: true,
    }),
  ),
  refs: optional(
    textList({
      description: 'Refs whose imports and vulnerabilities are sent (ours); `*` stands for any characters. Empty: all',
      commaSeparated: true,
    }),
  ),
  project_ids: optional(
    integerList({
      description:
        'Projects whose events are sent (ours; ignored by a webhook of a project). Empty: all. Events outside of projects are always sent',
      commaSeparated: true,
    }),
  ),
  saved_view_id: optional(
    nullable(
      integer({
        description:
          'Shared saved view of the same project, group or instance (ours): only events of vulnerabilities that it contains after the change are sent',
      }),
    ),
  ),
  custom_headers: pairs(
    'Additional headers as `{"key", "value"}`; values are never returned. `PUT` adds to the present ones',
  ),
  url_variables: pairs(
    'Values of `{key}` in the URL as `{"key", "value"}`; values are never returned. `PUT` adds to the present ones',
  ),
  vulnerability_events: optional(flag()),
  import_events: optional(flag({ description: 'Imported, failed and held reports (ours)' })),
  upload_events: optional(flag({ description: 'Created, deleted and restored uploads (ours)' })),
  topic_events: optional(
    flag({ description: 'Created, changed, merged and deleted topics (ours; webhooks of the instance only)' }),
  ),
  member_events: optional(flag({ description: 'Added, changed and removed members' })),
  resource_access_token_events: optional(
    flag({ description: 'Notices 60, 30 and 7 days before an access token of the project or group expires' }),
  ),
  token_events: optional(
    flag({ description: 'Created, rotated and revoked access tokens of the project or group (ours)' }),
  ),
  enable_ssl_verification: optional(flag({ description: 'Default: true' })),
}

type HookInput = Partial<Static<ReturnType<typeof asObject>>>
const asObject = () => Type.Object(inputs)

const { topic_events: _topics, ...belowInstance } = inputs
const { project_ids: _projects, ...ofProject } = belowInstance

/** Parameters of the webhooks of each kind of owner. */
export const hookInputs = { project: ofProject, group: belowInstance, instance: inputs } as const

/** Returns a new webhook. One of the instance receives changes of members by default, as GitLab's system hooks do. */
export function draftFrom(kind: HookOwner['kind'], url: string, input: HookInput): HookDraft {
  return {
    name: null,
    description: null,
    token: null,
    signingToken: null,
    format: 'gitlab',
    minSeverity: null,
    states: null,
    refs: null,
    projectIds: null,
    savedViewId: null,
    hasVulnerabilityEvents: false,
    hasImportEvents: false,
    hasUploadEvents: false,
    hasTopicEvents: false,
    hasMemberEvents: kind === 'instance',
    hasAccessTokenEvents: false,
    hasTokenEvents: false,
    verifiesCertificates: true,
    customHeaders: {},
    urlVariables: {},
    ...changesFrom(input),
    url,
  }
}

/** Returns the fields that the client set. */
export function changesFrom(input: HookInput & { url?: string | undefined }): HookChanges {
  const { url, name, description, format, states, refs } = input
  const flags = Object.entries(eventFlags).flatMap(([name, field]) => {
    const isOn = input[name as keyof typeof eventFlags] // the keys of the table
    return isOn === undefined ? [] : [[field, isOn] as const]
  })
  return {
    ...(url !== undefined && { url }),
    ...(name !== undefined && { name }),
    ...(description !== undefined && { description }),
    ...(input.token !== undefined && { token: input.token || null }),
    ...(input.signing_token !== undefined && { signingToken: input.signing_token || null }),
    ...(format !== undefined && { format }),
    ...(input.min_severity !== undefined && { minSeverity: input.min_severity }),
    ...(states !== undefined && { states: orNull([...new Set(states)]) }),
    ...(refs !== undefined && { refs: orNull([...new Set(refs)]) }),
    ...(input.project_ids !== undefined && { projectIds: orNull([...new Set(input.project_ids)]) }),
    ...(input.saved_view_id !== undefined && { savedViewId: input.saved_view_id }),
    ...(input.custom_headers && { customHeaders: valuesByKey('custom_headers', input.custom_headers) }),
    ...(input.url_variables && { urlVariables: valuesByKey('url_variables', input.url_variables) }),
    ...(input.enable_ssl_verification !== undefined && { verifiesCertificates: input.enable_ssl_verification }),
    ...Object.fromEntries(flags),
  }
}

const orNull = <Value>(values: readonly Value[]): readonly Value[] | null => (values.length === 0 ? null : values)

/** Reads a list of keys and values. Reports problems in the words of GitLab's parameters. */
function valuesByKey(parameter: string, list: readonly RawParams[]): Record<string, string> {
  const entries = list.map((entry, index) => {
    const [key, value] = ['key', 'value'].map((part) => {
      const found = entry[part]
      if (found === undefined || found === null) throw parameterProblem(`${parameter}[${index}][${part}] is missing`)
      if (typeof found === 'object') throw parameterProblem(`${parameter}[${index}][${part}] is invalid`)
      return String(found)
    })
    return [key, value] as const
  })
  return Object.fromEntries(entries)
}
