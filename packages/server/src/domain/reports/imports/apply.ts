import { forEachBatch } from '../../batches.ts'
import type { Deps } from '../../deps.ts'
import type { Project } from '../../projects/project.ts'
import type { User } from '../../users/user.ts'
import { followFindings } from '../../vulnerabilities/apply-import/apply-import.ts'
import type { ScanRules } from '../../vulnerabilities/apply-import/scan-rules.ts'
import { promoteFindings } from '../../vulnerabilities/promotion/promotion.ts'
import type { Classified, StagedFinding } from '../comparison/classified.ts'
import type { Match, Matched } from '../comparison/match.ts'
import { deleteMatches, insertMatches } from '../comparison/match-queries.ts'
import {
  absorbFindings,
  deleteBelongings,
  deleteFindings,
  insertBelongings,
  renameFindings,
  type StoredDraft,
  updateFindings,
} from './finding-queries.ts'
import {
  insertOccurrences,
  insertScans,
  joinCategory,
  leaveCategory,
  listResolvedAmongPresent,
  markGone,
  markReturned,
  markSeen,
  type Scan,
  type Sighting,
} from './occurrence-queries.ts'
import { listStaged } from './staged-queries.ts'

/** Every change that an import makes to its project. */
export interface Plan {
  sighting: Sighting
  result: Classified
  matched: Matched
  gone: readonly number[]
  /** Findings absent from this report but still in the reports of other categories. */
  left: readonly number[]
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
  const { sighting, result, matched, gone, left, scans } = plan
  const { db } = deps
  await forEachBatch(
    result.changed,
    (slice) => takeOver(deps, sighting, slice),
    ({ isLarge }) => isLarge,
  )
  await forEachBatch(
    matched.matches,
    (slice) => absorb(deps, sighting, slice),
    ({ fresh }) => fresh.isLarge,
  )
  await forEachBatch(matched.rejected, (slice) =>
    deleteMatches(
      db,
      project.id,
      slice.map(({ uuid }) => uuid),
    ),
  )
  await forEachBatch(result.newcomers, (ids) => insertOccurrences(db, sighting, ids))
  await forEachBatch(result.arrivals, (ids) => insertOccurrences(db, sighting, ids))
  await forEachBatch(result.returned, (ids) => markReturned(db, sighting, ids))
  await forEachBatch(result.joined, (ids) => joinCategory(db, sighting, ids))
  await forEachBatch(left, (ids) => leaveCategory(db, sighting, ids))
  await forEachBatch(gone, (ids) => markGone(db, sighting, ids))
  if (scans.some(({ isComplete }) => !isComplete))
    await forEachBatch([...result.seen], (ids) => markSeen(db, sighting, ids))
  await insertScans(db, sighting, scans)
  await followFindings(deps, project, {
    ...sighting,
    userId: user?.id ?? null,
    seen: await touched(deps, project, plan),
    found: result.found,
    returned: result.returned,
    gone,
    moved: matched.matches.flatMap(({ fresh, known: { vulnerabilityId }, reason }) =>
      vulnerabilityId === null ? [] : { vulnerabilityId, reason, location: fresh.location },
    ),
    rules: plan.rules,
  })
  return promoteFindings(deps, project, user?.id ?? null, plan.promote)
}

/**
 * Lists the findings whose vulnerabilities need an update: changed or moved ones, and resolved ones that are present.
 */
async function touched({ db }: Deps, project: Project, { sighting, result, matched }: Plan): Promise<number[]> {
  const told = [...result.changed.map(({ findingId }) => findingId), ...matched.matches.map(({ known }) => known.id)]
  if (sighting.ref !== project.defaultBranch) return [...new Set(told)]
  const resolved = await listResolvedAmongPresent(db, project.id)
  return [
    ...new Set([...result.arrivals, ...result.returned, ...told, ...resolved.filter((id) => result.seen.has(id))]),
  ]
}

async function takeOver({ db }: Deps, { projectId, importId, now }: Sighting, slice: readonly StagedFinding[]) {
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
  staged: ReadonlyMap<string, StoredDraft>,
): Promise<void> {
  const drafts = slice.flatMap(({ findingId, uuid }) => {
    const draft = staged.get(uuid)
    return draft ? [{ findingId, draft }] : []
  })
  if (drafts.length < slice.length) throw new Error('a staged finding is missing')
  await updateFindings(db, projectId, drafts, now)
  await deleteBelongings(
    db,
    drafts.map(({ findingId }) => findingId),
  )
  await insertBelongings(db, projectId, drafts)
}

async function absorb({ db }: Deps, sighting: Sighting, slice: readonly Match[]): Promise<void> {
  const { projectId, importId, now } = sighting
  const matches = slice.map(({ fresh, known, reason, takesOver }) => ({
    findingId: known.id,
    uuid: reason === 'identifier' && takesOver ? known.uuid : fresh.uuid,
    reason,
    location: fresh.location,
  }))
  // Delete the earlier match of the same uuid, so that the new row becomes the newest match.
  await deleteMatches(
    db,
    projectId,
    matches.map(({ uuid }) => uuid),
  )
  await insertMatches(db, sighting, matches)
  const [stored, staged] = [slice.filter(({ fresh }) => fresh.id !== 0), slice.filter(({ fresh }) => fresh.id === 0)]
  const absorbed = stored.filter(({ takesOver }) => takesOver)
  await absorbFindings(
    db,
    absorbed.map(({ fresh, known }) => ({ shadowId: fresh.id, findingId: known.id })),
    now,
  )
  await deleteFindings(
    db,
    stored.map(({ fresh }) => fresh.id),
  )
  const drafts = await listStaged(
    db,
    importId,
    staged.map(({ fresh }) => fresh.uuid),
  )
  const taken = staged.filter(({ takesOver }) => takesOver)
  await store(
    db,
    projectId,
    now,
    taken.map(({ fresh, known }) => ({ findingId: known.id, uuid: fresh.uuid, isLarge: fresh.isLarge })),
    drafts,
  )
  const renamed = slice.filter(({ reason, takesOver }) => reason === 'identifier' && takesOver)
  await renameFindings(
    db,
    renamed.map(({ fresh, known }) => ({ findingId: known.id, uuid: fresh.uuid })),
    now,
  )
}
