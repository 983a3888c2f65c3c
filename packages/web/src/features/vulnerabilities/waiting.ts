import { usePage } from '../../app/api.ts'
import { formatCount } from '../../components/format.ts'

/** How many findings of a project wait for promotion, in words; undefined while nobody knows, or where none does. */
export function useWaitingFindings(projectId: number | undefined): string | undefined {
  const { data } = usePage(
    'GET /projects/{id}/vulnerability_findings',
    { path: { id: projectId ?? 0 }, query: { has_vulnerability: false, per_page: 1 } },
    { isEnabled: projectId !== undefined },
  )
  if (!data || data.rows.length === 0) return undefined
  return data.total === undefined ? 'many' : formatCount(data.total)
}
