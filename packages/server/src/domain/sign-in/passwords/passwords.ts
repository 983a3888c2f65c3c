import { hash, verify } from '@node-rs/argon2'
import { Failure } from '../../../platform/failure.ts'
import { openFairQueue } from '../../../platform/fair-queue.ts'
import type { Deps } from '../../deps.ts'

/** OWASP's minimum cost for Argon2id. Higher costs could exhaust the memory of a small server. */
const cost = { memoryCost: 19 * 1024, timeCost: 2, parallelism: 1 }

/**
 * Hashing shares libuv's four threads with file and DNS operations. Two concurrent hashes leave half of the threads
 * free, and a queue of 32 drains in less than a second.
 */
const hashing = openFairQueue({ concurrency: 2, maxWaiting: 32, maxWaitingPerParty: 8 })

/** Rejects signing in with a password, and setting one, where the operator has turned passwords off. */
export function assertPasswordsEnabled({ settings }: Deps): void {
  if (settings.hasPasswords) return
  const sentence = 'Passwords are turned off on this server. Sign in with an identity provider.'
  throw new Failure({ kind: 'forbidden', sentence })
}

/** Returns an Argon2id hash in PHC format, with parameters and salt. Takes about 20 ms, off the event loop. */
export async function hashPassword(deps: Deps, password: string, party: string): Promise<string> {
  assertPasswordsEnabled(deps)
  return hashing.run(party, () => hash(password, { ...cost, salt: deps.random(16) }))
}

/**
 * Compares a password with the hash that `findHash` returns, queued fairly by party. Takes equally long without a hash,
 * so that response times do not reveal which accounts exist.
 */
export function verifyPassword(
  password: string,
  party: string,
  findHash: () => Promise<string | null | undefined>,
): Promise<boolean> {
  return hashing.run(party, async () => {
    const passwordHash = await findHash()
    const matches = await verify(passwordHash ?? hashOfNothing, password)
    return matches && passwordHash !== null && passwordHash !== undefined
  })
}

/** Hash of unknown random bytes with the same cost, compared when there is no account. */
const hashOfNothing =
  '$argon2id$v=19$m=19456,t=2,p=1$o4KFg/D8iMJoKqJWTHH14g$8XvxfTajUgXGLHry+jxJgPYT4dhXV3Qw4CmX29dfY8U'
