import { createHmac } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { createClient, formWithFile } from '../../../testing/client.ts'
import { onSqlite } from '../../../testing/databases/database.ts'
import { entry, sastReport } from '../../../testing/reports/reports.ts'
import { startServer as start, type TestOptions, type TestServer } from '../../../testing/server.ts'
import { type Issuer, startIssuer } from '../../../testing/stand-ins/issuer.ts'

const clock = { now: '2026-02-14T12:00:00.000Z' }
const audience = 'https://alcove.test'
const unauthorized = { status: 401, body: { message: '401 Unauthorized' } }
const later = (seconds: number) => new Date(Date.parse(clock.now) + seconds * 1000).toISOString()
const inSeconds = (seconds: number) => Math.floor(Date.parse(clock.now) / 1000) + seconds

/** A server whose project trusts an issuer, and a function that sends a report with a token. */
async function world({ terms = {}, ...options }: TestOptions & { terms?: object } = {}) {
  clock.now = '2026-02-14T12:00:00.000Z'
  const { settings, ...rest } = options
  const server = await start({ clock, ...rest, settings: { webhooksReachPrivate: true, ...settings } })
  const issuer = await startIssuer(() => clock.now)
  const project = await server.project('acme/site')
  const path = `/projects/${project.id}/trust_relations`
  const draft = { name: 'GitLab', issuer: issuer.url, audience, claims: { project_path: 'acme/*' }, ...terms }
  const created = await server.admin.post(path, draft)
  expect(created.status).toBe(201)
  return {
    ...{ server, issuer, project, path, relation: created.body },
    send: (token: string, fields?: Record<string, string>) => sendReport(server, project.id, token, fields),
  }
}

function sendReport(server: TestServer, projectId: number, token: string, fields: Record<string, string> = {}) {
  const report = JSON.stringify(sastReport([entry({ name: 'flaw', line: 1 })]))
  const headers = { authorization: `Bearer ${token}` }
  const form = formWithFile('file', 'report.json', report, { ref: 'feature', ...fields })
  return server.anonymous.post(`/projects/${projectId}/security_reports`, form, { headers })
}

const pipeline = { project_path: 'acme/site', ref_protected: 'false', sub: 'project_path:acme/site' }
const encode = (value: unknown) =>
  Buffer.from(typeof value === 'string' ? value : JSON.stringify(value)).toString('base64url')

describe('a token of a trusted issuer', () => {
  test.runIf(onSqlite)('sends reports as the bot of the relation, and nothing else', async () => {
    const { server, issuer, project, relation, send, path } = await world()
    const token = await issuer.sign(pipeline)
    const sent = await send(token)
    expect(sent).toMatchObject({ status: 201, body: { status: 'done', ref: 'feature', user_id: relation.user_id } })
    const client = createClient(server.app, { token })
    const read = await client.get(`/projects/${project.id}/security_reports/${sent.body.id}`)
    expect(read.status).toBe(200)
    expect((await client.get(`/projects/${project.id}`)).status).toBe(403)
    expect((await client.get('/user')).status).toBe(403)
    expect((await client.get('/personal_access_tokens/self')).status).toBe(400)
    expect((await client.delete('/personal_access_tokens/self')).status).toBe(400)
    expect((await client.post(path, {})).status).toBe(403)
    const uses = async () => (await server.admin.get(`${path}/${relation.id}`)).body.last_used_at
    await expect.poll(uses).toBe(clock.now)
    expect(issuer.requests()).toEqual(['/.well-known/openid-configuration', '/jwks'])
  })

  test.runIf(onSqlite)('has the role and the scopes of the relation', async () => {
    const { server, issuer, project } = await world({ terms: { scopes: ['api'], access_level: 20 } })
    const client = createClient(server.app, { token: await issuer.sign(pipeline) })
    expect((await client.get('/user')).body).toMatchObject({ bot: true, name: 'GitLab' })
    expect((await client.get(`/projects/${project.id}`)).body.permissions).toMatchObject({
      project_access: { access_level: 20 },
    })
    expect((await client.get(`/projects/${project.id}/vulnerabilities`)).status).toBe(403)
    expect((await client.post('//-/sessions', { token: client.token })).status).toBe(401)
  })

  test.runIf(onSqlite)('reports for the default branch only with the claims that this requires', async () => {
    const { issuer, send, server, project, path, relation } = await world()
    // The relation has its own rule, so the role that the project requires of users does not apply.
    await server.admin.put(`/projects/${project.id}`, { default_branch_report_role: 'maintainer' })
    const unprotected = await issuer.sign(pipeline)
    const isProtected = await issuer.sign({ ...pipeline, ref_protected: 'true' })
    for (const fields of [{ ref: 'main' }, { ref: 'main', dry_run: 'true' }]) {
      const refused = await send(unprotected, fields)
      expect(refused.status).toBe(403)
      expect(refused.body.message).toContain('does not permit this token to report for the default branch main')
      expect((await send(isProtected, fields)).status).toBe(201)
    }
    const claims = { ref: 'main', ref_protected: ['true'] }
    expect((await server.admin.put(`${path}/${relation.id}`, { default_branch_claims: claims })).status).toBe(200)
    expect((await send(isProtected, { ref: 'main' })).status).toBe(403)
    const ofMain = await issuer.sign({ ...pipeline, ref: 'main', ref_protected: true })
    expect((await send(ofMain, { ref: 'main' })).status).toBe(201)
    expect((await server.admin.put(`${path}/${relation.id}`, { default_branch_claims: {} })).status).toBe(200)
    expect((await send(unprotected, { ref: 'main' })).status).toBe(201)
  })

  test('is refused from the next request after the relation is deleted or its bot is blocked', async () => {
    const { server, issuer, send, path, relation } = await world()
    const token = await issuer.sign(pipeline)
    expect((await send(token)).status).toBe(201)
    await server.admin.post(`/users/${relation.user_id}/block`)
    expect((await send(token)).status).toBe(403)
    await server.admin.post(`/users/${relation.user_id}/unblock`)
    expect((await send(token)).status).toBe(201)
    expect((await server.admin.delete(`${path}/${relation.id}`)).status).toBe(204)
    expect(await send(token)).toMatchObject(unauthorized)
    expect((await server.admin.get(`/users/${relation.user_id}`)).status).toBe(404)
  })

  test.runIf(onSqlite)('is verified with keys of the relation without a request to the issuer', async () => {
    const { server, issuer, send, path, relation } = await world()
    const { body } = await server.admin.put(`${path}/${relation.id}`, { jwks: issuer.keys() })
    expect(body).toMatchObject({ jwks: issuer.keys(), jwks_url: null })
    expect((await send(await issuer.sign(pipeline))).status).toBe(201)
    await issuer.rotate()
    expect(await send(await issuer.sign(pipeline))).toMatchObject(unauthorized)
    expect(issuer.requests()).toEqual([])
  })

  test.runIf(onSqlite).each(['PS256', 'ES256', 'EdDSA'])('can be signed with %s', async (alg) => {
    const { server, path, send } = await world()
    const other = await startIssuer(() => clock.now, alg)
    const draft = { name: 'x', issuer: other.url, audience, claims: { sub: '*:acme/*' }, jwks_url: other.jwksUrl }
    expect((await server.admin.post(path, draft)).status).toBe(201)
    expect((await send(await other.sign(pipeline))).status).toBe(201)
    expect(other.requests()).toEqual(['/jwks'])
  })
})

