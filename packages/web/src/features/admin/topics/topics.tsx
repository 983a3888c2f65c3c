import { Copy, FileText, GitMerge, Plus, Tags } from 'lucide-react'
import { Link, useSearch } from 'wouter'
import { Avatar } from '../../../components/avatar.tsx'
import { LinkButton } from '../../../components/button.tsx'
import { CheckField } from '../../../components/form/field.tsx'
import { SearchField } from '../../../components/form/search-field.tsx'
import { formatCount } from '../../../components/format.ts'
import { Page } from '../../../components/page/page.tsx'
import { PagedList, usePageNumber } from '../../../components/page/pager.tsx'
import { Empty } from '../../../components/page/states.tsx'
import { Table } from '../../../components/table.tsx'
import { usePage } from '../../../data/api.ts'
import { useSearchState } from '../../../data/search-state.ts'
import { mayWrite, useSession } from '../../../data/session.ts'
import styles from '../admin.module.css'
import { OrganizationField, useOrganization } from './organization-field.tsx'

const perPage = 50

/** Admin list of topics. */
export function Topics() {
  const session = useSession()
  const search = new URLSearchParams(useSearch())
  const organization = search.get('organization')
  const kept = organization ? `?organization=${encodeURIComponent(organization)}` : ''
  const [state, set] = useSearchState(['search', 'unused'])
  const query = usePage('GET /topics', {
    query: {
      search: state.search,
      without_projects: state.unused === 'true' || undefined,
      organization_id: useOrganization(),
      page: usePageNumber(),
      per_page: perPage,
    },
  })
  return (
    <Page
      title="Topics"
      actions={
        <>
          <LinkButton icon={Copy} to={`/-/admin/topics/duplicates${kept}`}>
            Duplicates
          </LinkButton>
          <LinkButton icon={GitMerge} to={`/-/admin/topics/merges${kept}`}>
            Merges
          </LinkButton>
          <LinkButton icon={FileText} to={`/-/admin/topics/file${kept}`}>
            Import/export
          </LinkButton>
          {mayWrite(session) && (
            <LinkButton kind="primary" icon={Plus} to={`/-/admin/topics/new${kept}`}>
              New topic
            </LinkButton>
          )}
        </>
      }
    >
      <search className="row-wrap">
        <SearchField
          label="Search topics"
          value={state.search ?? ''}
          onSearch={(text) => set({ search: text }, { isReplacing: true })}
        />
        <CheckField
          label="Without projects"
          checked={state.unused === 'true'}
          onChange={({ target }) => set({ unused: target.checked ? 'true' : undefined })}
        />
        <OrganizationField />
      </search>
      <PagedList
        query={query}
        perPage={perPage}
        empty={
          <Empty icon={Tags} title="No topics">
            <p>
              {state.search
                ? 'No topics match. Enter at least three characters.'
                : 'Create a topic, import a file, or add one to a project.'}
            </p>
          </Empty>
        }
      >
        {(rows) => (
          <Table label="Topics" head={['Topic', 'Description', 'Projects']}>
            {rows.map((topic) => (
              <tr key={topic.id}>
                <td>
                  <div className={styles.person}>
                    <Avatar name={topic.title} url={topic.avatar_url} />
                    <div>
                      <Link to={`/-/admin/topics/${topic.id}`} className={styles.strong}>
                        {topic.title}
                      </Link>
                      <p className="muted small mono">{topic.name}</p>
                    </div>
                  </div>
                </td>
                <td>
                  <p className={styles.description}>{topic.description || <span className="muted">None</span>}</p>
                </td>
                <td className="numbers">{formatCount(topic.total_projects_count)}</td>
              </tr>
            ))}
          </Table>
        )}
      </PagedList>
    </Page>
  )
}
