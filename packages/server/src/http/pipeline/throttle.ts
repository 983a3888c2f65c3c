import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Caller } from '../../domain/access/callers.ts'
import { networkOf } from '../../domain/access/client-network.ts'
import { type PermissionRow, permissions } from '../../domain/access/permissions.ts'
import { type Limit, openRequestCounter, type RequestCounter } from '../../domain/access/request-counter.ts'
import type { RootDeps } from '../../domain/deps.ts'
import { Failure } from '../../platform/failure.ts'
import type { Guard } from '../guard.ts'
import { addressOf, type Route } from '../route.ts'
import { readCookie } from './cookies.ts'
import { originOf } from './origin.ts'

/** Rate limiter for requests. */
export interface Throttle {
  /**
   * Counts a request of this user, or an anonymous request. Throws when a limit is exceeded. Returns nothing when no
   * limit applies.
   */
  admit(
    route: Route,
    request: FastifyRequest,
    reply: FastifyReply,
    user: Caller['user'] | undefined,
  ): Promise<void> | undefined
  close(): Promise<void>
}

export function openThrottle(deps: RootDeps, guard: Guard): Throttle {
  const { authenticated, unauthenticated, signIn, endpoints } = deps.settings.rateLimits
  const counter = openRequestCounter(deps)

  return {
    admit(route, request, reply, user) {
      const row: PermissionRow = permissions[route.permission]
      const isGuess = signIn && route.limitsGuesses
      const isLimited = isGuess || endpoints || (user ? authenticated : unauthenticated)
      return isLimited && !row.unlimited ? countRequest(route, request, reply, user) : undefined
    },
    close: () => counter.close(),
  }

  async function countRequest(
    route: Route,
    request: FastifyRequest,
    reply: FastifyReply,
    user: Caller['user'] | undefined,
  ): Promise<void> {
    if (signIn && route.limitsGuesses) await admitGuess(request, { name: 'sign_in', ...signIn })
    const subject = user ? `user ${user.id}` : networkSubject(request)
    const limit = user ? authenticated : unauthenticated
    if (limit) await admitOne(counter, { name: limitName(route, user), ...limit }, subject, reply)
    const own = endpoints ? endpointLimit(route, user) : undefined
    if (own && (await counter.count(own, subject)).isExceeded) throw new Failure({ kind: 'too-many-requests' })
  }

  /** Counts sign-in attempts. Known browsers have their own limit, so that others in their network cannot lock them out. */
  async function admitGuess(request: FastifyRequest, limit: Limit): Promise<void> {
    const browser = readCookie(request.headers.cookie, 'alcove_browser', originOf(deps, request))
    const known = browser && (await guard.recognizeBrowser(browser))
    const { isExceeded, endsAt, now } = await counter.count(limit, known ? `browser ${known}` : networkSubject(request))
    if (!isExceeded) return
    throw new Failure({ kind: 'too-many-requests', retryAfterSeconds: Math.ceil((endsAt - now) / 1000) })
  }
}

const networkSubject = ({ ip }: FastifyRequest) => `address ${networkOf(ip)}`

async function admitOne(counter: RequestCounter, limit: Limit, subject: string, reply: FastifyReply): Promise<void> {
  const { isExceeded, observed, endsAt, now } = await counter.count(limit, subject)
  reply.headers({
    'ratelimit-limit': String(Math.ceil((limit.requests * 60) / limit.periodSeconds)),
    'ratelimit-name': limit.name,
    'ratelimit-observed': String(observed),
    'ratelimit-remaining': String(Math.max(0, limit.requests - observed)),
    'ratelimit-reset': String(endsAt / 1000),
  })
  if (isExceeded) {
    throw new Failure({ kind: 'throttled', endsAt, retryAfterSeconds: Math.ceil((endsAt - now) / 1000) })
  }
}

function limitName(route: Route, user: Caller['user'] | undefined): string {
  const place = addressOf(route).startsWith('/api/') ? 'api' : 'web'
  return `throttle_${user ? 'authenticated' : 'unauthenticated'}_${place}`
}

function endpointLimit({ method, path, rateLimit }: Route, user: Caller['user'] | undefined): Limit | undefined {
  const limit = user ? rateLimit?.user : rateLimit?.anonymous
  return limit && !(rateLimit?.exemptsAdmins && user?.isAdmin) ? { name: `${method} ${path}`, ...limit } : undefined
}
