import Type from 'typebox'
import { transaction } from '../../../domain/deps.ts'
import type { HookOwner } from '../../../domain/hooks/hook.ts'
import { changeHook, createHook, findHooks, getHook, removeHook } from '../../../domain/hooks/hooks.ts'
import { storeAttributes } from '../../../domain/projects/gitlab-attributes.ts'
import { optional, text } from '../../../http/params/input.ts'
import { noOutput, type Route } from '../../../http/route.ts'
import { parameterProblem } from '../../../platform/failure.ts'
import { attributesFrom, inputsOf } from '../projects/gitlab-attributes.ts'
import { route } from '../route.ts'
import { deliveryRoutesOf } from './delivery-routes.ts'
import { changesFrom, draftFrom, hookInputs } from './inputs.ts'
import { baseOf, hookId, ownerOf, permissionsOf, placeNames } from './place.ts'
import { assertViewUsable } from './saved-view.ts'
import { secretRoutesOf } from './secret-routes.ts'
import { systemTestRoute, testRouteOf } from './test-routes.ts'
import { extrasOf, hookViews, viewHooks, viewOneHook } from './views.ts'

export const hookRoutes: readonly Route[] = [
  ...hookRoutesOf('project'),
  ...hookRoutesOf('group'),
  ...hookRoutesOf('instance'),
]

function hookRoutesOf(kind: HookOwner['kind']): readonly Route[] {
  const base = baseOf(kind)
  const may = permissionsOf[kind]
  const view = hookViews[kind]
  const extras = extrasOf[kind]
  const inputs = { ...hookInputs[kind], ...inputsOf(extras) }
  const place = placeNames[kind]
  return [
    route({
      method: 'GET',
      path: base,
      summary: `List the webhooks of ${place}`,
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
      summary: `Get a webhook of ${place}`,
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
      summary: `Add a webhook of ${place}`,
      permission: may.manage,
      input: Type.Object({ url: text(), ...inputs }),
      status: 201,
      output: view,
      async handle(context) {
        const { deps, input } = context
        const draft = draftFrom(kind, input.url, input)
        const hook = await transaction(deps, async (deps) => {
          await assertViewUsable(deps, context, draft.savedViewId)
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
      summary: `Update a webhook of ${place}; changing the URL removes both tokens unless new ones are given`,
      permission: may.manage,
      input: Type.Object({ ...hookId, url: optional(text()), ...inputs }),
      status: 200,
      output: view,
      async handle(context) {
        const { deps, input } = context
        const { hook_id: id } = input
        const changes = changesFrom(input)
        const attributes = attributesFrom(extras, input)
        if (Object.keys({ ...changes, ...attributes }).length === 0) throw parameterProblem('No parameters provided')
        const changed = await transaction(deps, async (deps) => {
          await assertViewUsable(deps, context, changes.savedViewId)
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
      summary: `Delete a webhook of ${place}`,
      permission: may.manage,
      input: Type.Object(hookId),
      status: 204,
      output: noOutput,
      handle: (context) => removeHook(context.deps, ownerOf(context), context.input.hook_id),
    }),
    testRouteOf(kind),
    ...(kind === 'instance' ? [systemTestRoute] : []),
    ...deliveryRoutesOf(kind),
    ...secretRoutesOf(kind),
  ]
}
