import sql, { type Sql } from 'sql-template-tag'
import type { Db } from '../../../db/db.ts'
import type { Vulnerability } from '../vulnerability.ts'
import { type VulnerabilityRow, vulnerabilityColumns, vulnerabilityFrom } from '../vulnerability-sql.ts'
import type { Rule, RuleDraft, RuleOrigin, RuleOwner } from './rule.ts'

const columns: Sql = sql`r.id, r.level, r.project_id, r.namespace_id, r.position, r.name, r.is_enabled, r.origin, r.file,
  r.match, r.action, r.created_by_id, r.created_at, r.updated_at`

/** The order in which the rules of a level apply. Names of files are compared by their bytes on every engine. */
const orderIn = ({ dialect }: Db): Sql => sql`
  case r.origin when 'decision' then 0 when 'user' then 1 else 2 end, ${dialect.asciiLower(sql`r.file`)}, r.position, r.id`

const isOf = (owner: RuleOwner): Sql =>
  owner.kind === 'instance'
    ? sql`level = 'instance'`
    : owner.kind === 'project'
      ? sql`project_id = ${owner.id}`
      : sql`namespace_id = ${owner.id}`

/** Rules of one level that have their positions in common. */
export interface RuleGroup {
  owner: RuleOwner
  origin: RuleOrigin
  file: string | null
}

const isIn = ({ owner, origin, file }: RuleGroup): Sql =>
  sql`${isOf(owner)} and origin = ${origin} and coalesce(file, '') = ${file ?? ''}`

/** Returns the rules of an owner in the order in which they apply. */
export async function listRulesOf(db: Db, owner: RuleOwner): Promise<Rule[]> {
  return db.all(sql`select ${columns} from vulnerability_rules r where ${isOf(owner)} order by ${orderIn(db)}`)
}

/**
 * Returns the enabled rules for a project in the order in which they apply: those of the project, of the groups above it
 * from below, and of the instance.
 */
export const listRulesFor = (db: Db, projectId: number): Promise<Rule[]> =>
  listEnabled(db, { kind: 'project', id: projectId })

/** Returns the enabled rules of the levels above an owner. */
export async function listInherited(db: Db, owner: RuleOwner): Promise<Rule[]> {
  if (owner.kind === 'instance') return []
  const rules = await listEnabled(db, owner)
  return rules.filter((rule) => (owner.kind === 'project' ? rule.projectId : rule.namespaceId) !== owner.id)
}

/** Returns what changes with the enabled rules for a project. */
export function listRuleVersions(db: Db, projectId: number): Promise<Pick<Rule, 'id' | 'updatedAt'>[]> {
  return listEnabled(db, { kind: 'project', id: projectId }, sql`r.id, r.updated_at`)
}

async function listEnabled<Row = Rule>(
  db: Db,
  { kind, id }: Exclude<RuleOwner, { kind: 'instance' }>,
  selected: Sql = columns,
): Promise<Row[]> {
  const projectId = kind === 'project' ? id : 0
  const start = kind === 'project' ? sql`(select p.namespace_id from projects p where p.id = ${id})` : sql`${id}`
  return db.all(sql`
    with recursive above (id, parent_id, distance) as (
      select n.id, n.parent_id, 1 from namespaces n
      where n.id = ${start} and exists (select 1 from vulnerability_rules)
      union all
      select n.id, n.parent_id, a.distance + 1 from above a join namespaces n on n.id = a.parent_id
    )
    select ${selected} from vulnerability_rules r left join above on above.id = r.namespace_id
    where r.is_enabled = true and (r.project_id = ${projectId} or above.id is not null or r.level = 'instance')
    order by case r.level when 'project' then 0 when 'group' then above.distance else 1000000 end, ${orderIn(db)}`)
}

export async function findRule(db: Db, owner: RuleOwner, id: number): Promise<Rule | undefined> {
  return db.one(sql`select ${columns} from vulnerability_rules r where r.id = ${id} and ${isOf(owner)}`)
}

/** Returns a rule of any owner. */
export async function findRuleById(db: Db, id: number): Promise<Rule | undefined> {
  return db.one(sql`select ${columns} from vulnerability_rules r where r.id = ${id}`)
}

export async function countRules(db: Db, owner: RuleOwner, origin: RuleOrigin): Promise<number> {
  const row = await db.one<{ total: number }>(sql`
    select count(*) as total from vulnerability_rules where ${isOf(owner)} and origin = ${origin}`)
  return row?.total ?? 0
}

export interface NewRule extends RuleDraft {
  isTimed: boolean
  createdById: number | null
}

