import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { readSettings, type Settings, WrongSettings } from './settings.ts'

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'alcove-settings-'))
})
afterAll(() => rm(folder, { recursive: true, force: true }))

test('every setting is optional', () => {
  const standard = readSettings({})
  expect(standard).toMatchObject({
    host: '127.0.0.1',
    port: 8080,
    dataFolder: resolve('data'),
    maxUploadBytes: 100 * 1024 * 1024,
    triageRole: 'maintainer',
    logLevel: 'info',
  })
  for (const name of ['databaseUrl', 'externalUrl', 'bootstrapToken', 's3']) expect(standard).not.toHaveProperty(name)
  expect(readSettings({ ALCOVE_PORT: '', ALCOVE_S3_BUCKET: '  ', ALCOVE_BOOTSTRAP_TOKEN_FILE: '' })).toEqual(standard)
  expect(readSettings({ PATH: '/bin', ALCOVE_TEST_S3_ENDPOINT: 'http://localhost' })).toEqual(standard)
})

const token = 'bootstrap-token-of-20+'
const signIn = { requests: 30, periodSeconds: 60 }

test.each<[string, string, Partial<Settings>]>([
  ['HOST', '::', { host: '::' }],
  ['PORT', ' 0 ', { port: 0 }],
  ['PORT', '65535', { port: 65_535 }],
  ['DATA', '/var/lib/alcove', { dataFolder: '/var/lib/alcove' }],
  ['DATA', 'here', { dataFolder: resolve('here') }],
  ['DATABASE_URL', 'postgres://user:password@db/alcove', { databaseUrl: 'postgres://user:password@db/alcove' }],
  ['DATABASE_URL', 'postgresql:///alcove', { databaseUrl: 'postgresql:///alcove' }],
  ['EXTERNAL_URL', 'https://alcove.example/files//', { externalUrl: 'https://alcove.example/files' }],
  ['BOOTSTRAP_TOKEN', token, { bootstrapToken: token }],
  ['MAX_UPLOAD_MIB', '1', { maxUploadBytes: 1024 * 1024 }],
  ['MAX_UPLOAD_MIB', '1048576', { maxUploadBytes: 2 ** 40 }],
  ['UNREFERENCED_UPLOAD_DAYS', '90', { unreferencedUploadDays: 90 }],
  ['UPLOAD_LINK_DAYS', '0', { uploadLinkDays: 0 }],
  ['CLAMD', 'scanner.test:3310', { clamd: { address: { host: 'scanner.test', port: 3310 }, holdsPending: false } }],
  ['CLAMD', '[::1]:3310', { clamd: { address: { host: '::1', port: 3310 }, holdsPending: false } }],
  ['CLAMD', 'unix:/run/clamd.ctl', { clamd: { address: { path: '/run/clamd.ctl' }, holdsPending: false } }],
  ['UPLOAD_GRACE_DAYS', '0', { uploadGraceMs: 0 }],
  ['OBJECT_RETENTION_HOURS', '48', { objectRetentionMs: 48 * 60 * 60 * 1000 }],
  ['PROMOTE', 'auto', { promotesByDefault: true }],
  ['TRIAGE_ROLE', 'developer', { triageRole: 'developer' }],
  ['LOG_LEVEL', 'silent', { logLevel: 'silent' }],
  ['AUDIT_DOWNLOADS', 'on', { auditsDownloads: true }],
  ['ADMIN_MODE', 'true', { adminMode: true }],
  ['REQUIRE_SECOND_FACTOR', 'everyone', { requiredSecondFactor: 'everyone' }],
  ['SESSION_IDLE_DAYS', '1', { sessionIdleMs: 24 * 60 * 60 * 1000 }],
  ['METRICS_TOKEN', token, { metricsToken: token }],
  ['RATE_LIMIT_ENDPOINTS', 'true', { rateLimits: { endpoints: true, signIn } }],
  ['RATE_LIMIT_SIGN_IN_REQUESTS', '0', { rateLimits: { endpoints: false } }],
  [
    'RATE_LIMIT_SIGN_IN_PERIOD_SECONDS',
    '600',
    { rateLimits: { endpoints: false, signIn: { requests: 30, periodSeconds: 600 } } },
  ],
  [
    'RATE_LIMIT_AUTHENTICATED_REQUESTS',
    '7200',
    { rateLimits: { authenticated: { requests: 7200, periodSeconds: 3600 }, endpoints: false, signIn } },
  ],
  [
    'RATE_LIMIT_UNAUTHENTICATED_REQUESTS',
    '10',
    { rateLimits: { unauthenticated: { requests: 10, periodSeconds: 3600 }, endpoints: false, signIn } },
  ],
  ['RATE_LIMIT_UNAUTHENTICATED_PERIOD_SECONDS', '60', {}],
  ['TRUSTED_PROXIES', '10.0.0.0/8, ::1 ,', { trustedProxies: ['10.0.0.0/8', '::1'] }],
  ['S3_BUCKET', 'my.bucket-1', { s3: { bucket: 'my.bucket-1', region: 'us-east-1', redirect: false } }],
])('ALCOVE_%s accepts %s', (name, value, expected) => {
  expect(readSettings({ [`ALCOVE_${name}`]: value })).toEqual({ ...readSettings({}), ...expected })
})

