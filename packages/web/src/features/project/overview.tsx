import { FileUp, Settings } from 'lucide-react'
import { Link } from 'wouter'
import { Avatar } from '../../components/avatar.tsx'
import { LinkButton } from '../../components/button.tsx'
import { CopyButton } from '../../components/copy-button.tsx'
import { formatBytes } from '../../components/format.ts'
import { lazyComponent } from '../../components/lazy-component.tsx'
import { Markdown } from '../../components/markdown.tsx'
import { Page, Panel } from '../../components/page/page.tsx'
import { Loading, QueryResult } from '../../components/page/states.tsx'
import { Time } from '../../components/time.tsx'
import { visibilityLook, visibilityOf } from '../../components/visibility.tsx'
import { useApiQuery, usePage } from '../../data/api.ts'
import { useLiveUpdates } from '../../data/live-updates.ts'
import { levels, useMayChange, useSession } from '../../data/session.ts'
import { useIsScanned } from '../../nouns/finding/triage-backlog.ts'
import { roleName } from '../../nouns/member/roles.ts'
import { FirstImportResult, FirstImportState } from '../../nouns/project/first-import.tsx'
import { FirstReport } from '../../nouns/project/first-report.tsx'
import { Grade } from '../../nouns/project/grade.tsx'
import { useProject } from '../../nouns/project/project.ts'
import { TopicLinks } from '../../nouns/topic/topic-links.tsx'
import { SeverityCards } from '../dashboard/severity-cards.tsx'
import { Work } from '../dashboard/work.tsx'
import styles from './overview.module.css'
import { texts } from './texts.ts'

const TopicsEditor = lazyComponent(
  async () => (await import('./topics-editor.tsx')).TopicsEditor,
  ({ project }) => <TopicLinks topics={project.topics} />,
)

/** Overview of a project: open vulnerabilities, description, topics, details and members. */
export function Overview() {
  const { project, level, to } = useProject()
  const session = useSession()
  const isMaintainer = useMayChange() && level >= levels.maintainer
  const statistics = useStatistics()
  // What arrives later would move the parts below it.
  if (statistics.isLoading) return <Loading />
  return (
    <Page title={texts.overview}>
      <div className={styles.columns}>
        <div className="stack">
          <Onboarding />
          {level >= levels.developer && <OpenVulnerabilities />}
          <Panel
            title={texts.about}
            actions={
              isMaintainer && (
                <LinkButton size="small" kind="quiet" icon={Settings} to={to('settings')}>
                  {texts.edit}
                </LinkButton>
              )
            }
          >
            {project.description ? (
              <Markdown text={project.description} project={project.path_with_namespace} />
            ) : (
              <p className="muted">{texts.noDescription}</p>
            )}
          </Panel>
          <Topics isMaintainer={isMaintainer} />
        </div>
        <div className="stack">
          <Facts />
          {session.user && <People />}
        </div>
      </div>
    </Page>
  )
}

function useStatistics() {
  const { project, level } = useProject()
  return useApiQuery(
    'GET /projects/{id}/vulnerability_statistics',
    { path: { id: project.id } },
    { isEnabled: level >= levels.developer },
  )
}

/** Open vulnerabilities by severity, and what awaits a decision; absent before the first scan of the default branch. */
function OpenVulnerabilities() {
  const { to } = useProject()
  const { data } = useStatistics()
  useLiveUpdates()
  if (!data?.last_scan_at) return null
  const list = to('vulnerabilities')
  return (
    <section className="stack" aria-labelledby="open-vulnerabilities">
      <h2 id="open-vulnerabilities">{texts.openVulnerabilities}</h2>
      <SeverityCards statistics={data} list={list} />
      <Work statistics={data} list={list} />
    </section>
  )
}

/** The project's own topics, and those of its groups. */
function Topics({ isMaintainer }: { isMaintainer: boolean }) {
  const { project } = useProject()
  const { topics, inherited_topics: inherited = [] } = project
  return (
    <Panel title={texts.topics}>
      {isMaintainer ? (
        <TopicsEditor project={project} />
      ) : topics.length > 0 ? (
        <TopicLinks topics={topics} />
      ) : (
        inherited.length === 0 && <p className="muted">{texts.noTopics}</p>
      )}
      {inherited.length > 0 && (
        <div className="row-wrap">
          <span className="muted small">{texts.inheritedFromGroups}</span>
          <TopicLinks topics={inherited} label={texts.inheritedTopics} />
        </div>
      )}
    </Panel>
  )
}

