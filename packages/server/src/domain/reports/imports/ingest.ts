import { invalid, reportRejected } from '../../../platform/failure.ts'
import type { Caller } from '../../access/callers.ts'
import { publishInventory, storeInventory } from '../../dependencies/inventories.ts'
import { type Deps, projectTransaction, type RootDeps } from '../../deps.ts'
import { markForDeletion } from '../../files/pending-deletions.ts'
import { dropStaged, findCategoryId, isKnownImage, upsertCategory } from '../../findings/findings.ts'
import type { Observation } from '../../findings/occurrences/occurrence.ts'
import { compareRefs } from '../../findings/ref-comparison/ref-comparisons.ts'
import type { Project } from '../../projects/project.ts'
import { lockAgainstDeletion } from '../../projects/projects.ts'
import type { User } from '../../users/user.ts'
import type { ProjectFile } from '../../vulnerabilities/project-files/project-file.ts'
import { maxAtOnce } from '../../vulnerabilities/promotion/promotion-batches.ts'
import { type GroupedDecisions, groupDecisions, unattachedIds } from '../comparison/grouped-decisions.ts'
import type { ImportPlace } from '../comparison/import-place.ts'
import { openReading } from '../reader/import-reading.ts'
import type { ImportReading } from '../reader/reading.ts'
import type { OpenBytes } from '../reader/source.ts'
import { recordReport } from '../refs/record-report.ts'
import { type ComparedImport, pendingChanges } from './against.ts'
import { commitImport } from './commit.ts'
import { type Comparison, compareReport } from './compare/compare-report.ts'
import { loadStoredContents, minStoredBytes } from './compare/load-stored-contents.ts'
import { missingWarnings } from './compare/missing-warnings.ts'
import { storeStagedNew } from './compare/store-contents.ts'
import { countDecisions, sampleDecisions } from './describe.ts'
import { entryCacheOf, OutdatedEntries } from './entry-cache.ts'
import { commitFiles, describeFiles, hasTriageScope } from './files/import-files.ts'
import { commitHeld, heldWarnings } from './held/held-absences.ts'
import { type ImportCounts, type ImportOutcome, type IngestOptions, noOutcome } from './import.ts'
import { recordImportEvent } from './import-events.ts'
import { assertLinks } from './import-origin.ts'
import { finishImport, lockImport, type ReadReportFacts, showImport, type UnreadImport } from './import-queries.ts'
import { assertStillAllowed } from './import-rights.ts'
import {
  dryRunSuppressions,
  refuseSender,
  skippedWarnings,
  suppressionsOf,
  suppressionsToCommit,
  withCounts,
} from './import-suppressions.ts'
import { stagePromotion } from './promote-import.ts'
import { assertOwnScope } from './same-run.ts'
import { Superseded } from './superseded.ts'

interface ReceivedReport {
  file: { open: OpenBytes; sha256: string; bytes: number }
  projectFiles: readonly ProjectFile[]
  sender: Caller
}

