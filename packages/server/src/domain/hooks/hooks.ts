import { perDatabase } from '../../db/cache.ts'
import { Failure, invalid, notFound, unprocessable } from '../../platform/failure.ts'
import { isUsableUrl } from '../../platform/outgoing/usable-url.ts'
import { type Deps, type RootDeps, transaction } from '../deps.ts'
import { runJobsNow } from '../jobs/jobs.ts'
import { lockNamespace } from '../namespaces/namespaces.ts'
import { lockInstance } from '../namespaces/organizations.ts'
import { maxCountedRows, type Page, type PageRequest, pageOf } from '../page.ts'
import { lockProject } from '../projects/projects.ts'
import { describeHookChange, recordHookEvent } from './audited-hook.ts'
import { type Attempt, attemptDelivery, recordAttempt } from './deliver.ts'
import { countDeliveries, type Delivery, findDelivery, newestDeliveries, type StatusRange } from './delivery-queries.ts'
import { type HookEvent, insertTestEvent } from './event-queries.ts'
import { type Hook, type HookDraft, type HookOwner, isOwnedBy } from './hook.ts'
import type { EventBody } from './hook-event-body.ts'
import { formatEvents } from './hook-format.ts'
import {
  countHooks,
  deleteHook,
  findHook,
  insertHook,
  listHookIdsOfView,
  listHooks,
  lockHook,
  resetFailures,
  updateHook,
} from './hook-queries.ts'
import { assertHeadersUsable, assertVariablesUsable, interpolatedUrl } from './hook-secrets.ts'
import { deliveryKey, enqueueDeliveries } from './record.ts'
import { randomUuid } from './uuid.ts'

export type { Delivery, StatusRange }

/** Maximum number of hooks of one owner. */
const maxHooks = { project: 100, group: 50, instance: 50 } as const

export async function findHooks({ db }: Deps, owner: HookOwner, page: PageRequest): Promise<Page<Hook>> {
  const [rows, total] = await Promise.all([listHooks(db, owner, page.offset, page.perPage), countHooks(db, owner)])
  return pageOf(page, rows, total)
}

export async function getHook({ db }: Deps, owner: HookOwner, id: number): Promise<Hook> {
  const hook = await findHook(db, id)
  if (!hook || !isOwnedBy(hook, owner)) throw notFound()
  return hook
}

/** Returns the ids of the webhooks that a saved view filters. */
export const hooksOfView = ({ db }: Deps, savedViewId: number): Promise<number[]> => listHookIdsOfView(db, savedViewId)

export function createHook(deps: Deps, owner: HookOwner, draft: HookDraft): Promise<Hook> {
  assertUsable(deps, draft)
  return transaction(deps, async (deps) => {
    // The lock prevents concurrent additions beyond the limit.
    await lockPlace(deps, owner)
    const max = maxHooks[owner.kind]
    if ((await countHooks(deps.db, owner)) >= max) {
      throw unprocessable(`Maximum number of ${owner.kind} hooks (${max}) exceeded`)
    }
    const hook = await insertHook(deps.db, owner, draft, deps.now())
    await recordHookEvent(deps, 'webhook_created', owner, { hook })
    return hook
  })
}

async function lockPlace({ db }: Deps, owner: HookOwner): Promise<void> {
  if (owner.kind === 'instance') return lockInstance(db)
  await (owner.kind === 'project' ? lockProject : lockNamespace)(db, owner.id)
}

/** Changes of a hook. Headers and variables are added to the present ones. */
export type HookChanges = Partial<HookDraft>

/**
 * Updates a hook. A new URL, or a variable that changes its host, removes the secrets, which were agreed with the former
 * receiver.
 */
export function changeHook(deps: Deps, owner: HookOwner, id: number, changes: HookChanges): Promise<Hook> {
  return transaction(deps, async (deps) => {
    const hook = await lockOwned(deps, owner, id)
    const isElsewhere = leadsElsewhere(hook, changes)
    const kept = isElsewhere ? { ...hook, ...noSecrets } : hook
    const customHeaders = { ...kept.customHeaders, ...changes.customHeaders }
    const urlVariables = { ...kept.urlVariables, ...changes.urlVariables }
    const draft = { ...kept, ...changes, customHeaders, urlVariables }
    assertUsable(deps, draft)
    const changed = await updateHook(deps.db, id, draft, deps.now())
    if (!changed) throw notFound()
    await recordHookEvent(deps, 'webhook_updated', owner, { hook: changed, changes: describeHookChange(hook, draft) })
    if (!isElsewhere) return changed
    // The failures were those of the former receiver.
    return { ...changed, ...(await startAnew(deps, hook)) }
  })
}

function leadsElsewhere(hook: Hook, { url = hook.url, urlVariables }: HookChanges): boolean {
  const changed = { url, urlVariables: { ...hook.urlVariables, ...urlVariables } }
  return url !== hook.url || originOf(interpolatedUrl(changed)) !== originOf(interpolatedUrl(hook))
}

const originOf = (url: string): string => (URL.canParse(url) ? new URL(url).origin : '')

const noSecrets = { token: null, signingToken: null, customHeaders: {}, urlVariables: {} }

/** Kinds of secret values that a hook has by name, with GitLab's noun. */
const secretNouns = { customHeaders: 'Custom header', urlVariables: 'URL variable' } as const
export type SecretKind = keyof typeof secretNouns

export async function setSecret(
  deps: Deps,
  owner: HookOwner,
  id: number,
  { kind, key, value }: { kind: SecretKind; key: string; value: string },
): Promise<void> {
  await changeHook(deps, owner, id, { [kind]: { [key]: value } })
}

