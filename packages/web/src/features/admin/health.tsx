import { RequestFailed } from '@alcove/client'
import { CircleCheck, TriangleAlert } from 'lucide-react'
import type { ReactNode } from 'react'
import { Link } from 'wouter'
import { Badge } from '../../components/badge.tsx'
import { counted } from '../../components/format.ts'
import { Panel } from '../../components/page.tsx'
import { Time } from '../../components/time.tsx'
import { useAnswer, usePage } from '../../data/api.ts'
import styles from './admin.module.css'

const askAgainMs = 15_000
/** A job that is due is taken up at once, so one that waits longer waits for somebody. */
const patienceMs = 60_000

/** Each part of the server: that it is well, or what is wrong with it and what to do. */
export function Health({ version }: { version: string }) {
  const ready = useAnswer('GET /-/ready', {}, { refetchMs: askAgainMs })
  const troubles = ready.isError ? troublesIn(ready.error) : {}
  const jobs = useJobs()
  const isWell = ready.isSuccess && !ready.isError
  return (
    <Panel
      title="Health"
      actions={!ready.isPending && <Badge tone={isWell ? 'success' : 'danger'}>{isWell ? 'Ready' : 'Not ready'}</Badge>}
    >
      <div role="status">
        {ready.isPending ? (
          <p className="muted">Asking database and files …</p>
        ) : (
          <ul className={styles.parts}>
            {isWell && <Part isWell>Database and files answer.</Part>}
            {Object.entries(troubles).map(([part, trouble]) => (
              <Part key={part}>{trouble}</Part>
            ))}
            {jobs}
          </ul>
        )}
      </div>
      <p className="muted small">Version {version}</p>
    </Panel>
  )
}

const known: Readonly<Record<string, string>> = {
  'the database':
    'The database does not answer, so nothing can be read or changed. See whether it runs, can be reached, and has room on its disk.',
  'the object store':
    'The files cannot be reached, so nothing can be uploaded or downloaded; the rest works. See whether the disk is there and writable, or the bucket can be reached with its keys.',
}

/** By part, in words that say what does not work, and what to look at. */
function troublesIn(error: Error): Readonly<Record<string, string>> {
  if (!(error instanceof RequestFailed)) return { server: 'The server does not answer. See whether its process runs.' }
  const silent = Object.keys(known).filter((part) => error.reasons.some((reason) => reason.startsWith(part)))
  if (silent.length > 0) return Object.fromEntries(silent.map((part) => [part, known[part] ?? '']))
  return { server: `The server is not ready: ${error.message} Its log says why.` }
}

function useJobs(): ReactNode {
  const failed = usePage('GET /admin/jobs', { query: { state: ['failed'], per_page: 1 } }, { refetchMs: askAgainMs })
  const waiting = usePage('GET /admin/jobs', { query: { state: ['waiting'], per_page: 1 } }, { refetchMs: askAgainMs })
  const query = { state: ['running' as const], per_page: 1 }
  const running = usePage('GET /admin/jobs', { query }, { refetchMs: askAgainMs })
  if (failed.isError) return <Part>Jobs cannot be asked for at the moment.</Part>
  if (!failed.data || !waiting.data || !running.data) return null
  const [last] = failed.data.rows
  const [next] = waiting.data.rows
  const isStuck = next && running.data.rows.length === 0 && Date.now() - Date.parse(next.run_at) > patienceMs
  return (
    <>
      {last && (
        <Part>
          <Link to="/-/admin/jobs?state=failed">{jobsIn(failed.data.total)}</Link> failed for good, the last one{' '}
          <Time of={last.finished_at ?? last.created_at} />
          {last.last_error && `: ${firstLine(last.last_error)}`}
        </Part>
      )}
      {isStuck && (
        <Part>
          <Link to="/-/admin/jobs?state=waiting">{jobsIn(waiting.data.total)}</Link> should run, and none does. See
          whether the server’s processes run.
        </Part>
      )}
      {!last && !isStuck && <Part isWell>Jobs are done as they come.</Part>}
    </>
  )
}

function jobsIn(total: number | undefined): string {
  return total === undefined ? 'Over 10,000 jobs' : counted(total, 'job')
}

function firstLine(text: string): string {
  const line = text.split('\n', 1)[0] ?? ''
  return line.length > 200 ? `${line.slice(0, 200)} …` : line
}

function Part({ isWell = false, children }: { isWell?: boolean; children: ReactNode }) {
  const [Picture, colour] = isWell ? [CircleCheck, 'var(--success)'] : [TriangleAlert, 'var(--danger)']
  return (
    <li className={styles.part}>
      <Picture size={20} aria-hidden="true" color={colour} />
      <p>{children}</p>
    </li>
  )
}
