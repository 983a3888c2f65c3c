import { formatClamdAddress } from '../clamd-settings.ts'
import { formatAddress } from './mail-settings.ts'
import type { OidcProvider } from './oidc-settings.ts'
import { type FixedSettingName, isSecret, type ProviderSettingName, settingOfProvider } from './setting-values.ts'
import { readSettings, type Settings } from './settings.ts'

/** Setting as shown to administrators. */
export interface DescribedSetting {
  variable: string
  group: string
  description: string
  /** Value in the format of the variable; null for unset settings and for secrets. */
  value: string | null
  standard: string | null
  isStandard: boolean
  isSecret: boolean
  isSet: boolean
}

type Value = string | number | boolean | undefined
type Row = readonly [group: string, description: string, read: (settings: Settings) => Value]

const mib = 1024 * 1024
const dayMs = 24 * 60 * 60 * 1000

/** All settings, in display order. */
const rows: Record<FixedSettingName, Row> = {
  HOST: ['Network', 'Address that the server listens on.', (s) => s.host],
  PORT: ['Network', 'Port that the server listens on.', (s) => s.port],
  EXTERNAL_URL: [
    'Network',
    'Base URL of links in responses and webhooks. Default: the URL of each request.',
    (s) => s.externalUrl,
  ],
  TRUSTED_PROXIES: [
    'Network',
    'Proxies whose X-Forwarded headers are trusted. Default: none.',
    (s) => s.trustedProxies.join(', ') || undefined,
  ],
  DRAIN_DELAY_SECONDS: [
    'Network',
    'Seconds for which a stopping process still serves while /-/ready returns 503. Default: 5 with PostgreSQL, else 0.',
    (s) => (s.drainDelayMs === undefined ? undefined : s.drainDelayMs / 1000),
  ],
  STOP_TIMEOUT_SECONDS: [
    'Network',
    'Seconds after which a stopping process aborts requests that have not finished.',
    (s) => s.stopTimeoutMs / 1000,
  ],
  WEBHOOKS_ALLOW_PRIVATE: [
    'Network',
    'Whether webhooks may call this machine and private networks.',
    (s) => s.webhooksReachPrivate,
  ],
  SMTP_URL: ['Mail', 'URL of the SMTP server. Default: the server sends no mail.', (s) => s.mail?.host],
  MAIL_FROM: ['Mail', 'Sender of messages.', (s) => s.mail && formatAddress(s.mail.from)],
  DATA: ['Storage', 'Data folder.', (s) => s.dataFolder],
  DATABASE_URL: [
    'Storage',
    'URL of the PostgreSQL database. Default: SQLite in the data folder.',
    (s) => s.databaseUrl,
  ],
  S3_BUCKET: ['Storage', 'S3 bucket for files. Default: the data folder.', (s) => s.s3?.bucket],
  S3_ENDPOINT: ['Storage', 'URL of the S3 service. Default: AWS.', (s) => s.s3?.endpoint],
  S3_REGION: ['Storage', 'Region of the bucket.', (s) => s.s3?.region],
  S3_ACCESS_KEY: [
    'Storage',
    'Access key of the bucket. Default: the credentials of the machine.',
    (s) => s.s3?.keys?.access,
  ],
  S3_SECRET_KEY: ['Storage', 'Secret key of the bucket.', (s) => s.s3?.keys?.secret],
  S3_REDIRECT: [
    'Storage',
    'Whether downloads are redirected to a temporary URL in the bucket.',
    (s) => s.s3?.redirect ?? false,
  ],
  BACKUP_S3_ENDPOINT: [
    'Storage',
    'URL of the S3 service for backups. Default: the one for files.',
    (s) => s.backupS3?.endpoint,
  ],
  BACKUP_S3_REGION: [
    'Storage',
    'Region of the buckets for backups. Default: the one for files.',
    (s) => s.backupS3?.region,
  ],
  BACKUP_S3_ACCESS_KEY: [
    'Storage',
    'Access key of the buckets for backups. Default: the one for files.',
    (s) => s.backupS3?.keys?.access,
  ],
  BACKUP_S3_SECRET_KEY: ['Storage', 'Secret key of the buckets for backups.', (s) => s.backupS3?.keys?.secret],
  MAX_UPLOAD_MIB: ['Limits', 'Maximum size of an uploaded file, in MiB.', (s) => s.maxUploadBytes / mib],
  MAX_REPORT_MIB: ['Limits', 'Maximum size of a security report, in MiB.', (s) => s.maxReportBytes / mib],
  MAX_WAITING_REPORTS_OF_PROJECT: [
    'Limits',
    'Maximum number of reports per project that wait for their import.',
    (s) => s.maxWaitingReports.ofProject,
  ],
  MAX_WAITING_REPORTS_OF_USER: [
    'Limits',
    'Maximum number of reports per user that wait for their import.',
    (s) => s.maxWaitingReports.ofUser,
  ],
  MAX_WAITING_REPORTS_MIB: [
    'Limits',
    'Maximum total size of waiting reports, per project and per user, in MiB.',
    (s) => s.maxWaitingReports.bytes / mib,
  ],
  FAILED_REPORT_DAYS: [
    'Limits',
    'Days for which a report is kept when its import failed because of a server error.',
    (s) => s.failedReportMs / dayMs,
  ],
  REF_RETENTION_DAYS: [
    'Storage',
    'Days without a report after which a branch or tag closes, unless its project decides. 0: never.',
    (s) => s.refRetentionDays,
  ],
  IMPORT_RETENTION_DAYS: [
    'Storage',
    'Days after which records of imports are removed. 0: never.',
    (s) => s.retentionDays.imports,
  ],
  HISTORY_RETENTION_DAYS: [
    'Storage',
    'Days after which observations by imports are removed from histories. 0: never.',
    (s) => s.retentionDays.histories,
  ],
  AUDIT_RETENTION_DAYS: [
    'Storage',
    'Days after which audit events are removed. 0: never.',
    (s) => s.retentionDays.auditEvents,
  ],
  AUDIT_DOWNLOADS: [
    'Security',
    'Whether downloads of uploads and exports are audit events.',
    (s) => (s.auditsDownloads ? 'on' : 'off'),
  ],
  AUDIT_STREAM: [
    'Network',
    'Destinations of audit events. Default: none.',
    (s) => s.auditStreams.map(({ name }) => name).join(' ') || undefined,
  ],
  AUDIT_STREAM_HEADER: [
    'Network',
    'HTTP headers for the destinations of audit events. Default: none.',
    (s) => (s.auditStreams.some((to) => to.kind === 'http' && Object.keys(to.headers).length > 0) ? 'set' : undefined),
  ],
  EXPORT_RETENTION_DAYS: ['Storage', 'Days after which an export is removed.', (s) => s.retentionDays.exports],
  WEBHOOK_RETENTION_DAYS: [
    'Storage',
    'Days after which events of webhooks and their delivery logs are removed.',
    (s) => s.retentionDays.hookEvents,
  ],
  RATE_LIMIT_AUTHENTICATED_REQUESTS: [
    'Limits',
    'Maximum number of requests per user and period. 0: unlimited.',
    (s) => s.rateLimits.authenticated?.requests ?? 0,
  ],
  RATE_LIMIT_AUTHENTICATED_PERIOD_SECONDS: [
    'Limits',
    'Length of the period for requests of a user, in seconds.',
    (s) => s.rateLimits.authenticated?.periodSeconds ?? standardPeriod,
  ],
  RATE_LIMIT_UNAUTHENTICATED_REQUESTS: [
    'Limits',
    'Maximum number of anonymous requests per IP address and period. 0: unlimited.',
    (s) => s.rateLimits.unauthenticated?.requests ?? 0,
  ],
  RATE_LIMIT_UNAUTHENTICATED_PERIOD_SECONDS: [
    'Limits',
    'Length of the period for anonymous requests, in seconds.',
    (s) => s.rateLimits.unauthenticated?.periodSeconds ?? standardPeriod,
  ],
  RATE_LIMIT_SIGN_IN_REQUESTS: [
    'Limits',
    'Maximum number of password attempts per IP address and period. 0: unlimited.',
    (s) => s.rateLimits.signIn?.requests ?? 0,
  ],
  RATE_LIMIT_SIGN_IN_PERIOD_SECONDS: [
    'Limits',
    'Length of the period for password attempts, in seconds.',
    (s) => s.rateLimits.signIn?.periodSeconds ?? standardSignInPeriod,
  ],
  RATE_LIMIT_ENDPOINTS: [
    'Limits',
    'Whether routes have the rate limits of their own that GitLab has for them.',
    (s) => s.rateLimits.endpoints,
  ],
  OBJECT_RETENTION_HOURS: [
    'Rules',
    'Hours for which a deleted file is kept in storage, so that a restored backup can still use it.',
    (s) => s.objectRetentionMs / (60 * 60 * 1000),
  ],
  UPLOAD_GRACE_DAYS: ['Rules', 'Days for which a deleted upload can be restored.', (s) => s.uploadGraceMs / dayMs],
  UNREFERENCED_UPLOAD_DAYS: [
    'Rules',
    'Days after which uploads to which no recorded text refers are deleted; 0 keeps them.',
    (s) => s.unreferencedUploadDays,
  ],
  CLAMD: [
    'Security',
    'Address of clamd, which scans uploads for viruses. Default: uploads are not scanned.',
    (s) => s.clamd && formatClamdAddress(s.clamd.address),
  ],
  CLAMD_HOLD: [
    'Security',
    'Whether uploads can be downloaded only after their virus scan.',
    (s) => s.clamd?.holdsPending ?? false,
  ],
  UPLOAD_LINK_DAYS: [
    'Rules',
    'Maximum lifetime of links to uploads in days; 0 turns them off.',
    (s) => s.uploadLinkDays,
  ],
  PROMOTE: [
    'Rules',
    'Whether new projects promote findings of reports, unless their group decides.',
    (s) => (s.promotesByDefault ? 'auto' : 'manual'),
  ],
  TRIAGE_ROLE: ['Rules', 'Minimum role for triaging vulnerabilities.', (s) => s.triageRole],
  INVITED_ACCOUNTS: ['Sign-in', 'Whose invitations may create accounts.', (s) => s.invitedAccounts],
  TOPIC_CREATION: ['Rules', 'Who may create topics by assigning a new name to a project.', (s) => s.topicCreation],
  HIDE_TOPICS_OF_HIDDEN_PROJECTS: [
    'Rules',
    'Whether topics are hidden from users who can read none of their projects.',
    (s) => s.hidesTopicsOfHiddenProjects,
  ],
  TOPIC_UNDO_DAYS: ['Rules', 'Days for which a merge of topics can be undone.', (s) => s.topicUndoMs / dayMs],
  ADMIN_MODE: ['Security', 'Whether administrators must enable admin mode to use their rights.', (s) => s.adminMode],
  PASSWORDS: [
    'Sign-in',
    'Whether users can sign in with a password, and set one.',
    (s) => (s.hasPasswords ? 'on' : 'off'),
  ],
  OIDC_PROVIDERS: [
    'Sign-in',
    'Identity providers that users can sign in with. Default: none.',
    (s) => s.oidc.providers.map(({ key }) => key).join(', ') || undefined,
  ],
  OIDC_ALLOW_PRIVATE: [
    'Sign-in',
    'Whether identity providers may be on this machine or in private networks.',
    (s) => s.oidc.reachesPrivate,
  ],
  BOOTSTRAP_TOKEN: [
    'Security',
    'Token of the first administrator. Only used at the first start.',
    (s) => s.bootstrapToken,
  ],
  SESSION_IDLE_DAYS: ['Security', 'Days without a request after which a session ends.', (s) => s.sessionIdleMs / dayMs],
  REQUIRE_SECOND_FACTOR: [
    'Security',
    'Users who must set up two-factor authentication for the sign-in with a password.',
    (s) => s.requiredSecondFactor,
  ],
  METRICS_TOKEN: [
    'Security',
    'Token for /-/metrics. Default: only clients on this machine may read metrics.',
    (s) => s.metricsToken,
  ],
  LOG_LEVEL: ['Log', 'Minimum level of logged messages.', (s) => s.logLevel],
}

