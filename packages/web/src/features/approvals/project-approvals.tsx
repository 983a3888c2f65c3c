import { UserCheck } from 'lucide-react'
import { SeverityBadge } from '../../components/badge.tsx'
import { ChoiceFilter, useChoice } from '../../components/form/filters.tsx'
import { Page } from '../../components/page/page.tsx'
import { PagedTable } from '../../components/page/paged-table.tsx'
import { usePageNumber } from '../../components/page/pager.tsx'
import { usePage } from '../../data/api.ts'
import { levels, useMayChange, useSession } from '../../data/session.ts'
import { useProject } from '../../nouns/project/project.ts'
import { RulePanel } from './approval-rule.tsx'
import { DecisionCell, Requested, requestStates, Subject } from './requests.tsx'

const perPage = 20

/** Requests for dismissals of a project, with the rule that requires them. */
export function ProjectApprovals() {
  const { project, level, to } = useProject()
  const mayChange = useMayChange()
  const session = useSession()
  const state = useChoice('state', requestStates)
  const query = usePage('GET /projects/{id}/dismissal_requests', {
    path: { id: project.id },
    query: { state, page: usePageNumber(), per_page: perPage },
  })
  return (
    <Page
      title="Approvals"
      crumbs={[{ label: 'Vulnerabilities', to: to('vulnerabilities') }]}
      lead="Dismissals that need a second person."
    >
      <search>
        <ChoiceFilter name="state" label="Requests" choices={requestStates} />
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
            (request) => <Subject request={request} to={to(`vulnerabilities/${request.vulnerability.id}`)} />,
          ],
          ['Requested', (request) => <Requested request={request} />],
          [
            'Decision',
            (request) => <DecisionCell request={request} canDecide={level >= session.triage_access_level} />,
          ],
        ]}
      />
      {mayChange && level >= levels.maintainer && <RulePanel noun="project" id={project.id} />}
    </Page>
  )
}
