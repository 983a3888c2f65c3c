import { invalid, reportRejected } from '../../../platform/failure.ts'
import { forEachBatch } from '../../batches.ts'
import { type Deps, type RootDeps, transaction, withRelaxedDurability } from '../../deps.ts'
import { markForDeletion } from '../../files/pending-deletions.ts'
import {
  createFindings,
  dropStaged,
  findCategoryId,
  isKnownImage,
  listStaged,
  listSummaries,
  upsertCategory,
} from '../../findings/findings.ts'
import type { Observation } from '../../findings/occurrence.ts'
import type { Project } from '../../projects/project.ts'
import type { User } from '../../users/user.ts'
import type { ScanRules } from '../../vulnerabilities/apply-import/scan-rules.ts'
import { mostAtOnce } from '../../vulnerabilities/promotion/promotion-batches.ts'
import { type Classified, type ImportPlace, idOf, maxSamples, type ReportedFinding } from '../comparison/classified.ts'
import { openClassifier } from '../comparison/classify.ts'
import { findGone, type Missing } from '../comparison/gone.ts'
import { type Matched, matchMoved } from '../comparison/match.ts'
import { missingWarnings } from '../comparison/missing-warnings.ts'
import { openReading } from '../reader/import-reading.ts'
import type { ImportReading } from '../reader/reading.ts'
import type { OpenBytes } from '../reader/source.ts'
import { Unreadable } from '../reader/unreadable.ts'
import { applyPlan, type Plan } from './apply.ts'
import { compareCoverage } from './coverage.ts'
import {
  type Import,
  type ImportCounts,
  type ImportOutcome,
  type IngestOptions,
  noOutcome,
  type Sample,
} from './import.ts'
import { finishImport, lockImport, type ReadReportFacts, showImport, type UnreadImport } from './import-queries.ts'
import { assertStillAllowed } from './import-rights.ts'
import { stagePromotion } from './promote-import.ts'
import { Superseded } from './superseded.ts'

/** Computes what an import would change, with the same code as an import, and writes nothing. */
export async function dryRunReport(
  deps: RootDeps,
  project: Project,
  file: { open: OpenBytes; sha256: string; bytes: number },
  options: IngestOptions,
): Promise<Import> {
  assertShort(options)
  const now = deps.now()
  const place = await openPlace(deps, project, options, undefined, now)
  const report = await openReport(deps, place, file, options)
  const read = await readAll(deps, place, report, async () => {})
  const facts = factsOf(report)
  const unattached = (options.promote ?? project.promoteOnIngestion) ? read.result.unattached.length : 0
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
    fileBytes: file.bytes,
    readBytes: file.bytes,
    counts: { ...countsOf(report, read), promoted: unattached },
    outcome: await outcomeOf(deps, report, read),
    createdAt: now,
    startedAt: now,
    shownAt: null,
    finishedAt: now,
  }
}

const maxNameLength = 255

/** Rejects texts that are too long for their database index. */
export function assertShort({ ref, category, commitSha }: IngestOptions): void {
  for (const [name, text] of Object.entries({ ref, category, commit_sha: commitSha })) {
    if (text !== undefined && text.length > maxNameLength) {
      throw invalid({ [name]: [`is too long (maximum is ${maxNameLength} characters)`] })
    }
  }
}

export interface Attempt {
  import: UnreadImport
  /** Random token of the attempt. An attempt is superseded when the import has another token. */
  run: string
  open: OpenBytes
  /** Called after every batch; throws when the import must stop. */
  progress(findings: number): Promise<void>
}

/**
 * Imports a report. Nothing is visible before the last transaction. Returns true when the import is done, and false
 * when findings are still staged for promotion.
 */
