import { forEachBatch } from '../../batches.ts'
import type { Deps } from '../../deps.ts'
import type { Project } from '../../projects/project.ts'
import { updateKeys } from '../flaws/flaw-keys.ts'
import { addToFacetCounts, type CountChange } from '../list/counts/count-change-queries.ts'
import { countChanges } from '../list/counts/count-changes.ts'
import { rescore } from '../priority/scores.ts'
import { applyRules, loadRules } from '../rules/apply-rules.ts'
import { titleOf } from '../title.ts'
import { recordEndedDismissals } from '../triage/audited-decisions.ts'
import { autoResolved, reopened } from '../triage/change.ts'
import { endDismissal, listFixed } from '../triage/dismissals/ended-dismissals.ts'
import { recordHistory, recordObservations } from '../triage/history/history.ts'
import type { HistoryEntry, ObservationOrigin } from '../triage/history/history-entry.ts'
import { type ChangedVulnerability, saveChanges } from '../triage/triage.ts'
import { listReported, lockVulnerabilities, type Reported } from '../triage/triage-queries.ts'
import type { Vulnerability } from '../vulnerability.ts'
import { listPromotedIds } from '../vulnerability-queries.ts'
import { listDroppedByRule, listOutdated, listToMarkAbsent } from './apply-import-queries.ts'
import type { ScanRules } from './scan-rules.ts'

export { listResolvedAmongPresent } from './apply-import-queries.ts'

/** Ids of the findings that an import observed on its ref. */
export interface ImportObservations extends ObservationOrigin {
  /** Category of the report, if any. Its rules say nothing about the findings of other categories. */
  categoryId: number | undefined
  observed: readonly number[]
  /** Observed findings with new content, among them moved ones. */
  changed: readonly number[]
  /** Observed findings that were known, but not on this ref. */
  newOnRef: readonly number[]
  /** Observed findings that were absent from this ref before. */
  reappeared: readonly number[]
  /** Findings that were present on this ref and are absent now. */
  absent: readonly number[]
  /** Findings that were matched at another location. */
  moved: readonly { vulnerabilityId: number; reason: string; location: object }[]
  /** Rules that the scan evaluated, if its report lists them. */
  rules?: ScanRules | undefined
}

/**
 * Updates vulnerabilities from the findings of an import, inside its transaction. History entries are written for every
 * ref. Imports of the default branch change vulnerabilities; imports of other branches do so only until the default
 * branch has observed the finding. Observed vulnerabilities take title and severity of the report and are reopened if
 * they were resolved. Absent ones are marked, and resolved only if the project is configured so.
 */
export async function applyImportToVulnerabilities(
  deps: Deps,
  project: Project,
  observations: ImportObservations,
): Promise<void> {
  const { importId, userId, ref, now } = observations
  const moved = observations.moved.map(({ vulnerabilityId, ...details }): HistoryEntry => {
    return { vulnerabilityId, kind: 'matched', importId, userId, ref, details }
  })
  await recordHistory(deps.db, moved, now)
  await recordObservations(deps.db, 'found', observations.newOnRef, observations)
  await recordObservations(deps.db, 'back', observations.reappeared, observations)
  await recordObservations(deps.db, 'gone', observations.absent, observations)
  const outdated = await collectInBatches(observations.observed, (ids) => listOutdated(deps.db, ids))
  await rescoreReported(deps, observations.changed)
  const isDefault = ref === project.defaultBranch
  const update = isDefault ? updateOnDefaultBranch : updateOnBranch
  await changeAll(deps, project, observations, { ids: outdated, update })
  await endFixedDismissals(deps, project, observations)
  await applyRulesTo(deps, project, observations, outdated)
  if (!isDefault) return

  const absent = await collectInBatches(observations.absent, (ids) => listToMarkAbsent(deps.db, ids))
  await changeAll(deps, project, observations, {
    ids: absent,
    update: (vulnerability) => markAbsent(vulnerability, project, now),
  })
  if (!observations.rules) return
  const dropped = await listDroppedByRule(deps.db, project.id, observations, observations.rules)
  await changeAll(deps, project, observations, {
    ids: dropped,
    update: (vulnerability) => resolveDropped(vulnerability, now),
  })
}

/** Computes the scores and keys of vulnerabilities whose findings have new identifiers, vectors or locations. */
async function rescoreReported(deps: Deps, changed: readonly number[]): Promise<void> {
  await forEachBatch(changed, async (batch) => {
    const ids = await listPromotedIds(deps.db, batch)
    await rescore(deps, ids)
    await updateKeys(deps, ids)
  })
}

/** Applies the rules of the project to vulnerabilities that the import has changed or observed on another ref. */
async function applyRulesTo(
  deps: Deps,
  project: Project,
  { changed, newOnRef, now }: ImportObservations,
  outdated: readonly number[],
): Promise<void> {
  if (changed.length + newOnRef.length + outdated.length === 0) return
  const rules = await loadRules(deps, project)
  if (!rules) return
  const observed = await collectInBatches([...changed, ...newOnRef], (ids) => listPromotedIds(deps.db, ids))
  const { counts } = await applyRules(deps, project, rules, { ids: [...outdated, ...observed] })
  await addToFacetCounts(deps.db, project.id, counts, now)
}

