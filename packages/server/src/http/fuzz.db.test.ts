import { createHash } from 'node:crypto'
import { Agent } from 'node:http'
import type { AddressInfo } from 'node:net'
import { crc32 } from 'node:zlib'
import fc from 'fast-check'
import sql, { empty, join, raw } from 'sql-template-tag'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type PermissionRow, permissions } from '../domain/access/permissions.ts'
import { importKind } from '../domain/reports/imports/run-imports.ts'
import { promotionKind } from '../domain/vulnerabilities/promotion/bulk-promotion.ts'
import { routes } from '../routes.ts'
import { formWithFile } from '../testing/client.ts'
import { testEngine } from '../testing/databases/database.ts'
import { type Answer, type HostileRequest, requestsTo, send } from '../testing/hostile/requests.ts'
import { entry, sastReport } from '../testing/reports/reports.ts'
import { startServer, type TestServer } from '../testing/server.ts'
import { addressOf, isFileOutput, metricsOutput, type Route } from './route.ts'

const chosenRuns = process.env['ALCOVE_TEST_FUZZ_RUNS']
/** Requests per route. Fewer on SQLite, because what PostgreSQL refuses in a statement SQLite accepts. */
const runs = Number(chosenRuns ?? (testEngine === 'postgres' ? 25 : 6))
/** Number of requests after which a route that had a success gets no more. */
const enough = chosenRuns === undefined ? 10 : runs
const firstSeed = Number(process.env['ALCOVE_TEST_FUZZ_SEED'] ?? 18)
const callers = ['admin', 'admin', 'admin', 'member', 'member', 'reader', 'browser', 'nobody']

let server: TestServer
let port: number
/** Values of the placeholders `{name}` in requests. */
const words: Record<string, string> = {}
const agent = new Agent({ keepAlive: true, maxSockets: 1 })
const succeeded = new Set<Route>()

beforeAll(async () => {
  // No webhook leaves the machine.
  const resolve = async () => []
  server = await startServer({ settings: { maxUploadBytes: 1024 * 1024, logLevel: 'error' }, resolve })
  await server.app.listen({ port: 0, host: '127.0.0.1' })
  port = (server.app.server.address() as AddressInfo).port
  await renew()
})
afterAll(() => agent.destroy())

test.each(routes.map((route) => [`${route.method} ${addressOf(route)}`, route, seedOf(route)] as const))(
  '%s handles random requests without a 500 or partial changes',
  async (_, route, seed) => {
    const row: PermissionRow = permissions[route.permission]
    const target = { ...route, address: addressOf(route), on: row.on }
    let sent = 0
    const property = fc.asyncProperty(requestsTo(target, callers), async (request) => {
      if (++sent > enough && succeeded.has(route)) return
      const before = await everything()
      const answer = await send(agent, port, addressed(request, route))
      assertAnswer(route, request, answer)
      if (answer.status >= 400) expectSame(await everything(), before)
      if (answer.status < 300) succeeded.add(route)
      if (answer.status < 300 && request.method !== 'GET') {
        await jobsDone()
        await renew()
      }
    })
    const outcome = await fc.check(property, { numRuns: runs, seed, endOnFailure: true })
    if (outcome.failed) throw new Error(explain(outcome), { cause: outcome.errorInstance })
  },
)

/**
 * Waits for the imports and promotions that a request has started, because they change rows and remove objects while later
 * requests are refused. The objects of a failed import are removed after its job has ended.
 */
async function jobsDone(): Promise<void> {
  const kinds = [importKind, promotionKind].map(({ kind }) => kind)
  const listRunning = () =>
    server.deps.db.all(sql`
      select id from jobs where kind in (${join(kinds)}) and state in ('waiting', 'running')
      union all select id from pending_deletions`)
  await expect.poll(listRunning).toEqual([])
}

/** Returns a seed from the route's name, so that a new route does not change the requests of the others. */
function seedOf(route: Route): number {
  return firstSeed + (crc32(`${route.method} ${route.path}`) >>> 1)
}

