import type { Deps } from '../deps.ts'
import { userProblems } from '../users/user-draft.ts'
import { type Claims, textClaim } from './claims.ts'

const maxLength = 60
const maxNumbered = 20

/**
 * Returns usernames to try in order: the claim without characters that a username cannot have, then with a number, then
 * with random digits.
 */
export function usernameCandidates(deps: Deps, claims: Claims, usernameClaim: string): string[] {
  const [mailbox] = (textClaim(claims, 'email') ?? '').split('@')
  const wanted = [textClaim(claims, usernameClaim)?.split('@')[0], mailbox, textClaim(claims, 'name'), 'user']
  const [base = 'user'] = wanted.flatMap((text) => cleaned(text ?? '') || [])
  const numbered = Array.from({ length: maxNumbered }, (_, index) => `${base}-${index + 1}`)
  const random = `${base}-${deps.random(8).toString('hex')}`
  return [base, ...numbered, random].filter((username) => Object.keys(userProblems({ username })).length === 0)
}

/** Returns the letters without accents, digits, dots, hyphens and underscores of a text; others become hyphens. */
function cleaned(text: string): string {
  const plain = text
    .slice(0, 255)
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .replace(/[^A-Za-z0-9_.-]/g, '-')
    .slice(0, maxLength)
  // Linear time: the text has at most 60 characters.
  return plain.replace(/^[-.]+/, '').replace(/(?:[-.]|\.git|\.atom)+$/i, '')
}
