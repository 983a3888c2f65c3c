import sql, { empty, join, type Sql } from 'sql-template-tag'
import type { Db } from '../../db/db.ts'
import { roles, type Visibility } from '../access/roles.ts'
import { maxCountedRows, type PageRequest, type Position } from '../page.ts'
import { type Membership, memberNamespaces } from './membership-queries.ts'
import type { NamespaceOrder } from './namespace-order.ts'
import { type NamespaceRow, namespaceColumns, namespaceFrom } from './namespace-queries.ts'
import { lineageRange, type Namespace } from './project.ts'

export interface NamespaceFilter {
  kind?: Namespace['kind'] | undefined
  /** Everything of these visibilities is in; with all three, everything. */
  open: readonly Visibility[]
  /** Besides: what he is a member of, and these. */
  member?: Membership | undefined
  ids?: readonly number[] | undefined
  exceptIds?: readonly number[] | undefined
  /** Null: nothing above it. */
  parentId?: number | null | undefined
  below?: Namespace | undefined
  visibility?: Visibility | undefined
  search?: { text: string; inFullPath: boolean } | undefined
}

/** One row more than the page holds. */
export async function listNamespaces(
  db: Db,
  filter: NamespaceFilter,
  order: NamespaceOrder,
  page: PageRequest,
): Promise<Namespace[]> {
  const direction = order.direction === 'asc' ? sql`asc` : sql`desc`
  const rows = await db.all<NamespaceRow>(sql`
    select ${namespaceColumns} from namespaces where ${matches(db, filter)} ${isAfter(order, page.keyset?.after)}
    order by ${keys[order.by]} ${direction}, namespaces.id ${direction}
    limit ${page.perPage + 1} offset ${page.offset}`)
  return rows.map(namespaceFrom)
}

/** Counts no further than one above what lists tell. */
export async function countNamespaces(db: Db, filter: NamespaceFilter): Promise<number> {
  const row = await db.one<{ total: number }>(sql`
    select count(*) as total from (
      select 1 from namespaces where ${matches(db, filter)} limit ${maxCountedRows + 1}
    ) as counted`)
  return row?.total ?? 0
}

function isAfter({ by, direction }: NamespaceOrder, after: Position | undefined): Sql {
  if (!after) return empty
  const beyond = direction === 'asc' ? sql`>` : sql`<`
  if (by === 'id') return sql`and namespaces.id ${beyond} ${after.id}`
  return sql`and (${keys[by]}, namespaces.id) ${beyond} (${after.value}, ${after.id})`
}

const keys: Record<NamespaceOrder['by'], Sql> = {
  name: sql`namespaces.name`,
  path: sql`namespaces.path`,
  id: sql`namespaces.id`,
}

function matches(db: Db, filter: NamespaceFilter): Sql {
  const { kind, exceptIds, parentId, below, visibility, search } = filter
  return sql`1 = 1
    ${kind ? sql`and namespaces.kind = ${kind}` : empty}
    ${parentId === null ? sql`and namespaces.parent_id is null` : empty}
    ${typeof parentId === 'number' ? sql`and namespaces.parent_id = ${parentId}` : empty}
    ${below ? isBelow(below) : empty}
    ${visibility ? sql`and namespaces.visibility = ${visibility}` : empty}
    ${exceptIds ? sql`and namespaces.id not in ${db.dialect.integers(exceptIds)}` : empty}
    ${isIn(db, filter)}
    ${search ? sql`and ${contains(db, search.text, search.inFullPath)}` : empty}`
}

function isBelow(namespace: Namespace): Sql {
  const [from, to] = lineageRange(namespace)
  return sql`and namespaces.lineage >= ${from} and namespaces.lineage < ${to}`
}

function isIn(db: Db, { open, member, ids = [] }: NamespaceFilter): Sql {
  if (open.length === 3) return empty
  const ways = [sql`namespaces.id in ${db.dialect.integers(ids)}`]
  if (open.length > 0) ways.push(sql`namespaces.visibility in (${join(open)})`)
  if (member) ways.push(sql`namespaces.id in ${memberNamespaces(member)}`)
  return sql`and (${join(ways, ' or ')})`
}

function contains(db: Db, text: string, inFullPath: boolean): Sql {
  const columns = [sql`namespaces.name`, inFullPath ? sql`namespaces.full_path` : sql`namespaces.path`]
  return sql`(${join(
    columns.map((column) => db.dialect.contains(column, text)),
    ' or ',
  )})`
}

/** How many people are members of each of these groups or of a group below them. */
export async function countMembersBelow(
  db: Db,
  namespaceIds: readonly number[],
  today: string,
): Promise<Map<number, number>> {
  const rows = await db.all<{ id: number; total: number }>(sql`
    select top.id, count(distinct m.user_id) as total
    from namespaces top
      join namespaces n on n.id = top.id
        or (n.lineage >= top.lineage || top.id || '/' and n.lineage < top.lineage || top.id || '0')
      join members m on m.namespace_id = n.id
    where top.id in ${db.dialect.integers(namespaceIds)} and m.access_level >= ${roles.guest}
      and (m.expires_on is null or m.expires_on > ${today})
    group by top.id order by top.id`)
  return new Map(rows.map((row) => [row.id, row.total]))
}
