import { readFileSync } from 'node:fs'
import { isIP } from 'node:net'
import { resolve } from 'node:path'

/** Settings of the operator, read once at the start. Only this file reads the environment. */
export interface Settings {
  host: string
  port: number
  dataFolder: string
  /** Defaults to SQLite in the data folder. */
  databaseUrl?: string
  /** URL without a trailing slash. Defaults to the URL of each request. */
  externalUrl?: string
  bootstrapToken?: string
  maxUploadBytes: number
  /** Maximum size of a scanner's report, as uploaded (possibly compressed). */
  maxReportBytes: number
  /** Maximum number of accepted reports that wait for their import; further ones are rejected. */
  maxWaitingReports: {
    ofProject: number
    ofUser: number
    /** Limit per project and per user. */
    bytes: number
  }
  /** Retention of reports whose import failed because of a server error. */
  failedReportMs: number
  /** Time during which a deleted upload can be restored. */
  uploadGraceMs: number
  /** Retention of an object after its row was deleted. */
  objectRetentionMs: number
  /** Minimum role for promoting findings and triaging vulnerabilities. */
  triageRole: 'maintainer' | 'developer'
  /** Users who may create topics by assigning an unknown name to a project. */
  topicCreation: 'anyone' | 'admins'
  /** Time during which a merge of topics can be undone. */
  topicUndoMs: number
  /** Allows webhooks to this machine, private networks and link-local addresses. */
  webhooksReachPrivate: boolean
  /** Defaults to files in the data folder. */
  s3?: S3Settings
  logLevel: LogLevel
  /** Requires the scope `admin_mode` for administrator rights of a token. */
  adminMode: boolean
  /** Idle time after which a session ends. */
  sessionIdleMs: number
  /** Token that allows reading `/-/metrics` from another machine. */
  metricsToken?: string
  rateLimits: RateLimits
  /** Addresses and networks of proxies whose `X-Forwarded-…` headers are trusted. */
  trustedProxies: readonly string[]
  /**
   * Time during which a stopping process still serves requests while it reports that it is not ready. Defaults to
   * `drainDelayOf`.
   */
  drainDelayMs?: number
  /** Time after the signal at which a stopping process aborts remaining work and exits. */
  stopTimeoutMs: number
}

/** Rate limits; absent ones are unlimited. */
interface RateLimits {
  /** Limit per user. */
  authenticated?: RateLimit
  /** Limit of anonymous requests per address. */
  unauthenticated?: RateLimit
  /** Limit of attempts to sign in or to confirm a password, per address. */
  signIn?: RateLimit
  /** Whether the routes that have their own limits in GitLab have them here. */
  endpoints: boolean
}

export interface RateLimit {
  requests: number
  periodSeconds: number
}

/** Returns the drain delay. It defaults to 0 with SQLite, where a load balancer has no other process to choose. */
export function drainDelayOf({ drainDelayMs, databaseUrl }: Settings): number {
  return drainDelayMs ?? (databaseUrl ? 5_000 : 0)
}

/** Returns the URL of this server, independently of a request. */
export function instanceUrl({ externalUrl, host, port }: Settings): string {
  return externalUrl ?? `http://${host}:${port}`
}

/** Settings of a bucket that only Alcove uses. Objects without a row are deleted from it. */
export interface S3Settings {
  bucket: string
  region: string
  /** Defaults to AWS. */
  endpoint?: string
  /** Defaults to the credentials that the SDK finds (its variables, a profile, the role of the machine or pod). */
  keys?: { access: string; secret: string }
  /** Whether downloads are redirected to a temporary URL in the bucket. */
  redirect: boolean
}

const logLevels = ['trace', 'debug', 'info', 'warn', 'error', 'silent'] as const
export type LogLevel = (typeof logLevels)[number]

/** Error with all invalid settings. Each sentence names the setting, its value and what is allowed. */
export class WrongSettings extends Error {
  readonly sentences: readonly string[]

  constructor(sentences: readonly string[]) {
    super(sentences.join('\n'))
    this.name = 'WrongSettings'
    this.sentences = sentences
  }
}

type Environment = Readonly<Record<string, string | undefined>>

