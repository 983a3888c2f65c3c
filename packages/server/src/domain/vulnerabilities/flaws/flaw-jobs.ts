import { setImmediate } from 'node:timers/promises'
import { type Deps, type RootDeps, withRelaxedDurability } from '../../deps.ts'
import { jobKind, type RunningJob } from '../../jobs/job.ts'
import { type TransferredFlawsJob, transferredFlawsKind } from '../../projects/queue-transferred-flaws.ts'
import { listNewNames, markApplied } from './alias-queries.ts'
import { aliasKind, readConnected, updateKeys } from './flaw-keys.ts'
import { listIdsOfOwner, listProjectIdsAfter, listWithNames, listWithoutKey } from './flaw-queries.ts'

const batchSize = 250
const namesPerRun = 100
/** Ids that are read at once, because no index has the vulnerabilities of a group in the order of ids. */
const idsPerStatement = 20_000

/** Computes the keys of vulnerabilities from before they were stored. A migration queues this job. */
export const flawKeysJob = jobKind<object>({ kind: 'flaw-keys', concurrency: 1, maxAttempts: 10, run: computeMissing })

async function computeMissing(deps: RootDeps, { signal }: RunningJob<object>): Promise<undefined> {
  for (let count = batchSize; count === batchSize; ) {
    signal.throwIfAborted()
    count = await withRelaxedDurability(deps, async (deps) => {
      const ids = await listWithoutKey(deps.db, batchSize)
      await updateKeys(deps, ids)
      return ids.length
    })
    await setImmediate()
  }
}

/** Computes the keys of a transferred project or group, where other splits and joins apply than before. */
export const transferredFlawsJob = jobKind<TransferredFlawsJob>({
  kind: transferredFlawsKind,
  concurrency: 1,
  maxAttempts: 10,
  coalesces: true,
  async run(deps, { payload: { owner }, signal }) {
    for (let after: number | undefined = 0; after !== undefined; ) {
      const ids: number[] = await listIdsOfOwner(deps.db, owner, { after, limit: idsPerStatement })
      await updateAll(deps, signal, ids)
      after = ids.length < idsPerStatement ? undefined : ids.at(-1)
    }
  },
})

/** Applies aliases that a report stated for the first time to all vulnerabilities with these names. */
export const flawAliasesJob = jobKind<object>({
  kind: aliasKind,
  concurrency: 1,
  maxAttempts: 10,
  coalesces: true,
  run: applyAliases,
})

async function applyAliases(deps: RootDeps, { signal }: RunningJob<object>): Promise<undefined> {
  for (;;) {
    const names = await listNewNames(deps.db, namesPerRun)
    if (names.length === 0) return
    const connected = (await readConnected(deps, names)).map((name) => name.toLowerCase())
    for (let after = 0; ; ) {
      const projectIds = await listProjectIdsAfter(deps.db, after, batchSize)
      if (projectIds.length === 0) break
      await updateAll(deps, signal, await listWithNames(deps.db, projectIds, connected))
      after = projectIds.at(-1) ?? after
    }
    await withRelaxedDurability(deps, ({ db }) => markApplied(db, names))
  }
}

async function updateAll(deps: RootDeps, signal: AbortSignal, ids: readonly number[]): Promise<void> {
  for (let start = 0; start < ids.length; start += batchSize) {
    signal.throwIfAborted()
    const update = (deps: Deps) => updateKeys(deps, ids.slice(start, start + batchSize))
    await withRelaxedDurability(deps, update)
    await setImmediate()
  }
}
