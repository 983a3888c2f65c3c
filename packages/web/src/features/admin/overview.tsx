import type { ListOperation, Request } from '@alcove/client'
import type { ReactNode } from 'react'
import { Link } from 'wouter'
import { counted, formatBytes, formatCount } from '../../components/format.ts'
import { Page, Panel } from '../../components/page/page.tsx'
import { QueryResult } from '../../components/page/states.tsx'
import { Time } from '../../components/time.tsx'
import { useApiQuery, usePage } from '../../data/api.ts'
import { useSession } from '../../data/session.ts'
import styles from './admin.module.css'
import { Feeds } from './feeds.tsx'
import { Health } from './health.tsx'
import { databaseNames, storeNames } from './storage.tsx'

/** Admin overview: health, counts and storage. */
export function Overview() {
  const { version } = useSession()
  const storage = useApiQuery('GET /admin/storage', {})
  return (
    <Page title="Overview">
      <Health version={version} />
      <section aria-label="Counts" className={styles.cards}>
        <Count label="Users" to="/-/admin/users" operation="GET /users" />
        <Count label="Projects" to="/explore/projects" operation="GET /projects" />
        <Count label="Groups" operation="GET /groups" />
        <Count label="Topics" to="/-/admin/topics" operation="GET /topics" />
        <Count
          label="Active tokens"
          to="/-/admin/tokens?state=active"
          operation="GET /personal_access_tokens"
          query={{ state: 'active' }}
        />
        <Count label="Failed jobs" to="/-/admin/jobs?state=failed" operation="GET /admin/jobs" query={failed} />
        <Count label="Pending jobs" to="/-/admin/jobs" operation="GET /admin/jobs" query={toDo} />
      </section>
      <Panel title="Storage">
        <QueryResult query={storage}>
          {({ database, object_store: store, uploads, deleted_uploads: deleted, measured_at: at }) => (
            <>
              <p>
                {formatBytes(uploads.bytes)} in {counted(uploads.files, 'file')}
                {deleted.files > 0 &&
                  `, plus ${formatBytes(deleted.bytes)} in ${counted(deleted.files, 'deleted file')} that can be restored`}
                . Database: {databaseNames[database]}. Files: {storeNames[store]}.
              </p>
              <p className="muted small">
                Calculated <Time of={at} />. <Link to="/-/admin/storage">Largest consumers</Link>
              </p>
            </>
          )}
        </QueryResult>
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
  const figure = isError ? '–' : !data ? '…' : data.total === undefined ? 'Over 10,000' : formatCount(data.total)
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
