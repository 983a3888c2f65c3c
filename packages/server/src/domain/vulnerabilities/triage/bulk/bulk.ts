import { setImmediate } from 'node:timers/promises'
import { conflict, notFound, parameterProblem, unchanged } from '../../../../platform/failure.ts'
import { forEachBatch } from '../../../batches.ts'
import { type Deps, projectTransaction } from '../../../deps.ts'
import { type Page, type PageRequest, pageOf } from '../../../page.ts'
import type { Project } from '../../../projects/project.ts'
import { queueRules } from '../../../projects/queue-rules.ts'
import { ensureGhost } from '../../../users/ghost.ts'
import type { User } from '../../../users/user.ts'
import { withdrawOfBulk } from '../../approval/withdraw-bulk.ts'
import { addToFacetCounts, type CountChange } from '../../list/counts/count-change-queries.ts'
import { countChanges } from '../../list/counts/count-changes.ts'
import { projectScope, type VulnerabilityFilter } from '../../list/filter.ts'
import { matchingIds } from '../../list/list.ts'
import { promoteSelected, type SelectedFindings } from '../../promotion/promote-selected.ts'
import type { Vulnerability } from '../../vulnerability.ts'
import { assertOfProject } from '../assert-in-project.ts'
import { assertAssignable, listWhoMayTriage, usernamesOf } from '../assignees.ts'
import { recordBulk, recordBulkUndo } from '../audited-decisions.ts'
import {
  type ActionContext,
  type Change,
  isAssignment,
  isTriage,
  restoreTriage,
  type StoredTriage,
  type Usernames,
} from '../change.ts'
import { assertEnd, describeEnd } from '../dismissals/dismissal-end.ts'
import { changedRef, seenOnRef } from '../dismissals/ref-dismissals.ts'
import { holdDismissals } from '../dismissals/undo-dismissals.ts'
import { assertExpectedStates, type ExpectedStates } from '../expected-states.ts'
import { withProjectTags } from '../tagging.ts'
import { describeTags } from '../tags.ts'
import {
  assertComment,
  type ChangedVulnerability,
  changeBatch,
  reportedSeverities,
  requestBatch,
  saveChanges,
} from '../triage.ts'
import { lockVulnerabilities } from '../triage-queries.ts'
import type { Bulk } from './bulk-change.ts'
import {
  assertDecidable,
  dismissBatchInGroup,
  findGroupsOfBulk,
  isOfGroup,
  removeRulesOf,
  withoutGroupRule,
} from './bulk-group-dismissals.ts'
import {
  type BulkEntry,
  countBulks,
  findBulk,
  finishBulk,
  insertBulk,
  isStillChanging,
  listBulks,
  listChangedSince,
  listEntriesOf,
  listExistingUsers,
  listMembersOf,
  markUndone,
  type UndoPosition,
} from './bulk-queries.ts'

/** A selection of vulnerabilities of a project: by ids or by a filter. */
export type Selection = { ids: readonly number[] } | { filter: VulnerabilityFilter }

/** A bulk change, with the state that the client has shown. Nothing changes if the actual state differs. */
export interface BulkRequest {
  selection: Selection
  change: Change
  expectedCount?: number | undefined
  expectedStates?: ExpectedStates | undefined
}

/** A bulk change of findings that await triage. */
export interface FindingsRequest extends SelectedFindings, Pick<BulkRequest, 'change' | 'expectedStates'> {}

export interface SelectedVulnerabilities {
  selection: Selection
  expectedCount?: number | undefined
  /** Maximum number of vulnerabilities. */
  max?: number
}

/** Returns the selected vulnerabilities of the project in the order of ids. Throws when they are not as expected. */
export async function selectVulnerabilities(
  deps: Deps,
  project: Project,
  { selection, expectedCount, max = Number.POSITIVE_INFINITY }: SelectedVulnerabilities,
): Promise<number[]> {
  const ids = 'ids' in selection ? new Set(selection.ids) : await idsOf(deps, project, selection.filter, max)
  if (ids.size > max) throw parameterProblem(`the selection has more than ${max} vulnerabilities`)
  // Lock in the order of ids, as every other bulk operation does, to avoid deadlocks.
  const inOrder = [...ids].sort((a, b) => a - b)
  if (expectedCount !== undefined && expectedCount !== inOrder.length) {
    throw conflict(`expected ${expectedCount} vulnerabilities, but there are ${inOrder.length}; look again`)
  }
  if ('ids' in selection) await assertAreOfProject(deps, project, inOrder)
  return inOrder
}

