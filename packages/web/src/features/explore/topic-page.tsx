import type { ResponseOf, RowOf } from '@alcove/client'
import { Rss, Tag } from 'lucide-react'
import { useEffect, useRef } from 'react'
import { useLocation } from 'wouter'
import { Avatar } from '../../components/avatar.tsx'
import { IconLink, LinkButton } from '../../components/button.tsx'
import { Markdown } from '../../components/markdown.tsx'
import { Page, useTitle } from '../../components/page/page.tsx'
import { Empty, Loading, QueryResult } from '../../components/page/states.tsx'
import { useApiQuery, usePage } from '../../data/api.ts'
import { decodeSegment } from '../../data/own-address.ts'
import { useSession } from '../../data/session.ts'
import { MirrorNotice } from '../../nouns/mirror/mirror-notice.tsx'
import { FoundProjects, ProjectSearch, useProjectQuery } from '../../nouns/project/project-search.tsx'
import { TopicLinks, topicAddress } from '../../nouns/topic/topic-links.tsx'
import { SeverityCards } from '../dashboard/severity-cards.tsx'
import { texts } from './texts.ts'
import styles from './topic-page.module.css'

type Topic = RowOf<'GET /topics'>
type Statistics = ResponseOf<'GET /vulnerability_statistics'>

/** A topic and its projects. Aliases and other spellings of its name redirect to it. */
export function TopicPage() {
  // Reads `location`, because the router decodes only part of the path and leaves some names ambiguous.
  const name = decodeSegment(location.pathname.split('/')[3] ?? '')
  const [, navigate] = useLocation()
  const query = useApiQuery('GET /topics', { query: { name } })
  const own = query.data?.[0]?.name
  useEffect(() => {
    if (own !== undefined && own !== name) navigate(`${topicAddress(own)}${location.search}`, { replace: true })
  }, [own, name, navigate])
  return (
    <QueryResult query={query} isPage>
      {([topic]) => (topic ? <Found topic={topic} /> : <Missing name={name} />)}
    </QueryResult>
  )
}

function Missing({ name }: { name: string }) {
  useTitle(texts.topicNotFound)
  return (
    <Empty icon={Tag} title={texts.topicNotFound} isPage>
      <p>{texts.thereIsNoTopic(name)}</p>
      <LinkButton to={`/explore/topics?search=${encodeURIComponent(name)}`}>{texts.searchTopics}</LinkButton>
    </Empty>
  )
}

function Found({ topic }: { topic: Topic }) {
  const { is_admin: isAdmin, user } = useSession()
  const projects = usePage('GET /projects', { query: { ...useProjectQuery(), topic_id: topic.id } })
  const numbers = useApiQuery(
    'GET /vulnerability_statistics',
    { query: { topic: [topic.name] } },
    { isEnabled: user !== null },
  )
  // All at once, because what arrives later would move the parts below it.
  const isShown = useRef(false)
  isShown.current ||= !projects.isLoading && !numbers.isLoading
  if (!isShown.current) return <Loading />
  return (
    <Page
      title={topic.title}
      crumbs={[{ label: texts.topics, to: '/explore/topics' }]}
      lead={<Facts topic={topic} />}
      actions={
        <>
          <IconLink label={texts.atomFeedOfPublic} icon={Rss} href={`/api/v4/topics/${topic.id}/feed`} />
          {isAdmin && <LinkButton to={`/-/admin/topics/${topic.id}`}>{texts.edit}</LinkButton>}
        </>
      }
    >
      <MirrorNotice kind="topic" place={topic} level={0} />
      {topic.description && <Markdown text={topic.description} />}
      {numbers.data && <Vulnerabilities topic={topic} statistics={numbers.data} />}
      <section className="stack" aria-label={texts.projects}>
        <h2>{texts.projects}</h2>
        <ProjectSearch label={texts.searchProjectsWithThisTopic} />
        <FoundProjects query={projects}>
          <p>{texts.noAccessibleProjectsUse}</p>
        </FoundProjects>
      </section>
      <Related topic={topic} />
    </Page>
  )
}

/** Open vulnerabilities of the projects whose vulnerabilities the user may read; absent when there are none. */
function Vulnerabilities({ topic, statistics }: { topic: Topic; statistics: Statistics }) {
  if (statistics.projects === 0) return null
  return (
    <section className="stack" aria-labelledby="open-vulnerabilities">
      <h2 id="open-vulnerabilities">{texts.openVulnerabilities}</h2>
      <SeverityCards statistics={statistics} list="/-/vulnerabilities" filter={{ topic: topic.name }} />
    </section>
  )
}

/** Topics of the same projects. The section is absent when there are none. */
function Related({ topic }: { topic: Topic }) {
  const related = useApiQuery('GET /topics/{id}/related', { path: { id: topic.id } })
  if (!related.data?.length) return null
  return (
    <section className="stack" aria-labelledby="related-topics">
      <h2 id="related-topics">{texts.relatedTopics}</h2>
      <TopicLinks topics={related.data.map(({ name }) => name)} label={texts.relatedTopics} />
    </section>
  )
}

function Facts({ topic }: { topic: Topic }) {
  const aliases = useApiQuery('GET /topics/{id}/aliases', { path: { id: topic.id }, query: { per_page: 100 } })
  const others = aliases.data ?? []
  return (
    <div className={styles.facts}>
      <Avatar name={topic.title} url={topic.avatar_url} size="large" />
      <div className="stack-tight">
        <p>
          {topic.title !== topic.name && <code>{topic.name}</code>}
          {topic.title !== topic.name && ' · '}
          {texts.projectTotalProjectsCount(topic.total_projects_count)}
        </p>
        {others.length > 0 && (
          <p className="small">
            {texts.aliases}{' '}
            {others.map(({ id, name }, index) => (
              <span key={id}>
                {index > 0 && ', '}
                <code>{name}</code>
              </span>
            ))}
          </p>
        )}
      </div>
    </div>
  )
}
