import type { Page as PageOf, Schemas } from '@alcove/client'
import { ListChecks, RotateCcw } from 'lucide-react'
import { Badge, type Tone } from '../../components/badge.tsx'
import { Button } from '../../components/button.tsx'
import { fill } from '../../components/fill.tsx'
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
import { texts } from './texts.ts'

type Job = Schemas['Job']
type Choice = '' | Job['state']

const perPage = 50
const choices = [
  { value: '', label: texts.allStatuses },
  { value: 'failed', label: texts.failed },
  { value: 'running', label: texts.running },
  { value: 'waiting', label: texts.pending },
  { value: 'finished', label: texts.finished },
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
  const retry = useAction('POST /admin/jobs/{id}/retry', { done: texts.jobQueuedAgain })
  return (
    <Page title={texts.jobs} lead={texts.backgroundTasksImportsExports}>
      <search className="row-wrap">
        <ChoiceFilter name="state" label={texts.status} choices={choices} />
        {state.kind && (
          <Button size="small" onClick={() => set({ kind: undefined })}>
            {texts.onlyShowAllTypes(inWords(state.kind))}
          </Button>
        )}
      </search>
      <PagedTable
        label={texts.jobs}
        query={query}
        perPage={perPage}
        empty={{
          icon: ListChecks,
          title: chosen || state.kind ? texts.noMatchingJobs : texts.noJobs,
          text: <p>{chosen === 'failed' ? texts.noFailedJobs : texts.backgroundJobsAppearHere}</p>,
        }}
        columns={[
          [
            texts.job,
            (job) => (
              <>
                <button type="button" className={styles.kind} onClick={() => set({ kind: job.kind })}>
                  {inWords(job.kind)}
                </button>{' '}
                <span className="muted small">#{job.id}</span>
                {job.last_error && <p className={`small ${styles.error}`}>{job.last_error}</p>}
                <details className="small">
                  <summary className="muted">{texts.details}</summary>
                  <pre className={styles.payload}>{JSON.stringify(job.payload, null, 2)}</pre>
                </details>
              </>
            ),
          ],
          [texts.status, (job) => <JobState job={job} />],
          [texts.progress, (job) => <Progress job={job} />],
          [texts.created, (job) => <Time of={job.created_at} />, styles.nowrap],
          [
            texts.finished,
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
                  {texts.run(job.state === 'failed' ? texts.again : texts.now)}
                  <span className="visually-hidden"> {texts.jobId(job.id)}</span>
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
        <span className={`muted small ${styles.nowrap}`}>{fill(texts.runs, { time: <Time of={job.run_at} /> })}</span>
      )}
      {job.attempts > 1 && <span className={`muted small ${styles.nowrap}`}>{texts.attempts(job.attempts)}</span>}
    </div>
  )
}

function Progress({ job: { id, state, progress } }: { job: Job }) {
  if (!progress || progress.total === 0) return <span className="muted">–</span>
  const text = texts.of(formatCount(progress.done), formatCount(progress.total))
  if (state === 'finished') return <span className="numbers small">{text}</span>
  return (
    <div className="stack-tight">
      <progress className={styles.progress} value={progress.done} max={progress.total} aria-label={texts.jobId2(id)} />
      <span className={`muted small numbers ${styles.nowrap}`}>{text}</span>
    </div>
  )
}