type ProviderRow = readonly [description: string, standard: Value, read: (provider: OidcProvider) => Value]

/** Settings of a provider, in display order. */
const providerRows: Record<ProviderSettingName, ProviderRow> = {
  ISSUER: ['Issuer of the provider.', undefined, (p) => p.issuer],
  CLIENT_ID: ['Client id that the provider has given to this server.', undefined, (p) => p.clientId],
  CLIENT_SECRET: ['Client secret. Default: a public client.', undefined, (p) => p.clientSecret],
  CLIENT_AUTH: ['How the client secret is sent.', 'client_secret_basic', (p) => p.clientAuth],
  NAME: ['Name on the sign-in page.', undefined, (p) => p.name],
  SCOPES: ['Requested scopes.', 'openid profile email', (p) => p.scopes],
  USERINFO: ['Whether claims are also read from the userinfo endpoint.', true, (p) => p.readsUserInfo],
  USERNAME_CLAIM: ['Claim that new usernames are derived from.', 'preferred_username', (p) => p.usernameClaim],
  CREATE_USERS: ['Whether users are created at their first sign-in.', true, (p) => p.createsUsers],
  LINK_BY_EMAIL: ['Whether existing users are linked by verified e-mail address.', false, (p) => p.linksByEmail],
  TRUST_EMAIL: ['Whether e-mail addresses count as verified without email_verified.', false, (p) => p.trustsEmail],
  LOGOUT: ['Whether signing out also signs out at the provider.', true, (p) => p.signsOut],
  GROUPS_CLAIM: ['Claim that the mapping reads unless a rule names another one.', 'groups', (p) => p.groupsClaim],
  MAPPING_FILE: ['File that maps claims to rights. Default: none.', undefined, (p) => p.mappingFile],
  REQUIRE: [
    'Claims of which users need one. Default: none.',
    undefined,
    (p) => p.requires.map(({ claim, value }) => `${claim}=${value}`).join(', ') || undefined,
  ],
}