/**
 * Random requests neither contain the right password nor use a session that was confirmed with it, no caller is a bot with
 * a token of its own, no report has held absences, the server has no identity provider and sends no e-mail, no user has a
 * second factor, and no webhook or issue tracker responds.
 */
const rarelySuccessful = [
  'POST /vulnerabilities/:id/dismiss/preview',
  ...['project', 'group'].flatMap((kind) => [
    `GET /${kind}s/:id/avatar`,
    `GET /uploads/-/system/${kind}/avatar/:id/:filename`,
  ]),
  'GET /uploads/-/system/user/avatar/:id/:filename',
  'PUT /user/avatar',
  ...['project', 'group'].flatMap((kind) => [
    `POST /${kind}s/:id/restore`,
    `GET /${kind}s/:id/deploy_tokens/:token_id`,
    `DELETE /${kind}s/:id/deploy_tokens/:token_id`,
  ]),
  ...['project', 'group', 'user'].flatMap((kind) => [
    `GET /${kind}s/:id/custom_attributes/:key`,
    `DELETE /${kind}s/:id/custom_attributes/:key`,
  ]),
  'POST /-/oidc/:provider',
  'GET /-/oidc/:provider/callback',
  'POST /-/oidc/:provider/backchannel_logout',
  'POST /-/sessions/confirm',
  'POST /-/password_links',
  'POST /-/unsubscribe/:token',
  'POST /-/sessions/second_factor',
  'POST /-/sessions/passkey',
  ...['POST', 'PUT', 'DELETE'].map((method) => `${method} /-/second_factors/totp`),
  'POST /-/second_factors/recovery_codes',
  'POST /-/passkeys',
  'POST /-/passkeys/options',
  ...['PUT', 'DELETE'].map((method) => `${method} /-/passkeys/:id`),
  'PATCH /users/:id/disable_two_factor',
  'DELETE /users/:id/identities/:provider',
  ...['open', 'accept', 'account'].map((end) => `POST /-/invitations/${end}`),
  ...['project', 'group'].flatMap((owner) => [
    `PUT /${owner}s/:id/invitations/:email`,
    `DELETE /${owner}s/:id/invitations/:email`,
    `POST /${owner}s/:id/invitations/:email/resend`,
  ]),
  ...['/projects/:id', '/groups/:id', ''].map((base) => `POST ${base}/hooks/:hook_id/test/:trigger`),
  'POST /hooks/:hook_id',
  // Conditions and effects have names of their own.
  ...['/projects/:id', '/groups/:id', ''].flatMap((base) =>
    ['POST #', 'POST #/preview', 'PUT #/:rule_id', 'DELETE #/:rule_id'].map((route) =>
      route.replace('#', `${base}/vulnerability_rules`),
    ),
  ),
  ...['/projects/:id', '/groups/:id', '/admin'].flatMap((base) =>
    ['PUT', 'DELETE'].map((method) => `${method} ${base}/dismissal_templates/:template_id`),
  ),
  ...['projects', 'groups'].map((owner) => `POST /${owner}/:id/issue_tracker/test`),
  'POST /issue_trackers/:tracker_id/events',
  'POST /-/personal_access_tokens',
  'DELETE /projects/:id/refs/:ref',
  'GET /projects/:id/refs/compare',
  ...['projects', 'groups'].map((owner) => `POST /${owner}/:id/access_tokens/self/rotate`),
  ...['apply', 'discard'].map((end) => `POST /projects/:id/security_reports/:report_id/absences/${end}`),
  'PUT /projects/:id/transfer',
  'POST /groups/:id/transfer',
  'GET /projects/:id/dismissal_requests/:request_id',
  ...['approve', 'reject', 'withdraw'].map((end) => `POST /projects/:id/dismissal_requests/:request_id/${end}`),
  ...['/projects/:id', '/groups/:id', ''].flatMap((base) =>
    ['GET', 'PUT', 'DELETE'].map((method) => `${method} ${base}/vulnerability_views/:view_id`),
  ),
  ...['/projects/:id', '/groups/:id', ''].flatMap((base) =>
    ['POST', 'DELETE'].map((method) => `${method} ${base}/vulnerability_views/:view_id/default`),
  ),
  ...['/projects/:id', '/groups/:id'].flatMap((base) =>
    ['GET', 'PUT', 'DELETE'].flatMap((method) => [
      `${method} ${base}/report_schedules/:schedule_id`,
      `${method} ${base}/report_mappings/:mapping_id`,
    ]),
  ),
  'GET /vulnerability_bulk_changes/:bulk_id',
  'POST /vulnerability_bulk_changes/:bulk_id/undo',
  'GET /-/badges/:key',
  'GET /-/links/:token',
  // Without a scanner, which this test does not have.
  'POST /admin/virus_scan',
  'POST /admin/quarantine/:upload_id/release',
  ...['projects', 'groups'].map((owner) => `POST /${owner}/:id/uploads/import`),
  // The uploads of this test are no pictures.
  ...['project', 'group'].flatMap((owner) => [
    `GET /${owner}s/:id/uploads/:upload_id/thumbnail`,
    `GET /-/${owner}/:id/thumbnails/:secret/:filename`,
  ]),
  ...['projects', 'groups'].flatMap((owner) => [
    `POST /${owner}/:id/uploads/resumable`,
    ...['GET', 'PATCH', 'DELETE'].map((method) => `${method} /${owner}/:id/uploads/resumable/:upload_key`),
  ]),
  ...['projects', 'groups'].map((owner) => `DELETE /${owner}/:id/uploads/:upload_id/links/:link_id`),
  ...['projects', 'groups'].map((owner) => `DELETE /${owner}/:id/issue_tracker/events_secret`),
]

