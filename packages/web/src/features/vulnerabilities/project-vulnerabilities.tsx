import { ChartLine, ShieldCheck, ShieldQuestion } from 'lucide-react'
import { useMemo, useState } from 'react'
import { LinkButton } from '../../components/button.tsx'
import { Page } from '../../components/page/page.tsx'
import { Empty, Failed } from '../../components/page/states.tsx'
import { useApiQuery } from '../../data/api.ts'
import { useSearchState } from '../../data/search-state.ts'
import { mayWrite, useMayChange, useSession } from '../../data/session.ts'
import { useTriageBacklog, useWaitingFindings } from '../../nouns/finding/triage-backlog.ts'
import { FirstImportResult, FirstImportState, FirstReport } from '../../nouns/project/lazy-first-report.ts'
import { useProject } from '../../nouns/project/project.ts'
import { awaitingQuery } from '../../nouns/vulnerability/awaiting.ts'
import { ExportButton } from '../../nouns/vulnerability/export-button.tsx'
import { filterFrom } from '../../nouns/vulnerability/filter-state.ts'
import { filterNames } from '../../nouns/vulnerability/filters.ts'
import type { Owner } from '../../nouns/vulnerability/owner.ts'
import { ApprovalBanner } from './approval-banner.tsx'
import { HeldBanner } from './held-banner.tsx'
import { texts } from './texts.ts'
import { VulnerabilityList } from './vulnerability-list.tsx'

/** Vulnerabilities of a project, with a banner for findings that await triage. */
export function ProjectVulnerabilities() {
  const session = useSession()
  const { project, level, to } = useProject()
  const [state] = useSearchState(filterNames)
  const mayTriage = useMayChange('triage') && level >= session.triage_access_level
  const { id, path_with_namespace: path } = project
  const owner = useMemo((): Owner => ({ kind: 'project', id, path, mayTriage }), [id, path, mayTriage])
  const query = useApiQuery('GET /projects/{id}/vulnerability_statistics', { path: { id: project.id } })
  const backlog = useTriageBacklog(project.id)
  const count = useWaitingFindings(project.id)
  const isScanned = query.data && typeof query.data.last_scan_at === 'string'
  const [wasEmpty, setWasEmpty] = useState(false)
  if (isScanned === false && !wasEmpty) setWasEmpty(true)
  return (
    <Page title={texts.vulnerabilities} isHeadingHidden>
      {query.error && !query.data ? (
        <Failed error={query.error} onRetry={() => void query.refetch()} />
      ) : (
        <VulnerabilityList
          owner={owner}
          statistics={query.data}
          flawPlace={mayTriage ? { kind: 'project', id: project.id } : undefined}
          banner={
            <>
              {wasEmpty && <FirstImportResult project={project} to={to} isExpected />}
              <HeldBanner />
              <ApprovalBanner />
            </>
          }
          waiting={{ count, inWords: backlog }}
          empty={<NothingOpen backlog={backlog} isScanned={isScanned} />}
          links={
            <>
              <LinkButton icon={ChartLine} to={to('vulnerabilities/trends')}>
                {texts.trends}
              </LinkButton>
              {mayWrite(session) && (
                <ExportButton owner={{ kind: 'project', id: project.id }} filters={{ ...filterFrom(state) }} />
              )}
            </>
          }
        />
      )}
    </Page>
  )
}

/** Empty state, which differs before the first scan and while findings await triage. */
function NothingOpen({ backlog, isScanned }: { backlog: string | undefined; isScanned: boolean | undefined }) {
  const { project, level, to } = useProject()
  const mayImport = useMayChange()
  if (isScanned === undefined) return null
  if (!isScanned && !backlog) {
    return (
      <Empty icon={ShieldQuestion} title={texts.notScanned}>
        {mayImport && <p>{texts.importAScannerReport}</p>}
        {mayImport && <LinkButton to={to('reports/new')}>{texts.importReport}</LinkButton>}
        {mayImport && <FirstReport project={{ ...project, level }} />}
        <FirstImportState project={project} to={to} />
      </Empty>
    )
  }
  if (backlog) {
    return (
      <Empty icon={ShieldQuestion} title={texts.noOpenVulnerabilitiesYet}>
        <p>{backlog}.</p>
        <LinkButton to={to('vulnerabilities') + awaitingQuery}>{texts.reviewFindings}</LinkButton>
      </Empty>
    )
  }
  return <Empty icon={ShieldCheck} title={texts.noOpenVulnerabilities} />
}
