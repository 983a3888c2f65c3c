import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { describeSettings } from './described-settings.ts'
import { readSettings, WrongSettings } from './settings.ts'

const corp = {
  ALCOVE_OIDC_PROVIDERS: 'corp',
  ALCOVE_OIDC_CORP_ISSUER: 'https://id.example.com/realms/corp',
  ALCOVE_OIDC_CORP_CLIENT_ID: 'alcove',
}

function problemsOf(environment: Record<string, string>): readonly string[] {
  try {
    readSettings(environment)
  } catch (error) {
    if (error instanceof WrongSettings) return error.sentences
    throw error
  }
  return []
}

test('a provider needs an issuer and a client id, and has defaults for the rest', () => {
  expect(readSettings(corp).oidc).toEqual({
    reachesPrivate: false,
    providers: [
      {
        key: 'corp',
        name: 'corp',
        issuer: 'https://id.example.com/realms/corp',
        clientId: 'alcove',
        clientAuth: 'client_secret_basic',
        scopes: 'openid profile email',
        readsUserInfo: true,
        usernameClaim: 'preferred_username',
        createsUsers: true,
        linksByEmail: false,
        trustsEmail: false,
        requires: [],
        signsOut: true,
        groupsClaim: 'groups',
        mapping: [],
      },
    ],
  })
  expect(readSettings({}).oidc).toEqual({ providers: [], reachesPrivate: false })
})

test('several providers have settings of their own, with secrets from files', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'alcove-oidc-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  await writeFile(join(folder, 'secret'), 'hush-hush\n')
  const { providers } = readSettings({
    ...corp,
    ALCOVE_OIDC_PROVIDERS: 'corp, google',
    ALCOVE_OIDC_CORP_CLIENT_SECRET_FILE: join(folder, 'secret'),
    ALCOVE_OIDC_GOOGLE_ISSUER: 'https://accounts.google.com',
    ALCOVE_OIDC_GOOGLE_CLIENT_ID: 'x.apps.googleusercontent.com',
    ALCOVE_OIDC_GOOGLE_REQUIRE: 'hd=example.com, hd=example.org',
    ALCOVE_OIDC_GOOGLE_CREATE_USERS: 'false',
  }).oidc
  expect(providers).toMatchObject([
    { key: 'corp', clientSecret: 'hush-hush' },
    {
      key: 'google',
      createsUsers: false,
      requires: [
        { claim: 'hd', value: 'example.com' },
        { claim: 'hd', value: 'example.org' },
      ],
    },
  ])
})

test.each([
  [{ ALCOVE_OIDC_PROVIDERS: 'Corp' }, /^ALCOVE_OIDC_PROVIDERS is "Corp"; allowed is up to 20 different names/],
  [{ ALCOVE_OIDC_PROVIDERS: 'corp,corp' }, /^ALCOVE_OIDC_PROVIDERS is/],
  [{ ALCOVE_OIDC_CORP_ISSUER: '' }, /^ALCOVE_OIDC_CORP_ISSUER is not set; every provider/],
  [{ ALCOVE_OIDC_CORP_CLIENT_ID: ' ' }, /^ALCOVE_OIDC_CORP_CLIENT_ID is not set; every provider/],
  [{ ALCOVE_OIDC_CORP_ISSUER: 'http://id.example.com' }, /^ALCOVE_OIDC_CORP_ISSUER is .*https/],
  [{ ALCOVE_OIDC_CORP_ISSUER: 'https://id.example.com?x' }, /^ALCOVE_OIDC_CORP_ISSUER is .*without query/],
  [{ ALCOVE_OIDC_CORP_SCOPES: 'profile email' }, /^ALCOVE_OIDC_CORP_SCOPES is .*openid/],
  [{ ALCOVE_OIDC_CORP_CLIENT_AUTH: 'none' }, /^ALCOVE_OIDC_CORP_CLIENT_AUTH is .*client_secret_post/],
  [{ ALCOVE_OIDC_CORP_REQUIRE: 'staff' }, /^ALCOVE_OIDC_CORP_REQUIRE is .*hd=example.com/],
  [{ ALCOVE_OIDC_CORP_REQUIRE: 'groups=' }, /^ALCOVE_OIDC_CORP_REQUIRE is/],
  [{ ALCOVE_OIDC_CORP_LINK_BY_EMAIL: 'yes' }, /^ALCOVE_OIDC_CORP_LINK_BY_EMAIL is .*true or false/],
  [{ ALCOVE_OIDC_CORP_CLIENT_SECRET: 'hush-hüsh' }, /^ALCOVE_OIDC_CORP_CLIENT_SECRET is set to something else/],
  [
    { ALCOVE_OIDC_OTHER_ISSUER: 'https://id.example.com' },
    /^ALCOVE_OIDC_OTHER_ISSUER is not a setting; .*_CORP_ISSUER/,
  ],
])('settings with %j stop the start with one sentence', (changed, sentence) => {
  const problems = problemsOf({ ...corp, ...changed })
  const [problem, ...others] = problems.filter((problem) => !problem.includes('CORP_ISSUER is not a setting'))
  expect(problem).toMatch(sentence)
  expect(others.filter((other) => !other.includes('is not a setting'))).toEqual([])
})

test('an issuer without TLS is accepted where private networks are', () => {
  const issuer = 'http://127.0.0.1:8081'
  const environment = { ...corp, ALCOVE_OIDC_CORP_ISSUER: issuer, ALCOVE_OIDC_ALLOW_PRIVATE: 'true' }
  expect(readSettings(environment).oidc).toMatchObject({ reachesPrivate: true, providers: [{ issuer }] })
})

test('administrators see the settings of each provider without its secret', () => {
  const described = describeSettings(readSettings({ ...corp, ALCOVE_OIDC_CORP_CLIENT_SECRET: 'hush-hush' }))
  const find = (name: string) => described.find(({ variable }) => variable === `ALCOVE_OIDC_${name}`)
  expect(find('PROVIDERS')).toMatchObject({ group: 'Sign-in', value: 'corp' })
  expect(find('CORP_ISSUER')).toMatchObject({ value: 'https://id.example.com/realms/corp', isStandard: false })
  expect(find('CORP_CLIENT_SECRET')).toMatchObject({ value: null, isSecret: true, isSet: true })
  expect(find('CORP_CREATE_USERS')).toMatchObject({ value: 'true', isStandard: true })
})
