import type { Schemas } from '@alcove/client'
import { api } from '../../data/api.ts'
import { placeInWords } from '../../nouns/finding/place.ts'
import type { FindingFilter } from '../../nouns/vulnerability/filters.ts'
import type { RowSource } from '../../nouns/vulnerability/row-source.ts'

/** Fields of a finding that the list shows. */
export interface FindingRow {
  id: number
  /** Address of its page. */
  to: string
  title: string
  place: string
  severity: string
  reportType: string
  scanner: string
  identifier: string
}

export function unpromotedFindingsOf(projectId: number, filter: FindingFilter): RowSource<FindingRow> {
  return {
    id: JSON.stringify(['findings', projectId, filter]),
    async load(place, signal) {
      const query = { ...filter, has_vulnerability: false, ...place }
      const found = await api.page(
        'GET /projects/{id}/vulnerability_findings',
        { path: { id: projectId }, query },
        signal,
      )
      return { ...found, rows: found.rows.map(asRow) }
    },
  }
}

function asRow(finding: Schemas['Finding']): FindingRow {
  return {
    id: finding.id,
    to: `/${finding.project.full_path.replace(/^\//, '')}/-/findings/${finding.id}`,
    title: finding.name,
    place: placeInWords(finding.location),
    severity: finding.severity,
    reportType: finding.report_type,
    scanner: finding.scanner.name,
    identifier: finding.identifiers[0]?.name ?? '',
  }
}
