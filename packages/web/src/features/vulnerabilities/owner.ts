import type { Page, Schemas } from '@alcove/client'
import { api } from '../../app/api.ts'
import { placeInWords } from '../finding/place.ts'
import type { Filter } from './filter.ts'
import { type RowSource, rowsPerPage } from './paged-rows.ts'

/** Whose vulnerabilities are shown: a project's, or those of all projects in a group and below it. */
export interface Owner {
  kind: 'project' | 'group'
  id: number
  /** Whether the caller may say what is one and what is not. */
  mayTriage: boolean
}

export const sorts = [
  { value: 'severity_desc', label: 'Severity: high to low' },
  { value: 'severity_asc', label: 'Severity: low to high' },
  { value: 'detected_desc', label: 'Detected: newest' },
  { value: 'detected_asc', label: 'Detected: oldest' },
] as const
export type Sort = (typeof sorts)[number]['value']

/** What the list shows of a vulnerability: an answer holds much more, and there may be many. */
export interface VulnerabilityRow {
  id: number
  projectId: number
  projectName: string
  /** Of its page. */
  to: string
  title: string
  place: string
  severity: string
  state: Schemas['Vulnerability']['state']
  reportType: string
  isGone: boolean
  dismissalReason: string | null
  detectedAt: string
  /** True: the user goes on whatever state it is in. */
  isUnchecked?: boolean
}

export function vulnerabilitiesOf(owner: Owner, filter: Filter, sort: Sort): RowSource<VulnerabilityRow> {
  const path = { id: owner.id }
  return {
    id: JSON.stringify([owner.kind, owner.id, filter, sort]),
    async load(page, signal) {
      const request = { path, query: { ...filter, sort, page, per_page: rowsPerPage } }
      return asRows(
        owner.kind === 'project'
          ? await api.page('GET /projects/{id}/vulnerabilities', request, signal)
          : await api.page('GET /groups/{id}/vulnerabilities', request, signal),
      )
    },
    async count(signal) {
      const request = { path, query: filter }
      const { total } =
        owner.kind === 'project'
          ? await api.call('GET /projects/{id}/vulnerabilities/summary', request, { signal })
          : await api.call('GET /groups/{id}/vulnerabilities/summary', request, { signal })
      return total
    },
  }
}

function asRows(page: Page<Schemas['Vulnerability']>): Page<VulnerabilityRow> {
  return { ...page, rows: page.rows.map(asRow) }
}

function asRow({ project, finding, ...vulnerability }: Schemas['Vulnerability']): VulnerabilityRow {
  return {
    id: vulnerability.id,
    projectId: project.id,
    projectName: project.name_with_namespace,
    to: `/${project.path_with_namespace}/-/vulnerabilities/${vulnerability.id}`,
    title: vulnerability.title,
    place: placeInWords(finding.location),
    severity: vulnerability.severity,
    state: vulnerability.state,
    reportType: vulnerability.report_type,
    isGone: vulnerability.resolved_on_default_branch,
    dismissalReason: vulnerability.dismissal_reason,
    detectedAt: vulnerability.created_at,
  }
}
