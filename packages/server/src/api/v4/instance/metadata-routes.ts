import { setTimeout as sleep } from 'node:timers/promises'
import Type from 'typebox'
import { measureStreams } from '../../../domain/audit/stream.ts'
import { measureQueue } from '../../../domain/jobs/jobs.ts'
import { measureMails } from '../../../domain/mail/mails.ts'
import { countScans } from '../../../domain/uploads/scans/quarantine.ts'
import { metricsOutput, type Route } from '../../../http/route.ts'
import { Failure } from '../../../platform/failure.ts'
import { revision, version } from '../../../platform/version.ts'
import { route } from '../route.ts'

const metadataView = Type.Object({
  version: Type.String(),
  revision: Type.String(),
  kas: Type.Object({
    enabled: Type.Boolean(),
    externalUrl: Type.Null(),
    externalK8sProxyUrl: Type.Null(),
    version: Type.Null(),
  }),
  enterprise: Type.Boolean(),
})

const metadata = {
  version,
  revision,
  kas: { enabled: false, externalUrl: null, externalK8sProxyUrl: null, version: null },
  enterprise: false,
}

const healthView = Type.Object({ status: Type.String() })

export const metadataRoutes: readonly Route[] = [
  ...(['/version', '/metadata'] as const).map((path) =>
    route({
      method: 'GET',
      path,
      summary: 'Get version information',
      permission: 'metadata.read',
      status: 200,
      output: metadataView,
      handle: async () => metadata,
    }),
  ),
  route({
    method: 'GET',
    path: '/-/health',
    outside: true,
    summary: 'Check that the process is running (liveness)',
    permission: 'health.read',
    status: 200,
    output: healthView,
    handle: async () => ({ status: 'ok' }),
  }),
  route({
    method: 'GET',
    path: '/-/ready',
    outside: true,
    summary:
      'Check that the process can serve requests (readiness): it is not shutting down, and its database and object store respond',
    permission: 'health.read',
    status: 200,
    output: healthView,
    async handle({ deps }) {
      if (deps.draining.aborted) throw new Failure({ kind: 'draining' })
      const asked = [outageOf('the database', deps.db.ready()), outageOf('the object store', deps.objects.ready())]
      const parts = (await Promise.all(asked)).filter((outage) => outage !== undefined)
      if (parts.length > 0) throw new Failure({ kind: 'not-ready', parts })
      return { status: 'ok' }
    },
  }),
  route({
    method: 'GET',
    path: '/-/metrics',
    outside: true,
    summary: 'Get the metrics of this process in Prometheus format',
    permission: 'metrics.read',
    status: 200,
    output: metricsOutput,
    // When the database is unavailable, the metrics of the process are still returned.
    async handle({ deps }) {
      const queue = measureQueue(deps).catch(() => ({ counts: [], ages: [] }))
      const mails = measureMails(deps).catch(() => [])
      const streams = measureStreams(deps).catch(() => [])
      const scans = countScans(deps).catch(() => ({ pending: 0, quarantined: 0 }))
      return deps.metrics.print({
        queue: await queue,
        mails: await mails,
        streams: await streams,
        scans: await scans,
      })
    },
  }),
]

/** Load balancers wait 2 seconds or longer for a health check. */
const readyTimeoutMs = 1_500

/** Returns undefined when the dependency responds in time, otherwise the reason why it does not. */
async function outageOf(what: string, answer: Promise<void>): Promise<{ reason: string; why: string } | undefined> {
  const timer = new AbortController()
  const isLate = sleep(readyTimeoutMs, true, { signal: timer.signal }).catch(() => false)
  try {
    if (!(await Promise.race([answer.then(() => false), isLate]))) return undefined
    return { reason: `${what} does not answer`, why: `${what} did not answer within ${readyTimeoutMs} ms` }
  } catch (error) {
    const reason = error instanceof Failure && error.cause.kind === 'unavailable' ? error.cause.reason : undefined
    return { reason: reason ?? `${what} does not answer`, why: error instanceof Error ? error.message : String(error) }
  } finally {
    timer.abort()
  }
}
