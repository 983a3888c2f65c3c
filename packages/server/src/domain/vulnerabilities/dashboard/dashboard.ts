import { setImmediate } from 'node:timers/promises'
import { openCache, perDatabase } from '../../../db/cache.ts'
import type { RootDeps } from '../../deps.ts'
import { type Page, type PageRequest, pageOf } from '../../page.ts'
import type { Visitor } from '../../projects/visible.ts'
import { readEvidence } from '../list/evidence.ts'
import type { ListScope } from '../list/filter.ts'
import { type Activity, joinDecisions } from './activity.ts'
import { listBulkActivity, listImportActivity, listSingleDecisions } from './activity-queries.ts'
import { countAssigned, countAwaitingApproval, listSilentScanners, type SilentScanner } from './dashboard-queries.ts'

/** What a user should know of their projects beside the statistics. */
export interface Dashboard {
  /** Number of open vulnerabilities of the user. */
  assigned: number
  awaitingApproval: number
  /** Projects whose default branch was never scanned, and the newest of them. */
  unscanned: { total: number; projectIds: number[] }
  silentScanners: { total: number; scanners: SilentScanner[] }
  /** Newest first. */
  activity: Activity[]
}

/** Days without a report after which a scanner is silent, and after which it counts as removed. */
const silentDays = 14
const removedDays = 90
const activityDays = 30
const maxShown = 10
/** Decisions are read in larger numbers, because many are joined to one line. */
const maxDecisions = 200
const dayMs = 24 * 60 * 60 * 1000

export async function readDashboard(deps: RootDeps, caller: Visitor, scope: ListScope): Promise<Dashboard> {
  const { projectIds } = scope
  const [assigned, awaitingApproval, evidence, silent, activity] = await Promise.all([
    countAssigned(deps.db, projectIds, caller.user.id),
    countAwaitingApproval(deps.db, projectIds, caller.user.id),
    readEvidence(deps.db, scope),
    readSilentScanners(deps, scope),
    readActivity(deps, projectIds, { maxEntries: maxShown, maxDecisions }),
  ])
  const unscanned = projectIds.filter((id) => !evidence.scanned.has(id))
  return {
    assigned,
    awaitingApproval,
    unscanned: { total: unscanned.length, projectIds: unscanned.sort((a, b) => b - a).slice(0, maxShown) },
    silentScanners: { total: silent.length, scanners: silent.slice(0, maxShown) },
    activity,
  }
}

const maxCachedScanners = 50_000
const silentScanners = perDatabase((changes) =>
  openCache<SilentScanner[]>(
    changes,
    ['projects', 'scans', 'scanners'],
    maxCachedScanners,
    (found) => found.length + 1,
  ),
)
const projectsPerStatement = 1000

function readSilentScanners({ db, now }: RootDeps, { key, projectIds }: ListScope): Promise<SilentScanner[]> {
  const today = Date.parse(now().slice(0, 10))
  const period = { after: timeOf(today - removedDays * dayMs), before: timeOf(today - silentDays * dayMs) }
  return silentScanners(db).getShared(`${period.before} ${key}`, async () => {
    const found: SilentScanner[] = []
    for (let start = 0; start < projectIds.length; start += projectsPerStatement) {
      found.push(...(await listSilentScanners(db, projectIds.slice(start, start + projectsPerStatement), period)))
      await setImmediate()
    }
    return found.sort((a, b) => compare(b.lastReportAt, a.lastReportAt) || a.id - b.id)
  })
}

/** Maximum number of entries of the feed, and of the decisions that are joined to them. */
const feedLimits = { maxEntries: 500, maxDecisions: 1000 }

/** Returns a page of the imports with changes and the decisions of the last 30 days, newest first. */
export async function listActivity(deps: RootDeps, scope: ListScope, page: PageRequest): Promise<Page<Activity>> {
  const found = await readActivity(deps, scope.projectIds, feedLimits)
  return pageOf(page, found.slice(page.offset, page.offset + page.perPage + 1), found.length)
}

async function readActivity(
  { db, now }: RootDeps,
  projectIds: readonly number[],
  { maxEntries, maxDecisions }: typeof feedLimits,
): Promise<Activity[]> {
  const since = timeOf(Date.parse(now()) - activityDays * dayMs)
  const [imports, bulk, single] = await Promise.all([
    listImportActivity(db, projectIds, since, maxEntries),
    listBulkActivity(db, projectIds, since, maxDecisions),
    listSingleDecisions(db, projectIds, since, maxDecisions),
  ])
  const decisions = [...bulk, ...single].sort((a, b) => compare(b.createdAt, a.createdAt))
  return [...imports, ...joinDecisions(decisions)]
    .sort((a, b) => compare(b.createdAt, a.createdAt))
    .slice(0, maxEntries)
}

const timeOf = (time: number) => new Date(time).toISOString()
const compare = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0)
