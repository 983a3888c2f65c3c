import { Package } from 'lucide-react'
import { SearchFilter } from '../../components/form/filters.tsx'
import { formatCount } from '../../components/format.ts'
import { Page } from '../../components/page/page.tsx'
import { PagedList, usePageNumber } from '../../components/page/pager.tsx'
import { Empty } from '../../components/page/states.tsx'
import { Table } from '../../components/table.tsx'
import { usePage } from '../../data/api.ts'
import { useSearchState } from '../../data/search-state.ts'
import { useGroup } from '../../nouns/group/group.ts'
import { Projects } from './all-dependencies.tsx'
import { Licenses } from './licenses.tsx'
import { texts } from './texts.ts'

const perPage = 30

/** Packages on which the readable projects of a group depend. */
export function GroupDependencies() {
  const { group } = useGroup()
  const [{ search }] = useSearchState(['search'])
  const query = usePage('GET /groups/{id}/dependencies', {
    path: { id: group.id },
    query: { ...(search && { search }), page: usePageNumber(), per_page: perPage },
  })
  return (
    <Page title={texts.dependencies} lead={texts.packagesOnWhichTheDefaultBranches}>
      <search>
        <SearchFilter label={texts.searchPackages} placeholder={texts.partOfAName} />
      </search>
      <PagedList query={query} perPage={perPage} empty={<Empty icon={Package} title={texts.noMatchingPackages} />}>
        {(rows) => (
          <Table
            label={texts.packages}
            head={[texts.package, texts.version, texts.licenses, texts.used, texts.projects]}
          >
            {rows.map((row) => (
              <tr key={`${row.package_url ?? row.name} ${row.version}`}>
                <td>{row.name}</td>
                <td className="mono">{row.version}</td>
                <td>
                  <Licenses of={row.licenses} />
                </td>
                <td className="numbers">{formatCount(row.occurrence_count)}</td>
                <td>
                  <Projects of={row} />
                </td>
              </tr>
            ))}
          </Table>
        )}
      </PagedList>
    </Page>
  )
}
