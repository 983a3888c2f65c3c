import { hash } from 'node:crypto'
import { isUniqueViolation } from '../../db/violations.ts'
import { invalid, type ReportProblem, reportRejected } from '../../platform/failure.ts'
import type { ReceivedFile } from '../../platform/objects/objects.ts'
import type { User } from '../access/users.ts'
import { type Deps, transaction } from '../deps.ts'
import type { Project } from '../projects/project.ts'
import { inSlices } from '../slices.ts'
import { followFindings, promoteFindings } from '../vulnerabilities/follow.ts'
import type { ReportType } from '../vulnerabilities/scales.ts'
import { documentLimits } from './document.ts'
import {
  findKnownFindings,
  finishImport,
  insertFindings,
  insertImport,
  type KnownFinding,
  keepIdentifiers,
  keepScanners,
  markGone,
  markPresent,
  replaceFindingIdentifiers,
  updateFindings,
} from './queries.ts'
import { readWholeReport } from './read-report.ts'
import type { MergedFinding, Report, ReportFinding, SkippedFinding } from './report.ts'

export interface IngestOptions {
  /** Absent: the report must say. */
  reportType?: ReportType | undefined
  /** Absent: the project's default branch. */
  ref?: string | undefined
  commitSha?: string | undefined
  /** Makes vulnerabilities of what has none yet; absent: as the project is set. */
  promote?: boolean | undefined
  /** Refuses a report that violates its format anywhere. */
  strict?: boolean | undefined
  /** Computes everything and changes nothing. */
  dryRun?: boolean | undefined
}

/** One report that came in, as it is answered and kept. */
export interface Import {
  /** Absent after a dry run. */
  id: number | undefined
  ref: string
  commitSha: string | null
  report: Pick<Report, 'format' | 'version' | 'reportType' | 'scanner'>
  fileSha256: string
  counts: ImportCounts
  warnings: readonly ReportProblem[]
  skipped: readonly SkippedFinding[]
  merged: readonly MergedFinding[]
  createdAt: string
}

export interface ImportCounts {
  read: number
  merged: number
  skipped: number
  /** Not known in this project before. */
  new: number
  /** Known, and still there on this ref or there for the first time. */
  known: number
  /** Known, and on this ref again after it had gone. */
  returned: number
  /** On this ref until now, and not in this report of the same scanner. */
  gone: number
  promoted: number
}

/** Takes a report in: all of it in one transaction, or nothing. Throws `reportRejected` with all that is wrong. */
export async function ingestReport(
  deps: Deps,
  project: Project,
  user: User,
  file: ReceivedFile,
  options: IngestOptions,
): Promise<Import> {
  assertShort(options)
  const { reportType, strict } = options
  const limits = { ...documentLimits, maxBytes: maxReportBytes }
  const read = await readWholeReport(() => openFile(deps, file), { projectId: project.id, reportType, strict, limits })
  if ('problems' in read) throw reportRejected(read.problems)

  const ref = options.ref ?? project.defaultBranch
  const work = (deps: Deps) => storeReport(deps, project, user, file, read.report, { ...options, ref })
  return againIfOvertaken(() => (options.dryRun ? rehearse(deps, work) : transaction(deps, work)))
}

/** Its findings are held in memory until they are stored. */
const maxReportBytes = 64 * 1024 * 1024

const maxRefLength = 255

/** No repository has longer ones, and no index takes them. */
function assertShort({ ref, commitSha }: IngestOptions): void {
  for (const [name, text] of Object.entries({ ref, commit_sha: commitSha })) {
    if (text !== undefined && text.length > maxRefLength) {
      throw invalid({ [name]: [`is too long (maximum is ${maxRefLength} characters)`] })
    }
  }
}

/** Two imports of one project may both insert a finding they saw first; the slower one then finds it known. */
async function againIfOvertaken<T>(work: () => Promise<T>, attempts = 5): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (attempts > 1 && isUniqueViolation(error)) return againIfOvertaken(work, attempts - 1)
    throw error
  }
}

