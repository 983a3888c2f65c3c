import { type Deps, projectTransaction, type RootDeps } from '../../../deps.ts'

/** A transaction shared by several units of work, because each commit writes every changed page of the indexes. */
export interface BatchTransaction {
  /**
   * Runs a unit of work in the open transaction, or begins one. If it fails, everything since the last `end` is rolled
   * back. Other connections see the changes after `end`.
   */
  run<T>(unit: (deps: Deps) => Promise<T>): Promise<T>
  /** Commits. Until then the caller must not begin another transaction, nor wait for anything slow. */
  end(): Promise<void>
}

interface OpenTransaction {
  deps: Deps
  commit: () => void
  rollBack: (error: unknown) => void
  /** Resolves after the commit, and rejects after a rollback. */
  ended: Promise<void>
}

/**
 * Runs work with a shared transaction, and commits it at the end, also when the work fails. Each unit has its own
 * transaction while others wait, and always on PostgreSQL. The commits do not wait for the disk (`withRelaxedDurability`).
 */
export async function withBatchTransaction<T>(
  deps: RootDeps,
  projectId: number,
  work: (transaction: BatchTransaction) => Promise<T>,
): Promise<T> {
  const transaction = openBatchTransaction(deps, projectId)
  try {
    const result = await work(transaction)
    await transaction.end()
    return result
  } catch (error) {
    await transaction.end().catch(() => {}) // the first error is the cause
    throw error
  }
}

function openBatchTransaction(deps: RootDeps, projectId: number): BatchTransaction {
  let open: OpenTransaction | undefined
  return {
    async run(unit) {
      if (!open && !deps.db.canExtendTransaction()) {
        return projectTransaction(deps, projectId, unit, { isRelaxed: true })
      }
      open ??= await begin(deps, projectId)
      const { deps: within, rollBack, ended } = open
      try {
        return await unit(within)
      } catch (error) {
        open = undefined
        rollBack(error)
        await ended // throws the error as the engine describes it, such as a full disk as an outage
        throw error
      }
    },
    async end() {
      const ending = open
      open = undefined
      ending?.commit()
      await ending?.ended
    },
  }
}

function begin(deps: RootDeps, projectId: number): Promise<OpenTransaction> {
  return new Promise((resolve, reject) => {
    const ended = projectTransaction(
      deps,
      projectId,
      (deps) => new Promise<void>((commit, rollBack) => resolve({ deps, commit, rollBack, ended })),
      { isRelaxed: true },
    )
    ended.catch(reject) // without effect once it has begun
  })
}
