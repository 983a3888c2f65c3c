import { countExpired, type ExpiredRows } from '../../db/expired-rows.ts'
import { type Answer, NoResponse, post } from '../../platform/outgoing/send.ts'
import { instanceUrl } from '../../platform/settings/settings.ts'
import { endTrace, SpanKind, startTrace, traceparentOf } from '../../platform/tracing.ts'
import { version } from '../../platform/version.ts'
import { type Deps, transaction } from '../deps.ts'
import { type AnyJobKind, jobKind } from '../jobs/job.ts'
import { insertDelivery } from './delivery-queries.ts'
import {
  deleteOldEvents,
  endChatEvents,
  findNextEvent,
  type HookEvent,
  oldEvents,
  updateEvent,
} from './event-queries.ts'
import { type Hook, isOwnedBy } from './hook.ts'
import { bodyOf, eventNameOf } from './hook-event-body.ts'
import { addFailure, findHook, resetFailures, setSlowUntil } from './hook-queries.ts'
import { interpolatedUrl, redactSecrets } from './hook-secrets.ts'
import { deliveryKind, slowDeliveries } from './record.ts'
import { signatureHeaders } from './signature.ts'
import { randomUuid, uuidFrom } from './uuid.ts'

/** Limits of one run, after which other hooks get a turn. */
const maxInARow = 100
const longestRunMs = 5_000

/**
 * Duration from which a receiver counts as slow. It stays in the slow lane for some time after its last slow response.
 */
const slowMs = 1_000
const slowForMs = 10 * 60_000

/**
 * Sends a hook its waiting events, oldest first. While its receiver fails, all of its events wait, in order; other
 * hooks have jobs of their own. Delivery is at least once: after a crash the current event is sent again.
 */
export const deliveryJob: AnyJobKind = jobKind<{ hook_id: number }>({
  kind: deliveryKind,
  concurrency: 32,
  perOwner: 4,
  lanes: { [slowDeliveries]: { concurrency: 16, perOwner: 4 } },
  maxAttempts: 20,
  coalesces: true,
  async run(deps, { payload, signal, lane }) {
    const end = performance.now() + longestRunMs
    for (let sent = 0; sent < maxInARow && performance.now() < end; sent++) {
      signal.throwIfAborted()
      const hook = await findHook(deps.db, payload.hook_id)
      if (!hook || hook.disabledAt !== null) return undefined
      if (hook.disabledUntil !== null && isPaused(deps, hook)) return { againAt: hook.disabledUntil }
      const event = await findNextEvent(deps.db, hook.id)
      if (!event) return undefined
      const next = await deliver(deps, hook, event, signal)
      // Free the place in this lane, which is for receivers of the other speed.
      if (next !== lane) return { againAt: deps.now(), lane: next }
    }
    return { againAt: deps.now() }
  },
})

/** Sends one event. Returns the lane in which to send the next one. */
async function deliver(deps: Deps, hook: Hook, event: HookEvent, signal: AbortSignal): Promise<string> {
  const attempt = await attemptDelivery(deps, hook, event, signal)
  // A request aborted by the stopping process is not the receiver's failure.
  if (!attempt.answer) signal.throwIfAborted()
  const slowUntil = slowUntilAfter(deps, hook, attempt)
  await transaction(deps, async (deps) => {
    if (slowUntil !== hook.slowUntil) await setSlowUntil(deps.db, hook.id, slowUntil)
    await recordAttempt(deps, hook, event, attempt)
    await updateEvent(deps.db, event.id, !attempt.succeeded && event.attempts + 1 < maxAttempts(attempt))
    if (attempt.succeeded) return resetFailures(deps.db, hook.id)
    const until = new Date(Date.parse(deps.now()) + pauseMs(deps, hook.failures + 1)).toISOString()
    await addFailure(deps.db, hook.id, { until, at: hook.failures + 1 >= maxFailures ? deps.now() : null })
  })
  return slowUntil === null ? deliveryKind : slowDeliveries
}

/**
 * Returns until when the receiver counts as slow. A fast response does not end slowness at once, because some receivers
 * are slow only now and then.
 */
export function slowUntilAfter(
  deps: Pick<Deps, 'now'>,
  { slowUntil }: Pick<Hook, 'slowUntil'>,
  { durationMs }: Pick<Attempt, 'durationMs'>,
): string | null {
  if (durationMs > slowMs) return new Date(Date.parse(deps.now()) + slowForMs).toISOString()
  return slowUntil !== null && slowUntil > deps.now() ? slowUntil : null
}

/**
 * Returns true while deliveries are paused. Ignores a pause longer than the maximum, which was set by a wrong clock.
 */
function isPaused({ now }: Pick<Deps, 'now'>, { disabledUntil, failures }: Hook): boolean {
  const left = disabledUntil === null ? 0 : Date.parse(disabledUntil) - Date.parse(now())
  return left > 0 && left <= fullPauseMs(failures)
}

export interface Attempt {
  url: string
  requestHeaders: Record<string, string>
  answer: Answer | undefined
  /** Error message if there was no response. */
  error: string | null
  durationMs: number
  succeeded: boolean
}

const timeoutMs = 10_000
const maxResponseBytes = 8 * 1024

