import { Failure } from '../platform/failure.ts'

/** `since` in ms: what changed after that may not be deleted. */
export function assertUnmodified({ updatedAt }: { updatedAt: string }, since: number | undefined): void {
  // HTTP dates have no fractions, so the change may be up to a second younger.
  const changed = Math.floor(Date.parse(updatedAt) / 1000) * 1000
  if (since !== undefined && changed > since) throw new Failure({ kind: 'precondition-failed' })
}
