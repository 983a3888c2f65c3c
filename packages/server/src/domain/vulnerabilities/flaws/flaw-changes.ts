import { conflict, invalid, notFound, refused } from '../../../platform/failure.ts'
import type { AuditEventName } from '../../audit/event-name.ts'
import { recordAuditEvent } from '../../audit/record.ts'
import { forEachBatch } from '../../batches.ts'
import { type Deps, type RootDeps, transaction } from '../../deps.ts'
import { type Page, type PageRequest, pageOf } from '../../page.ts'
import { findEntity } from '../../projects/audited-place.ts'
import type { User } from '../../users/user.ts'
import type { ListScope } from '../list/filter.ts'
import { recordHistory } from '../triage/history/history.ts'
import type { HistoryKind } from '../triage/history/history-entry.ts'
import {
  type FlawChange,
  type FlawPlace,
  insertFlawChange,
  listChangeMembers,
  listIdsOfFlaws,
  newestFlawChanges,
  undoFlawChange,
} from './flaw-change-queries.ts'
import { updateKeys } from './flaw-keys.ts'

export type { FlawChange, FlawPlace } from './flaw-change-queries.ts'

/** Who changes flaws, and where. */
export interface FlawActor {
  place: FlawPlace
  /** The projects of the place. */
  scope: ListScope
  user: User
}

/** A change is made in one transaction. */
const maxMembers = 5_000

/** Takes vulnerabilities out of a flaw. They become a flaw of their own. */
export function splitFlaw(
  deps: Deps,
  actor: FlawActor,
  { key, vulnerabilityIds }: { key: number; vulnerabilityIds: readonly number[] },
): Promise<FlawChange> {
  return transaction(deps, async (deps) => {
    const members = new Set(await listMembers(deps, actor, [key]))
    const ids = [...new Set(vulnerabilityIds)].sort((a, b) => a - b)
    const others = ids.filter((id) => !members.has(id))
    if (others.length > 0) {
      throw invalid({ vulnerability_ids: [`${others.slice(0, 20).join(', ')} do not belong to the flaw here`] })
    }
    const toKey = Number.parseInt(deps.random(7).toString('hex').slice(0, 13), 16) || 1
    return change(deps, actor, { kind: 'split', fromKey: key, toKey, ids })
  })
}

/** Makes the vulnerabilities of another flaw, also those of later imports, belong to a flaw. */
export function joinFlaws(
  deps: Deps,
  actor: FlawActor,
  { key, otherKey }: { key: number; otherKey: number },
): Promise<FlawChange> {
  return transaction(deps, async (deps) => {
    if (key === otherKey) throw refused('a flaw cannot be joined with itself')
    const kept = await listMembers(deps, actor, [key])
    const joined = await listMembers(deps, actor, [otherKey])
    // The members of both keep the key, whatever their findings say later.
    return change(deps, actor, { kind: 'join', fromKey: otherKey, toKey: key, ids: [...kept, ...joined] })
  })
}

/** Undoes a split or join. */
export function undoChange(deps: Deps, actor: FlawActor, changeId: number): Promise<FlawChange> {
  return transaction(deps, async (deps) => {
    const undone = await undoFlawChange(deps.db, actor.place, changeId, { userId: actor.user.id, now: deps.now() })
    if (!undone) throw notFound()
    const { projectIds } = actor.scope
    // A join has also applied to vulnerabilities of later imports.
    const later = await listIdsOfFlaws(deps.db, [undone.toKey], { projectIds, limit: 10 * maxMembers })
    // Projects that have left the group since have left the change.
    const members = await listChangeMembers(deps.db, undone.id, projectIds)
    const ids = new Set([...members, ...later])
    await forEachBatch([...ids], async (batch) => void (await updateKeys(deps, batch)))
    await recordInHistories(deps, actor, { kind: 'flaw_undone', change: undone, ids: members })
    await record(deps, actor, 'vulnerability_flaw_change_undone', undone)
    return undone
  })
}

/** Returns the changes of a project or group, newest first. */
export async function findFlawChanges(deps: RootDeps, place: FlawPlace, page: PageRequest): Promise<Page<FlawChange>> {
  const { offset, perPage } = page
  return pageOf(page, await newestFlawChanges(deps.db, place, { offset, limit: perPage + 1 }))
}

async function listMembers(deps: Deps, { scope }: FlawActor, keys: readonly number[]): Promise<number[]> {
  const ids = await listIdsOfFlaws(deps.db, keys, { projectIds: scope.projectIds, limit: maxMembers + 1 })
  if (ids.length === 0) throw notFound('Flaw')
  if (ids.length > maxMembers) {
    throw conflict(`the flaw has more than ${maxMembers} vulnerabilities here; change it in its projects`)
  }
  return ids
}

async function change(
  deps: Deps,
  actor: FlawActor,
  { ids, ...draft }: Pick<FlawChange, 'kind' | 'fromKey' | 'toKey'> & { ids: readonly number[] },
): Promise<FlawChange> {
  const stored = { ...draft, userId: actor.user.id, createdAt: deps.now() }
  const made = await insertFlawChange(deps.db, actor.place, stored, ids)
  await forEachBatch(ids, async (batch) => void (await updateKeys(deps, batch)))
  const kind = draft.kind === 'split' ? 'flaw_split' : 'flaw_joined'
  await recordInHistories(deps, actor, { kind, change: made, ids })
  await record(deps, actor, draft.kind === 'split' ? 'vulnerability_flaw_split' : 'vulnerability_flaws_joined', made)
  return made
}

/** Records the change, or its undo, in the histories of its vulnerabilities. */
function recordInHistories(
  deps: Deps,
  { user }: FlawActor,
  { kind, change, ids }: { kind: HistoryKind; change: FlawChange; ids: readonly number[] },
): Promise<void> {
  const details = { flaw_change_id: change.id, flaw_change_kind: change.kind }
  const entries = ids.map((vulnerabilityId) => ({ vulnerabilityId, kind, userId: user.id, details }))
  return recordHistory(deps.db, entries, deps.now())
}

const messages = {
  vulnerability_flaw_split: 'Split vulnerabilities from their flaw',
  vulnerability_flaws_joined: 'Joined two flaws',
  vulnerability_flaw_change_undone: 'Undid a change of flaws',
} as const satisfies Partial<Record<AuditEventName, string>>

async function record(
  deps: Deps,
  { place, user }: FlawActor,
  name: keyof typeof messages,
  { id, kind, fromKey, toKey, total }: FlawChange,
): Promise<void> {
  await recordAuditEvent(deps, name, {
    entity: await findEntity(deps, place),
    message: messages[name],
    target: { type: 'FlawChange', id, name: kind },
    author: user,
    extra: { from_flaw: fromKey, to_flaw: toKey, vulnerabilities: total },
  })
}
