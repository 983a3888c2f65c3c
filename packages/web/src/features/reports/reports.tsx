import { FileCheck, FileUp, GitBranch, Radar } from 'lucide-react'
import { Link, useLocation } from 'wouter'
import { LinkButton } from '../../components/button.tsx'
import { fill } from '../../components/fill.tsx'
import { DropHint } from '../../components/form/drop-hint.tsx'
import { useFileDrops } from '../../components/form/file-drops.ts'
import { formatCount, reportTypeInWords } from '../../components/format.ts'
import { NewRows } from '../../components/page/new-rows.tsx'
import { Page } from '../../components/page/page.tsx'
import { PagedTable } from '../../components/page/paged-table.tsx'
import { usePageNumber } from '../../components/page/pager.tsx'
import { useHeldRows } from '../../components/page/use-held-rows.ts'
import { Time } from '../../components/time.tsx'
import { usePage } from '../../data/api.ts'
import { useLiveUpdates } from '../../data/live-updates.ts'
import { useMayChange, useSession } from '../../data/session.ts'
import { useToast } from '../../data/toasts.ts'
import { useProject } from '../../nouns/project/project.ts'
import { droppedReport } from './dropped-report.ts'
import { ImportState, isUnderWay } from './import-state.tsx'
import { Sender } from './sender.tsx'
import { texts } from './texts.ts'

const perPage = 20

/** List of imported reports with their changes. */
export function Reports() {
  const { project, level, to } = useProject()
  const session = useSession()
  const page = usePageNumber()
  const query = usePage(
    'GET /projects/{id}/security_reports',
    { path: { id: project.id }, query: { page, per_page: perPage } },
    { refetchMs: (found) => (found?.rows.some(isUnderWay) ? 5000 : false) },
  )
  useLiveUpdates()
  const { rows: shown, held, show } = useHeldRows(`${project.id} ${page}`, query.data)
  const isWriter = useMayChange()
  const [, navigate] = useLocation()
  const toast = useToast()
  const isOver = useFileDrops(
    ([report, ...others]) => {
      if (others.length > 0) toast({ text: texts.dropOneReportAtATime, kind: 'error' })
      else if (report) {
        droppedReport.set(report)
        navigate(to('reports/new'))
      }
    },
    { isEnabled: isWriter },
  )
  return (
    <Page
      title={texts.reports}
      lead={texts.importedScannerReportsAndTheir}
      actions={
        <>
          <LinkButton icon={GitBranch} to={to('reports/branches')}>
            {texts.branches}
          </LinkButton>
          {isWriter && level >= session.triage_access_level && (
            <LinkButton icon={FileCheck} to={to('reports/vex')}>
              {texts.importVex}
            </LinkButton>
          )}
          {isWriter && (
            <LinkButton kind="primary" icon={FileUp} to={to('reports/new')}>
              {texts.importReport}
            </LinkButton>
          )}
        </>
      }
    >
      <DropHint isShown={isOver} text={texts.dropToPreviewTheReport} />
      <NewRows isFloating held={held} onShow={show} />
      <PagedTable
        label={texts.reports}
        query={query}
        shown={shown}
        perPage={perPage}
        empty={{
          icon: Radar,
          title: texts.noReportsYet,
          text: isWriter && (
            <>
              <p>
                {fill(texts.sendOneFromCi, {
                  code: <code>{`POST /api/v4/projects/${project.id}/security_reports`}</code>,
                })}
              </p>
              <LinkButton to={to('reports/new')}>{texts.importReport}</LinkButton>
            </>
          ),
        }}
        columns={[
          [
            texts.report,
            (report) => (
              <>
                <Link to={to(`reports/${report.id}`)}>{report.scanner ?? texts.reportId(report.id)}</Link>
                <div className="muted small">
                  {[reportTypeInWords(report.report_type), report.category].filter(Boolean).join(' · ')}
                </div>
              </>
            ),
          ],
          [texts.branch, ({ ref }) => ref, 'mono'],
          [texts.status, (report) => <ImportState report={report} />],
          [texts.newLabel, ({ findings }) => formatCount(findings.new), 'numbers'],
          [texts.unchanged, ({ findings }) => formatCount(findings.known), 'numbers'],
          [texts.noLongerDetected, ({ findings }) => formatCount(findings.gone), 'numbers'],
          [texts.redetected, ({ findings }) => formatCount(findings.returned), 'numbers'],
          [
            texts.received,
            (report) => (
              <>
                <Time of={report.created_at} />
                <Sender report={report} />
              </>
            ),
            'muted',
          ],
        ]}
      />
    </Page>
  )
}