/** Throws unless all of these are vulnerabilities of the project. */
function assertAreOfProject({ db }: Deps, { id }: Project, vulnerabilityIds: readonly number[]): Promise<void> {
  return assertOfProject('vulnerability_ids', vulnerabilityIds, (batch) => listMembersOf(db, id, batch))
}

/**
 * Changes all selected vulnerabilities of the project, or none. Findings that await triage are promoted first. One that
 * another user has decided about in the meantime is a conflict.
 */
export function changeMany(
  deps: Deps,
  project: Project,
  user: User,
  { change, expectedStates, ...selected }: BulkRequest | FindingsRequest,
): Promise<Bulk> {
  assertComment(change.comment)
  assertEnd(change, deps.now())
  return projectTransaction(deps, project.id, async (deps) => {
    const now = deps.now()
    await assertAssignable(deps, project, change)
    const { inOrder, expected } =
      'findings' in selected
        ? await selectPromoted(deps, project, user, selected)
        : { inOrder: await selectVulnerabilities(deps, project, selected), expected: expectedStates }
    assertDecidable(change, [{ project, ids: inOrder }])
    if (expected) await assertStatesOf(deps, project, [...expected.keys()], expected)
    const id = await insertBulk(deps.db, { projectId: project.id, userId: user.id, action: change.action, now })
    const context = { userId: user.id, now, bulkId: id }
    const { changed, requested } = await changeSelected(deps, project, inOrder, { change, ...context })
    await finishBulk(deps.db, id, { changed, requested, unchanged: inOrder.length - changed - requested })
    await recordBulk(deps, project, { change, id, changed })
    return getBulk(deps, project, id)
  })
}

async function selectPromoted(deps: Deps, project: Project, user: User, selected: SelectedFindings) {
  const { ids, known } = await promoteSelected(deps, project, user, selected)
  return { inOrder: ids, expected: new Map(known.map((id) => [id, 'detected'] as const)) }
}

/**
 * Changes vulnerabilities of the project as part of a bulk change, and returns how many it changed. Dismissals that need
 * approval are requested instead.
 */
export async function changeSelected(
  deps: Deps,
  project: Project,
  inOrder: readonly number[],
  { change: asked, ...context }: ActionContext & { change: Change; bulkId: number },
): Promise<{ changed: number; requested: number }> {
  const change = await withProjectTags(deps, project.id, asked)
  const counts: CountChange[] = []
  let changed = 0
  let requested = 0
  await forEachBatch(inOrder, async (batch) => {
    let permitted = batch
    if (change.action === 'dismiss') {
      const requests = await requestBatch(deps, project, batch, { change, ...context })
      permitted = batch.filter((id) => !requests.held.has(id))
      requested += requests.requested
    }
    const done = isOfGroup(change)
      ? await dismissBatchInGroup(deps, project.id, permitted, { change, ...context })
      : await changeBatch(deps, project.id, permitted, { change, ...context })
    await saveChanges(deps, project.id, done, context.now)
    counts.push(...countChanges(done))
    changed += done.length
  })
  await addToFacetCounts(deps.db, project.id, counts, context.now)
  return { changed, requested }
}

/** Checks the states of all vulnerabilities after locking them, so that one error describes every conflict. */
async function assertStatesOf(deps: Deps, project: Project, ids: readonly number[], expected: ExpectedStates) {
  const locked: Vulnerability[] = []
  await forEachBatch(ids, async (batch) => {
    locked.push(...(await lockVulnerabilities(deps.db, project.id, batch)))
  })
  await assertExpectedStates(deps, locked, expected)
}

/** Returns the matching vulnerabilities, and stops when there are more than `max`. */
async function idsOf(deps: Deps, project: Project, filter: VulnerabilityFilter, max: number): Promise<Set<number>> {
  const ids = new Set<number>()
  const query = { scope: projectScope(project.id), filter, sort: 'severity_desc' } as const
  for await (const batch of matchingIds(deps, query)) {
    for (const id of batch) ids.add(id)
    if (ids.size > max) break
    await setImmediate()
  }
  return ids
}

