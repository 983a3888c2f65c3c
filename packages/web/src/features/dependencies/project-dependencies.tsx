import type { Schemas } from '@alcove/client'
import { Package } from 'lucide-react'
import { Link } from 'wouter'
import { SeverityBadge } from '../../components/badge.tsx'
import { LinkButton } from '../../components/button.tsx'
import { ChoiceFilter, SearchFilter } from '../../components/form/filters.tsx'
import { formatCount } from '../../components/format.ts'
import { Page } from '../../components/page/page.tsx'
import { PagedList, usePageNumber } from '../../components/page/pager.tsx'
import { Empty } from '../../components/page/states.tsx'
import { Table } from '../../components/table.tsx'
import { useApiQuery, usePage } from '../../data/api.ts'
import { useSearchState } from '../../data/search-state.ts'
import { useProject } from '../../nouns/project/project.ts'
import { Licenses } from './licenses.tsx'
import { texts } from './texts.ts'

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
      title={texts.dependencies}
      lead={texts.packagesThatTheNewest}
      actions={<LinkButton to="/-/dependencies">{texts.searchAllProjects}</LinkButton>}
    >
      <search className="row-wrap">
        <SearchFilter label={texts.searchDependencies} />
        {known.length > 0 && (
          <ChoiceFilter
            name="license"
            label={texts.license}
            choices={[
              { value: '', label: texts.allLicenses },
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
          <Empty icon={Package} title={search || license ? texts.noMatchingDependencies : texts.noDependenciesYet}>
            {!search && !license && texts.importACyclonedxOrSpdxReport}
          </Empty>
        }
      >
        {(rows) => <DependencyTable rows={rows} />}
      </PagedList>
    </Page>
  )
}

function DependencyTable({ rows }: { rows: readonly Dependency[] }) {
  // Most lists of components do not name the file.
  const hasFiles = rows.some(({ dependency_file_path: path }) => path)
  const head = [texts.package, texts.version, texts.vulnerabilities, texts.licenses, ...(hasFiles ? [texts.file] : [])]
  return (
    <Table label={texts.dependencies} head={head}>
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
          {hasFiles && <td className="mono">{row.dependency_file_path}</td>}
        </tr>
      ))}
    </Table>
  )
}

/** The highest severity of the vulnerabilities in a dependency, as a link to them. */
function Vulnerabilities({ of: { name, vulnerabilities, package_url: url, version } }: { of: Dependency }) {
  const { to } = useProject()
  const [worst] = vulnerabilities
  if (!worst) return <span className="muted">{texts.none}</span>
  const filter = new URLSearchParams({ package: url ?? name })
  return (
    <span className="row-wrap">
      <SeverityBadge severity={worst.severity} />
      <Link to={`${to('vulnerabilities')}?${filter}`}>
        {texts.vulnerabilitiesCount(vulnerabilities.length)}
        <span className="visually-hidden"> {texts.inLabel(name, version)}</span>
      </Link>
    </span>
  )
}