/** Reads the settings. Throws `WrongSettings` with all problems at once. Treats blank values as unset. */
export function readSettings(environment: Environment = process.env): Settings {
  const problems: string[] = []
  const values = collect(environment, problems)

  const databaseUrl = check('DATABASE_URL', isPostgresUrl, 'an address such as postgres://user@host/database')
  const externalUrl = check('EXTERNAL_URL', isHttpUrl, 'an http:// or https:// address')?.replace(/\/+$/, '')
  const bootstrapToken = check(
    'BOOTSTRAP_TOKEN',
    (value) => isPrintable(value) && value.length >= 20,
    'at least 20 printable ASCII characters without blanks',
  )
  const metricsToken = check(
    'METRICS_TOKEN',
    (value) => isPrintable(value) && value.length >= 20,
    'at least 20 printable ASCII characters without blanks',
  )
  const s3 = readS3()
  const settings: Settings = {
    host: values.get('HOST') ?? '127.0.0.1',
    port: whole('PORT', 8080, 0, 65_535),
    dataFolder: resolve(values.get('DATA') ?? './data'),
    ...(databaseUrl && { databaseUrl }),
    ...(externalUrl && { externalUrl }),
    ...(bootstrapToken && { bootstrapToken }),
    maxUploadBytes: whole('MAX_UPLOAD_MIB', 100, 1, 1_048_576) * 1024 * 1024,
    maxReportBytes: whole('MAX_REPORT_MIB', 512, 1, 1_048_576) * 1024 * 1024,
    maxWaitingReports: {
      ofProject: whole('MAX_WAITING_REPORTS_OF_PROJECT', 100, 1, 1_000_000),
      ofUser: whole('MAX_WAITING_REPORTS_OF_USER', 1000, 1, 1_000_000),
      bytes: whole('MAX_WAITING_REPORTS_MIB', 4096, 1, 1_048_576) * 1024 * 1024,
    },
    failedReportMs: whole('FAILED_REPORT_DAYS', 7, 0, 3650) * 24 * 60 * 60 * 1000,
    objectRetentionMs: whole('OBJECT_RETENTION_HOURS', 24, 0, 8760) * 60 * 60 * 1000,
    uploadGraceMs: whole('UPLOAD_GRACE_DAYS', 7, 0, 3650) * 24 * 60 * 60 * 1000,
    webhooksReachPrivate: isTrue('WEBHOOKS_ALLOW_PRIVATE'),
    triageRole: oneOf('TRIAGE_ROLE', ['maintainer', 'developer'], 'maintainer'),
    topicCreation: oneOf('TOPIC_CREATION', ['anyone', 'admins'], 'anyone'),
    topicUndoMs: whole('TOPIC_UNDO_DAYS', 90, 0, 3650) * 24 * 60 * 60 * 1000,
    ...(s3 && { s3 }),
    logLevel: oneOf('LOG_LEVEL', logLevels, 'info'),
    adminMode: isTrue('ADMIN_MODE'),
    sessionIdleMs: whole('SESSION_IDLE_DAYS', 7, 1, 14) * 24 * 60 * 60 * 1000,
    ...(metricsToken && { metricsToken }),
    rateLimits: readRateLimits(),
    trustedProxies: readTrustedProxies(),
    ...(values.has('DRAIN_DELAY_SECONDS') && { drainDelayMs: whole('DRAIN_DELAY_SECONDS', 0, 0, 600) * 1000 }),
    stopTimeoutMs: whole('STOP_TIMEOUT_SECONDS', 25, 1, 3600) * 1000,
  }
  if (drainDelayOf(settings) >= settings.stopTimeoutMs) {
    const given = `${drainDelayOf(settings) / 1000}, and ALCOVE_STOP_TIMEOUT_SECONDS ${settings.stopTimeoutMs / 1000}`
    problems.push(
      `ALCOVE_DRAIN_DELAY_SECONDS is ${given}; allowed is a delay shorter than the timeout, which includes it.`,
    )
  }
  if (problems.length > 0) throw new WrongSettings(problems)
  return settings

  function readS3(): S3Settings | undefined {
    const bucket = check('S3_BUCKET', isBucketName, 'a name of 3 to 63 lower-case letters, digits, dots and hyphens')
    const endpoint = check('S3_ENDPOINT', isHttpUrl, 'an http:// or https:// address')?.replace(/\/+$/, '')
    const region = check('S3_REGION', isRegion, 'a name such as eu-central-1') ?? 'us-east-1'
    const access = check('S3_ACCESS_KEY', isPrintable, 'printable ASCII characters without blanks')
    const secret = check('S3_SECRET_KEY', isPrintable, 'printable ASCII characters without blanks')
    const redirect = isTrue('S3_REDIRECT')

    const rest = names.filter((name) => name.startsWith('S3_') && name !== 'S3_BUCKET' && values.has(name))
    if (!values.has('S3_BUCKET') && rest.length > 0) {
      const given = rest.map((name) => `ALCOVE_${name}`).join(', ')
      problems.push(`ALCOVE_S3_BUCKET is not set; allowed is the name of a bucket when there is ${given}.`)
    }
    for (const [one, other] of keyPairs) {
      if (!values.has(one) || values.has(other)) continue
      problems.push(`ALCOVE_${other} is not set; allowed is to set both, or neither, when there is ALCOVE_${one}.`)
    }
    if (!bucket) return undefined
    const keys = access && secret ? { access, secret } : undefined
    return { bucket, region, ...(endpoint && { endpoint }), ...(keys && { keys }), redirect }
  }

  function readRateLimits(): RateLimits {
    const authenticated = readRateLimit('AUTHENTICATED', { requests: 0, periodSeconds: 3600 })
    const unauthenticated = readRateLimit('UNAUTHENTICATED', { requests: 0, periodSeconds: 3600 })
    const signIn = readRateLimit('SIGN_IN', { requests: 30, periodSeconds: 60 })
    const endpoints = isTrue('RATE_LIMIT_ENDPOINTS')
    return {
      ...(authenticated && { authenticated }),
      ...(unauthenticated && { unauthenticated }),
      ...(signIn && { signIn }),
      endpoints,
    }
  }

  function readRateLimit(
    whose: 'AUTHENTICATED' | 'UNAUTHENTICATED' | 'SIGN_IN',
    standard: RateLimit,
  ): RateLimit | undefined {
    const requests = whole(`RATE_LIMIT_${whose}_REQUESTS`, standard.requests, 0, 999_999_999)
    const periodSeconds = whole(`RATE_LIMIT_${whose}_PERIOD_SECONDS`, standard.periodSeconds, 1, 86_400)
    return requests === 0 ? undefined : { requests, periodSeconds }
  }

  function readTrustedProxies(): string[] {
    const isRight = (text: string) => listed(text).every(isNetwork)
    return listed(check('TRUSTED_PROXIES', isRight, 'addresses and networks such as 10.0.0.0/8, with commas') ?? '')
  }

  function check(name: Name, isRight: (value: string) => boolean, allowed: string): string | undefined {
    const value = values.get(name)
    if (value === undefined || isRight(value)) return value
    problems.push(`ALCOVE_${name} is ${shown(name, value)}; allowed is ${allowed}.`)
    return undefined
  }

  function whole(name: Name, standard: number, least: number, most: number): number {
    const isRight = (text: string) => /^\d{1,9}$/.test(text) && Number(text) >= least && Number(text) <= most
    return Number(check(name, isRight, `a whole number from ${least} to ${most}`) ?? standard)
  }

  function isTrue(name: Name): boolean {
    return oneOf(name, ['true', 'false'], 'false') === 'true'
  }

  function oneOf<T extends string>(name: Name, allowed: readonly T[], standard: T): T {
    const value = check(name, (text) => allowed.some((word) => word === text), allowed.join(' or '))
    return allowed.find((word) => word === value) ?? standard
  }
}

