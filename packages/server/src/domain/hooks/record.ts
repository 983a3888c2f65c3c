import type { Deps } from '../deps.ts'
import { type Severity, severityRanks } from '../findings/scales.ts'
import { enqueue } from '../jobs/job.ts'
import { type EventDraft, insertEvents, type ListeningHook, listListeningHooks } from './event-queries.ts'
import type { EventKind, Hook, HookOwner } from './hook.ts'
import type { EventBody } from './hook-event-body.ts'
import { formatEvents } from './hook-format.ts'
import { randomUuid } from './uuid.ts'

/** Hooks that receive the events of a project or group. */
export interface Listeners {
  isEmpty: boolean
  /** Stores events of one kind in the transaction that makes the changes. */
  record(events: readonly EventBody[]): Promise<void>
  /** Queues the deliveries. */
  send(): Promise<void>
}

export async function findListeners(deps: Deps, owner: HookOwner, kind: EventKind): Promise<Listeners> {
  const hooks = await listListeningHooks(deps.db, owner, kind)
  return {
    isEmpty: hooks.length === 0,
    async record(events) {
      // Hooks share the uuid of an event that they receive in GitLab's format.
      const named = events.map((event) => ({ event, uuid: randomUuid(deps) }))
      const drafts = hooks.flatMap((hook) => draftsFor(deps, hook, named))
      if (drafts.length > 0) await insertEvents(deps.db, drafts, deps.now())
    },
    async send() {
      for (const hook of hooks) await enqueueDeliveries(deps, hook)
    },
  }
}

function draftsFor(
  deps: Deps,
  { id: hookId, format, minSeverity }: ListeningHook,
  named: readonly { event: EventBody; uuid: string }[],
): EventDraft[] {
  const received = named.filter(({ event }) => isSevereEnough(event, minSeverity))
  if (format === 'gitlab') return received.map(({ event, uuid }) => ({ hookId, uuid, payload: event }))
  const formatted = formatEvents(
    format,
    received.map(({ event }) => event),
  )
  return formatted.map((payload) => ({ hookId, uuid: randomUuid(deps), payload }))
}

function isSevereEnough(event: EventBody, least: Severity | null): boolean {
  if (least === null || event.object_kind !== 'vulnerability') return true
  return severityRanks[event.object_attributes.severity] >= severityRanks[least]
}

export const deliveryKind = 'webhook'
export const deliveryKey = (hookId: number) => `hook:${hookId}`

export const slowDeliveries = 'webhook:slow'

/** Queues a job that sends the hook all of its waiting events. Projects and groups take turns. */
export async function enqueueDeliveries(
  deps: Deps,
  { id, projectId, namespaceId, slowUntil }: Pick<Hook, 'id' | 'projectId' | 'namespaceId' | 'slowUntil'>,
): Promise<void> {
  await enqueue(deps, {
    kind: deliveryKind,
    key: deliveryKey(id),
    lane: slowUntil !== null && slowUntil > deps.now() ? slowDeliveries : deliveryKind,
    owner: projectId === null ? `group:${namespaceId}` : `project:${projectId}`,
    payload: { hook_id: id },
  })
}
