import type { ListOperation, Request } from '@alcove/client'
import type { ReactNode } from 'react'
import { Link } from 'wouter'
import { fill } from '../../components/fill.tsx'
import { formatBytes, formatCount } from '../../components/format.ts'
import { Page, Panel } from '../../components/page/page.tsx'
import { QueryResult } from '../../components/page/states.tsx'
import { Time } from '../../components/time.tsx'
import { useApiQuery, usePage } from '../../data/api.ts'
import { useSession } from '../../data/session.ts'
import styles from './admin.module.css'
import { Feeds } from './feeds.tsx'
import { Health } from './health.tsx'
import { databaseNames, storeNames } from './storage.tsx'
import { texts } from './texts.ts'

/** Admin overview: health, counts and storage. */
export function Overview() {
  const { version } = useSession()
  const storage = useApiQuery('GET /admin/storage', {})
  return (
    <Page title={texts.overview}>
      <Health version={version} />
      <section aria-label={texts.counts} className={styles.cards}>
        <Count label={texts.users} to="/-/admin/users" operation="GET /users" />
        <Count label={texts.projects} to="/explore/projects" operation="GET /projects" />
        <Count label={texts.groups} operation="GET /groups" />
        <Count label={texts.topics} to="/-/admin/topics" operation="GET /topics" />
        <Count
          label={texts.activeTokens}
          to="/-/admin/tokens?state=active"
          operation="GET /personal_access_tokens"
          query={{ state: 'active' }}
        />
        <Count label={texts.failedJobs} to="/-/admin/jobs?state=failed" operation="GET /admin/jobs" query={failed} />
        <Count label={texts.pendingJobs} to="/-/admin/jobs" operation="GET /admin/jobs" query={toDo} />
      </section>
      <Panel title={texts.storage}>
        <div className={`stack ${styles.sums}`}>
          <QueryResult query={storage}>
            {({ database, object_store: store, uploads, deleted_uploads: deleted, measured_at: at }) => (
              <>
                <p>
                  {fill(texts.inDatabaseFiles, {
                    bytes: formatBytes(uploads.bytes),
                    uploadsFiles: texts.fileFiles(uploads.files),
                    deletedFiles:
                      deleted.files > 0 && texts.plusInDeletedFile(formatBytes(deleted.bytes), deleted.files),
                    databaseNames: databaseNames[database],
                    storeNames: storeNames[store],
                  })}
                </p>
                <p className="muted small">
                  {fill(texts.calculated2, {
                    time: <Time of={at} />,
                    link: <Link to="/-/admin/storage">{texts.largestConsumers}</Link>,
                  })}
                </p>
              </>
            )}
          </QueryResult>
        </div>
      </Panel>
      <Feeds />
    </Page>
  )
}

const failed = { state: ['failed' as const] }
const toDo = { state: ['waiting' as const, 'running' as const] }

function Count<O extends ListOperation>({
  label,
  to,
  operation,
  query,
}: {
  label: string
  to?: string
  operation: O
  query?: object
}) {
  // Every list accepts `per_page`, which TypeScript cannot infer for the generic operation.
  const { data, isError } = usePage(operation, { query: { ...query, per_page: 1 } } as Request<O>)
  const figure = isError ? '–' : !data ? '…' : data.total === undefined ? texts.over10000 : formatCount(data.total)
  return <Card label={label} figure={figure} {...(to && { to })} />
}

function Card({ label, figure, to }: { label: string; figure: ReactNode; to?: string }) {
  const content = (
    <>
      <span className="muted small">{label}</span>
      <span className={styles.figure}>{figure}</span>
    </>
  )
  return to ? (
    <Link to={to} className={styles.card}>
      {content}
    </Link>
  ) : (
    <div className={styles.card}>{content}</div>
  )
}
