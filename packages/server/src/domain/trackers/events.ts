import { createHash, createHmac, timingSafeEqual } from 'node:crypto'
import { notFound, unauthenticated } from '../../platform/failure.ts'
import { type Deps, transaction } from '../deps.ts'
import { recordTrackerEvent } from './audited-tracker.ts'
import { queueIssueSync } from './sync-issue.ts'
import type { Tracker, TrackerKind, TrackerOwner } from './tracker.ts'
import { listSynchronizedLinks } from './tracker-issue-queries.ts'
import { findTrackerById, findTrackerOf, updateEventAt, updateEventsSecret } from './tracker-queries.ts'

const secretBytes = 32

/** Generates the secret of the tracker's events, in place of the former one. It is returned only here. */
export async function rotateEventsSecret(
  deps: Deps,
  owner: TrackerOwner,
): Promise<{ tracker: Tracker; secret: string }> {
  const secret = deps.random(secretBytes).toString('base64url')
  return { tracker: await saveSecret(deps, owner, secret), secret }
}

/** Removes the secret, so that events are refused. */
export async function removeEventsSecret(deps: Deps, owner: TrackerOwner): Promise<void> {
  await saveSecret(deps, owner, null)
}

function saveSecret(deps: Deps, owner: TrackerOwner, secret: string | null): Promise<Tracker> {
  return transaction(deps, async (deps) => {
    const before = await findTrackerOf(deps.db, owner)
    const after = before && (await updateEventsSecret(deps.db, owner, { secret, now: deps.now() }))
    if (!after) throw notFound()
    await recordTrackerEvent(deps, owner, { before, after })
    return after
  })
}

/** A request of a tracker, as it was sent. */
export interface TrackerEvent {
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  readonly body: Buffer
}

/** The time of events is stored at most once in this time. */
const eventPrecisionMs = 60_000

/**
 * Queues the synchronisation of the issue that a tracker reports as changed. Of the body only the issue's key is read: the
 * state comes from the tracker's API. An unknown tracker and a wrong secret are not distinguished.
 */
export async function receiveEvent(deps: Deps, trackerId: number, event: TrackerEvent): Promise<void> {
  const tracker = await findTrackerById(deps.db, trackerId)
  if (!tracker?.eventsSecret || !isAuthentic(tracker.kind, tracker.eventsSecret, event)) throw unauthenticated()
  await transaction(deps, async (deps) => {
    const now = deps.now()
    const since = new Date(Date.parse(now) - eventPrecisionMs).toISOString()
    await updateEventAt(deps.db, tracker.id, { now, since })
    const key = issueKeyIn(tracker.kind, event.body)
    if (key === undefined) return
    const links = await listSynchronizedLinks(deps.db, tracker.id, [key])
    if (links.length > 0) await queueIssueSync(deps, tracker.id, key)
  })
}

/** Verifies the secret or the signature that a tracker of this kind sends. */
function isAuthentic(kind: TrackerKind, secret: string, { headers, body }: TrackerEvent): boolean {
  const header = (name: string) => {
    const value = headers[name]
    return typeof value === 'string' ? value : ''
  }
  const isSigned = (signature: string) =>
    isEqual(signature.replace(/^sha256=/, ''), createHmac('sha256', secret).update(body).digest('hex'))
  switch (kind) {
    case 'gitlab':
      return isEqual(header('x-gitlab-token'), secret)
    case 'github':
      return isSigned(header('x-hub-signature-256'))
    case 'gitea':
      return isSigned(header('x-gitea-signature'))
    case 'jira':
      // Rules of Jira's automation cannot sign their requests, but can send a header.
      return isSigned(header('x-hub-signature')) || isEqual(header('x-alcove-token'), secret)
  }
}

/** Compares two texts in a time that depends on neither. */
function isEqual(given: string, expected: string): boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest()
  return timingSafeEqual(digest(given), digest(expected))
}

/** Returns the number or key of the issue that an event is about. */
function issueKeyIn(kind: TrackerKind, body: Buffer): string | undefined {
  const event = parsed(body)
  if (kind === 'gitlab') return textOf(objectIn(event, 'object_attributes')['iid'])
  return textOf(objectIn(event, 'issue')[kind === 'jira' ? 'key' : 'number'])
}

type Fields = Readonly<Record<string, unknown>>

function parsed(body: Buffer): Fields {
  try {
    return asFields(JSON.parse(body.toString()))
  } catch {
    return {}
  }
}

const asFields = (value: unknown): Fields => (typeof value === 'object' && value !== null ? (value as Fields) : {}) // any object
const objectIn = (fields: Fields, name: string): Fields => asFields(fields[name])

/** Returns a number or a key such as `SHOP-17`, and nothing else. */
function textOf(value: unknown): string | undefined {
  const text = typeof value === 'string' || typeof value === 'number' ? String(value) : ''
  return /^[\w-]{1,255}$/.test(text) ? text : undefined
}
