import sql from 'sql-template-tag'
import type { Db } from '../../db/db.ts'
import type { FindingPackage, FindingWithoutPackage } from './package-url.ts'
import type { ReportType } from './scales.ts'

/** Entries of packages are shorter. */
const maxRawCharacters = 200_000

/** Returns the findings of a range of ids and of these types that have no package. */
export async function listWithoutPackage(
  db: Db,
  { above, upTo, types }: { above: number; upTo: number; types: readonly ReportType[] },
): Promise<FindingWithoutPackage[]> {
  return db.all(sql`
    select f.id, f.location, case when length(f.raw_metadata) <= ${maxRawCharacters} then f.raw_metadata end as raw_metadata
    from findings f
    where f.id > ${above} and f.id <= ${upTo} and f.report_type in ${db.dialect.texts(types)} and f.package_name is null
    order by f.id`)
}

/** Returns the highest id of a finding, or 0. */
export async function findLastId(db: Db): Promise<number> {
  const row = await db.one<{ id: number | null }>(sql`select max(id) as id from findings`)
  return row?.id ?? 0
}

/** Stores the packages of findings that still have none. */
export async function setPackages(db: Db, packages: readonly ({ id: number } & FindingPackage)[]): Promise<void> {
  const columns = { id: 'integer', url: 'text', key: 'text', name: 'text' } as const
  await db.run(sql`
    update findings set package_url = r.url, package_key = r.key, package_name = r.name, version = findings.version + 1
    from ${db.dialect.records(packages, columns)} as r where findings.id = r.id and findings.package_name is null`)
}
