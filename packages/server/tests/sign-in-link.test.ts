import { describe, expect, onTestFinished, test } from 'vitest'
import { createTestDatabase, startPostgres } from '../src/testing/databases/postgres.ts'
import { runProcess, startProcess, temporaryFolder } from './process.ts'

const provider = {
  ALCOVE_PASSWORDS: 'off',
  ALCOVE_OIDC_PROVIDERS: 'corp',
  // Does not respond.
  ALCOVE_OIDC_CORP_ISSUER: 'https://id.example.invalid',
  ALCOVE_OIDC_CORP_CLIENT_ID: 'alcove',
}

const linkIn = (text: string) => /^ {2}http\S+\/-\/sign_in_link#(\S+)$/m.exec(text)?.[1] ?? ''

async function environment(engine: 'SQLite' | 'PostgreSQL') {
  const env = { ...provider, ALCOVE_DATA: await temporaryFolder() }
  if (engine === 'SQLite') return env
  const postgres = await startPostgres()
  onTestFinished(() => postgres.stop())
  return { ...env, ALCOVE_DATABASE_URL: (await createTestDatabase(postgres)).url }
}

async function redeem(url: string, link: string): Promise<number> {
  return (await fetch(`${url}/-/sessions`, { method: 'POST', body: new URLSearchParams({ link }) })).status
}

describe.for(['SQLite', 'PostgreSQL'] as const)('a link of the command line on %s', (engine) => {
  test('signs in an administrator while the server runs, and when it starts later', async () => {
    const env = await environment(engine)
    const server = await startProcess({ env })
    // The first start prints such a link in place of one that sets a password.
    expect(await redeem(server.url, linkIn(server.stdout))).toBe(201)
    const beside = await runProcess({ env, command: 'admin sign-in-link root' })
    expect(beside).toMatchObject({ code: 0, stderr: expect.stringContaining('sign_in_link.created') })
    expect(await redeem(server.url, linkIn(beside.stdout))).toBe(201)
    expect(await redeem(server.url, linkIn(beside.stdout))).toBe(401)
    expect(await runProcess({ env, command: 'admin sign-in-link omar' })).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('there is no user omar'),
    })
    await server.stop()

    const { stdout } = await runProcess({ env, command: 'admin sign-in-link root' })
    const again = await startProcess({ env })
    expect(await redeem(again.url, linkIn(stdout))).toBe(201)
  })

  test('created beside the server survives a kill of the server', async () => {
    const env = await environment(engine)
    const server = await startProcess({ env })
    const { stdout } = await runProcess({ env, command: 'admin sign-in-link root' })
    await server.kill()
    const again = await startProcess({ env })
    expect(await redeem(again.url, linkIn(stdout))).toBe(201)
  })
})

test('the server does not start without a way to sign in', async () => {
  const env = { ALCOVE_PASSWORDS: 'off', ALCOVE_DATA: await temporaryFolder() }
  expect(await runProcess({ env })).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('ALCOVE_OIDC_PROVIDERS must name a provider'),
  })
})