test.runIf(runs >= 25)('most routes had successful requests', () => {
  const refused = routes
    .filter((route) => !succeeded.has(route) && !route.isDeprecated)
    .map((route) => `${route.method} ${route.path}`)
    .filter((name) => !rarelySuccessful.includes(name))
  expect(refused.length, refused.join()).toBeLessThan(routes.length / 10)
})

function assertAnswer(route: Route, { method }: HostileRequest, { status, headers, body }: Answer): void {
  const type = headers['content-type']
  const text = body.length < 100_000 ? body.toString() : ''
  expect(status, text).toBeLessThan(500)
  if (status === 204 || status === 304 || method === 'HEAD' || (method === 'OPTIONS' && status === 200)) {
    expect(text).toBe('')
  } else if (status === 301) {
    expect(type).toBe('text/plain')
  } else if (status >= 400) {
    if (status === 416) return // a range of a file has no words for it
    expect(type).toBe('application/json')
    assertRefusal(JSON.parse(text))
  } else if (!isFileOutput(route.output) && route.output !== metricsOutput) {
    expect(type).toBe('application/json')
    JSON.parse(body.toString())
  }
}

/** Returns a short description of the request. */
function explain({ seed, counterexamplePath, counterexample, errorInstance }: fc.RunDetails<[HostileRequest]>): string {
  const [request] = counterexample ?? []
  const shown = { ...request, body: request?.body?.toString('latin1') }
  const shorten = (_: string, value: unknown) =>
    typeof value === 'string' && value.length > 300 ? `${value.slice(0, 300)}… ${value.length}` : value
  return `seed ${seed}, path ${counterexamplePath}: ${errorInstance}\n${JSON.stringify(shown, shorten, 2)}`
}

/** The error bodies of GitLab and of this server; see docs/compatibility.md. */
const families = [
  'error',
  'message',
  'error,error_description',
  'error,error_description,scope',
  'errors,message',
  'detail,message',
  'conflict_count,conflicts,message',
  'errors', // GraphQL
]

function assertRefusal(body: Record<string, unknown>): void {
  expect(families).toContain(Object.keys(body).sort().join())
  const [first] = body['message'] === undefined ? [body['errors'] ?? []].flat() : []
  const { message = body['error'] ?? (first as { message?: unknown } | undefined)?.message } = body // of GraphQL
  const parts = typeof message === 'object' && message !== null ? Object.values(message) : [message]
  for (const part of parts.flat()) expect(part).toBeTypeOf('string')
}

