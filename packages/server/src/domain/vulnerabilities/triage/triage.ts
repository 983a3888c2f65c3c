import { invalid, notFound, unchanged } from '../../../platform/failure.ts'
import { type Deps, projectTransaction } from '../../deps.ts'
import { refreshOccurrencesOf } from '../../findings/occurrences/occurrences.ts'
import type { State } from '../../findings/scales.ts'
import type { Project } from '../../projects/project.ts'
import type { User } from '../../users/user.ts'
import { addToFacetCounts } from '../list/count-change-queries.ts'
import { countChanges } from '../list/count-changes.ts'
import { listFindingsOf } from '../list/list-queries.ts'
import type { Vulnerability, VulnerabilityWithFinding } from '../vulnerability.ts'
import { type ActionContext, applyChange, type Change, entryOf } from './change.ts'
import { assertExpectedStates } from './expected-states.ts'
import { recordHistory } from './history.ts'
import type { HistoryEntry } from './history-entry.ts'
import { findVulnerabilityById, listReported, lockVulnerabilities, saveVulnerabilities } from './triage-queries.ts'
import { recordVulnerabilityChanges } from './vulnerability-events.ts'

/** Finds a vulnerability by its id in decimal digits. */
export async function findVulnerability({ db }: Deps, reference: string): Promise<Vulnerability | undefined> {
  const id = /^\d+$/.test(reference) ? Number(reference) : Number.NaN
  return Number.isSafeInteger(id) ? findVulnerabilityById(db, id) : undefined
}

/** Adds the finding; every vulnerability has one. */
export async function withFinding({ db }: Deps, vulnerability: Vulnerability): Promise<VulnerabilityWithFinding> {
  const [finding] = await listFindingsOf(db, [vulnerability.id])
  if (!finding) throw notFound()
  return { vulnerability, finding }
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
  { id, change, expectedState }: ChangeRequest,
): Promise<VulnerabilityWithFinding> {
  return projectTransaction(deps, project.id, async (deps) => {
    // Sent at once; the database reads the finding after it has locked the vulnerability.
    const [[before], [finding]] = await Promise.all([
      lockVulnerabilities(deps.db, project.id, [id]),
      listFindingsOf(deps.db, [id]),
    ])
    if (!before || !finding) throw notFound()
    if (expectedState !== undefined) await assertExpectedStates(deps, [before], new Map([[id, expectedState]]))
    const context = { userId: user.id, now: deps.now() }
    const after = applyChange(before, change, finding.severity, context)
    if (!after) throw unchanged()
    assertComment(change.comment)
    const changed = [{ before, after, entry: entryOf(before, after, change, context) }]
    await saveChanges(deps, project.id, changed, context.now)
    await addToFacetCounts(deps.db, project.id, countChanges(changed), context.now)
    return { vulnerability: after, finding }
  })
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
 * Stores changed vulnerabilities, which the caller must have locked, and records history entries and webhook events.
 * The caller updates the facet counts at the end of the transaction, because their rows are the most contended.
 */
export async function saveChanges(
  deps: Deps,
  projectId: number,
  changed: readonly ChangedVulnerability[],
  now: string,
): Promise<void> {
  await saveVulnerabilities(
    deps.db,
    changed.map(({ after }) => after),
  )
  await refreshOccurrencesOf(
    deps.db,
    changed.flatMap(({ before, after }) => (isListedElsewhere(before, after) ? after.id : [])),
  )
  await recordHistory(
    deps.db,
    changed.flatMap(({ entry }) => entry ?? []),
    now,
  )
  await recordVulnerabilityChanges(
    deps,
    projectId,
    changed.flatMap(({ after, entry }) => (entry?.kind === 'state' ? after.id : [])),
  )
}

/**
 * Returns true if the position in lists of findings changes. A scanner's severity is already stored with the finding.
 */
const isListedElsewhere = (before: Vulnerability, after: Vulnerability): boolean =>
  before.state !== after.state ||
  before.isSeverityOverridden !== after.isSeverityOverridden ||
  (after.isSeverityOverridden && before.severity !== after.severity)

/** Applies an action to a batch of vulnerabilities after locking them. */
export async function changeBatch(
  deps: Deps,
  projectId: number,
  ids: readonly number[],
  { change, ...context }: ActionContext & { change: Change },
): Promise<ChangedVulnerability[]> {
  const locked = await lockVulnerabilities(deps.db, projectId, ids)
  // Only restoring the scanner's severity needs it.
  const reported = change.action === 'severity' ? await reportedSeverities(deps, ids) : undefined
  return locked.flatMap((before) => {
    const after = applyChange(before, change, reported?.get(before.id) ?? before.severity, context)
    return after ? [{ before, after, entry: entryOf(before, after, change, context) }] : []
  })
}

export async function reportedSeverities(deps: Deps, ids: readonly number[]) {
  const reported = await listReported(deps.db, ids)
  return new Map(reported.map(({ vulnerabilityId, severity }) => [vulnerabilityId, severity]))
}
