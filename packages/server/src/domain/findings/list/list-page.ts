import { assertReachable, type Page, type PageRequest, pageOf } from '../../page.ts'
import type { Cursor } from './cursor.ts'
import type { FilteredList } from './filtered-list.ts'

/** Number of rows that page numbers reach, from the start of a list or from a cursor. */
const maxNumberedRows = 10_000

/** Requests a page by its number, which counts from the start of the list or, with `keyset`, from its cursor. */
export type ListPageRequest = PageRequest<Cursor>

/** Rejects page numbers that are too far into a list. `noun` is the type of its objects in GitLab's message. */
export function assertNumbered(request: ListPageRequest, noun: string): void {
  const { keyset, ...numbered } = request
  assertReachable(numbered, noun, maxNumberedRows)
}

/** Returns true when page numbers do not reach the page after this one. */
export function isLastNumbered({ page, perPage }: ListPageRequest): boolean {
  return (page + 1) * perPage > maxNumberedRows
}

/** Reads a page, and the cursor of the next one. */
export async function readPage(
  list: FilteredList,
  request: ListPageRequest,
): Promise<Page<Cursor> & { next: Cursor | undefined }> {
  const { keyset, offset, perPage } = request
  const rows = await list.read({ after: keyset?.after, offset, limit: perPage + 1 })
  const page = pageOf(request, rows, keyset ? undefined : list.total)
  return { ...page, next: page.hasNext ? page.rows.at(-1) : undefined }
}

const idsPerBatch = 500

/** Yields the ids of all rows in batches. Works inside a transaction. */
export async function* idBatches(list: FilteredList, batchSize: number = idsPerBatch): AsyncGenerator<number[]> {
  for (let after: Cursor | undefined; ; ) {
    const rows = await list.read({ after, limit: batchSize })
    if (rows.length > 0) yield rows.map(({ id }) => id)
    if (rows.length < batchSize) return
    after = rows.at(-1)
  }
}
