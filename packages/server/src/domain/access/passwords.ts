import { hash, verify } from '@node-rs/argon2'
import type { Deps } from '../deps.ts'

/** OWASP's least for Argon2id; stronger settings let few sign-ins fill the memory of a small server. */
const cost = { memoryCost: 19 * 1024, timeCost: 2, parallelism: 1 }

/** Argon2id in PHC form: the parameters and the salt are part of the text. Off the event loop, some 20 ms. */
export function hashPassword(deps: Deps, password: string): Promise<string> {
  return hash(password, { ...cost, salt: deps.random(16) })
}

/** Takes as long for an account without a password (or none at all), so that timing does not tell which there are. */
export async function isPassword(password: string, passwordHash: string | null | undefined): Promise<boolean> {
  const matches = await verify(passwordHash ?? (await hashOfNothing()), password)
  return matches && passwordHash !== null && passwordHash !== undefined
}

let nothing: Promise<string> | undefined

function hashOfNothing(): Promise<string> {
  nothing ??= hash('', cost)
  return nothing
}
