import sql from 'sql-template-tag'
import type { Db } from '../../db/db.ts'
import { findingPackage, parsePackageUrl } from '../../domain/findings/package-url.ts'
import { severityRanks } from '../../domain/findings/scales.ts'
import { upsertPromoted } from '../../domain/vulnerabilities/list/promoted-queries.ts'

/** A vulnerability with its finding that a test inserts without a report. */
export interface MadeUp {
  id: number
  projectId: number
  title: string
  file: string
  state: 'detected' | 'confirmed' | 'resolved' | 'dismissed'
  severity: keyof typeof severityRanks
  reportType: string
  /** The scanner's external id. */
  scanner: string
  isOnDefaultBranch: boolean
  isResolvedOnDefaultBranch: boolean
  dismissalReason: string | null
  assigneeId?: number | null
  dismissedUntil?: string | null
  isDismissedUntilFixed?: boolean
  identifiers: readonly string[]
  cvssTenths?: number | null
  epssMillionths?: number | null
  isKev?: boolean
  hasFix?: boolean
  dueOn?: string | null
  /** The rule that has changed it. */
  ruleId?: number | null
  /** Refs on which the finding is present. */
  refs: readonly string[]
  packageUrl?: string | undefined
  /** In lower case, in their order. */
  tags?: readonly string[]
  flawKey?: number | undefined
  hasIssue?: boolean
  /** Image of the location. */
  image?: string | null
  hasRemediations?: boolean
  /** Refs on which it is dismissed, for `reasonOnRefs`. */
  dismissedOn?: readonly string[]
  isDecidedForGroup?: boolean
}

/** Reason of dismissals on single refs. */
export const reasonOnRefs = 'mitigating_control'

/** Default values for test vulnerabilities. */
export const usual = {
  title: 'Weak hash',
  file: 'src/app.ts',
  state: 'detected',
  severity: 'medium',
  reportType: 'sast',
  scanner: 'semgrep',
  isOnDefaultBranch: true,
  isResolvedOnDefaultBranch: false,
  dismissalReason: null,
  identifiers: ['CWE-327'],
  refs: ['main'],
} as const satisfies Partial<MadeUp>

const noExtras = { links: [], flags: [], evidence: null, assets: [], cvss: [], remediations: [], signatures: [] }

const packageColumns = ({ packageUrl = '' }: MadeUp) => {
  const found = findingPackage(parsePackageUrl(packageUrl), undefined)
  return { package_url: found?.url ?? null, package_key: found?.key ?? null, package_name: found?.name ?? null }
}

