import { setImmediate } from 'node:timers/promises'
import type { Deps } from '../deps.ts'
import { listSaidToBeThere } from '../vulnerabilities/promoted-queries.ts'
import type { ReportType } from '../vulnerabilities/scales.ts'
import { listScannerIds } from './catalogue-queries.ts'
import { speaksAloneFor, speaksFor } from './categories.ts'
import type { Classified, ImportPlace } from './classify.ts'
import { listMissedBy, listOfScanner, type Scope } from './occurrence-queries.ts'

export interface Missing {
  gone: number[]
  /** Still in the newest report of another category. */
  left: number[]
}

/**
 * What these scanners found on the ref before, and this report does not name. Of the default branch also what was found
 * on it while it had another name, or what somebody promoted that it does not have.
 */
export async function findGone(
  deps: Deps,
  place: ImportPlace,
  { reportTypes }: Scope,
  { scannerIds, scannersWithPast, seen }: Classified,
): Promise<Missing> {
  const gone: number[] = []
  const left: number[] = []
  const { category } = place
  // Secrets never say that they are gone.
  const followsDefaultBranch = (reportType: string) =>
    place.ref === place.defaultBranch && reportType !== 'secret_detection'
  const amongSpokenFor = async (source: { scannerId: number; reportType: string }, wanting: number[]) => {
    if (!category) return wanting
    if (category.id === undefined || wanting.length === 0) return []
    return listMissedBy(deps.db, source, place.ref, category.id, wanting)
  }
  const search = async (scannerId: number, reportType: string): Promise<void> => {
    for (let after: number | undefined = 0; after !== undefined; ) {
      const slice = await listOfScanner(deps.db, { scannerId, reportType }, place.ref, after, sliceSize)
      const missing = slice.filter(({ id }) => !seen.has(id))
      for (const { id, isPresent, categories } of missing) {
        if (isPresent && speaksFor(category, categories)) (speaksAloneFor(category, categories) ? gone : left).push(id)
      }
      if (followsDefaultBranch(reportType)) {
        const absent = missing.filter(({ isPresent }) => !isPresent).map(({ id }) => id)
        const wanting = absent.length > 0 ? await listSaidToBeThere(deps.db, absent) : []
        gone.push(...(await amongSpokenFor({ scannerId, reportType }, wanting)))
      }
      after = slice.length < sliceSize ? undefined : slice.at(-1)?.id
      await setImmediate()
    }
  }
  for (const scannerId of scannersWithPast) for (const reportType of reportTypes) await search(scannerId, reportType)
  if (scannerIds.has(billScanner)) return { gone, left }
  const bills = (await listScannerIds(deps.db, place.projectId, [billScanner])).get(billScanner)
  for (const reportType of reportTypes) {
    const others = speaksForBills.get(reportType) ?? []
    if (bills !== undefined && others.some((externalId) => scannerIds.has(externalId))) await search(bills, reportType)
  }
  return { gone, left }
}

const sliceSize = 2000

/** GitLab's own scanner of bills of materials finds what these scanners find too; where they ran, they are believed. */
const billScanner = 'gitlab-sbom-vulnerability-scanner'
const speaksForBills: ReadonlyMap<string, readonly string[]> = new Map<ReportType, readonly string[]>([
  ['container_scanning', ['trivy']],
  ['dependency_scanning', ['gemnasium', 'gemnasium-maven', 'gemnasium-python']],
])