/** Sends an event once, without retries. */
export async function attemptDelivery(
  deps: Deps,
  hook: Hook,
  event: HookEvent,
  signal?: AbortSignal,
): Promise<Attempt> {
  const body = JSON.stringify(bodyOf(event.payload))
  const span = { name: 'deliver webhook', kind: SpanKind.PRODUCER, attributes: { 'alcove.hook.id': hook.id } }
  const trace = startTrace(span, deps.trace && traceparentOf(deps.trace))
  const requestHeaders = { ...headersFor(deps, hook, event, body), traceparent: traceparentOf(trace) }
  const started = performance.now()
  const [answer, error] = await post({
    url: interpolatedUrl(hook),
    headers: requestHeaders,
    body,
    timeoutMs,
    maxResponseBytes,
    verifiesCertificates: hook.verifiesCertificates,
    reachesPrivate: deps.settings.webhooksReachPrivate,
    resolve: deps.resolve,
    signal,
  }).then(
    (answer): [Answer, null] => [redactAnswer(hook, answer), null],
    (error: unknown): [undefined, string] => [undefined, redactSecrets(reasonOf(error), hook)],
  )
  endTrace(trace, answer ? { 'http.response.status_code': answer.status } : {}, error ?? undefined)
  return {
    url: hook.url,
    requestHeaders,
    answer,
    error,
    durationMs: Math.round(performance.now() - started),
    succeeded: answer !== undefined && answer.status >= 200 && answer.status <= 299,
  }
}

/** A receiver may repeat what it was sent, such as the path in a redirect. */
function redactAnswer(hook: Hook, { status, headers, body }: Answer): Answer {
  const redacted = Object.entries(headers).map(([name, value]) => [name, redactSecrets(value, hook)])
  return { status, headers: Object.fromEntries(redacted), body: redactSecrets(body, hook) }
}

/** Stores an attempt in the delivery log, with its secrets redacted. */
export function recordAttempt(deps: Deps, hook: Hook, event: HookEvent, attempt: Attempt): Promise<void> {
  const isSecret = (name: string) => name === 'X-Gitlab-Token' || Object.hasOwn(hook.customHeaders, name)
  const shown = Object.entries(attempt.requestHeaders).map(([name, value]) => [
    name,
    isSecret(name) ? '[REDACTED]' : value,
  ])
  const draft = {
    hookId: hook.id,
    eventId: event.id,
    url: attempt.url,
    requestHeaders: Object.fromEntries(shown),
    responseStatus: attempt.answer?.status ?? null,
    responseHeaders: attempt.answer?.headers ?? {},
    responseBody: attempt.answer?.body ?? '',
    error: attempt.error,
    durationMs: attempt.durationMs,
  }
  return insertDelivery(deps.db, draft, deps.now())
}

function headersFor(deps: Deps, hook: Hook, event: HookEvent, body: string): Record<string, string> {
  // Constant for all attempts, so that receivers can deduplicate.
  const id = uuidFrom(`${event.uuid} ${hook.id}`)
  return {
    ...hook.customHeaders,
    'Content-Type': 'application/json',
    'User-Agent': `Alcove/${version}`,
    'Idempotency-Key': id,
    'X-Gitlab-Event': isOwnedBy(hook, { kind: 'instance' }) ? 'System Hook' : eventNameOf(event.payload),
    'X-Gitlab-Webhook-UUID': randomUuid(deps),
    'X-Gitlab-Instance': instanceUrl(deps.settings),
    'X-Gitlab-Event-UUID': event.uuid,
    ...(hook.token !== null && { 'X-Gitlab-Token': hook.token }),
    ...(hook.signingToken !== null && signatureHeaders(hook.signingToken, { id, now: deps.now(), body })),
  }
}

/**
 * Returns the maximum number of attempts. An event that the receiver rejects blocks the others only briefly; a failing
 * receiver may recover.
 */
function maxAttempts({ answer }: Attempt): number {
  const refuses = answer !== undefined && answer.status >= 400 && answer.status <= 499
  return refuses && answer.status !== 408 && answer.status !== 429 ? 3 : 15
}

const firstPauseMs = 10_000
const longestPauseMs = 2 * 60 * 60 * 1000
/** Number of consecutive failures after which a hook is disabled, which takes some days. */
const maxFailures = 40

const fullPauseMs = (failures: number): number => Math.min(longestPauseMs, firstPauseMs * 2 ** (failures - 1))

/** Returns a pause that doubles with every failure, reduced by up to half at random. */
function pauseMs({ random }: Deps, failures: number): number {
  return Math.round(fullPauseMs(failures) * (0.5 + random(2).readUInt16BE() / 131_072))
}

function reasonOf(error: unknown): string {
  if (error instanceof NoResponse) return error.message
  throw error
}

/**
 * Ends the messages to chats that a restored backup contains in the queue, since they may have been sent after the backup
 * and a chat shows a repetition. Receivers of other webhooks recognise one by the `Idempotency-Key`, so their events stay.
 * Returns the number of messages.
 */
export function endRestoredChatMessages({ db }: Pick<Deps, 'db'>): Promise<number> {
  return endChatEvents(db)
}

const dayMs = 24 * 60 * 60 * 1000
const batchSize = 1000

export const countOldEvents = (deps: Deps): Promise<ExpiredRows> => countExpired(deps.db, oldEvents(endOf(deps)))

const endOf = ({ now, settings }: Deps): string =>
  new Date(Date.parse(now()) - settings.retentionDays.hookEvents * dayMs).toISOString()

/** Deletes events, delivered or not, and their delivery logs after `ALCOVE_WEBHOOK_RETENTION_DAYS`. */
export async function removeOldEvents(deps: Deps): Promise<void> {
  const before = endOf(deps)
  for (let gone = batchSize; gone === batchSize; ) gone = await deleteOldEvents(deps.db, before, batchSize)
}
