import { hash } from 'node:crypto'
import type { Static, TSchema } from 'typebox'
import { perDatabase } from '../../db/cache.ts'
import type { Changes } from '../../db/db.ts'
import { weightedLru } from '../../platform/weighted-lru.ts'
import { type RenderedRow, renderRow } from './rendered-row.ts'
import { serialiserOf } from './serialiser.ts'

/** Rows of one kind, and how they are read. */
export interface RowSource<View extends TSchema> {
  /** Returns the kind and id of a row, and everything else that the text depends on, except the row itself. */
  keyOf(id: number): string
  view: View
  /** Tables that the version depends on. A version is not read again while they are unchanged. */
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

interface CachedRow {
  row: RenderedRow
  version: string
  /** The version of the source's tables at which this version was known to be the current one. */
  checkedAt: number | undefined
}

/** Enough for the first pages of a few hundred lists, and small beside the memory of the process. */
const maxBytes = 16 * 1024 * 1024
/** Approximate size of an entry without its text. */
const overheadBytes = 500

const caches = perDatabase(() => weightedLru<CachedRow>(maxBytes, ({ row }) => row.json.length + overheadBytes))
type RowCache = ReturnType<typeof caches>

/**
 * Returns rendered rows in the order of the ids, without those that no longer exist. A row is rendered once per version:
 * its text is stored with the version that was read together with it, and used only for that version.
 */
export async function renderRows<View extends TSchema>(
  { changes }: { changes: Changes },
  source: RowSource<View>,
  ids: readonly number[],
): Promise<RenderedRow<Static<View>>[]> {
  // Read first: a concurrent change then makes the next request check the versions again.
  const checkedAt = changes.version(source.tables, source.projectId)
  const cache = caches({ changes })
  const rows = currentRows(cache, source, ids, checkedAt) ?? (await readRows(cache, source, ids, checkedAt))
  // The key of a source stands for one type of view.
  return rows as RenderedRow<Static<View>>[]
}

/** Returns the rows if all of them are cached with versions that are known to be current, which takes no statement. */
function currentRows(
  cache: RowCache,
  { keyOf }: Pick<RowSource<TSchema>, 'keyOf'>,
  ids: readonly number[],
  checkedAt: number | undefined,
): RenderedRow[] | undefined {
  if (checkedAt === undefined) return undefined
  const rows: RenderedRow[] = []
  for (const id of ids) {
    const cached = cache.get(keyOf(id))
    if (cached?.checkedAt !== checkedAt) return undefined
    rows.push(cached.row)
  }
  return rows
}

/** Reads the versions of the rows that may have changed, and renders the rows that have changed or are not cached. */
async function readRows<View extends TSchema>(
  cache: RowCache,
  source: RowSource<View>,
  ids: readonly number[],
  checkedAt: number | undefined,
): Promise<RenderedRow[]> {
  const { keyOf } = source
  const rows = new Map<number, RenderedRow>()
  const unchecked = new Map<number, CachedRow>()
  const missing: number[] = []
  for (const id of ids) {
    const cached = cache.get(keyOf(id))
    if (!cached) missing.push(id)
    else if (checkedAt !== undefined && cached.checkedAt === checkedAt) rows.set(id, cached.row)
    else unchecked.set(id, cached)
  }
  if (unchecked.size > 0) {
    const versions = await source.listVersions([...unchecked.keys()])
    for (const [id, cached] of unchecked) {
      if (versions.get(id) !== cached.version) {
        missing.push(id)
        continue
      }
      cached.checkedAt = checkedAt
      rows.set(id, cached.row)
    }
  }
  if (missing.length > 0) {
    const stringify = serialiserOf(source.view)
    for (const { id, version, view } of await source.load(missing)) {
      const row = renderRow(stringify(view))
      if (version !== undefined) {
        cache.set(keyOf(id), { row, version, checkedAt })
      }
      rows.set(id, row)
    }
  }
  return ids.flatMap((id) => rows.get(id) ?? [])
}

/** Returns a short text that differs for different values, for the key of a source. */
export function digestOf(value: unknown): string {
  return hash('sha1', JSON.stringify(value), 'base64url')
}
