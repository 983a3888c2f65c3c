import Type from 'typebox'
import type { Permission } from '../../../domain/access/permissions.ts'
import { transaction } from '../../../domain/deps.ts'
import { severities } from '../../../domain/findings/scales.ts'
import type { HookOwner } from '../../../domain/hooks/hook.ts'
import { hookFormats } from '../../../domain/hooks/hook-format.ts'
import {
  changeHook,
  createHook,
  findDeliveries,
  findHooks,
  getHook,
  removeHook,
  resendDelivery,
  type StatusRange,
  testHook,
} from '../../../domain/hooks/hooks.ts'
import type { Namespace } from '../../../domain/namespaces/namespace.ts'
import { storeAttributes } from '../../../domain/projects/gitlab-attributes.ts'
import type { Project } from '../../../domain/projects/project.ts'
import { describeNewestVulnerability } from '../../../domain/vulnerabilities/triage/vulnerability-events.ts'
import { flag, integer, nullable, oneOf, optional, text, textList } from '../../../http/params/input.ts'
import { noOutput, type Route } from '../../../http/route.ts'
import { parameterProblem, unprocessable } from '../../../platform/failure.ts'
import { attributesFrom, firstEvents, groupEvents, inputsOf, otherEvents } from '../projects/gitlab-attributes.ts'
import { route } from '../route.ts'
import { deliveryView, extrasOf, hookViews, viewDelivery, viewHooks, viewOneHook } from './views.ts'

const hookInput = {
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
  vulnerability_events: optional(flag()),
  resource_access_token_events: optional(
    flag({ description: 'Notices 60, 30 and 7 days before an access token of the project or group expires' }),
  ),
  enable_ssl_verification: optional(flag({ description: 'Default: true' })),
}

const hookId = { hook_id: integer() }

const permissionsOf = {
  project: { read: 'hook.read', manage: 'hook.manage' },
  group: { read: 'group.hook.read', manage: 'group.hook.manage' },
} as const satisfies Record<HookOwner['kind'], Record<string, Permission>>

/** Every permission used here is on a project or a group, so the guard has resolved one of them. */
function ownerOf({ project, group }: { project?: Project; group?: Namespace }): HookOwner {
  if (project) return { kind: 'project', id: project.id }
  if (group) return { kind: 'group', id: group.id }
  throw new Error('a route of webhooks was reached without a project or group')
}

export const hookRoutes: readonly Route[] = [...hookRoutesOf('project'), ...hookRoutesOf('group')]

