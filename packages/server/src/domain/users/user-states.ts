import { Failure, forbidden, notFound } from '../../platform/failure.ts'
import type { Caller } from '../access/callers.ts'
import { userEntity } from '../audit/audit-event.ts'
import type { AuditEventName } from '../audit/event-name.ts'
import { recordAuditEvent } from '../audit/record.ts'
import { type Deps, transaction } from '../deps.ts'
import { revokePasswordLinks } from '../sign-in/passwords/password-links.ts'
import { endAllSessions } from '../sign-in/sessions.ts'
import type { User } from './user.ts'
import { lockUser, updateUserState } from './user-queries.ts'
import { assertNoGhost } from './users.ts'

/** Blocks a user and deletes their sessions. Their tokens are kept, but rejected while the user is blocked. */
export function blockUser(deps: Deps, caller: Caller, id: number): Promise<User['state'] | undefined> {
  return change(deps, id, 'user_blocked', ({ state }) => {
    if (id === caller.user.id) throw forbidden('The API initiating user cannot be blocked by the API')
    return state === 'banned' ? 'banned' : 'blocked'
  })
}

export async function unblockUser(deps: Deps, id: number): Promise<void> {
  await change(deps, id, 'user_unblocked', ({ state }) => {
    if (state === 'deactivated') throw forbidden('Deactivated users cannot be unblocked by the API')
    if (state === 'banned') throw forbidden('Banned users cannot be unblocked by the API')
    return state === 'blocked' ? 'active' : state
  })
}

/** Bans a user, which `unblockUser` does not undo. */
export function banUser(deps: Deps, caller: Caller, id: number): Promise<User['state'] | undefined> {
  return change(deps, id, 'user_banned', ({ state }) => {
    if (id === caller.user.id) throw forbidden('The API initiating user cannot be banned by the API')
    if (state !== 'active') throw wrongState('ban', state)
    return 'banned'
  })
}

export async function unbanUser(deps: Deps, id: number): Promise<void> {
  await change(deps, id, 'user_unbanned', ({ state }) => {
    if (state !== 'banned') throw wrongState('unban', state)
    return 'active'
  })
}

/** Deactivates a user until the next sign-in or until an administrator activates the account. */
export function deactivateUser(deps: Deps, caller: Caller, id: number): Promise<User['state'] | undefined> {
  return change(deps, id, 'user_deactivated', ({ state }) => {
    if (isShutOut(state)) throw forbidden('A blocked user cannot be deactivated by the API')
    if (id === caller.user.id) throw forbidden('The API initiating user cannot be deactivated by the API')
    return state === 'active' ? 'deactivated' : state
  })
}

export async function activateUser(deps: Deps, id: number): Promise<void> {
  await change(deps, id, 'user_activated', ({ state }) => {
    if (isShutOut(state)) throw forbidden('A blocked user must be unblocked to be activated')
    return state === 'deactivated' ? 'active' : state
  })
}

/** Reactivates a deactivated user who signs in. */
export async function reactivateUser({ db, now }: Deps, id: number): Promise<void> {
  await updateUserState(db, id, 'active', now())
}

/**
 * Changes the state while holding a lock on the user, so that the second of two concurrent changes sees the first. Returns
 * the new state, or `undefined` when it is unchanged.
 */
function change(
  deps: Deps,
  id: number,
  event: AuditEventName,
  next: (user: User) => User['state'],
): Promise<User['state'] | undefined> {
  return transaction(deps, async (deps) => {
    const user = await lockUser(deps.db, id)
    if (!user) throw notFound('User')
    assertNoGhost(user)
    const state = next(user)
    if (state === user.state) return undefined
    await updateUserState(deps.db, id, state, deps.now())
    await recordAuditEvent(deps, event, {
      entity: userEntity(user),
      message: 'Changed the state of the user',
      changes: { state: { from: user.state, to: state } },
    })
    if (state !== 'active') await endAllSessions(deps, id)
    if (isShutOut(state)) await revokePasswordLinks(deps, id)
    return state
  })
}

function isShutOut(state: User['state']): boolean {
  return state === 'blocked' || state === 'banned'
}

function wrongState(action: 'ban' | 'unban', state: User['state']): Failure {
  return new Failure({ kind: 'forbidden', sentence: `You cannot ${action} ${state} users.` })
}
