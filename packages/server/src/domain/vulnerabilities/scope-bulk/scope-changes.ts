import { conflict, notFound, parameterProblem, unchanged } from '../../../platform/failure.ts'
import { type Deps, type RootDeps, transaction } from '../../deps.ts'
import { waitFor } from '../../jobs/wait.ts'
import type { Namespace } from '../../namespaces/namespace.ts'
import { type Page, type PageRequest, pageOf } from '../../page.ts'
import type { Project } from '../../projects/project.ts'
import { listProjectsById, lockAgainstDeletion } from '../../projects/projects.ts'
import type { Visitor } from '../../projects/visible.ts'
import type { User } from '../../users/user.ts'
import { listPersonsBehind, personOf } from '../approval/persons.ts'
import { selectForApproval } from '../approval/request-approval.ts'
import type { ListScope } from '../list/filter.ts'
import { loadVulnerabilities } from '../list/list.ts'
import { readableScope } from '../list/readable-scope.ts'
import { assertAssignable } from '../triage/assignees.ts'
import { recordBulk } from '../triage/audited-decisions.ts'
import { type BulkRequest, changeSelected } from '../triage/bulk/bulk.ts'
import {
  assertDecidable,
  countInGroup,
  dismissedInGroup,
  findGroupsOfBulk,
  isOfGroup,
} from '../triage/bulk/bulk-group-dismissals.ts'
import { finishBulk, insertBulk } from '../triage/bulk/bulk-queries.ts'
import { applyChange, type Change } from '../triage/change.ts'
import { assertEnd, endsWithFix } from '../triage/dismissals/dismissal-end.ts'
import { listWithFix } from '../triage/dismissals/ended-dismissal-queries.ts'
import { listChangeable } from '../triage/dismissals/save-ref-dismissals.ts'
import { assertExpectedStates, type ExpectedStates } from '../triage/expected-states.ts'
import { assertComment } from '../triage/triage.ts'
import { lockVulnerabilities } from '../triage/triage-queries.ts'
import type { Vulnerability, VulnerabilityWithFinding } from '../vulnerability.ts'
import type { ProjectChange, ScopeChange, StoredScopeChange } from './scope-change.ts'
import { queueChange, queueJob } from './scope-change-job.ts'
import {
  addSkipped,
  findScopeChange,
  insertScopeChange,
  listParts,
  listScopeChanges,
  listSkipped,
  markScopeUndone,
  updateScopeState,
} from './scope-change-queries.ts'
import { undoNext } from './scope-undo.ts'
import { countSelected, forEachSelected, type SelectedInProject, selectInScope } from './select-in-scope.ts'

/** Maximum number of vulnerabilities that one transaction changes. Larger selections are changed by a job. */
const maxInTransaction = 500

/** Maximum time that a request waits for its job. */
const maxWaitMs = 20_000

/** Where vulnerabilities are selected: those of a group, or of the instance, that the caller may read. */
export interface ChangePlace {
  scope: ListScope
  group?: Namespace | undefined
}

export interface ScopeChangeRequest extends BulkRequest {
  /** Whether to return what would change without changing anything. */
  isDryRun?: boolean | undefined
  /** Whether to return before a large selection is changed. */
  isAsync?: boolean | undefined
}

/**
 * Changes the selected vulnerabilities of all projects in which the caller may triage. Up to 500 are changed in one
 * transaction, all or none. A job changes more in a transaction for each batch.
 */
export async function changeInScope(
  deps: RootDeps,
  caller: Visitor,
  place: ChangePlace,
  { isDryRun = false, isAsync = false, ...request }: ScopeChangeRequest,
): Promise<ScopeChange> {
  const { change, expectedStates } = request
  assertComment(change.comment)
  assertEnd(change, deps.now())
  const { changeable, skipped } = await selectInScope(deps, caller, place.scope, request)
  for (const { project } of changeable) await assertAssignable(deps, project, change)
  assertDecidable(change, changeable)
  const total = countSelected(changeable)
  if (expectedStates && total > maxInTransaction) {
    throw parameterProblem(`expected_states allows at most ${maxInTransaction} vulnerabilities`)
  }
  if (isDryRun) return describeDryRun(deps, caller, place, { change, expectedStates, changeable, skipped })

  const isSmall = total <= maxInTransaction
  const id = await transaction(deps, async (deps) => {
    const stored = isSmall ? change : await withPersons(deps, caller.user, change)
    const draft = { userId: caller.user.id, asAdmin: caller.isAdmin, total, change: stored, now: deps.now() }
    const state = isSmall ? 'done' : 'running'
    const id = await insertScopeChange(deps.db, { ...draft, namespaceId: place.group?.id ?? null, state })
    for (const { project, ids } of skipped) await addSkipped(deps.db, id, project.id, ids.length)
    if (isSmall) await changeAll(deps, caller, changeable, { id, change, expectedStates })
    else await queueChange(deps, caller.user.id, id, changeable)
    return id
  })
  return awaitChange(deps, caller, id, isAsync ? 0 : maxWaitMs)
}

