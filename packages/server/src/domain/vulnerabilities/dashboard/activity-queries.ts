import sql, { raw, type Sql } from 'sql-template-tag'
import type { Db } from '../../../db/db.ts'
import { severityRanks } from '../../findings/scales.ts'
import { stateIn } from '../../users/user-state-sql.ts'
import type { ImportActivity, TriageAction, TriageActivity } from './activity.ts'

/** A literal, as in the condition of the index that counts them. */
const critical = String(severityRanks.critical)

/** Up to this number of projects, the imports of each are read by its own index; otherwise the newest of all. */
const maxSearchedProjects = 200

/** Returns the newest imports for default branches that changed findings. */
export async function listImportActivity(
  db: Db,
  projectIds: readonly number[],
  since: string,
  limit: number,
): Promise<ImportActivity[]> {
  // `+` keeps the index by project from being used.
  const projectId: Sql = projectIds.length > maxSearchedProjects ? sql`+i.project_id` : sql`i.project_id`
  const rows = await db.all<Omit<ImportActivity, 'kind'>>(sql`
    select i.project_id, i.id as import_id, i.ref, i.scanner_name as scanner, i.findings_new as new,
      (select count(*) from findings f where f.import_id = i.id and f.severity = ${raw(critical)}) as critical,
      i.findings_reappeared as reappeared, i.findings_absent as absent, i.findings_held as held,
      i.shown_at as created_at
    from imports i join projects p on p.id = i.project_id and p.default_branch = i.ref
    where ${projectId} in ${db.dialect.integers(projectIds)} and i.shown_at is not null and i.shown_at >= ${since}
      and (i.findings_new > 0 or i.findings_reappeared > 0 or i.findings_absent > 0 or i.findings_held > 0)
    order by i.shown_at desc, i.id desc limit ${limit}`)
  return rows.map((row) => ({ kind: 'import', ...row }))
}

/** Number of the newest decisions of the server in which those of the projects are found. */
const maxRead = 2000

interface DecisionRow extends Omit<TriageActivity, 'kind' | 'vulnerability'> {
  vulnerabilityId: number | null
  title: string | null
}

const decisionFrom = ({ vulnerabilityId, title, ...row }: DecisionRow): TriageActivity => ({
  kind: 'triage',
  ...row,
  vulnerability: vulnerabilityId === null || title === null ? null : { id: vulnerabilityId, title },
})

const author: Sql = sql`u.id as "author.id", u.username as "author.username", u.name as "author.name",
  ${stateIn('u')} as "author.state", u.avatar_filename as "author.avatar_filename"`

/** Returns bulk changes of states among the newest ones of the server, newest first. */
export async function listBulkActivity(
  db: Db,
  projectIds: readonly number[],
  since: string,
  limit: number,
): Promise<TriageActivity[]> {
  const rows = await db.all<DecisionRow>(sql`
    select b.project_id, b.created_at, b.action, b.changed as total, v.id as vulnerability_id, v.title, ${author}
    from (select * from vulnerability_bulk_changes order by id desc limit ${maxRead}) b
    left join users u on u.id = b.user_id
    left join vulnerabilities v on b.changed = 1 and v.id = (
      select h.vulnerability_id from vulnerability_history h where h.bulk_id = b.id order by h.id limit 1)
    where b.project_id in ${db.dialect.integers(projectIds)} and b.created_at >= ${since} and b.undone_at is null
      and b.changed > 0 and b.action in ('confirm', 'resolve', 'dismiss', 'revert')
    order by b.id desc limit ${limit}`)
  return rows.map(decisionFrom)
}

/** Returns decisions about single vulnerabilities among the newest ones of the server, newest first. `+` reads those first. */
export async function listSingleDecisions(
  db: Db,
  projectIds: readonly number[],
  since: string,
  limit: number,
): Promise<TriageActivity[]> {
  const rows = await db.all<Omit<DecisionRow, 'action' | 'total'> & { state: string }>(sql`
    select v.project_id, h.created_at, h.to_value as state, v.id as vulnerability_id, v.title, ${author}
    from (
      select * from vulnerability_history where kind = 'state' and user_id is not null and bulk_id is null
      order by id desc limit ${maxRead}
    ) h
    join vulnerabilities v on v.id = h.vulnerability_id left join users u on u.id = h.user_id
    where +v.project_id in ${db.dialect.integers(projectIds)} and h.created_at >= ${since}
    order by h.id desc limit ${limit}`)
  return rows.flatMap(({ state, ...row }) => {
    const action = actionTo[state]
    return action ? [decisionFrom({ ...row, action, total: 1 })] : []
  })
}

const actionTo: Readonly<Record<string, TriageAction>> = {
  confirmed: 'confirm',
  resolved: 'resolve',
  dismissed: 'dismiss',
  detected: 'revert',
}
