import { pageTooFar } from '../platform/failure.ts'

/** Which rows of a list are wanted. */
export interface PageRequest {
  page: number
  perPage: number
  offset: number
  /** In place of a number: the page that comes after a row, or the first one. Only where a list says so. */
  keyset?: { after?: Position }
}

/** A row's place in a list: what the list is ordered by, and the id, which breaks ties. */
export interface Position {
  value: string
  id: number
}

/** One page of a list. */
export interface Page<T> {
  rows: T[]
  /** Absent when the list is longer than anybody counts, or was not counted. */
  total?: number | undefined
  /** Where there is no total: whether another page follows. */
  hasNext?: boolean | undefined
}

/** A longer list goes without its total (contract 1.4). Queries count one more, to tell. */
export const maxCountedRows = 10_000

/** A page out of rows that were fetched with one more than the page holds, and a count that stopped above the most. */
export function pageOf<T>(request: PageRequest, rows: T[], counted?: number): Page<T> {
  const total = counted !== undefined && counted <= maxCountedRows ? counted : undefined
  return { rows: rows.slice(0, request.perPage), total, hasNext: rows.length > request.perPage }
}

const furthestRow = 50_000

/** For the lists that GitLab lets nobody page through to any depth: groups and users. */
export function assertReachable({ page, perPage, keyset }: PageRequest, noun: string): void {
  if (!keyset && page * perPage > furthestRow) throw pageTooFar(noun)
}
