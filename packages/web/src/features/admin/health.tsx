import { RequestFailed } from '@alcove/client'
import { CircleCheck, CircleDashed, TriangleAlert } from 'lucide-react'
import type { ReactNode } from 'react'
import { Link } from 'wouter'
import { Badge } from '../../components/badge.tsx'
import { fill } from '../../components/fill.tsx'
import { Panel } from '../../components/page/page.tsx'
import { Time } from '../../components/time.tsx'
import { useApiQuery, usePage } from '../../data/api.ts'
import styles from './admin.module.css'
import { texts } from './texts.ts'

const pollMs = 15_000
/** Maximum delay of a due job before the queue counts as stuck. */
const maxDelayMs = 60_000

/** Health of each part of the server, with instructions when it has a problem. */
export function Health({ version }: { version: string }) {
  const ready = useApiQuery('GET /-/ready', {}, { refetchMs: pollMs })
  const problems = ready.isError ? problemsIn(ready.error) : {}
  const jobs = useJobs()
  const isHealthy = ready.isSuccess && !ready.isError
  return (
    <Panel
      title={texts.health}
      actions={
        !ready.isPending && (
          <Badge tone={isHealthy ? 'success' : 'danger'}>{isHealthy ? texts.ready : texts.notReady}</Badge>
        )
      }
    >
      <div role="status">
        <ul className={styles.parts}>
          {ready.isPending && <Part state="checking">{texts.checkingDatabaseAndStorage}</Part>}
          {isHealthy && <Part state="healthy">{texts.databaseAndStorageAreReachable}</Part>}
          {Object.entries(problems).map(([part, problem]) => (
            <Part key={part}>{problem}</Part>
          ))}
          {jobs}
        </ul>
      </div>
      <p className="muted small">{texts.version(version)}</p>
    </Panel>
  )
}

const known: Readonly<Record<string, string>> = {
  'the database': texts.theDatabaseIsUnreachable,
  'the object store': texts.fileStorageIsUnreachable,
}

/** Describes the problems by part, with what to check. */
function problemsIn(error: Error): Readonly<Record<string, string>> {
  if (!(error instanceof RequestFailed)) return { server: texts.theServerDoesNotRespond }
  const unreachable = Object.keys(known).filter((part) => error.reasons.some((reason) => reason.startsWith(part)))
  if (unreachable.length > 0) return Object.fromEntries(unreachable.map((part) => [part, known[part] ?? '']))
  return { server: texts.theServerIsNotReady(error.message) }
}

function useJobs(): ReactNode {
  const failed = usePage('GET /admin/jobs', { query: { state: ['failed'], per_page: 1 } }, { refetchMs: pollMs })
  const waiting = usePage('GET /admin/jobs', { query: { state: ['waiting'], per_page: 1 } }, { refetchMs: pollMs })
  const query = { state: ['running' as const], per_page: 1 }
  const running = usePage('GET /admin/jobs', { query }, { refetchMs: pollMs })
  if (failed.isError) return <Part>{texts.theJobStatusCould}</Part>
  if (!failed.data || !waiting.data || !running.data)
    return <Part state="checking">{texts.checkingBackgroundJobs}</Part>
  const [last] = failed.data.rows
  const [next] = waiting.data.rows
  const isStuck = next && running.data.rows.length === 0 && Date.now() - Date.parse(next.run_at) > maxDelayMs
  return (
    <>
      {last && (
        <Part>
          {fill(texts.failedPermanentlyMostRecently, {
            link: <Link to="/-/admin/jobs?state=failed">{jobsIn(failed.data.total)}</Link>,
            time: <Time of={last.finished_at ?? last.created_at} />,
            lastError: last.last_error && `: ${firstLine(last.last_error)}`,
          })}
        </Part>
      )}
      {isStuck && (
        <Part>
          {fill(texts.overdueAndNoneIsRunning, {
            link: <Link to="/-/admin/jobs?state=waiting">{jobsIn(waiting.data.total)}</Link>,
          })}
        </Part>
      )}
      {!last && !isStuck && <Part state="healthy">{texts.backgroundJobsAreRunning}</Part>}
    </>
  )
}

function jobsIn(total: number | undefined): string {
  return total === undefined ? texts.over10000Jobs : texts.jobTotal(total)
}

function firstLine(text: string): string {
  const line = text.split('\n', 1)[0] ?? ''
  return line.length > 200 ? `${line.slice(0, 200)} …` : line
}

const looks = {
  checking: [CircleDashed, 'var(--muted)'],
  healthy: [CircleCheck, 'var(--success)'],
  faulty: [TriangleAlert, 'var(--danger)'],
} as const

/** State of a part of the server. A part that is being checked has the height of the result, so that nothing moves. */
function Part({ state = 'faulty', children }: { state?: keyof typeof looks; children: ReactNode }) {
  const [Picture, colour] = looks[state]
  return (
    <li className={styles.part}>
      <Picture size={20} aria-hidden="true" color={colour} />
      <p className={state === 'checking' ? 'muted' : undefined}>{children}</p>
    </li>
  )
}
