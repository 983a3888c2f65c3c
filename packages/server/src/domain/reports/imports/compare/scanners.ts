import type { Deps, RootDeps } from '../../../deps.ts'
import { hasFindings, listScannerIds, upsertScanners } from '../../../findings/findings.ts'
import type { ImportPlace } from '../../comparison/import-place.ts'
import type { Scanner } from '../../formats/report.ts'
import type { BatchTransaction } from './batch-transaction.ts'

/** Scanners of a report. */
export interface Scanners {
  /** Ids by external id. A dry run lacks those that the project does not have. */
  ids: ReadonlyMap<string, number>
  /** Ids of scanners with earlier findings in this project. Only their findings can have moved or be absent. */
  withPast: ReadonlySet<number>
  /** Inserts the scanners that the project does not have. A dry run only looks them up. */
  upsert: (transaction: BatchTransaction, scanners: readonly Scanner[]) => Promise<void>
}

export function openScanners(deps: RootDeps, place: ImportPlace): Scanners {
  const ids = new Map<string, number>()
  const withPast = new Set<number>()
  async function upsert(transaction: BatchTransaction, scanners: readonly Scanner[]): Promise<void> {
    const unknown = scanners.filter(({ externalId }) => !ids.has(externalId))
    if (unknown.length === 0) return
    const distinct = [...new Map(unknown.map((scanner) => [scanner.externalId, scanner])).values()]
    const insert = ({ db }: Deps) => upsertScanners(db, place.projectId, distinct, place.now)
    const stored = place.importId
      ? await transaction.run(insert)
      : await listScannerIds(
          deps.db,
          place.projectId,
          distinct.map(({ externalId }) => externalId),
        )
    for (const [externalId, id] of stored) {
      ids.set(externalId, id)
      if (await hasFindings(deps.db, id)) withPast.add(id)
    }
  }
  return { ids, withPast, upsert }
}