/** Inserts vulnerabilities in the state that imports and triage would leave, with stored counts. Once per project. */
export async function insertMadeUp(db: Db, all: readonly MadeUp[], now: string): Promise<void> {
  const { records, integers } = db.dialect
  const projectIds = [...new Set(all.map(({ projectId }) => projectId))]
  const firstId = 1000 * Math.min(...projectIds)
  const scanners = [...new Set(all.map(({ projectId, scanner }) => `${projectId} ${scanner}`))].map((key, index) => ({
    id: firstId + index,
    project_id: Number(key.split(' ')[0]),
    external_id: key.slice(key.indexOf(' ') + 1),
  }))
  const scannerId = (made: MadeUp) =>
    scanners.find((row) => row.project_id === made.projectId && row.external_id === made.scanner)?.id
  await db.run(sql`
    insert into scanners (id, project_id, external_id, name, vendor, created_at)
    select r.id, r.project_id, r.external_id, r.external_id, 'Acme', ${now}
    from ${records(scanners, { id: 'integer', project_id: 'integer', external_id: 'text' })} as r`)
  const names = [
    ...new Set(all.flatMap(({ projectId, identifiers }) => identifiers.map((name) => `${projectId} ${name}`))),
  ]
  const identifierId = (projectId: number, name: string) => firstId + names.indexOf(`${projectId} ${name}`)
  const identifiers = names.map((key, index) => ({
    id: firstId + index,
    project_id: Number(key.split(' ')[0]),
    name: key.slice(key.indexOf(' ') + 1),
  }))
  await db.run(sql`
    insert into identifiers (id, project_id, fingerprint, external_type, external_id, name)
    select r.id, r.project_id, r.name, 'cwe', 'id:' || r.name, r.name
    from ${records(identifiers, { id: 'integer', project_id: 'integer', name: 'text' })} as r`)

  const rows = all.map((made) => ({
    id: made.id,
    project_id: made.projectId,
    title: made.title,
    location: { file: made.file, ...(made.image && { image: made.image }) },
    extras: { ...noExtras, remediations: made.hasRemediations ? [{ summary: 'Patch', diff: '' }] : [] },
    state: made.state,
    severity: severityRanks[made.severity],
    report_type: made.reportType,
    scanner_id: scannerId(made),
    on_default: made.isOnDefaultBranch,
    resolved: made.isResolvedOnDefaultBranch,
    reason: made.dismissalReason,
    assignee_id: made.assigneeId ?? null,
    due_on: made.dueOn ?? null,
    rule_id: made.ruleId ?? null,
    until: made.dismissedUntil ?? null,
    until_fixed: made.isDismissedUntilFixed ?? false,
    resolved_at: made.state === 'resolved' ? now : null,
    cvss: made.cvssTenths ?? null,
    epss: made.epssMillionths ?? null,
    kev: made.isKev ?? false,
    fix_at: made.hasFix ? now : null,
    flaw_key: made.flawKey ?? null,
    identifier_id: identifierId(made.projectId, made.identifiers[0] ?? ''),
    ...packageColumns(made),
    tags: made.tags ?? [],
  }))
  const columns = {
    id: 'integer',
    project_id: 'integer',
    title: 'text',
    location: 'json',
    state: 'text',
    severity: 'integer',
    report_type: 'text',
    scanner_id: 'integer',
    on_default: 'boolean',
    resolved: 'boolean',
    reason: 'text',
    assignee_id: 'integer',
    due_on: 'text',
    rule_id: 'integer',
    until: 'text',
    until_fixed: 'boolean',
    resolved_at: 'timestamp',
    cvss: 'integer',
    epss: 'integer',
    kev: 'boolean',
    fix_at: 'timestamp',
    flaw_key: 'integer',
    identifier_id: 'integer',
    package_url: 'text',
    package_key: 'text',
    package_name: 'text',
    tags: 'json',
    extras: 'json',
  } as const
  await db.run(sql`
    insert into vulnerabilities (id, project_id, title, state, severity, confidence, report_type, scanner_id,
      is_on_default_branch, is_resolved_on_default_branch, dismissal_reason, dismissed_until, is_dismissed_until_fixed,
      assignee_id, due_on, rule_id, resolved_at, cvss_tenths, epss_millionths, epss_percentile_millionths, is_kev,
      fix_available_at, is_scored, tags, flaw_key, created_at, updated_at)
    select r.id, r.project_id, r.title, r.state, r.severity, 2, r.report_type, r.scanner_id, r.on_default, r.resolved,
      r.reason, r.until, r.until_fixed, r.assignee_id, r.due_on, r.rule_id, r.resolved_at, r.cvss, r.epss, r.epss,
      r.kev, r.fix_at, true, r.tags, r.flaw_key, ${now}, ${now}
    from ${records(rows, columns)} as r`)
  await db.run(sql`
    insert into findings (id, project_id, vulnerability_id, uuid, report_type, scanner_id, primary_identifier_id, name,
      severity, confidence, location, location_fingerprint, details, extras, digest, metadata_version, raw_metadata,
      package_url, package_key, package_name, detected_at, created_at, updated_at)
    select r.id, r.project_id, r.id, 'uuid-' || r.id, r.report_type, r.scanner_id, r.identifier_id, r.title, r.severity, 2,
      r.location, '', '{}', r.extras, '', '15.2.1', '{}', r.package_url, r.package_key, r.package_name, ${now}, ${now}, ${now}
    from ${records(rows, columns)} as r`)
  await upsertPromoted(
    db,
    all.map(({ id }) => id),
  )
  const joins = all.flatMap(({ id, projectId, identifiers }) =>
    identifiers.map((name, position) => ({
      finding_id: id,
      position,
      identifier_id: identifierId(projectId, name),
    })),
  )
  const joinColumns = { finding_id: 'integer', position: 'integer', identifier_id: 'integer' } as const
  await db.run(sql`
    insert into finding_identifiers (finding_id, position, identifier_id)
    select r.finding_id, r.position, r.identifier_id from ${records(joins, joinColumns)} as r`)
  const tagged = all.flatMap(({ id, projectId, tags = [] }) =>
    tags.map((name) => ({ id, project_id: projectId, name })),
  )
  const taggedColumns = { id: 'integer', project_id: 'integer', name: 'text' } as const
  await db.run(sql`
    insert into vulnerability_tags (project_id, name, name_key)
    select distinct r.project_id, r.name, r.name from ${records(tagged, taggedColumns)} as r`)
  await db.run(sql`
    insert into tagged_findings (tag_id, finding_id)
    select t.id, r.id from ${records(tagged, taggedColumns)} as r
    join vulnerability_tags t on t.project_id = r.project_id and t.name_key = r.name`)
  const linked = all.flatMap(({ id, hasIssue }) => (hasIssue ? [{ id }] : []))
  await db.run(sql`
    insert into vulnerability_links (vulnerability_id, link_type, url, title, created_at, updated_at)
    select r.id, 'related', 'https://issues.example.com/' || r.id, 'Issue', ${now}, ${now}
    from ${records(linked, { id: 'integer' })} as r`)
  const onRefs = all.flatMap(({ id, projectId, dismissedOn = [] }) =>
    dismissedOn.map((ref) => ({ id, project_id: projectId, ref })),
  )
  await db.run(sql`
    insert into ref_dismissals (vulnerability_id, ref, project_id, reason, is_until_fixed)
    select r.id, r.ref, r.project_id, ${reasonOnRefs}, false
    from ${records(onRefs, { id: 'integer', project_id: 'integer', ref: 'text' })} as r`)
  await decideForGroup(
    db,
    all.filter(({ isDecidedForGroup }) => isDecidedForGroup).map(({ id }) => id),
    now,
  )
  const isOpen = ({ state }: MadeUp) => state === 'detected' || state === 'confirmed'
  const occurrences = all.flatMap((made) =>
    made.refs.map((ref) => ({
      finding_id: made.id,
      project_id: made.projectId,
      severity: severityRanks[made.severity],
      state: isOpen(made) && made.dismissedOn?.includes(ref) ? 'dismissed' : made.state,
      ref,
    })),
  )
  const occurrenceColumns = {
    finding_id: 'integer',
    project_id: 'integer',
    severity: 'integer',
    state: 'text',
    ref: 'text',
  } as const
  await db.run(sql`
    insert into occurrences (project_id, finding_id, ref, severity, state, is_present, first_seen_at, last_seen_at)
    select r.project_id, r.finding_id, r.ref, r.severity, r.state, true, ${now}, ${now}
    from ${records(occurrences, occurrenceColumns)} as r`)
  await db.run(sql`
    insert into vulnerability_counts (project_id, is_on_default_branch, severity, state, report_type, scanner_id,
      is_resolved_on_default_branch, dismissal_reason, total, seconds)
    select project_id, is_on_default_branch, severity, state, report_type, scanner_id, is_resolved_on_default_branch,
      coalesce(dismissal_reason, ''), count(*), 0
    from vulnerabilities where project_id in ${integers(projectIds)}
    group by project_id, is_on_default_branch, severity, state, report_type, scanner_id, is_resolved_on_default_branch,
      coalesce(dismissal_reason, '')`)
}

/** Connects vulnerabilities with a rule that decisions about them have created. */
async function decideForGroup(db: Db, ids: readonly number[], now: string): Promise<void> {
  const rule = await db.one<{ id: number }>(sql`
    insert into vulnerability_rules (level, position, name, is_enabled, origin, match, action, is_timed, created_at,
      updated_at)
    values ('instance', 1, 'Decision', false, 'decision', ${{}}, ${{}}, false, ${now}, ${now}) returning id`)
  await db.run(sql`update vulnerabilities set group_rule_id = ${rule?.id} where id in ${db.dialect.integers(ids)}`)
}
