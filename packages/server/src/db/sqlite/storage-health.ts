import { Failure } from '../../platform/failure.ts'

/**
 * Latch for the first error after which disk and memory may differ, such as a failed sync: Linux reports it once and
 * then drops the pages. From then on every write is rejected until the process has restarted.
 */
export interface StorageHealth {
  /** Resolves with the first such error; otherwise stays pending. */
  readonly broken: Promise<Error>
  isBroken(): boolean
  fail(error: unknown): void
  /** Throws `unavailable` after a failure. */
  assertSound(): void
}

export function watchStorage(): StorageHealth {
  let failure: Error | undefined
  let resolve: (error: Error) => void = () => {}
  const broken = new Promise<Error>((resolveIt) => {
    resolve = resolveIt
  })
  return {
    broken,
    isBroken: () => failure !== undefined,
    fail(error) {
      failure ??= error instanceof Error ? error : new Error(String(error))
      resolve(failure)
    },
    assertSound() {
      if (!failure) return
      const why = `refused until the process restarts, after: ${failure.message}`
      throw new Failure({ kind: 'unavailable', what: 'the database', why })
    },
  }
}

/** Returns true for SQLite errors that a retry would hide or make worse: a failed sync or a damaged file. */
export function isStorageLost(error: unknown): boolean {
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  return /^SQLITE_(IOERR_(DIR_)?FSYNC|CORRUPT|NOTADB)/.test(code)
}

/** Returns the error message for a damaged database file. */
export function damagedDatabase(problems: readonly string[]): Error {
  const what = problems.slice(0, 3).join('; ').replaceAll('\n', ' ')
  return new Error(`the database is damaged (${what}); restore a backup, see docs/operating/back-up.md`)
}
