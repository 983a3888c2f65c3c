import type { Page } from '@alcove/client'
import type { QueryClient, QueryKey } from '@tanstack/react-query'
import type { RowSource } from '../../../nouns/vulnerability/row-source.ts'
import { compareRows, type RowWindow } from './compare-rows.ts'
import { countKey, headQuery, pageQuery, rowsKey } from './row-queries.ts'

/** Maximum number of rows that are read one by one because they have left the list. */
const maxReloaded = 20

/** Changes of a list that would move its rows. */
export interface HeldChanges {
  added: number
  gone: number
}

interface Pages<Row> {
  head: Page<Row>
  /** In the order of the list. */
  pages: { number: number; page: Page<Row> }[]
}

/**
 * Reads the shown pages of a list again. Updates the shown rows in place and returns the changes that would move them;
 * undefined when the shown pages have changed meanwhile.
 */
export async function updateRows<Row extends { id: number }>(
  client: QueryClient,
  source: RowSource<Row>,
  signal: AbortSignal,
): Promise<HeldChanges | undefined> {
  const shown = shownPages(client, source)
  if (!shown) return undefined
  const context = { client, signal }
  const [head, ...pages] = await Promise.all([
    headQuery(source).queryFn(context),
    ...shown.pages.map(({ number }) => pageQuery(source, number).queryFn(context)),
  ])
  if (!head) return undefined
  const latest = { head, pages: pages.map((page, index) => ({ number: shown.pages[index]?.number ?? 1, page })) }
  const { added, gone } = compareRows(windowOf(shown), windowOf(latest))
  const { reload } = source
  const reloaded = reload
    ? await Promise.all(gone.slice(0, maxReloaded).map((row) => reload(row, signal).catch(() => row)))
    : []
  const now = shownPages(client, source)
  const isSame = now?.head === shown.head && shown.pages.every(({ page }, index) => now.pages[index]?.page === page)
  if (signal.aborted || !isSame) return undefined
  writeRows(client, source, [...rowsOf(latest), ...reloaded])
  const growth = (head.total ?? 0) - (shown.head.total ?? head.total ?? 0)
  return { added: Math.max(added.length, growth + gone.length), gone: gone.length }
}

/** Loads the list as it is now. */
export async function applyRows(client: QueryClient, id: string): Promise<void> {
  await client.refetchQueries(
    { type: 'active', predicate: ({ queryKey }) => isOfRows(queryKey) && queryKey[1] === id },
    { cancelRefetch: false },
  )
}

/** Returns true for the queries of rows and of their number. */
export function isOfRows([kind]: QueryKey): boolean {
  return kind === rowsKey || kind === countKey
}

function shownPages<Row>(client: QueryClient, source: RowSource<Row>): Pages<Row> | undefined {
  const head = client.getQueryData<Page<Row>>(headQuery(source).queryKey)
  const active = client.getQueryCache().findAll({ queryKey: [rowsKey, source.id], type: 'active' })
  if (!head || active.some(({ state }) => state.fetchStatus !== 'idle')) return undefined
  const pages = active.flatMap(({ queryKey: [, , number] }) => {
    const page = typeof number === 'number' && client.getQueryData<Page<Row>>(pageQuery(source, number).queryKey)
    return page ? [{ number: Number(number), page }] : []
  })
  return { head, pages: pages.toSorted((a, b) => a.number - b.number) }
}

function rowsOf<Row>({ head, pages }: Pages<Row>): Row[] {
  return [...head.rows, ...pages.flatMap(({ page }) => page.rows)]
}

/** Returns the consecutive rows that the pages contain. Pages in view follow each other. */
function windowOf<Row>({ head, pages }: Pages<Row>): RowWindow<Row> {
  const rows = pages.length > 0 ? pages.flatMap(({ page }) => page.rows) : head.rows
  const last = pages.at(-1)?.page ?? head
  return { rows, isAtStart: (pages[0]?.number ?? 1) === 1, isAtEnd: !last.hasNext }
}

/** Replaces the loaded rows by their latest versions. Every row keeps its place. */
function writeRows<Row extends { id: number }>(client: QueryClient, source: RowSource<Row>, latest: Row[]): void {
  const byId = new Map(latest.map((row) => [row.id, row]))
  for (const [key] of client.getQueriesData<Page<Row>>({ queryKey: [rowsKey, source.id] })) {
    client.setQueryData<Page<Row>>(
      key,
      (page) => page && { ...page, rows: page.rows.map((row) => byId.get(row.id) ?? row) },
    )
  }
}
