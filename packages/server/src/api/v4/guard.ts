import { hash, timingSafeEqual } from 'node:crypto'
import type { Caller } from '../../domain/access/callers.ts'
import { type Permission, type PermissionRow, permissions } from '../../domain/access/permissions.ts'
import { isPermitted, isPermittedInArchive } from '../../domain/access/permitted.ts'
import { authenticateTrusted, openTrustCache } from '../../domain/bots/trust/trusted-callers.ts'
import { isWebToken } from '../../domain/bots/trust/unverified-token.ts'
import type { RootDeps } from '../../domain/deps.ts'
import { assertMirrorPermits } from '../../domain/import-sources/mirrors.ts'
import type { Project } from '../../domain/projects/project.ts'
import { resolveVisibleGroup, resolveVisibleProject } from '../../domain/projects/resolve-visible.ts'
import {
  findGroup,
  findProject,
  groupLevel,
  openProjectCache,
  type ProjectCache,
  projectLevel,
} from '../../domain/projects/visible.ts'
import { assertSecondFactorSetUp } from '../../domain/second-factors/requirement.ts'
import { digestBrowser, usersKnownTo } from '../../domain/sign-in/known-browsers.ts'
import { assertRecentlyAuthenticated } from '../../domain/sign-in/reauthentication.ts'
import { findSignedIn, openSessionCache } from '../../domain/sign-in/sessions.ts'
import { openImpersonations } from '../../domain/tokens/impersonation.ts'
import { actAs, authenticate, openTokenCache } from '../../domain/tokens/tokens.ts'
import type { User } from '../../domain/users/user.ts'
import {
  findBasicVulnerability,
  loadBasicVulnerability,
  openBasicVulnerabilityCache,
} from '../../domain/vulnerabilities/triage/triage.ts'
import type { BasicVulnerability } from '../../domain/vulnerabilities/vulnerability.ts'
import type { Authorize, CountRequest, Credentials, Found, Guard } from '../../http/guard.ts'
import { Failure, forbidden, moved, notFound, unauthenticated, unchanged } from '../../platform/failure.ts'

