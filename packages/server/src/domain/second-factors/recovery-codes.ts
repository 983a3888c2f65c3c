import { hash } from 'node:crypto'
import type { Deps } from '../deps.ts'
import { deleteRecoveryCodesOf, insertRecoveryCodes } from './recovery-code-queries.ts'

const codesAtOnce = 10
/** Letters and digits that are hard to confuse. Their number divides 256, so that every one is equally likely. */
const alphabet = 'abcdefghjkmnpqrstuvwxyz023456789'
const groupLength = 4
/** 16 characters of 5 bits. A digest without a salt cannot be searched for 80 random bits. */
const codeLength = 16

/** Replaces the user's recovery codes and returns the new ones, which cannot be read again. */
export async function replaceRecoveryCodes(deps: Deps, userId: number): Promise<string[]> {
  const codes = Array.from({ length: codesAtOnce }, () => newCode(deps))
  await deleteRecoveryCodesOf(deps.db, userId)
  await insertRecoveryCodes(deps.db, userId, codes.map(digestRecoveryCode))
  return codes
}

/** Returns the digest of a code, ignoring case, hyphens and spaces. */
export function digestRecoveryCode(code: string): string {
  return hash('sha256', code.toLowerCase().replace(/[^a-z0-9]/g, ''))
}

function newCode({ random }: Deps): string {
  const characters = [...random(codeLength)].map((byte) => alphabet[byte % alphabet.length])
  const groups = Array.from({ length: codeLength / groupLength }, (_, index) =>
    characters.slice(index * groupLength, (index + 1) * groupLength).join(''),
  )
  return groups.join('-')
}
