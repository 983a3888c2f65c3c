import { HardDrive } from 'lucide-react'
import { Link } from 'wouter'
import { Badge } from '../../components/badge.tsx'
import { counted, formatBytes, formatCount } from '../../components/format.ts'
import { Page } from '../../components/page/page.tsx'
import { Pager, usePageNumber } from '../../components/page/pager.tsx'
import { Empty, QueryResult } from '../../components/page/states.tsx'
import { Table } from '../../components/table.tsx'
import { Time } from '../../components/time.tsx'
import { useApiQuery, usePage } from '../../data/api.ts'
import { useSession } from '../../data/session.ts'
import styles from './admin.module.css'

export const databaseNames = { sqlite: 'SQLite', postgres: 'PostgreSQL' }
export const storeNames = { disk: 'data directory', s3: 'S3 bucket' }
const perPage = 50

/** Storage used by uploads, by project and group. */
export function Storage() {
  const { upload_grace_days: graceDays } = useSession()
  const totals = useApiQuery('GET /admin/storage', {})
  const owners = usePage('GET /admin/storage/owners', { query: { page: usePageNumber(), per_page: perPage } })
  return (
    <Page
      title="Storage"
      lead="Storage used by uploads, by project and group. Reports, exports and avatars are not included."
    >
      <QueryResult query={totals}>
        {({ database, object_store: store, uploads, deleted_uploads: deleted, measured_at: at }) => (
          <div className="stack-tight">
            <section aria-label="Totals" className={styles.cards}>
              <Total label="Stored" bytes={uploads.bytes} note={counted(uploads.files, 'file')} />
              <Total
                label="Deleted, restorable"
                bytes={deleted.bytes}
                note={`${counted(deleted.files, 'file')}, kept for ${counted(graceDays, 'day')}`}
              />
              <div className={styles.card}>
                <span className="muted small">Location</span>
                <span>
                  {databaseNames[database]}; files: {storeNames[store]}
                </span>
              </div>
            </section>
            <p className="muted small">
              Calculated <Time of={at} />.
            </p>
          </div>
        )}
      </QueryResult>
      <Retention />
      <div className="stack">
        <h2>Largest consumers</h2>
        <QueryResult query={owners}>
          {(page) =>
            page.rows.length === 0 ? (
              <Empty icon={HardDrive} title="No uploads yet">
                <p>Projects and groups appear after the first upload.</p>
              </Empty>
            ) : (
              <>
                <Table label="Largest consumers" head={['Project or group', 'Type', 'Files', 'Size', 'Quota']}>
                  {page.rows.map((owner) => (
                    <tr key={`${owner.kind} ${owner.id}`}>
                      <td>
                        <Link
                          to={owner.kind === 'group' ? `/groups/${owner.full_path}` : `/${owner.full_path}/-/uploads`}
                          className={styles.strong}
                        >
                          {owner.full_path}
                        </Link>
                      </td>
                      <td>
                        <Badge>{owner.kind === 'group' ? 'Group' : 'Project'}</Badge>
                      </td>
                      <td className="numbers">{formatCount(owner.files)}</td>
                      <td className={`numbers ${styles.nowrap}`}>{formatBytes(owner.bytes)}</td>
                      <td className={`numbers ${styles.nowrap}`}>
                        {owner.quota_bytes === null ? (
                          <span className="muted">None</span>
                        ) : (
                          formatBytes(owner.quota_bytes)
                        )}
                      </td>
                    </tr>
                  ))}
                </Table>
                <Pager page={page} perPage={perPage} />
              </>
            )
          }
        </QueryResult>
      </div>
    </Page>
  )
}

function Total({ label, bytes, note }: { label: string; bytes: number; note: string }) {
  return (
    <div className={styles.card}>
      <span className="muted small">{label}</span>
      <span className={styles.figure}>{formatBytes(bytes)}</span>
      <span className="small">{note}</span>
    </div>
  )
}

const retentionLabels = {
  refs: 'Idle branches to close',
  imports: 'Records of imports',
  histories: 'Observations in histories',
  audit_events: 'Audit events',
  exports: 'Exports',
  webhook_events: 'Webhook events',
  unreferenced_uploads: 'Uploads without references',
}

/** What the next hourly run removes, by the periods of retention of the server. */
function Retention() {
  const query = useApiQuery('GET /admin/retention', {})
  return (
    <div className="stack">
      <h2>Next cleanup</h2>
      <QueryResult query={query}>
        {(rows) => (
          <Table label="Next cleanup" head={['Records', 'Kept for', 'To remove', 'Oldest']}>
            {rows.map((row) => (
              <tr key={row.kind}>
                <td>{retentionLabels[row.kind]}</td>
                <td>{row.days === 0 ? 'Always' : counted(row.days, 'day')}</td>
                <td>{`${row.is_complete ? '' : 'More than '}${formatCount(row.count)}`}</td>
                <td className="muted">{row.oldest_at && <Time of={row.oldest_at} />}</td>
              </tr>
            ))}
          </Table>
        )}
      </QueryResult>
    </div>
  )
}
