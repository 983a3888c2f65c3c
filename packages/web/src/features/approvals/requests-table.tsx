import type { Page, RowOf } from '@alcove/client'
import type { UseQueryResult } from '@tanstack/react-query'
import { UserCheck } from 'lucide-react'
import { SeverityBadge } from '../../components/badge.tsx'
import { PagedTable } from '../../components/page/paged-table.tsx'
import { useLiveUpdates } from '../../data/live-updates.ts'
import { DecisionCell, Requested, Subject } from './requests.tsx'
import { texts } from './texts.ts'

export const requestsPerPage = 20

/** Table of requests for dismissals, with buttons for the user’s decision. */
export function RequestsTable<
  Request extends RowOf<'GET /projects/{id}/dismissal_requests'> & { can_decide?: boolean },
>({
  query,
  toOf,
  projectOf,
}: {
  query: UseQueryResult<Page<Request>, Error>
  /** Returns the address of the vulnerability. */
  toOf: (request: Request) => string
  /** Returns the project, in a list of several. */
  projectOf?: (request: Request) => string
}) {
  useLiveUpdates()
  return (
    <PagedTable
      label={texts.requestsForDismissals}
      query={query}
      perPage={requestsPerPage}
      empty={{ icon: UserCheck, title: texts.noRequests, text: <p>{texts.nothingHereInThisState}</p> }}
      columns={[
        [texts.severity, ({ vulnerability }) => <SeverityBadge severity={vulnerability.severity} />],
        [
          texts.vulnerability,
          (request) => (
            <Subject request={request} to={toOf(request)} {...(projectOf && { project: projectOf(request) })} />
          ),
        ],
        [texts.requested, (request) => <Requested request={request} />],
        [texts.decision, (request) => <DecisionCell request={request} canDecide={request.can_decide === true} />],
      ]}
    />
  )
}
