import { setImmediate } from 'node:timers/promises'
import { openCache, perDatabase } from '../../../db/cache.ts'
import type { Database, Db } from '../../../db/db.ts'
import { maxCountedRows } from '../../page.ts'
import { countBacklogs, listLastScans, listScanned } from './evidence-queries.ts'
import type { ListScope } from './filter.ts'

/** Facts about the default branches of projects that a grade depends on, as ids of projects. */
export interface Evidence {
  scanned: ReadonlySet<number>
  /** Projects with findings that await promotion. */
  waiting: ReadonlySet<number>
  /** Number of these findings; without the projects that follow after the maximum total of lists was exceeded. */
  backlogs: ReadonlyMap<number, number>
}

/** Tables that evidence is read from. */
export const evidenceTables = ['projects', 'imports', 'findings', 'occurrences'] as const

const maxEvidences = 1000
const evidences = perDatabase((changes) => openCache<Evidence>(changes, evidenceTables, maxEvidences))

export function readEvidence(db: Database, { key, projectIds }: ListScope): Promise<Evidence> {
  return evidences(db).getShared(key, async () => {
    const [scanned, first] = await Promise.all([listScanned(db, projectIds), countBacklogs(db, projectIds, 1)])
    const waiting = first.filter((count) => count.waiting > 0).map(({ id }) => id)
    return { scanned: new Set(scanned), waiting: new Set(waiting), backlogs: await countWaiting(db, waiting) }
  })
}

/** Returns the times of the last scans of the default branches of a few projects. */
export async function readLastScans(db: Db, projectIds: readonly number[]): Promise<ReadonlyMap<number, string>> {
  if (projectIds.length === 0) return new Map()
  return new Map((await listLastScans(db, projectIds)).map(({ id, at }) => [id, at]))
}

/** Returns the number of findings that await promotion in these projects; `maxCountedRows + 1` stands for all higher numbers. */
export async function countWaitingFindings(db: Db, projectIds: readonly number[]): Promise<number> {
  let total = 0
  for (const count of (await countWaiting(db, projectIds)).values()) total += count
  return Math.min(total, maxCountedRows + 1)
}

const projectsPerStatement = 20

async function countWaiting(db: Db, projectIds: readonly number[]): Promise<Map<number, number>> {
  const backlogs = new Map<number, number>()
  let total = 0
  for (let start = 0; start < projectIds.length && total <= maxCountedRows; start += projectsPerStatement) {
    const some = projectIds.slice(start, start + projectsPerStatement)
    for (const { id, waiting } of await countBacklogs(db, some, maxCountedRows + 1)) {
      backlogs.set(id, waiting)
      total += waiting
    }
    await setImmediate()
  }
  return backlogs
}