function hookRoutesOf(kind: HookOwner['kind']): readonly Route[] {
  const base = `/${kind}s/:id/hooks`
  const may = permissionsOf[kind]
  const view = hookViews[kind]
  const extras = extrasOf[kind]
  return [
    route({
      method: 'GET',
      path: base,
      summary: `List a ${kind}’s webhooks`,
      permission: may.read,
      status: 200,
      output: Type.Array(view),
      paged: true,
      async handle(context) {
        const { deps, page } = context
        const found = await findHooks(deps, ownerOf(context), page)
        return { ...found, rows: await viewHooks(deps, found.rows) }
      },
    }),
    route({
      method: 'GET',
      path: `${base}/:hook_id`,
      summary: `Get a webhook of a ${kind}`,
      permission: may.read,
      input: Type.Object(hookId),
      status: 200,
      output: view,
      handle: async (context) =>
        viewOneHook(context.deps, await getHook(context.deps, ownerOf(context), context.input.hook_id)),
    }),
    route({
      method: 'POST',
      path: base,
      summary: `Add a webhook of a ${kind}`,
      permission: may.manage,
      input: Type.Object({ url: text(), ...hookInput, ...inputsOf(extras) }),
      status: 201,
      output: view,
      async handle(context) {
        const { deps, input } = context
        const draft = {
          url: input.url,
          name: input.name ?? null,
          description: input.description ?? null,
          token: input.token || null,
          signingToken: input.signing_token || null,
          format: input.format ?? 'gitlab',
          minSeverity: input.min_severity ?? null,
          hasVulnerabilityEvents: input.vulnerability_events ?? false,
          hasAccessTokenEvents: input.resource_access_token_events ?? false,
          verifiesCertificates: input.enable_ssl_verification ?? true,
        }
        const hook = await transaction(deps, async (deps) => {
          const hook = await createHook(deps, ownerOf(context), draft)
          await storeAttributes(deps, 'hooks', hook.id, attributesFrom(extras, input))
          return hook
        })
        return viewOneHook(deps, hook)
      },
    }),
    route({
      method: 'PUT',
      path: `${base}/:hook_id`,
      summary: `Update a webhook of a ${kind}; changing the URL removes both tokens unless new ones are given`,
      permission: may.manage,
      input: Type.Object({ ...hookId, url: optional(text()), ...hookInput, ...inputsOf(extras) }),
      status: 200,
      output: view,
      async handle(context) {
        const { deps, input } = context
        const { hook_id: id, url, name, description, token, signing_token: signingToken, format } = input
        const changes = {
          ...(url !== undefined && { url }),
          ...(name !== undefined && { name }),
          ...(description !== undefined && { description }),
          ...(token !== undefined && { token: token || null }),
          ...(signingToken !== undefined && { signingToken: signingToken || null }),
          ...(format !== undefined && { format }),
          ...(input.min_severity !== undefined && { minSeverity: input.min_severity }),
          ...(input.vulnerability_events !== undefined && { hasVulnerabilityEvents: input.vulnerability_events }),
          ...(input.resource_access_token_events !== undefined && {
            hasAccessTokenEvents: input.resource_access_token_events,
          }),
          ...(input.enable_ssl_verification !== undefined && { verifiesCertificates: input.enable_ssl_verification }),
        }
        const attributes = attributesFrom(extras, input)
        if (Object.keys({ ...changes, ...attributes }).length === 0) throw parameterProblem('No parameters provided')
        const changed = await transaction(deps, async (deps) => {
          const changed = await changeHook(deps, ownerOf(context), id, changes)
          await storeAttributes(deps, 'hooks', id, attributes)
          return changed
        })
        return viewOneHook(deps, changed)
      },
    }),
    route({
      method: 'DELETE',
      path: `${base}/:hook_id`,
      summary: `Delete a webhook of a ${kind}`,
      permission: may.manage,
      input: Type.Object(hookId),
      status: 204,
      output: noOutput,
      handle: (context) => removeHook(context.deps, ownerOf(context), context.input.hook_id),
    }),
    route({
      method: 'POST',
      path: `${base}/:hook_id/test/:trigger`,
      summary: `Send a test event with the newest vulnerability of a ${kind}`,
      permission: may.manage,
      input: Type.Object({
        ...hookId,
        trigger: oneOf([
          ...firstEvents,
          ...otherEvents,
          ...(kind === 'group' ? groupEvents : []),
          'vulnerability_events',
        ]),
      }),
      status: 201,
      output: Type.Object({ message: Type.String() }),
      async handle(context) {
        const { deps, input } = context
        const owner = ownerOf(context)
        const hook = await getHook(deps, owner, input.hook_id)
        if (input.trigger !== 'vulnerability_events') throw unprocessable('only vulnerability_events happen here')
        const payload = await describeNewestVulnerability(deps, owner)
        if (!payload) throw unprocessable(`Ensure the ${kind} has vulnerabilities.`)
        await testHook(deps, hook, payload)
        return { message: '201 Created' }
      },
    }),
    route({
      method: 'GET',
      path: `${base}/:hook_id/events`,
      summary: `List the deliveries of a webhook of a ${kind} in the last week, newest first`,
      permission: may.read,
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
      async handle(context) {
        const { deps, input, page } = context
        const hook = await getHook(deps, ownerOf(context), input.hook_id)
        const found = await findDeliveries(deps, hook, input.status?.map(statusRange), page)
        return { ...found, rows: found.rows.map(viewDelivery) }
      },
    }),
    route({
      method: 'POST',
      path: `${base}/:hook_id/events/:hook_event_id/resend`,
      summary: `Resend a delivery of a webhook of a ${kind}`,
      permission: may.manage,
      input: Type.Object({ ...hookId, hook_event_id: integer() }),
      status: 201,
      output: Type.Object({ response_status: Type.Integer() }),
      async handle(context) {
        const { deps, input } = context
        const hook = await getHook(deps, ownerOf(context), input.hook_id)
        return { response_status: await resendDelivery(deps, hook, input.hook_event_id) }
      },
    }),
  ]
}

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
