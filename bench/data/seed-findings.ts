import { createHash } from 'node:crypto'
import sql from 'sql-template-tag'
import type { Database, Db } from '../../packages/server/src/db/db.ts'
import { shownStateOn } from '../../packages/server/src/domain/findings/finding-sql.ts'
import { dismissalReasons, type Severity, severityRanks } from '../../packages/server/src/domain/findings/scales.ts'
import { upsertPromoted } from '../../packages/server/src/domain/vulnerabilities/list/promoted-queries.ts'
import type { Sizes } from '../options.ts'
import { forEachBatch } from './batches.ts'
import { reportEntry, scanner, scatter, severityWord } from './entries.ts'
import { assigneeCount, firstAssigneeId, measuredProjects, now } from './fixtures.ts'

/** Seeds findings like those of an imported report, all promoted, some triaged, a few dismissed. */
export async function seedFindings(db: Database, { findings, allFindings }: Sizes): Promise<void> {
  const projects = Object.values(measuredProjects)
  // Ten findings in each file of the project that is copied, as in a large one.
  const step = allFindings ? 1009 : 1
  let before = 0
  for (const [index, projectId] of projects.entries()) {
    const total = findings[index] ?? 0
    if (total === 0) continue
    await insertImport(db, projectId)
    const identifiers = await insertIdentifiers(db, projectId)
    await forEachBatch(db, `findings of project ${projectId}`, total, async (db, numbers) => {
      const ids = numbers.map((number) => ({ id: 1 + before + number, number: number * step }))
      await insertVulnerabilities(db, projectId, ids)
      await insertFindings(db, projectId, ids, identifiers)
      await upsertPromoted(
        db,
        ids.map(({ id }) => id),
      )
    })
    before += total
  }
}

/** Counts the seeded vulnerabilities, as imports and triage do. */
export async function insertCounts(db: Database): Promise<void> {
  await db.run(sql`
    insert into vulnerability_counts (project_id, is_on_default_branch, severity, state, report_type, scanner_id,
      is_resolved_on_default_branch, dismissal_reason, total, seconds)
    select project_id, true, severity, state, report_type, scanner_id, is_resolved_on_default_branch,
      coalesce(dismissal_reason, ''), count(*), 0
    from vulnerabilities group by project_id, severity, state, report_type, scanner_id, is_resolved_on_default_branch,
      coalesce(dismissal_reason, '')`)
  await db.run(sql`
    insert into vulnerability_days (project_id, day, severity, growth)
    select project_id, ${now.slice(0, 10)}, severity, count(*) from vulnerabilities
    where state in ('detected', 'confirmed') group by project_id, severity`)
}

interface Numbered {
  id: number
  number: number
}

async function insertImport(db: Database, projectId: number): Promise<void> {
  await db.run(sql`
    insert into imports (id, project_id, user_id, ref, format, report_type, file_sha256, file_bytes, findings_read,
      findings_new, findings_known, findings_absent, findings_reappeared, findings_merged, findings_skipped, warnings,
      created_at)
    values (${projectId}, ${projectId}, 1, 'main', 'gitlab', 'sast', '', 0, 0, 0, 0, 0, 0, 0, 0, ${[]}, ${now})`)
  await db.run(sql`
    insert into scanners (id, project_id, external_id, name, vendor, created_at)
    values (${projectId}, ${projectId}, ${scanner.id}, ${scanner.name}, ${scanner.vendor.name}, ${now})`)
}

