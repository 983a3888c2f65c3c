import { maxBoundRows } from '../../db/column-values.ts'
import type { Db } from '../../db/db.ts'
import { batchesOf } from '../batches.ts'
import type { FindingContent } from './finding-content.ts'
import { deleteChildRows, insertChildRows, insertFindings, updateFindings } from './finding-queries.ts'

export { listByFiles, listByImportKeys, listByKeys, listByUuids, listFingerprintKeys } from './candidate-queries.ts'
export {
  attachFinding,
  attachFindings,
  deleteFindings,
  listUnobserved,
  mergeFindings,
  renameFindings,
} from './finding-queries.ts'
export {
  deleteIdentifiers,
  deleteUnusedIdentifiers,
  listIdentifierIds,
  upsertIdentifiers,
} from './identifier-queries.ts'
export { isKnownImage } from './image-queries.ts'
export {
  countImported,
  deleteImportKeys,
  hasImportKeys,
  insertImportKeys,
  listFactsByFiles,
  listFactsByIds,
  listFactsByUuids,
  listFindingsOfSource,
  listIdsOfFindings,
  listImported,
  listImportedRecords,
  listOriginsOf,
  setFindingTimes,
  upsertImportedRecords,
} from './imported-findings/imported-finding-queries.ts'
export { findKnownFindings, hasAnyFinding, hasFindings, listDigests, listSummaries } from './known-finding-queries.ts'
export { listExtras, listIdentifiers, listScanners, listScannersOf } from './list/finding-list-queries.ts'
export { deleteMatches, insertMatches } from './match-queries.ts'
export { findCategoryId, upsertCategory } from './occurrences/category-queries.ts'
export { findLastId, listWithoutPackage, setPackages } from './package-queries.ts'
export { deleteUnusedScanners, listScannerIds, upsertScanners } from './scanner-queries.ts'
export { dropStaged, listStaged, listStagedIdentifiers, stageFindings } from './staged-finding-queries.ts'

/**
 * Inserts findings and their child rows, and returns their ids by uuid. Without an import, a user has described them. They stay invisible until they have an
 * occurrence.
 */
export async function createFindings(
  db: Db,
  source: { projectId: number; importId: number | null; now: string },
  contents: readonly FindingContent[],
): Promise<Map<string, number>> {
  const ids = new Map<string, number>()
  const create = async (batch: readonly FindingContent[]) => {
    const inserted = await insertFindings(db, source, batch)
    for (const [uuid, id] of inserted) ids.set(uuid, id)
    const withIds = batch.flatMap((content) => {
      const findingId = inserted.get(content.uuid)
      return findingId === undefined ? [] : [{ findingId, content }]
    })
    await insertChildRows(db, source.projectId, withIds)
  }
  // Sent together, so that PostgreSQL does not wait for this process between batches.
  await Promise.all(Array.from(batchesOf(contents, maxBoundRows), create))
  return ids
}

/** Replaces the content of findings and their child rows. */
export async function replaceContents(
  db: Db,
  projectId: number,
  contents: readonly { findingId: number; content: FindingContent }[],
  now: string,
): Promise<void> {
  if (contents.length === 0) return
  await updateFindings(db, projectId, contents, now)
  await deleteChildRows(
    db,
    contents.map(({ findingId }) => findingId),
  )
  await insertChildRows(db, projectId, contents)
}