const names = [
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
  'MAX_UPLOAD_MIB',
  'OBJECT_RETENTION_HOURS',
  'UPLOAD_GRACE_DAYS',
  'TRIAGE_ROLE',
  'TOPIC_CREATION',
  'TOPIC_UNDO_DAYS',
  'WEBHOOKS_ALLOW_PRIVATE',
  'S3_BUCKET',
  'S3_ENDPOINT',
  'S3_REGION',
  'S3_ACCESS_KEY',
  'S3_SECRET_KEY',
  'S3_REDIRECT',
  'LOG_LEVEL',
  'ADMIN_MODE',
  'SESSION_IDLE_DAYS',
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
export type SettingName = (typeof names)[number]
type Name = SettingName

/** Settings that can also be given as `ALCOVE_…_FILE`, and whose values never appear in messages. */
export const secrets: readonly Name[] = [
  'DATABASE_URL',
  'BOOTSTRAP_TOKEN',
  'METRICS_TOKEN',
  'S3_ACCESS_KEY',
  'S3_SECRET_KEY',
]

const keyPairs = [
  ['S3_ACCESS_KEY', 'S3_SECRET_KEY'],
  ['S3_SECRET_KEY', 'S3_ACCESS_KEY'],
] as const

function collect(environment: Environment, problems: string[]): Map<Name, string> {
  const values = new Map<Name, string>()
  for (const [variable, value] of Object.entries(environment)) {
    if (!variable.startsWith('ALCOVE_') || variable.startsWith('ALCOVE_TEST_') || !value?.trim()) continue
    const word = variable.slice('ALCOVE_'.length)
    const plain = names.find((name) => name === word)
    const fromFile = secrets.find((name) => `${name}_FILE` === word)
    if (plain) values.set(plain, value.trim())
    else if (fromFile) readSecret(fromFile, value.trim())
    else problems.push(`${variable} is not a setting; there are ${names.map((name) => `ALCOVE_${name}`).join(', ')}.`)
  }
  return values

  function readSecret(name: Name, file: string): void {
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

function shown(name: Name, value: string): string {
  return secrets.includes(name) ? 'set to something else (not shown, it is a secret)' : JSON.stringify(value)
}

function isPostgresUrl(value: string): boolean {
  return URL.canParse(value) && ['postgres:', 'postgresql:'].includes(new URL(value).protocol)
}

function isHttpUrl(value: string): boolean {
  if (!URL.canParse(value)) return false
  const url = new URL(value)
  return ['http:', 'https:'].includes(url.protocol) && !url.search && !url.hash && !url.username
}

function listed(text: string): string[] {
  return text.split(',').flatMap((part) => part.trim() || [])
}

function isNetwork(text: string): boolean {
  const [address = '', bits, ...rest] = text.split('/')
  const version = isIP(address)
  if (version === 0 || rest.length > 0) return false
  return bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= (version === 4 ? 32 : 128))
}

function isPrintable(value: string): boolean {
  return /^[\x21-\x7e]+$/.test(value)
}

function isBucketName(value: string): boolean {
  return /^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/.test(value)
}

function isRegion(value: string): boolean {
  return /^[A-Za-z0-9-]+$/.test(value)
}
