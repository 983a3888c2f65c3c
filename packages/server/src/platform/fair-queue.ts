import { Failure } from './failure.ts'

export interface FairQueueLimits {
  /** Maximum number of tasks that run at once. */
  concurrency: number
  /** Maximum number of tasks that wait, of all parties together. */
  maxWaiting: number
  /** Maximum number of tasks of one party that wait. */
  maxWaitingPerParty: number
}

export interface FairQueue {
  /** Runs the task in its party's turn. Throws a `Failure` immediately when too many tasks are already waiting. */
  run<T>(party: string, task: () => Promise<T>): Promise<T>
}

const retryAfterSeconds = 1

/** Opens a queue for expensive tasks in which parties take turns, so that no party can starve the others. */
export function openFairQueue({ concurrency, maxWaiting, maxWaitingPerParty }: FairQueueLimits): FairQueue {
  /** Waiting tasks by party, in the order of turns. */
  const waiting = new Map<string, (() => void)[]>()
  let waitingCount = 0
  let runningCount = 0

  return {
    async run(party, task) {
      if (runningCount < concurrency) runningCount++
      else await turnOf(party)
      try {
        return await task()
      } finally {
        startNext()
      }
    },
  }

  function turnOf(party: string): Promise<void> {
    const own = waiting.get(party) ?? []
    if (own.length >= maxWaitingPerParty) throw new Failure({ kind: 'too-many-requests', retryAfterSeconds })
    if (waitingCount >= maxWaiting) throw new Failure({ kind: 'busy', retryAfterSeconds })
    waitingCount++
    waiting.set(party, own)
    return new Promise((resolve) => own.push(resolve))
  }

  /** Gives the place of a finished task to the next party, which then moves to the end of the queue. */
  function startNext(): void {
    const next = waiting.entries().next()
    if (next.done) {
      runningCount--
      return
    }
    const [party, tasks] = next.value
    const start = tasks.shift()
    waitingCount--
    waiting.delete(party)
    if (tasks.length > 0) waiting.set(party, tasks)
    start?.()
  }
}
