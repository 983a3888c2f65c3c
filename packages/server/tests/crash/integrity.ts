import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import Sqlite from 'better-sqlite3'
import { digest } from './api.ts'

export interface Examination {
  /** Problems, one sentence each. */
  problems: string[]
  /** Number of objects that rows refer to. */
  files: number
  /** Orphaned and partial objects that kills leave for the orphan cleanup. */
  orphans: number
  unfinished: number
}

/** Inspects the data folder of a stopped server. */
export async function examine(folder: string): Promise<Examination> {
  const database = new Sqlite(join(folder, 'alcove.sqlite3'), { readonly: true })
  try {
    const problems = [...checkEngine(database), ...checkCounters(database)]
    const objects = await listObjects(folder)
    const referenced = new Set<string>()
    for (const row of database.prepare<[], StoredRow>(storedRows).all()) {
      const name = row.key.replaceAll('/', '=')
      referenced.add(name)
      const path = objects.get(name)
      const content = path === undefined ? undefined : await readFile(path)
      if (!content) problems.push(`${row.what} has no file`)
      else if (content.length !== row.bytes)
        problems.push(`${row.what}: ${content.length} bytes instead of ${row.bytes}`)
      else if (row.sha256 !== null && digest(content) !== row.sha256) problems.push(`${row.what} has other bytes`)
    }
    const unfinished = (await readdir(join(folder, 'objects', 'tmp'))).length
    const orphans = [...objects.keys()].filter((name) => !referenced.has(name)).length
    return { problems, files: referenced.size, orphans, unfinished }
  } finally {
    database.close()
  }
}

interface StoredRow {
  what: string
  key: string
  bytes: number
  sha256: string | null
}

const storedRows = `
  select 'upload ' || id as what, object_key as key, bytes, sha256 from uploads
  union all
  select 'avatar of topic ' || id, avatar_key, avatar_bytes, null from topics where avatar_key is not null`

function checkEngine(database: Sqlite.Database): string[] {
  const integrity = database.pragma('integrity_check', { simple: true })
  const foreignKeys = database.pragma('foreign_key_check') as unknown[]
  return [
    ...(integrity === 'ok' ? [] : [`integrity_check: ${integrity}`]),
    ...foreignKeys.map((row) => `foreign_key_check: ${JSON.stringify(row)}`),
  ]
}

/** Returns stored counts that differ from the sums of their rows. */
const counters = {
  'topic counts': `
    select id from topics t
    where total_projects_count <> (select count(*) from project_topics a where a.topic_id = t.id)
      or non_private_projects_count <> (
        select count(*) from project_topics a join projects p on p.id = a.project_id
        where a.topic_id = t.id and p.visibility <> 'private')`,
  'vulnerability counts': `
    select project_id, cell, sum(total), sum(seconds) from (
      select project_id, is_on_default_branch || severity || state || report_type || ' ' || scanner_id || ' '
        || is_resolved_on_default_branch || dismissal_reason as cell, total, seconds from vulnerability_counts
      union all
      select project_id, is_on_default_branch || severity || state || report_type || ' ' || scanner_id || ' '
        || is_resolved_on_default_branch || coalesce(dismissal_reason, ''), -count(*),
        -sum(case when state = 'resolved' then unixepoch(resolved_at) - unixepoch(created_at) else 0 end)
      from vulnerabilities group by project_id, 2)
    group by project_id, cell having sum(total) <> 0 or sum(seconds) <> 0`,
  'vulnerabilities by day': `
    select project_id, severity, sum(growth) from (
      select project_id, severity, growth from vulnerability_days
      union all
      select project_id, severity, -1 from vulnerabilities
      where is_on_default_branch and state in ('detected', 'confirmed'))
    group by project_id, severity having sum(growth) <> 0`,
  'upload usage': `
    select project_id, sum(files), sum(bytes) from (
      select project_id, files, bytes from upload_usage where project_id is not null
      union all
      select project_id, -count(*), -sum(bytes) from uploads
      where project_id is not null and deleted_at is null group by project_id)
    group by project_id having sum(files) <> 0 or sum(bytes) <> 0`,
  'promoted findings': `
    select v.id from vulnerabilities v left join findings f on f.vulnerability_id = v.id where f.id is null`,
  'findings of imports': `
    select i.id from imports i
    where findings_read <> findings_new + findings_known + findings_reappeared + findings_merged + findings_skipped`,
}

function checkCounters(database: Sqlite.Database): string[] {
  return Object.entries(counters).flatMap(([what, query]) =>
    database
      .prepare(query)
      .all()
      .map((row) => `wrong ${what}: ${JSON.stringify(row)}`),
  )
}

async function listObjects(folder: string): Promise<Map<string, string>> {
  const entries = await readdir(join(folder, 'objects', 'objects'), { recursive: true, withFileTypes: true })
  return new Map(entries.flatMap((entry) => (entry.isFile() ? [[entry.name, join(entry.parentPath, entry.name)]] : [])))
}
