import { isIP } from 'node:net'
import { resolve } from 'node:path'
import { type ClamdSettings, readClamd } from '../clamd-settings.ts'
import { type AuditDestination, readAuditStreams } from './audit-stream-settings.ts'
import { type MailSettings, readMail } from './mail-settings.ts'
import { type OidcSettings, readOidc } from './oidc-settings.ts'
import { isHttpUrl, isPrintable } from './setting-formats.ts'
import { type Environment, openSettingValues, type SettingValues } from './setting-values.ts'

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
  /** Days without a report after which a ref closes, unless its project decides; 0 keeps refs open. */
  refRetentionDays: number
  /** Days after which records are removed; 0 keeps imports, histories and audit events. */
  retentionDays: { imports: number; histories: number; auditEvents: number; exports: number; hookEvents: number }
  /** Destinations of audit events. */
  auditStreams: readonly AuditDestination[]
  /** Time during which a deleted upload can be restored. */
  uploadGraceMs: number
  /** Maximum lifetime of a link to an upload in days; 0 turns links off. */
  uploadLinkDays: number
  /** Virus scanner for uploads. Absent: they are not scanned. */
  clamd?: ClamdSettings
  /** Days after which uploads without references are deleted; 0 keeps them. */
  unreferencedUploadDays: number
  /** Retention of an object after its row was deleted. */
  objectRetentionMs: number
  /** Minimum role for promoting findings and triaging vulnerabilities. */
  triageRole: 'maintainer' | 'developer'
  /** Whether projects created without the attribute promote findings, unless a group decides. */
  promotesByDefault: boolean
  /** Users whose invitations may create accounts. */
  invitedAccounts: 'administrators' | 'off'
  /** Users who may create topics by assigning an unknown name to a project. */
  topicCreation: 'anyone' | 'admins'
  /** Whether topics are hidden from callers who can read none of their projects. */
  hidesTopicsOfHiddenProjects: boolean
  /** Time during which a merge of topics can be undone. */
  topicUndoMs: number
  /** Allows webhooks to this machine, private networks and link-local addresses. */
  webhooksReachPrivate: boolean
  /** Absent: the server sends no mail. */
  mail?: MailSettings
  /** Whether users can sign in with a password, and set one. */
  hasPasswords: boolean
  oidc: OidcSettings
  /** Whether downloads of uploads and exports are audit events. */
  auditsDownloads: boolean
  /** Defaults to files in the data folder. */
  s3?: S3Settings
  /** Service with the buckets for backups. Defaults to that of `s3`, or to AWS. */
  backupS3?: S3Service
  logLevel: LogLevel
  /** Requires the scope `admin_mode` for administrator rights of a token. */
  adminMode: boolean
  /** Idle time after which a session ends. */
  sessionIdleMs: number
  /** Users whose sign-in with a password must have a second factor. */
  requiredSecondFactor: 'off' | 'administrators' | 'everyone'
  /** Token that allows reading `/-/metrics` from another machine. */
  metricsToken?: string
  rateLimits: RateLimits
  /** Addresses and networks of proxies whose `X-Forwarded-…` headers are trusted. */
  trustedProxies: readonly string[]
  /** Time for which a stopping process serves requests but reports that it is not ready. Defaults to `drainDelayOf`. */
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

/** S3 service with its credentials. */
interface S3Service {
  region: string
  /** Defaults to AWS. */
  endpoint?: string
  /** Defaults to the credentials that the SDK finds (its variables, a profile, the role of the machine or pod). */
  keys?: { access: string; secret: string }
}

