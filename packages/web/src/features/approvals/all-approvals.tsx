import { ChoiceFilter, useChoice } from '../../components/form/filters.tsx'
import { Page } from '../../components/page/page.tsx'
import { usePageNumber } from '../../components/page/pager.tsx'
import { usePage } from '../../data/api.ts'
import { requestStates } from './requests.tsx'
import { RequestsTable, requestsPerPage } from './requests-table.tsx'
import { texts } from './texts.ts'

const sides = [
  { value: 'all', label: texts.all },
  { value: 'to_decide', label: texts.ofOthers },
  { value: 'requested', label: texts.requestedByMe },
] as const

/** Requests for dismissals of all projects in which the user may decide or has requested. */
export function AllApprovals() {
  const state = useChoice('state', requestStates)
  const side = useChoice('side', sides)
  const query = usePage('GET /dismissal_requests', {
    query: { state, ...(side !== 'all' && { side }), page: usePageNumber(), per_page: requestsPerPage },
  })
  return (
    <Page title={texts.approvals} lead={texts.dismissalsThatNeedASecond}>
      <search className="row-wrap">
        <ChoiceFilter name="state" label={texts.requests} choices={requestStates} />
        <ChoiceFilter name="side" label={texts.requested} choices={sides} />
      </search>
      <RequestsTable
        query={query}
        toOf={({ project, vulnerability }) => `/${project.path_with_namespace}/-/vulnerabilities/${vulnerability.id}`}
        projectOf={({ project }) => project.path_with_namespace}
      />
    </Page>
  )
}
