import sql from 'sql-template-tag'
import type { Db } from '../../db/db.ts'
import type { Finding, Vulnerability } from './finding.ts'
import {
  type FindingRow,
  findingColumns,
  findingFrom,
  type VulnerabilityRow,
  vulnerabilityColumns,
  vulnerabilityFrom,
} from './rows.ts'
import { confidenceRanks, type Severity, severityRanks } from './scales.ts'

/** By its id or its uuid; held until the transaction ends. */
export async function lockFinding(db: Db, projectId: number, reference: number | string): Promise<Finding | undefined> {
  const which = typeof reference === 'number' ? sql`f.id = ${reference}` : sql`f.uuid = ${reference.toLowerCase()}`
  const row = await db.one<FindingRow>(sql`
    select ${findingColumns} from findings f where f.project_id = ${projectId} and ${which}
      and exists (select 1 from occurrences o where o.finding_id = f.id) ${db.dialect.forUpdate}`)
  return row && findingFrom(row)
}

export interface VulnerabilityDraft {
  projectId: number
  authorId: number
  title: string
  severity: Severity
  confidence: Finding['confidence']
  reportType: string
  scannerId: number
  now: string
}

export async function insertVulnerability(db: Db, draft: VulnerabilityDraft): Promise<Vulnerability> {
  const row = await db.one<VulnerabilityRow>(sql`
    insert into vulnerabilities (project_id, author_id, title, state, severity, confidence, report_type,
      scanner_id, created_at, updated_at)
    values (${draft.projectId}, ${draft.authorId}, ${draft.title}, 'detected', ${severityRanks[draft.severity]},
      ${confidenceRanks[draft.confidence]}, ${draft.reportType}, ${draft.scannerId}, ${draft.now}, ${draft.now})
    returning ${vulnerabilityColumns}`)
  if (!row) throw new Error('an inserted vulnerability returned no row')
  return vulnerabilityFrom(row)
}

/** False when another request attached the finding first. */
export async function attachFinding(db: Db, findingId: number, vulnerabilityId: number, now: string): Promise<boolean> {
  const changed = await db.run(sql`
    update findings set vulnerability_id = ${vulnerabilityId}, updated_at = ${now}
    where id = ${findingId} and vulnerability_id is null`)
  return changed === 1
}