/** Inserts rules after the last one of their group, and returns their ids in the same order. */
export async function insertRules(
  db: Db,
  { owner, origin, file }: RuleGroup,
  drafts: readonly NewRule[],
  now: string,
): Promise<number[]> {
  const ids: number[] = []
  for (const draft of drafts) {
    const row = await db.one<{ id: number }>(sql`
      insert into vulnerability_rules (level, project_id, namespace_id, position, name, is_enabled, origin, file, match,
        action, is_timed, evaluated_on, created_by_id, created_at, updated_at)
      values (${owner.kind}, ${owner.kind === 'project' ? owner.id : null}, ${owner.kind === 'group' ? owner.id : null},
        (select coalesce(max(position), 0) + 1 from vulnerability_rules where ${isIn({ owner, origin, file })}),
        ${draft.name}, ${draft.isEnabled}, ${origin}, ${file}, ${draft.match}, ${draft.action}, ${draft.isTimed},
        ${now.slice(0, 10)}, ${draft.createdById}, ${now}, ${now})
      returning id`)
    if (!row) throw new Error('an inserted rule returned no id')
    ids.push(row.id)
  }
  return ids
}

export async function updateRule(
  db: Db,
  id: number,
  { name, isEnabled, match, action, isTimed }: RuleDraft & { isTimed: boolean },
  now: string,
): Promise<void> {
  await db.run(sql`
    update vulnerability_rules set name = ${name}, is_enabled = ${isEnabled}, match = ${match}, action = ${action},
      is_timed = ${isTimed}, evaluated_on = ${now.slice(0, 10)}, updated_at = ${now} where id = ${id}`)
}

/** Moves a rule to another position, and those between by one. */
export async function moveRule(db: Db, group: RuleGroup, { id, from, to }: RuleMove): Promise<void> {
  const [first, last, by] = from < to ? [from + 1, to, -1] : [to, from - 1, 1]
  await db.run(sql`
    update vulnerability_rules set position = case when id = ${id} then ${to} else position + ${by} end
    where ${isIn(group)} and (id = ${id} or position between ${first} and ${last})`)
}

interface RuleMove {
  id: number
  from: number
  to: number
}

/** Returns the group of a rule, or `undefined` if it belongs to a project or the instance. */
export async function findGroupOfRule(db: Db, id: number): Promise<number | undefined> {
  const row = await db.one<{ namespaceId: number | null }>(sql`
    select namespace_id from vulnerability_rules where id = ${id}`)
  return row?.namespaceId ?? undefined
}

/** Deletes a rule, and moves those after it up. */
export async function deleteRule(db: Db, group: RuleGroup, { id, position }: Pick<Rule, 'id' | 'position'>) {
  // Not left to the foreign key, which does not raise the version of the row.
  await db.run(sql`update vulnerabilities set group_rule_id = null, version = version + 1 where group_rule_id = ${id}`)
  await db.run(sql`delete from vulnerability_rules where id = ${id}`)
  await db.run(sql`
    update vulnerability_rules set position = position - 1 where ${isIn(group)} and position > ${position}`)
}

export async function deleteRules(db: Db, ids: readonly number[]): Promise<void> {
  await db.run(sql`delete from vulnerability_rules where id in ${db.dialect.integers(ids)}`)
}

/** Gives rules of one group their positions, from 1, in the order of the ids. */
export async function orderRules(db: Db, ids: readonly number[]): Promise<void> {
  const rows = ids.map((id, index) => ({ id, position: index + 1 }))
  await db.run(sql`
    update vulnerability_rules set position = r.position
    from ${db.dialect.records(rows, { id: 'integer', position: 'integer' })} as r where vulnerability_rules.id = r.id`)
}

/** Position of a job that applies rules: the last vulnerability, in the order of projects and ids. */
export interface RulePosition {
  projectId: number
  vulnerabilityId: number
  done: number
}

/** Returns the position from which a job continues, and stores that of the beginning if there is none. */
export async function beginRun(db: Db, jobKey: string): Promise<RulePosition> {
  const start = { projectId: 0, vulnerabilityId: 0, done: 0 }
  await db.run(sql`
    insert into vulnerability_rule_runs (job_key, project_id, vulnerability_id, done) values (${jobKey}, 0, 0, 0)
    on conflict do nothing`)
  const found = await db.one<RulePosition>(sql`
    select project_id, vulnerability_id, done from vulnerability_rule_runs where job_key = ${jobKey}`)
  return found ?? start
}

