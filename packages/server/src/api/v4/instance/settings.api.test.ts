import { expect, test } from 'vitest'
import { readSettings } from '../../../platform/settings/settings.ts'
import { startServer } from '../../../testing/server.ts'

const environment = {
  ALCOVE_DATABASE_URL: 'postgres://somebody:very-secret@db.example/alcove',
  ALCOVE_BOOTSTRAP_TOKEN: 'a-very-secret-bootstrap-token',
  ALCOVE_S3_BUCKET: 'files-of-alcove',
  ALCOVE_S3_ACCESS_KEY: 'very-secret-access',
  ALCOVE_S3_SECRET_KEY: 'very-secret-key',
  ALCOVE_LOG_LEVEL: 'silent',
  ALCOVE_MAX_UPLOAD_MIB: '7',
  ALCOVE_TRUSTED_PROXIES: '10.0.0.0/8,192.0.2.1',
  ALCOVE_RATE_LIMIT_AUTHENTICATED_REQUESTS: '600',
  ALCOVE_RATE_LIMIT_AUTHENTICATED_PERIOD_SECONDS: '60',
}

test('settings are listed with variable and description; secrets show only whether they are set', async () => {
  const { bootstrapToken: _, ...settings } = readSettings(environment)
  const server = await startServer({ settings })
  const { status, body, text } = await server.admin.get('/admin/settings')
  expect(status).toBe(200)
  expect(text).not.toContain('very-secret')
  const setting = (name: string) => body.find(({ variable }: { variable: string }) => variable === `ALCOVE_${name}`)
  expect(setting('MAX_UPLOAD_MIB')).toEqual({
    variable: 'ALCOVE_MAX_UPLOAD_MIB',
    group: 'Limits',
    description: 'Maximum size of an uploaded file, in MiB.',
    value: '7',
    default: '100',
    is_default: false,
    is_secret: false,
    is_set: true,
  })
  expect(setting('MAX_REPORT_MIB')).toMatchObject({ value: '512', default: '512', is_default: true })
  expect(setting('TRUSTED_PROXIES')).toMatchObject({ value: '10.0.0.0/8, 192.0.2.1', default: null })
  expect(setting('RATE_LIMIT_AUTHENTICATED_PERIOD_SECONDS')).toMatchObject({ value: '60', default: '3600' })
  expect(setting('DATA')).toMatchObject({ default: './data', is_default: true })
  expect(setting('EXTERNAL_URL')).toMatchObject({ value: null, is_set: false, is_default: true })
  for (const secret of ['DATABASE_URL', 'BOOTSTRAP_TOKEN', 'S3_ACCESS_KEY', 'S3_SECRET_KEY']) {
    expect(setting(secret)).toMatchObject({ value: null, default: null, is_secret: true, is_set: true })
  }
  // These values are also visible in the environment.
  const shown = Object.fromEntries(
    body.flatMap(({ variable, value }: { variable: string; value: string | null }) =>
      value === null ? [] : [[variable, value]],
    ),
  )
  const secret = ({ bootstrapToken, databaseUrl, s3, ...rest }: ReturnType<typeof readSettings>) => [
    rest,
    s3?.bucket,
    s3?.region,
  ]
  expect(secret(readSettings(shown))).toEqual(secret(readSettings(environment)))
})

test("settings are also available under the names of GitLab's application settings", async () => {
  const { bootstrapToken: _, ...settings } = readSettings({
    ...environment,
    ALCOVE_REQUIRE_SECOND_FACTOR: 'administrators',
  })
  const server = await startServer({ settings })
  const { status, body } = await server.admin.get('/application/settings')
  expect(status).toBe(200)
  expect(body).toMatchObject({
    default_branch_protection: 2,
    signup_enabled: false,
    max_attachment_size: 7,
    require_two_factor_authentication: false,
    require_admin_two_factor_authentication: true,
    throttle_authenticated_api_enabled: true,
    throttle_authenticated_api_requests_per_period: 600,
    throttle_authenticated_api_period_in_seconds: 60,
  })
  const user = await server.user('nadia')
  expect((await user.get('/application/settings')).status).toBe(403)
  expect((await server.anonymous.get('/application/settings')).status).toBe(401)
  // The settings are read from the environment, so a change through the API is refused.
  expect((await server.admin.put('/application/settings', { signup_enabled: true })).status).toBe(405)
})
