import sql, { raw } from 'sql-template-tag'
import { beforeAll, describe, expect, test } from 'vitest'
import { formWithFile } from '../../testing/client.ts'
import { disagreements } from '../../testing/kept-counts.ts'
import { entry } from '../../testing/reports/reports.ts'
import { startServer, type TestServer } from '../../testing/server.ts'
import { examine } from './doctor.ts'
import { derivedColumns } from './recount.ts'

/** Numeric columns that are not derived from other rows, by reason. */
const notDerived = {
  'set by users or reports': [
    'users.projects_limit',
    'projects.max_absent_percent',
    'projects.ref_retention_days',
    'projects.max_upload_bytes',
    'projects.upload_quota_bytes',
    'invitations.access_level',
    'members.access_level',
    'oidc_memberships.access_level',
    'vulnerabilities.severity',
    'vulnerabilities.confidence',
    'findings.severity',
    'findings.confidence',
    'dismissal_approval_rules.severity',
    'dismissal_approval_rules.expires_in_days',
    'dismissal_templates.until_days',
  ],
  'the size of an object, which the doctor compares with the object': [
    'topics.avatar_bytes',
    'avatars.bytes',
    'topic_merges.source_avatar_bytes',
    'uploads.bytes',
    'imports.file_bytes',
    'vulnerability_exports.bytes',
  ],
  'a record of past events, whose rows may have changed since': [
    'vulnerability_exports.waiting_findings',
    'imports.findings_read',
    'imports.findings_new',
    'imports.findings_known',
    'imports.findings_absent',
    'imports.findings_held',
    'imports.findings_reappeared',
    'imports.findings_merged',
    'imports.findings_skipped',
    'topic_merges.moved_projects_count',
    'topic_merges.shared_projects_count',
    'imports.findings_changed',
    'imports.findings_moved',
    'imports.findings_promoted',
    'passkeys.sign_count',
    'sign_in_challenges.attempts',
    'totp_secrets.last_step',
    'imports.read_bytes',
    'hook_deliveries.duration_ms',
    'hook_deliveries.response_status',
    'resumable_parts.bytes',
    'resumable_parts.start_byte',
    'resumable_uploads.received_bytes',
    'resumable_uploads.total_bytes',
    'upload_links.uses',
    'upload_references.uses',
    'vulnerability_bulk_changes.changed',
    'vulnerability_bulk_changes.requested',
    'vulnerability_bulk_changes.restored',
    'vulnerability_bulk_changes.unchanged',
    'vulnerability_bulk_changes.withdrawn',
    'flaw_changes.total',
    'scope_bulk_changes.total',
    'scope_bulk_change_skips.total',
  ],
  'progress or a limit that is stored nowhere else': [
    'audit_streams.failures',
    'finding_promotions.promoted',
    'vulnerability_rule_runs.done',
    'vulnerability_rules.position',
    'report_schedules.day',
    'report_schedules.hour',
    'finding_promotions.total',
    'finding_promotions.unchanged',
    'hook_events.attempts',
    'hooks.failures',
    'imports.interruptions',
    'jobs.attempts',
    'jobs.done',
    'jobs.interruptions',
    'jobs.outages',
    'jobs.total',
    'mails.attempts',
    'request_counts.requests',
    'tracker_issues.attempts',
  ],
  'the key of a notice': ['token_expiry_notices.days'],
  'read from files or reports, or follows from what was read': [
    'feed_files.bytes',
    'feeds.row_count',
    'epss_scores.percentile_millionths',
    'epss_scores.score_millionths',
    'vulnerabilities.age_points',
    'vulnerabilities.cvss_tenths',
    'vulnerabilities.epss_millionths',
    'vulnerabilities.epss_percentile_millionths',
    'vulnerabilities.exposure_points',
    'vulnerabilities.priority',
  ],
  'a hash of what a vulnerability is': ['flaw_changes.from_key', 'flaw_changes.to_key', 'vulnerabilities.flaw_key'],
  'the number of a load': [
    'epss_scores.generation',
    'feeds.generation',
    'feeds.last_generation',
    'kev_entries.generation',
    'osv_aliases.generation',
  ],
  'a position': [
    'audit_chain.base_position',
    'audit_chain.position',
    'audit_events.position',
    'audit_streams.position',
    'finding_identifiers.position',
    'finding_keys.rank',
    'imported_finding_keys.rank',
    'finding_promotion_batches.position',
    'scope_bulk_change_batches.position',
    'vulnerability_bulk_changes.undo_position',
    'job_dispatch.ticket',
    'jobs.ticket',
    'jobs.turn',
    'staged_promotions.position',
  ],
  'the number of changes of its row': ['findings.version', 'vulnerabilities.version'],
  'the key of a counter': ['vulnerability_counts.severity', 'vulnerability_days.severity'],
} as const satisfies Record<string, readonly string[]>

