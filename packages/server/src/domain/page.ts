import { pageTooFar } from '../platform/failure.ts'

/** Requested page of a list. */
export interface PageRequest<Cursor = Position> {
  page: number
  perPage: number
  offset: number
  /** Keyset position, instead of a page number: the page after a row, or the first page. Only some lists support it. */
  keyset?: { after?: Cursor | undefined }
}

/** Position of a row in a list: its sort key, and its id as the tie-breaker. */
export interface Position {
  value: string
  id: number
}

/** Page of a list. */
export interface Page<T> {
  rows: T[]
  /** Absent when the list is longer than the maximum total, or was not counted. */
  total?: number | undefined
  /** Whether another page follows, for lists without a total. */
  hasNext?: boolean | undefined
}

/** Maximum total that is reported, as in GitLab. Queries count one row more, to detect longer lists. */
export const maxCountedRows = 10_000

/** Builds a page from rows that include one more than the page holds, and from a count that stops above the maximum. */
export function pageOf<T>(request: Pick<PageRequest, 'perPage'>, rows: T[], counted?: number): Page<T> {
  const total = counted !== undefined && counted <= maxCountedRows ? counted : undefined
  return { rows: rows.slice(0, request.perPage), total, hasNext: rows.length > request.perPage }
}

const furthestRow = 50_000

/** Rejects pages too far into lists whose depth is limited, as in GitLab. `noun` is the type of their objects. */
export function assertReachable(
  { page, perPage, keyset }: PageRequest<unknown>,
  noun: string,
  lastRow: number = furthestRow,
): void {
  if (!keyset && page * perPage > lastRow) throw pageTooFar(noun, lastRow)
}
