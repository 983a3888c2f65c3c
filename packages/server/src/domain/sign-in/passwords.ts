import { hash, verify } from '@node-rs/argon2'
import { openFairQueue } from '../../platform/fair-queue.ts'
import type { Deps } from '../deps.ts'

/** OWASP's minimum for Argon2id; higher costs would let few sign-ins fill the memory of a small server. */
const cost = { memoryCost: 19 * 1024, timeCost: 2, parallelism: 1 }

/**
 * Hashing shares libuv's four threads with files and DNS. Two at a time leave half of them free, and a queue of 32 is
 * worked off in less than a second.
 */
const hashing = openFairQueue({ concurrency: 2, maxWaiting: 32, maxWaitingPerParty: 8 })

/** Argon2id in PHC form, which includes the parameters and the salt. Takes some 20 ms, off the event loop. */
export function hashPassword(deps: Deps, password: string, party: string): Promise<string> {
  return hashing.run(party, () => hash(password, { ...cost, salt: deps.random(16) }))
}

/**
 * Compares a password with the hash that `findHash` returns, in the party's turn. Takes as long without a hash as with
 * one, so that timing does not reveal which accounts exist.
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

/** The hash of unknown random bytes, made with the same cost. */
const hashOfNothing =
  '$argon2id$v=19$m=19456,t=2,p=1$o4KFg/D8iMJoKqJWTHH14g$8XvxfTajUgXGLHry+jxJgPYT4dhXV3Qw4CmX29dfY8U'
