import { Failure } from '../../../platform/failure.ts'
import type { ReceivedFile } from '../../../platform/object-store/objects.ts'
import { type Deps, transaction } from '../../deps.ts'
import { doomObjects } from '../../files/pending-deletions.ts'
import { countOpenImports, takeFailedFiles } from './import-queries.ts'

export const importJobKind = 'import'
export const smallImports = 'import:small'

const maxSmallBytes = 256 * 1024
const gzipMagic = [0x1f, 0x8b]

/** The lane of a report. A packed report may be large, whatever its size. */
export function laneOf({ bytes, head }: Pick<ReceivedFile, 'bytes' | 'head'>): string {
  const isPacked = gzipMagic.every((byte, index) => head[index] === byte)
  return bytes <= maxSmallBytes && !isPacked ? smallImports : importJobKind
}

const retryAfterSeconds = 30
const mib = 1024 * 1024

/**
 * Rejects a report when too many of its project or of its sender wait already. Requests at the same time may exceed a limit
 * by their number.
 */
export async function assertRoomInQueue(
  { db, settings: { maxWaitingReports } }: Deps,
  { projectId, userId, fileBytes }: { projectId: number; userId: number; fileBytes: number },
): Promise<void> {
  const owners = [
    { whose: 'this project', which: { projectId }, most: maxWaitingReports.ofProject },
    { whose: 'this user', which: { userId }, most: maxWaitingReports.ofUser },
  ]
  for (const { whose, which, most } of owners) {
    const { count, bytes } = await countOpenImports(db, which, most)
    if (count >= most) {
      throw tooMany(`${count} reports of ${whose} wait to be imported; the limit is ${most}. Try again later.`)
    }
    // A report that is allowed at all is accepted when no other one waits.
    if (count > 0 && bytes + fileBytes > maxWaitingReports.bytes) {
      const limit = `${maxWaitingReports.bytes / mib} MiB`
      throw tooMany(`The reports of ${whose} that wait to be imported would exceed ${limit}. Try again later.`)
    }
  }
}

function tooMany(sentence: string): Failure {
  return new Failure({ kind: 'too-many-requests', sentence, retryAfterSeconds })
}

const batchSize = 100

/** Removes the reports of failed imports once their time for another run is over. */
export async function expireFailedReports(deps: Deps): Promise<void> {
  const before = new Date(Date.parse(deps.now()) - deps.settings.failedReportMs).toISOString()
  for (let more = true; more; ) {
    more = await transaction(deps, async (deps) => {
      const keys = await takeFailedFiles(deps.db, before, batchSize)
      await doomObjects(deps, keys)
      return keys.length === batchSize
    })
  }
}
