import sql, { empty, type Sql } from 'sql-template-tag'
import type { Db, IdRange } from '../../../../db/db.ts'
import type { UnindexedFilter } from '../../../findings/list/unindexed-filter-sql.ts'
import type { VulnerabilityFilter } from '../filter.ts'

const isKeyOf = (isKey: Sql) => sql`select f.id from findings f where f.id ${isKey}`

/** Returns the filters on images and remediations of findings. Indexes have these expressions. */
export function findingFilters(
  { dialect }: Db,
  { images, hasRemediations }: VulnerabilityFilter,
  projectIds: readonly number[],
): UnindexedFilter[] {
  const inProjects = () => sql`f.project_id ${dialect.among(dialect.integers(projectIds))}`
  return [
    ...(images ? [imageFilter(dialect, images, inProjects())] : []),
    ...(hasRemediations === undefined ? [] : [remediationFilter(hasRemediations, inProjects())]),
  ]
}

/** The types of reports whose `location` names an image. */
const imageReports = ['container_scanning', 'container_scanning_for_registry', 'cluster_image_scanning']

function imageFilter({ among, texts }: Db['dialect'], images: readonly string[], inProjects: Sql): UnindexedFilter {
  const starts = images.map((image) => [...image].slice(0, 500).join(''))
  const isImage = sql`f.location ->> 'image' ${among(texts(images))} and f.report_type ${among(texts(imageReports))}`
  const condition = sql`f.location ->> 'image' is not null
    and substr(f.location ->> 'image', 1, 500) ${among(texts(starts))} and ${isImage}`
  const keys = sql`select f.id from findings f where ${inProjects} and ${condition}`
  return { indexes: [{ keys, findingsOf: [isKeyOf] }], condition }
}

/** Most findings may have a remediation, so their ids are read in ranges. No index has those without one. */
function remediationFilter(hasRemediations: boolean, inProjects: Sql): UnindexedFilter {
  const hasOne = sql`f.extras -> 'remediations' -> 0 is ${hasRemediations ? sql`not` : empty} null`
  if (!hasRemediations) return { condition: hasOne }
  const within = ({ above, upTo }: IdRange) => sql`
    select f.id from findings f where ${inProjects} and ${hasOne} and f.id > ${above} and f.id <= ${upTo}`
  return { indexes: [{ keys: { table: sql`findings`, within }, findingsOf: [isKeyOf] }], condition: hasOne }
}
