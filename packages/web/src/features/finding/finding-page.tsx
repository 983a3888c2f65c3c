import { useLocation } from 'wouter'
import { SeverityBadge, StateBadge } from '../../components/badge.tsx'
import { Button, LinkButton } from '../../components/button.tsx'
import { inWords, reportTypeInWords } from '../../components/format.ts'
import { Page, Panel } from '../../components/page/page.tsx'
import { QueryResult } from '../../components/page/states.tsx'
import { useAction, useApiQuery } from '../../data/api.ts'
import { useMayChange, useSession } from '../../data/session.ts'
import { CvssFact, Facts, type Finding, FindingFacts, Outside } from '../../nouns/finding/facts.tsx'
import { Matches } from '../../nouns/finding/matches.tsx'
import { useProject } from '../../nouns/project/project.ts'
import columns from '../vulnerability/vulnerability-page.module.css'

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
    done: 'Vulnerability created.',
    onDone: ({ id }) => navigate(to(`vulnerabilities/${id}`)),
  })
  const mayPromote = useMayChange() && level >= session.triage_access_level
  return (
    <Page
      title={finding.name}
      crumbs={[{ label: 'Findings', to: to('findings') }]}
      lead={
        <div className="row-wrap">
          <SeverityBadge severity={finding.severity} />
          {finding.vulnerability_id === null ? <span>Awaiting triage</span> : <StateBadge state={finding.state} />}
        </div>
      }
      actions={
        finding.vulnerability_id !== null ? (
          <LinkButton kind="primary" to={to(`vulnerabilities/${finding.vulnerability_id}`)}>
            View vulnerability
          </LinkButton>
        ) : (
          mayPromote && (
            <Button
              kind="primary"
              isBusy={promote.isPending}
              onClick={() => promote.mutate({ path: { id: project.id }, body: { finding_id: finding.id } })}
            >
              Accept as vulnerability
            </Button>
          )
        )
      }
    >
      <div className={columns.columns}>
        <div className="stack">
          <FindingFacts finding={finding} project={project.path_with_namespace} />
        </div>
        <aside className="stack" aria-label="Details">
          <Panel title="Details">
            <Facts
              facts={[
                ['CVSS', finding.cvss.length > 0 && <CvssFact key="cvss" cvss={finding.cvss} />],
                ['Report type', reportTypeInWords(finding.report_type)],
                ['Scanner', [finding.scanner.name, finding.scanner.vendor].filter(Boolean).join(' · ')],
                ['Confidence', finding.confidence === 'unknown' ? undefined : inWords(finding.confidence)],
                [
                  'Identifiers',
                  <ul key="identifiers" className={columns.identifiers}>
                    {finding.identifiers.map(({ name, url }) => (
                      <li key={name}>{url ? <Outside url={url}>{name}</Outside> : name}</li>
                    ))}
                  </ul>,
                ],
                ['UUID', <code key="uuid">{finding.uuid}</code>],
              ]}
            />
          </Panel>
          <Matches findingId={finding.id} />
        </aside>
      </div>
    </Page>
  )
}