/** Replaces the placeholders by real ids, secrets and tokens. */
function addressed(request: HostileRequest, route: Route) {
  const fill = (text: string) =>
    text.replace(/(?:\{|%7B)(\w+(?:(?: |%20|\+)\w+)?)(?:\}|%7D)/g, (found, name) => {
      const word = words[name.replace(/%20|\+/, ' ')]
      return word === undefined ? found : found.startsWith('{') ? word : encodeURIComponent(word)
    })
  const { caller, query, contentType, body } = request
  const token = words[`token of ${caller}`]
  const headers = {
    ...(token && { 'private-token': token }),
    ...(caller === 'browser' && { cookie: words['cookie'] ?? '', 'x-alcove-session': '1' }),
    ...(contentType && { 'content-type': contentType }),
    ...(body && { 'content-length': String(body.length) }),
    ...request.headers,
  }
  const path = sparingRoot(fill(request.path), route)
  return {
    ...request,
    headers,
    path: query === '' ? path : `${path}?${fill(query)}`,
    ...(body && { body: fillBytes(body) }),
  }

  function fillBytes(body: Buffer): Buffer {
    if (body.length > 10_000 || !body.includes('{')) return body
    const filled = Buffer.from(fill(body.toString('latin1')), 'latin1')
    headers['content-length'] = String(filled.length)
    return filled
  }
}

/** The first user restores the data, so no request may delete that user or revoke their token. */
function sparingRoot(path: string, { method }: Route): string {
  if (method === 'GET') return path
  return path.replace(/(?<=\/(?:users|personal_access_tokens)\/)[^/]+/, (id) => (isRoot(id) ? '2' : id))
}

function isRoot(id: string): boolean {
  return /^\s*(\+?0*1|root)\s*$/i.test(
    id.replaceAll(/%([0-7][0-9a-f])/gi, (_, hex) => String.fromCharCode(Number(`0x${hex}`))),
  )
}

let renewals = 0

const renewedAt = new Map<() => Promise<void>, number | undefined>()

/** Restores data that the last successful write may have removed. Checks only tables that were written. */
async function renew(): Promise<void> {
  const { changes } = server.deps.db
  for (const [restore, tables] of renewable) {
    const before = changes.version(tables)
    if (before !== undefined && renewedAt.get(restore) === before) continue
    await restore()
    renewedAt.set(restore, changes.version(tables))
  }
}

/** In this order, because later ones depend on earlier ones. */
const renewable: readonly (readonly [restore: () => Promise<void>, tables: readonly string[]])[] = [
  [renewUsers, ['users', 'access_tokens']],
  [renewProjectOfMember, ['users', 'access_tokens', 'projects', 'namespaces', 'members']],
  [renewUploads, ['uploads', 'projects', 'namespaces']],
  [
    renewTriage,
    ['projects', 'vulnerabilities', 'vulnerability_history', 'vulnerability_links', 'vulnerability_bulk_changes'],
  ],
  [renewHooks, ['hooks', 'projects', 'namespaces']],
  [renewImpersonation, ['users', 'access_tokens']],
  [renewAccessTokens, ['bots', 'access_tokens', 'members', 'projects', 'namespaces']],
  [renewTrustRelations, ['bots', 'trust_relations', 'members', 'projects', 'namespaces']],
  [renewBrowser, ['users', 'sessions', 'password_links']],
  [renewTopics, ['topics']],
]

async function renewUsers(): Promise<void> {
  for (const name of ['admin', 'member', 'reader', 'stranger']) {
    if (await isThere('/user', words[`token of ${name}`] ?? 'none')) continue
    const user = await server.user(`${name}-${++renewals}`, { admin: name === 'admin' })
    const scopes = { admin: ['api', 'sudo'], reader: ['read_api'] }[name] ?? ['api']
    words[`token of ${name}`] = (await server.client(user, { scopes })).token ?? ''
    words[name] = String(user.user?.id)
    words['login'] = `${name}-${renewals}`
    words['project'] = 'none'
  }
  if ((await server.admin.get(`/users/${words['banned']}`)).body?.state !== 'banned') {
    words['banned'] = String((await server.user(`banned-${++renewals}`)).user?.id)
    await server.admin.post(`/users/${words['banned']}/ban`)
  }
}

