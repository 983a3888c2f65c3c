import { setImmediate } from 'node:timers/promises'
import type { Deps } from '../../deps.ts'
import { isCovered, isCoveredExclusively } from '../../findings/categories.ts'
import { listScannerIds } from '../../findings/findings.ts'
import type { Scan } from '../../findings/occurrence.ts'
import { listLastObservations, listMissedBy, listOfScanner } from '../../findings/occurrences.ts'
import type { ReportType } from '../../findings/scales.ts'
import { listPresentByFacets } from '../../vulnerabilities/list/promoted-queries.ts'
import { covers, type Gap, gapsOf, isTotal } from '../formats/gaps.ts'
import { isOfAnother } from '../formats/identity/artifacts.ts'
import type { Classified, ImportPlace } from './classified.ts'

export interface Missing {
  gone: number[]
  /** Still contained in the newest report of another category. */
  removedFromCategory: number[]
  /** Number of missing findings that keep their state, because the report does not cover them. */
  retained: number
  /** Gaps that retained a finding, and gaps that apply to all findings. */
  effective: ReadonlySet<Gap>
  /** Number of retained findings by artifact, for artifacts other than that of the report. */
  others: Map<string, number>
  /** Scanners and report types of this report. */
  scans: Scan[]
}

interface ReportScope {
  reportTypes: readonly string[]
  /** Parts of the scan that the report does not cover. */
  gaps: readonly Gap[]
}

/** Findings of one scanner and type, and the scanners whose reports cover them. */
interface Source {
  scannerId: number
  reportType: string
  coveredBy: readonly string[]
}

/**
 * Finds known findings on the ref that the report covers and does not contain. On the default branch this includes
 * findings observed under its former name, and promoted findings without an occurrence on it.
 */
export async function findGone(
  deps: Deps,
  place: ImportPlace,
  { reportTypes, gaps }: ReportScope,
  { scannerIds, scannersWithPast, observed }: Classified,
): Promise<Missing> {
  const effective = new Set(gaps.filter(({ since }) => since === undefined))
  const missing: Missing = { gone: [], removedFromCategory: [], retained: 0, effective, others: new Map(), scans: [] }
  for (const [externalId, scannerId] of scannerIds) {
    for (const reportType of reportTypes) {
      const source = { scannerId, reportType, coveredBy: [externalId] }
      const retained = scannersWithPast.has(scannerId)
        ? await search(deps, place, source, { gaps, observed, missing, effective })
        : 0
      const isComplete = retained === 0 && !gapsOf(gaps, [externalId], reportType).some(isTotal)
      missing.scans.push({ scannerId, reportType, isComplete })
    }
  }
  if (scannerIds.has(sbomScanner)) return missing
  const sbomScannerId = (await listScannerIds(deps.db, place.projectId, [sbomScanner])).get(sbomScanner)
  for (const reportType of reportTypes) {
    const coveredBy = (sbomCoveredBy.get(reportType) ?? []).filter((externalId) => scannerIds.has(externalId))
    if (sbomScannerId === undefined || coveredBy.length === 0) continue
    // Another scanner may name the same artifact differently.
    const anyArtifact = { ...place, artifact: undefined }
    await search(
      deps,
      anyArtifact,
      { scannerId: sbomScannerId, reportType, coveredBy },
      { gaps, observed, missing, effective },
    )
  }
  return missing
}

interface Search {
  gaps: readonly Gap[]
  observed: ReadonlySet<number>
  /** Results are added to these two. */
  missing: Missing
  effective: Set<Gap>
}

/** Returns the number of missing findings of the source that keep their state. */
async function search(
  deps: Deps,
  place: ImportPlace,
  source: Source,
  { gaps, observed, missing, effective }: Search,
): Promise<number> {
  const { category } = place
  const { others } = missing
  const retainedAmong = openRetention(deps, place, gapsOf(gaps, source.coveredBy, source.reportType), {
    effective,
    others,
  })
  let retained = 0
  const add = async (list: number[], ids: readonly number[]): Promise<void> => {
    const held = await retainedAmong(ids)
    retained += held.size
    list.push(...ids.filter((id) => !held.has(id)))
  }
  for (let after: number | undefined = 0; after !== undefined; ) {
    const slice = await listOfScanner(deps.db, source, place.ref, after, batchSize)
    const unobserved = slice.filter(({ id }) => !observed.has(id))
    const covered = unobserved.filter(({ isPresent, categories }) => isPresent && isCovered(category, categories))
    const [gone, left] = partition(covered, ({ categories }) => isCoveredExclusively(category, categories))
    await add(missing.gone, idsOf(gone))
    await add(missing.removedFromCategory, idsOf(left))
    const absent = idsOf(unobserved.filter(({ isPresent }) => !isPresent))
    await add(missing.gone, await listRecordedAsPresent(deps, place, source, absent))
    after = slice.length < batchSize ? undefined : slice.at(-1)?.id
    await setImmediate()
  }
  missing.retained += retained
  return retained
}

/**
 * Returns a function that selects the findings that the report does not cover: a gap covers them, or another artifact
 * contained them last.
 */
function openRetention(
  { db }: Deps,
  { ref, artifact }: ImportPlace,
  gaps: readonly Gap[],
  { effective, others }: { effective: Set<Gap>; others: Map<string, number> },
): (ids: readonly number[]) => Promise<ReadonlySet<number>> {
  if (gaps.some(isTotal)) return async (ids) => new Set(ids)
  return async (ids) => {
    const isNeeded = ids.length > 0 && (gaps.length > 0 || artifact !== undefined)
    const places = isNeeded ? await listLastObservations(db, ref, ids) : []
    const retained = new Set<number>()
    for (const one of places) {
      if (one.artifact !== null && isOfAnother(artifact, one.artifact)) {
        retained.add(one.id)
        others.set(one.artifact, (others.get(one.artifact) ?? 0) + 1)
      }
      for (const gap of gaps.filter((gap) => covers(gap, one))) {
        retained.add(one.id)
        effective.add(gap)
      }
    }
    return retained
  }
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
  return listMissedBy(db, source, ref, category.id, recorded)
}

const idsOf = (findings: readonly { id: number }[]): number[] => findings.map(({ id }) => id)

function partition<T>(all: readonly T[], isFirst: (one: T) => boolean): [T[], T[]] {
  return [all.filter(isFirst), all.filter((one) => !isFirst(one))]
}

const batchSize = 2000

/** GitLab's SBOM scanner finds the same flaws as these scanners, so their reports cover its findings. */
const sbomScanner = 'gitlab-sbom-vulnerability-scanner'
const sbomCoveredBy: ReadonlyMap<string, readonly string[]> = new Map<ReportType, readonly string[]>([
  ['container_scanning', ['trivy']],
  ['dependency_scanning', ['gemnasium', 'gemnasium-maven', 'gemnasium-python']],
])
