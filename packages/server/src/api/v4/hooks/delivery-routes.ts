import Type from 'typebox'
import type { HookOwner } from '../../../domain/hooks/hook.ts'
import { findDeliveries, getHook, resendDelivery, type StatusRange } from '../../../domain/hooks/hooks.ts'
import { integer, optional, textList } from '../../../http/params/input.ts'
import type { Route } from '../../../http/route.ts'
import { parameterProblem } from '../../../platform/failure.ts'
import { route } from '../route.ts'
import { baseOf, hookId, ownerOf, permissionsOf, placeNames } from './place.ts'
import { deliveryView, viewDelivery } from './views.ts'

/** Routes that list and repeat the deliveries of a webhook. */
export function deliveryRoutesOf(kind: HookOwner['kind']): readonly Route[] {
  const base = baseOf(kind)
  const may = permissionsOf[kind]
  const place = placeNames[kind]
  return [
    route({
      method: 'GET',
      path: `${base}/:hook_id/events`,
      summary: `List the deliveries of a webhook of ${place} in the last week, newest first`,
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
      summary: `Resend a delivery of a webhook of ${place}`,
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
