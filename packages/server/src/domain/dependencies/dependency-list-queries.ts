import sql, { empty, join, type Sql } from 'sql-template-tag'
import type { Db } from '../../db/db.ts'
import { type PackageUrl, storedName } from '../findings/package-url.ts'
import type { Dependency, UsedPackage } from './dependency.ts'

export interface DependencyFilter {
  search?: string | undefined
  packageManagers?: readonly string[] | undefined
  license?: string | undefined
}

/** Returns the ids of the current inventories of a ref. */
export async function listInventoryIds(
  db: Db,
  { projectId, ref }: { projectId: number; ref: string },
): Promise<number[]> {
  const rows = await db.all<{ id: number }>(sql`
    select id from inventories where project_id = ${projectId} and ref = ${ref} and state = 'current' order by id`)
  return rows.map(({ id }) => id)
}

/** Conditions on the table `dependencies`, aliased `d`. */
function conditionOf(db: Db, inventoryIds: readonly number[], filter: DependencyFilter): Sql {
  const { dialect } = db
  const { search, packageManagers, license } = filter
  const conditions = [
    sql`d.inventory_id in (${join(inventoryIds)})`,
    ...(search === undefined ? [] : [dialect.contains(sql`d.name`, search)]),
    ...(packageManagers ? [sql`d.package_manager in ${dialect.texts(packageManagers)}`] : []),
    ...(license === undefined ? [] : [dialect.contains(sql`d.licenses`, JSON.stringify(license))]),
  ]
  return join(conditions, ' and ')
}

interface Range {
  limit: number
  offset: number
}

/** Returns dependencies by name. Reads their ids first, which for one inventory is a part of the index. */
export async function listDependencies(
  db: Db,
  inventoryIds: readonly number[],
  filter: DependencyFilter,
  { limit, offset }: Range,
): Promise<Dependency[]> {
  if (inventoryIds.length === 0) return []
  const rows = await db.all<Omit<Dependency, 'licenses'> & { licenses: string }>(sql`
    select d.id, p.name, p.version, p.package_url, p.package_key, d.package_manager, d.file, d.licenses
    from (
      select d.id from dependencies d where ${conditionOf(db, inventoryIds, filter)}
      order by d.name, d.id limit ${limit} offset ${offset}) as listed
    join dependencies d on d.id = listed.id join packages p on p.id = d.package_id
    order by d.name, d.id`)
  return rows.map((row) => ({ ...row, licenses: JSON.parse(row.licenses) }))
}

export async function countDependencies(
  db: Db,
  inventoryIds: readonly number[],
  filter: DependencyFilter,
  max: number,
): Promise<number> {
  if (inventoryIds.length === 0) return 0
  const row = await db.one<{ total: number }>(sql`
    select count(*) as total from (
      select 1 from dependencies d where ${conditionOf(db, inventoryIds, filter)} limit ${max}) as counted`)
  return row?.total ?? 0
}

/** A finding that may be in a listed dependency. */
export interface CandidateFinding {
  vulnerabilityId: number
  title: string
  severity: number
  packageKey: string | null
  packageUrl: string | null
  location: object
}

/** Returns the findings with these package names that are present on a ref and have a vulnerability. */
export async function listCandidateFindings(
  db: Db,
  { projectId, ref }: { projectId: number; ref: string },
  names: readonly string[],
  limit: number,
): Promise<CandidateFinding[]> {
  return db.all(sql`
    select v.id as vulnerability_id, v.title, v.severity, f.package_key, f.package_url, f.location
    from findings f join vulnerabilities v on v.id = f.vulnerability_id
    where f.project_id = ${projectId} and f.package_name in ${db.dialect.texts(names.map(storedName))}
      and exists (select 1 from occurrences o where o.finding_id = f.id and o.ref = ${ref} and o.is_present = true)
    order by v.severity desc, v.id limit ${limit}`)
}

/** Returns the numbers of dependencies by their lists of licenses, which are JSON. */
export async function countByLicenses(db: Db, inventories: Sql): Promise<{ licenses: string; total: number }[]> {
  return db.all(sql`
    select d.licenses, count(*) as total from dependencies d where d.inventory_id in (${inventories})
    group by d.licenses`)
}

/** Selects the current inventories of the default branches of projects. */
export const currentInventories = ({ dialect }: Db, projectIds: readonly number[]): Sql => sql`
  select i.id from inventories i join projects j on j.id = i.project_id
  where i.state = 'current' and i.ref = j.default_branch and i.project_id in ${dialect.integers(projectIds)}`

export const inventoriesOf = (ids: readonly number[]): Sql => (ids.length === 0 ? sql`null` : join(ids))

/** A package to search for: a package URL, or words in names. */
export type PackageSearch = { url: PackageUrl } | { terms: readonly string[] }

