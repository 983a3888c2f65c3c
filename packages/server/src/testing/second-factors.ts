import { Secret, TOTP } from 'otpauth'
import { expect } from 'vitest'
import { createAuthenticator } from './authenticator.ts'
import type { Client, Reply } from './client.ts'
import type { TestServer } from './server.ts'

/** Password of every user of the test server. */
export const password = 'correct horse battery'

/** Returns a client with the cookie of the response. */
export function browserOf(server: TestServer, { status, cookies }: Reply): Client {
  expect(status).toBe(201)
  const headers = { cookie: cookies[0]?.split(';')[0] ?? '', 'x-alcove-session': '1', origin: 'http://localhost' }
  const { anonymous } = server
  return {
    get: (path) => anonymous.get(path, { headers }),
    head: (path) => anonymous.head(path, { headers }),
    post: (path, body) => anonymous.post(path, body, { headers }),
    put: (path, body) => anonymous.put(path, body, { headers }),
    patch: (path, body) => anonymous.patch(path, body, { headers }),
    delete: (path, body) => anonymous.delete(path, body, { headers }),
  }
}

export function signIn(server: TestServer, login: string): Promise<Reply> {
  return server.anonymous.post('//-/sessions', { login, password })
}

/** Returns the code of an authenticator app with this secret. */
export function codeAt(secret: string, time: string): string {
  const timestamp = Date.parse(time)
  return TOTP.generate({ secret: Secret.fromBase32(secret), algorithm: 'SHA1', digits: 6, period: 30, timestamp })
}

/** Sets up one-time codes. Returns the secret of the app and the recovery codes. */
export async function setUpTotp(server: TestServer, browser: Client): Promise<{ secret: string; codes: string[] }> {
  const begun = await browser.post('//-/second_factors/totp')
  expect(begun.status).toBe(201)
  const { challenge, secret } = begun.body
  const done = await browser.put('//-/second_factors/totp', { challenge, code: codeAt(secret, server.deps.now()) })
  expect(done.status).toBe(200)
  return { secret, codes: done.body.recovery_codes }
}

/** Adds a passkey of a new authenticator, and returns that. */
export async function addPasskey(browser: Client, name = 'Laptop') {
  const authenticator = createAuthenticator()
  const options = await browser.post('//-/passkeys/options')
  expect(options.status).toBe(201)
  const added = await browser.post('//-/passkeys', { name, credential: authenticator.create(options.body) })
  expect(added.status).toBe(201)
  return { authenticator, added: added.body }
}
