import type { Page, Schemas } from '@alcove/client'
import { useEffect, useRef, useState } from 'react'
import { Link } from 'wouter'
import { fill } from '../../components/fill.tsx'
import notice from '../../components/page/notice.module.css'
import { queries, usePage } from '../../data/api.ts'
import { store } from '../../data/store.ts'
import styles from './first-report.module.css'
import type { ProjectScreen } from './project.ts'
import { texts } from './texts.ts'

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
        texts.waitingForTheFirst
      ) : latest.status === 'failed' ? (
        <span>
          {fill(texts.waitingForAnotherOne, {
            link: <Link to={to(`reports/${latest.id}`)}>{texts.theLastReportFailed}</Link>,
          })}
        </span>
      ) : (
        texts.aReportHasArrived
      )}
    </p>
  )
}

interface ResultProps extends Pick<ProjectScreen, 'project' | 'to'> {
  /** True: the page has shown that the project had no report. Absent: it does so while it is open. */
  isExpected?: boolean
}

/** Result of the first report, if the page waited for it. Also refetches what the page shows. */
export function FirstImportResult({ project, to, isExpected = false }: ResultProps) {
  const { latest, isScanned } = useFirstImport(project.id)
  const before = useRef(isExpected ? false : isScanned)
  const [arrived, setArrived] = useState<number>()
  useEffect(() => {
    const isAwaited = before.current === false && awaited.get() === project.id
    if (isAwaited && isScanned && typeof latest?.id === 'number') {
      setArrived(latest.id)
      void queries.invalidateQueries()
    }
    if (isScanned !== undefined) before.current = isScanned
  }, [isScanned, latest, project.id])
  if (arrived === undefined || latest?.id !== arrived) return null
  const { promoted, new: found } = latest.findings
  return (
    <section className={notice.notice} aria-label={texts.firstReport}>
      <p aria-live="polite">
        {fill(texts.theFirstReportHas, {
          found: texts.finding(found),
          promoted: promoted > 0 && `, ${texts.vulnerabilities(promoted)}`,
          found2: found > 0 && <Link to={to(promoted > 0 ? 'vulnerabilities' : 'findings')}>{texts.startTriage}</Link>,
          found3: found > 0 && texts.or,
          link: <Link to={to(`reports/${arrived}`)}>{found > 0 ? texts.viewTheReport : texts.viewTheReport2}</Link>,
        })}
      </p>
    </section>
  )
}
