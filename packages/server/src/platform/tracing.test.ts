import { type Context, type Span, type SpanContext, type SpanOptions, trace } from '@opentelemetry/api'
import { afterEach, expect, test } from 'vitest'
import { endTrace, inTrace, parseTraceparent, SpanKind, startTrace, traceparentOf } from './tracing.ts'

const traceId = '4bf92f3577b34da6a3ce929d0e0e4736'
const spanId = '00f067aa0ba902b7'
const header = `00-${traceId}-${spanId}-01`
const start = { name: 'test', kind: SpanKind.SERVER }

afterEach(() => trace.disable())

test('a valid traceparent is continued with a span of its own', () => {
  const continued = startTrace(start, header)
  expect(continued).toMatchObject({ traceId, flags: '01', span: undefined })
  expect(continued.spanId).toMatch(/^[0-9a-f]{16}$/)
  expect(continued.spanId).not.toBe(spanId)
  expect(parseTraceparent(traceparentOf(continued))).toMatchObject({ traceId, spanId: continued.spanId, flags: '01' })
})

test.each([
  '',
  'garbage',
  `00-${traceId}-${spanId}`,
  `ff-${traceId}-${spanId}-01`,
  `00-${traceId}-${spanId}-01-more`,
  `00-${'0'.repeat(32)}-${spanId}-01`,
  `00-${traceId}-${'0'.repeat(16)}-01`,
  `00-${traceId.toUpperCase()}-${spanId}-01`,
  `00-${traceId.slice(1)}-${spanId}-01`,
])('the traceparent %j is ignored', (wrong) => {
  const fresh = startTrace(start, wrong)
  expect(fresh.traceId).toMatch(/^[0-9a-f]{32}$/)
  expect(fresh.traceId).not.toBe(traceId)
})

test('a later version may have more fields', () => {
  expect(parseTraceparent(`01-${traceId}-${spanId}-01-more`)).toEqual({ traceId, spanId, flags: '01' })
})

test('an SDK that registers itself with the API sees spans below their parent, and their errors', async () => {
  const spans: { name: string; parent: SpanContext | undefined; status?: object; isEnded: boolean }[] = []
  trace.setGlobalTracerProvider({
    getTracer: () => ({
      startSpan(name: string, _options?: SpanOptions, parentContext?: Context): Span {
        const parent = parentContext && trace.getSpanContext(parentContext)
        const recorded: (typeof spans)[number] = { name, parent, isEnded: false }
        const span = trace.wrapSpanContext({
          traceId: parent?.traceId ?? 'a'.repeat(32),
          spanId: `${spans.length + 1}`.padStart(16, '0'),
          traceFlags: 1,
        })
        spans.push(recorded)
        return Object.assign(span, {
          setStatus(status: object) {
            recorded.status = status
            return span
          },
          end() {
            recorded.isEnded = true
          },
        })
      },
      startActiveSpan() {
        throw new Error('not used')
      },
    }),
  })
  const request = startTrace(start, header)
  expect(request).toMatchObject({ traceId, spanId: '0000000000000001', flags: '01' })
  const failing = inTrace({ name: 'job', kind: SpanKind.CONSUMER }, traceparentOf(request), () =>
    Promise.reject(new Error('no')),
  )
  await expect(failing).rejects.toThrow('no')
  endTrace(request)
  expect(spans).toMatchObject([
    { name: 'test', parent: { traceId, spanId, isRemote: true }, isEnded: true },
    { name: 'job', parent: { spanId: request.spanId }, status: { message: 'no' }, isEnded: true },
  ])
})

test('a trace costs little without an SDK', () => {
  const rounds = 20_000
  const started = performance.now()
  for (let round = 0; round < rounds; round++) startTrace(start, header)
  const microseconds = ((performance.now() - started) * 1000) / rounds
  expect(microseconds).toBeLessThan(200)
})