/** Inserts the identifiers of all rules. Returns their ids by name. */
async function insertIdentifiers(db: Database, projectId: number): Promise<Map<string, number>> {
  const all = Array.from({ length: 5_000 }, (_, number) => reportEntry(number).identifiers).flat()
  const distinct = [...new Map(all.map((identifier) => [`${identifier.type}:${identifier.value}`, identifier]))]
  const rows = distinct.map(([key, { type, name, value, url }], index) => ({
    id: projectId * 10_000 + index,
    fingerprint: sha1(key),
    external_type: type,
    external_id: value,
    name,
    url,
  }))
  const columns = {
    id: 'integer',
    fingerprint: 'text',
    external_type: 'text',
    external_id: 'text',
    name: 'text',
    url: 'text',
  } as const
  await db.run(sql`
    insert into identifiers (id, project_id, fingerprint, external_type, external_id, name, url)
    select r.id, ${projectId}, r.fingerprint, r.external_type, r.external_id, r.name, r.url
    from ${db.dialect.records(rows, columns)} as r`)
  return new Map(distinct.map(([key], index) => [key, projectId * 10_000 + index]))
}

async function insertVulnerabilities(db: Db, projectId: number, ids: readonly Numbered[]): Promise<void> {
  const rows = ids.map(({ id, number }) => ({
    id,
    title: reportEntry(number).name,
    state: stateOf(number),
    severity: rankOf(number),
    resolved_at: stateOf(number) === 'resolved' ? now : null,
    reason: stateOf(number) === 'dismissed' ? dismissalReasons[number % dismissalReasons.length] : null,
    is_gone: scatter(number * 11) % 20 === 0,
    ...decisionOf(number),
    ...threatOf(number),
    flaw_key: flawKeyOf(projectId, number),
    // Without such rules, which nothing reads here.
    rule_id: scatter(number * 53) % 100 === 0 ? 1 + (scatter(number * 59) % 20) : null,
  }))
  const columns = {
    id: 'integer',
    title: 'text',
    state: 'text',
    severity: 'integer',
    resolved_at: 'timestamp',
    reason: 'text',
    is_gone: 'boolean',
    assignee_id: 'integer',
    due_on: 'text',
    dismissed_until: 'text',
    epss: 'integer',
    is_kev: 'boolean',
    fix_at: 'timestamp',
    flaw_key: 'integer',
    rule_id: 'integer',
  } as const
  await db.run(sql`
    insert into vulnerabilities (id, project_id, author_id, title, state, severity, confidence, report_type, scanner_id,
      created_at, updated_at, resolved_at, dismissal_reason, is_resolved_on_default_branch, assignee_id, due_on,
      dismissed_until, epss_millionths, epss_percentile_millionths, is_kev, fix_available_at, cvss_tenths, age_points,
      is_scored, flaw_key, rule_id)
    select r.id, ${projectId}, 1, r.title, r.state, r.severity, 2, 'sast', ${projectId}, ${now}, ${now},
      r.resolved_at, r.reason, r.is_gone, r.assignee_id, r.due_on, r.dismissed_until, r.epss, r.epss, r.is_kev, r.fix_at,
      r.id % 100, 5, true, r.flaw_key, r.rule_id -- so that no task changes them during a measurement
    from ${db.dialect.records(rows, columns)} as r`)
}

/** More than half are alone in their flaw. The others share one with about eight, some of them in other projects. */
function flawKeyOf(projectId: number, number: number): number {
  const isShared = scatter(number * 61) % 5 < 2
  const name = isShared ? `shared ${scatter(number * 67) % 50_000}` : `${projectId} ${number}`
  return Number.parseInt(sha1(name).slice(0, 13), 16)
}

/** Every third vulnerability is due within two years, every tenth is assigned, half of the dismissals end. */
function decisionOf(number: number) {
  const day = (salt: number) => new Date(Date.parse(now) + (scatter(number * salt) % 730) * 86_400_000)
  const isEnding = stateOf(number) === 'dismissed' && number % 2 === 0
  return {
    assignee_id: scatter(number * 13) % 10 === 0 ? firstAssigneeId + (scatter(number * 17) % assigneeCount) : null,
    due_on: scatter(number * 19) % 3 === 0 ? day(23).toISOString().slice(0, 10) : null,
    dismissed_until: isEnding ? day(29).toISOString().slice(0, 10) : null,
  }
}