export function createGuard(deps: RootDeps): Guard {
  const tokens = openTokenCache(deps.db.changes)
  const sessions = openSessionCache(deps.db.changes)
  const projects = openProjectCache(deps.db.changes)
  const trust = openTrustCache(deps.db.changes)
  const recordImpersonation = openImpersonations()
  const vulnerabilities = openVulnerabilityGuard(deps, projects)

  return {
    async authenticate(permission, credentials, count) {
      const row: PermissionRow = permissions[permission]
      if (row.who === 'monitor') {
        assertMonitor(credentials)
        return null
      }
      const { sudo, isReading } = credentials
      // Another process may have revoked the token; its commits are read before the caches are used.
      const synchronizing = deps.db.changes.synchronize()
      if (synchronizing !== undefined) await synchronizing
      const caller = await findCountedCaller(permission, credentials, count)
      if (!caller) {
        if (sudo !== undefined || (row.who !== 'anyone' && !row.anonymous)) throw unauthenticated()
        return null
      }
      if (!row.inSetUp) assertSecondFactorSetUp(deps, caller)
      assertScope(row, caller, isReading || row.reads === true)
      if (row.recent) assertRecentlyAuthenticated(deps, caller)
      const acting = sudo === undefined ? caller : await actAs(deps, caller, sudo)
      const recording = recordImpersonation(deps, acting, credentials.address)
      if (recording !== undefined) await recording
      return acting
    },

    resolveReadable(permission, caller, id) {
      const row: PermissionRow = permissions[permission]
      return row.on === 'vulnerability' ? vulnerabilities.resolve(row, caller, id ?? '') : undefined
    },

    async authorize(permission, caller, id) {
      const row: PermissionRow = permissions[permission]
      if (!caller && row.anonymous === 'after-input') throw unauthenticated()
      if (row.on === 'instance') {
        assertLevel(deps, row, caller, 0)
        return { resources: {} }
      }
      if (row.on === 'project') {
        const resolved = await resolveVisibleProject(deps, caller, id ?? '', projects)
        if (!resolved) throw notFound('Project')
        if (resolved.hasMoved) throw moved('project', resolved.found.id)
        assertLevel(deps, row, caller, resolved.level)
        assertUnarchived(row, resolved.found)
        await assertMirrorPermits(deps, row, caller?.user.id, { kind: 'project', id: resolved.found.id })
        return { resources: { project: resolved.found }, level: resolved.level }
      }
      if (row.on === 'vulnerability') return vulnerabilities.authorize(row, caller, id ?? '')
      const resolved = await resolveVisibleGroup(deps, caller, id ?? '', projects)
      if (!resolved) throw notFound('Group')
      if (resolved.hasMoved) throw moved('group', resolved.found.id)
      assertLevel(deps, row, caller, resolved.level)
      await assertMirrorPermits(deps, row, caller?.user.id, { kind: 'group', id: resolved.found.id })
      return { resources: { group: resolved.found }, level: resolved.level }
    },

    async permit(permission, caller, id) {
      const row: PermissionRow = permissions[permission]
      if (!caller && row.who !== 'anyone' && !row.anonymous) throw unauthenticated()
      // A handler that writes names a row with the scope `api`.
      if (caller) assertScope(row, caller, true)
      if (caller && row.recent) assertRecentlyAuthenticated(deps, caller)
      return this.authorize(permission, caller, id)
    },

    async recognizeBrowser(cookie) {
      return (await usersKnownTo(deps, cookie)).size > 0 ? digestBrowser(cookie) : undefined
    },
  }

  /** Monitoring is allowed from this machine or with its own token. Without that setting the route is 404 elsewhere. */
  function assertMonitor({ token, isLocal }: Credentials): void {
    const { metricsToken } = deps.settings
    if (isLocal) return
    if (metricsToken === undefined) throw new Failure({ kind: 'no-such-route' })
    const [given, expected] = [token ?? '', metricsToken].map((text) => hash('sha256', text, 'buffer'))
    if (!given || !expected || !timingSafeEqual(given, expected)) throw unauthenticated()
  }

  /** Counts the request for its caller, or as an anonymous one when the credentials are wrong. */
  async function findCountedCaller(
    permission: Permission,
    credentials: Credentials,
    count?: CountRequest,
  ): Promise<Caller | undefined> {
    let caller: Caller | undefined
    try {
      caller = await findCaller(permission, credentials)
    } catch (error) {
      if (error instanceof Failure) await count?.(undefined)
      throw error
    }
    const counting = count?.(caller?.user)
    if (counting) await counting
    return caller
  }

  function findCaller(
    permission: Permission,
    { token, session, address, resourceId = '' }: Credentials,
  ): Promise<Caller | undefined> | undefined {
    if (token !== undefined && isWebToken(token)) {
      return authenticateTrusted(deps, token, trust, (user) =>
        levelOf(deps, projects, { permission, user, id: resourceId }),
      )
    }
    if (token === undefined) return session === undefined ? undefined : findSignedIn(deps, session, sessions)
    const isRotation = /(^|\.|-)token\.rotate(-self)?$/.test(permission)
    return authenticate(deps, token, tokens, { isRotation, address })
  }
}