/** Commands that send the first report, until one has arrived; then its result, while the page stays open. */
function Onboarding() {
  const { project, level, to } = useProject()
  const mayImport = useMayChange() && level >= levels.developer
  const isScanned = useIsScanned(level >= levels.developer ? project.id : undefined)
  if (isScanned === undefined) return null
  return (
    <>
      <FirstImportResult project={project} to={to} />
      {!isScanned && mayImport && (
        <Panel title={texts.sendTheFirstReport}>
          <p>
            <LinkButton kind="primary" icon={FileUp} to={to('reports/new')}>
              {texts.importReport}
            </LinkButton>
          </p>
          <FirstReport project={{ ...project, level }} />
          <FirstImportState project={project} to={to} />
        </Panel>
      )}
    </>
  )
}

function Facts() {
  const { project } = useProject()
  const { user } = useSession()
  const { data: statistics } = useStatistics()
  const limits = useApiQuery(
    'GET /projects/{id}/uploads/limits',
    { path: { id: project.id } },
    { isEnabled: user !== null },
  )
  return (
    <Panel title={texts.details}>
      <dl className={styles.facts}>
        <dt>{texts.projectId}</dt>
        <dd className="row">
          <span className="numbers">{project.id}</span>
          <CopyButton text={String(project.id)} label={texts.copyId} />
        </dd>
        <dt>{texts.visibility}</dt>
        <dd>{visibilityLook(visibilityOf(project.visibility)).label}</dd>
        {project.default_branch && (
          <>
            <dt>{texts.defaultBranch}</dt>
            <dd>
              <code>{project.default_branch}</code>
            </dd>
          </>
        )}
        {statistics?.last_scan_at && (
          <>
            <dt>{texts.grade}</dt>
            <dd>
              <Grade
                grade={statistics.letter_grade}
                lastScanAt={statistics.last_scan_at}
                waiting={statistics.waiting_findings}
              />
            </dd>
            <dt>{texts.lastScan}</dt>
            <dd>
              <Time of={statistics.last_scan_at} />
            </dd>
          </>
        )}
        <dt>{texts.created}</dt>
        <dd>
          <Time of={project.created_at} />
        </dd>
        <dt>{texts.lastActivity}</dt>
        <dd>
          <Time of={project.last_activity_at} />
        </dd>
        {limits.data && (
          <>
            <dt>{texts.uploads}</dt>
            <dd>
              {texts.fileFiles(limits.data.files)}, {formatBytes(limits.data.used_bytes)}
              {limits.data.quota_bytes !== null && texts.of(formatBytes(limits.data.quota_bytes))}
            </dd>
          </>
        )}
      </dl>
    </Panel>
  )
}

const maxShown = 8

function People() {
  const { project, to } = useProject()
  const query = usePage('GET /projects/{id}/members/all', { path: { id: project.id }, query: { per_page: maxShown } })
  return (
    <Panel
      title={texts.members}
      actions={
        <LinkButton size="small" kind="quiet" to={to('members')}>
          {texts.viewAll}
        </LinkButton>
      }
    >
      <QueryResult query={query}>
        {({ rows, total }) =>
          rows.length === 0 ? (
            <p className="muted">{texts.noMembersYet}</p>
          ) : (
            <>
              <ul className={styles.people} aria-label={texts.members}>
                {rows.map(({ id, name = '', username, avatar_url: url, access_level: role = 0 }) => (
                  <li key={id} className="row">
                    <Avatar name={name} url={url ?? null} />
                    <span className={styles.words}>
                      <Link to={`/${username}`}>{name}</Link>
                      <span className="muted small">{roleName(role)}</span>
                    </span>
                  </li>
                ))}
              </ul>
              {total !== undefined && total > rows.length && (
                <p className="muted small">{texts.andMore(total - rows.length)}</p>
              )}
            </>
          )
        }
      </QueryResult>
    </Panel>
  )
}