/** Computes what an import would change, with the same code as an import, and writes nothing. */
export async function dryRunReport(
  deps: RootDeps,
  project: Project,
  { file, projectFiles, sender }: ReceivedReport,
  options: IngestOptions,
): Promise<ComparedImport> {
  assertShort(options)
  assertLinks(options)
  const place = await openPlace(deps, project, { ...options, importId: undefined })
  const from = senderOf(sender, place.ref)
  const refusal = await refuseSender(deps, project, from)
  const report = await openReport(deps, place, file, { ...options, readsSuppressed: refusal === undefined })
  const comparison = await compareReport(deps, place, report, async () => {})
  await assertOwnScope(deps, place, comparison, options.sameRun)
  const decisions = groupDecisions(comparison.decisions)
  const facts = factsOf(report)
  const isPromoting = promotes(options, project, place.ref)
  const promoted = isPromoting ? unattachedIds(comparison.decisions).length : 0
  const { unsuppressed } = report.outcome()
  const stated = suppressionsOf(decisions, { unsuppressed }, comparison.scans)
  const suppressions = await dryRunSuppressions(deps, project, stated, { ref: place.ref, promotes: isPromoting })
  const forecast = suppressions.forecast && { ...suppressions.forecast, unsuppressed: new Set(unsuppressed) }
  const refs = { projectId: project.id, ref: place.ref, targetRef: options.targetRef ?? project.defaultBranch }
  return {
    id: undefined,
    projectId: project.id,
    userId: null,
    interruptions: 0,
    state: 'done',
    ref: place.ref,
    category: options.category ?? null,
    commitSha: options.commitSha ?? null,
    ...facts,
    scannerName: facts.scannerName ?? null,
    fileSha256: file.sha256,
    objectKey: null,
    absences: comparison.held ? 'held' : 'none',
    heldCount: comparison.held?.count ?? 0,
    fileBytes: file.bytes,
    readBytes: file.bytes,
    counts: { ...countsOf(report, comparison, decisions), promoted },
    outcome: withFiles(
      {
        ...(await describe(deps, report, comparison, { decisions, refusal })),
        ...suppressions.outcome,
      },
      await describeFiles(deps, project, projectFiles, from),
    ),
    createdAt: place.now,
    startedAt: place.now,
    shownAt: null,
    finishedAt: place.now,
    targetRef: options.targetRef ?? null,
    tokenName: null,
    jobUrl: options.jobUrl ?? null,
    commitUrl: options.commitUrl ?? null,
    against: await compareRefs(deps, refs, pendingChanges(place, comparison, forecast)),
  }
}

const senderOf = (sender: Caller, ref: string) => ({
  userId: sender.user.id,
  asAdmin: sender.isAdmin,
  ref,
  hasTriageScope: hasTriageScope(sender),
})

const withFiles = (outcome: ImportOutcome, files: Pick<ImportOutcome, 'warnings' | 'projectFiles'>): ImportOutcome => ({
  ...outcome,
  ...files,
  warnings: [...files.warnings, ...outcome.warnings],
})

const maxNameLength = 255

/** Rejects texts that are too long for their database index. */
export function assertShort({ ref, category, commitSha, targetRef }: IngestOptions): void {
  for (const [name, text] of Object.entries({ ref, category, commit_sha: commitSha, target_ref: targetRef })) {
    if (text !== undefined && text.length > maxNameLength) {
      throw invalid({ [name]: [`is too long (maximum is ${maxNameLength} characters)`] })
    }
  }
}

export interface Attempt {
  import: UnreadImport
  /** Random token of the attempt. An attempt is superseded when the import has another token. */
  run: string
  /** Why suppressions of the report have no effect; undefined if they have. */
  suppressionRefusal: string | undefined
  open: OpenBytes
  /** Called after each series of batches; throws when the import must stop. */
  progress(findings: number): Promise<void>
}

/**
 * Imports a report. Nothing is visible before the last transaction. Returns true when the import is done, and false
 * when findings are still staged for promotion, or when the report must be read again.
 */
