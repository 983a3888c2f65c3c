import { Copy, FileText, GitMerge, Lightbulb, Plus, Tags } from 'lucide-react'
import { Link, useSearch } from 'wouter'
import { Avatar } from '../../../components/avatar.tsx'
import { LinkButton } from '../../../components/button.tsx'
import { CheckFilter, SearchFilter } from '../../../components/form/filters.tsx'
import { formatCount } from '../../../components/format.ts'
import { Page } from '../../../components/page/page.tsx'
import { PagedTable } from '../../../components/page/paged-table.tsx'
import { usePageNumber } from '../../../components/page/pager.tsx'
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
  const [state, _set] = useSearchState(['search', 'unused'])
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
          <LinkButton icon={Lightbulb} to="/-/admin/topics/proposals">
            Proposals
          </LinkButton>
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
        <SearchFilter label="Search topics" />
        <CheckFilter name="unused" label="Without projects" />
        <OrganizationField />
      </search>
      <PagedTable
        label="Topics"
        query={query}
        perPage={perPage}
        empty={{
          icon: Tags,
          title: 'No topics',
          text: (
            <p>
              {state.search
                ? 'No topics match. Enter at least three characters.'
                : 'Create a topic, import a file, or add one to a project.'}
            </p>
          ),
        }}
        columns={[
          [
            'Topic',
            (topic) => (
              <div className={styles.person}>
                <Avatar name={topic.title} url={topic.avatar_url} />
                <div>
                  <Link to={`/-/admin/topics/${topic.id}`} className={styles.strong}>
                    {topic.title}
                  </Link>
                  <p className="muted small mono">{topic.name}</p>
                </div>
              </div>
            ),
          ],
          [
            'Description',
            ({ description }) => (
              <p className={styles.description}>{description || <span className="muted">None</span>}</p>
            ),
          ],
          ['Projects', (topic) => formatCount(topic.total_projects_count), 'numbers'],
        ]}
      />
    </Page>
  )
}
