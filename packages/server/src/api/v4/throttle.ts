import type { FastifyReply, FastifyRequest } from 'fastify'
import { type Limit, openRequestCounter, type RequestCounter } from '../../domain/access/request-counter.ts'
import type { User } from '../../domain/access/users.ts'
import type { RootDeps } from '../../domain/deps.ts'
import { Failure } from '../../platform/failure.ts'
import type { RateLimit } from '../../platform/settings.ts'
import { addressOf, type Route } from './route.ts'

/** Counts the requests below /api/ and refuses those that are too many (contract 1.6). */
export interface Throttle {
  /** Of this user, or of nobody. */
  admit(route: Route, request: FastifyRequest, reply: FastifyReply, user: User | undefined): Promise<void>
  close(): Promise<void>
}

export function openThrottle(deps: RootDeps): Throttle {
  const { authenticated, unauthenticated, endpoints } = deps.settings.rateLimits
  const counter = openRequestCounter(deps)

  return {
    async admit(route, request, reply, user) {
      if (!addressOf(route).startsWith('/api/')) return
      const subject = user ? `user ${user.id}` : `address ${request.ip}`
      const most = user ? authenticated : unauthenticated
      const name = user ? 'throttle_authenticated_api' : 'throttle_unauthenticated_api'
      if (most) await admitOne(counter, { name, ...most }, subject, reply)
      const own = endpoints ? endpointLimit(route, user) : undefined
      if (own && (await counter.count(own, subject)).isExceeded) throw new Failure({ kind: 'too-many-requests' })
    },
    close: () => counter.close(),
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
