import { hash } from 'node:crypto'
import { totalmem } from 'node:os'
import type { Static, TSchema } from 'typebox'
import { perDatabase } from '../../db/cache.ts'
import type { Changes } from '../../db/db.ts'
import { openBatchedLoads } from '../../platform/batched-loads.ts'
import { type RenderedRow, renderRow } from './rendered-row.ts'
import { openRowStore, type RowKey, type RowStore } from './row-store.ts'
import { serialiserOf } from './serialiser.ts'

/** Rows of one kind, and how they are read. */
export interface RowSource<View extends TSchema> {
  /** Kind of the rows, with everything else that their JSON depends on, such as the origin. */
  name: string
  /** Returns a key to use instead of the id, for rows whose JSON depends on values that were read earlier. */
  rowKeyOf?(id: number): string
  view: View
  /** Tables that the rows depend on. A version is not read again while they are unchanged. */
  tables: readonly string[]
  /** The only project whose rows the versions depend on, if there is one. */
  projectId?: number
  /** Returns the current versions by id; no version for a row that must be loaded. */
  listVersions(ids: readonly number[]): Promise<ReadonlyMap<number, string | undefined>>
  load(ids: readonly number[]): Promise<readonly LoadedRow<Static<View>>[]>
}

interface LoadedRow<View> {
  id: number
  /** Read together with the row. Equal versions mean equal views. Undefined: the row is not cached. */
  version: string | undefined
  view: View
}

const mebibyte = 1024 * 1024

/**
 * Returns the maximum size of the stored rows: a sixteenth of the memory of the machine or container, but at least 64 and at
 * most 192 MiB. 64 MiB are enough for ten thousand projects or a hundred thousand topics. The store grows only as different
 * rows are requested (decision 157).
 */
function maxStoredBytes(): number {
  const memoryBytes = Math.min(totalmem(), process.constrainedMemory() || Infinity)
  return Math.min(Math.max(memoryBytes / 16, 64 * mebibyte), 192 * mebibyte)
}

const stores = perDatabase(() => openRowStore(maxStoredBytes()))

const batchedReads = perDatabase(() => openBatchedLoads<number, RenderedRow>())

/**
 * Returns rendered rows in the order of the ids, without those that no longer exist. A row is rendered once per version:
 * its JSON is stored with the version that was read together with it, and used only for that version. Requests that start
 * together share one read of their rows. Must not be called inside a transaction.
 */
export async function renderRows<View extends TSchema>(
  { changes }: { changes: Changes },
  rowSource: RowSource<View>,
  ids: readonly number[],
): Promise<RenderedRow<Static<View>>[]> {
  const source = withShortName(rowSource)
  // Read first: a concurrent change then makes the next request check the versions again.
  const checkedAt = changes.version(source.tables, source.projectId)
  const store = stores({ changes })
  const rows = currentRows(store, source, ids, checkedAt) ?? (await read())
  // The name of a source stands for one type of view.
  return rows as RenderedRow<Static<View>>[]

  async function read(): Promise<RenderedRow[]> {
    const group = batchName(source, ids, checkedAt)
    const found = await batchedReads({ changes })(group, ids, (ids) => readRows(store, source, ids, checkedAt))
    return ids.flatMap((id) => found.get(id) ?? [])
  }
}

/** Returns the rows if all of them are stored with versions that are known to be current, which takes no statement. */
function currentRows(
  store: RowStore,
  source: KeyedSource,
  ids: readonly number[],
  checkedAt: number | undefined,
): RenderedRow[] | undefined {
  if (checkedAt === undefined) return undefined
  const rows: RenderedRow[] = []
  for (const id of ids) {
    const place = store.find(keyOf(source, id))
    if (place === undefined || !store.isCheckedAt(place, checkedAt)) return undefined
    rows.push(store.rowAt(place))
  }
  return rows
}

/** Returns the same name for requests that can share a read: of any rows, unless earlier values determine their keys. */
function batchName(source: KeyedSource, ids: readonly number[], checkedAt: number | undefined): string {
  const keys = source.rowKeyOf ? ids.map((id) => keyOf(source, id).id).join() : ''
  return `${checkedAt} ${source.name} ${keys}`
}

/** Longer names take more memory than a digest. They contain the origin, and so the client's `Host` header. */
const maxNameLength = 300

function withShortName<View extends TSchema>(source: RowSource<View>): RowSource<View> {
  return source.name.length > maxNameLength ? { ...source, name: digestOf(source.name) } : source
}

type KeyedSource = Pick<RowSource<TSchema>, 'name' | 'rowKeyOf'>

const keyOf = ({ name, rowKeyOf }: KeyedSource, id: number): RowKey => ({ source: name, id: rowKeyOf?.(id) ?? id })

/** Reads the versions of the rows that may have changed, and renders the rows that have changed or are not stored. */
async function readRows<View extends TSchema>(
  store: RowStore,
  source: RowSource<View>,
  ids: readonly number[],
  checkedAt: number | undefined,
): Promise<Map<number, RenderedRow>> {
  const rows = new Map<number, RenderedRow>()
  const unchecked: number[] = []
  const missing: number[] = []
  for (const id of ids) {
    const place = store.find(keyOf(source, id))
    if (place === undefined) missing.push(id)
    else if (store.isCheckedAt(place, checkedAt)) rows.set(id, store.rowAt(place))
    else unchecked.push(id)
  }
  if (unchecked.length > 0) {
    const versions = await source.listVersions(unchecked)
    for (const id of unchecked) {
      const place = store.find(keyOf(source, id)) // again, because other requests may have added rows during the await
      if (place === undefined || versions.get(id) !== store.versionAt(place)) {
        missing.push(id)
        continue
      }
      store.markChecked(place, checkedAt)
      rows.set(id, store.rowAt(place))
    }
  }
  if (missing.length > 0) {
    const stringify = serialiserOf(source.view)
    for (const { id, version, view } of await source.load(missing)) {
      const row = renderRow(stringify(view))
      rows.set(id, row)
      if (version === undefined) continue
      store.add(keyOf(source, id), { json: row.json, digest: row.digest, version, checkedAt })
    }
  }
  return rows
}

/** Returns a short text that differs for different values, for the key of a source. */
export function digestOf(value: unknown): string {
  return hash('sha1', JSON.stringify(value), 'base64url')
}
