import type { IncomingMessage } from 'node:http'
import type { FastifyRequest, FastifyServerOptions } from 'fastify'
import type { Log } from '../../platform/log.ts'
import { endTrace, SpanKind, startTrace, type Trace, traceFields } from '../../platform/tracing.ts'

const ownTrace = Symbol('trace')

/** A property of the request: a WeakMap with an entry for each request costs the garbage collector more. */
type Traced = Pick<IncomingMessage, 'headers' | 'method'> & { [ownTrace]?: Trace }

/** Returns the trace of a request, and starts it when it is first needed. */
export function traceOf(raw: Traced): Trace {
  const known = raw[ownTrace]
  if (known) return known
  const { traceparent } = raw.headers
  const start = { name: raw.method ?? 'HTTP', kind: SpanKind.SERVER }
  const started = startTrace(start, typeof traceparent === 'string' ? traceparent : undefined)
  raw[ownTrace] = started
  return started
}

type LoggerFactory = NonNullable<FastifyServerOptions['childLoggerFactory']>
type RequestLog = ReturnType<LoggerFactory>

const ownFacts = Symbol('facts')

interface LazyLog extends RequestLog {
  [ownFacts]?: RequestFacts
}

/** What the logger of a request is made of, when its first line is written. */
interface RequestFacts {
  bindings: Parameters<LoggerFactory>[1]
  options: Parameters<LoggerFactory>[2]
  raw: Parameters<LoggerFactory>[3]
  made?: RequestLog
}

const loggingMethods = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'child'] as const

/**
 * Returns a factory of loggers that add the ids of the request and its trace to every line. Most requests write none, so a
 * logger is made for the first line.
 */
export function openRequestLogs(): LoggerFactory {
  let parent: RequestLog | undefined
  let prototype: object = {}

  return (log, bindings, options, raw) => {
    if (parent !== log) {
      parent = log
      prototype = prototypeOf(log)
    }
    const lazy: LazyLog = Object.create(prototype)
    lazy[ownFacts] = { bindings, options, raw }
    return lazy
  }

  /** Everything but the methods that write lines is inherited from the log of the process. */
  function prototypeOf(log: RequestLog): object {
    const methods = loggingMethods.map((name) => [
      name,
      {
        value(this: LazyLog, ...args: unknown[]) {
          const made = loggerOf(log, this)
          return Reflect.apply(made[name], made, args)
        },
      },
    ])
    return Object.create(log, Object.fromEntries(methods))
  }

  function loggerOf(log: RequestLog, lazy: LazyLog): RequestLog {
    const known = lazy[ownFacts]
    if (!known) return log
    const { bindings, options, raw } = known
    known.made ??= log.child({ ...bindings, ...traceFields(traceOf(raw)) }, options)
    return known.made
  }
}

/** Dependencies that belong to the request: its trace, and a log whose lines name it. */
export function tracedDeps({ raw, log }: FastifyRequest): { trace: Trace; log: Log } {
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
