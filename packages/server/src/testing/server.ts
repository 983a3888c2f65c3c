import { tmpdir } from 'node:os'
import { pino } from 'pino'
import sql, { type Sql } from 'sql-template-tag'
import { onTestFinished } from 'vitest'
import { depsFrom, openApp } from '../app.ts'
import { type Role, roles, type Visibility } from '../domain/access/roles.ts'
import { ensureAdministrator } from '../domain/bootstrap.ts'
import type { RootDeps } from '../domain/deps.ts'
import { runDueJobs, runJobs } from '../domain/jobs/run-jobs.ts'
import { importKind } from '../domain/reports/imports/run-imports.ts'
import { hashPassword } from '../domain/sign-in/passwords/passwords.ts'
import { promotionKind } from '../domain/vulnerabilities/promotion/bulk-promotion.ts'
import { scopeChangeKind } from '../domain/vulnerabilities/scope-bulk/scope-change-job.ts'
import type { Server } from '../http/server.ts'
import { jobKinds } from '../jobs.ts'
import type { Lifecycle } from '../platform/lifecycle.ts'
import { openMemoryStore } from '../platform/object-store/memory.ts'
import type { ObjectStore } from '../platform/object-store/objects.ts'
import { readSettings, type Settings } from '../platform/settings/settings.ts'
import { assertReadByIds } from './assert-read-by-ids.ts'
import { type Client, createClient, formWithFile, type Reply } from './client.ts'
import { databaseOfServer, type FreshDatabase } from './databases/database.ts'
import { observeDatabase } from './databases/observe.ts'
import { type EntryFields, entry, sastReport } from './reports/reports.ts'

interface ProjectOptions {
  visibility?: Visibility
  /** With null no report is held, so that an empty one makes everything absent. */
  maxAbsentPercent?: number | null
}

export interface TestServer {
  app: Server
  deps: RootDeps
  /** `root`, with every scope. */
  admin: Client
  anonymous: Client
  /** Creates a user and returns their client, with a token of scope `api`. */
  user(username: string, options?: { external?: boolean; admin?: boolean }): Promise<Client>
  /** Returns a client of an existing user with another token. */
  client(of: Client, options: { scopes: string[]; expiresAt?: string }): Promise<Client>
  /** Runs the queued jobs and returns their number. */
  runJobs(): Promise<number>
  /** Creates a project, and the group in its path if it does not exist. */
  project(fullPath: string, options?: ProjectOptions): Promise<TestProject>
  /** Creates a user with this role in the project (`outsider`: none) and returns their client. */
  as(role: Role | 'outsider', project: TestProject): Promise<Client>
  /**
   * Imports a report as the administrator, by default with promotion, and returns the import. An array becomes the
   * findings of a SAST report, and a string is sent unchanged.
   */
  report(project: ProjectId, report: unknown, fields?: Record<string, string>): Promise<Reply['body']>
  /** Imports a finding in a category of its own and returns it. */
  finding(project: ProjectId, fields?: EntryFields): Promise<Reply['body']>
  /** Imports and promotes a finding, and returns its vulnerability. */
  vulnerability(project: ProjectId, fields?: EntryFields): Promise<Reply['body']>
  close(): Promise<void>
}

type ProjectId = Pick<TestProject, 'id'>

export interface TestProject {
  id: number
  // biome-ignore lint/suspicious/noExplicitAny: the response of POST /projects
  [field: string]: any
}

export interface TestOptions {
  /** Default: a new database. */
  database?: Pick<FreshDatabase, 'db' | 'drop'>
  settings?: Partial<Settings>
  objects?: ObjectStore
  /** The clock of the server as an ISO time. Tests can set it. */
  clock?: { now: string }
  /** Receives the parsed log lines. */
  log?: (line: Record<string, unknown>) => void
  /** Replaces the DNS lookup. */
  resolve?: RootDeps['resolve']
  /** Signal that the server is draining. Default: never. */
  lifecycle?: Lifecycle
  /** Called with every statement before it runs. */
  observe?: (query: Sql) => void
  /** If true, the test closes the server. Otherwise it closes with the test, or with the file if started outside a test. */
  keepOpen?: boolean
}

