import { UserCheck } from 'lucide-react'
import { SeverityBadge } from '../../components/badge.tsx'
import { ChoiceFilter, useChoice } from '../../components/form/filters.tsx'
import { Page } from '../../components/page/page.tsx'
import { PagedTable } from '../../components/page/paged-table.tsx'
import { usePageNumber } from '../../components/page/pager.tsx'
import { usePage } from '../../data/api.ts'
import { DecisionCell, Requested, requestStates, Subject } from './requests.tsx'

const perPage = 20

const sides = [
  { value: 'all', label: 'All' },
  { value: 'to_decide', label: 'Of others' },
  { value: 'requested', label: 'Requested by me' },
] as const

/** Requests for dismissals of all projects in which the user may decide or has requested. */
export function AllApprovals() {
  const state = useChoice('state', requestStates)
  const side = useChoice('side', sides)
  const query = usePage('GET /dismissal_requests', {
    query: { state, ...(side !== 'all' && { side }), page: usePageNumber(), per_page: perPage },
  })
  return (
    <Page title="Approvals" lead="Dismissals that need a second person, in all your projects.">
      <search className="row-wrap">
        <ChoiceFilter name="state" label="Requests" choices={requestStates} />
        <ChoiceFilter name="side" label="Requested" choices={sides} />
      </search>
      <PagedTable
        label="Requests for dismissals"
        query={query}
        perPage={perPage}
        empty={{ icon: UserCheck, title: 'No requests', text: <p>Nothing here in this state.</p> }}
        columns={[
          ['Severity', ({ vulnerability }) => <SeverityBadge severity={vulnerability.severity} />],
          [
            'Vulnerability',
            (request) => (
              <Subject
                request={request}
                to={`/${request.project.path_with_namespace}/-/vulnerabilities/${request.vulnerability.id}`}
                project={request.project.path_with_namespace}
              />
            ),
          ],
          ['Requested', (request) => <Requested request={request} />],
          ['Decision', (request) => <DecisionCell request={request} canDecide={request.can_decide} />],
        ]}
      />
    </Page>
  )
}
