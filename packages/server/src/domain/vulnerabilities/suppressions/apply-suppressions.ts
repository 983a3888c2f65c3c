import { forEachBatch } from '../../batches.ts'
import type { Deps } from '../../deps.ts'
import type { Project } from '../../projects/project.ts'
import { isCovered } from '../approval/approval-rule.ts'
import { findEffectiveRule } from '../approval/approval-rules.ts'
import { withPolicyDates } from '../due-dates/policy-dates.ts'
import { addToFacetCounts, type CountChange } from '../list/counts/count-change-queries.ts'
import { countChanges } from '../list/counts/count-changes.ts'
import { applyRules, loadRules } from '../rules/apply-rules.ts'
import { listDecisions } from '../rules/finding-queries.ts'
import { applyChange } from '../triage/change.ts'
import { describeEnd } from '../triage/dismissals/dismissal-end.ts'
import { recordHistory } from '../triage/history/history.ts'
import type { HistoryEntry } from '../triage/history/history-entry.ts'
import { recordVulnerabilityChanges } from '../triage/history/vulnerability-events.ts'
import { reportedSeverities } from '../triage/triage.ts'
import { lockVulnerabilities, saveVulnerabilities } from '../triage/triage-queries.ts'
import type { Vulnerability } from '../vulnerability.ts'
import { isSame, type StoredSuppression, type Suppression } from './suppression.ts'
import {
  deleteSuppressions,
  listSuppressions,
  listSuppressionsOfProject,
  markApplied,
  upsertSuppressions,
} from './suppression-queries.ts'

/** What a report of the default branch states about suppressions. */
export interface ReportedSuppressions {
  reported: readonly (Suppression & { findingId: number })[]
  /** Ids of the known findings in the report. */
  observed: readonly number[]
  /** Scanners that the report covers. */
  scannerIds: readonly number[]
}

/** Numbers of the suppressions of a report: all, new or changed ones, and those that it no longer has. */
export interface SuppressionCounts {
  reported: number
  changed: number
  ended: number
}

/** Compares the suppressions of a report with those of earlier ones. Only their scanner ends them. */
export async function compareSuppressions(
  { db }: Deps,
  project: Project,
  { reported, observed, scannerIds }: ReportedSuppressions,
) {
  const stored = await listSuppressionsOfProject(db, project.id)
  const isObserved = new Set(stored.length > 0 ? observed : [])
  const isReported = new Set(reported.map(({ findingId }) => findingId))
  const ended = stored.filter(
    ({ findingId, scannerId }) =>
      isObserved.has(findingId) && !isReported.has(findingId) && scannerIds.includes(scannerId),
  )
  const former = new Map(stored.map((one) => [one.findingId, one]))
  const changed = reported.filter((one) => {
    const before = former.get(one.findingId)
    return !before || !isSame(before, one)
  })
  const counts: SuppressionCounts = { reported: reported.length, changed: changed.length, ended: ended.length }
  return { former, changed, ended, counts }
}

/**
 * Stores the suppressions of a report in the transaction of its import, dismisses what they suppress, and reverts the
 * dismissals of those that the report no longer has.
 */
export async function applyReportedSuppressions(
  deps: Deps,
  project: Project,
  importId: number,
  changes: ReportedSuppressions,
): Promise<SuppressionCounts> {
  const { former, changed, ended, counts: result } = await compareSuppressions(deps, project, changes)
  const open = changes.reported.filter(({ findingId }) => former.get(findingId)?.state === 'detected')
  const counts: CountChange[] = []
  const applyTo = async (batch: readonly SuppressionChange[]) => {
    counts.push(...(await changeVulnerabilities(deps, project, batch, { importId, announces: true })))
  }
  await forEachBatch(ended, async (batch) => {
    await deleteSuppressions(deps.db, batch.map(idOf))
    await applyTo(batch.map((before) => ({ before, next: undefined })))
  })
  await forEachBatch(changed, (batch) => upsertSuppressions(deps.db, project.id, batch))
  await forEachBatch([...new Set([...changed, ...open].map(idOf))], async (ids) => {
    const suppressions = await listSuppressions(deps.db, ids)
    await applyTo(suppressions.map((next) => ({ before: former.get(next.findingId), next })))
  })
  await addToFacetCounts(deps.db, project.id, counts, deps.now())
  await applyRulesTo(deps, project, ended)
  return result
}

const idOf = ({ findingId }: { findingId: number }): number => findingId

/** Applies rules to vulnerabilities whose suppression has ended, because a rule leaves what is dismissed alone. */
async function applyRulesTo(deps: Deps, project: Project, ended: readonly StoredSuppression[]): Promise<void> {
  const ids = ended.flatMap(({ vulnerabilityId }) => vulnerabilityId ?? [])
  const rules = ids.length > 0 ? await loadRules(deps, project) : undefined
  if (!rules) return
  const { counts } = await applyRules(deps, project, rules, { ids })
  await addToFacetCounts(deps.db, project.id, counts, deps.now())
}

/** Dismisses those of the newly promoted findings that are suppressed. The caller records the webhook events. */
export async function dismissSuppressed(
  deps: Deps,
  project: Project,
  findingIds: readonly number[],
): Promise<CountChange[]> {
  if (findingIds.length === 0) return []
  const suppressions = await listSuppressions(deps.db, findingIds)
  const changes = suppressions.map((next) => ({ before: undefined, next }))
  return changeVulnerabilities(deps, project, changes, { importId: null, announces: false })
}