/** The job does not know who acts as the user. */
async function withPersons(deps: Deps, user: User, change: Change): Promise<Change> {
  if (change.action !== 'dismiss') return change
  return { ...change, requestedById: personOf(deps, user.id), involvedIds: await listPersonsBehind(deps, user) }
}

interface WholeChange {
  id: number
  change: Change
  expectedStates: ExpectedStates | undefined
}

/** Changes all vulnerabilities in the calling transaction. Locks them in the order of projects and ids. */
async function changeAll(
  deps: Deps,
  { user }: Visitor,
  selected: readonly SelectedInProject[],
  { id: scopeChangeId, change, expectedStates }: WholeChange,
): Promise<void> {
  const now = deps.now()
  for (const { project } of selected) await lockAgainstDeletion(deps.db, project.id)
  if (expectedStates) {
    const locked: Vulnerability[] = []
    await forEachSelected(selected, async (project, batch) => {
      locked.push(...(await lockVulnerabilities(deps.db, project.id, batch)))
    })
    await assertExpectedStates(deps, locked, expectedStates)
  }
  for (const { project, ids } of selected) {
    const draft = { projectId: project.id, userId: user.id, action: change.action, now, scopeChangeId }
    const bulkId = await insertBulk(deps.db, draft)
    const context = { userId: user.id, now, bulkId }
    const { changed, requested } = await changeSelected(deps, project, ids, { change, ...context })
    await finishBulk(deps.db, bulkId, { changed, requested, unchanged: ids.length - changed - requested })
    await recordBulk(deps, project, { change, id: bulkId, changed })
  }
}

interface DryRun extends Omit<WholeChange, 'id'> {
  changeable: readonly SelectedInProject[]
  skipped: readonly SelectedInProject[]
}

/** Applies the change to what is stored without saving it. */
async function describeDryRun(
  deps: RootDeps,
  caller: Visitor,
  { group }: ChangePlace,
  { change, expectedStates, changeable, skipped }: DryRun,
): Promise<ScopeChange> {
  const context = { userId: caller.user.id, now: deps.now(), bulkId: 0 }
  const projects = new Map(
    changeable.map(({ project }) => [
      project.id,
      {
        project,
        bulkId: null,
        changed: 0,
        requested: 0,
        unchanged: 0,
        undoneAt: null,
        restored: null,
        withdrawn: null,
      },
    ]),
  )
  const loaded: Vulnerability[] = []
  const decided: VulnerabilityWithFinding[] = []
  await forEachSelected(changeable, async (project, batch) => {
    const rows = await loadVulnerabilities(deps, batch)
    const part = projects.get(project.id)
    if (!part) return
    const changeable = await listChangeable(deps, change, batch)
    const fixable = new Set(endsWithFix(change) ? await listWithFix(deps.db, batch) : [])
    const changed = rows.filter(
      ({ vulnerability, finding }) =>
        changeable.has(vulnerability.id) &&
        !fixable.has(vulnerability.id) &&
        (isOfGroup(change)
          ? dismissedInGroup(vulnerability, change, context)
          : applyChange(vulnerability, change, finding.severity, context)),
    )
    const { needing, held, requested } = await requestsOf(deps, project, change, changed)
    decided.push(
      ...changed.filter(({ vulnerability }) => vulnerability.groupRuleId === null && !needing.has(vulnerability.id)),
    )
    part.changed += changed.length - held
    part.requested += requested
    part.unchanged += rows.length - changed.length + held - requested
    if (expectedStates) loaded.push(...rows.map(({ vulnerability }) => vulnerability))
  })
  if (expectedStates) await assertExpectedStates(deps, loaded, expectedStates)
  return {
    ...totalsOf([...projects.values()]),
    ...{ id: null, namespaceId: group?.id ?? null, userId: caller.user.id, state: 'done', action: change.action },
    ...{ total: countSelected(changeable), error: null, createdAt: context.now, undoneAt: null, undoneById: null },
    projects: [...projects.values()],
    skipped: skipped.map(({ project, ids }) => ({ project, total: ids.length })),
    inGroup: isOfGroup(change) ? await countInGroup(deps, caller, change, decided) : null,
  }
}

/** Returns how many of the vulnerabilities need approval to be dismissed, and for how many it would be requested now. */
async function requestsOf(
  deps: RootDeps,
  project: Project,
  change: Change,
  changed: readonly VulnerabilityWithFinding[],
): Promise<{ needing: ReadonlySet<number>; held: number; requested: number }> {
  if (change.action !== 'dismiss') return { needing: new Set(), held: 0, requested: 0 }
  const candidates = changed.map(({ vulnerability, finding }) => ({ vulnerability, reported: finding.severity }))
  const { needing } = await selectForApproval(deps, project.id, candidates)
  return {
    needing: new Set(needing.map(({ id }) => id)),
    held: needing.length,
    requested:
      change.ref === undefined && !change.group ? needing.filter((one) => one.dismissalRequestId === null).length : 0,
  }
}

