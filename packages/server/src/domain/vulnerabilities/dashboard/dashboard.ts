import type { RootDeps } from '../../deps.ts'
import type { Visitor } from '../../projects/visible.ts'
import { readEvidence } from '../list/evidence.ts'
import type { ListScope } from '../list/filter.ts'
import type { Activity } from './activity.ts'
import { readNewestActivity } from './activity-feed.ts'
import { countAssigned, countAwaitingApproval, type SilentScanner } from './dashboard-queries.ts'
import { readSilentScanners } from './silent-scanners.ts'

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

const maxShown = 10

export async function readDashboard(deps: RootDeps, caller: Visitor, scope: ListScope): Promise<Dashboard> {
  const { projectIds } = scope
  const [assigned, awaitingApproval, evidence, silent, activity] = await Promise.all([
    countAssigned(deps.db, projectIds, caller.user.id),
    countAwaitingApproval(deps.db, projectIds, caller.user.id),
    readEvidence(deps.db, scope),
    readSilentScanners(deps, scope),
    readNewestActivity(deps, projectIds, maxShown),
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
