import { hash } from 'node:crypto'
import type { Deps } from '../deps.ts'
import {
  countChallengeAttempt,
  deleteChallengesOf,
  deleteExpiredChallenges,
  insertChallenge,
  takeChallenge,
} from './challenge-queries.ts'
import type { Challenge, ChallengeKind } from './second-factor.ts'

/** Minutes in which a user completes a sign-in or a set-up. */
const challengeMinutes = 10
const maxAttempts = 10

export interface OpenedChallenge {
  /** Random text, of which the database has a digest. */
  challenge: string
  expiresAt: string
}

/** Stores a challenge for the next step. */
export async function openChallenge(
  deps: Deps,
  draft: Pick<Challenge, 'kind'> & Partial<Challenge>,
): Promise<OpenedChallenge> {
  const challenge = deps.random(32).toString('base64url')
  const expiresAt = new Date(Date.parse(deps.now()) + challengeMinutes * 60 * 1000).toISOString()
  await insertChallenge(
    deps.db,
    { userId: null, method: null, totpSecret: null, ...draft },
    { digest: digestOf(challenge), expiresAt },
  )
  return { challenge, expiresAt }
}

/**
 * Counts an attempt to complete a challenge with a code. Returns `undefined` when the challenge is unknown, has expired
 * or has had ten attempts. Counted before the code is verified, so that concurrent attempts count too.
 */
export async function attemptChallenge(
  deps: Deps,
  kind: ChallengeKind,
  challenge: string,
): Promise<Challenge | undefined> {
  return countChallengeAttempt(deps.db, { digest: digestOf(challenge), kind, now: deps.now(), maxAttempts })
}

/** Returns the challenge and deletes it, so that it is used once. Returns `undefined` as `attemptChallenge` does. */
export async function useChallenge(deps: Deps, kind: ChallengeKind, challenge: string): Promise<Challenge | undefined> {
  return takeChallenge(deps.db, { digest: digestOf(challenge), kind, now: deps.now() })
}

/** Ends what the user has begun on any device. */
export async function endChallengesOf({ db }: Deps, userId: number): Promise<void> {
  await deleteChallengesOf(db, userId)
}

export async function removeExpiredChallenges(deps: Deps): Promise<void> {
  await deleteExpiredChallenges(deps.db, deps.now())
}

function digestOf(challenge: string): string {
  return hash('sha256', challenge)
}
