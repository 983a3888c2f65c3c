import type { Cursor } from '../../../domain/findings/list/cursor.ts'
import { isLastNumbered, type ListPageRequest } from '../../../domain/findings/list/list-page.ts'
import type { Page, PageRequest } from '../../../domain/page.ts'
import type { KeysetPage, NumberedPage } from '../../../http/response/pages.ts'
import { parameterProblem } from '../../../platform/failure.ts'

interface PageInput {
  pagination?: 'legacy' | 'offset' | 'keyset'
  cursor?: string
}

/**
 * Returns the requested page, by its number or, with `pagination=keyset`, by its cursor. With both, the number counts
 * pages after the cursor.
 */
export function readListPage({ pagination, cursor }: PageInput, request: PageRequest): ListPageRequest {
  const { page, perPage, offset } = request
  if (pagination !== 'keyset') return { page, perPage, offset }
  if (!cursor) return { page: 1, perPage, offset: 0, keyset: {} }
  return { page, perPage, offset, keyset: { after: readCursor(cursor) } }
}

/** Adds the views of the rows to a page that was read. */
export function viewListPage<View>(
  request: ListPageRequest,
  { total, hasNext, next }: Omit<Page<unknown>, 'rows'> & { next: Cursor | undefined },
  rows: View[],
): NumberedPage<View> | KeysetPage<View> {
  if (request.keyset) return { rows, next: next && { cursor: writeCursor(next) } }
  return { rows, total, hasNext, nextCursor: next && isLastNumbered(request) ? writeCursor(next) : undefined }
}

function writeCursor({ severity, id, sortKey }: Cursor): string {
  const key = sortKey === undefined ? '' : `:${JSON.stringify(sortKey)}`
  return Buffer.from(`${severity}:${id}${key}`).toString('base64url')
}

// Keys of flaws have 16 digits. A number in JSON does not begin with zeros.
const cursorPattern = /^(\d{1,2}):(\d{1,16})(?::(-?(?:0|[1-9]\d{0,14})|"[\w:.+-]{1,40}"))?$/

/** Throws when the cursor is malformed. */
function readCursor(cursor: string): Cursor {
  const [, severity, id, key] = cursorPattern.exec(Buffer.from(cursor, 'base64url').toString()) ?? []
  if (severity === undefined || !Number.isSafeInteger(Number(id))) throw parameterProblem('cursor is invalid')
  const position = { severity: Number(severity), id: Number(id) }
  if (key === undefined) return position
  // The pattern admits a JSON number or text.
  return { ...position, sortKey: JSON.parse(key) as number | string }
}
