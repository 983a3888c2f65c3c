import type { Schemas } from '@alcove/client'
import { Package } from 'lucide-react'
import { Link } from 'wouter'
import { SeverityBadge } from '../../components/badge.tsx'
import { LinkButton } from '../../components/button.tsx'
import { ChoiceFilter, SearchFilter } from '../../components/form/filters.tsx'
import { counted, formatCount } from '../../components/format.ts'
import { Page } from '../../components/page/page.tsx'
import { PagedList, usePageNumber } from '../../components/page/pager.tsx'
import { Empty } from '../../components/page/states.tsx'
import { Table } from '../../components/table.tsx'
import { useApiQuery, usePage } from '../../data/api.ts'
import { useSearchState } from '../../data/search-state.ts'
import { useProject } from '../../nouns/project/project.ts'
import { Licenses } from './licenses.tsx'

type Dependency = Schemas['Dependency']

const perPage = 50

/** List of the packages on which the default branch of a project depends. */
export function ProjectDependencies() {
  const { project } = useProject()
  const [{ search, license }] = useSearchState(['search', 'license'])
  const licenses = useApiQuery('GET /projects/{id}/dependencies/licenses', { path: { id: project.id } })
  const query = usePage('GET /projects/{id}/dependencies', {
    path: { id: project.id },
    query: { search, license, page: usePageNumber(), per_page: perPage },
  })
  const known = (licenses.data ?? []).filter(({ url, name }) => url !== null || name !== 'unknown')
  return (
    <Page
      title="Dependencies"
      lead="Packages that the newest reports of the default branch list: CycloneDX and SPDX."
      actions={<LinkButton to="/-/dependencies">Search all projects</LinkButton>}
    >
      <search className="row-wrap">
        <SearchFilter label="Search dependencies" />
        {known.length > 0 && (
          <ChoiceFilter
            name="license"
            label="License"
            choices={[
              { value: '', label: 'All licenses' },
              ...known.map(({ name, dependencies }) => ({
                value: name,
                label: `${name} (${formatCount(dependencies)})`,
              })),
            ]}
          />
        )}
      </search>
      <PagedList
        query={query}
        perPage={perPage}
        empty={
          <Empty icon={Package} title={search || license ? 'No matching dependencies' : 'No dependencies yet'}>
            {!search && !license && 'Import a CycloneDX or SPDX report of the default branch.'}
          </Empty>
        }
      >
        {(rows) => (
          <Table label="Dependencies" head={['Package', 'Version', 'Vulnerabilities', 'Licenses', 'File']}>
            {rows.map((row) => (
              <tr key={`${row.package_url ?? row.name} ${row.version} ${row.dependency_file_path}`}>
                <td>{row.name}</td>
                <td className="mono">{row.version}</td>
                <td>
                  <Vulnerabilities of={row} />
                </td>
                <td>
                  <Licenses of={row.licenses} />
                </td>
                <td className="mono">{row.dependency_file_path}</td>
              </tr>
            ))}
          </Table>
        )}
      </PagedList>
    </Page>
  )
}

/** The highest severity of the vulnerabilities in a dependency, as a link to them. */
function Vulnerabilities({ of: { name, vulnerabilities, package_url: url, version } }: { of: Dependency }) {
  const { to } = useProject()
  const [worst] = vulnerabilities
  if (!worst) return <span className="muted">None</span>
  const filter = new URLSearchParams({ package: url ?? name })
  return (
    <span className="row-wrap">
      <SeverityBadge severity={worst.severity} />
      <Link to={`${to('vulnerabilities')}?${filter}`}>
        {counted(vulnerabilities.length, 'vulnerability', 'vulnerabilities')}
        <span className="visually-hidden">
          {' '}
          in {name} {version}
        </span>
      </Link>
    </span>
  )
}
