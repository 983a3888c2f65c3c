import sql from 'sql-template-tag'
import type { Deps } from '../domain/deps.ts'
import { recountProjects } from '../domain/removal/recount.ts'

/** Returns stored counts that disagree with their rows, and vulnerabilities without a matching finding. */
export async function disagreements(deps: Deps): Promise<unknown[]> {
  const strays = await deps.db.all(sql`
    select v.id from vulnerabilities v left join findings f on f.vulnerability_id = v.id
    where f.id is null or v.scanner_id = 0 or f.report_type <> v.report_type`)
  return [...(await recountProjects(deps, false)), ...strays]
}
