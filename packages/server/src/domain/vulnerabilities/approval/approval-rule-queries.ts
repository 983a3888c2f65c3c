import sql, { type Sql } from 'sql-template-tag'
import type { Db } from '../../../db/db.ts'
import { severityOf, severityRanks } from '../../findings/scales.ts'
import type { ApprovalRule, RuleOwner, StoredRule } from './approval-rule.ts'

type RuleRow = Omit<StoredRule, 'severity'> & { severity: number }

const ruleFrom = (row: RuleRow): StoredRule => ({ ...row, severity: severityOf(row.severity) })

const isOf = ({ kind, id }: RuleOwner): Sql =>
  kind === 'project' ? sql`project_id = ${id}` : sql`namespace_id = ${id}`

export async function findRuleOf(db: Db, owner: RuleOwner): Promise<StoredRule | undefined> {
  const row = await db.one<RuleRow>(sql`
    select id, project_id, namespace_id, severity, expires_in_days, updated_at
    from dismissal_approval_rules where ${isOf(owner)}`)
  return row && ruleFrom(row)
}

/** Returns the rules of a project or group and of all groups above it, the closest first. */
export async function listRulesFor(db: Db, { kind, id }: RuleOwner): Promise<StoredRule[]> {
  const start = kind === 'project' ? sql`(select p.namespace_id from projects p where p.id = ${id})` : sql`${id}`
  const ofProject = kind === 'project' ? sql`r.project_id = ${id}` : sql`false`
  const rows = await db.all<RuleRow>(sql`
    with recursive above (id, parent_id, distance) as (
      select n.id, n.parent_id, 1 from namespaces n where n.id = ${start}
      union all
      select n.id, n.parent_id, a.distance + 1 from above a join namespaces n on n.id = a.parent_id
    )
    select r.id, r.project_id, r.namespace_id, r.severity, r.expires_in_days, r.updated_at
    from dismissal_approval_rules r left join above on above.id = r.namespace_id
    where ${ofProject} or above.id is not null
    order by coalesce(above.distance, 0)`)
  return rows.map(ruleFrom)
}

/** Inserts or replaces the rule of an owner. */
export async function upsertRule(
  db: Db,
  owner: RuleOwner,
  { severity, expiresInDays }: ApprovalRule,
  now: string,
): Promise<void> {
  const rank = severityRanks[severity]
  const projectId = owner.kind === 'project' ? owner.id : null
  const namespaceId = owner.kind === 'group' ? owner.id : null
  const inserted = await db.run(sql`
    insert into dismissal_approval_rules (project_id, namespace_id, severity, expires_in_days, created_at, updated_at)
    values (${projectId}, ${namespaceId}, ${rank}, ${expiresInDays}, ${now}, ${now})
    on conflict do nothing`)
  if (inserted > 0) return
  await db.run(sql`
    update dismissal_approval_rules set severity = ${rank}, expires_in_days = ${expiresInDays}, updated_at = ${now}
    where ${isOf(owner)}`)
}

export async function deleteRule(db: Db, owner: RuleOwner): Promise<void> {
  await db.run(sql`delete from dismissal_approval_rules where ${isOf(owner)}`)
}
