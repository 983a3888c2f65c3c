import type { Deps } from '../deps.ts'
import { enqueue } from '../jobs/job.ts'
import { insertEvents, type ListeningHook, listListeningHooks } from './event-queries.ts'
import type { EventKind, HookOwner } from './hook.ts'
import { randomUuid } from './uuid.ts'

/** Hooks that receive the events of a project or group. */
export interface Listeners {
  isEmpty: boolean
  /** Stores events in the transaction that makes the changes. */
  record(payloads: readonly object[]): Promise<void>
  /** Queues the deliveries. */
  send(): Promise<void>
}

export async function findListeners(deps: Deps, owner: HookOwner, kind: EventKind): Promise<Listeners> {
  const hooks = await listListeningHooks(deps.db, owner, kind)
  const hookIds = hooks.map(({ id }) => id)
  return {
    isEmpty: hookIds.length === 0,
    async record(payloads) {
      if (hookIds.length === 0 || payloads.length === 0) return
      const events = payloads.map((payload) => ({ uuid: randomUuid(deps), payload }))
      await insertEvents(deps.db, hookIds, events, deps.now())
    },
    async send() {
      for (const hook of hooks) await enqueueDeliveries(deps, hook)
    },
  }
}

export const deliveryKind = 'webhook'
export const deliveryKey = (hookId: number) => `hook:${hookId}`

export const slowDeliveries = 'webhook:slow'

/** Queues a job that sends the hook all of its waiting events. Projects and groups take turns. */
export async function enqueueDeliveries(
  deps: Deps,
  { id, projectId, namespaceId, slowUntil }: ListeningHook,
): Promise<void> {
  await enqueue(deps, {
    kind: deliveryKind,
    key: deliveryKey(id),
    lane: slowUntil !== null && slowUntil > deps.now() ? slowDeliveries : deliveryKind,
    owner: projectId === null ? `group:${namespaceId}` : `project:${projectId}`,
    payload: { hook_id: id },
  })
}
