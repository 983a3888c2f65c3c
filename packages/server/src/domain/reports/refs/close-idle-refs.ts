import { projectTransaction, type RootDeps } from '../../deps.ts'
import { enqueue } from '../../jobs/job.ts'
import { refJob } from './close-ref.ts'
import { isProtected } from './protected-refs.ts'
import type { Ref } from './ref.ts'
import { type IdleFilter, listIdle, listOwnRetentions, lockRef, markClosed } from './ref-queries.ts'

const batchSize = 200
const dayMs = 24 * 60 * 60 * 1000

/** Closes refs that had no report for the time that the project or the server sets. */
export async function closeIdleRefs(deps: RootDeps): Promise<void> {
  for await (const idle of idleRefs(deps)) await closeRef(deps, idle)
}

/** Returns the refs that the next run closes, the oldest of each number of days first. */
export async function* idleRefs({ db, settings, now }: RootDeps): AsyncGenerator<Ref> {
  const own = (await listOwnRetentions(db)).map((days) => ({ days, filter: days }))
  for (const { days, filter } of [{ days: settings.refRetentionDays, filter: null }, ...own]) {
    if (days === 0) continue
    const before = new Date(Date.parse(now()) - days * dayMs).toISOString()
    yield* unprotected(db, { before, days: filter })
  }
}

async function* unprotected(db: RootDeps['db'], filter: IdleFilter): AsyncGenerator<Ref> {
  for (let after: Ref | undefined, more = true; more; ) {
    const rows: Awaited<ReturnType<typeof listIdle>> = await listIdle(db, filter, { after, limit: batchSize })
    for (const { protectedRefs, ...ref } of rows) if (!isProtected(ref.name, protectedRefs)) yield ref
    after = rows.at(-1)
    more = rows.length === batchSize
  }
}

/** Closes a ref unless it got a report meanwhile. A job makes its findings absent. */
function closeRef(deps: RootDeps, idle: Ref): Promise<void> {
  return projectTransaction(deps, idle.projectId, async (deps) => {
    const found = await lockRef(deps.db, idle)
    if (!found || found.closedAt !== null || found.lastReportAt !== idle.lastReportAt) return
    await markClosed(deps.db, idle, deps.now())
    await enqueue(deps, refJob(idle))
  })
}
