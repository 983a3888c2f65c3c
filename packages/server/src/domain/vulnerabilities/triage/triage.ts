import { type Cache, openCache, perDatabase } from '../../../db/cache.ts'
import type { Changes } from '../../../db/db.ts'
import { openBatchLoader } from '../../../platform/batch-loader.ts'
import { conflict, invalid, notFound, unchanged } from '../../../platform/failure.ts'
import { type Deps, projectTransaction, type RootDeps } from '../../deps.ts'
import type { Severity, State } from '../../findings/scales.ts'
import type { Project } from '../../projects/project.ts'
import type { User } from '../../users/user.ts'
import { requestApproval, selectForApproval } from '../approval/request-approval.ts'
import { withPolicyDates } from '../due-dates/policy-dates.ts'
import { addToFacetCounts } from '../list/counts/count-change-queries.ts'
import { countChanges } from '../list/counts/count-changes.ts'
import { listWithFindings } from '../list/list-queries.ts'
import type { Assignee, BasicVulnerability, Vulnerability, VulnerabilityWithFinding } from '../vulnerability.ts'
import { getAssignable, usernamesOf } from './assignees.ts'
import { recordDecision, recordRequestedDismissals } from './audited-decisions.ts'
import {
  type ActionContext,
  applyChange,
  aspectOf,
  type Change,
  type Dismissal,
  entryOf,
  groupOf,
  isTagChange,
  type Usernames,
} from './change.ts'
import { assertEnd, endsWithFix, fixed } from './dismissals/dismissal-end.ts'
import { listWithFix } from './dismissals/ended-dismissal-queries.ts'
import { applyToGroup } from './dismissals/group-dismissals.ts'
import {
  assertPresent,
  listChangeable,
  needsWholeApproval,
  saveRefDismissals,
} from './dismissals/save-ref-dismissals.ts'
import { assertExpectedStates } from './expected-states.ts'
import { recordHistory } from './history/history.ts'
import type { HistoryEntry } from './history/history-entry.ts'
import { recordVulnerabilityChanges } from './history/vulnerability-events.ts'
import { saveTags } from './tag-queries.ts'
import { withProjectTags } from './tagging.ts'
import { exceedsTags, tooMany } from './tags.ts'
import {
  findVulnerabilityById,
  listBasicVulnerabilities,
  listReported,
  lockVulnerabilities,
  lockVulnerability,
  saveVulnerabilities,
} from './triage-queries.ts'

/** Finds a vulnerability by its id in decimal digits. */
export async function findVulnerability({ db }: Deps, reference: string): Promise<Vulnerability | undefined> {
  const id = idFrom(reference)
  return id === undefined ? undefined : findVulnerabilityById(db, id)
}

function idFrom(reference: string): number | undefined {
  const id = /^\d+$/.test(reference) ? Number(reference) : Number.NaN
  return Number.isSafeInteger(id) ? id : undefined
}

/** Cache of the vulnerabilities that requests have named. Authorization reads it in each request for one of them. */
export type BasicVulnerabilityCache = Cache<BasicVulnerability | undefined>

export function openBasicVulnerabilityCache(changes: Changes): BasicVulnerabilityCache {
  return openCache(changes, ['vulnerabilities'], 10_000)
}

/** Finds the basic fields of a vulnerability by its id in decimal digits. */
export async function findBasicVulnerability(
  deps: RootDeps,
  reference: string,
  cache?: BasicVulnerabilityCache,
): Promise<BasicVulnerability | undefined> {
  const load = () => loadBasicVulnerability(deps, reference, cache)
  return cache ? cache.get(reference, load) : load()
}

/** Like `findBasicVulnerability`, but reads a cached vulnerability as well. Concurrent requests share a statement. */
export async function loadBasicVulnerability(
  { db }: RootDeps,
  reference: string,
  cache?: BasicVulnerabilityCache,
): Promise<BasicVulnerability | undefined> {
  const id = idFrom(reference)
  if (id === undefined) return undefined
  const found = await readInBatch(db)(cache?.version()?.toString(), [id], async (ids) => {
    const vulnerabilities = await listBasicVulnerabilities(db, ids)
    return new Map(vulnerabilities.map((vulnerability) => [vulnerability.id, vulnerability]))
  })
  return found.get(id)
}

const readInBatch = perDatabase(() => openBatchLoader<number, BasicVulnerability>())

/** Adds the finding, which every vulnerability has, and the assignee. */
export async function withFinding({ db }: Deps, vulnerability: BasicVulnerability): Promise<VulnerabilityWithFinding> {
  const [found] = await listWithFindings(db, [vulnerability.id])
  if (!found) throw notFound()
  return found
}

