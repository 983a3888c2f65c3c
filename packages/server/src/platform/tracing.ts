import { randomUUID } from 'node:crypto'
import {
  type Attributes,
  type Context,
  context,
  isSpanContextValid,
  ProxyTracerProvider,
  ROOT_CONTEXT,
  type Span,
  SpanKind,
  SpanStatusCode,
  trace as tracing,
} from '@opentelemetry/api'

export { SpanKind }

/** Part of a distributed trace: a request, a job or a delivery, by its ids of W3C Trace Context. */
export interface Trace {
  /** 32 hex digits, shared by all parts. */
  readonly traceId: string
  /** 16 hex digits. */
  readonly spanId: string
  /** Two hex digits. */
  readonly flags: string
  /** Span of an OpenTelemetry SDK, if one is loaded. */
  readonly span: Span | undefined
}

export interface SpanStart {
  name: string
  kind: SpanKind
  attributes?: Attributes
}

/** Starts a part of the trace that a `traceparent` names, or of a new trace when it is absent or invalid. */
export function startTrace({ name, kind, attributes = {} }: SpanStart, traceparent?: string): Trace {
  const parent = traceparent === undefined ? undefined : parseTraceparent(traceparent)
  if (!hasSdk()) return new IdsOnDemand(parent)
  // The tracer of the SDK that the operator has loaded.
  const span = tracing.getTracer('alcove').startSpan(name, { kind, attributes }, contextOf(parent))
  const own = span.spanContext()
  // Without an SDK the span has the ids of its parent, or none.
  if (isSpanContextValid(own) && own.spanId !== parent?.spanId) {
    return { traceId: own.traceId, spanId: own.spanId, flags: own.traceFlags.toString(16).padStart(2, '0'), span }
  }
  return new IdsOnDemand(parent)
}

/** Returns true if an SDK may have registered tracers. Another copy of the API may have done it. */
function hasSdk(): boolean {
  const provider = tracing.getTracerProvider()
  return !(provider instanceof ProxyTracerProvider) || provider.getDelegateTracer('alcove') !== undefined
}

/** A trace without a span, whose ids are made when they are first read: most requests need none. */
class IdsOnDemand implements Trace {
  readonly flags: string
  readonly span = undefined
  private ownTraceId: string | undefined
  private ownSpanId: string | undefined

  constructor(parent: ParentTrace | undefined) {
    this.ownTraceId = parent?.traceId
    this.flags = parent?.flags ?? '00'
  }

  get traceId(): string {
    this.ownTraceId ??= randomHex()
    return this.ownTraceId
  }

  get spanId(): string {
    this.ownSpanId ??= randomHex().slice(0, 16)
    return this.ownSpanId
  }
}

/** Ends the span of an SDK. */
export function endTrace({ span }: Trace, attributes: Attributes = {}, error?: unknown): void {
  if (!span) return
  span.setAttributes(attributes)
  if (error !== undefined) {
    span.setStatus({ code: SpanStatusCode.ERROR, message: error instanceof Error ? error.message : String(error) })
  }
  span.end()
}

/** Runs `work` with the span as the active one, so that instrumentations of an SDK create their spans below it. */
export function runInTrace<T>({ span }: Trace, work: () => T): T {
  return span ? context.with(tracing.setSpan(context.active(), span), work) : work()
}

/** Runs `work` as a part of a trace of its own. */
export async function inTrace<T>(
  start: SpanStart,
  traceparent: string | undefined,
  work: (trace: Trace) => Promise<T>,
): Promise<T> {
  const started = startTrace(start, traceparent)
  try {
    const result = await runInTrace(started, () => work(started))
    endTrace(started)
    return result
  } catch (error) {
    endTrace(started, {}, error)
    throw error
  }
}

/** Returns the header by which another program continues the trace. */
export function traceparentOf({ traceId, spanId, flags }: Trace): string {
  return `00-${traceId}-${spanId}-${flags}`
}

/** Fields of log lines, in OpenTelemetry's names. */
export const traceFields = ({ traceId, spanId }: Trace) => ({ trace_id: traceId, span_id: spanId })

interface ParentTrace {
  traceId: string
  spanId: string
  flags: string
}

/** Parses the header of W3C Trace Context. Later versions may have more fields, version 00 may not. */
export function parseTraceparent(header: string): ParentTrace | undefined {
  const [, version = 'ff', traceId = '', spanId = '', flags = '', more] =
    /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/.exec(header.trim()) ?? []
  if (version === 'ff' || (version === '00' && more !== undefined)) return undefined
  if (/^0+$/.test(traceId) || /^0+$/.test(spanId)) return undefined
  return { traceId, spanId, flags }
}

function contextOf(parent: ParentTrace | undefined): Context {
  if (!parent) return ROOT_CONTEXT
  const { traceId, spanId, flags } = parent
  return tracing.setSpanContext(ROOT_CONTEXT, {
    traceId,
    spanId,
    traceFlags: Number.parseInt(flags, 16),
    isRemote: true,
  })
}

/** Node keeps random bytes for UUIDs ready, which makes them the cheapest source. A version digit is never zero. */
const randomHex = (): string => randomUUID().replaceAll('-', '')
