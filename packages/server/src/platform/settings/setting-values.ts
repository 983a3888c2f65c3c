import { readFileSync } from 'node:fs'

/** Values of the environment's settings, with the problems found in them. Blank values count as unset. */
export interface SettingValues {
  /** Sentences that name a setting, its value and what is allowed. */
  problems: string[]
  has(name: SettingName): boolean
  get(name: SettingName): string | undefined
  /** Returns the value if it is right; otherwise adds a problem. */
  check(name: SettingName, isRight: (value: string) => boolean, allowed: string): string | undefined
  whole(name: SettingName, standard: number, least: number, most: number): number
  isTrue(name: SettingName): boolean
  oneOf<T extends string>(name: SettingName, allowed: readonly T[], standard: T): T
}

/** Reads the variables, and the files that `ALCOVE_…_FILE` names. */
export function openSettingValues(environment: Environment): SettingValues {
  const problems: string[] = []
  const values = collect(environment, problems)
  return { problems, has: (name) => values.has(name), get: (name) => values.get(name), check, whole, isTrue, oneOf }

  function check(name: SettingName, isRight: (value: string) => boolean, allowed: string): string | undefined {
    const value = values.get(name)
    if (value === undefined || isRight(value)) return value
    problems.push(`ALCOVE_${name} is ${shown(name, value)}; allowed is ${allowed}.`)
    return undefined
  }

  function whole(name: SettingName, standard: number, least: number, most: number): number {
    const isRight = (text: string) => /^\d{1,9}$/.test(text) && Number(text) >= least && Number(text) <= most
    return Number(check(name, isRight, `a whole number from ${least} to ${most}`) ?? standard)
  }

  function isTrue(name: SettingName): boolean {
    return oneOf(name, ['true', 'false'], 'false') === 'true'
  }

  function oneOf<T extends string>(name: SettingName, allowed: readonly T[], standard: T): T {
    const value = check(name, (text) => allowed.some((word) => word === text), allowed.join(' or '))
    return allowed.find((word) => word === value) ?? standard
  }
}

export const settingNames = [
  'HOST',
  'PORT',
  'DATA',
  'DATABASE_URL',
  'EXTERNAL_URL',
  'BOOTSTRAP_TOKEN',
  'MAX_REPORT_MIB',
  'MAX_WAITING_REPORTS_OF_PROJECT',
  'MAX_WAITING_REPORTS_OF_USER',
  'MAX_WAITING_REPORTS_MIB',
  'FAILED_REPORT_DAYS',
  'REF_RETENTION_DAYS',
  'IMPORT_RETENTION_DAYS',
  'HISTORY_RETENTION_DAYS',
  'AUDIT_RETENTION_DAYS',
  'AUDIT_DOWNLOADS',
  'AUDIT_STREAM',
  'AUDIT_STREAM_HEADER',
  'EXPORT_RETENTION_DAYS',
  'WEBHOOK_RETENTION_DAYS',
  'MAX_UPLOAD_MIB',
  'OBJECT_RETENTION_HOURS',
  'UNREFERENCED_UPLOAD_DAYS',
  'UPLOAD_GRACE_DAYS',
  'UPLOAD_LINK_DAYS',
  'CLAMD',
  'CLAMD_HOLD',
  'PROMOTE',
  'TRIAGE_ROLE',
  'INVITED_ACCOUNTS',
  'TOPIC_CREATION',
  'HIDE_TOPICS_OF_HIDDEN_PROJECTS',
  'TOPIC_UNDO_DAYS',
  'WEBHOOKS_ALLOW_PRIVATE',
  'SMTP_URL',
  'MAIL_FROM',
  'PASSWORDS',
  'OIDC_PROVIDERS',
  'OIDC_ALLOW_PRIVATE',
  'S3_BUCKET',
  'S3_ENDPOINT',
  'S3_REGION',
  'S3_ACCESS_KEY',
  'S3_SECRET_KEY',
  'S3_REDIRECT',
  'BACKUP_S3_ENDPOINT',
  'BACKUP_S3_REGION',
  'BACKUP_S3_ACCESS_KEY',
  'BACKUP_S3_SECRET_KEY',
  'LOG_LEVEL',
  'ADMIN_MODE',
  'SESSION_IDLE_DAYS',
  'REQUIRE_SECOND_FACTOR',
  'METRICS_TOKEN',
  'RATE_LIMIT_AUTHENTICATED_REQUESTS',
  'RATE_LIMIT_AUTHENTICATED_PERIOD_SECONDS',
  'RATE_LIMIT_UNAUTHENTICATED_REQUESTS',
  'RATE_LIMIT_UNAUTHENTICATED_PERIOD_SECONDS',
  'RATE_LIMIT_SIGN_IN_REQUESTS',
  'RATE_LIMIT_SIGN_IN_PERIOD_SECONDS',
  'RATE_LIMIT_ENDPOINTS',
  'TRUSTED_PROXIES',
  'DRAIN_DELAY_SECONDS',
  'STOP_TIMEOUT_SECONDS',
] as const
export type FixedSettingName = (typeof settingNames)[number]

