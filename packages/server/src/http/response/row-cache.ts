import { hash } from 'node:crypto'
import { totalmem } from 'node:os'
import type { Static, TSchema } from 'typebox'
import { perDatabase } from '../../db/cache.ts'
import type { Changes } from '../../db/db.ts'
import { openBatchLoader } from '../../platform/batch-loader.ts'
import { type RenderedRow, renderRow } from './rendered-row.ts'
import { openRowStore, type RowKey, type RowStore } from './row-store.ts'
import { serialiserOf } from './serialiser.ts'

/** Rows of one kind, and how they are read. A key is the id of a row, or an object that was read earlier. */
export interface RowSource<View extends TSchema, Key = number> {
  /** Kind of the rows, with everything else that their JSON depends on, such as the origin and the caller. */
  name: string
  /** Returns the key of a stored row for keys that are not ids. It contains everything that the JSON takes from the object. */
  storeKeyOf?(key: Key): string
  view: View
  /** Tables that the rows depend on. A version is not read again while they are unchanged. */
  tables: readonly string[]
  /** The only project whose rows the versions depend on, if there is one. */
  projectId?: number
  /** Returns the current versions; no version for a row that must be loaded. */
  listVersions(keys: readonly Key[]): Promise<ReadonlyMap<Key, string | undefined>>
  load(keys: readonly Key[]): Promise<readonly LoadedRow<Key, Static<View>>[]>
}

interface LoadedRow<Key, View> {
  key: Key
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

const readInBatch = perDatabase(() => openBatchLoader<unknown, RenderedRow>())

/**
 * Returns rendered rows in the order of the keys, without those that no longer exist. A row is rendered once per version:
 * its JSON is stored with the version that was read together with it, and used only for that version. Concurrent requests
 * share reads of rows of the same name. Must not be called inside a transaction.
 */
export async function renderRows<View extends TSchema, Key = number>(
  { changes }: { changes: Changes },
  rowSource: RowSource<View, Key>,
  keys: readonly Key[],
): Promise<RenderedRow<Static<View>>[]> {
  const source = withShortName(rowSource)
  // Read first: a concurrent change then makes the next request check the versions again.
  const checkedAt = changes.version(source.tables, source.projectId)
  const store = stores({ changes })
  const rows = currentRows(store, source, keys, checkedAt) ?? (await read())
  // The name of a source stands for one type of view.
  return rows as RenderedRow<Static<View>>[]

  async function read(): Promise<RenderedRow[]> {
    // The name of a source also stands for one type of key.
    const readAll = (keys: readonly unknown[]) => readRows(store, source, keys as readonly Key[], checkedAt)
    const name = checkedAt === undefined ? undefined : `${checkedAt} ${source.name}`
    const found = await readInBatch({ changes })(name, keys, readAll)
    return keys.flatMap((key) => found.get(key) ?? [])
  }
}

/** Returns the rows if all of them are stored with versions that are known to be current, which takes no statement. */
function currentRows<Key>(
  store: RowStore,
  source: KeyedSource<Key>,
  keys: readonly Key[],
  checkedAt: number | undefined,
): RenderedRow[] | undefined {
  if (checkedAt === undefined) return undefined
  const rows: RenderedRow[] = []
  for (const key of keys) {
    const place = store.find(rowKeyOf(source, key))
    if (place === undefined || !store.isCheckedAt(place, checkedAt)) return undefined
    rows.push(store.rowAt(place))
  }
  return rows
}

/** Longer names take more memory than a digest. They contain the origin, and so the client's `Host` header. */
const maxNameLength = 300

function withShortName<View extends TSchema, Key>(source: RowSource<View, Key>): RowSource<View, Key> {
  return source.name.length > maxNameLength ? { ...source, name: digestOf(source.name) } : source
}

type KeyedSource<Key> = Pick<RowSource<TSchema, Key>, 'name' | 'storeKeyOf'>

function rowKeyOf<Key>({ name, storeKeyOf }: KeyedSource<Key>, key: Key): RowKey {
  return { source: name, id: storeKeyOf ? storeKeyOf(key) : (key as number) } // without the function, keys are ids
}

/** Reads the versions of the rows that may have changed, and renders the rows that have changed or are not stored. */
async function readRows<View extends TSchema, Key>(
  store: RowStore,
  source: RowSource<View, Key>,
  keys: readonly Key[],
  checkedAt: number | undefined,
): Promise<Map<Key, RenderedRow>> {
  const rows = new Map<Key, RenderedRow>()
  const unchecked: Key[] = []
  const missing: Key[] = []
  for (const key of keys) {
    const place = store.find(rowKeyOf(source, key))
    if (place === undefined) missing.push(key)
    else if (store.isCheckedAt(place, checkedAt)) rows.set(key, store.rowAt(place))
    else unchecked.push(key)
  }
  if (unchecked.length > 0) {
    const versions = await source.listVersions(unchecked)
    for (const key of unchecked) {
      const place = store.find(rowKeyOf(source, key)) // again, because other requests may have added rows during the await
      if (place === undefined || versions.get(key) !== store.versionAt(place)) {
        missing.push(key)
        continue
      }
      store.markChecked(place, checkedAt)
      rows.set(key, store.rowAt(place))
    }
  }
  if (missing.length > 0) {
    const stringify = serialiserOf(source.view)
    for (const { key, version, view } of await source.load(missing)) {
      const row = renderRow(stringify(view))
      rows.set(key, row)
      if (version === undefined) continue
      store.add(rowKeyOf(source, key), { json: row.json, digest: row.digest, version, checkedAt })
    }
  }
  return rows
}

/** Returns a short text that differs for different values, for the key of a source. */
export function digestOf(value: unknown): string {
  return hash('sha1', JSON.stringify(value), 'base64url')
}