async function renewProjectOfMember(): Promise<void> {
  if (!(await isThere(`/projects/${words['project']}/uploads`, words['token of member']))) await renewProject()
}

async function renewUploads(): Promise<void> {
  for (const owner of ['project', 'group']) {
    const path = `/${owner}s/${words[owner]}/uploads`
    if (await isThere(`${path}/${words[`${owner} secret`]}/a.txt`)) continue
    const { body } = await server.admin.post(path, formWithFile('file', 'a.txt', 'content'))
    Object.assign(words, { [`${owner} secret`]: body.url.split('/')[2], [`${owner} upload`]: String(body.id) })
  }
}

/** Creates a note, a link and a bulk change that can be undone, and changes the state of the vulnerability. */
async function renewTriage(): Promise<void> {
  const [bulk, notes] = ['bulk', `${words['vulnerability']}/notes`].map(
    (path) => `/projects/${words['project']}/vulnerabilities/${path}`,
  )
  const links = `/vulnerabilities/${words['vulnerability']}/issue_links`
  const { body: written } = await server.admin.post(notes ?? '', { body: 'text' })
  const { body: linked } = await server.admin.post(links, { url: `https://tracker.test/${++renewals}` })
  const ids = [words['vulnerability']]
  const action = ['confirm', 'resolve', 'dismiss', 'revert'][renewals % 4]
  await server.admin.post(bulk ?? '', { action, vulnerability_ids: ids })
  const severity = renewals % 2 === 0 ? 'critical' : 'low'
  const { body: done } = await server.admin.post(bulk ?? '', { action: 'severity', severity, vulnerability_ids: ids })
  Object.assign(words, { note_id: `${written.id}`, issue_link_id: `${linked.id}`, bulk_id: `${done.id}` })
}

async function renewHooks(): Promise<void> {
  for (const owner of ['project', 'group', 'instance']) {
    const hooks = owner === 'instance' ? '/hooks' : `/${owner}s/${words[owner]}/hooks`
    const { body: found } = await server.admin.get(`${hooks}/${words[`${owner} hook`]}`)
    if (found?.custom_headers?.length > 0 && found.url_variables.length > 0) continue
    const { body } = await server.admin.post(hooks, {
      url: 'https://receiver.example/hook',
      vulnerability_events: true,
      custom_headers: [{ key: 'X-Team', value: 'secret' }],
      url_variables: [{ key: 'team', value: 'secret' }],
    })
    words[`${owner} hook`] = String(body.id)
  }
}

async function renewImpersonation(): Promise<void> {
  const impersonations = `/users/${words['stranger']}/impersonation_tokens`
  if ((await server.admin.get(`${impersonations}/${words['impersonation']}`)).body?.active === true) return
  const { body } = await server.admin.post(impersonations, { name: 'test', scopes: ['api'] })
  words['impersonation'] = String(body.id)
}

async function renewAccessTokens(): Promise<void> {
  for (const owner of ['project', 'group']) {
    const tokens = `/${owner}s/${words[owner]}/access_tokens`
    const { body: found } = await server.admin.get(`${tokens}/${words[`${owner} token`]}`)
    if (found?.active === true && found.revoked === false) continue
    const { body } = await server.admin.post(tokens, { name: 'test', scopes: ['api'], access_level: 10 })
    words[`${owner} token`] = String(body.id)
  }
}

async function renewTrustRelations(): Promise<void> {
  for (const owner of ['project', 'group']) {
    const relations = `/${owner}s/${words[owner]}/trust_relations`
    if (await isThere(`${relations}/${words[`${owner} relation`]}`)) continue
    const terms = {
      name: 'CI',
      issuer: 'https://issuer.example',
      audience: 'https://alcove.test',
      claims: { sub: 'x' },
    }
    const { body } = await server.admin.post(relations, terms)
    words[`${owner} relation`] = String(body.id)
  }
}

