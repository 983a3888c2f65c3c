import type { Page, PageRequest, Position } from '../../domain/page.ts'
import { parameterProblem } from '../../platform/failure.ts'
import { oneOf, optional, text } from '../params/input.ts'
import type { KeysetPage } from './pages.ts'

export const keysetField = {
  pagination: optional(
    oneOf(['legacy', 'offset', 'keyset'], {
      description:
        '`keyset` pages by cursor, without a limit, and omits totals. Page numbers beyond the limit of a list return 405',
    }),
  ),
}

/** Pagination parameters of lists with several orders, whose cursor contains a sort key and not only an id. */
export const cursorFields = {
  ...keysetField,
  cursor: optional(text({ description: 'Cursor of the page, from the `Link` header of the previous page' })),
}

interface CursorInput {
  pagination?: 'legacy' | 'offset' | 'keyset'
  cursor?: string
  order_by: string
}

/** Returns the requested page, by its number or by its cursor. */
export function readKeyset({ pagination, cursor, order_by }: CursorInput, page: PageRequest): PageRequest {
  if (pagination !== 'keyset') return page
  const start = { ...page, page: 1, offset: 0 }
  return { ...start, keyset: cursor ? { after: readCursor(cursor, order_by.endsWith('_at')) } : {} }
}

/** Returns the parameters of the page after a keyset page, or undefined for an offset page. */
export function nextOf<Row>(
  { keyset }: PageRequest,
  found: Page<Row>,
  placeOf: (row: Row) => Position,
): Pick<KeysetPage<Row>, 'next'> | undefined {
  if (!keyset) return undefined
  const [last] = found.hasNext ? found.rows.slice(-1) : []
  return { next: last && { cursor: writeCursor(placeOf(last)) } }
}

function writeCursor({ value, id }: Position): string {
  return Buffer.from(JSON.stringify([value, id])).toString('base64url')
}

/** Throws when the cursor was not created by this server. */
function readCursor(cursor: string, isTime: boolean): Position {
  const [value, id] = parse(Buffer.from(cursor, 'base64url').toString())
  const isPlace = typeof value === 'string' && !value.includes('\0') && Number.isSafeInteger(id)
  if (!isPlace || (isTime && !isTimestamp(value))) throw parameterProblem('cursor is invalid')
  return { value, id: Number(id) }
}

function parse(json: string): unknown[] {
  try {
    const parsed: unknown = JSON.parse(json)
    return Array.isArray(parsed) ? parsed : []
  } catch {
    return []
  }
}

/** Returns true for a time as responses have it. PostgreSQL knows no other years. */
export function isTimestamp(text: string): boolean {
  const time = /^\d{4}-/.test(text) && !text.startsWith('0000') ? Date.parse(text) : Number.NaN
  return !Number.isNaN(time) && new Date(time).toISOString() === text
}
