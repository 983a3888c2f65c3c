import sql, { empty, raw, type Sql } from 'sql-template-tag'
import type { Db } from '../../../db/db.ts'
import { severityRanks } from '../../findings/scales.ts'
import { stateIn } from '../../users/user-state-sql.ts'
import type { Decision, FeedPlace, ImportActivity, TriageAction, TriageActivity } from './activity.ts'

/** Rows of a list: not older than `since`, and after a position. */
export interface FeedRange {
  since?: string | undefined
  after?: FeedPlace | undefined
  /** Maximum number of decisions of the projects; default: all that are read. */
  limit?: number | undefined
}

function within(time: Sql, id: Sql, { since, after }: FeedRange): Sql {
  return sql`${since === undefined ? empty : sql`and ${time} >= ${since}`}
    ${after ? sql`and ${time} <= ${after.time} and (${time} < ${after.time} or ${id} < ${after.id})` : empty}`
}

/** A literal, as in the condition of the index that counts them. */
const critical = String(severityRanks.critical)

/** Up to this number of projects, the imports of each are read by its own index; otherwise the newest of all. */
const maxSearchedProjects = 200

/** Whether imports that hold absences are listed, or only these. */
type HeldFilter = 'any' | 'none' | 'only'

const holding: Record<HeldFilter, Sql> = {
  any: sql`(i.findings_new > 0 or i.findings_reappeared > 0 or i.findings_absent > 0 or i.findings_held > 0)`,
  none: sql`(i.findings_new > 0 or i.findings_reappeared > 0 or i.findings_absent > 0 or i.findings_held > 0)
    and i.findings_held = 0`,
  only: sql`i.findings_held > 0`,
}

/** Returns the newest imports for default branches that changed findings. */
export async function listImportActivity(
  db: Db,
  projectIds: readonly number[],
  { held = 'any', ...range }: FeedRange & { held?: HeldFilter },
  limit: number,
): Promise<ImportActivity[]> {
  // `+` keeps the index by project from being used.
  const projectId: Sql = projectIds.length > maxSearchedProjects ? sql`+i.project_id` : sql`i.project_id`
  const rows = await db.all<Omit<ImportActivity, 'kind'>>(sql`
    select n.project_id, n.id as import_id, n.ref, n.scanner_name as scanner, n.findings_new as new,
      (select count(*) from findings f where f.import_id = n.id and f.severity = ${raw(critical)}) as critical,
      n.findings_reappeared as reappeared, n.findings_absent as absent, n.findings_held as held,
      n.shown_at as created_at
    from (
      select i.id, i.project_id, i.ref, i.scanner_name, i.findings_new, i.findings_reappeared, i.findings_absent,
        i.findings_held, i.shown_at
      from imports i join projects p on p.id = i.project_id and p.default_branch = i.ref
      where ${projectId} in ${db.dialect.integers(projectIds)} and i.shown_at is not null and ${holding[held]}
        ${within(sql`i.shown_at`, sql`i.id`, range)}
      order by i.shown_at desc, i.id desc limit ${limit}
    ) n order by n.shown_at desc, n.id desc`)
  return rows.map((row) => ({ kind: row.held > 0 ? 'mass_absence' : 'import', ...row }))
}

/** Number of the newest decisions of the server in which those of the projects are found. */
const maxReadDecisions = 2000

interface DecisionRow extends Omit<TriageActivity, 'kind' | 'vulnerability'> {
  id: number
  vulnerabilityId: number | null
  title: string | null
}

const decisionFrom = (source: Decision['source'], { id, vulnerabilityId, title, ...row }: DecisionRow): Decision => ({
  source,
  id,
  activity: {
    kind: 'triage',
    ...row,
    vulnerability: vulnerabilityId === null || title === null ? null : { id: vulnerabilityId, title },
  },
})

const author: Sql = sql`u.id as "author.id", u.username as "author.username", u.name as "author.name",
  ${stateIn('u')} as "author.state", u.avatar_filename as "author.avatar_filename"`

/** Returns bulk changes of states among the next ones of the server, newest first. */
export async function listBulkActivity(db: Db, projectIds: readonly number[], range: FeedRange): Promise<Decision[]> {
  const rows = await db.all<DecisionRow>(sql`
    select b.id, b.project_id, b.created_at, b.action, b.changed as total, v.id as vulnerability_id, v.title, ${author}
    from (
      select b.* from vulnerability_bulk_changes b where true ${within(sql`b.created_at`, sql`b.id`, range)}
      order by b.created_at desc, b.id desc limit ${maxReadDecisions}
    ) b
    left join users u on u.id = b.user_id
    left join vulnerabilities v on b.changed = 1 and v.id = (
      select h.vulnerability_id from vulnerability_history h where h.bulk_id = b.id order by h.id limit 1)
    where b.project_id in ${db.dialect.integers(projectIds)} and b.undone_at is null
      and b.changed > 0 and b.action in ('confirm', 'resolve', 'dismiss', 'revert')
    order by b.created_at desc, b.id desc limit ${range.limit ?? maxReadDecisions}`)
  return rows.map((row) => decisionFrom('bulk', row))
}

/** The condition of the index of decisions about single vulnerabilities. */
const isSingle: Sql = sql`h.kind = 'state' and h.user_id is not null and h.bulk_id is null`

/** Returns decisions about single vulnerabilities among the next ones of the server, newest first. `+` reads those first. */
export async function listSingleDecisions(
  db: Db,
  projectIds: readonly number[],
  range: FeedRange,
): Promise<Decision[]> {
  const rows = await db.all<Omit<DecisionRow, 'action' | 'total'> & { state: string }>(sql`
    select h.id, v.project_id, h.created_at, h.to_value as state, v.id as vulnerability_id, v.title, ${author}
    from (
      select h.* from vulnerability_history h where ${isSingle} ${within(sql`h.created_at`, sql`h.id`, range)}
      order by h.created_at desc, h.id desc limit ${maxReadDecisions}
    ) h
    join vulnerabilities v on v.id = h.vulnerability_id left join users u on u.id = h.user_id
    where +v.project_id in ${db.dialect.integers(projectIds)}
    order by h.created_at desc, h.id desc limit ${range.limit ?? maxReadDecisions}`)
  return rows.flatMap(({ state, ...row }) => {
    const action = actionTo[state]
    return action ? [decisionFrom('single', { ...row, action, total: 1 })] : []
  })
}

/** Returns the last bulk change that `listBulkActivity` reads, or undefined if it reads all older ones. */
export function findLastBulk(db: Db, { after }: FeedRange): Promise<FeedPlace | undefined> {
  return db.one(sql`
    select b.created_at as time, b.id from vulnerability_bulk_changes b
    where true ${within(sql`b.created_at`, sql`b.id`, { after })}
    order by b.created_at desc, b.id desc limit 1 offset ${maxReadDecisions - 1}`)
}

/** Returns the last decision that `listSingleDecisions` reads, or undefined if it reads all older ones. */
export function findLastSingle(db: Db, { after }: FeedRange): Promise<FeedPlace | undefined> {
  return db.one(sql`
    select h.created_at as time, h.id from vulnerability_history h
    where ${isSingle} ${within(sql`h.created_at`, sql`h.id`, { after })}
    order by h.created_at desc, h.id desc limit 1 offset ${maxReadDecisions - 1}`)
}

const actionTo: Readonly<Record<string, TriageAction>> = {
  confirmed: 'confirm',
  resolved: 'resolve',
  dismissed: 'dismiss',
  detected: 'revert',
}
