import { forEachBatch } from '../../../batches.ts'
import { type Deps, projectTransaction, type RootDeps } from '../../../deps.ts'
import type { FindingContent } from '../../../findings/finding-content.ts'
import {
  createFindings,
  listStaged,
  replaceContents,
  stageFindings,
  upsertIdentifiers,
} from '../../../findings/findings.ts'
import type { NewFinding } from '../../comparison/decision.ts'
import { type Decisions, openDecisionList } from '../../comparison/decision-list.ts'
import { matchingKeys } from '../../comparison/finding-keys.ts'
import type { ImportPlace } from '../../comparison/import-place.ts'
import { type ImportedFinding, rowOf } from '../../comparison/imported-finding.ts'
import type { Identifier } from '../../formats/report.ts'
import type { BatchTransaction } from './batch-transaction.ts'

/** Contents of one batch of a report. */
interface Contents {
  /** Inserted at once, and invisible until the findings have an occurrence. */
  inserted: readonly ImportedFinding[]
  /** Replace those of invisible findings that an interrupted import has left. */
  leftovers: readonly { findingId: number; finding: ImportedFinding }[]
  /** Stored apart until it is decided what they belong to. */
  staged: readonly ImportedFinding[]
}

type StoreContents = (contents: Contents) => Promise<ReadonlyMap<string, number>>

/** Returns a function that stores contents and returns the ids of inserted findings by uuid. A dry run stores none. */
export function openContentStore(
  transaction: BatchTransaction,
  place: ImportPlace,
  hasPast: (finding: ImportedFinding) => boolean,
): StoreContents {
  const { importId, projectId, now } = place
  const identifierIds = new Map<string, number>()

  async function loadIdentifierIds(db: Deps['db'], identifiers: readonly Identifier[]): Promise<void> {
    const unknown = identifiers.filter(({ fingerprint }) => !identifierIds.has(fingerprint))
    if (unknown.length === 0) return
    if (identifierIds.size > maxCachedIdentifiers) identifierIds.clear()
    const all = identifierIds.size === 0 ? identifiers : unknown
    for (const [fingerprint, id] of await upsertIdentifiers(db, projectId, all)) identifierIds.set(fingerprint, id)
  }

  const contentOf = (finding: ImportedFinding): FindingContent => ({
    uuid: finding.uuid,
    row: rowOf(finding),
    identifierIds: finding.identifiers.map(({ fingerprint }) => idOf(identifierIds, fingerprint)),
    keys: matchingKeys(finding, hasPast(finding)),
  })

  return async ({ inserted, leftovers, staged }) => {
    const all = [...inserted, ...leftovers.map(({ finding }) => finding), ...staged]
    if (importId === undefined || all.length === 0) return new Map()
    const store = async ({ db }: Deps) => {
      await loadIdentifierIds(
        db,
        all.flatMap(({ identifiers }) => identifiers),
      )
      const ids = await createFindings(db, { projectId, importId, now }, inserted.map(contentOf))
      const replaced = leftovers.map(({ findingId, finding }) => ({ findingId, content: contentOf(finding) }))
      await replaceContents(db, projectId, replaced, now)
      await stageFindings(db, importId, staged.map(contentOf))
      return ids
    }
    return transaction.run(store)
  }
}

const maxCachedIdentifiers = 100_000

/** Inserts the new findings whose content is staged, and returns the decisions with their ids. */
export async function storeStagedNew(
  deps: RootDeps,
  { importId, projectId, now }: ImportPlace,
  decisions: Decisions,
): Promise<Decisions> {
  const staged: NonNullable<NewFinding['staged']>[] = []
  for (const decision of decisions) if (decision.kind === 'new' && decision.staged) staged.push(decision.staged)
  if (importId === undefined || staged.length === 0) return decisions
  const findingIds = new Map<string, number>()
  const store = async (batch: readonly { uuid: string }[]) => {
    const uuids = batch.map(({ uuid }) => uuid)
    const create = async ({ db }: Deps) => {
      const contents = await listStaged(db, importId, uuids)
      return createFindings(db, { projectId, importId, now }, [...contents.values()])
    }
    const ids = await projectTransaction(deps, projectId, create, { isRelaxed: true })
    for (const uuid of uuids) findingIds.set(uuid, idOf(ids, uuid))
  }
  await forEachBatch(staged, store, ({ isLarge }) => isLarge)
  const stored = openDecisionList()
  for (const decision of decisions) {
    const { uuid } = (decision.kind === 'new' && decision.staged) || {}
    stored.push(uuid === undefined ? decision : { ...decision, findingId: idOf(findingIds, uuid) })
  }
  return stored
}

export function idOf(ids: ReadonlyMap<string, number>, key: string): number {
  const id = ids.get(key)
  if (id === undefined) throw new Error(`nothing was stored under ${key}`)
  return id
}