test('every numeric column is recounted by the doctor or listed as not derived', async () => {
  const { deps } = await startServer()
  const rows = await deps.db.all<{ name: string }>(
    deps.db.dialect.engine === 'sqlite'
      ? sql`
          select t.name || '.' || c.name as name from sqlite_schema t join pragma_table_xinfo(t.name) c
          where t.type = 'table' and lower(c.type) = 'integer'`
      : sql`
          select table_name || '.' || column_name as name from information_schema.columns
          where table_schema = current_schema() and data_type in ('bigint', 'integer', 'smallint', 'numeric')`,
  )
  // Excludes ids and the tables of SQLite and its search index.
  const columns = rows.map(({ name }) => name).filter((name) => !/^sqlite_|_search(_[a-z]+)?\.|[._]id$/.test(name))
  const derived: readonly string[] = Object.values(derivedColumns).flat()
  const others = columns.filter((name) => !derived.includes(name))
  expect(others.sort()).toEqual(Object.values(notDerived).flat().sort())
})

/** Wrong values of columns that are not numeric. */
const wrongValues: Readonly<Record<string, string>> = {
  state: "case state when 'dismissed' then 'detected' else 'dismissed' end",
  inherited: 'not inherited',
}

describe('a damaged counter', () => {
  let server: TestServer
  const clock = { now: '2026-03-01T10:00:00.000Z' }

  beforeAll(async () => {
    server = await startServer({ clock, keepOpen: true })
    const { admin } = server
    for (const path of ['acme/one', 'acme/two']) {
      const { id } = await server.project(path, { maxAbsentPercent: null })
      await admin.put(`/projects/${id}`, { topics: ['counted', path.slice(5)] })
      await admin.post(`/projects/${id}/uploads`, formWithFile('file', 'a.txt', 'text'))
      expect((await admin.post(`/projects/${id}/star`)).status).toBe(201)
      const send = async (lines: number[], promote: string) => {
        const entries = lines.map((line) => entry({ line, severity: line % 2 ? 'High' : 'Low' }))
        await server.report({ id }, entries, { promote, ref: 'main' })
      }
      await send([1, 2, 3], 'true')
      await send([1, 2, 3, 4], 'false')
      const [first] = (await admin.get(`/projects/${id}/vulnerabilities`)).body
      clock.now = new Date(Date.parse(clock.now) + 60_000).toISOString()
      expect((await admin.post(`/vulnerabilities/${first.id}/resolve`)).status).toBe(201)
    }
    expect(await disagreements(server.deps)).toEqual([])
    return () => server.close()
  })

  const damages: [string, string, string][] = Object.entries(derivedColumns).flatMap(([kind, columns]) =>
    columns.map((column): [string, string, string] => {
      const [table, name] = column.split('.')
      const wrong = wrongValues[name ?? ''] ?? `${name} + 1000`
      return [kind, column, `update ${table} set ${name} = ${wrong}`]
    }),
  )
  for (const [kind, table] of [
    ['wrong upload usage', 'upload_usage'],
    ['wrong vulnerability counts', 'vulnerability_counts'],
    ['wrong vulnerability growth', 'vulnerability_days'],
    ['wrong promoted findings', 'promoted_findings'],
  ] as const) {
    damages.push([kind, `${table} without its rows`, `delete from ${table}`])
  }
  const surplus = `insert into promoted_findings (finding_id, vulnerability_id, facets, scanner_id)
    select id, 1, 1, scanner_id from findings where vulnerability_id is null`
  damages.push(['wrong promoted findings', 'promoted_findings with a finding that is not promoted', surplus])
  const oneProject =
    'update vulnerability_counts set total = total - 1 where project_id = (select min(id) from projects)'
  damages.push(['wrong vulnerability counts', 'vulnerability_counts of one project', oneProject])

  test.each(damages)('%s: %s is reported and repaired', async (kind, _what, damage) => {
    const { deps } = server
    const table = raw(/(?:update|into|from) (\w+)/.exec(damage)?.[1] ?? '')
    const read = async () => (await deps.db.all(sql`select * from ${table}`)).map((row) => JSON.stringify(row)).sort()
    const before = await read()
    expect(await deps.db.run(sql`${raw(damage)}`)).toBeGreaterThan(0)
    const { findings, left } = await examine(deps, { fix: false })
    expect([...new Set(findings.map((finding) => finding.kind))]).toEqual([kind])
    expect(left).toBe(findings.length)
    expect(await examine(deps, { fix: true })).toMatchObject({ findings, left: 0 })
    expect((await examine(deps, { fix: false })).findings).toEqual([])
    expect(await read()).toEqual(before)
  })
})