describe.runIf(onSqlite)('a token that is', () => {
  type Forge = (issuer: Issuer) => Promise<string> | string
  const withPayload =
    (change: (json: string) => string): Forge =>
    async (issuer) => {
      const [head, body = '', signature] = (await issuer.sign(pipeline)).split('.')
      return [head, encode(change(Buffer.from(body, 'base64url').toString())), signature].join('.')
    }
  const forgeries: [string, Forge][] = [
    ['for another audience', (issuer) => issuer.sign({ ...pipeline, aud: 'https://other.test' })],
    ['without an audience', (issuer) => issuer.sign({ ...pipeline, aud: undefined })],
    ['of another issuer', (issuer) => issuer.sign({ ...pipeline, iss: 'https://evil.test' })],
    ['without an issuer', (issuer) => issuer.sign({ ...pipeline, iss: undefined })],
    ['of another project', (issuer) => issuer.sign({ ...pipeline, project_path: 'evil/site' })],
    ['without the claim', (issuer) => issuer.sign({ ...pipeline, project_path: undefined })],
    ['not yet valid', (issuer) => issuer.sign({ ...pipeline, nbf: inSeconds(61) })],
    ['issued in the future', (issuer) => issuer.sign({ ...pipeline, iat: inSeconds(61) })],
    ['without an end', (issuer) => issuer.sign({ ...pipeline, exp: undefined })],
    ['without a time of issue', (issuer) => issuer.sign({ ...pipeline, iat: undefined })],
    ['of an unknown key', (issuer) => issuer.sign(pipeline, { kid: 'other' })],
    ['longer than 8 KiB', (issuer) => issuer.sign({ ...pipeline, padding: 'x'.repeat(8 * 1024) })],
    ['without a signature', (issuer) => `${encode({ alg: 'none' })}.${encode({ ...claimsOf(issuer) })}.`],
    ['of algorithm none with a signature', (issuer) => `${encode({ alg: 'none' })}.${encode(claimsOf(issuer))}.AAAA`],
    ['signed with the public key as a secret', hmac],
    ['changed after it was signed', withPayload((json) => json.replace('"false"', '"true"'))],
    ['with a repeated claim', withPayload((json) => json.replace('{', '{"project_path":"evil/site",'))],
    ['with a repeated claim in escapes', withPayload((json) => json.replace('{', '{"project_pat\\u0068":"evil",'))],
    ['not JSON', withPayload(() => 'text')],
    ['a list', withPayload(() => '[]')],
  ]

  function claimsOf({ url }: Issuer) {
    return { iss: url, aud: audience, iat: inSeconds(0), exp: inSeconds(600), ...pipeline }
  }

  function hmac(issuer: Issuer): string {
    const text = `${encode({ alg: 'HS256', kid: 'key-0' })}.${encode(claimsOf(issuer))}`
    const [key] = issuer.keys().keys
    return `${text}.${createHmac('sha256', JSON.stringify(key)).update(text).digest('base64url')}`
  }

  test('forged in any way is refused', async () => {
    const { issuer, send } = await world()
    for (const [name, forge] of forgeries) expect(await send(await forge(issuer)), name).toMatchObject(unauthorized)
    expect((await send(await issuer.sign(pipeline))).status).toBe(201)
  })

  test('expired is refused after a tolerance of a minute, and this is stated', async () => {
    const { issuer, send } = await world()
    const token = await issuer.sign(pipeline)
    clock.now = later(659)
    expect((await send(token)).status).toBe(201)
    clock.now = later(1)
    expect(await send(token)).toMatchObject({ status: 401, body: { error: 'invalid_token' } })
  })

  test('older than a day is refused however long it is valid', async () => {
    const { issuer, send } = await world()
    const token = await issuer.sign({ ...pipeline, exp: inSeconds(7 * 24 * 3600) })
    clock.now = later(24 * 3600)
    expect((await send(token)).status).toBe(201)
    clock.now = later(61)
    expect((await send(token)).status).toBe(401)
  })
})