/** Settings of each identity provider, as `ALCOVE_OIDC_<PROVIDER>_<NAME>`. */
const providerSettingNames = [
  'ISSUER',
  'CLIENT_ID',
  'CLIENT_SECRET',
  'CLIENT_AUTH',
  'NAME',
  'SCOPES',
  'USERINFO',
  'USERNAME_CLAIM',
  'CREATE_USERS',
  'LINK_BY_EMAIL',
  'TRUST_EMAIL',
  'REQUIRE',
  'LOGOUT',
  'GROUPS_CLAIM',
  'MAPPING_FILE',
] as const
export type ProviderSettingName = (typeof providerSettingNames)[number]

type SettingOfProvider = `OIDC_${string}_${ProviderSettingName}`
export type SettingName = FixedSettingName | SettingOfProvider

/** Returns the name of a provider's setting, without `ALCOVE_`. */
export function settingOfProvider(key: string, name: ProviderSettingName): SettingOfProvider {
  return `OIDC_${key.toUpperCase()}_${name}`
}

/** Returns the keys in `ALCOVE_OIDC_PROVIDERS`. */
export function providerKeys(list: string | undefined): string[] {
  return (list ?? '').split(',').flatMap((part) => part.trim() || [])
}

/** Settings that can also be given as `ALCOVE_…_FILE`, and whose values never appear in messages. */
const secrets: readonly SettingName[] = [
  'DATABASE_URL',
  'BOOTSTRAP_TOKEN',
  'METRICS_TOKEN',
  'AUDIT_STREAM',
  'AUDIT_STREAM_HEADER',
  'SMTP_URL',
  'S3_ACCESS_KEY',
  'S3_SECRET_KEY',
  'BACKUP_S3_ACCESS_KEY',
  'BACKUP_S3_SECRET_KEY',
]

/** Returns true for a setting whose value is a secret. */
export function isSecret(name: SettingName): boolean {
  return secrets.includes(name) || /^OIDC_.*_CLIENT_SECRET$/.test(name)
}

export type Environment = Readonly<Record<string, string | undefined>>

function collect(environment: Environment, problems: string[]): Map<SettingName, string> {
  const values = new Map<SettingName, string>()
  const keys = providerKeys(environment['ALCOVE_OIDC_PROVIDERS'])
  const ofProviders = keys.flatMap((key) => providerSettingNames.map((name) => settingOfProvider(key, name)))
  const names: readonly SettingName[] = [...settingNames, ...ofProviders]
  for (const [variable, value] of Object.entries(environment)) {
    if (!variable.startsWith('ALCOVE_') || variable.startsWith('ALCOVE_TEST_') || !value?.trim()) continue
    const word = variable.slice('ALCOVE_'.length)
    const plain = names.find((name) => name === word)
    const fromFile = names.find((name) => isSecret(name) && `${name}_FILE` === word)
    if (plain) values.set(plain, value.trim())
    else if (fromFile) readSecret(fromFile, value.trim())
    else problems.push(`${variable} is not a setting; there are ${names.map((name) => `ALCOVE_${name}`).join(', ')}.`)
  }
  return values

  function readSecret(name: SettingName, file: string): void {
    if (environment[`ALCOVE_${name}`]?.trim()) {
      problems.push(`ALCOVE_${name} and ALCOVE_${name}_FILE are both set; one of them is allowed.`)
      return
    }
    try {
      values.set(name, readFileSync(file, 'utf8').trim())
    } catch {
      problems.push(`ALCOVE_${name}_FILE is ${JSON.stringify(file)}; allowed is a file that can be read.`)
    }
  }
}

function shown(name: SettingName, value: string): string {
  return isSecret(name) ? 'set to something else (not shown, it is a secret)' : JSON.stringify(value)
}
