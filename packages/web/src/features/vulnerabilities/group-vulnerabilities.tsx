import { ChartLine, ShieldCheck, ShieldQuestion } from 'lucide-react'
import { useMemo } from 'react'
import { LinkButton } from '../../components/button.tsx'
import { Page } from '../../components/page/page.tsx'
import { Empty, Failed } from '../../components/page/states.tsx'
import { useApiQuery } from '../../data/api.ts'
import { useSearchState } from '../../data/search-state.ts'
import { levels, mayWrite, useMayChange, useSession } from '../../data/session.ts'
import { waitingInWords } from '../../nouns/finding/triage-backlog.ts'
import { useGroup } from '../../nouns/group/group.ts'
import { FirstReport } from '../../nouns/project/lazy-first-report.ts'
import { awaitingQuery } from '../../nouns/vulnerability/awaiting.ts'
import { ExportButton } from '../../nouns/vulnerability/export-button.tsx'
import { filterFrom, projectScopeIn } from '../../nouns/vulnerability/filter-state.ts'
import { filterNames } from '../../nouns/vulnerability/filters.ts'
import type { ManyOwner } from '../../nouns/vulnerability/owner.ts'
import { useProjectFilter } from './filters/project-filter.tsx'
import { texts } from './texts.ts'
import { AcceptAll } from './triage/lazy-dialogs.ts'
import { useTriageRights } from './triage/may-triage.ts'
import { TriageBanner } from './triage/triage-banner.tsx'
import { VulnerabilityList } from './vulnerability-list.tsx'

/** Vulnerabilities of all projects in a group and its subgroups that the user may read. */
export function GroupVulnerabilities() {
  const session = useSession()
  const { group, level, to } = useGroup()
  const [state] = useSearchState(filterNames)
  const isTriageable = useMayChange('triage')
  const rights = useTriageRights(group.id, level)
  const { id, full_path: path } = group
  const [{ project_id }] = useSearchState(['project_id'])
  const scope = useMemo(() => projectScopeIn(project_id), [project_id])
  const owner = useMemo(
    (): ManyOwner => ({ kind: 'group', id, path, scope, ...rights, mayTriage: rights.mayTriage && isTriageable }),
    [id, path, scope, rights, isTriageable],
  )
  const projects = useProjectFilter(owner)
  const query = useApiQuery('GET /groups/{id}/vulnerability_statistics', { path: { id }, query: scope })
  const waiting = query.data && waitingInWords(query.data.waiting_findings)
  const first = query.data?.waiting_projects[0]
  return (
    <Page title={texts.vulnerabilities} isHeadingHidden>
      {query.error && !query.data ? (
        <Failed error={query.error} onRetry={() => void query.refetch()} />
      ) : (
        <VulnerabilityList
          owner={owner}
          projects={projects}
          statistics={query.data}
          flawPlace={isTriageable && level >= levels.maintainer ? { kind: 'group', id: group.id } : undefined}
          banner={
            waiting &&
            first && (
              <TriageBanner text={waiting} to={`/${first.path_with_namespace}/-/vulnerabilities${awaitingQuery}`}>
                {isTriageable && (
                  <AcceptAll scope={{ group_id: group.id, ...scope }} waiting={query.data.waiting_findings} />
                )}
              </TriageBanner>
            )
          }
          empty={query.data && <NothingOpen projects={query.data.projects} waiting={waiting} />}
          links={
            <>
              <LinkButton icon={ChartLine} to={to('vulnerabilities/trends')}>
                {texts.trends}
              </LinkButton>
              {mayWrite(session) && level >= levels.developer && (
                <ExportButton owner={{ kind: 'group', id: group.id }} filters={{ ...filterFrom(state), ...scope }} />
              )}
            </>
          }
          note={query.data && texts.inProjectYouCan(query.data.projects)}
        />
      )}
    </Page>
  )
}

/** Empty state, which shows how to send the first report to a group without projects. */
function NothingOpen({ projects, waiting }: { projects: number; waiting: string | undefined }) {
  const { group, level } = useGroup()
  const isDeveloper = level >= levels.developer
  const mayCreate = useMayChange() && isDeveloper
  if (waiting) {
    return (
      <Empty icon={ShieldQuestion} title={texts.noOpenVulnerabilitiesYet}>
        <p>{waiting}.</p>
      </Empty>
    )
  }
  if (projects > 0) return <Empty icon={ShieldCheck} title={texts.noOpenVulnerabilities} />
  return (
    <Empty icon={ShieldQuestion} title={isDeveloper ? texts.noProjects : texts.noVulnerabilitiesYouCanView}>
      <p>{isDeveloper ? texts.vulnerabilitiesOfTheProjects : texts.youNeedTheDeveloperRole}</p>
      {mayCreate && <FirstReport createsIn={group.full_path} />}
    </Empty>
  )
}
