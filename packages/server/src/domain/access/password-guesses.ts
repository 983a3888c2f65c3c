import { Failure } from '../../platform/failure.ts'
import type { Deps } from '../deps.ts'
import { countAttempt, deleteCount } from './request-count-queries.ts'

const maxGuesses = 10
const guessWindowMs = 5 * 60 * 1000
const name = 'password_guesses'

/**
 * Counts a password attempt and rejects it when there were too many. Attempts are counted in the database before the
 * password is verified, so concurrent attempts and those on other processes count too.
 */
export async function countGuess(deps: Deps, subject: string): Promise<void> {
  const now = deps.now()
  const endsAt = new Date(Date.parse(now) + guessWindowMs).toISOString()
  const attempts = await countAttempt(deps.db, { name, subject, now, endsAt })
  if (attempts > maxGuesses) {
    throw new Failure({ kind: 'too-many-requests', retryAfterSeconds: guessWindowMs / 1000 })
  }
}

/** Resets the count after a correct password. */
export async function removeGuesses(deps: Deps, subject: string): Promise<void> {
  await deleteCount(deps.db, name, subject)
}
