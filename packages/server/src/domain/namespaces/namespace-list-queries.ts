import sql, { empty, join, type Sql } from 'sql-template-tag'
import type { Db } from '../../db/db.ts'
import { roles, type Visibility } from '../access/roles.ts'
import type { CustomAttributeFilter } from '../custom-attributes/custom-attribute.ts'
import { hasCustomAttributes } from '../custom-attributes/custom-attribute-sql.ts'
import type { Membership } from '../members/member.ts'
import { memberNamespaces, selectMemberNamespaces } from '../members/membership-sql.ts'
import { maxCountedRows, type PageRequest, type Position } from '../page.ts'
import type { PathSearch } from '../projects/search.ts'
import { lineageRange, type Namespace, type NamespaceOrder } from './namespace.ts'
import { namespaceColumns } from './namespace-sql.ts'

export interface NamespaceFilter {
  kind?: Namespace['kind'] | undefined
  /** Visibilities whose namespaces are all included; all three include everything. */
  open: readonly Visibility[]
  /** Membership whose namespaces are included too, as are the namespaces in `ids`. */
  member?: Membership | undefined
  ids?: readonly number[] | undefined
  exceptIds?: readonly number[] | undefined
  /** Null selects top-level namespaces. */
  parentId?: number | null | undefined
  below?: Namespace | undefined
  customAttributes?: CustomAttributeFilter | undefined
  visibility?: Visibility | undefined
  organizationId?: number | undefined
  search?: PathSearch | undefined
}

/**
 * Maximum number of rows that are collected and sorted; a larger result is read in index order until the page is full.
 */
const maxGathered = 2000

/** Returns one row more than the page holds. `counted`, from `countNamespaces`, selects the query plan. */
export async function listNamespaces(
  db: Db,
  filter: NamespaceFilter,
  { order, page, counted }: { order: NamespaceOrder; page: PageRequest; counted: number },
): Promise<Namespace[]> {
  const direction = order.direction === 'asc' ? sql`asc` : sql`desc`
  const source =
    counted > maxGathered
      ? sql`select ${namespaceColumns} from namespaces where ${isOfKind(filter)} ${isIn(db, filter)} ${narrowing(db, filter)}`
      : sql`with found as materialized (${gathered(db, filter)})
        select ${namespaceColumns} from found join namespaces on namespaces.id = found.id where 1 = 1`
  return db.all(sql`
    ${source} ${isAfter(order, page.keyset?.after)}
    order by ${keys[order.by]} ${direction}, namespaces.id ${direction}
    limit ${page.perPage + 1} offset ${page.offset}`)
}

/** Counts matching namespaces, up to one above the maximum total of lists. */
export async function countNamespaces(db: Db, filter: NamespaceFilter): Promise<number> {
  const row = await db.one<{ total: number }>(sql`
    select count(*) as total from (${gathered(db, filter)} limit ${maxCountedRows + 1}) as counted`)
  return row?.total ?? 0
}

/** Query of distinct ids that starts from the most selective condition. */
function gathered(db: Db, filter: NamespaceFilter): Sql {
  const { open, member, ids = [], parentId, below, search, organizationId } = filter
  const rest = narrowing(db, filter)
  if (typeof parentId === 'number' || below || search) {
    return sql`select namespaces.id from namespaces where ${isOfKindToo(filter)} ${isIn(db, filter)} ${rest}`
  }
  const here = organizationId === undefined ? empty : sql`and namespaces.organization_id = ${organizationId}`
  if (open.length === everything) {
    return sql`select namespaces.id from namespaces where ${isOfKind(filter)} ${here} ${rest}`
  }
  const isClosed = open.length > 0 ? sql`and namespaces.visibility not in (${join(open)})` : empty
  const listed = db.dialect.integers(ids)
  const branches = open.map(
    (visibility) => sql`select namespaces.id from namespaces
      where ${isOfKind(filter)} and namespaces.visibility = ${visibility} ${here} ${rest}`,
  )
  if (member) {
    const own = selectMemberNamespaces(member)
    branches.push(sql`select namespaces.id from namespaces
      where ${isOfKindToo(filter)} and namespaces.id ${db.dialect.among(own)} ${isClosed} ${rest}`)
    branches.push(sql`select namespaces.id from namespaces
      where ${isOfKindToo(filter)} and namespaces.id in ${listed} and not namespaces.id ${db.dialect.among(own)} ${isClosed} ${rest}`)
  }
  return branches.length > 0 ? join(branches, ' union all ') : sql`select namespaces.id from namespaces where 1 = 0`
}

const everything = 3

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

/** Condition on the kind that uses the indexes that start with it. */
function isOfKind({ kind }: NamespaceFilter): Sql {
  return kind ? sql`namespaces.kind = ${kind}` : sql`1 = 1`
}

/** Condition on the kind as an expression, so that the planner uses the better index of another condition. */
function isOfKindToo({ kind }: NamespaceFilter): Sql {
  return kind ? sql`namespaces.kind || '' = ${kind}` : sql`1 = 1`
}

/** All conditions except kind and visibility, each preceded by `and`. */
function narrowing(db: Db, filter: NamespaceFilter): Sql {
  const { exceptIds, parentId, below, visibility, search, organizationId } = filter
  return sql`
    ${parentId === null ? sql`and namespaces.parent_id is null` : empty}
    ${typeof parentId === 'number' ? sql`and namespaces.parent_id = ${parentId}` : empty}
    ${below ? isBelow(below) : empty}
    ${visibility ? sql`and namespaces.visibility = ${visibility}` : empty}
    ${organizationId === undefined ? empty : sql`and namespaces.organization_id + 0 = ${organizationId}`}
    ${exceptIds ? sql`and namespaces.id not in ${db.dialect.integers(exceptIds)}` : empty}
    ${filter.customAttributes ? sql`and ${hasCustomAttributes('namespaces', filter.customAttributes)}` : empty}
    ${search ? sql`and ${matches(db, search)}` : empty}`
}

function isBelow(namespace: Namespace): Sql {
  const [from, to] = lineageRange(namespace)
  return sql`and namespaces.lineage >= ${from} and namespaces.lineage < ${to}`
}

/** Condition on the visibility as an expression, so that the planner uses the better index of another condition. */
function isIn(db: Db, { open, member, ids = [] }: NamespaceFilter): Sql {
  if (open.length === everything) return empty
  const ways = [sql`namespaces.id in ${db.dialect.integers(ids)}`]
  if (open.length > 0) ways.push(sql`namespaces.visibility || '' in (${join(open)})`)
  if (member) ways.push(sql`namespaces.id in ${memberNamespaces(member)}`)
  return sql`and (${join(ways, ' or ')})`
}

function matches(db: Db, { text, terms, withFullPath }: PathSearch): Sql {
  const columns = withFullPath ? ['name', 'full_path'] : ['name', 'path']
  if (terms.length > 0) return db.dialect.containsTerms('namespaces', columns, terms)
  return sql`(lower(namespaces.name) = ${text.toLowerCase()} or namespaces.full_path_key = ${text.toLowerCase()}
    or lower(namespaces.path) = ${text.toLowerCase()})`
}

/** Returns, by group id, the number of users who are members of the group or of a group below it. */
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
