import type { Schemas } from '@alcove/client'
import { api } from '../../../data/api.ts'
import { identifierNames } from '../../../nouns/finding/identifier-names.ts'
import { placeInWords } from '../../../nouns/finding/place.ts'
import { type FindingFilter, states } from '../../../nouns/vulnerability/filters.ts'
import type { VulnerabilityRow } from '../../../nouns/vulnerability/owner.ts'
import type { RowSource } from '../../../nouns/vulnerability/row-source.ts'

/** Findings of a project that await triage, as rows of the list of vulnerabilities, most severe first. */
export function waitingFindingsOf(
  { id: projectId, path }: { id: number; path: string },
  filter: FindingFilter,
): RowSource<VulnerabilityRow> {
  return {
    id: JSON.stringify(['findings', projectId, filter]),
    async load(place, signal) {
      const query = { ...filter, has_vulnerability: false, ...place }
      // By its path: see `vulnerabilitiesOf`.
      const found = await api.page('GET /projects/{id}/vulnerability_findings', { path: { id: path }, query }, signal)
      return { ...found, rows: found.rows.map(rowOfFinding) }
    },
    async reload({ findingId }, signal) {
      const path = { id: projectId, finding_id: findingId }
      return rowOfFinding(
        await api.call('GET /projects/{id}/vulnerability_findings/{finding_id}', { path }, { signal }),
      )
    },
  }
}

export function rowOfFinding(finding: Schemas['Finding']): VulnerabilityRow {
  const projectPath = finding.project.full_path.replace(/^\//, '')
  return {
    // Negative, so that it differs from the ids of vulnerabilities, whose states and selection are stored by id.
    id: -finding.id,
    isFinding: true,
    findingId: finding.id,
    projectId: finding.project.id,
    projectPath,
    projectName: finding.project.full_name,
    isArchived: false,
    isMirror: false,
    isReadOnly: false,
    to: `/${projectPath}/-/findings/${finding.id}`,
    title: finding.name,
    place: placeInWords(finding.location),
    severity: finding.severity,
    priority: null,
    isKnownExploited: false,
    dueOn: null,
    isOverdue: false,
    state: states.find((state) => state === finding.state) ?? 'detected',
    reportType: finding.report_type,
    isGone: false,
    dismissalReason: null,
    dismissedUntil: null,
    isDismissedUntilFixed: false,
    isDismissalRequested: false,
    detectedAt: null,
    assignee: null,
    tags: [],
    identifiers: identifierNames(finding.identifiers),
    scanner: finding.scanner.name,
    hasFix: finding.fix_available,
  }
}