/** A suppression before and after a report, which states it differently, for the first time, or no longer. */
export type SuppressionChange =
  | { before: StoredSuppression | undefined; next: StoredSuppression }
  | { before: StoredSuppression; next: undefined }

interface ChangeOrigin {
  importId: number | null
  announces: boolean
}

async function changeVulnerabilities(
  deps: Deps,
  project: Project,
  changes: readonly SuppressionChange[],
  { importId, announces }: ChangeOrigin,
): Promise<CountChange[]> {
  const byId = new Map(
    changes.flatMap((change): [number, SuppressionChange][] => {
      const { vulnerabilityId } = change.next ?? change.before
      return vulnerabilityId === null ? [] : [[vulnerabilityId, change]]
    }),
  )
  if (byId.size === 0) return []
  const ids = [...byId.keys()].sort((a, b) => a - b)
  const locked = await lockVulnerabilities(deps.db, project.id, ids)
  const decided = await listDecided(deps, ids)
  const approval = await findEffectiveRule(deps, project.id)
  const reported = approval ? await reportedSeverities(deps, ids) : new Map<number, never>()
  const now = deps.now()
  const made = locked.flatMap((vulnerability) => {
    const change = byId.get(vulnerability.id)
    if (!change) return []
    const { id, severity } = vulnerability
    const needsApproval =
      approval !== undefined && [severity, reported.get(id) ?? severity].some((one) => isCovered(approval, one))
    const after = suppressedBy(vulnerability, change, { now, isDecided: decided.has(id), needsApproval })
    const entry = after && entryOf(vulnerability, after, change, { importId, ref: project.defaultBranch })
    return after && entry ? [{ before: vulnerability, after, entry }] : []
  })
  if (made.length === 0) return []
  const changed = await withPolicyDates(deps, project.id, made)
  await saveVulnerabilities(
    deps.db,
    changed.map(({ after }) => after),
  )
  await recordHistory(
    deps.db,
    changed.map(({ entry }) => entry),
    now,
  )
  const findingsIn = (isDismissed: boolean) =>
    changed.flatMap(({ after: { id, state } }) =>
      (state === 'dismissed') === isDismissed ? (byId.get(id)?.next?.findingId ?? []) : [],
    )
  await markApplied(deps.db, findingsIn(true), true)
  if (findingsIn(false).length > 0) await markApplied(deps.db, findingsIn(false), false)
  if (announces) {
    await recordVulnerabilityChanges(
      deps,
      project.id,
      changed.map(({ after }) => after.id),
    )
  }
  return countChanges(changed)
}

/** Returns the vulnerabilities whose state a user has decided. The undo of a bulk change is no decision. */
export async function listDecided({ db }: Deps, ids: readonly number[]): Promise<Set<number>> {
  const decisions = await listDecisions(db, ids)
  return new Set(
    decisions.flatMap(({ vulnerabilityId, kind, details }) =>
      kind === 'state' && !(details && 'undoes_bulk_id' in details) ? vulnerabilityId : [],
    ),
  )
}

interface SuppressionContext {
  now: string
  isDecided: boolean
  needsApproval: boolean
}

/** Returns the vulnerability as its suppression leaves it, or `undefined` if nothing changes. */
export function suppressedBy(
  vulnerability: Vulnerability,
  { before, next }: SuppressionChange,
  { now, isDecided, needsApproval }: SuppressionContext,
): Vulnerability | undefined {
  if (isDecided) return undefined
  const { state, dismissedById, ruleEffects } = vulnerability
  const isOwn = before?.isApplied === true && state === 'dismissed' && dismissedById === null && !ruleEffects?.dismissal
  const context = { userId: null, now }
  const { severity } = vulnerability
  const reverted = isOwn ? applyChange(vulnerability, { action: 'revert' }, severity, context) : undefined
  const base = reverted ?? vulnerability
  const hasEnded = next !== undefined && next.until !== null && next.until <= now.slice(0, 10)
  const mayDismiss = base.state === 'detected' && base.dismissalRequestId === null && !needsApproval && !hasEnded
  if (!next || !mayDismiss) return reverted
  const { reason, until } = next
  const dismissal = { action: 'dismiss', dismissalReason: reason ?? undefined, until } as const
  return applyChange(base, dismissal, severity, context)
}

function entryOf(
  { id, state }: Vulnerability,
  after: Vulnerability,
  { before, next }: SuppressionChange,
  origin: { importId: number | null; ref: string },
): HistoryEntry {
  const { source, scannerName, justification } = next ?? before
  const isDismissed = after.state === 'dismissed'
  const why = justification === null ? '' : `: ${justification}`
  return {
    ...origin,
    vulnerabilityId: id,
    kind: 'state',
    from: state,
    to: after.state,
    comment: isDismissed
      ? `Suppressed ${source}, reported by ${scannerName}${why}`
      : next === undefined
        ? `${scannerName} no longer reports it as suppressed`
        : `the changed suppression reported by ${scannerName} has ended or needs approval`,
    dismissalReason: after.dismissalReason,
    details: { suppression: { source, scanner: scannerName, is_ended: next === undefined }, ...describeEnd(after) },
  }
}
