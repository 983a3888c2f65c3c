import type { RowOf } from '@alcove/client'
import { Tags } from 'lucide-react'
import { Link } from 'wouter'
import { Avatar } from '../../components/avatar.tsx'
import { LinkButton } from '../../components/button.tsx'
import { SearchFilter } from '../../components/form/filters.tsx'
import { Page } from '../../components/page/page.tsx'
import { PagedList, usePageNumber } from '../../components/page/pager.tsx'
import { Empty } from '../../components/page/states.tsx'
import { usePage } from '../../data/api.ts'
import { useSearchState } from '../../data/search-state.ts'
import { useSession } from '../../data/session.ts'
import { topicAddress } from '../../nouns/topic/topic-links.tsx'
import { texts } from './texts.ts'
import styles from './topics.module.css'

const perPage = 48

/** List of topics, most used first. */
export function Topics() {
  const { is_admin: isAdmin } = useSession()
  const [{ search }, _set] = useSearchState(['search'])
  const query = usePage('GET /topics', { query: { search, page: usePageNumber(), per_page: perPage } })
  return (
    <Page
      title={texts.topics}
      lead={texts.browseProjectsByTopic}
      actions={isAdmin && <LinkButton to="/-/admin/topics">{texts.manageTopics}</LinkButton>}
    >
      <search>
        <SearchFilter label={texts.searchTopics} />
      </search>
      <PagedList
        query={query}
        perPage={perPage}
        empty={
          <Empty icon={Tags} title={texts.noTopics}>
            <p>{search ? texts.noTopicsMatchYourSearch : texts.noTopicsYetAdd}</p>
          </Empty>
        }
      >
        {(rows) => (
          <ul className={styles.cards} aria-label={texts.topics}>
            {rows.map((topic) => (
              <Card key={topic.id} topic={topic} />
            ))}
          </ul>
        )}
      </PagedList>
    </Page>
  )
}

function Card({ topic }: { topic: RowOf<'GET /topics'> }) {
  const { name, title, description, avatar_url: avatar, total_projects_count: projects } = topic
  return (
    <li className={styles.card}>
      <div className={styles.head}>
        <Avatar name={title} url={avatar} />
        <div className={styles.words}>
          <Link to={topicAddress(name)} className={styles.title}>
            {title}
          </Link>
          <p className="muted small">
            {title !== name && <span className={styles.name}>{name} · </span>}
            <span className="numbers">{texts.project(projects)}</span>
          </p>
        </div>
      </div>
      {description && <p className={styles.description}>{plainFrom(description)}</p>}
    </li>
  )
}

/** Removes Markdown syntax: a card has no space for headings and lists. */
function plainFrom(markdown: string): string {
  return markdown
    .replace(/!?\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replace(/^\s*(#{1,6}|[-*+>]|\d+\.)\s+/gm, '')
    .replace(/[*_`~]{1,3}(\S(?:.*?\S)?)[*_`~]{1,3}/g, '$1')
}