/** Undoes a bulk change for the vulnerabilities that have not changed since. */
export function undoBulk(deps: Deps, project: Project, user: User, id: number): Promise<Bulk> {
  return projectTransaction(deps, project.id, async (deps) => {
    const now = deps.now()
    await getBulk(deps, project, id)
    if (await isStillChanging(deps.db, id)) throw conflict('the change has not ended; try again later')
    // Of two concurrent requests only one marks it.
    const from = await markUndone(deps.db, id, user.id, now)
    if (!from) throw unchanged()
    const { restored, withdrawn } = await restoreEntries(deps, project, from, { userId: user.id, now, bulkId: id })
    await finishBulk(deps.db, id, { restored, withdrawn })
    await recordBulkUndo(deps, project, { id, restored, withdrawn })
    return getBulk(deps, project, id)
  })
}

const undoBatchSize = 250

/**
 * Restores the vulnerabilities of a bulk change after a position, and then withdraws its requests for dismissals: all of
 * them, or those of so many batches.
 */
export async function restoreEntries(
  deps: Deps,
  project: Project,
  from: UndoPosition,
  { maxBatches = Number.POSITIVE_INFINITY, ...context }: RestoreContext,
): Promise<UndoPosition & { isComplete: boolean }> {
  const counts: CountChange[] = []
  let { after, restored, withdrawn } = from
  let isComplete = false
  let isRuled = false
  // The entries are in the order of the change, which is the order of ids.
  for (let batch = 0; batch < maxBatches; batch++) {
    const entries = await listEntriesOf(deps.db, context.bulkId, after, undoBatchSize)
    const last = entries.at(-1)
    if (last) {
      const { permitted, requests } = await restoreBatch(deps, project, entries, context)
      await saveChanges(deps, project.id, [...permitted, ...requests], context.now)
      counts.push(...countChanges(permitted))
      restored += permitted.length
      const undone = new Set(permitted.map(({ after }) => after.id))
      await removeRulesOf(
        deps,
        entries.filter(({ vulnerabilityId }) => undone.has(vulnerabilityId)),
      )
      isRuled ||= permitted.some(({ after }) => after.ruleId !== null)
      after = last.id
    } else {
      const ended = await withdrawOfBulk(deps, project, context, undoBatchSize)
      withdrawn += ended
      isComplete = ended === 0
      if (isComplete) break
    }
    await setImmediate()
  }
  await addToFacetCounts(deps.db, project.id, counts, context.now)
  // A restored effect may be that of a rule that no longer applies.
  if (isRuled) await queueRules(deps, { kind: 'project', id: project.id })
  return { after, restored, withdrawn, isComplete }
}

interface RestoreContext extends ActionContext {
  bulkId: number
  maxBatches?: number
}

async function restoreBatch(
  deps: Deps,
  project: Project,
  entries: readonly BulkEntry[],
  { userId, now, bulkId }: RestoreContext,
): Promise<{ permitted: ChangedVulnerability[]; requests: ChangedVulnerability[] }> {
  const ids = entries.map(({ vulnerabilityId }) => vulnerabilityId)
  const locked = await lockVulnerabilities(deps.db, project.id, ids)
  // Check after locking, so that no other transaction can change them.
  const touched = new Set(await listChangedSince(deps.db, bulkId, ids))
  const reported = await reportedSeverities(deps, ids)
  const stillThere = new Set(await listExistingUsers(deps.db, usersIn(entries)))
  const ghostId = await ensureGhostFor(deps, entries, stillThere)
  const { assignable, usernames } = await readAssignees(deps, project, entries, locked)
  const entryOf = new Map(entries.map((entry) => [entry.vulnerabilityId, entry]))
  const restored = locked.flatMap((before) => {
    const former = entryOf.get(before.id)?.before
    if (!former || touched.has(before.id)) return []
    const triage = isAssignment(former)
      ? onlyTo(assignable, former)
      : isTriage(former)
        ? withGhost(former, stillThere, ghostId)
        : former
    const triaged = restoreTriage(before, triage, reported.get(before.id) ?? before.severity, now)
    if (triaged === before) return []
    const after = withoutGroupRule(triaged, entryOf.get(before.id))
    return [{ before, after, entry: undoEntry(before, after, { userId, bulkId, usernames }) }]
  })
  return holdDismissals(deps, project, restored, { reported, userId, now })
}

