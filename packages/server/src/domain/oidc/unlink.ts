import { forbidden, notFound } from '../../platform/failure.ts'
import { userEntity } from '../audit/audit-event.ts'
import { recordAuditEvent } from '../audit/record.ts'
import { type Deps, transaction } from '../deps.ts'
import { endSessionsOfIdentity } from '../sign-in/sessions.ts'
import { lockUser } from '../users/users.ts'
import { applyMapping } from './apply-mapping.ts'
import { deleteIdentity, listIdentitiesOf } from './identity-queries.ts'

const noRights = { isAdmin: false, groups: new Map<string, number>() }

/**
 * Unlinks the accounts of a user at a provider: takes back what its mapping gave, ends the sessions that began there, and
 * deletes the identities. The user's other sessions, access tokens and rights given by hand stay.
 */
export function unlinkIdentities(deps: Deps, userId: number, provider: string): Promise<void> {
  return transaction(deps, async (deps) => {
    const user = await lockUser(deps.db, userId)
    if (!user) throw notFound('User')
    const identities = (await listIdentitiesOf(deps.db, user.id)).filter((identity) => identity.provider === provider)
    if (identities.length === 0) throw notFound('Identity')
    for (const identity of identities) {
      const steps = await applyMapping(deps, { user, identity }, noRights)
      if (steps.some(({ step }) => step === 'kept last administrator')) throw forbidden(lastAdministrator)
      await endSessionsOfIdentity(deps, identity.id)
      await deleteIdentity(deps.db, identity.id)
      await recordAuditEvent(deps, 'user_identity_unlinked', {
        entity: userEntity(user),
        message: 'Unlinked an account at an identity provider',
        extra: { provider, issuer: identity.issuer, subject: identity.subject },
      })
    }
  })
}

const lastAdministrator =
  'This account makes the user the last active administrator. Make another user an administrator first.'