/** Starts the whole program on a fresh database, without a socket. */
export async function startServer(options: TestOptions = {}): Promise<TestServer> {
  const { db: opened, drop } = options.database ?? (await databaseOfServer())
  const executed = new Map<string, Sql>()
  const db = observeDatabase(opened, (query) => {
    executed.set(query.text, query)
    options.observe?.(query)
  })
  // Tests sign in more often than real users of one address.
  const environment = {
    ALCOVE_LOG_LEVEL: 'silent',
    ALCOVE_DATA: tmpdir(),
    ALCOVE_OBJECT_RETENTION_HOURS: '0',
    ALCOVE_RATE_LIMIT_SIGN_IN_REQUESTS: '0',
  }
  const settings = { ...readSettings(environment), bootstrapToken, ...options.settings }
  const plain = depsFrom(settings, db, options.objects ?? openMemoryStore(), options.lifecycle)
  const { clock, resolve, log } = options
  const deps: RootDeps = {
    ...plain,
    ...(clock && { now: () => clock.now }),
    ...(resolve && { resolve }),
    ...(log && { log: logTo(log) }),
  }
  await ensureAdministrator(deps)
  const app = await openApp(deps)
  await app.server.ready()

  const admin = createClient(app.server, { token: bootstrapToken })
  // Requests that import or promote wait for their jobs, so a dispatcher must run them.
  const runner = runJobs(deps, [importKind, promotionKind, scopeChangeKind])
  let closed: Promise<void> | undefined
  const close = () => (closed ??= stop())
  async function stop() {
    await runner.stop()
    try {
      await assertReadByIds(opened, executed.values())
    } finally {
      await app.close()
      await drop()
    }
  }
  if (!options.keepOpen) atTheEnd(close)

  const server: TestServer = {
    app: app.server,
    deps,
    admin,
    anonymous: createClient(app.server),
    close,

    async user(username, { external = false, admin: isAdmin = false } = {}) {
      const created = await admin.post('/users', {
        username,
        name: username,
        email: `${username}@example.test`,
        force_random_password: true,
        external,
        admin: isAdmin,
        skip_confirmation: true,
      })
      expectStatus(created, 201)
      await setPassword(deps, created.body.id)
      return server.client({ ...admin, user: created.body }, { scopes: ['api'] })
    },

    async client(of, { scopes, expiresAt }) {
      const issued = await admin.post(`/users/${of.user?.id}/personal_access_tokens`, {
        name: 'test',
        scopes,
        ...(expiresAt && { expires_at: expiresAt }),
      })
      expectStatus(issued, 201)
      return createClient(app.server, { token: issued.body.token, ...(of.user && { user: of.user }) })
    },

    async runJobs() {
      const ran = await runDueJobs(deps, jobKinds)
      await runner.idle()
      return ran
    },

    async project(fullPath, { visibility = 'private', maxAbsentPercent = 50 } = {}) {
      const cut = fullPath.lastIndexOf('/')
      const [group, path] = [fullPath.slice(0, cut), fullPath.slice(cut + 1)]
      let found = await admin.get(`/groups/${encodeURIComponent(group)}`)
      // Public, so that it does not limit the visibility of projects.
      if (found.status === 404) found = await admin.post('/groups', { name: group, path: group, visibility: 'public' })
      const attributes = { name: path, path, visibility, max_absent_percent: maxAbsentPercent }
      const created = await admin.post('/projects', { ...attributes, namespace_id: found.body.id })
      expectStatus(created, 201)
      return created.body
    },

    async report(project, report, fields = {}) {
      const text =
        typeof report === 'string' ? report : JSON.stringify(Array.isArray(report) ? sastReport(report) : report)
      const form = formWithFile('file', 'report.json', text, { promote: 'true', ...fields })
      const sent = await admin.post(`/projects/${project.id}/security_reports`, form)
      expectStatus(sent, 201)
      if (sent.body.errors.length > 0) throw new Error(`the import failed: ${sent.text}`)
      return sent.body
    },

    async finding(project, fields) {
      const { id } = await server.report(project, [entry(fields)], {
        promote: 'false',
        category: `finding ${++findings}`,
      })
      const { body } = await admin.get(`/projects/${project.id}/vulnerability_findings?pipeline_id=${id}`)
      return body[0]
    },

    async vulnerability(project, fields) {
      const finding = await server.finding(project, fields)
      const promoted = await admin.post(`/projects/${project.id}/vulnerabilities?finding_id=${finding.id}`)
      expectStatus(promoted, 201)
      return promoted.body
    },

    async as(role, project) {
      const client = await server.user(`${role}-${++users}`)
      if (role === 'outsider') return client
      const member = { user_id: client.user?.id, access_level: roles[role] }
      expectStatus(await admin.post(`/projects/${project.id}/members`, member), 201)
      return client
    },
  }
  return server
}

function logTo(take: (line: Record<string, unknown>) => void): RootDeps['log'] {
  return pino({ level: 'info', base: null }, { write: (line: string) => take(JSON.parse(line)) })
}

let passwordHash: Promise<string> | undefined

/** Sets the password `correct horse battery`. Its hash is computed once, because hashing is slow by design. */
async function setPassword(deps: RootDeps, userId: number): Promise<void> {
  passwordHash ??= hashPassword(deps, 'correct horse battery', 'tests')
  await deps.db.run(sql`update users set password_hash = ${await passwordHash} where id = ${userId}`)
}

const bootstrapToken = 'test-token-of-the-administrator'
let users = 0
let findings = 0

/** Servers started in `beforeAll`; `close-servers.ts` ends them after each file. */
const left = new Set<() => Promise<void>>()

function atTheEnd(close: () => Promise<void>): void {
  try {
    onTestFinished(close)
  } catch {
    left.add(close)
  }
}

export async function closeLeftServers(): Promise<void> {
  const closes = [...left]
  left.clear()
  const results = await Promise.allSettled(closes.map((close) => close()))
  for (const result of results) if (result.status === 'rejected') throw result.reason
}

function expectStatus(reply: { status: number; text: string }, status: number): void {
  if (reply.status !== status) throw new Error(`expected ${status}, got ${reply.status}: ${reply.text}`)
}
