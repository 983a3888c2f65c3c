import { ChoiceFilter, useChoice } from '../../components/form/filters.tsx'
import { Page } from '../../components/page/page.tsx'
import { usePageNumber } from '../../components/page/pager.tsx'
import { usePage } from '../../data/api.ts'
import { levels, useMayChange, useSession } from '../../data/session.ts'
import { useProject } from '../../nouns/project/project.ts'
import { RulePanel } from './approval-rule.tsx'
import { requestStates } from './requests.tsx'
import { RequestsTable, requestsPerPage } from './requests-table.tsx'
import { texts } from './texts.ts'

/** Requests for dismissals of a project, with the rule that requires them. */
export function ProjectApprovals() {
  const { project, level, to } = useProject()
  const mayChange = useMayChange()
  const session = useSession()
  const state = useChoice('state', requestStates)
  const page = { state, page: usePageNumber(), per_page: requestsPerPage }
  const isDecider = level >= session.triage_access_level
  // This list says which requests the user may decide.
  const queue = usePage(
    'GET /dismissal_requests',
    { query: { ...page, project_id: [project.id] } },
    { isEnabled: isDecider },
  )
  const readable = usePage(
    'GET /projects/{id}/dismissal_requests',
    { path: { id: project.id }, query: page },
    { isEnabled: !isDecider },
  )
  const requests = isDecider ? queue : readable
  return (
    <Page
      title={texts.approvals}
      crumbs={[{ label: texts.vulnerabilities, to: to('vulnerabilities') }]}
      lead={texts.dismissalsThatNeedASecondPerson}
    >
      <search className="row-wrap">
        <ChoiceFilter name="state" label={texts.requests} choices={requestStates} />
      </search>
      <RequestsTable query={requests} toOf={({ vulnerability }) => to(`vulnerabilities/${vulnerability.id}`)} />
      {!requests.isLoading && mayChange && level >= levels.maintainer && <RulePanel noun="project" id={project.id} />}
    </Page>
  )
}