export async function ingestReport(
  deps: RootDeps,
  project: Project,
  user: User | undefined,
  attempt: Attempt,
): Promise<boolean> {
  const { import: stored, open, run } = attempt
  const place = await openPlace(deps, project, { ...stored, ...stored.options }, stored.id, deps.now())
  const report = await openReport(deps, place, { open, bytes: stored.fileBytes }, stored.options)
  const read = await readAll(deps, place, report, (findings) => attempt.progress(findings))
  await storeRejected(deps, place, read)
  const counts = countsOf(report, read)
  const outcome = await outcomeOf(deps, report, read)
  const { unattached } = read.result
  const toPromote = (stored.options.promote ?? project.promoteOnIngestion) ? unattached : []
  // An import with few new findings promotes them in the transaction that makes it visible.
  const isDone = toPromote.length <= mostAtOnce
  if (!isDone) await stagePromotion(deps, { importId: stored.id, run }, toPromote)
  await transaction(deps, async (deps) => {
    if (!(await lockImport(deps.db, stored.id, run))) throw new Superseded()
    // Check again: reading may have taken long, and the sender may have lost the permission.
    await assertStillAllowed(deps, stored)
    const { category } = stored
    const observation: Observation = {
      projectId: project.id,
      ref: place.ref,
      importId: stored.id,
      categoryId: category === null ? undefined : await upsertCategory(deps.db, project.id, category),
      now: place.now,
    }
    const plan: Plan = { observation, ...read, promote: isDone ? toPromote : [] }
    const promoted = await applyPlan(deps, project, user, plan)
    await dropStaged(deps.db, stored.id)
    await markForDeletion(deps, [stored.objectKey])
    const facts = { ...factsOf(report), artifact: read.artifact }
    await showImport(deps.db, stored.id, facts, { ...counts, promoted }, outcome, deps.now())
    if (isDone) await finishImport(deps.db, stored.id, deps.now())
  })
  return isDone
}

async function openReport(
  { db }: Deps,
  place: ImportPlace,
  file: { open: OpenBytes; bytes: number },
  { reportType, strict, isPartial }: Pick<IngestOptions, 'reportType' | 'strict' | 'isPartial'>,
): Promise<ImportReading> {
  const { projectId, ref, defaultBranch } = place
  const isImageKnown = ref === defaultBranch ? undefined : (start: string) => isKnownImage(db, place, start)
  const read = await openReading(db, file.open, file.bytes, { reportType, strict, isPartial, projectId, isImageKnown })
  if ('problems' in read) throw reportRejected(read.problems)
  return read.reading
}

/** Rejects the report when a later part of it cannot be read. */
async function* readable<Batch>(batches: AsyncIterable<Batch>): AsyncGenerator<Batch> {
  try {
    yield* batches
  } catch (error) {
    throw error instanceof Unreadable ? reportRejected([error.problem]) : error
  }
}

async function openPlace(
  { db }: Deps,
  project: Project,
  { ref, category, isPartial }: Pick<IngestOptions, 'ref' | 'isPartial'> & { category?: string | null | undefined },
  importId: number | undefined,
  now: string,
): Promise<ImportPlace> {
  return {
    projectId: project.id,
    ref: ref ?? project.defaultBranch,
    defaultBranch: project.defaultBranch,
    category: category ? { id: await findCategoryId(db, project.id, category) } : undefined,
    artifact: undefined,
    isPartial,
    importId,
    now,
  }
}

interface Read extends Missing {
  /** See `ImportOutcome.scannedFiles`. */
  scannedFiles: number | undefined
  artifact: string | undefined
  result: Classified
  matched: Matched
  rules: ScanRules | undefined
}

