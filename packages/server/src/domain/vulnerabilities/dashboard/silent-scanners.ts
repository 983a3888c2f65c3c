import { setImmediate } from 'node:timers/promises'
import { openCache, perDatabase } from '../../../db/cache.ts'
import type { RootDeps } from '../../deps.ts'
import type { ListScope } from '../list/filter.ts'
import { listSilentScanners, type SilentScanner } from './dashboard-queries.ts'

/** Days without a report after which a scanner is silent, and after which it counts as removed. */
const silentDays = 14
const removedDays = 90
const dayMs = 24 * 60 * 60 * 1000

const maxCachedScanners = 50_000
/** Weight of a list without its scanners, because each selection of projects has one. */
const overheadScanners = 10
const silentScanners = perDatabase((changes) =>
  openCache<SilentScanner[]>(
    changes,
    ['projects', 'scans', 'scanners'],
    maxCachedScanners,
    (found) => found.length + overheadScanners,
  ),
)
const projectsPerStatement = 1000

/** Returns the scanners of the projects that are silent, the latest ones first. */
export function readSilentScanners({ db, now }: RootDeps, { key, projectIds }: ListScope): Promise<SilentScanner[]> {
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

/** Returns when a scanner became silent. */
export const silentSince = ({ lastReportAt }: SilentScanner) => timeOf(Date.parse(lastReportAt) + silentDays * dayMs)

const timeOf = (time: number) => new Date(time).toISOString()
const compare = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0)