/** Authorization of requests for one vulnerability, by the caller's role in its project. */
function openVulnerabilityGuard(deps: RootDeps, projects: ProjectCache) {
  const cache = openBasicVulnerabilityCache(deps.db.changes)

  /** Reads the vulnerability once. Rights are checked now and again by the returned function. */
  async function resolve(row: PermissionRow, caller: Caller | null, id: string): Promise<Authorize> {
    const { vulnerability } = await getReadable(caller, id)
    return async (caller) => {
      const readable = await resolveReadable(caller, vulnerability)
      if (!readable) throw notFound()
      return authorizeReadable(row, caller, readable)
    }
  }

  async function authorize(row: PermissionRow, caller: Caller | null, id: string): Promise<Found> {
    return authorizeReadable(row, caller, await getReadable(caller, id))
  }

  async function authorizeReadable(
    row: PermissionRow,
    caller: Caller | null,
    { level, vulnerability, project }: Readable,
  ): Promise<Found> {
    if (vulnerability.state === row.unlessIn && !isAllowed(deps, row, caller, level)) throw unchanged()
    assertLevel(deps, row, caller, level)
    assertUnarchived(row, project)
    await assertMirrorPermits(deps, row, caller?.user.id, { kind: 'project', id: project.id })
    return { resources: { vulnerability, project } }
  }

  /**
   * Returns the vulnerability, or throws if it is missing or hidden. Both take the same number of statements, so that the
   * time of the response does not reveal a hidden vulnerability.
   */
  async function getReadable(caller: Caller | null, id: string): Promise<Readable> {
    const cached = cache.peek(id)
    const vulnerability = cached ?? (await findBasicVulnerability(deps, id, cache))
    const readable = await resolveReadable(caller, vulnerability)
    if (readable) return readable
    // A missing vulnerability is never cached, so a request for it has always executed this statement.
    if (cached) await loadBasicVulnerability(deps, id, cache)
    throw notFound()
  }

  /** Returns `undefined` if the vulnerability is missing or hidden. */
  async function resolveReadable(
    caller: Caller | null,
    vulnerability: BasicVulnerability | undefined,
  ): Promise<Readable | undefined> {
    const resolved = await resolveVisibleProject(deps, caller, String(vulnerability?.projectId ?? 0), projects)
    if (!vulnerability || !resolved) return undefined
    const { found: project, level } = resolved
    assertLevel(deps, permissions['vulnerability.read'], caller, level)
    return { vulnerability, project, level }
  }

  return { resolve, authorize }
}

/** Vulnerability that the caller may read, with their access level in its project. */
interface Readable {
  vulnerability: BasicVulnerability
  project: Project
  level: number
}

function assertLevel(deps: RootDeps, row: PermissionRow, caller: Caller | null, level: number): void {
  if (!isAllowed(deps, row, caller, level)) throw forbidden()
}

function isAllowed({ settings }: RootDeps, row: PermissionRow, caller: Caller | null, level: number): boolean {
  return isPermitted(settings, row, { isSignedIn: caller !== null, isAdmin: caller?.isAdmin === true, level })
}

/** Returns the user's access level in what the path names; for a project that is to be created, in its group. */
async function levelOf(
  deps: RootDeps,
  projects: ProjectCache,
  { permission, user, id }: { permission: Permission; user: User; id: string },
): Promise<number> {
  const visitor = { user, isAdmin: false }
  const { on } = permissions[permission]
  if (on === 'instance') return 0
  if (on === 'group') return groupLevel(deps, await findGroup(deps, id, projects), visitor, projects)
  const reference = on === 'project' ? id : String((await findBasicVulnerability(deps, id))?.projectId ?? 0)
  const project = await findProject(deps, reference, projects)
  if (project) return projectLevel(deps, project, visitor, projects)
  const parent = await findGroup(deps, id.slice(0, Math.max(0, id.lastIndexOf('/'))), projects)
  return groupLevel(deps, parent, visitor, projects)
}

/** An archived project is read-only. Checked after the role, so that a refusal reveals nothing new. */
function assertUnarchived(row: PermissionRow, project: Project): void {
  if (project.isArchived && !isPermittedInArchive(row)) throw forbidden(archived)
}

const archived = 'The project is archived. Unarchive it to make changes.'

function assertScope(row: PermissionRow, caller: Caller, isReading: boolean): void {
  const { scopes } = caller.token
  if (row.scope === 'none' || scopes.includes('api')) return
  if ((row.scope === 'self_rotate' || row.scope === 'write_security_reports') && scopes.includes(row.scope)) return
  if (isReading && row.scope !== 'api' && scopes.includes('read_api')) return
  if (isReading && row.scope === 'read_user' && scopes.includes('read_user')) return
  throw new Failure({ kind: 'scope-too-small', accepted: row.namedScopes ?? ['api', 'read_api'] })
}