/** Creates a session and a link that sets a password. */
async function renewBrowser(): Promise<void> {
  const headers = { cookie: words['cookie'] ?? '', 'private-token': '' }
  if ((await server.admin.get('//-/sessions', { headers })).status !== 200) {
    const login = { login: words['login'], password: 'correct horse battery' }
    const signedIn = await server.anonymous.post('//-/sessions', login)
    words['cookie'] = signedIn.headers['set-cookie']?.split(';')[0] ?? ''
  }
  const link = await server.admin.post(`/users/${words['stranger']}/password_links`)
  words['link'] = link.body.token ?? ''
}

async function renewTopics(): Promise<void> {
  for (const name of ['topic', 'other topic']) {
    if (await isThere(`/topics/${words[name]}`)) continue
    const texts = { name: `${name} ${++renewals}`, title: name }
    const { body } = await server.admin.post('/topics', formWithFile('avatar', 'avatar.png', png, texts))
    words[name] = String(body.id)
  }
}

async function renewProject(): Promise<void> {
  const { admin } = server
  const path = `acme-${++renewals}/site`
  const project = await server.project(path, { visibility: 'public' })
  const { id: group, full_path: groupPath } = project['namespace']
  Object.assign(words, { project: `${project.id}`, 'project path': path, group: `${group}`, 'group path': groupPath })
  for (const place of [`/projects/${project.id}`, `/groups/${group}`]) {
    await admin.post(`${place}/members`, { user_id: words['member'], access_level: 50 })
    await admin.post(`${place}/members`, { user_id: words['reader'], access_level: 30 })
  }
  const report = JSON.stringify(sastReport([entry({ line: 1 }), entry({ line: 2 })]))
  await admin.post(`/projects/${project.id}/security_reports`, formWithFile('file', 'report.json', report))
  const [first, second] = (await admin.get(`/projects/${project.id}/vulnerability_findings`)).body
  words['uuid'] = first.uuid
  const { body } = await admin.post(`/projects/${project.id}/vulnerabilities`, { finding_id: second.id })
  words['vulnerability'] = String(body.id)
}

async function isThere(path: string, token?: string): Promise<boolean> {
  const headers = token === undefined ? {} : { headers: { 'private-token': token } }
  return (await server.admin.get(path, headers)).status === 200
}

const png = Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex')

/**
 * Returns a digest of every table and the number of objects. Excludes last-used times, which are written later, the log of
 * attempts, and the state of the queue.
 */
async function everything(): Promise<Everything> {
  const { db, objects } = server.deps
  let count = 0
  for await (const _ of objects.list('')) count++
  const found: Everything = { objects: count }
  for (const table of await tables()) {
    const stamp = db.changes.version([table])
    if (digests.get(table)?.stamp !== stamp) {
      // A failed sign-in, and acting as another user, are events of their own.
      const kept =
        table === 'audit_events'
          ? sql`where name not in ('login_failed_with_standard_authentication', 'user_impersonation')`
          : empty
      const rows = await db.all<object>(sql`select * from ${raw(table)} ${kept} order by 1, 2`)
      const digest = createHash('sha1').update(JSON.stringify(rows)).digest('hex')
      digests.set(table, { stamp, digest: `${rows.length} rows, ${digest}` })
    }
    found[table] = digests.get(table)?.digest
  }
  return found
}

type Everything = Record<string, unknown>

/** Compares without Vitest first, which takes longer than the request. */
function expectSame(after: Everything, before: Everything): void {
  if (Object.keys(before).some((name) => after[name] !== before[name])) expect(after).toEqual(before)
}

const digests = new Map<string, { stamp: number | undefined; digest: string }>()
let names: string[] | undefined

async function tables(): Promise<string[]> {
  names ??= (
    await server.deps.db.all<{ name: string }>(
      server.deps.db.dialect.engine === 'sqlite'
        ? sql`select name from sqlite_master where type = 'table' and name not like 'sqlite%' and name not like '%search%'`
        : sql`select tablename as name from pg_tables where schemaname = 'public'`,
    )
  )
    .map(({ name }) => name)
    .filter(
      (name) =>
        ![
          'token_uses',
          'token_addresses',
          'session_uses',
          'request_counts',
          'hook_events',
          'hook_deliveries',
          'jobs',
          // The lane that was served last.
          'job_dispatch',
          'migrations',
          'schema_migrations',
        ].includes(name),
    )
  return names
}