/** A third has an EPSS score, mostly a low one; one in 500 is in KEV; two fifths have a fix. */
function threatOf(number: number) {
  const probability = (scatter(number * 31) % 1_000) / 1_000
  return {
    epss: scatter(number * 37) % 3 === 0 ? Math.round(probability ** 4 * 1_000_000) : null,
    is_kev: scatter(number * 41) % 500 === 0,
    fix_at: scatter(number * 43) % 5 < 2 ? now : null,
  }
}

async function insertFindings(
  db: Db,
  projectId: number,
  ids: readonly Numbered[],
  identifiers: ReadonlyMap<string, number>,
): Promise<void> {
  const rows = ids.map(({ id, number }) => findingRow(id, number, projectId, identifiers))
  await db.run(sql`
    insert into findings (id, project_id, vulnerability_id, uuid, report_type, scanner_id, primary_identifier_id, name,
      description, solution, severity, confidence, cve, location, location_fingerprint, details, extras, digest,
      metadata_version, raw_metadata, detected_at, created_at, updated_at)
    select r.id, ${projectId}, r.id, r.uuid, 'sast', ${projectId}, r.identifier_id, r.name, r.description, r.solution,
      r.severity, 2, r.cve, r.location, r.location_fingerprint, r.details, r.extras, r.digest, '15.2.1',
      r.raw_metadata, ${now}, ${now}, ${now}
    from ${db.dialect.records(rows, findingColumns)} as r`)
  const links = ids.flatMap(({ id, number }) =>
    reportEntry(number).identifiers.map(({ type, value }, position) => ({
      finding_id: id,
      position,
      identifier_id: identifiers.get(`${type}:${value}`),
    })),
  )
  const columns = { finding_id: 'integer', position: 'integer', identifier_id: 'integer' } as const
  await db.run(sql`
    insert into finding_identifiers (finding_id, position, identifier_id)
    select r.finding_id, r.position, r.identifier_id from ${db.dialect.records(links, columns)} as r`)
  await db.run(sql`
    insert into occurrences (project_id, finding_id, ref, severity, state, is_present, first_import_id, last_import_id,
      first_seen_at, last_seen_at)
    select ${projectId}, f.id, 'main', f.severity, ${shownStateOn(sql`'main'`)}, true, ${projectId}, ${projectId}, ${now}, ${now}
    from findings f where f.id in ${db.dialect.integers(ids.map(({ id }) => id))}`)
}

const findingColumns = {
  id: 'integer',
  uuid: 'text',
  identifier_id: 'integer',
  name: 'text',
  description: 'text',
  solution: 'text',
  severity: 'integer',
  cve: 'text',
  location: 'json',
  location_fingerprint: 'text',
  details: 'json',
  extras: 'json',
  digest: 'text',
  raw_metadata: 'text',
} as const

function findingRow(id: number, number: number, projectId: number, identifiers: ReadonlyMap<string, number>) {
  const entry = reportEntry(number)
  const [primary] = entry.identifiers
  const digest = sha1(`${projectId}:${number}`)
  return {
    id,
    uuid: digest.replace(/^(.{8})(.{4})(.{3})(.{3})(.{12}).*/, '$1-$2-5$3-8$4-$5'),
    identifier_id: primary && identifiers.get(`${primary.type}:${primary.value}`),
    name: entry.name,
    description: entry.description,
    solution: entry.solution,
    severity: rankOf(number),
    cve: entry.cve,
    location: entry.location,
    location_fingerprint: digest,
    details: {},
    extras: { links: entry.links, flags: [], evidence: null, assets: [], cvss: [], remediations: [], signatures: [] },
    digest,
    raw_metadata: JSON.stringify(entry),
  }
}

function rankOf(number: number): number {
  return severityRanks[severityWord(number).toLowerCase() as Severity]
}

function stateOf(number: number): string {
  const share = scatter(number * 7) % 100
  if (share < 8) return 'dismissed'
  return share < 13 ? 'confirmed' : share < 15 ? 'resolved' : 'detected'
}

function sha1(text: string): string {
  return createHash('sha1').update(text).digest('hex')
}
