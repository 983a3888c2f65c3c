import Type from 'typebox'
import { newPasskeyOptions } from '../../../domain/second-factors/passkeys.ts'
import { isSecondFactorRequired } from '../../../domain/second-factors/requirement.ts'
import type { Passkey } from '../../../domain/second-factors/second-factor.ts'
import {
  addPasskey,
  beginTotp,
  findSecondFactors,
  finishTotp,
  removePasskey,
  removeTotp,
  renamePasskey,
  renewRecoveryCodes,
} from '../../../domain/second-factors/second-factors.ts'
import { freeForm, integer, text } from '../../../http/params/input.ts'
import { noOutput, type Route } from '../../../http/route.ts'
import { route } from '../route.ts'
import { nullableString, timestamp } from '../views.ts'

const passkeyView = Type.Object({
  id: Type.Integer(),
  name: Type.String(),
  created_at: timestamp,
  last_used_at: nullableString,
})

function viewPasskey({ id, name, createdAt, lastUsedAt }: Passkey) {
  return { id, name, created_at: createdAt, last_used_at: lastUsedAt }
}

const recoveryCodes = Type.Array(Type.String(), {
  description: 'Ten codes, each of which signs in once. Not shown again',
})
const newRecoveryCodes = Type.Union([recoveryCodes, Type.Null()], {
  description: 'Recovery codes, if the user had none; otherwise null',
})
/** Options of WebAuthn, which a page passes on to the browser. */
const options = Type.Unsafe<object>({ type: 'object', additionalProperties: true })
const ownFactors = { outside: true, permission: 'second-factor.manage' } as const

/** Routes for the second factors of the caller. A browser calls them with its cookie alone. */
export const secondFactorRoutes: readonly Route[] = [
  route({
    method: 'GET',
    path: '/-/second_factors',
    outside: true,
    summary: 'Get your passkeys, and whether you have one-time codes and recovery codes',
    permission: 'second-factor.read',
    status: 200,
    output: Type.Object({
      totp_since: nullableString,
      passkeys: Type.Array(passkeyView),
      recovery_codes: Type.Integer({ description: 'Number of unused recovery codes' }),
      is_required: Type.Boolean({ description: 'Whether this server requires a second factor of you' }),
    }),
    async handle({ deps, caller }) {
      const found = await findSecondFactors(deps, caller.user.id)
      return {
        totp_since: found.totpSince,
        passkeys: found.passkeys.map(viewPasskey),
        recovery_codes: found.recoveryCodes,
        is_required: isSecondFactorRequired(deps, caller.user),
      }
    },
  }),
  route({
    ...ownFactors,
    method: 'POST',
    path: '/-/second_factors/totp',
    summary: 'Begin to set up an authenticator app',
    status: 201,
    output: Type.Object({
      challenge: Type.String(),
      secret: Type.String({ description: 'Key for the app, in base 32' }),
      uri: Type.String({ description: 'The same key as an `otpauth://` address, for a QR code' }),
      expires_at: timestamp,
    }),
    async handle({ deps, caller, origin }) {
      const { expiresAt, ...begun } = await beginTotp(deps, caller, origin)
      return { ...begun, expires_at: expiresAt }
    },
  }),
  route({
    ...ownFactors,
    method: 'PUT',
    path: '/-/second_factors/totp',
    summary: 'Complete the set-up of an authenticator app, in place of an earlier one, with a code that it shows',
    limitsGuesses: true,
    input: Type.Object({ challenge: text(), code: text() }),
    status: 200,
    output: Type.Object({ recovery_codes: newRecoveryCodes }),
    handle: async ({ deps, caller, input }) => ({ recovery_codes: await finishTotp(deps, caller, input) }),
  }),
  route({
    ...ownFactors,
    method: 'DELETE',
    path: '/-/second_factors/totp',
    summary: 'Remove your authenticator app',
    status: 204,
    output: noOutput,
    handle: ({ deps, caller }) => removeTotp(deps, caller),
  }),
  route({
    ...ownFactors,
    method: 'POST',
    path: '/-/second_factors/recovery_codes',
    summary: 'Replace your recovery codes',
    status: 201,
    output: Type.Object({ recovery_codes: recoveryCodes }),
    handle: async ({ deps, caller }) => ({ recovery_codes: await renewRecoveryCodes(deps, caller) }),
  }),
  route({
    ...ownFactors,
    method: 'POST',
    path: '/-/passkeys/options',
    summary: 'Get the options with which a browser creates a passkey',
    status: 201,
    output: options,
    handle: ({ deps, caller, origin }) => newPasskeyOptions(deps, caller.user, origin),
  }),
  route({
    ...ownFactors,
    method: 'POST',
    path: '/-/passkeys',
    summary: 'Add a passkey that a browser has created',
    input: Type.Object({
      name: text(),
      credential: freeForm({ description: 'The browser’s response to the options' }),
    }),
    status: 201,
    output: Type.Object({ passkey: passkeyView, recovery_codes: newRecoveryCodes }),
    async handle({ deps, caller, input, origin }) {
      const { name, credential: response } = input
      const added = await addPasskey(deps, caller, { name, response }, origin)
      return { passkey: viewPasskey(added.passkey), recovery_codes: added.recoveryCodes }
    },
  }),
  route({
    ...ownFactors,
    method: 'PUT',
    path: '/-/passkeys/:id',
    summary: 'Rename a passkey',
    input: Type.Object({ id: integer(), name: text() }),
    status: 200,
    output: passkeyView,
    handle: async ({ deps, caller, input }) => viewPasskey(await renamePasskey(deps, caller, input.id, input.name)),
  }),
  route({
    ...ownFactors,
    method: 'DELETE',
    path: '/-/passkeys/:id',
    summary: 'Remove a passkey',
    input: Type.Object({ id: integer() }),
    status: 204,
    output: noOutput,
    handle: ({ deps, caller, input }) => removePasskey(deps, caller, input.id),
  }),
]