export async function ingestReport(
  deps: RootDeps,
  project: Project,
  user: User | undefined,
  attempt: Attempt,
): Promise<boolean> {
  const { import: stored, run, suppressionRefusal } = attempt
  const place = await openPlace(deps, project, { ...stored, ...stored.options, importId: stored.id })
  const report = await openStoredReport(deps, place, attempt)
  const inventoryId = await keepDependencies(deps, place, report, attempt)
  const comparison = await compareOrDropCache(deps, place, report, attempt)
  if (!comparison) return false
  await assertOwnScope(deps, place, comparison, stored.options.sameRun)
  const withIds = await storeStagedNew(deps, place, comparison.decisions)
  const decisions = groupDecisions(withIds)
  const counts = countsOf(report, comparison, decisions)
  const outcome = await describe(deps, report, comparison, { decisions, refusal: suppressionRefusal })
  const stated = suppressionsOf(decisions, report.outcome(), comparison.scans)
  const toPromote = promotes(stored.options, project, place.ref) ? unattachedIds(withIds) : []
  // An import with few new findings promotes them in the transaction that makes it visible.
  const isDone = toPromote.length <= maxAtOnce
  if (!isDone) await stagePromotion(deps, { importId: stored.id, run }, toPromote)
  await projectTransaction(deps, project.id, async (deps) => {
    await lockAgainstDeletion(deps.db, project.id)
    const locked = await lockImport(deps.db, stored.id, run)
    if (!locked) throw new Superseded()
    // Check again: reading may have taken long, and the sender may have lost the permission.
    const refusal = await assertStillAllowed(deps, stored)
    const { category } = stored
    const observation: Observation = {
      projectId: project.id,
      ref: place.ref,
      importId: stored.id,
      categoryId: category === null ? undefined : await upsertCategory(deps.db, project.id, category),
      now: place.now,
    }
    const { scans, rules } = comparison
    const promote = isDone ? toPromote : []
    const applyFiles = await commitFiles(deps, project, stored, place.now)
    const { promoted, suppressions } = await commitImport(deps, project, user, {
      ...{ observation, decisions, scans, rules, promote },
      suppressions: suppressionsToCommit(project, stated, { ...locked, refusal }),
    })
    const files = await applyFiles()
    await commitHeld(deps, project, observation, comparison)
    if (inventoryId !== undefined) await publishInventory(deps.db, inventoryId)
    await recordReport(deps, { projectId: project.id, name: place.ref })
    await dropStaged(deps.db, stored.id)
    await markForDeletion(deps, [stored.objectKey])
    const facts = { ...factsOf(report), artifact: comparison.artifact }
    const shown = {
      ...{ projectId: project.id, facts, counts: { ...counts, promoted } },
      outcome: withFiles({ ...outcome, ...(suppressions && withCounts(suppressions)) }, files),
    }
    const hasListeners = await showImport(deps.db, stored.id, shown, deps.now())
    if (isDone) await finishImport(deps.db, stored.id, deps.now())
    if (hasListeners) await recordImportEvent(deps, 'report_imported', stored)
  })
  cacheEntries(deps, report, stored.category)
  return isDone
}

/** Compares the report with the known findings. Returns undefined if it must be read again without cached entries. */
async function compareOrDropCache(
  deps: RootDeps,
  place: ImportPlace,
  report: ImportReading,
  { progress, import: { id, category } }: Attempt,
): Promise<Comparison | undefined> {
  try {
    return await compareReport(deps, place, report, progress)
  } catch (error) {
    if (!(error instanceof OutdatedEntries)) throw error
    entryCacheOf(deps, category).delete(report.entryContext ?? '')
    deps.log.info({ import: id }, 'a finding has changed during its import; the report is read again')
    return undefined
  }
}

function cacheEntries(deps: RootDeps, { entryContext, cachedEntries }: ImportReading, category: string | null): void {
  const entries = cachedEntries()
  if (entryContext !== undefined && entries) entryCacheOf(deps, category).set(entryContext, entries)
}

/** Stores the dependencies that a report lists, still invisible, and returns the id of their inventory. */
async function keepDependencies(
  deps: RootDeps,
  { projectId, ref, now }: ImportPlace,
  { header, inventorySource, dependencies }: ImportReading,
  { import: { id: importId, category }, progress }: Attempt,
): Promise<number | undefined> {
  if (inventorySource === undefined) return undefined
  const source = [header.scanner?.externalId ?? header.format, category ?? '', inventorySource].join('\n')
  return storeInventory(
    deps,
    { projectId, ref, importId, now, source },
    { batches: dependencies(), afterEach: () => progress(0) },
  )
}

