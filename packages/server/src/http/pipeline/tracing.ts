import type { IncomingMessage } from 'node:http'
import type { FastifyRequest, FastifyServerOptions } from 'fastify'
import type { RootDeps } from '../../domain/deps.ts'
import type { Log } from '../../platform/log.ts'
import { endTrace, SpanKind, startTrace, type Trace, traceFields } from '../../platform/tracing.ts'

const traces = new WeakMap<object, Trace>()

/** Returns the trace of a request, and starts it when it is first needed. */
export function traceOf(raw: Pick<IncomingMessage, 'headers' | 'method'>): Trace {
  const known = traces.get(raw)
  if (known) return known
  const { traceparent } = raw.headers
  const start = { name: raw.method ?? 'HTTP', kind: SpanKind.SERVER }
  const started = startTrace(start, typeof traceparent === 'string' ? traceparent : undefined)
  traces.set(raw, started)
  return started
}

/** Adds the ids of the trace to every log line of the request. */
export const tracedLogger: NonNullable<FastifyServerOptions['childLoggerFactory']> = (log, bindings, options, raw) =>
  log.child({ ...bindings, ...traceFields(traceOf(raw)) }, options)

/** Dependencies that belong to the request: its trace, and a log whose lines name it. */
export function tracedDeps({ raw, log }: FastifyRequest): Pick<RootDeps, 'log' | 'trace'> {
  // Fastify's type of the logger has fewer methods than the logger that it was given.
  return { trace: traceOf(raw), log: log as Log }
}

/** Ends the span of a request, named by its route because paths have ids. */
export function endRequestTrace({ raw, method }: FastifyRequest, route: string, status: number): void {
  const trace = traceOf(raw)
  if (!trace.span) return
  trace.span.updateName(`${method} ${route}`)
  const attributes = { 'http.request.method': method, 'http.route': route, 'http.response.status_code': status }
  endTrace(trace, attributes, status >= 500 ? new Error(`status ${status}`) : undefined)
}
