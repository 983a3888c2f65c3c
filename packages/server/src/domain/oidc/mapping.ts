import type { OidcProvider } from '../../platform/settings/oidc-settings.ts'
import { roles } from '../access/roles.ts'
import { valuesOf } from '../bots/trust/claims.ts'
import { type Claims, findClaim } from './claims.ts'
import { SignInRefused } from './sign-in-problem.ts'

/** What the mapping gives to a user with these claims. */
export interface MappedRights {
  isAdmin: boolean
  /** Access levels by full path of the group, in lower case. */
  groups: ReadonlyMap<string, number>
}

const maxValues = 2000
const maxClaimBytes = 256 * 1024

/** Applies the rules of the provider to claims. Throws `SignInRefused` when a claim is too large or was left out. */
export function mapClaims({ mapping, groupsClaim }: OidcProvider, claims: Claims): MappedRights {
  const valuesByClaim = new Map<string, ReadonlySet<string>>()
  const valuesIn = (name: string) => {
    const known = valuesByClaim.get(name) ?? readValues(claims, name)
    valuesByClaim.set(name, known)
    return known
  }
  const matching = mapping.filter(({ claim = groupsClaim, value }) => valuesIn(claim).has(value))
  const groups = new Map<string, number>()
  for (const { membership } of matching) {
    if (!membership) continue
    const path = membership.group.toLowerCase()
    groups.set(path, Math.max(groups.get(path) ?? 0, roles[membership.role]))
  }
  return { isAdmin: matching.some(({ administrator }) => administrator), groups }
}

/** Returns the values of a claim: a text, a number, a boolean, or each of a list. A missing claim has none. */
function readValues(claims: Claims, name: string): ReadonlySet<string> {
  const claim = findClaim(claims, name)
  // A user with too many groups would otherwise lose them all.
  if (claim === undefined && isLeftOut(claims, name)) {
    throw new SignInRefused('too_many_claims', 'the provider has left out a claim of the mapping')
  }
  const isTooLarge = claim !== undefined && JSON.stringify(claim).length > maxClaimBytes
  if (isTooLarge || (Array.isArray(claim) && claim.length > maxValues)) {
    throw new SignInRefused('too_many_claims', 'a claim of the mapping is too large')
  }
  return new Set(valuesOf(claim))
}

/** Returns true when the provider says that it has not sent a claim for its size, as Entra ID does for many groups. */
function isLeftOut(claims: Claims, name: string): boolean {
  const elsewhere = claims['_claim_names']
  const isNamed = typeof elsewhere === 'object' && elsewhere !== null && Object.hasOwn(elsewhere, name)
  return isNamed || (name === 'groups' && claims['hasgroups'] !== undefined)
}
