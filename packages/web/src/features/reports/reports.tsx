import { FileCheck, FileUp, GitBranch, History, Radar, ScanSearch } from 'lucide-react'
import { Link, useLocation } from 'wouter'
import { LinkButton } from '../../components/button.tsx'
import { DropHint } from '../../components/form/drop-hint.tsx'
import { useFileDrops } from '../../components/form/file-drops.ts'
import { formatCount, reportTypeInWords } from '../../components/format.ts'
import { Page } from '../../components/page/page.tsx'
import { PagedTable } from '../../components/page/paged-table.tsx'
import { usePageNumber } from '../../components/page/pager.tsx'
import { Time } from '../../components/time.tsx'
import { usePage } from '../../data/api.ts'
import { useLiveUpdates } from '../../data/live-updates.ts'
import { useMayChange, useSession } from '../../data/session.ts'
import { useToast } from '../../data/toasts.ts'
import { useProject } from '../../nouns/project/project.ts'
import { droppedReport } from './dropped-report.ts'
import { ImportState, isUnderWay } from './import-state.tsx'
import { Sender } from './sender.tsx'

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
  const isWriter = useMayChange()
  const [, navigate] = useLocation()
  const toast = useToast()
  const isOver = useFileDrops(
    ([report, ...others]) => {
      if (others.length > 0) toast({ text: 'Drop one report at a time.', kind: 'error' })
      else if (report) {
        droppedReport.set(report)
        navigate(to('reports/new'))
      }
    },
    { isEnabled: isWriter },
  )
  return (
    <Page
      title="Reports"
      lead="Imported scanner reports and their changes."
      actions={
        <>
          <LinkButton icon={ScanSearch} to={to('coverage')}>
            Coverage
          </LinkButton>
          <LinkButton icon={History} to={to('activity')}>
            Activity
          </LinkButton>
          <LinkButton icon={GitBranch} to={to('reports/branches')}>
            Branches
          </LinkButton>
          {isWriter && level >= session.triage_access_level && (
            <LinkButton icon={FileCheck} to={to('reports/vex')}>
              Import VEX
            </LinkButton>
          )}
          {isWriter && (
            <LinkButton kind="primary" icon={FileUp} to={to('reports/new')}>
              Import report
            </LinkButton>
          )}
        </>
      }
    >
      <DropHint isShown={isOver} text="Drop to preview the report" />
      <PagedTable
        label="Reports"
        query={query}
        perPage={perPage}
        empty={{
          icon: Radar,
          title: 'No reports yet',
          text: isWriter && (
            <>
              <p>
                Send one from CI to <code>POST /api/v4/projects/{project.id}/security_reports</code>, or drop a file
                anywhere on this page. Supported formats: GitLab, SARIF, CycloneDX, SPDX, Trivy, Grype, Semgrep,
                gitleaks, OSV-Scanner, Snyk, Bandit, Checkov, Dependency-Check, ZAP, Nuclei, npm audit, Burp, and
                generic CSV and JSON.
              </p>
              <LinkButton to={to('reports/new')}>Import report</LinkButton>
            </>
          ),
        }}
        columns={[
          [
            'Report',
            (report) => (
              <>
                <Link to={to(`reports/${report.id}`)}>{report.scanner ?? `Report ${report.id}`}</Link>
                <div className="muted small">
                  {[reportTypeInWords(report.report_type), report.category].filter(Boolean).join(' · ')}
                </div>
              </>
            ),
          ],
          ['Branch', ({ ref }) => ref, 'mono'],
          ['Status', (report) => <ImportState report={report} />],
          ['New', ({ findings }) => formatCount(findings.new), 'numbers'],
          ['Unchanged', ({ findings }) => formatCount(findings.known), 'numbers'],
          ['No longer detected', ({ findings }) => formatCount(findings.gone), 'numbers'],
          ['Redetected', ({ findings }) => formatCount(findings.returned), 'numbers'],
          [
            'Received',
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
