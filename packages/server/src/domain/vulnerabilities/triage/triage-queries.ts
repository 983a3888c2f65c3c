import sql from 'sql-template-tag'
import type { Db } from '../../../db/db.ts'
import { staticStatement } from '../../../db/static-statement.ts'
import { hasFix } from '../../findings/fix-sql.ts'
import {
  confidenceOf,
  confidenceRanks,
  type Ranked,
  type Severity,
  severityOf,
  severityRanks,
} from '../../findings/scales.ts'
import { selectListeningHooks } from '../../hooks/listening-sql.ts'
import type { BasicVulnerability, Vulnerability, VulnerabilityWithFinding } from '../vulnerability.ts'
import {
  joinFinding,
  type VulnerabilityRow,
  type VulnerabilityWithFindingRow,
  vulnerabilityColumns,
  vulnerabilityFrom,
  withFindingColumns,
  withFindingFrom,
} from '../vulnerability-sql.ts'

export async function findVulnerabilityById(db: Db, id: number): Promise<Vulnerability | undefined> {
  const row = await db.one<VulnerabilityRow>(vulnerabilityById(db, id))
  return row && vulnerabilityFrom(row)
}

const vulnerabilityById = staticStatement(
  () => (id: number) => sql`select ${vulnerabilityColumns} from vulnerabilities where id = ${id}`,
)

export async function listBasicVulnerabilities(db: Db, ids: readonly number[]): Promise<BasicVulnerability[]> {
  return db.all(basicVulnerabilities(db, ids))
}

const basicVulnerabilities = staticStatement(
  (dialect) => (ids: readonly number[]) =>
    sql`
    select id, project_id, state from vulnerabilities where id in ${dialect.integers(ids)} order by id`,
)

/**
 * Returns the vulnerabilities of the project, locked until the transaction ends. Locks in order of id avoid deadlocks.
 */
export async function lockVulnerabilities(db: Db, projectId: number, ids: readonly number[]): Promise<Vulnerability[]> {
  const rows = await db.all<VulnerabilityRow>(sql`
    select ${vulnerabilityColumns} from vulnerabilities
    where id in ${db.dialect.integers(ids)} and +project_id = ${projectId} -- + keeps SQLite from scanning the project
    order by id ${db.dialect.forNoKeyUpdate}`)
  return rows.map(vulnerabilityFrom)
}

/**
 * Locks a vulnerability of the project until the transaction ends, and returns it with its finding. On PostgreSQL, the
 * finding can be older than an import that held the lock. `hasListeners` is true when a webhook receives its changes,
 * `hasApprovalRules` when any project or group has a rule for dismissals.
 */
export async function lockVulnerability(
  db: Db,
  projectId: number,
  id: number,
): Promise<(VulnerabilityWithFinding & { hasListeners: boolean; hasApprovalRules: boolean }) | undefined> {
  const listeners = selectListeningHooks(sql`1`, { kind: 'project', id: projectId }, 'vulnerability')
  type Flag = boolean | number
  const row = await db.one<VulnerabilityWithFindingRow & { hasListeners: Flag; hasApprovalRules: Flag }>(sql`
    select ${withFindingColumns(db.dialect)}, exists (${listeners}) as has_listeners,
      exists (select 1 from dismissal_approval_rules) as has_approval_rules
    from vulnerabilities v ${joinFinding}
    where v.id = ${id} and +v.project_id = ${projectId} ${db.dialect.forNoKeyUpdateOf('v')}`)
  if (!row) return undefined
  const flags = { hasListeners: Boolean(row.hasListeners), hasApprovalRules: Boolean(row.hasApprovalRules) }
  return Object.assign(withFindingFrom(row), flags)
}

/** Fields of a vulnerability as its scanner reports them. */
export interface Reported {
  vulnerabilityId: number
  name: string
  severity: Severity
  confidence: Vulnerability['confidence']
  scannerId: number
  /** Whether the report describes a fix. */
  hasFix: boolean
}

export async function listReported(db: Db, vulnerabilityIds: readonly number[]): Promise<Reported[]> {
  const rows = await db.all<Ranked<Omit<Reported, 'hasFix'>> & { hasFix: boolean | number }>(sql`
    select vulnerability_id, name, severity, confidence, scanner_id, ${hasFix('findings')} as has_fix from findings
    where vulnerability_id in ${db.dialect.integers(vulnerabilityIds)} order by vulnerability_id`)
  return rows.map((row) => ({
    ...row,
    severity: severityOf(row.severity),
    confidence: confidenceOf(row.confidence),
    hasFix: Boolean(row.hasFix),
  }))
}

const columns = {
  id: 'integer',
  title: 'text',
  state: 'text',
  severity: 'integer',
  confidence: 'integer',
  isResolvedOnDefaultBranch: 'boolean',
  isSeverityOverridden: 'boolean',
  isAutoResolved: 'boolean',
  scannerId: 'integer',
  isOnDefaultBranch: 'boolean',
  dismissalReason: 'text',
  dismissedUntil: 'text',
  isDismissedUntilFixed: 'boolean',
  dismissalRequestId: 'integer',
  confirmedAt: 'timestamp',
  confirmedById: 'integer',
  dismissedAt: 'timestamp',
  dismissedById: 'integer',
  resolvedAt: 'timestamp',
  resolvedById: 'integer',
  dueOn: 'text',
  isDueOnOverridden: 'boolean',
  fixAvailableAt: 'timestamp',
  assigneeId: 'integer',
  tags: 'json',
  ruleId: 'integer',
  ruleEffects: 'json',
  refDismissals: 'json',
  groupRuleId: 'integer',
  updatedAt: 'timestamp',
} as const

/** Updates vulnerabilities, which the caller must have locked. Triggers update the rows of their findings in lists. */
export async function saveVulnerabilities(db: Db, vulnerabilities: readonly Vulnerability[]): Promise<void> {
  if (vulnerabilities.length === 0) return
  const rows = vulnerabilities.map((vulnerability) => ({
    ...vulnerability,
    severity: severityRanks[vulnerability.severity],
    confidence: confidenceRanks[vulnerability.confidence],
  }))
  await db.run(sql`
    update vulnerabilities set title = r.title, state = r.state, severity = r.severity, confidence = r.confidence,
      is_resolved_on_default_branch = r.is_resolved_on_default_branch,
      is_severity_overridden = r.is_severity_overridden, is_auto_resolved = r.is_auto_resolved,
      scanner_id = r.scanner_id, is_on_default_branch = r.is_on_default_branch, dismissal_reason = r.dismissal_reason,
      dismissed_until = r.dismissed_until, is_dismissed_until_fixed = r.is_dismissed_until_fixed,
      dismissal_request_id = r.dismissal_request_id,
      confirmed_at = r.confirmed_at, confirmed_by_id = r.confirmed_by_id, dismissed_at = r.dismissed_at,
      dismissed_by_id = r.dismissed_by_id, resolved_at = r.resolved_at, resolved_by_id = r.resolved_by_id,
      due_on = r.due_on, is_due_on_overridden = r.is_due_on_overridden, fix_available_at = r.fix_available_at,
      assignee_id = r.assignee_id, tags = r.tags, rule_id = r.rule_id, rule_effects = r.rule_effects,
      ref_dismissals = r.ref_dismissals, group_rule_id = r.group_rule_id, updated_at = r.updated_at, version = vulnerabilities.version + 1
    from ${db.dialect.records(rows, columns)} as r where vulnerabilities.id = r.id`)
}
