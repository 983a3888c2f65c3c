import { readSettings, type SettingName, type Settings, secrets } from './settings.ts'

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
const rows: Record<SettingName, Row> = {
  HOST: ['Network', 'The address that the server listens on.', (s) => s.host],
  PORT: ['Network', 'The port that it listens on.', (s) => s.port],
  EXTERNAL_URL: [
    'Network',
    'What links in answers and webhooks begin with. Not set: the address that each client asked.',
    (s) => s.externalUrl,
  ],
  TRUSTED_PROXIES: [
    'Network',
    'The proxies whose word on where a request comes from is believed. Not set: nobody’s.',
    (s) => s.trustedProxies.join(', ') || undefined,
  ],
  DRAIN_DELAY_SECONDS: [
    'Network',
    'Seconds for which a stopping process still serves while /-/ready answers 503. Not set: 5 with PostgreSQL, else 0.',
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
  DATA: ['Storage', 'The data folder.', (s) => s.dataFolder],
  DATABASE_URL: ['Storage', 'The address of PostgreSQL. Not set: SQLite in the data folder.', (s) => s.databaseUrl],
  S3_BUCKET: ['Storage', 'The bucket that files are kept in. Not set: the data folder.', (s) => s.s3?.bucket],
  S3_ENDPOINT: ['Storage', 'The service that has the bucket. Not set: AWS.', (s) => s.s3?.endpoint],
  S3_REGION: ['Storage', 'The region of the bucket.', (s) => s.s3?.region],
  S3_ACCESS_KEY: ['Storage', 'The key to the bucket. Not set: what the machine has.', (s) => s.s3?.keys?.access],
  S3_SECRET_KEY: ['Storage', 'The secret that belongs to the key.', (s) => s.s3?.keys?.secret],
  S3_REDIRECT: [
    'Storage',
    'Whether downloads are answered with a short-lived address in the bucket.',
    (s) => s.s3?.redirect ?? false,
  ],
  MAX_UPLOAD_MIB: ['Limits', 'The largest file, in MiB.', (s) => s.maxUploadBytes / mib],
  MAX_REPORT_MIB: ['Limits', 'The largest report of a scanner, in MiB.', (s) => s.maxReportBytes / mib],
  MAX_WAITING_REPORTS_OF_PROJECT: [
    'Limits',
    'How many reports of one project may wait to be imported.',
    (s) => s.maxWaitingReports.ofProject,
  ],
  MAX_WAITING_REPORTS_OF_USER: [
    'Limits',
    'How many reports of one user may wait to be imported.',
    (s) => s.maxWaitingReports.ofUser,
  ],
  MAX_WAITING_REPORTS_MIB: [
    'Limits',
    'The size of all waiting reports of one project, or of one user, in MiB.',
    (s) => s.maxWaitingReports.bytes / mib,
  ],
  FAILED_REPORT_DAYS: [
    'Limits',
    'How many days the report of an import is kept that failed because of an error of the server.',
    (s) => s.failedReportMs / dayMs,
  ],
  RATE_LIMIT_AUTHENTICATED_REQUESTS: [
    'Limits',
    'How many requests of one user are answered in a period. 0: any number.',
    (s) => s.rateLimits.authenticated?.requests ?? 0,
  ],
  RATE_LIMIT_AUTHENTICATED_PERIOD_SECONDS: [
    'Limits',
    'How long that period is, in seconds.',
    (s) => s.rateLimits.authenticated?.periodSeconds ?? standardPeriod,
  ],
  RATE_LIMIT_UNAUTHENTICATED_REQUESTS: [
    'Limits',
    'How many requests from one address are answered in a period when nobody is signed in. 0: any number.',
    (s) => s.rateLimits.unauthenticated?.requests ?? 0,
  ],
  RATE_LIMIT_UNAUTHENTICATED_PERIOD_SECONDS: [
    'Limits',
    'How long that period is, in seconds.',
    (s) => s.rateLimits.unauthenticated?.periodSeconds ?? standardPeriod,
  ],
  RATE_LIMIT_SIGN_IN_REQUESTS: [
    'Limits',
    'How many attempts at a password from one address are answered in a period. 0: any number.',
    (s) => s.rateLimits.signIn?.requests ?? 0,
  ],
  RATE_LIMIT_SIGN_IN_PERIOD_SECONDS: [
    'Limits',
    'The length of that period, in seconds.',
    (s) => s.rateLimits.signIn?.periodSeconds ?? standardSignInPeriod,
  ],
  RATE_LIMIT_ENDPOINTS: [
    'Limits',
    'Whether the addresses for which GitLab has limits of their own have them here.',
    (s) => s.rateLimits.endpoints,
  ],
  OBJECT_RETENTION_HOURS: [
    'Rules',
    'How many hours a file is kept after it was removed, so that a restored backup still has it.',
    (s) => s.objectRetentionMs / (60 * 60 * 1000),
  ],
  UPLOAD_GRACE_DAYS: ['Rules', 'How many days a deleted upload can be restored.', (s) => s.uploadGraceMs / dayMs],
  TRIAGE_ROLE: ['Rules', 'From which role on people triage vulnerabilities.', (s) => s.triageRole],
  TOPIC_CREATION: ['Rules', 'Who makes a topic by giving a project a name that no topic has.', (s) => s.topicCreation],
  TOPIC_UNDO_DAYS: ['Rules', 'How many days a merge of topics can be undone.', (s) => s.topicUndoMs / dayMs],
  ADMIN_MODE: ['Security', 'Whether administrators have to ask for their rights.', (s) => s.adminMode],
  BOOTSTRAP_TOKEN: [
    'Security',
    'The token of the first administrator. It counts at the first start only.',
    (s) => s.bootstrapToken,
  ],
  SESSION_IDLE_DAYS: [
    'Security',
    'After how many days without a request a signed-in browser is signed out.',
    (s) => s.sessionIdleMs / dayMs,
  ],
  METRICS_TOKEN: [
    'Security',
    'The token for /-/metrics. Not set: only clients on this machine can read them.',
    (s) => s.metricsToken,
  ],
  LOG_LEVEL: ['Log', 'How much is logged.', (s) => s.logLevel],
}

/** Default periods, for settings without a rate limit, which have no period. */
const standardPeriod = 3600
const standardSignInPeriod = 60
const standard = readSettings({})

/** Returns the configured and default values. For secrets only whether they are set. */
export function describeSettings(settings: Settings): DescribedSetting[] {
  return Object.entries(rows).map(([name, [group, description, read]]) => {
    const isSecret = secrets.some((secret) => secret === name)
    const value = textOf(read(settings))
    const byDefault = textOf(read(standard))
    const isStandard = value === byDefault
    return {
      variable: `ALCOVE_${name}`,
      group,
      description,
      value: isSecret ? null : value,
      // The documented default, instead of the path resolved in this process.
      standard: name === 'DATA' ? './data' : byDefault,
      isStandard,
      isSecret,
      isSet: value !== null,
    }
  })
}

function textOf(value: Value): string | null {
  return value === undefined ? null : String(value)
}
