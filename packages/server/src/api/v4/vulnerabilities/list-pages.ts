import type { Cursor } from '../../../domain/findings/list/cursor.ts'
import type { ListPageRequest } from '../../../domain/findings/list/list-page.ts'
import type { Page, PageRequest } from '../../../domain/page.ts'
import type { KeysetPage } from '../../../http/response/pages.ts'
import { parameterProblem } from '../../../platform/failure.ts'

interface PageInput {
  pagination?: 'legacy' | 'offset' | 'keyset'
  cursor?: string
}

/** Returns the requested page, by its number or, with `pagination=keyset`, by its cursor. */
export function readListPage({ pagination, cursor }: PageInput, page: PageRequest): ListPageRequest {
  const { perPage } = page
  if (pagination !== 'keyset') return { page: page.page, perPage, offset: page.offset }
  return { page: 1, perPage, offset: 0, keyset: { after: cursor ? readCursor(cursor) : undefined } }
}

/** Adds the views of the rows to a page that was read. */
export function viewListPage<View>(
  { keyset }: ListPageRequest,
  { total, hasNext, next }: Omit<Page<unknown>, 'rows'> & { next: Cursor | undefined },
  rows: View[],
): Page<View> | KeysetPage<View> {
  if (keyset) return { rows, next: next && { cursor: writeCursor(next) } }
  return { rows, total, hasNext }
}

function writeCursor({ severity, id }: Cursor): string {
  return Buffer.from(`${severity}:${id}`).toString('base64url')
}

/** Throws when the cursor is malformed. */
function readCursor(cursor: string): Cursor {
  const [, severity, id] = /^(\d{1,2}):(\d{1,15})$/.exec(Buffer.from(cursor, 'base64url').toString()) ?? []
  if (severity === undefined || id === undefined) throw parameterProblem('cursor is invalid')
  return { severity: Number(severity), id: Number(id) }
}
