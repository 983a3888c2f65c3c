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

/** Counts requests and refuses those that are too many (contract 1.6). */
export interface Throttle {
  /** Counts a request of this user, or an anonymous one. */
  admit(route: Route, request: FastifyRequest, reply: FastifyReply, user: User | undefined): Promise<void>
  close(): Promise<void>
}

export function openThrottle(deps: RootDeps): Throttle {
  const { authenticated, unauthenticated, signIn, endpoints } = deps.settings.rateLimits
  const counter = openRequestCounter(deps)

  return {
    async admit(route, request, reply, user) {
      // Probes must not fail because of a limit.
      if (route.permission === 'health.read' || route.permission === 'metrics.read') return
      const network = `address ${networkOf(request.ip)}`
      if (signIn && route.limitsGuesses) await admitGuess(request, { name: 'sign_in', ...signIn }, network)
      const subject = user ? `user ${user.id}` : network
      const most = user ? authenticated : unauthenticated
      const place = addressOf(route).startsWith('/api/') ? 'api' : 'web'
      const name = `throttle_${user ? 'authenticated' : 'unauthenticated'}_${place}`
      if (most) await admitOne(counter, { name, ...most }, subject, reply)
      const own = endpoints ? endpointLimit(route, user) : undefined
      if (own && (await counter.count(own, subject)).isExceeded) throw new Failure({ kind: 'too-many-requests' })
    },
    close: () => counter.close(),
  }

  /** Browsers that a user has signed in from are counted apart, so that neighbours in a network cannot lock them out. */
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
  const most = endpointLimits[name]
  const limit = user ? most?.user : most?.nobody
  return limit && !(most?.isForOthers && user?.isAdmin) ? { name, ...limit } : undefined
}

interface EndpointLimit {
  user: RateLimit
  nobody?: RateLimit
  /** Administrators are not limited. */
  isForOthers?: true
}

const minute = 60

/** GitLab's own, each for a user or, where nobody is signed in, for an address. */
const endpointLimits: Readonly<Record<string, EndpointLimit>> = {
  'GET /projects': {
    user: { requests: 2000, periodSeconds: 10 * minute },
    nobody: { requests: 400, periodSeconds: 10 * minute },
  },
  'GET /projects/:id': everybody(400),
  'GET /groups/:id/projects': everybody(600),
  'GET /users/:id': { user: { requests: 300, periodSeconds: 10 * minute }, isForOthers: true },
  'GET /namespaces/:id/exists': everybody(20),
  'GET /projects/:id/members/all': everybody(200),
  'GET /groups/:id/members/all': everybody(200),
  'DELETE /projects/:id/members/:user_id': everybody(60),
  'DELETE /groups/:id/members/:user_id': everybody(60),
}

function everybody(requests: number): EndpointLimit {
  const limit = { requests, periodSeconds: minute }
  return { user: limit, nobody: limit }
}