/** Moves a job forward. Returns false if it is not at the position, because the rules have changed. */
export async function advanceRun(db: Db, jobKey: string, from: RulePosition, to: RulePosition): Promise<boolean> {
  const moved = await db.run(sql`
    update vulnerability_rule_runs
    set project_id = ${to.projectId}, vulnerability_id = ${to.vulnerabilityId}, done = ${to.done}
    where job_key = ${jobKey} and project_id = ${from.projectId} and vulnerability_id = ${from.vulnerabilityId}`)
  return moved === 1
}

/** Returns the projects from an id for which the rules of an owner apply, in the order of ids. */
export async function listRuledProjects(db: Db, owner: RuleOwner, fromId: number): Promise<number[]> {
  const isBelow =
    owner.kind === 'instance'
      ? sql`true`
      : owner.kind === 'project'
        ? sql`p.id = ${owner.id}`
        : sql`exists (
            select 1 from namespaces n join namespaces top on top.id = ${owner.id}
            where n.id = p.namespace_id and (n.id = top.id
              or (n.lineage >= top.lineage || top.id || '/' and n.lineage < top.lineage || top.id || '0')))`
  const rows = await db.all<{ id: number }>(sql`
    select p.id from projects p where p.id >= ${fromId} and ${isBelow} order by p.id`)
  return rows.map(({ id }) => id)
}

/** Returns vulnerabilities of a project after an id, in the order of ids. */
export async function listVulnerabilityIds(
  db: Db,
  projectId: number,
  afterId: number,
  limit: number,
): Promise<number[]> {
  const rows = await db.all<{ id: number }>(sql`
    select id from vulnerabilities where project_id = ${projectId} and id > ${afterId} order by id limit ${limit}`)
  return rows.map(({ id }) => id)
}

/** Returns vulnerabilities of a project after an id, in the order of ids, without locks. */
export async function listVulnerabilityRows(
  db: Db,
  projectId: number,
  afterId: number,
  limit: number,
): Promise<Vulnerability[]> {
  const ids = await listVulnerabilityIds(db, projectId, afterId, limit)
  const rows = await db.all<VulnerabilityRow>(sql`
    select ${vulnerabilityColumns} from vulnerabilities where id in ${db.dialect.integers(ids)} order by id`)
  return rows.map(vulnerabilityFrom)
}

/** Counts the vulnerabilities that each rule has changed. */
export async function countChangedBy(db: Db, ruleIds: readonly number[]): Promise<Map<number, number>> {
  const rows = await db.all<{ ruleId: number; total: number }>(sql`
    select rule_id, count(*) as total from vulnerabilities
    where rule_id is not null and rule_id in ${db.dialect.integers(ruleIds)} group by rule_id`)
  return new Map(rows.map(({ ruleId, total }) => [ruleId, total]))
}

/** Counts the vulnerabilities of projects. */
export async function countVulnerabilities(db: Db, projectIds: readonly number[]): Promise<number> {
  const row = await db.one<{ total: number }>(sql`
    select cast(coalesce(sum(total), 0) as bigint) as total from vulnerability_counts
    where project_id in ${db.dialect.integers(projectIds)}`)
  return row?.total ?? 0
}

export type OwnerRow = Pick<Rule, 'level' | 'projectId' | 'namespaceId'>

/** Returns the owners of enabled rules with conditions on what feeds state: EPSS, KEV, and identifiers with their aliases. */
export function listFeedOwners(db: Db): Promise<OwnerRow[]> {
  const match = sql`cast(r.match as text)`
  return db.all(sql`
    select distinct level, project_id, namespace_id from vulnerability_rules r
    where is_enabled = true and (${match} like '%"minEpss"%' or ${match} like '%"isKev"%' or ${match} like '%"identifiers"%')
    order by level, project_id, namespace_id`)
}

/** Returns the owners of enabled rules whose outcome changes with time and that were evaluated before this day. */
export async function listTimedOwners(db: Db, day: string): Promise<OwnerRow[]> {
  return db.all(sql`
    select distinct level, project_id, namespace_id from vulnerability_rules
    where is_timed = true and is_enabled = true and evaluated_on < ${day} order by level, project_id, namespace_id`)
}

export async function markEvaluated(db: Db, owner: RuleOwner, day: string): Promise<void> {
  await db.run(sql`
    update vulnerability_rules set evaluated_on = ${day} where ${isOf(owner)} and is_timed = true and is_enabled = true`)
}

/** Forgets the progress of a job, so that it begins again. */
export async function resetRun(db: Db, jobKey: string): Promise<void> {
  await db.run(sql`delete from vulnerability_rule_runs where job_key = ${jobKey}`)
}