/** Default periods, for settings without a rate limit, which have no period. */
const standardPeriod = 3600
const standardSignInPeriod = 60
const standard = readSettings({})

/** Returns the configured and default values. For secrets only whether they are set. */
export function describeSettings(settings: Settings): DescribedSetting[] {
  const names = Object.keys(rows) as FixedSettingName[] // the type of the table lists them all
  return names.flatMap((name) => {
    const [group, description, read] = rows[name]
    const value = textOf(read(settings))
    const byDefault = textOf(read(standard))
    const isHidden = isSecret(name)
    const described = {
      variable: `ALCOVE_${name}`,
      group,
      description,
      value: isHidden ? null : value,
      // The documented default, instead of the path resolved in this process.
      standard: name === 'DATA' ? './data' : byDefault,
      isStandard: value === byDefault,
      isSecret: isHidden,
      isSet: value !== null,
    }
    return name === 'OIDC_PROVIDERS' ? [described, ...settings.oidc.providers.flatMap(describeProvider)] : [described]
  })
}

function describeProvider(provider: OidcProvider): DescribedSetting[] {
  return Object.entries(providerRows).map(([suffix, [description, standard, read]]) => {
    const name = settingOfProvider(provider.key, suffix as ProviderSettingName) // a key of the table
    const value = textOf(read(provider))
    return {
      variable: `ALCOVE_${name}`,
      group: 'Sign-in',
      description,
      value: isSecret(name) ? null : value,
      standard: textOf(standard),
      isStandard: value === textOf(standard),
      isSecret: isSecret(name),
      isSet: value !== null,
    }
  })
}

function textOf(value: Value): string | null {
  return value === undefined ? null : String(value)
}
