import Type from 'typebox'
import type { HookOwner } from '../../../domain/hooks/hook.ts'
import { removeSecret, type SecretKind, setSecret } from '../../../domain/hooks/hooks.ts'
import { text } from '../../../http/params/input.ts'
import { noOutput, type Route } from '../../../http/route.ts'
import { route } from '../route.ts'
import { baseOf, hookId, ownerOf, permissionsOf, placeNames } from './place.ts'

const secrets = [
  { part: 'custom_headers', kind: 'customHeaders', noun: 'a custom header' },
  { part: 'url_variables', kind: 'urlVariables', noun: 'a URL variable' },
] as const satisfies readonly { part: string; kind: SecretKind; noun: string }[]

/** Routes that set and remove one secret value of a webhook. */
export function secretRoutesOf(ownerKind: HookOwner['kind']): readonly Route[] {
  const permission = permissionsOf[ownerKind].manage
  const place = placeNames[ownerKind]
  return secrets.flatMap(({ part, kind, noun }) => {
    const path = `${baseOf(ownerKind)}/:hook_id/${part}/:key`
    return [
      route({
        method: 'PUT',
        path,
        summary: `Set ${noun} of a webhook of ${place}`,
        permission,
        input: Type.Object({ ...hookId, key: text(), value: text() }),
        status: 204,
        output: noOutput,
        handle: (context) => {
          const { deps, input } = context
          return setSecret(deps, ownerOf(context), input.hook_id, { kind, key: input.key, value: input.value })
        },
      }),
      route({
        method: 'DELETE',
        path,
        summary: `Delete ${noun} of a webhook of ${place}`,
        permission,
        input: Type.Object({ ...hookId, key: text() }),
        status: 204,
        output: noOutput,
        handle: (context) =>
          removeSecret(context.deps, ownerOf(context), context.input.hook_id, { kind, key: context.input.key }),
      }),
    ]
  })
}
