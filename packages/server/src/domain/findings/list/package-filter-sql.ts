import sql, { empty, join, type Sql } from 'sql-template-tag'
import type { Db } from '../../../db/db.ts'
import { buildPackageUrl, parsePackageUrl, splitName, storedName } from '../package-url.ts'
import type { UnindexedFilter } from './unindexed-filter-sql.ts'

/**
 * Selects findings in one of these packages: package URLs with or without a version, or names with or without a
 * namespace.
 */
export function packageFilters(
  db: Db,
  { packages }: { packages?: readonly string[] | undefined },
  projectIds: readonly number[],
): UnindexedFilter[] {
  if (!packages) return []
  const wanted = packages.map((text) => conditionOf(db, text.trim()))
  return [
    {
      indexes: wanted.map((condition) => ({
        keys: projectIds,
        findingsOf: [(isKey) => sql`select f.id from findings f where f.project_id ${isKey} and ${condition}`],
      })),
      condition: wanted.length > 0 ? sql`(${join(wanted, ') or (')})` : sql`1 = 0`,
    },
  ]
}

/** Returns a condition that begins with the indexed column. */
function conditionOf(db: Db, text: string): Sql {
  if (!text.startsWith('pkg:')) return hasName(db, text)
  const parsed = parsePackageUrl(text)
  if (!parsed) return sql`f.package_name = ''`
  const { url, key, name, version } = parsed
  return sql`f.package_name = ${storedName(name)} and f.package_key = ${key} ${
    version === undefined ? empty : sql`and ${hasStart(sql`f.package_url`, url)}`
  }`
}

/** Whether a package URL is this one, or this one with further qualifiers or a subpath. */
const hasStart = (column: Sql, url: string): Sql => sql`(${column} = ${url}
  or substr(${column}, 1, ${url.length + 1}) in (${`${url}?`}, ${`${url}#`}, ${`${url}&`}))`

function hasName({ dialect }: Db, text: string): Sql {
  const { namespace, name } = splitName(text)
  const isNamed = sql`f.package_name = ${storedName(name)}`
  if (namespace === undefined) return isNamed
  const end = endOfKey(namespace, name)
  const asReported = sql`f.location -> 'dependency' -> 'package' ->> 'name'`
  return sql`${isNamed} and (${dialect.asciiLower(asReported)} = ${asciiLower(text)} or ${dialect.asciiLower(
    sql`substr(f.package_key, length(f.package_key) - ${end.length - 1})`,
  )} = ${end})`
}

/** Returns the end of the keys of all types, such as `/%40scope/name`. */
const endOfKey = (namespace: string, name: string): string =>
  asciiLower(buildPackageUrl({ type: 'generic', namespace, name })?.key.slice('pkg:generic'.length) ?? '/')

const asciiLower = (text: string): string => text.replace(/[A-Z]/g, (letter) => letter.toLowerCase())
