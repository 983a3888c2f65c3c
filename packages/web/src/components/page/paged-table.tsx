import type { Page } from '@alcove/client'
import type { UseQueryResult } from '@tanstack/react-query'
import type { LucideIcon } from 'lucide-react'
import type { ReactNode } from 'react'
import { Table } from '../table.tsx'
import { PagedList, type Paging } from './pager.tsx'
import { Empty } from './states.tsx'

/** Column of a table: its header, its cells, and the class of the cells. */
type Column<Row> = readonly [header: ReactNode, cell: (row: Row) => ReactNode, className?: string | undefined]

/** Page of a list as a table above its pagination. */
export function PagedTable<Row extends { id: number | null }>({
  label,
  query,
  shown,
  perPage,
  paging,
  columns,
  empty,
}: {
  label: string
  query: UseQueryResult<Page<Row>, Error>
  /** Rows to show in place of those of the query: see `useHeldRows`. */
  shown?: readonly Row[] | undefined
  perPage: number
  paging?: Paging
  columns: readonly Column<Row>[]
  /** Shown instead of a table without rows. */
  empty?: { icon: LucideIcon; title: string; text?: ReactNode }
}) {
  return (
    <PagedList
      query={query}
      perPage={perPage}
      paging={paging}
      empty={
        empty && (
          <Empty icon={empty.icon} title={empty.title}>
            {empty.text}
          </Empty>
        )
      }
    >
      {(rows) => (
        <Table label={label} head={columns.map(([header]) => header)}>
          {(shown ?? rows).map((row) => (
            <tr key={row.id}>
              {columns.map(([, cell, className], index) => (
                // biome-ignore lint/suspicious/noArrayIndexKey: the columns never change their places
                <td key={index} className={className}>
                  {cell(row)}
                </td>
              ))}
            </tr>
          ))}
        </Table>
      )}
    </PagedList>
  )
}
