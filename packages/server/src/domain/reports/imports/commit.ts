import { forEachBatch } from '../../batches.ts'
import type { Deps } from '../../deps.ts'
import {
  deleteFindings,
  deleteMatches,
  insertMatches,
  listStaged,
  mergeFindings,
  renameFindings,
  replaceContents,
} from '../../findings/findings.ts'
import type { Observation, Scan } from '../../findings/occurrence.ts'
import {
  addToCategory,
  insertOccurrences,
  insertScans,
  markAbsent,
  markObserved,
  markPresentAgain,
  removeFromCategory,
} from '../../findings/occurrences.ts'
import type { Project } from '../../projects/project.ts'
import type { User } from '../../users/user.ts'
import {
  applyImportToVulnerabilities,
  listResolvedAmongPresent,
} from '../../vulnerabilities/apply-import/apply-import.ts'
import type { ScanRules } from '../../vulnerabilities/apply-import/scan-rules.ts'
import { promoteFindings } from '../../vulnerabilities/promotion/promotion.ts'
import {
  type Decision,
  type MovedFinding,
  missingIds,
  observedIn,
  ofKind,
  type Presence,
  type StagedContent,
} from '../comparison/decision.ts'

/** Every change that an import makes to its project. */
export interface ImportChanges {
  observation: Observation
  decisions: readonly Decision[]
  /** The scanners and report types that the report covers. */
  scans: readonly Scan[]
  /** Rules that a complete scan evaluated, if the report lists them. */
  rules: ScanRules | undefined
  /** Ids of findings to promote in the same transaction. */
  promote: readonly number[]
}

/**
 * Commits an import in the one transaction that makes it visible, and returns the number of promoted findings. Other
 * requests run between batches, but SQLite blocks other writers until the end, so any work that can run before this
 * transaction does.
 */
export async function commitImport(
  deps: Deps,
  project: Project,
  user: User | undefined,
  changes: ImportChanges,
): Promise<number> {
  await commitContents(deps, changes)
  await commitOccurrences(deps, changes)
  await insertScans(deps.db, changes.observation, changes.scans)
  await commitVulnerabilities(deps, project, user, changes)
  return promoteFindings(deps, project, user?.id ?? null, changes.promote)
}

interface ChangedFinding extends StagedContent {
  findingId: number
}

const changedIn = (decisions: readonly Decision[]): ChangedFinding[] =>
  ofKind(decisions, 'observed').flatMap(({ findingId, content }) => (content ? { findingId, ...content } : []))

const withPresence = (decisions: readonly Decision[], presence: Presence): number[] =>
  observedIn(decisions).flatMap((decision) => (decision.presence === presence ? decision.findingId : []))

/** Stores changed contents and matches. */
async function commitContents(deps: Deps, { observation, decisions }: ImportChanges): Promise<void> {
  const isLarge = (one: { isLarge: boolean }) => one.isLarge
  await forEachBatch(changedIn(decisions), (batch) => replaceStaged(deps, observation, batch), isLarge)
  await forEachBatch(
    ofKind(decisions, 'moved'),
    (batch) => commitMoved(deps, observation, batch),
    ({ reported }) => reported.isLarge,
  )
  const stagedNew = ofKind(decisions, 'new').filter(({ isStaged }) => isStaged)
  await forEachBatch(stagedNew, (batch) => deleteMatches(deps.db, observation.projectId, uuidsOf(batch)))
}

async function commitOccurrences({ db }: Deps, { observation, decisions, scans }: ImportChanges): Promise<void> {
  const forEach = (ids: readonly number[], change: typeof markAbsent) =>
    forEachBatch(ids, (batch) => change(db, observation, batch))
  await forEach(
    ofKind(decisions, 'new').map(({ findingId }) => findingId),
    insertOccurrences,
  )
  await forEach(withPresence(decisions, 'newOnRef'), insertOccurrences)
  await forEach(withPresence(decisions, 'reappeared'), markPresentAgain)
  await forEach(withPresence(decisions, 'newInCategory'), addToCategory)
  await forEach(missingIds(decisions, 'removedFromCategory'), removeFromCategory)
  await forEach(missingIds(decisions, 'absent'), markAbsent)
  if (scans.every(({ isComplete }) => isComplete)) return
  await forEach(
    observedIn(decisions).map(({ findingId }) => findingId),
    markObserved,
  )
}

async function commitVulnerabilities(
  deps: Deps,
  project: Project,
  user: User | undefined,
  { observation, decisions, rules }: ImportChanges,
): Promise<void> {
  const known = observedIn(decisions)
  await applyImportToVulnerabilities(deps, project, {
    ...observation,
    userId: user?.id ?? null,
    observed: await listToUpdate(deps, project, observation, decisions),
    newOnRef: known.flatMap(({ presence, vulnerabilityId, findingId }) =>
      presence === 'newOnRef' && vulnerabilityId !== null ? findingId : [],
    ),
    returned: withPresence(decisions, 'reappeared'),
    gone: missingIds(decisions, 'absent'),
    moved: ofKind(decisions, 'moved').flatMap(({ vulnerabilityId, reported: { location }, reason }) =>
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
  decisions: readonly Decision[],
): Promise<number[]> {
  const changed = [...changedIn(decisions), ...ofKind(decisions, 'moved')].map(({ findingId }) => findingId)
  if (ref !== project.defaultBranch) return [...new Set(changed)]
  const observed = new Set(observedIn(decisions).map(({ findingId }) => findingId))
  const resolved = await listResolvedAmongPresent(db, project.id)
  return [
    ...new Set([
      ...withPresence(decisions, 'newOnRef'),
      ...withPresence(decisions, 'reappeared'),
      ...changed,
      ...resolved.filter((id) => observed.has(id)),
    ]),
  ]
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
  const isRenamed = ({ reason, updatesContent }: MovedFinding) => reason === 'identifier' && updatesContent
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
}

const reportedUuid = ({ findingId, reported }: MovedFinding) => ({ findingId, uuid: reported.uuid })

const uuidsOf = (findings: readonly { uuid: string }[]): string[] => findings.map(({ uuid }) => uuid)
