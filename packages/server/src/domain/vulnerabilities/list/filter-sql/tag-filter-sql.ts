import sql, { type Sql } from 'sql-template-tag'
import type { Db } from '../../../../db/db.ts'
import type { UnindexedFilter } from '../../../findings/list/unindexed-filter-sql.ts'
import { tagKey } from '../../triage/tags.ts'
import type { VulnerabilityFilter } from '../filter.ts'

/** Returns the filters on tags. No index has the findings without a tag. */
export function tagFilters(
  { dialect }: Db,
  { tags, notTags }: VulnerabilityFilter,
  projectIds: readonly number[],
): UnindexedFilter[] {
  const keysOf = (names: readonly string[]) => dialect.texts(names.map(tagKey))
  // `limit` keeps PostgreSQL from joining all tagged findings for the few that are tested.
  const hasTag = (names: readonly string[]) => sql`coalesce((
    select true from tagged_findings tagged cross join vulnerability_tags t
    where tagged.finding_id = f.id and t.id = tagged.tag_id and t.name_key in ${keysOf(names)} limit 1), false)`
  const idsOf = (names: readonly string[]) => sql`
    select id from vulnerability_tags where project_id in ${dialect.integers(projectIds)} and name_key in ${keysOf(names)}`
  return [
    ...(tags ? [{ indexes: [{ keys: idsOf(tags), findingsOf: [withTag] }], condition: hasTag(tags) }] : []),
    ...(notTags ? [{ condition: sql`not ${hasTag(notTags)}` }] : []),
  ]
}

const withTag = (isKey: Sql) => sql`
  select tagged.finding_id as id from tagged_findings tagged where tagged.tag_id ${isKey}`