/** Selects the versions of packages that a search finds. */
function packagesFound({ dialect }: Db, search: PackageSearch): Sql {
  if (!('url' in search)) return dialect.containsTerms('packages', ['name'], search.terms)
  const { key, version } = search.url
  return sql`packages.package_key = ${key} ${version === undefined ? empty : sql`and packages.version = ${version}`}`
}

/** Returns versions of packages on which projects depend, by name and version. */
export async function listUsedPackages(
  db: Db,
  projectIds: readonly number[],
  search: PackageSearch,
  { limit, offset }: Range,
): Promise<UsedPackage[]> {
  return db.all(sql`
    select packages.id, packages.name, packages.version, packages.package_url, count(distinct i.project_id) as projects
    from packages cross join dependencies d cross join inventories i cross join projects j
    where ${packagesFound(db, search)} and d.package_id = packages.id and i.id = d.inventory_id and i.state = 'current'
      and i.project_id in ${db.dialect.integers(projectIds)} and j.id = i.project_id and i.ref = j.default_branch
    group by packages.id, packages.name, packages.version, packages.package_url
    order by lower(packages.name), packages.version, packages.id limit ${limit} offset ${offset}`)
}

/** Dependencies of the default branches of projects that match a filter, as `d` in inventories `i`. */
function dependenciesOf({ dialect }: Db, projectIds: readonly number[], filter: DependencyFilter): Sql {
  const { search, packageManagers, license } = filter
  const conditions = [
    sql`i.state = 'current' and i.ref = j.default_branch and i.project_id in ${dialect.integers(projectIds)}`,
    ...(search === undefined ? [] : [dialect.contains(sql`d.name`, search)]),
    ...(packageManagers ? [sql`d.package_manager in ${dialect.texts(packageManagers)}`] : []),
    ...(license === undefined ? [] : [dialect.contains(sql`d.licenses`, JSON.stringify(license))]),
  ]
  return sql`from dependencies d join inventories i on i.id = d.inventory_id join projects j on j.id = i.project_id
    where ${join(conditions, ' and ')}`
}

/** Returns the packages on which projects depend, by name and version, with the number of projects. */
export async function listPackagesOf(
  db: Db,
  projectIds: readonly number[],
  filter: DependencyFilter,
  { limit, offset }: Range,
): Promise<(UsedPackage & { occurrences: number })[]> {
  return db.all(sql`
    select p.id, p.name, p.version, p.package_url, u.projects, u.occurrences
    from (
      select d.package_id, min(d.name) as name, count(distinct i.project_id) as projects, count(*) as occurrences
      ${dependenciesOf(db, projectIds, filter)} group by d.package_id) as u
    join packages p on p.id = u.package_id
    order by u.name, p.version, p.id limit ${limit} offset ${offset}`)
}

/** Counts the packages on which projects depend, up to a maximum. */
export async function countPackagesOf(
  db: Db,
  projectIds: readonly number[],
  filter: DependencyFilter,
  max: number,
): Promise<number> {
  const row = await db.one<{ total: number }>(sql`
    select count(*) as total from (
      select distinct d.package_id ${dependenciesOf(db, projectIds, filter)} limit ${max}) as counted`)
  return row?.total ?? 0
}

/** Returns the package managers and licenses with which projects list these packages. */
export async function listPackageDetails(
  db: Db,
  projectIds: readonly number[],
  packageIds: readonly number[],
): Promise<{ packageId: number; packageManager: string; licenses: readonly string[] }[]> {
  const rows = await db.all<{ packageId: number; packageManager: string; licenses: string }>(sql`
    select distinct d.package_id, d.package_manager, d.licenses ${dependenciesOf(db, projectIds, {})}
      and d.package_id in ${db.dialect.integers(packageIds)}
    order by d.package_id, d.package_manager, d.licenses`)
  return rows.map((row) => ({ ...row, licenses: JSON.parse(row.licenses) }))
}

/** Returns the projects that depend on these packages on their default branch, at most `max` for each package. */
export async function listDependents(
  db: Db,
  projectIds: readonly number[],
  packageIds: readonly number[],
  max: number,
): Promise<{ packageId: number; projectId: number }[]> {
  return db.all(sql`
    select package_id, project_id from (
      select package_id, project_id, row_number() over (partition by package_id order by project_id) as place from (
        select distinct d.package_id, i.project_id
        from dependencies d join inventories i on i.id = d.inventory_id join projects j on j.id = i.project_id
        where d.package_id in ${db.dialect.integers(packageIds)} and i.state = 'current' and i.ref = j.default_branch
          and i.project_id in ${db.dialect.integers(projectIds)}) as used) as placed
    where place <= ${max} order by package_id, project_id`)
}
