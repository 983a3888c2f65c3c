import { type Client, RequestFailed } from '@alcove/client'
import type { Progress } from '../../upload/progress.ts'
import type { ImportReport } from '../import-report.ts'
import type { ImportState } from './import-state.ts'
import type { SourceApi } from './source-api.ts'

/** Everything that the steps of an import share. */
export interface Copy {
  source: SourceApi
  target: Client
  /** Id of the importing user in the target. */
  importerId: number
  isDryRun: boolean
  report: ImportReport
  state: ImportState
  progress: Progress
  /** Ids in the target by kind and id in the source. In a dry run `planned` stands for an object to create. */
  ids: TargetIds
  /** Names in the target of the users that were copied, by their id there. */
  usernames: Map<number, string>
}

export type TargetId = number | 'planned'

export interface TargetIds {
  find(kind: string, sourceId: string): TargetId | undefined
  record(kind: string, sourceId: string, targetId: TargetId): void
}

export function openTargetIds(): TargetIds {
  const ids = new Map<string, TargetId>()
  return {
    find: (kind, sourceId) => ids.get(`${kind} ${sourceId}`),
    record: (kind, sourceId, targetId) => ids.set(`${kind} ${sourceId}`, targetId),
  }
}

/** Runs the copy of one object. A rejection is reported and does not end the import, unless it concerns the token. */
export async function attempt<Result>(
  { report }: Pick<Copy, 'report'>,
  object: { kind: string; name: string },
  work: () => Promise<Result>,
): Promise<Result | undefined> {
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof RequestFailed) || error.status === 401 || error.status >= 500) throw error
    report.skip({ ...object, reason: `${error.message} (${error.status})` })
    return undefined
  }
}

/** Returns the result of a request, or `undefined` when the object does not exist. */
export async function unlessMissing<Result>(request: Promise<Result>): Promise<Result | undefined> {
  try {
    return await request
  } catch (error) {
    if (error instanceof RequestFailed && error.status === 404) return undefined
    throw error
  }
}