/** Returns which former assignees may still triage, and the names of all who are in the entries. */
async function readAssignees(
  deps: Deps,
  project: Project,
  entries: readonly BulkEntry[],
  locked: readonly Vulnerability[],
): Promise<{ assignable: ReadonlySet<number>; usernames: Usernames }> {
  const former = entries.flatMap(({ before }) => (isAssignment(before) ? (before.assigneeId ?? []) : []))
  const isOfAssignees = entries.some(({ before }) => isAssignment(before))
  const current = isOfAssignees ? locked.flatMap(({ assigneeId }) => assigneeId ?? []) : []
  return {
    assignable: await listWhoMayTriage(deps, project, former),
    usernames: await usernamesOf(deps, [...former, ...current]),
  }
}

/** Leaves the vulnerability unassigned when the former assignee may no longer triage. */
const onlyTo = (assignable: ReadonlySet<number>, { assigneeId }: { assigneeId: number | null }) => ({
  assigneeId: assigneeId !== null && assignable.has(assigneeId) ? assigneeId : null,
})

const userFields = ['confirmedById', 'dismissedById', 'resolvedById'] as const

function usersIn(entries: readonly BulkEntry[]): number[] {
  return [
    ...new Set(
      entries.flatMap(({ before }) => (isTriage(before) ? userFields.flatMap((field) => before[field] ?? []) : [])),
    ),
  ]
}

/** Returns `undefined` if no user in the entries has been deleted. */
async function ensureGhostFor(
  deps: Deps,
  entries: readonly BulkEntry[],
  stillThere: ReadonlySet<number>,
): Promise<number | undefined> {
  return usersIn(entries).every((id) => stillThere.has(id)) ? undefined : ensureGhost(deps)
}

/** Replaces deleted users by the ghost user. */
function withGhost(triage: StoredTriage, users: ReadonlySet<number>, ghostId: number | undefined): StoredTriage {
  const restored = { ...triage }
  for (const field of userFields) {
    const id = restored[field]
    if (id !== null && !users.has(id)) restored[field] = ghostId ?? null
  }
  return restored
}

function undoEntry(
  before: Vulnerability,
  after: Vulnerability,
  { userId, bulkId, usernames }: { userId: number | null; bulkId: number; usernames: Usernames },
) {
  const [kind, from, to, ref] = differenceOf(before, after, usernames)
  const entry = { vulnerabilityId: after.id, kind, userId, ref, from, to }
  const seen = seenOnRef(after, ref)
  const details = {
    undoes_bulk_id: bulkId,
    ...describeTags(before.tags, after.tags),
    ...((kind === 'state' || kind === 'ref_state') && describeEnd(seen)),
  }
  return { ...entry, dismissalReason: seen.dismissalReason, details }
}

function differenceOf(before: Vulnerability, after: Vulnerability, usernames: Usernames) {
  const tagsIn = ({ tags }: Vulnerability) => tags.join(', ') || undefined
  const nameOf = ({ assigneeId }: Vulnerability) => usernames.get(assigneeId ?? 0)
  const ref = changedRef(before, after)
  if (ref !== undefined) return ['ref_state', seenOnRef(before, ref).state, seenOnRef(after, ref).state, ref] as const
  if (before.tags !== after.tags) return ['tags', tagsIn(before), tagsIn(after)] as const
  if (before.assigneeId !== after.assigneeId) return ['assignee', nameOf(before), nameOf(after)] as const
  if (before.state !== after.state) return ['state', before.state, after.state] as const
  if (before.severity !== after.severity) return ['severity', before.severity, after.severity] as const
  return ['due_date', before.dueOn, after.dueOn] as const
}

/** Returns the groups whose rules the undo of a bulk change would remove. */
export async function findDecidedGroups(deps: Deps, project: Project, id: number): Promise<number[]> {
  await getBulk(deps, project, id)
  return findGroupsOfBulk(deps, id)
}

async function getBulk({ db }: Deps, project: Project, id: number): Promise<Bulk> {
  const bulk = await findBulk(db, project.id, id)
  if (!bulk) throw notFound()
  return bulk
}

/** Returns the bulk changes of a project, newest first. */
export async function findBulks({ db }: Deps, project: Project, page: PageRequest): Promise<Page<Bulk>> {
  const [rows, counted] = await Promise.all([listBulks(db, project.id, page), countBulks(db, project.id)])
  return pageOf(page, rows, counted)
}
