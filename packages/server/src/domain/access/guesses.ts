import { hash } from 'node:crypto'
import { Failure } from '../../platform/failure.ts'
import type { Deps } from '../deps.ts'
import { countAttempt, deleteCount } from './request-count-queries.ts'
import type { User } from './users.ts'

const maxGuesses = 10
const guessWindowMs = 5 * 60 * 1000
const name = 'password_guesses'

/**
 * Counts an attempt at the password of an account, and refuses it when there were too many. Counted in the database,
 * before the password is looked at: guesses sent at once, and to several processes, count too.
 */
export async function countGuess(deps: Deps, user: User | undefined, login: string): Promise<void> {
  const now = deps.now()
  const endsAt = new Date(Date.parse(now) + guessWindowMs).toISOString()
  const attempts = await countAttempt(deps.db, name, subjectOf(user, login), now, endsAt)
  if (attempts > maxGuesses) throw new Failure({ kind: 'too-many-requests' })
}

/** After the right one. */
export async function forgetGuesses(deps: Deps, user: User): Promise<void> {
  await deleteCount(deps.db, name, subjectOf(user, ''))
}

/** Of an unknown name a digest: some people type their password there. */
function subjectOf(user: User | undefined, login: string): string {
  return user ? `user ${user.id}` : hash('sha256', login.toLowerCase())
}