/** Reopens vulnerabilities that were dismissed until the report of any ref says how to fix them. */
async function endFixedDismissals(deps: Deps, project: Project, observations: ImportObservations): Promise<void> {
  const fixed = await collectInBatches(observations.observed, (ids) => listFixed(deps.db, ids))
  let ended = 0
  const update: Update = (vulnerability, _, now) => {
    if (vulnerability.state !== 'dismissed' || !vulnerability.isDismissedUntilFixed) return undefined
    ended++
    const { after, comment, details } = endDismissal(vulnerability, 'until_fixed', now)
    return { after, why: comment, details }
  }
  await changeAll(deps, project, observations, { ids: fixed, update })
  await recordEndedDismissals(deps, project, ended)
}

/** New fields of a vulnerability, and the comment and details for its history if the state changes. */
interface Outcome {
  after: Vulnerability
  why?: string | null | undefined
  details?: object | null | undefined
}
type Update = (vulnerability: Vulnerability, reported: Reported | undefined, now: string) => Outcome | undefined

const withReportedFields = (vulnerability: Vulnerability, reported: Reported, now: string): Vulnerability => ({
  ...vulnerability,
  title: titleOf(reported.name),
  severity: vulnerability.isSeverityOverridden ? vulnerability.severity : reported.severity,
  confidence: reported.confidence,
  scannerId: reported.scannerId,
  fixAvailableAt: reported.hasFix ? (vulnerability.fixAvailableAt ?? now) : null,
  updatedAt: now,
})

const updateOnBranch: Update = (vulnerability, reported, now) =>
  !reported || vulnerability.isOnDefaultBranch ? undefined : { after: withReportedFields(vulnerability, reported, now) }

const updateOnDefaultBranch: Update = (vulnerability, reported, now) => {
  if (!reported) return undefined
  const updated = withReportedFields(vulnerability, reported, now)
  const after = { ...updated, isOnDefaultBranch: true, isResolvedOnDefaultBranch: false }
  return vulnerability.state === 'resolved'
    ? { after: reopened(after, now), why: 'found again on the default branch' }
    : { after }
}

function markAbsent(vulnerability: Vulnerability, { autoResolve }: Project, now: string): Outcome {
  const after = { ...vulnerability, isResolvedOnDefaultBranch: true, updatedAt: now }
  return autoResolve && isActive(vulnerability)
    ? { after: autoResolved(after, now), why: 'no longer found on the default branch' }
    : { after }
}

function resolveDropped(vulnerability: Vulnerability, now: string): Outcome | undefined {
  if (vulnerability.state !== 'detected' || !vulnerability.isResolvedOnDefaultBranch) return undefined
  return { after: autoResolved(vulnerability, now), why: 'the scanner no longer has the rule that found it' }
}

const isActive = ({ state }: Vulnerability) => state === 'detected' || state === 'confirmed'

async function changeAll(
  deps: Deps,
  project: Project,
  { importId, ref, now }: ObservationOrigin,
  { ids, update }: { ids: readonly number[]; update: Update },
): Promise<void> {
  const counts: CountChange[] = []
  // Lock in the order of ids, as every other bulk operation does, to avoid deadlocks.
  const inOrder = [...ids].sort((a, b) => a - b)
  await forEachBatch(inOrder, async (batch) => {
    const locked = await lockVulnerabilities(deps.db, project.id, batch)
    const reported = new Map((await listReported(deps.db, batch)).map((row) => [row.vulnerabilityId, row]))
    const severities: HistoryEntry[] = []
    const changed = locked.flatMap((before): ChangedVulnerability[] => {
      const outcome = update(before, reported.get(before.id), now)
      if (!outcome) return []
      const { after, why, details } = outcome
      const origin = { vulnerabilityId: after.id, importId, ref }
      if (before.severity !== after.severity) {
        severities.push({ ...origin, kind: 'severity', from: before.severity, to: after.severity })
      }
      if (before.state === after.state) return [{ before, after }]
      const entry = { ...origin, from: before.state, to: after.state, comment: why, details }
      return [{ before, after, entry: { ...entry, kind: 'state' } }]
    })
    await recordHistory(deps.db, severities, now)
    await saveChanges(deps, project.id, changed, now)
    counts.push(...countChanges(changed))
  })
  await addToFacetCounts(deps.db, project.id, counts, now)
}

async function collectInBatches(
  ids: readonly number[],
  list: (batch: readonly number[]) => Promise<number[]>,
): Promise<number[]> {
  const found: number[] = []
  await forEachBatch(ids, async (batch) => void found.push(...(await list(batch))))
  return found
}
