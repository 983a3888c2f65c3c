import { type Client, RequestFailed, type Schemas } from '@alcove/client'
import type { Progress } from '../../upload/progress.ts'
import type { ImportReport } from '../import-report.ts'
import type { ImportState } from './import-state.ts'
import type { SourceApi } from './source-api.ts'

export type ImportSource = Schemas['ImportSource']
export type ImportKind = ImportSource['kind']

/** What the target knows about the objects that were imported from this source. */
export interface ImportSources {
  find(kind: ImportKind, sourceId: string): ImportSource | undefined
  /** Returns the id in the source of which the object of the target is a copy. */
  sourceOf(kind: ImportKind, targetId: number): string | undefined
  /** Returns the mirrors, without those that were detached. */
  mirrors(): readonly ImportSource[]
  set(row: ImportSource): void
}

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
  /** What was imported from the source before. */
  sources: ImportSources
  /** Set when the copies are mirrors. */
  mirror?: MirrorTerms | undefined
  /** Ids in the source of the selected groups, by their paths in the options. */
  selectedIds: Map<string, string>
  /** Ids in the target by kind and id in the source. In a dry run `planned` stands for an object to create. */
  ids: TargetIds
  /** Names in the target of the users that were copied, by their id there. */
  usernames: Map<number, string>
}

/** What makes copies mirrors. */
export interface MirrorTerms {
  localChanges: 'none' | 'triage' | 'all'
  /** Returns whether something that has vanished from the source is to be deleted from the target. */
  isExpired(kind: string, targetId: number): boolean
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
