import type { Page, Schemas } from '@alcove/client'
import { useEffect, useRef, useState } from 'react'
import { Link } from 'wouter'
import { counted } from '../../components/format.ts'
import notice from '../../components/page/notice.module.css'
import { queries, usePage } from '../../data/api.ts'
import { store } from '../../data/store.ts'
import styles from './first-report.module.css'
import type { ProjectScreen } from './project.ts'

type Import = Schemas['Import']

const pollMs = 3_000

/**
 * Returns the latest import of a project that had none when the page was opened, and polls until one has ended. The
 * responses are 304 while nothing arrives; hidden tabs do not poll.
 */
function useFirstImport(projectId: number): { latest: Import | undefined; isScanned: boolean | undefined } {
  const { data } = usePage(
    'GET /projects/{id}/security_reports',
    { path: { id: projectId }, query: { per_page: 20 } },
    { refetchMs: (found) => (found && !hasScan(found) ? pollMs : false) },
  )
  return { latest: data?.rows[0], isScanned: data && hasScan(data) }
}

/** Assumes a scan beyond a full page of failed imports, as `useIsScanned` does. */
const hasScan = ({ rows, hasNext }: Page<Import>) =>
  hasNext || rows.some(({ status, shown_at: shownAt }) => status === 'done' || shownAt !== null)

/** Project whose page says that it waits for a report. */
const awaited = store.slot((): number | undefined => undefined)

/** Live state below the commands: waiting for a report, reading it, or why it failed. */
export function FirstImportState({ project, to }: Pick<ProjectScreen, 'project' | 'to'>) {
  const { latest, isScanned } = useFirstImport(project.id)
  useEffect(() => {
    if (isScanned === false) awaited.set(project.id)
  }, [isScanned, project.id])
  if (isScanned !== false) return null
  return (
    <p role="status" className={styles.state}>
      <span className={styles.pulse} aria-hidden="true" />
      {latest === undefined ? (
        'Waiting for the first report…'
      ) : latest.status === 'failed' ? (
        <span>
          <Link to={to(`reports/${latest.id}`)}>The last report failed.</Link> Waiting for another one…
        </span>
      ) : (
        'A report has arrived and is being read…'
      )}
    </p>
  )
}

/** Result of the first report, if the page waited for it. Also refetches what the page shows. */
export function FirstImportResult({ project, to }: Pick<ProjectScreen, 'project' | 'to'>) {
  const { latest, isScanned } = useFirstImport(project.id)
  const before = useRef(isScanned)
  const [arrived, setArrived] = useState<number>()
  useEffect(() => {
    const isAwaited = before.current === false && awaited.get() === project.id
    if (isAwaited && isScanned && typeof latest?.id === 'number') {
      setArrived(latest.id)
      void queries.invalidateQueries()
    }
    before.current = isScanned
  }, [isScanned, latest, project.id])
  if (arrived === undefined || latest?.id !== arrived) return null
  const { promoted, new: found } = latest.findings
  return (
    <section className={notice.notice} aria-label="First report">
      <p aria-live="polite">
        The first report has arrived: {counted(found, 'finding')}
        {promoted > 0 && `, ${counted(promoted, 'vulnerability', 'vulnerabilities')}`}.{' '}
        {found > 0 && <Link to={to(promoted > 0 ? 'vulnerabilities' : 'findings')}>Start triage</Link>}
        {found > 0 && ' or '}
        <Link to={to(`reports/${arrived}`)}>{found > 0 ? 'view the report' : 'View the report'}</Link>.
      </p>
    </section>
  )
}
