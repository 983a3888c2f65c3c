import { expect, test } from 'vitest'
import { describeSettings } from './described-settings.ts'
import { readSettings, WrongSettings } from './settings.ts'

const base = { ALCOVE_EXTERNAL_URL: 'https://alcove.example', ALCOVE_MAIL_FROM: 'Alcove <alcove@example.com>' }

function problemsOf(environment: Record<string, string>): readonly string[] {
  try {
    readSettings(environment)
  } catch (error) {
    if (error instanceof WrongSettings) return error.sentences
    throw error
  }
  return []
}

const from = { name: 'Alcove', address: 'alcove@example.com' }

test.each([
  ['smtp://mail.example.com', { host: 'mail.example.com', port: 587, tls: 'if-offered' }],
  ['smtp://mail.example.com:25?starttls=off', { host: 'mail.example.com', port: 25, tls: 'never' }],
  ['smtp://mail.example.com?starttls=required', { host: 'mail.example.com', port: 587, tls: 'starttls' }],
  ['smtps://[::1]/', { host: '::1', port: 465, tls: 'implicit' }],
])('%s is a server without credentials', (url, expected) => {
  const { mail } = readSettings({ ...base, ALCOVE_SMTP_URL: url })
  expect(mail).toEqual({ ...expected, verifiesCertificates: true, from })
})

test('credentials in the URL are decoded and require TLS', () => {
  const url = 'smtp://alcove%40example.com:p%40ss@mail.example.com?verify=false'
  expect(readSettings({ ...base, ALCOVE_SMTP_URL: url }).mail).toEqual({
    host: 'mail.example.com',
    port: 587,
    tls: 'starttls',
    verifiesCertificates: false,
    credentials: { user: 'alcove@example.com', password: 'p@ss' },
    from,
  })
})

test.each([
  'https://mail.example.com',
  'smtp://',
  'smtp://mail.example.com/path',
  'smtp://mail.example.com?tls=yes',
  'smtps://mail.example.com?starttls=off',
  'smtp://user@mail.example.com',
  'smtp://user:%ff@mail.example.com',
  'smtp://user:a%0d%0aQUIT@mail.example.com',
])('%s is refused without being shown', (url) => {
  const [problem = '', ...others] = problemsOf({ ...base, ALCOVE_SMTP_URL: url })
  expect(problem).toMatch(/^ALCOVE_SMTP_URL is set to something else \(not shown/)
  expect(others).toEqual([])
})

test.each(['alcove', 'a@b@c', 'Alcove <alcove@example.com', 'a@example.com, b@example.com', 'A\u0007 <a@example.com>'])(
  '%j is not a sender',
  (text) => {
    expect(problemsOf({ ...base, ALCOVE_SMTP_URL: 'smtp://mail.example.com', ALCOVE_MAIL_FROM: text })).toHaveLength(1)
  },
)

test('a server needs a sender and the address for links', () => {
  expect(problemsOf({ ALCOVE_SMTP_URL: 'smtp://mail.example.com' })).toEqual([
    expect.stringContaining('ALCOVE_MAIL_FROM'),
    expect.stringContaining('ALCOVE_EXTERNAL_URL'),
  ])
})

test('the settings show the sender and that the URL is set', () => {
  const settings = describeSettings(readSettings({ ...base, ALCOVE_SMTP_URL: 'smtp://u:secret@mail.example.com' }))
  const shown = (name: string) => settings.find(({ variable }) => variable === `ALCOVE_${name}`)
  expect(shown('SMTP_URL')).toMatchObject({ value: null, isSet: true, isSecret: true })
  expect(shown('MAIL_FROM')).toMatchObject({ value: base.ALCOVE_MAIL_FROM })
  expect(JSON.stringify(settings)).not.toContain('secret@')
})
