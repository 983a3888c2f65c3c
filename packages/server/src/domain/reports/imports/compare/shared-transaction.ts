import { type Deps, projectTransaction, type RootDeps } from '../../../deps.ts'

/** One transaction for several parts of a work, because each commit writes all changed pages of the indexes. */
export interface SharedTransaction {
  /**
   * Runs a part in the open transaction, or begins one. If the part fails, all parts since the last `end` are rolled back.
   * They are not visible to other connections before `end`.
   */
  run<T>(part: (deps: Deps) => Promise<T>): Promise<T>
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
 * Provides the work with a transaction for its parts, and commits it at the end, also when the work fails. Where other
 * transactions wait, each part has a transaction of its own. Durability is relaxed.
 */
export async function withSharedTransaction<T>(
  deps: RootDeps,
  projectId: number,
  work: (transaction: SharedTransaction) => Promise<T>,
): Promise<T> {
  const transaction = openSharedTransaction(deps, projectId)
  try {
    return await work(transaction)
  } finally {
    await transaction.end()
  }
}

function openSharedTransaction(deps: RootDeps, projectId: number): SharedTransaction {
  let open: OpenTransaction | undefined
  return {
    async run(part) {
      if (!open && !deps.db.canProlongTransaction()) {
        return projectTransaction(deps, projectId, part, { isRelaxed: true })
      }
      open ??= await begin(deps, projectId)
      const { deps: within, rollBack, ended } = open
      try {
        return await part(within)
      } catch (error) {
        open = undefined
        rollBack(error)
        await ended.catch(() => {}) // the same error
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
