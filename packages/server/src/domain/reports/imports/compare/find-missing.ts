import { setImmediate } from 'node:timers/promises'
import type { Deps } from '../../../deps.ts'
import { listScannerIds } from '../../../findings/findings.ts'
import { isCovered } from '../../../findings/occurrences/categories.ts'
import type { Scan } from '../../../findings/occurrences/occurrence.ts'
import { listLastObservations, listMissedBy, listOfScanner } from '../../../findings/occurrences/occurrences.ts'
import type { ReportType } from '../../../findings/scales.ts'
import { listPresentByFacets } from '../../../vulnerabilities/vulnerabilities.ts'
import type { ScannerTally } from '../../comparison/absence-guard.ts'
import type { Decision } from '../../comparison/decision.ts'
import type { IdSet } from '../../comparison/id-set.ts'
import type { ImportPlace } from '../../comparison/import-place.ts'
import { decideMissing, needsObservations, type Retention, selectMissing } from '../../comparison/missing.ts'
import { type Gap, gapsOf, isTotal } from '../../formats/gaps.ts'
import type { Scanners } from './scanners.ts'

/** What a report covers, and what it contains. */
export interface Coverage {
  scanners: Pick<Scanners, 'ids' | 'withPast'>
  reportTypes: readonly string[]
  /** Parts of the scan that the report does not cover. */
  gaps: readonly Gap[]
  /** Ids of the known findings in the report. */
  observed: IdSet
}

/** Findings of one scanner and type, and the scanners whose reports cover them. */
interface Source {
  scannerId: number
  reportType: string
  coveredBy: readonly string[]
}

/**
 * Decides on known findings on the ref that the report covers and does not contain. On the default branch this includes
 * findings observed under its former name, and promoted findings without an occurrence on it. Returns the scans of the
 * report as well; a scan that retained a finding is not complete.
 */
export async function findMissing(
  deps: Deps,
  place: ImportPlace,
  coverage: Coverage,
): Promise<{ decisions: Decision[]; scans: Scan[]; tallies: ScannerTally[] }> {
  const { scanners, reportTypes, gaps } = coverage
  const decisions: Decision[] = []
  const tallies = new Map<number, ScannerTally>()
  const scans: Scan[] = []
  const decideOn = async (place: ImportPlace, source: Source): Promise<boolean> => {
    const { decisions: missing, present } = await decideOnSource(deps, place, source, coverage)
    for (const decision of missing) decisions.push(decision)
    const before = tallies.get(source.scannerId) ?? { scanner: source.coveredBy.join(', '), present: 0, absent: 0 }
    const absent = missing.filter(({ kind }) => kind === 'absent').length
    tallies.set(source.scannerId, { ...before, present: before.present + present, absent: before.absent + absent })
    return missing.some(({ kind }) => kind === 'retained')
  }
  for (const [externalId, scannerId] of scanners.ids) {
    for (const reportType of reportTypes) {
      const source = { scannerId, reportType, coveredBy: [externalId] }
      const isRetained = scanners.withPast.has(scannerId) && (await decideOn(place, source))
      const isComplete = !isRetained && !gapsOf(gaps, [externalId], reportType).some(isTotal)
      scans.push({ scannerId, reportType, isComplete })
    }
  }
  // Another scanner may name the same artifact differently.
  const anyArtifact = { ...place, artifact: undefined }
  for (const source of await listSbomSources(deps, place, coverage)) await decideOn(anyArtifact, source)
  return { decisions, scans, tallies: [...tallies.values()] }
}

/** Returns the sources of GitLab's SBOM scanner that the scanners of the report cover. */
async function listSbomSources(
  { db }: Deps,
  { projectId }: ImportPlace,
  { scanners: { ids }, reportTypes }: Coverage,
): Promise<Source[]> {
  if (ids.has(sbomScanner)) return []
  const scannerId = (await listScannerIds(db, projectId, [sbomScanner])).get(sbomScanner)
  return reportTypes.flatMap((reportType) => {
    const coveredBy = (sbomCoveredBy.get(reportType) ?? []).filter((externalId) => ids.has(externalId))
    return scannerId === undefined || coveredBy.length === 0 ? [] : { scannerId, reportType, coveredBy }
  })
}

async function decideOnSource(
  deps: Deps,
  place: ImportPlace,
  source: Source,
  { gaps, observed }: Coverage,
): Promise<{ decisions: Decision[]; present: number }> {
  const retention = { gaps: gapsOf(gaps, source.coveredBy, source.reportType), artifact: place.artifact }
  const decisions: Decision[] = []
  let present = 0
  for (let after: number | undefined = 0; after !== undefined; ) {
    const batch = await listOfScanner(deps.db, source, place, { after, limit: batchSize })
    const { absent, removedFromCategory, absentBefore } = selectMissing(batch, place.category, observed)
    const recorded = await listRecordedAsPresent(deps, place, source, absentBefore)
    const covered = batch.filter(({ isPresent, categories }) => isPresent && isCovered(place.category, categories))
    present += covered.length + recorded.length
    const missing = [
      ...absent.map((findingId) => ({ kind: 'absent' as const, findingId })),
      ...removedFromCategory.map((findingId) => ({ kind: 'removedFromCategory' as const, findingId })),
      ...recorded.map((findingId) => ({ kind: 'absent' as const, findingId })),
    ]
    const observations = await loadObservations(deps, place, retention, missing)
    for (const decision of decideMissing(missing, retention, observations)) decisions.push(decision)
    after = batch.length < batchSize ? undefined : batch.at(-1)?.id
    await setImmediate()
  }
  return { decisions, present }
}

async function loadObservations(
  { db }: Deps,
  { ref }: ImportPlace,
  retention: Retention,
  missing: readonly { findingId: number }[],
) {
  const ids = missing.map(({ findingId }) => findingId)
  const listed = ids.length > 0 && needsObservations(retention) ? await listLastObservations(db, ref, ids) : []
  return new Map(listed.map((last) => [last.id, last]))
}

/** Returns those of the absent findings that are still recorded as present on the default branch. */
async function listRecordedAsPresent(
  { db }: Deps,
  { ref, defaultBranch, category }: ImportPlace,
  source: Source,
  absent: readonly number[],
): Promise<number[]> {
  // Secrets never become absent: removing one from the code does not revoke it.
  if (ref !== defaultBranch || source.reportType === 'secret_detection' || absent.length === 0) return []
  const recorded = await listPresentByFacets(db, absent)
  if (!category) return recorded
  if (category.id === undefined || recorded.length === 0) return []
  return listMissedBy(db, source, { ref, categoryId: category.id }, recorded)
}

const batchSize = 2000

/** GitLab's SBOM scanner finds the same flaws as these scanners, so their reports cover its findings. */
const sbomScanner = 'gitlab-sbom-vulnerability-scanner'
const sbomCoveredBy: ReadonlyMap<string, readonly string[]> = new Map<ReportType, readonly string[]>([
  ['container_scanning', ['trivy']],
  ['dependency_scanning', ['gemnasium', 'gemnasium-maven', 'gemnasium-python']],
])
