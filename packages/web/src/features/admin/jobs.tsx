import type { Page as PageOf, Schemas } from '@alcove/client'
import { ListChecks, RotateCcw } from 'lucide-react'
import { Badge, type Tone } from '../../components/badge.tsx'
import { Button } from '../../components/button.tsx'
import { ChoiceFilter, useChoice } from '../../components/form/filters.tsx'
import { formatCount, inWords } from '../../components/format.ts'
import { Page } from '../../components/page/page.tsx'
import { PagedTable } from '../../components/page/paged-table.tsx'
import { usePageNumber } from '../../components/page/pager.tsx'
import { Time } from '../../components/time.tsx'
import { useAction, usePage } from '../../data/api.ts'
import { useSearchState } from '../../data/search-state.ts'
import { mayWrite, useSession } from '../../data/session.ts'
import styles from './admin.module.css'

type Job = Schemas['Job']
type Choice = '' | Job['state']

const perPage = 50
const choices = [
  { value: '', label: 'All statuses' },
  { value: 'failed', label: 'Failed' },
  { value: 'running', label: 'Running' },
  { value: 'waiting', label: 'Pending' },
  { value: 'finished', label: 'Finished' },
] as const satisfies readonly { value: Choice; label: string }[]

/** Returns the polling interval: shorter while jobs are running or due. */
function refetchMs(page: PageOf<Job> | undefined): number {
  return page?.rows.some(isMoving) ? 1500 : 10_000
}

const isMoving = ({ state, run_at: at }: Job) =>
  state === 'running' || (state === 'waiting' && Date.parse(at) <= Date.now() + 60_000)

/** List of background jobs. */
export function Jobs() {
  const session = useSession()
  const [state, set] = useSearchState(['kind'])
  const chosen = useChoice('state', choices)
  const query = usePage(
    'GET /admin/jobs',
    {
      query: {
        state: chosen ? [chosen] : undefined,
        kind: state.kind,
        page: usePageNumber(),
        per_page: perPage,
      },
    },
    { refetchMs },
  )
  const retry = useAction('POST /admin/jobs/{id}/retry', { done: 'Job queued again.' })
  return (
    <Page
      title="Jobs"
      lead="Background tasks: imports, exports and webhooks. Finished jobs are kept for one day, failed jobs for one month."
    >
      <search className="row-wrap">
        <ChoiceFilter name="state" label="Status" choices={choices} />
        {state.kind && (
          <Button size="small" onClick={() => set({ kind: undefined })}>
            {inWords(state.kind)} only: show all types
          </Button>
        )}
      </search>
      <PagedTable
        label="Jobs"
        query={query}
        perPage={perPage}
        empty={{
          icon: ListChecks,
          title: chosen || state.kind ? 'No matching jobs' : 'No jobs',
          text: <p>{chosen === 'failed' ? 'No failed jobs.' : 'Background jobs appear here.'}</p>,
        }}
        columns={[
          [
            'Job',
            (job) => (
              <>
                <button type="button" className={styles.kind} onClick={() => set({ kind: job.kind })}>
                  {inWords(job.kind)}
                </button>{' '}
                <span className="muted small">#{job.id}</span>
                {job.last_error && <p className={`small ${styles.error}`}>{job.last_error}</p>}
                <details className="small">
                  <summary className="muted">Details</summary>
                  <pre className={styles.payload}>{JSON.stringify(job.payload, null, 2)}</pre>
                </details>
              </>
            ),
          ],
          ['Status', (job) => <JobState job={job} />],
          ['Progress', (job) => <Progress job={job} />],
          ['Created', (job) => <Time of={job.created_at} />, styles.nowrap],
          [
            'Finished',
            ({ finished_at: at }) => (at ? <Time of={at} /> : <span className="muted">–</span>),
            styles.nowrap,
          ],
          [
            '',
            (job) =>
              mayWrite(session) &&
              mayRetry(job) && (
                <Button
                  size="small"
                  icon={RotateCcw}
                  isBusy={retry.isPending && retry.variables?.path.id === job.id}
                  onClick={() => retry.mutate({ path: { id: job.id } })}
                >
                  Run {job.state === 'failed' ? 'again' : 'now'}
                  <span className="visually-hidden"> job {job.id}</span>
                </Button>
              ),
          ],
        ]}
      />
    </Page>
  )
}

const mayRetry = ({ state, run_at: at }: Job) =>
  state === 'failed' || (state === 'waiting' && Date.parse(at) > Date.now() + 1000)

const tones: Record<Job['state'], Tone> = { waiting: 'neutral', running: 'info', finished: 'success', failed: 'danger' }

function JobState({ job }: { job: Job }) {
  const isLater = job.state === 'waiting' && Date.parse(job.run_at) > Date.now()
  return (
    <div className="stack-tight">
      <span>
        <Badge tone={tones[job.state]}>
          {choices.find(({ value }) => value === job.state)?.label ?? inWords(job.state)}
        </Badge>
      </span>
      {isLater && (
        <span className={`muted small ${styles.nowrap}`}>
          runs <Time of={job.run_at} />
        </span>
      )}
      {job.attempts > 1 && <span className={`muted small ${styles.nowrap}`}>{job.attempts} attempts</span>}
    </div>
  )
}

function Progress({ job: { id, state, progress } }: { job: Job }) {
  if (!progress || progress.total === 0) return <span className="muted">–</span>
  const text = `${formatCount(progress.done)} of ${formatCount(progress.total)}`
  if (state === 'finished') return <span className="numbers small">{text}</span>
  return (
    <div className="stack-tight">
      <progress className={styles.progress} value={progress.done} max={progress.total} aria-label={`Job ${id}`} />
      <span className={`muted small numbers ${styles.nowrap}`}>{text}</span>
    </div>
  )
}
