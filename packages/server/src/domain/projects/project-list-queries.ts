import sql, { empty, join, type Sql } from 'sql-template-tag'
import type { Db } from '../../db/db.ts'
import type { Visibility } from '../access/roles.ts'
import type { CustomAttributeFilter } from '../custom-attributes/custom-attribute.ts'
import { hasCustomAttributes } from '../custom-attributes/custom-attribute-sql.ts'
import { memberNamespaces, memberProjects } from '../members/membership-sql.ts'
import { lineageRange, type Namespace } from '../namespaces/namespace.ts'
import { maxCountedRows, type PageRequest } from '../page.ts'
import type { Audience } from './audience.ts'
import type { Project, ProjectOrder } from './project.ts'
import { projectColumns } from './project-queries.ts'
import type { PathSearch } from './search.ts'

export interface ProjectFilter {
  audience: Audience
  visibility?: Visibility | undefined
  organizationId?: number | undefined
  /** A namespace, optionally with all namespaces below it. */
  within?: { namespace: Namespace; descendants: boolean } | undefined
  /** Requires at least one topic of each list. The first list should be the most selective. */
  topics?: readonly (readonly number[])[] | undefined
  /** Requires at least one of these topics. */
  anyTopics?: readonly number[] | undefined
  /** Excludes projects with one of these topics. */
  notTopics?: readonly number[] | undefined
  starredBy?: number | undefined
  search?: PathSearch | undefined
  isArchived?: boolean | undefined
  idAfter?: number | undefined
  idBefore?: number | undefined
  activeAfter?: string | undefined
  activeBefore?: string | undefined
  updatedAfter?: string | undefined
  updatedBefore?: string | undefined
  customAttributes?: CustomAttributeFilter | undefined
}

/**
 * Maximum number of rows that are collected and sorted; a larger result is read in index order until the page is full.
 */
const maxGathered = 2000

/** Counts matching projects, up to one above the maximum total of lists. */
export async function countProjects(db: Db, filter: ProjectFilter): Promise<number> {
  const found = gathered(db, filter, sql`1`)
  if (!found) return 0
  const row = await db.one<{ total: number }>(sql`
    select count(*) as total from (${found} limit ${maxCountedRows + 1}) as counted`)
  return row?.total ?? 0
}

/** Returns one row more than the page holds. `counted`, from `countProjects`, selects the query plan. */
export async function listProjects(
  db: Db,
  filter: ProjectFilter,
  { order, page, counted }: { order: ProjectOrder; page: PageRequest; counted: number },
): Promise<Project[]> {
  // Sorts by the column of the driving table: SQLite does not infer that the joined ids have the same order.
  const idColumn = filter.topics?.length ? sql`tagged.project_id` : sql`projects.id`
  const key = order.by === 'id' ? idColumn : orderKey(db, filter, order.by)
  const direction = order.direction === 'asc' ? sql`asc` : sql`desc`
  const limit = sql`limit ${page.perPage + 1} offset ${page.offset}`
  const columns = sql`projects.id as id, ${key} as sort_key`
  const found = counted > maxGathered ? undefined : gathered(db, filter, columns)
  const chosen = found
    ? sql`found as materialized (${found}),
      page as (select id, sort_key from found order by sort_key ${direction}, id ${direction} ${limit})`
    : sql`page as (${scanned(db, filter, columns, order)} order by ${key} ${direction}, ${idColumn} ${direction} ${limit})`
  return db.all(sql`
    with ${chosen}
    select ${projectColumns} from page join projects p on p.id = page.id join namespaces n on n.id = p.namespace_id
    order by page.sort_key ${direction}, page.id ${direction}`)
}

function orderKey(db: Db, { search }: ProjectFilter, by: Exclude<ProjectOrder['by'], 'id'>): Sql {
  if (by !== 'similarity') return keys[by]
  const similar = (column: Sql) => (search ? db.dialect.similarity(column, search.text) : sql`0`)
  return sql`10 * ${similar(sql`projects.path`)} + 7 * ${similar(sql`projects.name`)}
    + 2 * ${similar(sql`coalesce(projects.description, '')`)}`
}