describe('the keys of an issuer', () => {
  test('are loaded again for an unknown key, at most twice a minute', async () => {
    const { issuer, send } = await world()
    const loads = () => issuer.requests().filter((path) => path === '/jwks').length
    expect((await send(await issuer.sign(pipeline))).status).toBe(201)
    await issuer.rotate()
    const token = await issuer.sign(pipeline)
    expect((await send(token)).status).toBe(401)
    expect(loads()).toBe(1)
    clock.now = later(30)
    expect((await send(token)).status).toBe(201)
    for (const kid of ['a', 'b', 'c']) expect((await send(await issuer.sign(pipeline, { kid }))).status).toBe(401)
    expect(loads()).toBe(2)
  })

  test('are requested once by concurrent requests, and not again for half a minute after a failure', async () => {
    const { issuer, send } = await world()
    const token = await issuer.sign(pipeline)
    issuer.fail(503)
    const refused = await Promise.all(Array.from({ length: 5 }, () => send(token)))
    expect(refused.map(({ status }) => status)).toEqual([401, 401, 401, 401, 401])
    expect(issuer.requests()).toHaveLength(1)
    issuer.fail(200)
    expect((await send(token)).status).toBe(401)
    clock.now = later(30)
    expect((await send(token)).status).toBe(201)
  })

  test.runIf(onSqlite)('stay usable for a day while the issuer does not respond', async () => {
    const { issuer, send } = await world()
    const sign = () => issuer.sign(pipeline)
    expect((await send(await sign())).status).toBe(201)
    issuer.fail(500)
    clock.now = later(23 * 3600)
    expect((await send(await sign())).status).toBe(201)
    clock.now = later(2 * 3600)
    expect((await send(await sign())).status).toBe(401)
  })

  test.runIf(onSqlite)('are not requested from private addresses unless the setting allows it', async () => {
    const { server, path, relation, issuer, send } = await world()
    Object.assign(server.deps.settings, { webhooksReachPrivate: false })
    expect((await send(await issuer.sign(pipeline))).status).toBe(401)
    expect(issuer.requests()).toEqual([])
    for (const jwksUrl of [issuer.jwksUrl, 'https://127.0.0.1/jwks', 'https://localhost/jwks', 'http://example.com/']) {
      expect(await server.admin.put(`${path}/${relation.id}`, { jwks_url: jwksUrl })).toMatchObject({
        status: 400,
        body: { message: { jwks_url: ['is not a usable HTTPS address'] } },
      })
    }
  })
})

describe('several relations that match a token', () => {
  test.runIf(onSqlite)('authenticate the bot that has access to the project of the request', async () => {
    const { server, issuer, project, relation, send } = await world()
    const other = await server.project('acme/other')
    const draft = { name: 'x', issuer: issuer.url, audience, claims: { project_path: 'acme/*' } }
    const second = await server.admin.post(`/projects/${other.id}/trust_relations`, draft)
    const token = await issuer.sign(pipeline)
    expect((await send(token)).body.user_id).toBe(relation.user_id)
    expect((await sendReport(server, other.id, token)).body.user_id).toBe(second.body.user_id)

    const group = `/groups/${project['namespace'].id}/trust_relations`
    const above = await server.admin.post(group, { ...draft, access_level: 40 })
    expect((await send(token)).body.user_id).toBe(above.body.user_id)
  })

  test('do not wait for an issuer of another project', async () => {
    const { server, issuer, send } = await world()
    const attacker = await server.project('evil/site')
    const hanging = {
      name: 'x',
      issuer: issuer.url,
      audience,
      claims: { sub: '*acme*' },
      jwks_url: 'http://10.255.255.1/',
    }
    expect((await server.admin.post(`/projects/${attacker.id}/trust_relations`, hanging)).status).toBe(201)
    const started = performance.now()
    expect((await send(await issuer.sign(pipeline))).status).toBe(201)
    expect(performance.now() - started).toBeLessThan(4_000)
  })
})