test('a bucket can have an endpoint, region and keys', () => {
  const settings = readSettings({
    ALCOVE_S3_BUCKET: 'files',
    ALCOVE_S3_ENDPOINT: 'https://s3.example:9000/',
    ALCOVE_S3_REGION: 'eu-central-1',
    ALCOVE_S3_ACCESS_KEY: 'access',
    ALCOVE_S3_SECRET_KEY: 'secret',
    ALCOVE_S3_REDIRECT: 'true',
  })
  expect(settings.s3).toEqual({
    bucket: 'files',
    endpoint: 'https://s3.example:9000',
    region: 'eu-central-1',
    keys: { access: 'access', secret: 'secret' },
    redirect: true,
  })
})

describe('invalid settings', () => {
  test.each([
    ['PORT', '65536', 'a whole number from 0 to 65535'],
    ['PORT', '80a', 'a whole number from 0 to 65535'],
    ['PORT', '-1', 'a whole number from 0 to 65535'],
    ['PORT', '1e3', 'a whole number from 0 to 65535'],
    ['RATE_LIMIT_AUTHENTICATED_PERIOD_SECONDS', '0', 'a whole number from 1 to 86400'],
    ['TRUSTED_PROXIES', 'proxy.example', 'addresses and networks such as 10.0.0.0/8, with commas'],
    ['TRUSTED_PROXIES', '10.0.0.0/33', 'addresses and networks such as 10.0.0.0/8, with commas'],
    ['EXTERNAL_URL', 'alcove.example', 'an http:// or https:// address'],
    ['EXTERNAL_URL', 'ftp://alcove.example', 'an http:// or https:// address'],
    ['EXTERNAL_URL', 'https://alcove.example?a', 'an http:// or https:// address'],
    ['EXTERNAL_URL', 'https://me@alcove.example', 'an http:// or https:// address'],
    ['MAX_UPLOAD_MIB', '0', 'a whole number from 1 to 1048576'],
    ['MAX_UPLOAD_MIB', '1.5', 'a whole number from 1 to 1048576'],
    ['TRIAGE_ROLE', 'owner', 'maintainer or developer'],
    ['LOG_LEVEL', 'INFO', 'trace or debug or info or warn or error or silent'],
    ['S3_BUCKET', 'My Bucket', 'a name of 3 to 63 lower-case letters, digits, dots and hyphens'],
    ['S3_BUCKET', 'ab', 'a name of 3 to 63 lower-case letters, digits, dots and hyphens'],
    ['S3_BUCKET', '-ab', 'a name of 3 to 63 lower-case letters, digits, dots and hyphens'],
    ['S3_ENDPOINT', 's3.example', 'an http:// or https:// address'],
    ['S3_REGION', 'eu central', 'a name such as eu-central-1'],
    ['S3_REDIRECT', 'yes', 'true or false'],
  ])('ALCOVE_%s rejects %s', (name, value, allowed) => {
    const bucket = name.startsWith('S3_') ? { ALCOVE_S3_BUCKET: 'files' } : {}
    expect(problemsOf({ ...bucket, [`ALCOVE_${name}`]: value })).toEqual([
      `ALCOVE_${name} is ${JSON.stringify(value)}; allowed is ${allowed}.`,
    ])
  })

  test.each([
    ['DATABASE_URL', 'mysql://hush-hush', 'an address such as postgres://user@host/database'],
    ['BOOTSTRAP_TOKEN', 'hush-hush', 'at least 20 printable ASCII characters without blanks'],
    ['BOOTSTRAP_TOKEN', 'hush-hush hush-hush hush-hush', 'at least 20 printable ASCII characters without blanks'],
    ['S3_ACCESS_KEY', 'hush hush', 'printable ASCII characters without blanks'],
    ['S3_SECRET_KEY', 'hüsh-hush', 'printable ASCII characters without blanks'],
  ])('ALCOVE_%s rejects %s without repeating it', (name, value, allowed) => {
    const s3 = { ALCOVE_S3_BUCKET: 'files', ALCOVE_S3_ACCESS_KEY: 'access', ALCOVE_S3_SECRET_KEY: 'secret' }
    const problems = problemsOf({ ...(name.startsWith('S3_') && s3), [`ALCOVE_${name}`]: value })
    expect(problems).toEqual([
      `ALCOVE_${name} is set to something else (not shown, it is a secret); allowed is ${allowed}.`,
    ])
    expect(problems.join()).not.toContain('hush')
  })

  test('are reported all at once, one sentence each', () => {
    const environment = { ALCOVE_PORT: 'x', ALCOVE_TRIAGE_ROLE: 'x', ALCOVE_S3_BUCKET: 'x', ALCOVE_PROT: '80' }
    const problems = problemsOf(environment)
    expect(problems).toHaveLength(4)
    for (const name of ['PORT', 'TRIAGE_ROLE', 'S3_BUCKET', 'PROT']) {
      expect(problems.filter((problem) => problem.startsWith(`ALCOVE_${name} is `))).toHaveLength(1)
    }
    expect(new WrongSettings(problems).message).toBe(problems.join('\n'))
  })

  test('list the available settings when a name is unknown', () => {
    const [problem, ...others] = problemsOf({ ALCOVE_MAX_UPLOAD: '5' })
    expect(others).toEqual([])
    expect(problem).toMatch(/^ALCOVE_MAX_UPLOAD is not a setting; there are .*ALCOVE_MAX_UPLOAD_MIB.*ALCOVE_S3_BUCKET/)
  })
})