/** Returns whether an import promotes its findings. The setting of the project applies to its default branch only. */
function promotes({ promote }: Pick<IngestOptions, 'promote'>, project: Project, ref: string): boolean {
  return promote ?? (project.promoteOnIngestion && ref === project.defaultBranch)
}

type OpenedOptions = Pick<IngestOptions, 'reportType' | 'strict' | 'isPartial' | 'mapping'> & {
  readsSuppressed: boolean
  category?: string | null | undefined
}

function openStoredReport(
  deps: RootDeps,
  place: ImportPlace,
  { import: { options, category, fileBytes }, open, suppressionRefusal }: Attempt,
): Promise<ImportReading> {
  const readsSuppressed = suppressionRefusal === undefined
  return openReport(deps, place, { open, bytes: fileBytes }, { ...options, category, readsSuppressed })
}

async function openReport(
  deps: RootDeps,
  place: ImportPlace,
  file: { open: OpenBytes; bytes: number },
  { reportType, strict, isPartial, mapping, readsSuppressed, category }: OpenedOptions,
): Promise<ImportReading> {
  const { db } = deps
  const { projectId, ref, defaultBranch } = place
  const isImageKnown = ref === defaultBranch ? undefined : (start: string) => isKnownImage(db, place, start)
  const stored = loadStoredContents(db, projectId, file.bytes)
  // Prevents an unhandled rejection if the reader never uses the contents; otherwise it still receives the error.
  stored.catch(() => {})
  const options = { reportType, strict, isPartial, mapping, readsSuppressed, projectId, isImageKnown, stored }
  const isCaching = place.importId !== undefined && file.bytes >= minStoredBytes
  const findCachedEntries = isCaching ? entryCacheOf(deps, category).get : undefined
  const read = await openReading(file.open, file.bytes, { ...options, findCachedEntries })
  if ('problems' in read) throw reportRejected(read.problems)
  return read.reading
}

interface PlaceOptions extends Pick<IngestOptions, 'ref' | 'isPartial'> {
  category?: string | null | undefined
  importId: number | undefined
}

async function openPlace(
  { db, now }: Deps,
  project: Project,
  { ref, category, isPartial, importId }: PlaceOptions,
): Promise<ImportPlace> {
  return {
    projectId: project.id,
    ref: ref ?? project.defaultBranch,
    defaultBranch: project.defaultBranch,
    category: category ? { id: await findCategoryId(db, project.id, category) } : undefined,
    artifact: undefined,
    isPartial,
    maxAbsentPercent: project.maxAbsentPercent,
    importId,
    now: now(),
  }
}

function factsOf({ header }: ImportReading): Omit<ReadReportFacts, 'artifact'> {
  const { format, version, reportType, scanner } = header
  return { format, version, reportType, scannerName: scanner?.name }
}

function countsOf(
  report: ImportReading,
  { total }: Comparison,
  decisions: GroupedDecisions,
): Omit<ImportCounts, 'promoted'> {
  return { ...report.outcome().counts, ...countDecisions(decisions, total) }
}

/** Maximum number of listed problems of each kind; the counts include all. */
const maxShown = 100

async function describe(
  deps: Deps,
  report: ImportReading,
  { total, retained, held, artifact, scannedFiles }: Comparison,
  { decisions, refusal }: { decisions: GroupedDecisions; refusal: string | undefined },
): Promise<ImportOutcome> {
  const { warnings, skipped, skippedSuppressed, merged } = report.outcome()
  const { known, gone: absent } = countDecisions(decisions, total)
  return {
    ...noOutcome,
    scannedFiles,
    warnings: [
      ...heldWarnings(held),
      ...missingWarnings(retained, { total, known, absent, artifact }),
      ...skippedWarnings(skippedSuppressed, refusal),
      ...warnings,
    ].slice(0, maxShown),
    skipped: skipped.slice(0, maxShown),
    merged: merged.slice(0, maxShown),
    samples: await sampleDecisions(deps, decisions),
  }
}