const keys = {
  name: sql`projects.name`,
  path: sql`projects.path`,
  updated_at: sql`projects.updated_at`,
  last_activity_at: sql`projects.last_activity_at`,
  star_count: sql`projects.star_count`,
}

/** Query that starts from the most selective condition; `undefined` when no project can match. */
function gathered(db: Db, filter: ProjectFilter, columns: Sql): Sql | undefined {
  const { audience, visibility, within, topics, anyTopics, starredBy, search } = filter
  if (audience.open.length === 0 && !audience.member) return undefined
  const isNarrow = within || topics?.length || anyTopics || starredBy !== undefined || search
  if (isNarrow) return flat(db, filter, columns)
  const here =
    filter.organizationId === undefined ? empty : sql`and projects.organization_id = ${filter.organizationId}`
  if (audience.open.length === visibilities.length) return sql`${flat(db, filter, columns)} ${here}`
  const asked = visibility ? [visibility] : visibilities
  const branches = audience.open
    .filter((open) => asked.includes(open))
    .map(
      (open) =>
        sql`select ${columns} from projects where projects.visibility = ${open} ${here} ${narrowing(db, filter)}`,
    )
  const closed = asked.filter((candidate) => !audience.open.includes(candidate))
  if (audience.member && closed.length > 0) {
    const rest = sql`${closed.length < visibilities.length ? sql`and ${isOf(closed)}` : empty} ${narrowing(db, filter)}`
    const [direct, inherited] = [memberProjects(audience.member), memberNamespaces(audience.member)]
    branches.push(
      sql`select ${columns} from projects where projects.id in ${direct} ${rest}`,
      sql`select ${columns} from projects
        where projects.namespace_id in ${inherited} and projects.id not in ${direct} ${rest}`,
    )
  }
  return branches.length > 0 ? join(branches, ' union all ') : undefined
}

/** Query that scans an index in its order and filters each row. */
function scanned(db: Db, filter: ProjectFilter, columns: Sql, order: ProjectOrder): Sql {
  const { audience, within, topics } = filter
  const [only, ...others] = audience.open
  // Only this case has an index that starts with the visibility.
  if (only && others.length === 0 && !audience.member && !within && !topics?.length && order.by === 'id') {
    return sql`select ${columns} from projects where projects.visibility = ${only} ${narrowing(db, filter)}`
  }
  return flat(db, filter, columns)
}

function flat(db: Db, filter: ProjectFilter, columns: Sql): Sql {
  const { audience, visibility, topics = [] } = filter
  const [first] = topics
  const from = first
    ? sql`project_topics tagged join projects on projects.id = tagged.project_id where ${isTagged(db, sql`tagged`, first)}`
    : sql`projects where 1 = 1`
  return sql`select ${columns} from ${from} ${isIn(audience)} ${visibility ? sql`and ${isOf([visibility])}` : empty}
    ${narrowing(db, filter)}`
}

const visibilities: readonly Visibility[] = ['public', 'internal', 'private']

/**
 * Condition on the visibility as an expression, because the planner overestimates how selective the column's index is.
 */
function isOf(wanted: readonly Visibility[]): Sql {
  return sql`projects.visibility || '' in (${join(wanted)})`
}

function isIn({ open, member }: Audience): Sql {
  if (open.length === visibilities.length) return empty
  const ways = [
    ...(open.length > 0 ? [isOf(open)] : []),
    ...(member
      ? [sql`projects.id in ${memberProjects(member)}`, sql`projects.namespace_id in ${memberNamespaces(member)}`]
      : []),
  ]
  return sql`and (${join(ways, ' or ')})`
}

function isTagged(db: Db, table: Sql, ids: readonly number[]): Sql {
  const [only, ...others] = ids
  return only !== undefined && others.length === 0
    ? sql`${table}.topic_id = ${only}`
    : sql`${table}.topic_id in ${db.dialect.integers(ids)}`
}

/** Maximum number of `exists` conditions: each one slows down planning, and engines limit their number. */
const maxProbed = 4

