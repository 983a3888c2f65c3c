import type { Deps } from '../deps.ts'
import { addCounts, deleteEndedCounts } from './request-count-queries.ts'

/** Maximum number of requests per subject and period. */
export interface Limit {
  name: string
  requests: number
  periodSeconds: number
}

/** State of a subject's limit in the current period, including the request that was just counted. */
interface Standing {
  isExceeded: boolean
  observed: number
  /** End of the period in milliseconds. */
  endsAt: number
  now: number
}

export interface RequestCounter {
  /** Counts a request, unless the limit is reached. */
  count(limit: Limit, subject: string): Promise<Standing>
  close(): Promise<void>
}

interface Count {
  name: string
  subject: string
  endsAt: number
  /** Total that all processes have reported. */
  known: number
  /** Requests that this process has allowed since its last report. */
  unreported: number
}

const reportIntervalMs = 200
const retryIntervalMs = 1000
const maxCounts = 100_000

/**
 * Returns how many requests a process may allow before it must report them: a hundredth of the limit, between 1 and
 * 100. Each process can exceed a limit by at most this number.
 */
export function slackOf({ requests }: Limit): number {
  return Math.max(1, Math.min(100, Math.floor(requests / 100)))
}

/**
 * Counts requests in memory. Processes on one PostgreSQL database share their counts through it: each reports all its
 * counts in one statement, five times a second or when half of the slack is used. A request waits only when the slack
 * is used up. While the database is unavailable, no request waits and each process counts on its own.
 */
export function openRequestCounter(deps: Deps): RequestCounter {
  const { dirty, current, isCurrent } = openCounts()
  // SQLite is used by a single process.
  const isShared = deps.db.dialect.engine === 'postgres'
  let isCutOff = false
  let reporting: Promise<void> | undefined
  let timer: NodeJS.Timeout | undefined

  return {
    async count(limit, subject) {
      const now = Date.parse(deps.now())
      const periodMs = limit.periodSeconds * 1000
      const count = current(limit.name, subject, now - (now % periodMs) + periodMs)
      const slack = slackOf(limit)
      const isLeft = () => count.known + count.unreported < limit.requests
      while (isShared && !isCutOff && count.unreported >= slack && isLeft()) await report()
      const isExceeded = !isLeft()
      const observed = count.known + count.unreported + 1
      if (!isExceeded) {
        count.unreported++
        if (isShared) scheduleReport(count, slack)
      }
      return { isExceeded, observed, endsAt: count.endsAt, now }
    },
    async close() {
      clearTimeout(timer)
      isCutOff = true
      await reporting
      clearTimeout(timer)
    },
  }

  function scheduleReport(count: Count, slack: number): void {
    dirty.add(count)
    if (!isCutOff && count.unreported * 2 >= slack) void report()
    else timer ??= setTimeout(() => void report(), isCutOff ? retryIntervalMs : reportIntervalMs).unref()
  }

  function report(): Promise<void> {
    clearTimeout(timer)
    timer = undefined
    reporting ??= send().finally(() => {
      reporting = undefined
    })
    return reporting
  }

  async function send(): Promise<void> {
    const sent = [...dirty].map((count) => ({ count, requests: count.unreported }))
    dirty.clear()
    const rows = sent.map(({ count: { name, subject, endsAt }, requests }) => ({
      name,
      subject,
      requests,
      endsAt: new Date(endsAt).toISOString(),
    }))
    try {
      const totals = await addCounts(deps.db, rows)
      const totalOf = new Map(totals.map((total) => [keyOf(total), total]))
      for (const { count, requests } of sent) {
        const total = totalOf.get(keyOf(count))
        count.known = total ? total.requests : count.known + requests
        count.unreported -= requests
      }
      isCutOff = false
    } catch (error) {
      for (const { count } of sent) if (isCurrent(count)) dirty.add(count)
      if (!isCutOff) deps.log.warn({ err: error }, 'requests are counted by this process alone')
      isCutOff = true
      timer ??= setTimeout(() => void report(), retryIntervalMs).unref()
    }
  }
}

/** Opens the counts of this process, one for each name and subject. */
function openCounts() {
  const counts = new Map<string, Count>()
  const dirty = new Set<Count>()

  return {
    /** Counts to report, at most one for each name and subject: a statement must not change a row twice. */
    dirty,
    isCurrent: (count: Count): boolean => counts.get(keyOf(count)) === count,
    /** Returns the count of the period that ends then, which begins at zero. */
    current(name: string, subject: string, endsAt: number): Count {
      const key = keyOf({ name, subject })
      const found = counts.get(key)
      if (found?.endsAt === endsAt) return found
      const fresh = { name, subject, endsAt, known: 0, unreported: 0 }
      if (found) remove(key, found) // its period is over
      counts.set(key, fresh)
      if (counts.size > maxCounts) removeOldest()
      return fresh
    },
  }

  /**
   * Removes 1 % of the counts at once: a `Map` keeps the slots of deleted entries, and each search for the oldest one steps
   * over them.
   */
  function removeOldest(): void {
    let left = maxCounts / 100
    for (const [key, count] of counts) {
      remove(key, count)
      if (--left === 0) return
    }
  }

  function remove(key: string, count: Count): void {
    counts.delete(key)
    dirty.delete(count)
  }
}

const keyOf = ({ name, subject }: Pick<Count, 'name' | 'subject'>) => `${name} ${subject}`

export async function removeEndedCounts(deps: Deps): Promise<void> {
  await deleteEndedCounts(deps.db, deps.now())
}
