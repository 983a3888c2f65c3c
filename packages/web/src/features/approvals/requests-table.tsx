import type { Page, RowOf } from '@alcove/client'
import type { UseQueryResult } from '@tanstack/react-query'
import { UserCheck } from 'lucide-react'
import { SeverityBadge } from '../../components/badge.tsx'
import { PagedTable } from '../../components/page/paged-table.tsx'
import { useLiveUpdates } from '../../data/live-updates.ts'
import { DecisionCell, Requested, Subject } from './requests.tsx'

export const requestsPerPage = 20

/** Table of requests for dismissals, with buttons for the user’s decision. */
export function RequestsTable<Request extends RowOf<'GET /projects/{id}/dismissal_requests'>>({
  query,
  toOf,
  projectOf,
  canDecide,
}: {
  query: UseQueryResult<Page<Request>, Error>
  /** Returns the address of the vulnerability. */
  toOf: (request: Request) => string
  /** Returns the project, in a list of several. */
  projectOf?: (request: Request) => string
  canDecide: (request: Request) => boolean
}) {
  useLiveUpdates()
  return (
    <PagedTable
      label="Requests for dismissals"
      query={query}
      perPage={requestsPerPage}
      empty={{ icon: UserCheck, title: 'No requests', text: <p>Nothing here in this state.</p> }}
      columns={[
        ['Severity', ({ vulnerability }) => <SeverityBadge severity={vulnerability.severity} />],
        [
          'Vulnerability',
          (request) => (
            <Subject request={request} to={toOf(request)} {...(projectOf && { project: projectOf(request) })} />
          ),
        ],
        ['Requested', (request) => <Requested request={request} />],
        ['Decision', (request) => <DecisionCell request={request} canDecide={canDecide(request)} />],
      ]}
    />
  )
}