type Counted = Pick<ProjectChange, 'changed' | 'requested' | 'unchanged' | 'restored' | 'withdrawn'>

function totalsOf(projects: readonly Counted[]): Counted {
  const sum = (count: (project: Counted) => number) => projects.reduce((total, one) => total + count(one), 0)
  return {
    changed: sum(({ changed }) => changed),
    requested: sum(({ requested }) => requested),
    unchanged: sum(({ unchanged }) => unchanged),
    restored: projects.some(({ restored }) => restored !== null) ? sum(({ restored }) => restored ?? 0) : null,
    withdrawn: projects.some(({ withdrawn }) => withdrawn !== null) ? sum(({ withdrawn }) => withdrawn ?? 0) : null,
  }
}

/** Undoes the change in every project in which the caller may still triage. */
export async function undoInScope(
  deps: RootDeps,
  caller: Visitor,
  id: number,
  { isAsync = false }: { isAsync?: boolean | undefined } = {},
): Promise<ScopeChange> {
  await transaction(deps, async (deps) => {
    const { state } = await findOwn(deps, caller, id)
    if (state === 'running') throw conflict('the change has not ended; try again later')
    const undo = { userId: caller.user.id, asAdmin: caller.isAdmin, now: deps.now() }
    if (!(await markScopeUndone(deps.db, id, undo))) throw unchanged()
    const { changed, requested } = totalsOf(await listParts(deps.db, id))
    if (changed + requested > maxInTransaction) await queueJob(deps, caller.user.id, id)
    else await undoAll(deps, id)
  })
  return awaitChange(deps, caller, id, isAsync ? 0 : maxWaitMs)
}

/** Returns the groups whose rules the undo of a change would remove. */
export async function findGroupsOfScopeChange(deps: RootDeps, caller: Visitor, id: number): Promise<number[]> {
  const { change } = await findOwn(deps, caller, id)
  if (!isOfGroup(change)) return []
  const parts = await listParts(deps.db, id)
  const found = await Promise.all(parts.map((part) => findGroupsOfBulk(deps, part.id)))
  return [...new Set(found.flat())]
}

/** Restores all vulnerabilities in the calling transaction. */
async function undoAll(deps: Deps, id: number): Promise<void> {
  for (let after: number | undefined = 0; after !== undefined; ) after = await undoNext(deps, id, after)
  await updateScopeState(deps.db, id, { from: 'undoing', to: 'undone' })
}

/** Returns a change of the caller, or any change for administrators. */
export async function getScopeChange(deps: RootDeps, caller: Visitor, id: number): Promise<ScopeChange> {
  return describeStored(deps, caller, await findOwn(deps, caller, id))
}

/** Returns the caller's changes of many projects, newest first. */
export async function findScopeChanges(deps: RootDeps, caller: Visitor, page: PageRequest): Promise<Page<ScopeChange>> {
  const { rows, ...found } = pageOf(page, await listScopeChanges(deps.db, caller.user.id, page))
  return { ...found, rows: await Promise.all(rows.map((stored) => describeStored(deps, caller, stored))) }
}

async function findOwn({ db }: Deps, caller: Visitor, id: number): Promise<StoredScopeChange> {
  const found = await findScopeChange(db, id)
  if (!found || (found.userId !== caller.user.id && !caller.isAdmin)) throw notFound()
  return found
}

async function awaitChange(deps: RootDeps, caller: Visitor, id: number, ms: number): Promise<ScopeChange> {
  const isOver = ({ state }: StoredScopeChange) => state !== 'running' && state !== 'undoing'
  const stored = await waitFor(deps, 'scope_bulk_changes', () => findOwn(deps, caller, id), { isOver, ms })
  return describeStored(deps, caller, stored)
}

/** Counts include projects that the caller may no longer read; these are not listed. */
async function describeStored(deps: RootDeps, caller: Visitor, stored: StoredScopeChange): Promise<ScopeChange> {
  const [parts, skips] = await Promise.all([listParts(deps.db, stored.id), listSkipped(deps.db, stored.id)])
  const { projectIds } = await readableScope(deps, caller)
  const readable = new Set(projectIds)
  const ids = [...parts, ...skips].map(({ projectId }) => projectId).filter((id) => readable.has(id))
  const projects = new Map((await listProjectsById(deps.db, [...new Set(ids)])).map((one) => [one.id, one]))
  const withProject = <Row extends { projectId: number }>(rows: readonly Row[]): (Row & { project: Project })[] =>
    rows.flatMap((row) => {
      const project = projects.get(row.projectId)
      return project ? [{ ...row, project }] : []
    })
  const { changed, requested, unchanged, restored, withdrawn } = totalsOf(parts)
  return {
    ...stored,
    ...{ action: stored.change.action, changed, requested, unchanged, restored, withdrawn },
    projects: withProject(parts).map((part) => ({ ...part, bulkId: part.id })),
    skipped: withProject(skips),
    inGroup: null,
  }
}
