import type { FastifyReply, FastifyRequest } from 'fastify'
import { type Limit, openRequestCounter, type RequestCounter } from '../../domain/access/request-counter.ts'
import type { RootDeps } from '../../domain/deps.ts'
import { networkOf } from '../../domain/sign-in/client-network.ts'
import { digestBrowser, usersKnownTo } from '../../domain/sign-in/known-browsers.ts'
import type { User } from '../../domain/users/user.ts'
import { Failure } from '../../platform/failure.ts'
import type { RateLimit } from '../../platform/settings.ts'
import { addressOf, type Route } from '../route.ts'
import { readCookie } from './cookies.ts'
import { originOf } from './origin.ts'

/** Rate limiter for requests. */
export interface Throttle {
  /** Counts a request of this user, or an anonymous request. Throws when a limit is exceeded. */
  admit(route: Route, request: FastifyRequest, reply: FastifyReply, user: User | undefined): Promise<void>
  close(): Promise<void>
}

export function openThrottle(deps: RootDeps): Throttle {
  const { authenticated, unauthenticated, signIn, endpoints } = deps.settings.rateLimits
  const counter = openRequestCounter(deps)

  return {
    async admit(route, request, reply, user) {
      // Health checks must not fail because of a rate limit.
      if (route.permission === 'health.read' || route.permission === 'metrics.read') return
      const network = `address ${networkOf(request.ip)}`
      if (signIn && route.limitsGuesses) await admitGuess(request, { name: 'sign_in', ...signIn }, network)
      const subject = user ? `user ${user.id}` : network
      const limit = user ? authenticated : unauthenticated
      const place = addressOf(route).startsWith('/api/') ? 'api' : 'web'
      const name = `throttle_${user ? 'authenticated' : 'unauthenticated'}_${place}`
      if (limit) await admitOne(counter, { name, ...limit }, subject, reply)
      const own = endpoints ? endpointLimit(route, user) : undefined
      if (own && (await counter.count(own, subject)).isExceeded) throw new Failure({ kind: 'too-many-requests' })
    },
    close: () => counter.close(),
  }

  /** Counts sign-in attempts. Known browsers have their own limit, so that others in their network cannot lock them out. */
  async function admitGuess(request: FastifyRequest, limit: Limit, network: string): Promise<void> {
    const browser = readCookie(request.headers.cookie, 'alcove_browser', originOf(deps, request))
    const isKnown = browser !== undefined && (await usersKnownTo(deps, browser)).size > 0
    const { isExceeded, endsAt, now } = await counter.count(
      limit,
      isKnown ? `browser ${digestBrowser(browser)}` : network,
    )
    if (!isExceeded) return
    throw new Failure({ kind: 'too-many-requests', retryAfterSeconds: Math.ceil((endsAt - now) / 1000) })
  }
}

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

function endpointLimit(route: Route, user: User | undefined): Limit | undefined {
  const name = `${route.method} ${route.path}`
  const limits = endpointLimits[name]
  const limit = user ? limits?.user : limits?.anonymous
  return limit && !(limits?.exemptsAdmins && user?.isAdmin) ? { name, ...limit } : undefined
}

interface EndpointLimit {
  user: RateLimit
  anonymous?: RateLimit
  /** True when administrators are exempt. */
  exemptsAdmins?: true
}

const minute = 60

/** GitLab's limits per endpoint: for each user, or for each address of anonymous requests. */
const endpointLimits: Readonly<Record<string, EndpointLimit>> = {
  'GET /projects': {
    user: { requests: 2000, periodSeconds: 10 * minute },
    anonymous: { requests: 400, periodSeconds: 10 * minute },
  },
  'GET /projects/:id': sameForAll(400),
  'GET /groups/:id/projects': sameForAll(600),
  'GET /users/:id': { user: { requests: 300, periodSeconds: 10 * minute }, exemptsAdmins: true },
  'GET /namespaces/:id/exists': sameForAll(20),
  'GET /projects/:id/members/all': sameForAll(200),
  'GET /groups/:id/members/all': sameForAll(200),
  'DELETE /projects/:id/members/:user_id': sameForAll(60),
  'DELETE /groups/:id/members/:user_id': sameForAll(60),
}

function sameForAll(requests: number): EndpointLimit {
  const limit = { requests, periodSeconds: minute }
  return { user: limit, anonymous: limit }
}