export interface ChangeRequest {
  id: number
  change: Change
  /** State that the client has shown. In any other state the vulnerability is not changed. */
  expectedState?: State | undefined
}

/** Changes one vulnerability. Throws `unchanged` when it is in the requested state already. */
export function changeVulnerability(
  deps: Deps,
  project: Project,
  user: User,
  { id, change: requested, expectedState }: ChangeRequest,
): Promise<VulnerabilityWithFinding> {
  assertEnd(requested, deps.now())
  return projectTransaction(deps, project.id, async (deps) => {
    const locked = await lockVulnerability(deps.db, project.id, id)
    if (!locked) throw notFound()
    const { vulnerability: before, finding, scanner, identifiers } = locked
    const change = await withProjectTags(deps, project.id, requested)
    const assignee = await assigneeAfter(deps, project, change, locked.assignee)
    if (expectedState !== undefined) await assertExpectedStates(deps, [before], new Map([[id, expectedState]]))
    const context = { userId: user.id, now: deps.now() }
    await assertPresent(deps, change, id)
    if (isTagChange(change) && exceedsTags(before.tags, change)) throw tooMany()
    const applied = applyChange(before, change, await reportedSeverity(deps, change, before), context)
    if (!applied && !groupOf(change)) throw unchanged()
    assertComment(change.comment)
    if (endsWithFix(change) && (await listWithFix(deps.db, [id])).length > 0) throw fixed()
    if (change.action === 'dismiss' && (locked.hasApprovalRules || before.dismissalRequestId !== null)) {
      const requested = await requestIfNeeded(deps, project, { ...locked, userId: user.id }, change)
      if (requested) return { vulnerability: requested, finding, scanner, identifiers, assignee }
    }
    const after = await applyToGroup(deps, user, { before, applied, finding }, change)
    const usernames = new Map([locked.assignee, assignee].flatMap((user) => (user ? [[user.id, user.username]] : [])))
    const entry = entryOf({ before, after }, change, context, usernames)
    const changed = await withPolicyDates(deps, project.id, [{ before, after, entry }])
    const [saved = { after, entry }] = changed
    await saveVulnerabilities(deps.db, [saved.after])
    await saveTags(deps.db, project.id, changed)
    await saveRefDismissals(deps, changed)
    await recordDecision(deps, project, user, {
      vulnerability: saved.after,
      entry: saved.entry,
      group: groupOf(change),
    })
    if (locked.hasListeners) await announceChanges(deps, project.id, changed)
    await addToFacetCounts(deps.db, project.id, countChanges(changed), context.now)
    return { vulnerability: saved.after, finding, scanner, identifiers, assignee }
  })
}

/** Requests the dismissal if it needs approval, and returns the vulnerability with the request. */
async function requestIfNeeded(
  deps: Deps,
  project: Project,
  { vulnerability, finding, userId }: VulnerabilityWithFinding & { userId: number },
  change: Dismissal,
): Promise<Vulnerability | undefined> {
  const candidate = { vulnerability, reported: finding.severity }
  const { needing, expiresInDays } = await selectForApproval(deps, project.id, [candidate])
  if (needing.length === 0) return undefined
  if (change.ref !== undefined || change.group) throw needsWholeApproval()
  if (vulnerability.dismissalRequestId !== null) {
    throw conflict(`request ${vulnerability.dismissalRequestId} to dismiss this vulnerability awaits approval`)
  }
  const now = deps.now()
  const changed = await requestApproval(deps, needing, change, { userId, now, expiresInDays })
  await saveChanges(deps, project.id, changed, now)
  await recordRequestedDismissals(deps, project, change, needing)
  return changed[0]?.after
}

async function assigneeAfter(deps: Deps, project: Project, change: Change, before: Assignee | null) {
  if (change.action === 'unassign') return null
  return change.action === 'assign' ? getAssignable(deps, project, change.assigneeId) : before
}

/** Returns the scanner's severity as of the lock, which only a change of the severity needs. */
async function reportedSeverity(deps: Deps, { action }: Change, { id, severity }: Vulnerability): Promise<Severity> {
  return (action === 'severity' ? await reportedSeverities(deps, [id]) : undefined)?.get(id) ?? severity
}

const maxComment = 50_000

export function assertComment(comment: string | undefined): void {
  if (comment !== undefined && [...comment].length > maxComment) {
    throw invalid({ comment: [`is too long (maximum is ${maxComment} characters)`] })
  }
}

