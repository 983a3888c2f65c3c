import { formatCount } from '../../components/format.ts'
import { usePage } from '../../data/api.ts'

/** The number of findings of a project that await triage; undefined while it is loaded, or where there are none. */
export function useWaitingFindings(projectId: number | undefined): string | undefined {
  const { data } = useFirstWaiting(projectId)
  if (!data || data.rows.length === 0) return undefined
  return data.total === undefined ? 'many' : formatCount(data.total)
}

/** `63 findings need triage (9 critical)`; undefined while it is loaded, or where there are none. */
export function useTriageBacklog(projectId: number | undefined): string | undefined {
  const { data } = useFirstWaiting(projectId)
  const isAny = data !== undefined && data.rows.length > 0
  const critical = useFirstWaiting(isAny ? projectId : undefined, ['critical'])
  if (!isAny || critical.isPending) return undefined
  const all = data.total === 1 ? '1 finding needs triage' : `${numberOf(data.total)} findings need triage`
  return critical.data && critical.data.rows.length > 0 ? `${all} (${numberOf(critical.data.total)} critical)` : all
}

/** True once a report was imported, false before, undefined while it is not known. */
export function useIsScanned(projectId: number | undefined): boolean | undefined {
  const { data } = usePage(
    'GET /projects/{id}/security_reports',
    { path: { id: projectId ?? 0 }, query: { per_page: 20 } },
    { isEnabled: projectId !== undefined },
  )
  // Failed imports are no scans; a full page of them is taken for a project that has been scanned before.
  return data && (data.hasNext || data.rows.some(({ status, shown_at }) => status === 'done' || shown_at !== null))
}

/** Lists longer than the API counts have no total. */
const numberOf = (total: number | undefined) => (total === undefined ? 'More than 10,000' : formatCount(total))

function useFirstWaiting(projectId: number | undefined, severity?: ['critical']) {
  return usePage(
    'GET /projects/{id}/vulnerability_findings',
    {
      path: { id: projectId ?? 0 },
      query: { has_vulnerability: false, per_page: 1, ...(severity && { severity }) },
    },
    { isEnabled: projectId !== undefined },
  )
}
