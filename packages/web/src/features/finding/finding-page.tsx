import { useLocation } from 'wouter'
import { SeverityBadge, StateBadge } from '../../components/badge.tsx'
import { Button, LinkButton } from '../../components/button.tsx'
import { Page } from '../../components/page/page.tsx'
import { QueryResult } from '../../components/page/states.tsx'
import { useAction, useApiQuery } from '../../data/api.ts'
import { useMayChange, useSession } from '../../data/session.ts'
import type { Finding } from '../../nouns/finding/facts.tsx'
import { useProject } from '../../nouns/project/project.ts'
import { awaitingQuery } from '../../nouns/vulnerability/awaiting.ts'
import { FindingDetails } from './finding-details.tsx'
import { texts } from './texts.ts'

/** Page of a finding. Links to its vulnerability once it is promoted. */
export function FindingPage({ id }: { id: string }) {
  const { project } = useProject()
  const query = useApiQuery('GET /projects/{id}/vulnerability_findings/{finding_id}', {
    path: { id: project.id, finding_id: id },
  })
  return (
    <QueryResult query={query} isPage>
      {(finding) => <Found finding={finding} />}
    </QueryResult>
  )
}

function Found({ finding }: { finding: Finding }) {
  const session = useSession()
  const { project, level, to } = useProject()
  const [, navigate] = useLocation()
  const promote = useAction('POST /projects/{id}/vulnerabilities', {
    done: texts.vulnerabilityCreated,
    onDone: ({ id }) => navigate(to(`vulnerabilities/${id}`)),
  })
  const mayPromote = useMayChange('triage') && level >= session.triage_access_level
  return (
    <Page
      title={finding.name}
      crumbs={[{ label: texts.vulnerabilities, to: to('vulnerabilities') + awaitingQuery }]}
      lead={
        <div className="row-wrap">
          <SeverityBadge severity={finding.severity} />
          {finding.vulnerability_id === null ? (
            <span>{texts.awaitingTriage}</span>
          ) : (
            <StateBadge state={finding.state} />
          )}
        </div>
      }
      actions={
        finding.vulnerability_id !== null ? (
          <LinkButton kind="primary" to={to(`vulnerabilities/${finding.vulnerability_id}`)}>
            {texts.viewVulnerability}
          </LinkButton>
        ) : (
          mayPromote && (
            <Button
              kind="primary"
              isBusy={promote.isPending}
              onClick={() => promote.mutate({ path: { id: project.id }, body: { finding_id: finding.id } })}
            >
              {texts.acceptAsVulnerability}
            </Button>
          )
        )
      }
    >
      <FindingDetails finding={finding} />
    </Page>
  )
}
