import type { Claims } from '../bots/trust/claims.ts'

export type { Claims }

/** Names of claims that are longer are not resolved further. */
const maxDepth = 8

/**
 * Returns a claim by its name. A dot separates the names of nested objects (`realm_access.roles`), unless a claim has the
 * whole name, as `https://example.com/groups` has.
 */
export function findClaim(claims: unknown, name: string, depth = 0): unknown {
  if (!isObject(claims) || depth > maxDepth) return undefined
  if (Object.hasOwn(claims, name)) return claims[name]
  for (let dot = name.lastIndexOf('.'); dot > 0; dot = name.lastIndexOf('.', dot - 1)) {
    const outer = name.slice(0, dot)
    if (Object.hasOwn(claims, outer)) return findClaim(claims[outer], name.slice(dot + 1), depth + 1)
  }
  return undefined
}

/** Returns a claim that is a text and not blank. */
export function textClaim(claims: Claims, name: string): string | undefined {
  const value = findClaim(claims, name)
  return typeof value === 'string' && value.trim() !== '' ? value.trim() : undefined
}

/** Returns a claim that is true. Some providers send booleans as text. */
export function isTrueClaim(claims: Claims, name: string): boolean {
  const value = findClaim(claims, name)
  return value === true || value === 'true'
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