/** Counts matching topics. A project can have at most one topic of each list, that of its organization. */
function isTaggedWithAll(db: Db, lists: readonly (readonly number[])[]): Sql {
  return sql`(
    select count(*) from project_topics also
    where also.project_id = projects.id and also.topic_id in ${db.dialect.integers(lists.flat())}) = ${lists.length}`
}

/** All conditions except the visibility and the first topic, each preceded by `and`. */
function narrowing(db: Db, filter: ProjectFilter): Sql {
  const { within, topics = [], starredBy, search, isArchived } = filter
  const all: Sql[] = [empty]
  const others = topics.slice(1)
  if (others.length > maxProbed) all.push(isTaggedWithAll(db, others))
  else
    for (const ids of others) {
      all.push(sql`exists (
      select 1 from project_topics also where also.project_id = projects.id and ${isTagged(db, sql`also`, ids)})`)
    }
  // Condition as an expression. Where an index on organizations helps, the caller adds a plain condition too.
  const { anyTopics, notTopics } = filter
  if (anyTopics) all.push(sql`projects.id in (${projectsWith(db, anyTopics)})`)
  if (notTopics?.length) all.push(sql`projects.id not in (${projectsWith(db, notTopics)})`)
  if (filter.organizationId !== undefined) all.push(sql`projects.organization_id + 0 = ${filter.organizationId}`)
  if (within) all.push(isWithin(within.namespace, within.descendants))
  if (starredBy !== undefined) {
    all.push(sql`projects.id in (select project_id from project_stars where user_id = ${starredBy})`)
  }
  if (filter.customAttributes) all.push(hasCustomAttributes('projects', filter.customAttributes))
  if (search) all.push(matches(db, search))
  if (isArchived !== undefined) all.push(sql`projects.is_archived = ${isArchived}`)
  if (filter.idAfter !== undefined) all.push(sql`projects.id > ${filter.idAfter}`)
  if (filter.idBefore !== undefined) all.push(sql`projects.id < ${filter.idBefore}`)
  if (filter.activeAfter !== undefined) all.push(sql`projects.last_activity_at >= ${filter.activeAfter}`)
  if (filter.activeBefore !== undefined) all.push(sql`projects.last_activity_at <= ${filter.activeBefore}`)
  if (filter.updatedAfter !== undefined) all.push(sql`projects.updated_at >= ${filter.updatedAfter}`)
  if (filter.updatedBefore !== undefined) all.push(sql`projects.updated_at <= ${filter.updatedBefore}`)
  return join(all, ' and ')
}

function projectsWith(db: Db, topicIds: readonly number[]): Sql {
  return sql`select project_id from project_topics listed where ${isTagged(db, sql`listed`, topicIds)}`
}

function isWithin(namespace: Namespace, descendants: boolean): Sql {
  if (!descendants) return sql`projects.namespace_id = ${namespace.id}`
  const [from, to] = lineageRange(namespace)
  return sql`projects.namespace_id in (
    select id from namespaces where id = ${namespace.id} or (lineage >= ${from} and lineage < ${to}))`
}

function matches(db: Db, { text, terms, withFullPath }: PathSearch): Sql {
  const columns = ['name', 'path', 'description', ...(withFullPath ? ['full_path'] : [])]
  if (terms.length > 0) return db.dialect.containsTerms('projects', columns, terms)
  const length = [...text].length
  const equals = (column: Sql) => sql`(length(${column}) = ${length} and ${db.dialect.contains(column, text)})`
  return sql`(${equals(sql`projects.name`)} or ${equals(sql`projects.path`)})`
}

/**
 * Returns the topics with exactly these names or aliases, one per name and organization, and their numbers of projects.
 */
export function listTopicsNamed(
  db: Db,
  names: readonly string[],
): Promise<{ id: number; name: string; total: number }[]> {
  const keys = db.dialect.texts(names.map((name) => name.toLowerCase()))
  // The condition on the key uses the index.
  return db.all(sql`
    select t.id, n.name, t.total_projects_count as total from topic_names n join topics t on t.id = n.topic_id
    where n.organization_id in (select id from organizations) and n.name_key in ${keys}
      and n.name in ${db.dialect.texts(names)} order by t.id, n.name_key`)
}
