import type { Schemas } from '@alcove/client'
import { useEffect, useRef } from 'react'
import { Link } from 'wouter'
import { LinkButton } from '../../components/button.tsx'
import { fill } from '../../components/fill.tsx'
import { formatBytes, formatTime, inWords, reportTypeInWords } from '../../components/format.ts'
import { Page, Panel } from '../../components/page/page.tsx'
import { Loading, QueryResult } from '../../components/page/states.tsx'
import { ProgressBar } from '../../components/progress-bar.tsx'
import { Time } from '../../components/time.tsx'
import { queries, useApiQuery } from '../../data/api.ts'
import { Facts } from '../../nouns/finding/facts.tsx'
import { useProject } from '../../nouns/project/project.ts'
import { awaitingQuery } from '../../nouns/vulnerability/awaiting.ts'
import { HeldAbsences } from './held-absences.tsx'
import { ImportState, isPromoting, isUnderWay } from './import-state.tsx'
import { Outcome } from './outcome.tsx'
import { OutsideLink } from './sender.tsx'
import { texts } from './texts.ts'

/** Page of a report: progress of its import, then its changes. */
export function ReportPage({ id }: { id: string }) {
  const { project, to } = useProject()
  const request = { path: { id: project.id, report_id: id } }
  const first = useApiQuery('GET /projects/{id}/security_reports/{report_id}', request)
  const query = useApiQuery('GET /projects/{id}/security_reports/{report_id}', request, {
    refetchMs: isUnderWay(first.data) ? 700 : false,
  })
  useRefreshWhenDone(query.data && isUnderWay(query.data), query.data?.shown_at)
  return (
    <QueryResult query={query} isPage>
      {(report) => (
        <Page
          title={texts.on(report.scanner ?? texts.report, report.ref)}
          crumbs={[{ label: texts.reports, to: to('reports') }]}
          actions={<StartTriage report={report} />}
          lead={
            <div className="row-wrap">
              <ImportState report={report} />
              <span>{fill(texts.received2, { time: <Time of={report.created_at} /> })}</span>
            </div>
          }
        >
          {isUnderWay(report) && !isPromoting(report) && (
            <ProgressBar
              label={report.status === 'waiting' ? texts.queued : texts.processingReport}
              value={report.status === 'waiting' ? undefined : report.read_bytes}
              max={report.file_size}
            />
          )}
          {report.absences.status === 'held' && <HeldAbsences report={report} />}
          {isUnderWay(report) && !isPromoting(report) ? <Loading /> : <Outcome report={report} />}
          <Panel title={texts.details}>
            <Facts
              facts={[
                [texts.format, [inWords(report.format), report.version].filter(Boolean).join(' ')],
                [texts.reportType, reportTypeInWords(report.report_type)],
                [texts.scanner, report.scanner],
                [texts.branch, <code key="ref">{report.ref}</code>],
                [texts.category, report.category],
                [
                  texts.sender,
                  report.user ? (
                    <Link key="sender" to={`/${report.user.username}`}>
                      {report.user.name}
                    </Link>
                  ) : (
                    texts.deletedUser
                  ),
                ],
                [texts.accessToken, report.token_name],
                [texts.ciJob, report.job_url && <OutsideLink key="job" url={report.job_url} text={report.job_url} />],
                [texts.commit, (report.commit_sha ?? report.commit_url) && <Commit key="commit" report={report} />],
                [texts.size, formatBytes(report.file_size)],
                ['SHA-256', <code key="hash">{report.file_sha256}</code>],
                [texts.started, report.started_at && formatTime(report.started_at)],
                [texts.finished, report.finished_at && formatTime(report.finished_at)],
              ]}
            />
          </Panel>
        </Page>
      )}
    </QueryResult>
  )
}

/** Link to what the report has found, where something is new. */
function StartTriage({ report: { status, findings } }: { report: Schemas['Import'] }) {
  const { to } = useProject()
  if (status !== 'done' || findings.new === 0) return null
  return (
    <LinkButton kind="primary" to={to('vulnerabilities') + (findings.promoted > 0 ? '' : awaitingQuery)}>
      {texts.startTriage}
    </LinkButton>
  )
}

/** Commit of a report, with a link where the sender named its page. */
function Commit({ report: { commit_sha: sha, commit_url: url } }: { report: Schemas['Import'] }) {
  if (url) return <OutsideLink url={url} text={sha ?? url} />
  return sha && <code>{sha}</code>
}

/**
 * Refetches the rest of the page, such as the counts in the tabs, when the state of the import changes. An import that
 * is already done when its page loads may have ended after the counts were fetched.
 */
function useRefreshWhenDone(isUnderWay: boolean | undefined, shownAt: string | null | undefined): void {
  const state = isUnderWay === undefined ? undefined : `${isUnderWay} ${shownAt}`
  const before = useRef(state)
  useEffect(() => {
    const isNews = before.current !== undefined || !isUnderWay
    if (before.current !== state && isNews) void queries.invalidateQueries()
    before.current = state
  }, [state, isUnderWay])
}
