import { setImmediate } from 'node:timers/promises'
import { openCache, perDatabase } from '../../../db/cache.ts'
import type { RootDeps } from '../../deps.ts'
import { type ReportType, reportTypes } from '../../findings/scales.ts'
import { type Page, type PageRequest, pageOf } from '../../page.ts'
import type { ListScope } from '../list/filter.ts'
import { listScannerReports, type ScannerReport } from './coverage-queries.ts'

/** Scanners of a project and when they last reported for its default branch. */
export interface ProjectCoverage {
  projectId: number
  scanners: CoveredScanner[]
}

interface CoveredScanner extends Omit<ScannerReport, 'projectId'> {
  isStale: boolean
}

/** Numbers of projects by the age of their last report of a type. */
export interface TypeCoverage {
  reportType: ReportType
  current: number
  stale: number
  missing: number
}

export interface CoverageFilter {
  /** Only projects without a report of this type. */
  missing?: ReportType | undefined
  /** Only projects with a scanner whose last report is old. */
  isStale?: boolean | undefined
}

/** Days after which the last report of a scanner is old; the same as for silent scanners and grades. */
const staleDays = 14
const dayMs = 24 * 60 * 60 * 1000
const projectsPerStatement = 500

const maxCachedReports = 100_000
/** Weight of a list without its reports, because each selection of projects has one. */
const overheadReports = 10
const reports = perDatabase((changes) =>
  openCache<ScannerReport[]>(
    changes,
    ['projects', 'scans', 'scanners'],
    maxCachedReports,
    (found) => found.length + overheadReports,
  ),
)

/** Returns for each report type how many of the projects have a current one, an old one, or none. */
export async function summariseCoverage(deps: RootDeps, scope: ListScope): Promise<TypeCoverage[]> {
  const before = staleBefore(deps)
  const newest = new Map<ReportType, Map<number, string>>(reportTypes.map((type) => [type, new Map()]))
  for (const { projectId, reportType, lastReportAt } of await readReports(deps, scope)) {
    const ofType = newest.get(reportType)
    if (ofType && lastReportAt > (ofType.get(projectId) ?? '')) ofType.set(projectId, lastReportAt)
  }
  return reportTypes.map((reportType) => {
    const times = [...(newest.get(reportType)?.values() ?? [])]
    const current = times.filter((time) => time >= before).length
    return { reportType, current, stale: times.length - current, missing: scope.projectIds.length - times.length }
  })
}

/** Returns the scanners of each project, by the id of the project. */
export async function listCoverage(
  deps: RootDeps,
  scope: ListScope,
  { missing, isStale }: CoverageFilter,
  page: PageRequest,
): Promise<Page<ProjectCoverage>> {
  const before = staleBefore(deps)
  const byProject = new Map<number, CoveredScanner[]>(scope.projectIds.map((id) => [id, []]))
  for (const { projectId, ...report } of await readReports(deps, scope)) {
    byProject.get(projectId)?.push({ ...report, isStale: report.lastReportAt < before })
  }
  const rows = [...byProject]
    .filter(([, scanners]) => !missing || scanners.every(({ reportType }) => reportType !== missing))
    .filter(([, scanners]) => !isStale || scanners.some((scanner) => scanner.isStale))
    .map(([projectId, scanners]) => ({ projectId, scanners }))
    .sort((a, b) => a.projectId - b.projectId)
  return pageOf(page, rows.slice(page.offset, page.offset + page.perPage + 1), rows.length)
}

const staleBefore = ({ now }: RootDeps) => new Date(Date.parse(now()) - staleDays * dayMs).toISOString()

function readReports({ db }: RootDeps, { key, projectIds }: ListScope): Promise<ScannerReport[]> {
  return reports(db).getShared(key, async () => {
    const found: ScannerReport[] = []
    for (let start = 0; start < projectIds.length; start += projectsPerStatement) {
      found.push(...(await listScannerReports(db, projectIds.slice(start, start + projectsPerStatement))))
      await setImmediate()
    }
    return found
  })
}