async function readAll(
  deps: RootDeps,
  place: ImportPlace,
  report: ImportReading,
  afterBatch: (findings: number) => Promise<void>,
): Promise<Read> {
  const classifier = openClassifier(deps, place)
  const { scanner, scanners, scan } = report.header
  let kept = 0
  const reportTypes = new Set<string>(report.header.reportTypes)
  async function* counted() {
    for await (const batch of readable(report.batches())) {
      for (const finding of batch) reportTypes.add(finding.reportType)
      kept += batch.length
      yield batch
    }
  }
  let result: Classified
  try {
    await classifier.upsertScannersOf(scanner ? [scanner, ...scanners] : scanners)
    result = await classifier.addAll(counted(), () => afterBatch(kept))
  } finally {
    report.close()
  }
  const outcome = report.outcome()
  const coverage = await compareCoverage(deps.db, place, report.header, outcome.scannedFiles)
  const gaps = [...outcome.gaps, ...result.doubts.all(), ...coverage.gaps]
  const artifact = place.category ? undefined : outcome.artifact
  const placeOfArtifact = { ...place, artifact }
  const matched = await matchMoved(deps, placeOfArtifact, result, gaps)
  const missing = await findGone(deps, placeOfArtifact, { reportTypes: [...reportTypes], gaps }, result)
  const { primaryIdentifiers: identifiers } = scan
  const isWhole = missing.effective.size === 0 && missing.others.size === 0
  const rules = isWhole && identifiers ? { reportTypes: [...reportTypes], identifiers } : undefined
  return { result, matched, ...missing, artifact, scannedFiles: coverage.scannedFiles, rules }
}

/** Stores findings whose candidate match was rejected, like other new findings. */
async function storeRejected(deps: RootDeps, place: ImportPlace, { result, matched }: Read): Promise<void> {
  const { importId, projectId, now } = place
  if (importId === undefined) return
  const store = async (slice: readonly ReportedFinding[]) => {
    const ids = await withRelaxedDurability(deps, async ({ db }) => {
      const staged = await listStaged(db, importId, uuidsOf(slice))
      return createFindings(db, { projectId, importId, now }, [...staged.values()])
    })
    for (const { uuid } of slice) {
      result.newIds.push(idOf(ids, uuid))
      result.unattached.push(idOf(ids, uuid))
    }
  }
  await forEachBatch(matched.rejected, store, ({ isLarge }) => isLarge)
}

const uuidsOf = (findings: readonly { uuid: string }[]) => findings.map(({ uuid }) => uuid)

function factsOf({ header }: ImportReading): Omit<ReadReportFacts, 'artifact'> {
  const { format, version, reportType, scanner } = header
  return { format, version, reportType, scannerName: scanner?.name }
}

function countsOf(report: ImportReading, { result, matched, gone }: Read): Omit<ImportCounts, 'promoted'> {
  const returned = result.returned.length
  return {
    ...report.outcome().counts,
    new: result.newFindings.total,
    known: result.total - result.newFindings.total - returned,
    returned,
    gone: gone.length,
    changed: result.changed.length,
    moved: matched.matches.length,
  }
}

/** Maximum number of listed problems of each kind; the counts include all. */
const maxShown = 100

async function outcomeOf(deps: Deps, report: ImportReading, read: Read): Promise<ImportOutcome> {
  const { result, matched, gone } = read
  const { warnings, skipped, merged } = report.outcome()
  const some = (ids: readonly number[]) => listSummaries(deps.db, ids.slice(0, maxSamples))
  return {
    ...noOutcome,
    scannedFiles: read.scannedFiles,
    warnings: [...missingWarnings(result, read), ...warnings].slice(0, maxShown),
    skipped: skipped.slice(0, maxShown),
    merged: merged.slice(0, maxShown),
    samples: {
      new: result.newFindings.first.map(sampleOf),
      returned: await some(result.returned),
      gone: await some(gone),
      changed: await some(result.changed.map(({ findingId }) => findingId)),
      moved: matched.matches
        .slice(0, maxSamples)
        .map(({ reported, known, reason }) => ({ ...sampleOf(reported), uuid: known.uuid, reason })),
    },
  }
}

const sampleOf = ({ uuid, name, severity, reportType, location }: ReportedFinding): Sample => ({
  uuid,
  name,
  severity,
  reportType,
  location,
})
