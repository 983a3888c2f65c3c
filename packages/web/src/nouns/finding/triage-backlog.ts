import { formatCount } from '../../components/format.ts'
import { usePage } from '../../data/api.ts'
import { texts } from './texts.ts'

/** Returns the number of findings that await triage; undefined while it loads and when there are none. */
export function useWaitingFindings(projectId: number | undefined): string | undefined {
  const { data } = useFirstWaiting(projectId)
  if (!data || data.rows.length === 0) return undefined
  return data.total === undefined ? 'many' : formatCount(data.total)
}

const maxCounted = 10_000

/** Formats a number of statistics as `63 findings need triage`; undefined when there are none. */
export function waitingInWords(findings: number): string | undefined {
  if (findings === 0) return undefined
  return needTriage(findings > maxCounted ? undefined : findings)
}

/** Returns `63 findings need triage (9 critical)`; undefined while it loads and when there are none. */
export function useTriageBacklog(projectId: number | undefined): string | undefined {
  const { data } = useFirstWaiting(projectId)
  const isAny = data !== undefined && data.rows.length > 0
  const critical = useFirstWaiting(isAny ? projectId : undefined, ['critical'])
  if (!isAny || critical.isPending) return undefined
  const all = needTriage(data.total)
  return critical.data && critical.data.rows.length > 0 ? texts.critical(all, numberOf(critical.data.total)) : all
}

/** Returns true once a report was imported, false before; undefined while it loads. */
export function useIsScanned(projectId: number | undefined): boolean | undefined {
  const { data } = usePage(
    'GET /projects/{id}/security_reports',
    { path: { id: projectId ?? 0 }, query: { per_page: 20 } },
    { isEnabled: projectId !== undefined },
  )
  // Failed imports do not count as scans, but a project with a full page of them is assumed to have been scanned.
  return data && (data.hasNext || data.rows.some(({ status, shown_at }) => status === 'done' || shown_at !== null))
}

const needTriage = (total: number | undefined) =>
  total === undefined ? texts.moreFindingsNeedTriage : texts.findingsNeedTriage(total)

/** Formats a total, which the API omits for lists that are too long to count. */
const numberOf = (total: number | undefined) => (total === undefined ? texts.moreThan10000 : formatCount(total))

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
