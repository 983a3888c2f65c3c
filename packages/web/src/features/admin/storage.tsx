import { HardDrive } from 'lucide-react'
import { Link } from 'wouter'
import { Badge } from '../../components/badge.tsx'
import { fill } from '../../components/fill.tsx'
import { formatBytes, formatCount } from '../../components/format.ts'
import { Page } from '../../components/page/page.tsx'
import { Pager, usePageNumber } from '../../components/page/pager.tsx'
import { Empty, Loading, QueryResult } from '../../components/page/states.tsx'
import { Table } from '../../components/table.tsx'
import { Time } from '../../components/time.tsx'
import { useApiQuery, usePage } from '../../data/api.ts'
import { useSession } from '../../data/session.ts'
import styles from './admin.module.css'
import { texts } from './texts.ts'

export const databaseNames = { sqlite: 'SQLite', postgres: texts.postgresql }
export const storeNames = { disk: texts.dataDirectory, s3: 'S3 bucket' }
const perPage = 50

/** Storage used by uploads, by project and group. */
export function Storage() {
  const { upload_grace_days: graceDays } = useSession()
  const totals = useApiQuery('GET /admin/storage', {})
  const owners = usePage('GET /admin/storage/owners', { query: { page: usePageNumber(), per_page: perPage } })
  const retention = useRetention()
  // What arrives later would move the parts below it.
  if (totals.isLoading || retention.isLoading || owners.isLoading) return <Loading />
  return (
    <Page title={texts.storage} lead={texts.storageUsedByUploads}>
      <QueryResult query={totals}>
        {({ database, object_store: store, uploads, deleted_uploads: deleted, measured_at: at }) => (
          <div className="stack-tight">
            <section aria-label={texts.totals} className={styles.cards}>
              <Total label={texts.stored} bytes={uploads.bytes} note={texts.fileFiles(uploads.files)} />
              <Total
                label={texts.deletedRestorable}
                bytes={deleted.bytes}
                note={texts.fileKeptForDay(deleted.files, graceDays)}
              />
              <div className={styles.card}>
                <span className="muted small">{texts.location}</span>
                <span>{texts.filesDatabaseNames(databaseNames[database], storeNames[store])}</span>
              </div>
            </section>
            <p className="muted small">{fill(texts.calculated, { time: <Time of={at} /> })}</p>
          </div>
        )}
      </QueryResult>
      <Retention />
      <div className="stack">
        <h2>{texts.largestConsumers}</h2>
        <QueryResult query={owners}>
          {(page) =>
            page.rows.length === 0 ? (
              <Empty icon={HardDrive} title={texts.noUploadsYet}>
                <p>{texts.projectsAndGroupsAppear}</p>
              </Empty>
            ) : (
              <>
                <Table
                  label={texts.largestConsumers}
                  head={[texts.projectOrGroup, texts.type, texts.files, texts.size, texts.quota]}
                >
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
                        <Badge>{owner.kind === 'group' ? texts.group : texts.project}</Badge>
                      </td>
                      <td className="numbers">{formatCount(owner.files)}</td>
                      <td className={`numbers ${styles.nowrap}`}>{formatBytes(owner.bytes)}</td>
                      <td className={`numbers ${styles.nowrap}`}>
                        {owner.quota_bytes === null ? (
                          <span className="muted">{texts.none}</span>
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
  refs: texts.idleBranchesToClose,
  imports: texts.recordsOfImports,
  histories: texts.observationsInHistories,
  audit_events: texts.auditEvents,
  exports: texts.exports,
  webhook_events: texts.webhookEvents,
  unreferenced_uploads: texts.uploadsWithoutReferences,
}

const useRetention = () => useApiQuery('GET /admin/retention', {})

/** What the next hourly run removes, by the periods of retention of the server. */
function Retention() {
  const query = useRetention()
  return (
    <div className="stack">
      <h2>{texts.nextCleanup}</h2>
      <QueryResult query={query}>
        {(rows) => (
          <Table label={texts.nextCleanup} head={[texts.records, texts.keptFor, texts.toRemove, texts.oldest]}>
            {rows.map((row) => (
              <tr key={row.kind}>
                <td>{retentionLabels[row.kind]}</td>
                <td>{row.days === 0 ? texts.always : texts.day(row.days)}</td>
                <td>{`${row.is_complete ? '' : texts.moreThan}${formatCount(row.count)}`}</td>
                <td className="muted">{row.oldest_at && <Time of={row.oldest_at} />}</td>
              </tr>
            ))}
          </Table>
        )}
      </QueryResult>
    </div>
  )
}
