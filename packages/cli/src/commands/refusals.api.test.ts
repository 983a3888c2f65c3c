import { beforeAll, describe, expect, test } from 'vitest'
import { entry, sastReport } from '../../../server/src/testing/reports/reports.ts'
import { folder, run } from '../testing/command-run.ts'
import { type ListeningServer, listeningServer } from '../testing/listening-server.ts'

let server: ListeningServer
beforeAll(async () => {
  server = await listeningServer()
  await server.project('shop/refusals')
})

const list = (env: Record<string, string>, ...args: string[]) =>
  run(['list', '--project', 'shop/refusals', ...args], { env: { ...server.env, ...env } })

/** Runs a command whose requests all get this response. */
const answered = (response: () => Response) =>
  run(['list', '--project', 'shop/refusals'], { env: server.env, fetch: async () => response() })

describe('a refused command names the cause and what to do', () => {
  test('for a wrong token', async () => {
    const { code, stderr } = await list({ ALCOVE_TOKEN: 'misspelled' })
    expect([code, stderr]).toEqual([
      2,
      'alcove: The server rejected the token (401).\n' +
        'Check ALCOVE_TOKEN: it is misspelled, expired or revoked, or belongs to another server. ' +
        'Create a token in the web UI, or sign in with: alcove login\n',
    ])
  })

  test('for a token that was revoked', async () => {
    const nadia = await server.client(await server.user('nadia-of-refusals'), { scopes: ['api'] })
    await nadia.delete('/personal_access_tokens/self')
    const { code, stderr } = await list({ ...server.envOf(nadia) })
    expect([code, stderr]).toEqual([2, expect.stringContaining('rejected the token (401): Token was revoked.')])
  })

  test('for a missing scope', async () => {
    const nils = await server.client(await server.user('nils-of-refusals'), { scopes: ['read_user'] })
    const { code, stderr } = await list({ ...server.envOf(nils) })
    expect(code).toBe(2)
    expect(stderr).toMatch(/The token lacks a scope \(403\)\. It needs .*read_api.*\.\nCreate a token with that scope/)
  })

  test('for a project that does not exist', async () => {
    const { code, stderr } = await list({}, '--project', 'shop/misspelled')
    expect([code, stderr]).toEqual([2, expect.stringContaining('(404): Project Not Found\nCheck the name')])
    expect(stderr).toContain('alcove upload creates a missing project')
    const cwd = await folder({ 'report.json': JSON.stringify(sastReport([entry({})])) })
    const outsider = server.envOf(await server.user('outsider-of-refusals'))
    const upload = await run(['upload', '-p', 'shop/misspelled', 'report.json'], { env: outsider, cwd })
    expect(upload).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('(403): You may not create projects in the group shop'),
    })
  })

  test('for an address of another program', async () => {
    const page = (status: number) => () =>
      new Response('<html><h1>Nothing here</h1></html>', { status, headers: { 'content-type': 'text/html' } })
    const missing = await answered(page(404))
    expect(missing).toMatchObject({ code: 2, stderr: expect.stringContaining('Check the name and ALCOVE_URL') })
    expect(missing.stderr).not.toContain('<')
    const shown = await answered(page(200))
    expect(shown).toMatchObject({ code: 3, stderr: expect.stringContaining('ALCOVE_URL is the address of Alcove') })
  })

  test('for a server that redirects to another address', async () => {
    const moved = await answered(() => {
      const response = Response.json([])
      const url = 'https://alcove.example.com/api/v4/projects/1/vulnerabilities'
      return Object.defineProperties(response, { redirected: { value: true }, url: { value: url } })
    })
    expect(moved.stderr).toContain('redirects to https://alcove.example.com. Set ALCOVE_URL to the address')
    expect(moved.code).toBe(2)
  })

  test('for a pattern without files', async () => {
    const { code, stderr } = await run(['upload', '-p', 'shop/refusals', 'reports/*.sarif'], { env: server.env })
    expect([code, stderr]).toEqual([2, expect.stringContaining('No file matches "reports/*.sarif" in /')])
    expect(stderr).toContain('Check that the scanner ran')
  })
})