/** A vulnerability before and after a change. Without an entry, the change is in the history already. */
export interface ChangedVulnerability {
  before: Vulnerability
  after: Vulnerability
  entry?: HistoryEntry
}

/**
 * Stores changed vulnerabilities, which the caller must have locked, with the due dates of the policy, and records
 * history entries and webhook events.
 * The caller updates the facet counts at the end of the transaction, because their rows are the most contended.
 */
export async function saveChanges(
  deps: Deps,
  projectId: number,
  changes: readonly ChangedVulnerability[],
  now: string,
): Promise<void> {
  const changed = await withPolicyDates(deps, projectId, changes)
  await saveVulnerabilities(
    deps.db,
    changed.map(({ after }) => after),
  )
  await saveTags(deps.db, projectId, changed)
  await saveRefDismissals(deps, changed)
  await recordHistory(
    deps.db,
    changed.flatMap(({ entry }) => entry ?? []),
    now,
  )
  await announceChanges(deps, projectId, changed)
}

const announceChanges = (deps: Deps, projectId: number, changed: readonly ChangedVulnerability[]): Promise<void> =>
  recordVulnerabilityChanges(
    deps,
    projectId,
    changed.flatMap(({ after, entry }) => (entry && entry.kind !== 'severity' ? after.id : [])),
  )

/**
 * Requests the dismissal of those of the vulnerabilities that need approval, after locking the batch. Returns those that
 * must not be dismissed now, and how many have a new request.
 */
export async function requestBatch(
  deps: Deps,
  project: Project,
  ids: readonly number[],
  { change, userId, now, bulkId }: ActionContext & { change: Dismissal },
): Promise<{ held: Set<number>; requested: number }> {
  const locked = await lockVulnerabilities(deps.db, project.id, ids)
  const reported = await reportedSeverities(deps, ids)
  const candidates = locked.map((vulnerability) => {
    return { vulnerability, reported: reported.get(vulnerability.id) ?? vulnerability.severity }
  })
  const { needing, expiresInDays } = await selectForApproval(deps, project.id, candidates)
  const held = new Set(needing.map(({ id }) => id))
  if (userId === null || needing.length === 0 || change.ref !== undefined || change.group) return { held, requested: 0 }
  const fixable = new Set(endsWithFix(change) ? await listWithFix(deps.db, ids) : [])
  const wanted = needing.filter((vulnerability) => {
    const context = { userId, now, bulkId: 0 }
    const isNew = vulnerability.dismissalRequestId === null && !fixable.has(vulnerability.id)
    return isNew && applyChange(vulnerability, change, vulnerability.severity, context) !== undefined
  })
  const changed = await requestApproval(deps, wanted, change, { userId, now, expiresInDays, bulkId })
  await saveChanges(deps, project.id, changed, now)
  await recordRequestedDismissals(deps, project, change, wanted)
  return { held, requested: wanted.length }
}

/**
 * Applies an action to a batch of vulnerabilities after locking them. A dismissal until a fix is available leaves those
 * unchanged whose latest report describes one.
 */
export async function changeBatch(
  deps: Deps,
  projectId: number,
  ids: readonly number[],
  { change, ...context }: ActionContext & { change: Change },
): Promise<ChangedVulnerability[]> {
  const locked = await lockVulnerabilities(deps.db, projectId, ids)
  // Only restoring the scanner's severity needs it.
  const reported = change.action === 'severity' ? await reportedSeverities(deps, ids) : undefined
  const usernames = await usernamesIn(deps, change, locked)
  const changeable = await listChangeable(deps, change, ids)
  const unchangeable = new Set(endsWithFix(change) ? await listWithFix(deps.db, ids) : [])
  return locked.flatMap((before) => {
    if (unchangeable.has(before.id) || !changeable.has(before.id)) return []
    const after = applyChange(before, change, reported?.get(before.id) ?? before.severity, context)
    return after ? [{ before, after, entry: entryOf({ before, after }, change, context, usernames) }] : []
  })
}

/** Returns the usernames of former and new assignees, which only changes of these need. */
function usernamesIn(deps: Deps, change: Change, locked: readonly Vulnerability[]): Promise<Usernames> {
  const assigned = aspectOf(change) === 'assignee' ? locked.flatMap(({ assigneeId }) => assigneeId ?? []) : []
  return usernamesOf(deps, change.action === 'assign' ? [...assigned, change.assigneeId] : assigned)
}

export async function reportedSeverities(deps: Deps, ids: readonly number[]) {
  const reported = await listReported(deps.db, ids)
  return new Map(reported.map(({ vulnerabilityId, severity }) => [vulnerabilityId, severity]))
}