/** Settings of a bucket that only Alcove uses. Objects without a row are deleted from it. */
export interface S3Settings extends S3Service {
  bucket: string
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

/** Reads the settings. Throws `WrongSettings` with all problems at once. Treats blank values as unset. */
export function readSettings(environment: Environment = process.env): Settings {
  const values = openSettingValues(environment)
  const databaseUrl = values.check('DATABASE_URL', isPostgresUrl, 'an address such as postgres://user@host/database')
  // Linear time: the text is a setting of the operator.
  const externalUrl = values.check('EXTERNAL_URL', isHttpUrl, 'an http:// or https:// address')?.replace(/\/+$/, '')
  const bootstrapToken = readToken(values, 'BOOTSTRAP_TOKEN')
  const metricsToken = readToken(values, 'METRICS_TOKEN')
  const s3 = readS3(values)
  const backupS3 = readBackupS3(values)
  const mail = readMail(values)
  const clamd = readClamd(values)
  const settings: Settings = {
    host: values.get('HOST') ?? '127.0.0.1',
    port: values.whole('PORT', 8080, 0, 65_535),
    dataFolder: resolve(values.get('DATA') ?? './data'),
    ...(databaseUrl && { databaseUrl }),
    ...(externalUrl && { externalUrl }),
    ...(bootstrapToken && { bootstrapToken }),
    maxUploadBytes: values.whole('MAX_UPLOAD_MIB', 100, 1, 1_048_576) * 1024 * 1024,
    maxReportBytes: values.whole('MAX_REPORT_MIB', 512, 1, 1_048_576) * 1024 * 1024,
    maxWaitingReports: {
      ofProject: values.whole('MAX_WAITING_REPORTS_OF_PROJECT', 100, 1, 1_000_000),
      ofUser: values.whole('MAX_WAITING_REPORTS_OF_USER', 1000, 1, 1_000_000),
      bytes: values.whole('MAX_WAITING_REPORTS_MIB', 4096, 1, 1_048_576) * 1024 * 1024,
    },
    failedReportMs: values.whole('FAILED_REPORT_DAYS', 7, 0, 3650) * 24 * 60 * 60 * 1000,
    refRetentionDays: values.whole('REF_RETENTION_DAYS', 30, 0, 3650),
    retentionDays: readRetentionDays(values),
    auditStreams: readAuditStreams(values),
    objectRetentionMs: values.whole('OBJECT_RETENTION_HOURS', 24, 0, 8760) * 60 * 60 * 1000,
    unreferencedUploadDays: values.whole('UNREFERENCED_UPLOAD_DAYS', 0, 0, 3650),
    uploadLinkDays: values.whole('UPLOAD_LINK_DAYS', 90, 0, 3650),
    uploadGraceMs: values.whole('UPLOAD_GRACE_DAYS', 7, 0, 3650) * 24 * 60 * 60 * 1000,
    webhooksReachPrivate: values.isTrue('WEBHOOKS_ALLOW_PRIVATE'),
    triageRole: values.oneOf('TRIAGE_ROLE', ['maintainer', 'developer'], 'maintainer'),
    promotesByDefault: values.oneOf('PROMOTE', ['manual', 'auto'], 'manual') === 'auto',
    topicCreation: values.oneOf('TOPIC_CREATION', ['anyone', 'admins'], 'anyone'),
    hidesTopicsOfHiddenProjects: values.isTrue('HIDE_TOPICS_OF_HIDDEN_PROJECTS'),
    invitedAccounts: values.oneOf('INVITED_ACCOUNTS', ['administrators', 'off'], 'administrators'),
    topicUndoMs: values.whole('TOPIC_UNDO_DAYS', 90, 0, 3650) * 24 * 60 * 60 * 1000,
    hasPasswords: values.oneOf('PASSWORDS', ['on', 'off'], 'on') === 'on',
    oidc: readOidc(values),
    auditsDownloads: values.oneOf('AUDIT_DOWNLOADS', ['on', 'off'], 'off') === 'on',
    ...(mail && { mail }),
    ...(clamd && { clamd }),
    ...(s3 && { s3 }),
    ...(backupS3 && { backupS3 }),
    logLevel: values.oneOf('LOG_LEVEL', logLevels, 'info'),
    adminMode: values.isTrue('ADMIN_MODE'),
    sessionIdleMs: values.whole('SESSION_IDLE_DAYS', 7, 1, 14) * 24 * 60 * 60 * 1000,
    requiredSecondFactor: values.oneOf('REQUIRE_SECOND_FACTOR', ['off', 'administrators', 'everyone'], 'off'),
    ...(metricsToken && { metricsToken }),
    rateLimits: readRateLimits(values),
    trustedProxies: readTrustedProxies(values),
    ...(values.has('DRAIN_DELAY_SECONDS') && { drainDelayMs: values.whole('DRAIN_DELAY_SECONDS', 0, 0, 600) * 1000 }),
    stopTimeoutMs: values.whole('STOP_TIMEOUT_SECONDS', 25, 1, 3600) * 1000,
  }
  addConflicts(settings, values)
  if (values.problems.length > 0) throw new WrongSettings(values.problems)
  return settings
}

/** Adds problems of settings that are valid alone, but not together. */
function addConflicts(settings: Settings, values: SettingValues): void {
  if (drainDelayOf(settings) >= settings.stopTimeoutMs) {
    const given = `${drainDelayOf(settings) / 1000}, and ALCOVE_STOP_TIMEOUT_SECONDS ${settings.stopTimeoutMs / 1000}`
    values.problems.push(
      `ALCOVE_DRAIN_DELAY_SECONDS is ${given}; allowed is a delay shorter than the timeout, which includes it.`,
    )
  }
  if (!settings.hasPasswords && !values.has('OIDC_PROVIDERS')) {
    values.problems.push('ALCOVE_PASSWORDS is off, so ALCOVE_OIDC_PROVIDERS must name a provider to sign in with.')
  }
}

function readToken(values: SettingValues, name: 'BOOTSTRAP_TOKEN' | 'METRICS_TOKEN'): string | undefined {
  const isRight = (value: string) => isPrintable(value) && value.length >= 20
  return values.check(name, isRight, 'at least 20 printable ASCII characters without blanks')
}

function readS3(values: SettingValues): S3Settings | undefined {
  const bucket = values.check('S3_BUCKET', isBucketName, bucketNames)
  const { given, ...service } = readS3Service(values, 'S3')
  const redirect = values.isTrue('S3_REDIRECT')
  const rest = [...given, ...(values.has('S3_REDIRECT') ? ['ALCOVE_S3_REDIRECT'] : [])]
  if (!values.has('S3_BUCKET') && rest.length > 0) {
    values.problems.push(
      `ALCOVE_S3_BUCKET is not set; allowed is the name of a bucket when there is ${rest.join(', ')}.`,
    )
  }
  return bucket ? { bucket, ...service, redirect } : undefined
}

/** Reads where the buckets for backups are, if anything of it is set. */
function readBackupS3(values: SettingValues): S3Service | undefined {
  const { given, ...service } = readS3Service(values, 'BACKUP_S3')
  return given.length > 0 ? service : undefined
}

/** Reads a service. `given` are the names of the variables that are set. */
function readS3Service(values: SettingValues, prefix: 'S3' | 'BACKUP_S3'): S3Service & { given: string[] } {
  // Linear time: the text is a setting of the operator.
  const endpoint = values.check(`${prefix}_ENDPOINT`, isHttpUrl, 'an http:// or https:// address')?.replace(/\/+$/, '')
  const region = values.check(`${prefix}_REGION`, isRegion, 'a name such as eu-central-1') ?? 'us-east-1'
  const access = values.check(`${prefix}_ACCESS_KEY`, isPrintable, 'printable ASCII characters without blanks')
  const secret = values.check(`${prefix}_SECRET_KEY`, isPrintable, 'printable ASCII characters without blanks')
  const pair = [`${prefix}_ACCESS_KEY`, `${prefix}_SECRET_KEY`] as const
  for (const [one, other] of [pair, [pair[1], pair[0]] as const]) {
    if (!values.has(one) || values.has(other)) continue
    values.problems.push(`ALCOVE_${other} is not set; allowed is to set both, or neither, when there is ALCOVE_${one}.`)
  }
  const names = [`${prefix}_ENDPOINT`, `${prefix}_REGION`, ...pair] as const
  const given = names.filter((name) => values.has(name)).map((name) => `ALCOVE_${name}`)
  return { region, ...(endpoint && { endpoint }), ...(access && secret && { keys: { access, secret } }), given }
}

function readRetentionDays(values: SettingValues): Settings['retentionDays'] {
  return {
    imports: values.whole('IMPORT_RETENTION_DAYS', 0, 0, 3650),
    histories: values.whole('HISTORY_RETENTION_DAYS', 0, 0, 3650),
    auditEvents: values.whole('AUDIT_RETENTION_DAYS', 0, 0, 3650),
    exports: values.whole('EXPORT_RETENTION_DAYS', 7, 1, 3650),
    hookEvents: values.whole('WEBHOOK_RETENTION_DAYS', 7, 1, 3650),
  }
}

function readRateLimits(values: SettingValues): RateLimits {
  const authenticated = readRateLimit(values, 'AUTHENTICATED', { requests: 0, periodSeconds: 3600 })
  const unauthenticated = readRateLimit(values, 'UNAUTHENTICATED', { requests: 0, periodSeconds: 3600 })
  const signIn = readRateLimit(values, 'SIGN_IN', { requests: 30, periodSeconds: 60 })
  const endpoints = values.isTrue('RATE_LIMIT_ENDPOINTS')
  return {
    ...(authenticated && { authenticated }),
    ...(unauthenticated && { unauthenticated }),
    ...(signIn && { signIn }),
    endpoints,
  }
}

function readRateLimit(
  values: SettingValues,
  whose: 'AUTHENTICATED' | 'UNAUTHENTICATED' | 'SIGN_IN',
  standard: RateLimit,
): RateLimit | undefined {
  const requests = values.whole(`RATE_LIMIT_${whose}_REQUESTS`, standard.requests, 0, 999_999_999)
  const periodSeconds = values.whole(`RATE_LIMIT_${whose}_PERIOD_SECONDS`, standard.periodSeconds, 1, 86_400)
  return requests === 0 ? undefined : { requests, periodSeconds }
}

function readTrustedProxies(values: SettingValues): string[] {
  const isRight = (text: string) => listed(text).every(isNetwork)
  return listed(
    values.check('TRUSTED_PROXIES', isRight, 'addresses and networks such as 10.0.0.0/8, with commas') ?? '',
  )
}

function isPostgresUrl(value: string): boolean {
  return URL.canParse(value) && ['postgres:', 'postgresql:'].includes(new URL(value).protocol)
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

const bucketNames = 'a name of 3 to 63 lower-case letters, digits, dots and hyphens'

export function isBucketName(value: string): boolean {
  return /^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/.test(value)
}

function isRegion(value: string): boolean {
  return /^[A-Za-z0-9-]+$/.test(value)
}
