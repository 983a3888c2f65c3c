import { Failure } from '../../../platform/failure.ts'
import type { ReceivedFile } from '../../../platform/object-store/objects.ts'
import { type Deps, transaction } from '../../deps.ts'
import { markForDeletion } from '../../files/pending-deletions.ts'
import { countOpenImports, takeFailedFiles } from './import-queries.ts'

export const importJobKind = 'import'

/** Key of the jobs that must not run at the same time as an import of the project. */
export const importKeyOf = (projectId: number): string => `import:${projectId}`

export const smallImports = 'import:small'

const maxSmallBytes = 256 * 1024
const gzipMagic = [0x1f, 0x8b]

/** Returns the job lane of a report. A gzip file may expand to a large report, so it goes to the lane of large ones. */
export function laneOf({ bytes, head }: Pick<ReceivedFile, 'bytes' | 'head'>): string {
  const isPacked = gzipMagic.every((byte, index) => head[index] === byte)
  return bytes <= maxSmallBytes && !isPacked ? smallImports : importJobKind
}

const retryAfterSeconds = 30
const mib = 1024 * 1024

/**
 * Rejects a report when too many reports of its project or its sender are waiting. The check is not locked, so
 * concurrent requests may exceed the limit by their number.
 */
export async function assertRoomInQueue(
  { db, settings: { maxWaitingReports } }: Deps,
  { projectId, userId, fileBytes }: { projectId: number; userId: number; fileBytes: number },
): Promise<void> {
  const owners = [
    { whose: 'this project', which: { projectId }, max: maxWaitingReports.ofProject },
    { whose: 'this user', which: { userId }, max: maxWaitingReports.ofUser },
  ]
  for (const { whose, which, max } of owners) {
    const { count, bytes } = await countOpenImports(db, which, max)
    if (count >= max) {
      throw tooMany(`${count} reports of ${whose} wait to be imported; the limit is ${max}. Try again later.`)
    }
    // A single report of permitted size is accepted even if it exceeds the byte limit of the queue.
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

/** Removes the reports of failed imports after the retry period. */
export async function expireFailedReports(deps: Deps): Promise<void> {
  const before = new Date(Date.parse(deps.now()) - deps.settings.failedReportMs).toISOString()
  for (let more = true; more; ) {
    more = await transaction(deps, async (deps) => {
      const keys = await takeFailedFiles(deps.db, before, batchSize)
      await markForDeletion(deps, keys)
      return keys.length === batchSize
    })
  }
}