async function storeReport(
  deps: Deps,
  project: Project,
  user: User,
  file: ReceivedFile,
  report: Report,
  options: IngestOptions & { ref: string },
): Promise<Import> {
  const { db } = deps
  const now = deps.now()
  const { ref } = options
  const importId = await insertImport(db, {
    projectId: project.id,
    userId: user.id,
    ref,
    commitSha: options.commitSha ?? null,
    report,
    fileSha256: file.sha256,
    fileBytes: file.bytes,
    now,
  })
  const counts: ImportCounts = { ...report.counts, new: 0, known: 0, returned: 0, gone: 0, promoted: 0 }
  const context: SliceContext = { project, ref, importId, now, isDefault: ref === project.defaultBranch }

  const seen: number[] = []
  const scannerIds = await keepScanners(db, project.id, scannersOf(report), now)
  await inSlices(report.findings, async (slice) => {
    seen.push(...(await storeSlice(deps, context, slice, scannerIds, counts)))
  })
  // A scan that failed looked at less than it says.
  if (report.scan.status === 'success') {
    for (const reportType of report.reportTypes) {
      const ran = { scannerIds: [...scannerIds.values()], reportType }
      counts.gone += await markGone(db, { projectId: project.id, ref, importId, ...ran })
    }
  }
  if (context.isDefault) await followFindings(deps, project, { seen, now })
  if (options.promote ?? project.promoteOnIngestion) counts.promoted = await promoteFindings(deps, project, user, seen)
  await finishImport(db, importId, counts)
  return {
    id: options.dryRun ? undefined : importId,
    ref,
    commitSha: options.commitSha ?? null,
    report,
    fileSha256: file.sha256,
    counts,
    warnings: report.warnings,
    skipped: report.skipped,
    merged: report.merged,
    createdAt: now,
  }
}

interface SliceContext {
  project: Project
  ref: string
  importId: number
  now: string
  isDefault: boolean
}

/** The ids of the slice's findings. */
async function storeSlice(
  { db }: Deps,
  { project, ref, importId, now }: SliceContext,
  findings: readonly ReportFinding[],
  scannerIds: ReadonlyMap<string, number>,
  counts: ImportCounts,
): Promise<number[]> {
  const identifierIds = await keepIdentifiers(
    db,
    project.id,
    findings.flatMap(({ identifiers }) => identifiers),
  )
  const known = new Map(
    (await findKnownFindings(db, project.id, ref, findings)).map((finding) => [finding.uuid, finding]),
  )
  const drafts = findings.map((finding) => ({
    finding,
    digest: digestOf(finding),
    scannerId: idOf(scannerIds, finding.scanner.externalId),
    primaryIdentifierId: idOf(identifierIds, finding.identifiers[0].fingerprint),
  }))
  const fresh = drafts.filter(({ finding }) => !known.has(finding.uuid))
  const changed = drafts.filter(({ finding, digest }) => isChanged(known.get(finding.uuid), digest))
  const inserted = await insertFindings(db, project.id, fresh, now)
  await updateFindings(db, project.id, changed, now)

  const idByUuid = new Map([...known].map(([uuid, { id }]) => [uuid, id]))
  for (const { uuid, id } of inserted) idByUuid.set(uuid, id)
  const links = [...fresh, ...changed].map(({ finding }) => ({
    findingId: idOf(idByUuid, finding.uuid),
    identifierIds: finding.identifiers.map(({ fingerprint }) => idOf(identifierIds, fingerprint)),
  }))
  await replaceFindingIdentifiers(db, links)
  const ids = findings.map(({ uuid }) => idOf(idByUuid, uuid))
  await markPresent(db, { projectId: project.id, ref, importId, findingIds: ids, now })

  const returned = findings.filter(({ uuid }) => known.get(uuid)?.wasPresent === false).length
  counts.new += fresh.length
  counts.returned += returned
  counts.known += findings.length - fresh.length - returned
  return ids
}

function isChanged(known: KnownFinding | undefined, digest: string): boolean {
  return known !== undefined && known.digest !== digest
}

function scannersOf(report: Report) {
  const scanners = new Map(report.findings.map(({ scanner }) => [scanner.externalId, scanner]))
  for (const scanner of report.scanners) scanners.set(scanner.externalId, scanner)
  return [...scanners.values()]
}

/** Of everything that is stored of a finding; what keeps its digest is left alone. */
function digestOf({ pointer: _pointer, keys: _keys, rawMetadata, ...stored }: ReportFinding): string {
  // The entry is JSON text already, and escaping it once more takes longer than all the rest.
  return hash('sha1', JSON.stringify(stored) + rawMetadata)
}

function idOf(ids: ReadonlyMap<string, number>, key: string): number {
  const id = ids.get(key)
  if (id === undefined) throw new Error(`nothing was stored under ${key}`)
  return id
}

/** Does the work in a transaction that is rolled back. */
async function rehearse<T>(deps: Deps, work: (deps: Deps) => Promise<T>): Promise<T> {
  const outcome: { result?: T } = {}
  try {
    await transaction(deps, async (deps) => {
      outcome.result = await work(deps)
      throw rehearsed
    })
  } catch (error) {
    if (error !== rehearsed || outcome.result === undefined) throw error
  }
  return outcome.result as T // set before `rehearsed` is thrown
}

const rehearsed = new Error('rehearsed')

async function openFile(deps: Deps, file: ReceivedFile): Promise<AsyncIterable<Uint8Array>> {
  const stream = await deps.objects.open(file.key)
  if (!stream) throw new Error('a received report is not in the object store')
  return stream
}
