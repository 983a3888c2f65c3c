import { forEachBatch } from '../../batches.ts'
import type { Deps } from '../../deps.ts'
import type { FindingContent } from '../../findings/finding-content.ts'
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
import type { Classified, StagedFinding } from '../comparison/classified.ts'
import type { Match, Matched } from '../comparison/match.ts'

/** Every change that an import makes to its project. */
export interface Plan {
  observation: Observation
  result: Classified
  matched: Matched
  gone: readonly number[]
  /** Findings absent from this report but still in the reports of other categories. */
  removedFromCategory: readonly number[]
  /** The scanners and report types that this report covers. */
  scans: readonly Scan[]
  /** Rules that a complete scan evaluated, if the report lists them. */
  rules: ScanRules | undefined
  /** Ids of findings to promote in the same transaction. */
  promote: readonly number[]
}

/**
 * Applies the plan in the one transaction that makes an import visible. Other requests run between batches, but SQLite
 * blocks other writers until the end, so any work that can run before this transaction does.
 */
export async function applyPlan(deps: Deps, project: Project, user: User | undefined, plan: Plan): Promise<number> {
  const { observation, result, matched, gone, removedFromCategory, scans } = plan
  const { db } = deps
  await forEachBatch(
    result.changed,
    (slice) => updateChanged(deps, observation, slice),
    ({ isLarge }) => isLarge,
  )
  await forEachBatch(
    matched.matches,
    (slice) => mergeMatches(deps, observation, slice),
    ({ reported }) => reported.isLarge,
  )
  await forEachBatch(matched.rejected, (slice) =>
    deleteMatches(
      db,
      project.id,
      slice.map(({ uuid }) => uuid),
    ),
  )
  await forEachBatch(result.newIds, (ids) => insertOccurrences(db, observation, ids))
  await forEachBatch(result.newOnRef, (ids) => insertOccurrences(db, observation, ids))
  await forEachBatch(result.returned, (ids) => markPresentAgain(db, observation, ids))
  await forEachBatch(result.addedToCategory, (ids) => addToCategory(db, observation, ids))
  await forEachBatch(removedFromCategory, (ids) => removeFromCategory(db, observation, ids))
  await forEachBatch(gone, (ids) => markAbsent(db, observation, ids))
  if (scans.some(({ isComplete }) => !isComplete))
    await forEachBatch([...result.observed], (ids) => markObserved(db, observation, ids))
  await insertScans(db, observation, scans)
  await applyImportToVulnerabilities(deps, project, {
    ...observation,
    userId: user?.id ?? null,
    observed: await listToUpdate(deps, project, plan),
    newOnRef: result.newOnRefPromoted,
    returned: result.returned,
    gone,
    moved: matched.matches.flatMap(({ reported, known: { vulnerabilityId }, reason }) =>
      vulnerabilityId === null ? [] : { vulnerabilityId, reason, location: reported.location },
    ),
    rules: plan.rules,
  })
  return promoteFindings(deps, project, user?.id ?? null, plan.promote)
}

/**
 * Lists the findings whose vulnerabilities need an update: changed or moved ones, and resolved ones that are present.
 */
async function listToUpdate({ db }: Deps, project: Project, { observation, result, matched }: Plan): Promise<number[]> {
  const changed = [...result.changed.map(({ findingId }) => findingId), ...matched.matches.map(({ known }) => known.id)]
  if (observation.ref !== project.defaultBranch) return [...new Set(changed)]
  const resolved = await listResolvedAmongPresent(db, project.id)
  return [
    ...new Set([
      ...result.newOnRef,
      ...result.returned,
      ...changed,
      ...resolved.filter((id) => result.observed.has(id)),
    ]),
  ]
}

async function updateChanged({ db }: Deps, { projectId, importId, now }: Observation, slice: readonly StagedFinding[]) {
  const staged = await listStaged(
    db,
    importId,
    slice.map(({ uuid }) => uuid),
  )
  await store(db, projectId, now, slice, staged)
}

async function store(
  db: Deps['db'],
  projectId: number,
  now: string,
  slice: readonly StagedFinding[],
  staged: ReadonlyMap<string, FindingContent>,
): Promise<void> {
  const contents = slice.flatMap(({ findingId, uuid }) => {
    const content = staged.get(uuid)
    return content ? [{ findingId, content }] : []
  })
  if (contents.length < slice.length) throw new Error('a staged finding is missing')
  await replaceContents(db, projectId, contents, now)
}

async function mergeMatches({ db }: Deps, sighting: Observation, slice: readonly Match[]): Promise<void> {
  const { projectId, importId, now } = sighting
  const matches = slice.map(({ reported, known, reason, updatesContent }) => ({
    findingId: known.id,
    uuid: reason === 'identifier' && updatesContent ? known.uuid : reported.uuid,
    reason,
    location: reported.location,
  }))
  // Delete the earlier match of the same uuid, so that the new row becomes the newest match.
  await deleteMatches(
    db,
    projectId,
    matches.map(({ uuid }) => uuid),
  )
  await insertMatches(db, sighting, matches)
  const [stored, staged] = [
    slice.filter(({ reported }) => reported.id !== 0),
    slice.filter(({ reported }) => reported.id === 0),
  ]
  const merged = stored.filter(({ updatesContent }) => updatesContent)
  await mergeFindings(
    db,
    merged.map(({ reported, known }) => ({ shadowId: reported.id, findingId: known.id })),
    now,
  )
  await deleteFindings(
    db,
    stored.map(({ reported }) => reported.id),
  )
  const contents = await listStaged(
    db,
    importId,
    staged.map(({ reported }) => reported.uuid),
  )
  const taken = staged.filter(({ updatesContent }) => updatesContent)
  await store(
    db,
    projectId,
    now,
    taken.map(({ reported, known }) => ({ findingId: known.id, uuid: reported.uuid, isLarge: reported.isLarge })),
    contents,
  )
  const renamed = slice.filter(({ reason, updatesContent }) => reason === 'identifier' && updatesContent)
  await renameFindings(
    db,
    renamed.map(({ reported, known }) => ({ findingId: known.id, uuid: reported.uuid })),
    now,
  )
}