describe('an incomplete bucket', () => {
  test('is reported when its name is missing', () => {
    const keys = { ALCOVE_S3_ACCESS_KEY: 'hush-hush', ALCOVE_S3_SECRET_KEY: 'hush-hush' }
    expect(problemsOf({ ALCOVE_S3_ENDPOINT: 'http://localhost', ...keys })).toEqual([
      'ALCOVE_S3_BUCKET is not set; allowed is the name of a bucket when there is ALCOVE_S3_ENDPOINT, ALCOVE_S3_ACCESS_KEY, ALCOVE_S3_SECRET_KEY.',
    ])
    expect(problemsOf({ ALCOVE_S3_REDIRECT: 'false' })).toEqual([
      'ALCOVE_S3_BUCKET is not set; allowed is the name of a bucket when there is ALCOVE_S3_REDIRECT.',
    ])
  })

  test.each([
    ['ACCESS', 'SECRET'],
    ['SECRET', 'ACCESS'],
  ])('is reported when only the %s key is set', (given, missing) => {
    expect(problemsOf({ ALCOVE_S3_BUCKET: 'files', [`ALCOVE_S3_${given}_KEY`]: 'hush-hush' })).toEqual([
      `ALCOVE_S3_${missing}_KEY is not set; allowed is to set both, or neither, when there is ALCOVE_S3_${given}_KEY.`,
    ])
  })
})

describe('a secret in a file', () => {
  const file = async (name: string, content: string) => {
    const path = join(folder, name)
    await writeFile(path, content)
    return path
  }

  test('is read without surrounding whitespace', async () => {
    const settings = readSettings({
      ALCOVE_DATABASE_URL_FILE: await file('database', '\npostgres://db/alcove\n'),
      ALCOVE_BOOTSTRAP_TOKEN_FILE: await file('token', `${token}\n`),
      ALCOVE_S3_BUCKET: 'files',
      ALCOVE_S3_ACCESS_KEY_FILE: await file('access', 'access\r\n'),
      ALCOVE_S3_SECRET_KEY_FILE: await file('secret', ' secret '),
    })
    expect(settings).toMatchObject({
      databaseUrl: 'postgres://db/alcove',
      bootstrapToken: token,
      s3: { keys: { access: 'access', secret: 'secret' } },
    })
  })

  test('is rejected when the variable is set too', async () => {
    const path = await file('twice', token)
    expect(problemsOf({ ALCOVE_BOOTSTRAP_TOKEN: token, ALCOVE_BOOTSTRAP_TOKEN_FILE: path })).toEqual([
      'ALCOVE_BOOTSTRAP_TOKEN and ALCOVE_BOOTSTRAP_TOKEN_FILE are both set; one of them is allowed.',
    ])
  })

  test('requires a readable file that is not empty', async () => {
    const missing = join(folder, 'missing')
    expect(problemsOf({ ALCOVE_BOOTSTRAP_TOKEN_FILE: missing })).toEqual([
      `ALCOVE_BOOTSTRAP_TOKEN_FILE is ${JSON.stringify(missing)}; allowed is a file that can be read.`,
    ])
    const empty = await file('empty', '\n')
    expect(problemsOf({ ALCOVE_BOOTSTRAP_TOKEN_FILE: empty })).toHaveLength(1)
    const s3 = { ALCOVE_S3_BUCKET: 'files', ALCOVE_S3_ACCESS_KEY: 'access' }
    expect(problemsOf({ ...s3, ALCOVE_S3_SECRET_KEY_FILE: empty })).toHaveLength(1)
  })

  test('is available for secrets only', async () => {
    expect(problemsOf({ ALCOVE_PORT_FILE: await file('port', '80') })[0]).toContain('ALCOVE_PORT_FILE is not a setting')
  })
})

function problemsOf(environment: Record<string, string>): readonly string[] {
  try {
    readSettings(environment)
  } catch (error) {
    if (error instanceof WrongSettings) return error.sentences
    throw error
  }
  return []
}
