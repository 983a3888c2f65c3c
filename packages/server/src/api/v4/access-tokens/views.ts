import Type from 'typebox'
import type { PlaceToken } from '../../../domain/bots/access-tokens.ts'
import type { Deps } from '../../../domain/deps.ts'
import type { IssuedToken } from '../../../domain/tokens/issue.ts'
import { findTokenAddresses } from '../../../domain/tokens/issued-tokens.ts'
import { issuedTokenView, tokenView, viewFields, viewIssued } from '../tokens/views.ts'

const levelField = { access_level: Type.Integer({ description: 'Role of the token in its project or group' }) }

export const accessTokenView = Type.Object({ ...tokenView.properties, ...levelField }, { title: 'AccessToken' })
export const issuedAccessTokenView = Type.Object(
  { ...issuedTokenView.properties, ...levelField },
  { title: 'IssuedAccessToken' },
)

export async function viewAccessTokens(deps: Deps, tokens: readonly PlaceToken[]) {
  const addresses = await findTokenAddresses(deps, tokens)
  return tokens.map((token) => viewWith(deps, token, addresses))
}

export async function viewAccessToken(deps: Deps, token: PlaceToken) {
  return viewWith(deps, token, await findTokenAddresses(deps, [token]))
}

function viewWith(deps: Deps, token: PlaceToken, addresses: ReadonlyMap<number, string[]>) {
  const addressList = addresses.get(token.id) ?? []
  return { ...viewFields(deps, token), last_used_ips: addressList, access_level: token.accessLevel }
}

export function viewIssuedAccessToken(deps: Deps, token: PlaceToken<IssuedToken>) {
  return { ...viewIssued(deps, token), access_level: token.accessLevel }
}