export function removeSecret(
  deps: Deps,
  owner: HookOwner,
  id: number,
  { kind, key }: { kind: SecretKind; key: string },
): Promise<void> {
  return transaction(deps, async (deps) => {
    const hook = await lockOwned(deps, owner, id)
    const { [key]: removed, ...left } = hook[kind]
    if (removed === undefined) throw notFound(secretNouns[kind])
    const draft = { ...hook, [kind]: left }
    assertUsable(deps, draft)
    await updateHook(deps.db, id, draft, deps.now())
    await recordHookEvent(deps, 'webhook_updated', owner, { hook })
  })
}

async function lockOwned({ db }: Deps, owner: HookOwner, id: number): Promise<Hook> {
  const hook = await lockHook(db, id)
  if (!hook || !isOwnedBy(hook, owner)) throw notFound()
  return hook
}

export function removeHook(deps: Deps, owner: HookOwner, id: number): Promise<void> {
  return transaction(deps, async (deps) => {
    const hook = await getHook(deps, owner, id)
    if (!(await deleteHook(deps.db, owner, id))) throw notFound()
    await recordHookEvent(deps, 'webhook_destroyed', owner, { hook })
  })
}

export async function findDeliveries(
  { db }: Deps,
  hook: Hook,
  statuses: readonly StatusRange[] | undefined,
  page: PageRequest,
): Promise<Page<Delivery>> {
  const [rows, total] = await Promise.all([
    newestDeliveries(db, hook.id, { statuses, offset: page.offset, perPage: page.perPage }),
    countDeliveries(db, hook.id, statuses, maxCountedRows),
  ])
  return pageOf(page, rows, total)
}

/** Sends a test event immediately. Success enables a disabled hook again. */
export async function testHook(deps: RootDeps, hook: Hook, event: EventBody): Promise<void> {
  countTry(deps, hook)
  const [payload = event] = formatEvents(hook.format, [event])
  const draft = { hookId: hook.id, uuid: randomUuid(deps), payload }
  const attempt = await sendNow(deps, hook, await insertTestEvent(deps.db, draft, deps.now()))
  if (attempt.succeeded) await startAnew(deps, hook)
  else throw unprocessable(attempt.error ?? (attempt.answer?.body || `the receiver answered ${attempt.answer?.status}`))
}

/** Sends a logged delivery again immediately. Returns the response's status. */
export async function resendDelivery(deps: RootDeps, hook: Hook, deliveryId: number): Promise<number> {
  const delivery = await findDelivery(deps.db, hook.id, deliveryId)
  if (!delivery) throw notFound()
  if (delivery.url !== hook.url) throw unprocessable('The hook URL has changed. This log entry cannot be retried.')
  countTry(deps, hook)
  const uuid = delivery.requestHeaders['X-Gitlab-Event-UUID'] ?? ''
  const event = { id: delivery.eventId, hookId: hook.id, uuid, payload: delivery.payload, attempts: 0 }
  const { answer, error } = await sendNow(deps, hook, event)
  if (!answer) throw unprocessable(error ?? '')
  return answer.status
}

async function sendNow(deps: Deps, hook: Hook, event: HookEvent): Promise<Attempt> {
  const attempt = await attemptDelivery(deps, hook, event)
  await recordAttempt(deps, hook, event, attempt)
  return attempt
}

async function startAnew(deps: Deps, hook: Hook): Promise<Pick<Hook, 'failures' | 'disabledUntil' | 'disabledAt'>> {
  await transaction(deps, async (deps) => {
    await resetFailures(deps.db, hook.id)
    await runJobsNow(deps, deliveryKey(hook.id))
    if (hook.disabledAt !== null) await enqueueDeliveries(deps, hook)
  })
  return { failures: 0, disabledUntil: null, disabledAt: null }
}

function assertUsable({ settings }: Deps, draft: HookDraft): void {
  assertVariablesUsable(draft)
  if (!isUsableUrl(interpolatedUrl(draft), settings.webhooksReachPrivate)) {
    throw new Failure({ kind: 'unprocessable-parameter', sentence: 'Invalid url given' })
  }
  assertHeadersUsable(draft.customHeaders)
  // A header cannot contain other characters.
  if (draft.token !== null && !/^[\x20-\x7e]*$/.test(draft.token)) {
    throw unprocessable('the token may hold printable ASCII characters only')
  }
  assertFilters(draft)
}

const maxFilterValues = 100
const maxRefLength = 255

function assertFilters({ refs, projectIds }: HookDraft): void {
  const isLong = (values: readonly unknown[] | null) => values !== null && values.length > maxFilterValues
  const problems = {
    ...((isLong(refs) || refs?.some((ref) => ref === '' || ref.length > maxRefLength)) && {
      refs: [`must be at most ${maxFilterValues} names of at most ${maxRefLength} characters`],
    }),
    ...(isLong(projectIds) && { project_ids: [`must be at most ${maxFilterValues} IDs`] }),
  }
  if (Object.keys(problems).length > 0) throw invalid(problems)
}

const maxTries = 5
const tryWindowMs = 60_000
const maxCached = 10_000

/** Times of recent tests and resends by hook, in this process. Their limit keeps users from attacking other servers. */
const triesOf = perDatabase(() => new Map<number, number[]>())

function countTry({ db, now }: RootDeps, hook: Hook): void {
  const at = Date.parse(now())
  const tries = triesOf(db)
  const recent = (tries.get(hook.id) ?? []).filter((time) => at - time < tryWindowMs)
  if (recent.length >= maxTries) throw new Failure({ kind: 'too-many-requests' })
  tries.delete(hook.id)
  tries.set(hook.id, [...recent, at])
  const [oldest] = tries.size > maxCached ? tries.keys() : []
  if (oldest !== undefined) tries.delete(oldest)
}
