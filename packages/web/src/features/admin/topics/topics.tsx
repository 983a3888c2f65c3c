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
import { texts } from './texts.ts'

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
      title={texts.topics}
      actions={
        <>
          <LinkButton icon={Lightbulb} to="/-/admin/topics/proposals">
            {texts.proposals}
          </LinkButton>
          <LinkButton icon={Copy} to={`/-/admin/topics/duplicates${kept}`}>
            {texts.duplicates}
          </LinkButton>
          <LinkButton icon={GitMerge} to={`/-/admin/topics/merges${kept}`}>
            {texts.merges}
          </LinkButton>
          <LinkButton icon={FileText} to={`/-/admin/topics/file${kept}`}>
            {texts.importExport}
          </LinkButton>
          {mayWrite(session) && (
            <LinkButton kind="primary" icon={Plus} to={`/-/admin/topics/new${kept}`}>
              {texts.newTopic}
            </LinkButton>
          )}
        </>
      }
    >
      <search className="row-wrap">
        <SearchFilter label={texts.searchTopics} />
        <CheckFilter name="unused" label={texts.withoutProjects} />
        <OrganizationField />
      </search>
      <PagedTable
        label={texts.topics}
        query={query}
        perPage={perPage}
        empty={{
          icon: Tags,
          title: texts.noTopics,
          text: <p>{state.search ? texts.noTopicsMatchEnter : texts.createATopicImport}</p>,
        }}
        columns={[
          [
            texts.topic,
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
            texts.description,
            ({ description }) => (
              <p className={styles.description}>{description || <span className="muted">{texts.none}</span>}</p>
            ),
          ],
          [texts.projects, (topic) => formatCount(topic.total_projects_count), 'numbers'],
        ]}
      />
    </Page>
  )
}
