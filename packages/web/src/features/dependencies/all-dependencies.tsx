import type { Schemas } from '@alcove/client'
import { Package } from 'lucide-react'
import { Link } from 'wouter'
import { SearchFilter } from '../../components/form/filters.tsx'
import { formatCount } from '../../components/format.ts'
import { Page } from '../../components/page/page.tsx'
import { PagedList, usePageNumber } from '../../components/page/pager.tsx'
import { Empty, QueryResult } from '../../components/page/states.tsx'
import { Table } from '../../components/table.tsx'
import { useApiQuery, usePage } from '../../data/api.ts'
import { useSearchState } from '../../data/search-state.ts'
import { Licenses } from './licenses.tsx'
import { texts } from './texts.ts'

type UsedPackage = Schemas['UsedPackage']

const perPage = 30

/** Search for a package in all readable projects, and their licenses. */
export function AllDependencies() {
  const [{ search }] = useSearchState(['search'])
  return (
    <Page title={texts.dependencies} lead={texts.packagesOnWhichTheDefault}>
      <search>
        <SearchFilter label={texts.searchPackages} placeholder={texts.nameOrPkgNpm} />
      </search>
      {search && isSearchable(search) ? <Results search={search} /> : <AllLicenses hasSearch={Boolean(search)} />}
    </Page>
  )
}

/** Whether the API accepts the search: a package URL, or a word of three letters. */
const isSearchable = (search: string): boolean =>
  search.startsWith('pkg:') ? /^pkg:\/*[^/]+\/+[^/]/.test(search) : search.split(/\s+/).some((word) => word.length >= 3)

function Results({ search }: { search: string }) {
  const query = usePage('GET /dependencies', { query: { search, page: usePageNumber(), per_page: perPage } })
  return (
    <PagedList query={query} perPage={perPage} empty={<Empty icon={Package} title={texts.noMatchingPackages} />}>
      {(rows) => (
        <Table label={texts.packages} head={[texts.package, texts.version, texts.projects]}>
          {rows.map((row) => (
            <tr key={`${row.package_url ?? row.name} ${row.version}`}>
              <td>{row.name}</td>
              <td className="mono">{row.version}</td>
              <td>
                <Projects of={row} />
              </td>
            </tr>
          ))}
        </Table>
      )}
    </PagedList>
  )
}

/** Links to the first projects that use a package. */
export function Projects({
  of: { name, projects, project_count: total },
}: {
  of: Pick<UsedPackage, 'name' | 'projects' | 'project_count'>
}) {
  const query = new URLSearchParams({ search: name })
  return (
    <span className="row-wrap">
      {projects.map(({ id, path_with_namespace: path }) => (
        <Link key={id} to={`/${path}/-/dependencies?${query}`}>
          {path}
        </Link>
      ))}
      {total > projects.length && <span className="muted">{texts.andOtherProject(total - projects.length)}</span>}
    </span>
  )
}

function AllLicenses({ hasSearch }: { hasSearch: boolean }) {
  const query = useApiQuery('GET /dependencies/licenses', {})
  return (
    <>
      {hasSearch && <p className="muted">{texts.typeAWordOfAtLeast}</p>}
      <QueryResult query={query}>
        {(counts) =>
          counts.length === 0 ? (
            <Empty icon={Package} title={texts.noDependenciesYet}>
              {texts.importACyclonedxOrSpdx}
            </Empty>
          ) : (
            <Table label={texts.licenses} head={[texts.license, texts.dependencies]}>
              {counts.map((count) => (
                <tr key={count.name}>
                  <td>
                    <Licenses of={count.name === 'unknown' ? [] : [count]} />
                  </td>
                  <td>{formatCount(count.dependencies)}</td>
                </tr>
              ))}
            </Table>
          )
        }
      </QueryResult>
    </>
  )
}
