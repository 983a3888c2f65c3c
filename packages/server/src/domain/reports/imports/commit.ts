import { forEachBatch } from '../../batches.ts'
import type { Deps } from '../../deps.ts'
import {
  deleteFindings,
  deleteImportKeys,
  deleteMatches,
  insertMatches,
  listStaged,
  mergeFindings,
  renameFindings,
  replaceContents,
} from '../../findings/findings.ts'
import type { Observation, Scan } from '../../findings/occurrences/occurrence.ts'
import {
  addToCategory,
  insertOccurrences,
  insertScans,
  markAbsent,
  markObserved,
  markPresentAgain,
  removeFromCategory,
} from '../../findings/occurrences/occurrences.ts'
import type { Project } from '../../projects/project.ts'
import type { User } from '../../users/user.ts'
import {
  applyImportToVulnerabilities,
  listResolvedAmongPresent,
} from '../../vulnerabilities/apply-import/apply-import.ts'
import type { ScanRules } from '../../vulnerabilities/apply-import/scan-rules.ts'
import { promoteFindings, recordPromotion } from '../../vulnerabilities/promotion/promotion.ts'
import {
  applyReportedSuppressions,
  type ReportedSuppressions,
  type SuppressionCounts,
} from '../../vulnerabilities/suppressions/apply-suppressions.ts'
import type { MovedFinding } from '../comparison/decision.ts'
import { type ChangedFinding, type GroupedDecisions, idsOf } from '../comparison/grouped-decisions.ts'

/** Every change that an import makes to its project. */
export interface ImportChanges {
  observation: Observation
  decisions: GroupedDecisions
  /** The scanners and report types that the report covers. */
  scans: readonly Scan[]
  /** Rules that a complete scan evaluated, if the report lists them. */
  rules: ScanRules | undefined
  /** Ids of findings to promote in the same transaction. */
  promote: readonly number[]
  /** Absent if neither this report nor earlier ones have any, and on other refs than the default branch. */
  suppressions: ReportedSuppressions | undefined
}

/**
 * Commits an import in the one transaction that makes it visible, and returns what it has changed. Other requests run between batches, but SQLite blocks other writers until the end, so any work that can run before this
 * transaction does.
 */
export async function commitImport(
  deps: Deps,
  project: Project,
  user: User | undefined,
  changes: ImportChanges,
): Promise<{ promoted: number; suppressions: SuppressionCounts | undefined }> {
  await commitContents(deps, changes)
  await commitOccurrences(deps, changes)
  await insertScans(deps.db, changes.observation, changes.scans)
  await commitVulnerabilities(deps, project, user, changes)
  const { importId } = changes.observation
  const suppressions =
    changes.suppressions && (await applyReportedSuppressions(deps, project, importId, changes.suppressions))
  const promoted = await promoteFindings(deps, project, user?.id ?? null, {
    findingIds: changes.promote,
    isAutomatic: true,
  })
  await recordPromotion(deps, project, user ?? null, { promoted, importId })
  return { promoted, suppressions }
}

/** Stores changed contents and matches. */
async function commitContents(deps: Deps, { observation, decisions }: ImportChanges): Promise<void> {
  const isLarge = (one: { isLarge: boolean }) => one.isLarge
  await forEachBatch(decisions.changed, (batch) => replaceStaged(deps, observation, batch), isLarge)
  await forEachBatch(
    decisions.moved,
    (batch) => commitMoved(deps, observation, batch),
    ({ reported }) => reported.isLarge,
  )
  await forEachBatch(decisions.stagedNew, (batch) => deleteMatches(deps.db, observation.projectId, uuidsOf(batch)))
}

async function commitOccurrences({ db }: Deps, { observation, decisions, scans }: ImportChanges): Promise<void> {
  const forEach = (ids: readonly number[], change: typeof markPresentAgain) =>
    forEachBatch(ids, (batch) => change(db, observation, batch))
  const { newOnRef, reappeared, newInCategory } = decisions.byPresence
  await forEach(decisions.new, insertOccurrences)
  await forEach(newOnRef, insertOccurrences)
  await forEach(reappeared, markPresentAgain)
  await forEach(newInCategory, addToCategory)
  await forEach(decisions.removedFromCategory, removeFromCategory)
  await forEach(decisions.absent, markAbsent)
  if (!scans.every(({ isComplete }) => isComplete)) await forEach(decisions.observed, markObserved)
}

