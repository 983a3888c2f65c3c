import { ShieldCheck } from 'lucide-react'
import { Link } from 'wouter'
import { usePage } from '../../app/api.ts'
import { mayWrite, useSession } from '../../app/session.ts'
import { SeverityBadge, StateBadge } from '../../components/badge.tsx'
import { Page } from '../../components/page.tsx'
import { Pager, usePageNumber } from '../../components/pager.tsx'
import { Answered, Empty } from '../../components/states.tsx'
import { Table } from '../../components/table.tsx'
import { ExportButton } from '../exports/export-button.tsx'
import { useProject } from '../project/project.ts'

const perPage = 50

/** What scanners found in a project and people triage. */
export function ProjectVulnerabilities() {
  const { project, to } = useProject()
  const session = useSession()
  const page = usePageNumber()
  const query = usePage('GET /projects/{id}/vulnerabilities', {
    path: { id: project.id },
    query: { page, per_page: perPage },
  })
  return (
    <Page
      title="Vulnerabilities"
      actions={mayWrite(session) && <ExportButton owner={{ kind: 'project', id: project.id }} filters={{}} />}
    >
      <Answered query={query}>
        {(found) =>
          found.rows.length === 0 ? (
            <Empty icon={ShieldCheck} title="No vulnerabilities here" />
          ) : (
            <div className="stack">
              <Table label="Vulnerabilities" head={['Severity', 'State', 'Title']}>
                {found.rows.map(({ id, severity, state, title }) => (
                  <tr key={id}>
                    <td>
                      <SeverityBadge severity={severity} />
                    </td>
                    <td>
                      <StateBadge state={state} />
                    </td>
                    <td>
                      <Link to={to(`vulnerabilities/${id}`)}>{title}</Link>
                    </td>
                  </tr>
                ))}
              </Table>
              <Pager page={found} perPage={perPage} />
            </div>
          )
        }
      </Answered>
    </Page>
  )
}
