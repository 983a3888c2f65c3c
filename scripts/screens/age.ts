import sql from 'sql-template-tag'
import { openDatabase } from '../../packages/server/src/db/open.ts'

const dayMs = 24 * 60 * 60 * 1000
/** Ages in days of the simulated reports. */
const arrivals = [83, 67, 52, 38, 23, 9]
const closedDaysAgo = 4

/**
 * Backdates the sample data over several months, so that the trend charts show changes. The server must not be running.
 */
export async function ageSampleData(file: string): Promise<void> {
  const db = await openDatabase({ kind: 'sqlite', file })
  try {
    const rows = await db.all<{ id: number; state: string; severity: number; projectId: number }>(sql`
      select id, state, severity, project_id from vulnerabilities order by id`)
    await db.transaction(async (db) => {
      await db.run(sql`delete from vulnerability_days`)
      for (const [index, { id, state, severity, projectId }] of rows.entries()) {
        const arrived = timeAgo(arrivals[Math.floor((index * arrivals.length) / rows.length)] ?? 1)
        const closed = timeAgo(closedDaysAgo + (index % 30) / 10)
        await db.run(sql`update vulnerabilities set created_at = ${arrived} where id = ${id}`)
        await db.run(sql`update vulnerabilities set resolved_at = ${closed} where id = ${id} and state = 'resolved'`)
        const grow = (time: string, growth: number) =>
          db.run(sql`
            insert into vulnerability_days (project_id, day, severity, growth)
            values (${projectId}, ${time.slice(0, 10)}, ${severity}, ${growth})
            on conflict (project_id, day, severity) do update set growth = vulnerability_days.growth + excluded.growth`)
        await grow(arrived, 1)
        if (state === 'resolved' || state === 'dismissed') await grow(closed, -1)
      }
      await db.run(sql`
        update vulnerability_counts set seconds = coalesce((
          select sum(unixepoch(v.resolved_at) - unixepoch(v.created_at)) from vulnerabilities v
          where v.state = 'resolved' and v.project_id = vulnerability_counts.project_id
            and v.severity = vulnerability_counts.severity and v.report_type = vulnerability_counts.report_type
            and v.scanner_id = vulnerability_counts.scanner_id
            and v.is_resolved_on_default_branch = vulnerability_counts.is_resolved_on_default_branch), 0)
        where state = 'resolved'`)
    })
  } finally {
    await db.close()
  }
}

const timeAgo = (days: number) => new Date(Date.now() - days * dayMs).toISOString()