async function commitVulnerabilities(
  deps: Deps,
  project: Project,
  user: User | undefined,
  { observation, decisions, rules }: ImportChanges,
): Promise<void> {
  const { moved, absent, byPresence, promotedNewOnRef } = decisions
  await applyImportToVulnerabilities(deps, project, {
    ...observation,
    userId: user?.id ?? null,
    observed: await listToUpdate(deps, project, observation, decisions),
    changed: idsOf([...decisions.changed, ...moved]),
    newOnRef: promotedNewOnRef,
    reappeared: byPresence.reappeared,
    absent,
    moved: moved.flatMap(({ vulnerabilityId, reported: { location }, reason }) =>
      vulnerabilityId === null ? [] : { vulnerabilityId, reason, location },
    ),
    rules,
  })
}

/**
 * Lists the findings whose vulnerabilities need an update: changed or moved ones, and resolved ones that are present.
 */
async function listToUpdate(
  { db }: Deps,
  project: Project,
  { ref }: Observation,
  { changed, moved, observed, byPresence: { newOnRef, reappeared } }: GroupedDecisions,
): Promise<number[]> {
  const withNewContent = idsOf([...changed, ...moved])
  if (ref !== project.defaultBranch) return withNewContent
  const resolved = await listResolvedAmongPresent(db, project.id)
  const isObserved = new Set(resolved.length > 0 ? observed : [])
  const reopened = resolved.filter((id) => isObserved.has(id))
  return [...new Set([...newOnRef, ...reappeared, ...withNewContent, ...reopened])]
}

/** Replaces the contents of known findings with staged ones. */
async function replaceStaged(
  { db }: Deps,
  { projectId, importId, now }: Observation,
  changed: readonly Pick<ChangedFinding, 'findingId' | 'uuid'>[],
): Promise<void> {
  const staged = await listStaged(db, importId, uuidsOf(changed))
  const contents = changed.flatMap(({ findingId, uuid }) => {
    const content = staged.get(uuid)
    return content ? [{ findingId, content }] : []
  })
  if (contents.length < changed.length) throw new Error('a staged finding is missing')
  await replaceContents(db, projectId, contents, now)
}

/** Records matches, and moves the reported contents to the known findings. */
async function commitMoved(deps: Deps, observation: Observation, moved: readonly MovedFinding[]): Promise<void> {
  const { db } = deps
  const { projectId, now } = observation
  const isRenamed = ({ reason, updatesContent }: MovedFinding) =>
    (reason === 'identifier' || reason === 'imported') && updatesContent
  const matches = moved.map((one) => ({
    findingId: one.findingId,
    uuid: isRenamed(one) ? one.knownUuid : one.reported.uuid,
    reason: one.reason,
    location: one.reported.location,
  }))
  // Delete the earlier match of the same uuid, so that the new row becomes the newest match.
  await deleteMatches(db, projectId, uuidsOf(matches))
  await insertMatches(db, observation, matches)

  const inserted = moved.filter(({ reported }) => reported.id !== 0)
  const merged = inserted.filter(({ updatesContent }) => updatesContent)
  await mergeFindings(
    db,
    merged.map(({ reported, findingId }) => ({ shadowId: reported.id, findingId })),
    now,
  )
  await deleteFindings(
    db,
    inserted.map(({ reported }) => reported.id),
  )
  const staged = moved.filter(({ reported, updatesContent }) => reported.id === 0 && updatesContent)
  await replaceStaged(deps, observation, staged.map(reportedUuid))
  await renameFindings(db, moved.filter(isRenamed).map(reportedUuid), now)
  const imported = moved.filter(({ reason }) => reason === 'imported')
  if (imported.length > 0) await deleteImportKeys(db, idsOf(imported))
}

const reportedUuid = ({ findingId, reported }: MovedFinding) => ({ findingId, uuid: reported.uuid })

const uuidsOf = (findings: readonly { uuid: string }[]): string[] => findings.map(({ uuid }) => uuid)
