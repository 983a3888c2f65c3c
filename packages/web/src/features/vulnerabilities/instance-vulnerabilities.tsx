import { ShieldCheck, ShieldQuestion } from 'lucide-react'
import { useMemo } from 'react'
import { LinkButton } from '../../components/button.tsx'
import { Page } from '../../components/page/page.tsx'
import { Empty, Failed } from '../../components/page/states.tsx'
import { useApiQuery } from '../../data/api.ts'
import { useSearchState } from '../../data/search-state.ts'
import { mayWrite, useSession } from '../../data/session.ts'
import { waitingInWords } from '../../nouns/finding/triage-backlog.ts'
import { projectScopeIn } from '../../nouns/vulnerability/filter-state.ts'
import type { InstanceScope, ManyOwner } from '../../nouns/vulnerability/owner.ts'
import { useProjectFilter } from './filters/project-filter.tsx'
import { ScopeFields, scopeNames } from './filters/scope-fields.tsx'
import { texts } from './texts.ts'
import { AcceptAll } from './triage/lazy-dialogs.ts'
import { useTriageRights } from './triage/may-triage.ts'
import { TriageBanner } from './triage/triage-banner.tsx'
import { VulnerabilityList } from './vulnerability-list.tsx'

/** Vulnerabilities of all projects that the user may read. */
export function InstanceVulnerabilities() {
  const session = useSession()
  const [{ group_id, project_id, topic }] = useSearchState(scopeNames)
  const scope = useMemo(
    (): InstanceScope => ({
      ...(group_id && { group_id: Number(group_id) }),
      ...projectScopeIn(project_id),
      ...(topic && { topic: topic.split(',') }),
    }),
    [group_id, project_id, topic],
  )
  const rights = useTriageRights()
  const owner = useMemo((): ManyOwner => ({ kind: 'instance', scope, ...rights }), [scope, rights])
  const projects = useProjectFilter(owner)
  const query = useApiQuery('GET /vulnerability_statistics', { query: scope })
  const waiting = query.data && waitingInWords(query.data.waiting_findings)
  return (
    <Page title={texts.vulnerabilities} actions={<ScopeFields />}>
      {query.error && !query.data ? (
        <Failed error={query.error} onRetry={() => void query.refetch()} />
      ) : (
        <VulnerabilityList
          owner={owner}
          projects={projects}
          statistics={query.data}
          banner={
            waiting && (
              <TriageBanner text={waiting} to="/">
                {mayWrite(session) && <AcceptAll scope={scope} waiting={query.data.waiting_findings} />}
              </TriageBanner>
            )
          }
          empty={query.data && <NothingOpen projects={query.data.projects} waiting={waiting} />}
          note={query.data && texts.inProjectYouCan(query.data.projects)}
        />
      )}
    </Page>
  )
}

function NothingOpen({ projects, waiting }: { projects: number; waiting: string | undefined }) {
  if (projects === 0) {
    return (
      <Empty icon={ShieldQuestion} title={texts.noProjects}>
        <p>{texts.vulnerabilitiesOfProjectsInWhich}</p>
        <LinkButton to="/">{texts.sendTheFirstReport}</LinkButton>
      </Empty>
    )
  }
  if (waiting) {
    return (
      <Empty icon={ShieldQuestion} title={texts.noOpenVulnerabilitiesYet}>
        <p>{waiting}.</p>
      </Empty>
    )
  }
  return <Empty icon={ShieldCheck} title={texts.noOpenVulnerabilities} />
}
