import { Failure } from '../platform/failure.ts'

/** Throws `precondition-failed` when the resource was updated after `since` (in ms). */
export function assertUnmodified({ updatedAt }: { updatedAt: string }, since: number | undefined): void {
  // HTTP dates have no fractions, so the update may be up to a second later than `since`.
  const changed = Math.floor(Date.parse(updatedAt) / 1000) * 1000
  if (since !== undefined && changed > since) throw new Failure({ kind: 'precondition-failed' })
}
