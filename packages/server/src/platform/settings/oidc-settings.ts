import { type MappingRule, readMapping } from './oidc-mapping.ts'
import { isHttpUrl, isPrintable } from './setting-formats.ts'
import {
  type ProviderSettingName,
  providerKeys,
  type SettingName,
  type SettingValues,
  settingOfProvider,
} from './setting-values.ts'

/** Sign-in with identity providers, by OpenID Connect. */
export interface OidcSettings {
  providers: readonly OidcProvider[]
  /** Allows providers on this machine and in private networks, and issuers without TLS. */
  reachesPrivate: boolean
}

/** Identity provider that users can sign in with. */
export interface OidcProvider {
  /** Name in settings and URLs. */
  key: string
  /** Name for users. */
  name: string
  issuer: string
  clientId: string
  /** Absent for a public client. */
  clientSecret?: string
  clientAuth: (typeof clientAuths)[number]
  /** Requested scopes, separated by spaces. */
  scopes: string
  /** Whether claims are also read from the userinfo endpoint, if the provider has one. */
  readsUserInfo: boolean
  usernameClaim: string
  /** Whether users are created at their first sign-in. */
  createsUsers: boolean
  /** Whether an existing user with the same verified e-mail address is linked at the first sign-in. */
  linksByEmail: boolean
  /** Whether e-mail addresses count as verified although the provider does not state it. */
  trustsEmail: boolean
  /** Claims of which users need one to sign in; empty for all users of the provider. */
  requires: readonly RequiredClaim[]
  /** Whether signing out of a session also signs the user out at the provider. */
  signsOut: boolean
  /** Claim that the mapping reads unless a rule names another one. */
  groupsClaim: string
  mappingFile?: string
  mapping: readonly MappingRule[]
}

interface RequiredClaim {
  claim: string
  value: string
}

const clientAuths = ['client_secret_basic', 'client_secret_post'] as const
const maxProviders = 20

/** Reads `ALCOVE_OIDC_…`. Adds a problem for each provider that is not completely described. */
export function readOidc(values: SettingValues): OidcSettings {
  const keys = providerKeys(
    values.check('OIDC_PROVIDERS', areKeys, 'up to 20 different names of lower-case letters and digits, with commas'),
  )
  const reachesPrivate = values.isTrue('OIDC_ALLOW_PRIVATE')
  return { providers: keys.flatMap((key) => readProvider(values, key, reachesPrivate) ?? []), reachesPrivate }
}

function readProvider(values: SettingValues, key: string, reachesPrivate: boolean): OidcProvider | undefined {
  const name = (suffix: ProviderSettingName) => settingOfProvider(key, suffix)
  const isIssuer = (value: string) => isHttpUrl(value) && (reachesPrivate || value.startsWith('https:'))
  const issuer = values.check(name('ISSUER'), isIssuer, 'an https:// address without query')
  const clientId = values.check(name('CLIENT_ID'), isPrintable, 'printable ASCII characters without blanks')
  const clientSecret = values.check(name('CLIENT_SECRET'), isSecretText, 'printable ASCII characters')
  const scopes = values.check(name('SCOPES'), areScopes, 'scopes that include openid, with blanks')
  for (const suffix of ['ISSUER', 'CLIENT_ID'] as const) {
    if (values.has(name(suffix))) continue
    values.problems.push(`ALCOVE_${name(suffix)} is not set; every provider in ALCOVE_OIDC_PROVIDERS needs one.`)
  }
  const provider = {
    key,
    name: values.check(name('NAME'), isShort, 'up to 100 characters') ?? key,
    clientAuth: values.oneOf(name('CLIENT_AUTH'), clientAuths, 'client_secret_basic'),
    scopes: scopes ?? 'openid profile email',
    readsUserInfo: values.oneOf(name('USERINFO'), ['true', 'false'], 'true') === 'true',
    usernameClaim: values.get(name('USERNAME_CLAIM')) ?? 'preferred_username',
    createsUsers: values.oneOf(name('CREATE_USERS'), ['true', 'false'], 'true') === 'true',
    linksByEmail: values.isTrue(name('LINK_BY_EMAIL')),
    trustsEmail: values.isTrue(name('TRUST_EMAIL')),
    requires: readRequired(values.check(name('REQUIRE'), areRequired, 'pairs such as hd=example.com, with commas')),
    signsOut: values.oneOf(name('LOGOUT'), ['true', 'false'], 'true') === 'true',
    groupsClaim: values.get(name('GROUPS_CLAIM')) ?? 'groups',
    ...readMappingFile(values, name('MAPPING_FILE')),
    ...(clientSecret && { clientSecret }),
  }
  return issuer && clientId ? { ...provider, issuer, clientId } : undefined
}

function readMappingFile(values: SettingValues, name: SettingName): Pick<OidcProvider, 'mapping' | 'mappingFile'> {
  const mappingFile = values.get(name)
  if (mappingFile === undefined) return { mapping: [] }
  try {
    return { mappingFile, mapping: readMapping(mappingFile) }
  } catch (error) {
    const problem = error instanceof Error ? error.message.split('\n', 1)[0] : String(error)
    values.problems.push(`ALCOVE_${name} is ${JSON.stringify(mappingFile)}, which cannot be used: ${problem}.`)
    return { mapping: [] }
  }
}

function areKeys(text: string): boolean {
  const keys = providerKeys(text)
  return keys.every((key) => /^[a-z0-9]{1,32}$/.test(key)) && keys.length <= maxProviders && areDistinct(keys)
}

function areDistinct(texts: readonly string[]): boolean {
  return new Set(texts).size === texts.length
}

function areScopes(text: string): boolean {
  const scopes = text.split(/\s+/)
  return scopes.includes('openid') && scopes.every(isPrintable)
}

function readRequired(text: string | undefined): RequiredClaim[] {
  return (text ?? '').split(',').flatMap((pair) => {
    const equals = pair.indexOf('=')
    return equals < 0 ? [] : [{ claim: pair.slice(0, equals).trim(), value: pair.slice(equals + 1).trim() }]
  })
}

function areRequired(text: string): boolean {
  const pairs = readRequired(text)
  return pairs.length === text.split(',').length && pairs.every(({ claim, value }) => claim !== '' && value !== '')
}

function isSecretText(value: string): boolean {
  return /^[\x20-\x7e]+$/.test(value)
}

function isShort(value: string): boolean {
  return value.length <= 100
}
