import type { Deps } from '../deps.ts'
import { enqueue } from '../jobs/job.ts'
import {
  type EventDraft,
  insertEvents,
  isHookListening,
  type ListeningHook,
  listListeningHooks,
} from './event-queries.ts'
import { acceptsEvent, acceptsOwner, type NewEvent } from './filter.ts'
import type { EventKind, Hook, HookOwner } from './hook.ts'
import { formatEvents } from './hook-format.ts'
import { randomUuid } from './uuid.ts'

/** Hooks that receive the events of a project, of a group or of the instance. */
export interface Listeners {
  isEmpty: boolean
  /** Whether a hook filters by ref, so that vulnerability events need their refs. */
  filtersRefs: boolean
  /** Ids of the saved views that filter hooks, so that vulnerability events need the views that contain them. */
  viewIds: readonly number[]
  /** Stores events of one kind in the transaction that makes the changes. */
  record(events: readonly NewEvent[]): Promise<void>
  /** Queues the deliveries. */
  send(): Promise<void>
}

/** Returns whether any webhook is subscribed to events of this kind. */
export function hasListeners({ db }: Deps, kind: EventKind): Promise<boolean> {
  return isHookListening(db, kind)
}

export async function findListeners(deps: Deps, owner: HookOwner, kind: EventKind): Promise<Listeners> {
  const hooks = (await listListeningHooks(deps.db, owner, kind)).filter((hook) => acceptsOwner(hook, owner))
  return {
    isEmpty: hooks.length === 0,
    filtersRefs: hooks.some(({ refs }) => refs !== null),
    viewIds: [...new Set(hooks.flatMap(({ savedViewId }) => savedViewId ?? []))],
    async record(events) {
      // Hooks share the uuid of an event that they receive in GitLab's format.
      const named = events.map((event) => ({ ...event, uuid: randomUuid(deps) }))
      const drafts = hooks.flatMap((hook) => draftsFor(deps, hook, named))
      if (drafts.length > 0) await insertEvents(deps.db, drafts, deps.now())
    },
    async send() {
      for (const hook of hooks) await enqueueDeliveries(deps, hook)
    },
  }
}

/** Records events with the given bodies, which are described only if a hook receives them. */
export async function recordEvents(
  deps: Deps,
  owner: HookOwner,
  kind: EventKind,
  describe: () => readonly NewEvent[] | Promise<readonly NewEvent[]>,
): Promise<void> {
  const listeners = await findListeners(deps, owner, kind)
  if (listeners.isEmpty) return
  await listeners.record(await describe())
  await listeners.send()
}

function draftsFor(deps: Deps, hook: ListeningHook, named: readonly (NewEvent & { uuid: string })[]): EventDraft[] {
  const { id: hookId, format } = hook
  const received = named.filter((event) => acceptsEvent(hook, event))
  if (format === 'gitlab') return received.map(({ body, uuid }) => ({ hookId, uuid, payload: body }))
  const formatted = formatEvents(
    format,
    received.map(({ body }) => body),
  )
  return formatted.map((payload) => ({ hookId, uuid: randomUuid(deps), payload }))
}

export const deliveryKind = 'webhook'
export const deliveryKey = (hookId: number) => `hook:${hookId}`

export const slowDeliveries = 'webhook:slow'

/** Queues a job that sends the hook all of its waiting events. Projects, groups and the instance take turns. */
export async function enqueueDeliveries(
  deps: Deps,
  { id, projectId, namespaceId, slowUntil }: Pick<Hook, 'id' | 'projectId' | 'namespaceId' | 'slowUntil'>,
): Promise<void> {
  await enqueue(deps, {
    kind: deliveryKind,
    key: deliveryKey(id),
    lane: slowUntil !== null && slowUntil > deps.now() ? slowDeliveries : deliveryKind,
    owner: ownerName(projectId, namespaceId),
    payload: { hook_id: id },
  })
}

function ownerName(projectId: number | null, namespaceId: number | null): string {
  if (projectId !== null) return `project:${projectId}`
  return namespaceId === null ? 'instance' : `group:${namespaceId}`
}
