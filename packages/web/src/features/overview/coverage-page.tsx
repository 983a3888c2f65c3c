import type { ResponseOf, RowOf } from '@alcove/client'
import { ScanSearch } from 'lucide-react'
import { Link } from 'wouter'
import { Badge } from '../../components/badge.tsx'
import { CheckFilter, ChoiceFilter, useChoice } from '../../components/form/filters.tsx'
import { formatCount, reportTypeInWords } from '../../components/format.ts'
import { Page, Panel } from '../../components/page/page.tsx'
import { PagedList, usePageNumber } from '../../components/page/pager.tsx'
import { Empty, QueryResult } from '../../components/page/states.tsx'
import { Table } from '../../components/table.tsx'
import { Time } from '../../components/time.tsx'
import { useApiQuery, usePage } from '../../data/api.ts'
import { useLiveUpdates } from '../../data/live-updates.ts'
import { useSearchState } from '../../data/search-state.ts'
import { useGroup } from '../../nouns/group/group.ts'
import { useProject } from '../../nouns/project/project.ts'
import type { OverviewPlace } from './place.ts'
import { texts } from './texts.ts'

type Coverage = ResponseOf<'GET /security_dashboard/coverage'>
type CoverageRow = RowOf<'GET /security_dashboard/coverage/projects'>
type ReportType = Coverage['report_types'][number]['report_type']

const perPage = 30

/** Report types that are always shown. The others are shown where a project has a report of them. */
const common: readonly ReportType[] = ['sast', 'dependency_scanning', 'container_scanning', 'secret_detection']

/** Which scanners reported for which projects, and which report types are missing. */
function CoveragePage({ query, isOneProject }: OverviewPlace) {
  const summary = useApiQuery('GET /security_dashboard/coverage', { query })
  useLiveUpdates()
  return (
    <Page title={texts.scannerCoverage} lead={texts.scannersThatReportedForTheDefault}>
      <QueryResult query={summary}>
        {(found) => (
          <>
            {!isOneProject && <Summary coverage={found} />}
            <ProjectList query={query} isOneProject={isOneProject} types={typesOf(found)} />
          </>
        )}
      </QueryResult>
    </Page>
  )
}

const typesOf = ({ report_types: all }: Coverage) =>
  all
    .filter(({ report_type: type, current, stale }) => common.includes(type) || current + stale > 0)
    .map(({ report_type: type }) => type)

function Summary({ coverage }: { coverage: Coverage }) {
  const shown = typesOf(coverage)
  return (
    <Panel title={texts.projectsByReportType}>
      <Table label={texts.reportTypes} head={[texts.reportType, texts.current, texts.stale, texts.missing]}>
        {coverage.report_types
          .filter(({ report_type: type }) => shown.includes(type))
          .map(({ report_type: type, current, stale, missing }) => (
            <tr key={type}>
              <th scope="row">{reportTypeInWords(type)}</th>
              <td className="numbers">{formatCount(current)}</td>
              <td className="numbers">{formatCount(stale)}</td>
              <td className="numbers">{formatCount(missing)}</td>
            </tr>
          ))}
      </Table>
    </Panel>
  )
}

function ProjectList({ query, types, isOneProject }: OverviewPlace & { types: readonly ReportType[] }) {
  const choices: { value: ReportType | ''; label: string }[] = [
    { value: '', label: texts.allProjects },
    ...types.map((type) => ({ value: type, label: texts.without(reportTypeInWords(type)) })),
  ]
  const missing = useChoice('missing', choices)
  const [{ stale }] = useSearchState(['stale'])
  const found = usePage('GET /security_dashboard/coverage/projects', {
    query: {
      ...query,
      ...(missing && { missing }),
      ...(stale === 'true' && { stale: true }),
      page: usePageNumber(),
      per_page: perPage,
    },
  })
  return (
    <section className="stack" aria-label={texts.projects}>
      {!isOneProject && (
        <search className="row-wrap">
          <ChoiceFilter name="missing" label={texts.reportType} choices={choices} />
          <CheckFilter name="stale" label={texts.onlyWithStaleReports} />
        </search>
      )}
      <PagedList query={found} perPage={perPage} empty={<Empty icon={ScanSearch} title={texts.noMatchingProjects} />}>
        {(rows) => (
          <Table label={texts.scannersByProject} head={[texts.project, ...types.map(reportTypeInWords)]}>
            {rows.map((row) => (
              <tr key={row.project.id}>
                <th scope="row">
                  <Link to={`/${row.project.path_with_namespace}/-/coverage`}>{row.project.name_with_namespace}</Link>
                </th>
                {types.map((type) => (
                  <td key={type}>
                    <Scanners of={row} type={type} />
                  </td>
                ))}
              </tr>
            ))}
          </Table>
        )}
      </PagedList>
    </section>
  )
}

function Scanners({ of: { scanners }, type }: { of: CoverageRow; type: ReportType }) {
  const ofType = scanners.filter((scanner) => scanner.report_type === type)
  if (ofType.length === 0) return <span className="muted">{texts.missing}</span>
  return (
    <ul className="stack-tight">
      {ofType.map(({ name, last_report_at: last, is_stale: isStale }) => (
        <li key={name}>
          {name} {isStale && <Badge tone="warning">{texts.stale}</Badge>}
          <div className="muted small">
            <Time of={last} />
          </div>
        </li>
      ))}
    </ul>
  )
}

export function InstanceCoverage() {
  return <CoveragePage query={{}} isOneProject={false} />
}

export function GroupCoverage() {
  return <CoveragePage query={{ group_id: useGroup().group.id }} isOneProject={false} />
}

export function ProjectCoverage() {
  return <CoveragePage query={{ project_id: [useProject().project.id] }} isOneProject />
}
