import type { ReportTimes } from './report-schedule.ts'

const hourMs = 60 * 60 * 1000
const dayMs = 24 * hourMs
/** Enough days to find a day of a month, wherever the search begins. */
const maxDays = 63

/**
 * Returns the first time of a schedule after the given one, in UTC. An hour that a change of the clock skips is the next
 * one, and one that it repeats counts once.
 */
export function nextTime(times: ReportTimes, after: string): string {
  const from = Date.parse(after)
  const offset = offsetAt(from, times.timeZone)
  const firstDay = Math.floor((from + offset) / dayMs) * dayMs
  for (let day = firstDay; day < firstDay + maxDays * dayMs; day += dayMs) {
    if (!isOnDay(times, new Date(day))) continue
    const at = utcOf(day + times.hour * hourMs, times.timeZone)
    if (at > from) return new Date(at).toISOString()
  }
  throw new Error('a schedule has no next time')
}

function isOnDay({ period, day }: ReportTimes, date: Date): boolean {
  if (period === 'weekly') return (date.getUTCDay() || 7) === day
  const lastDay = new Date(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 0)).getUTCDate()
  return date.getUTCDate() === Math.min(day, lastDay)
}

/** Converts a local time, given as if it were in UTC. */
function utcOf(local: number, timeZone: string): number {
  const guess = local - offsetAt(local, timeZone)
  const exact = local - offsetAt(guess, timeZone)
  // In a skipped hour the two differ; the later one is after the change.
  return exact + offsetAt(exact, timeZone) === local ? exact : Math.max(guess, exact)
}

/** Returns the difference between local time and UTC, in milliseconds. */
function offsetAt(at: number, timeZone: string): number {
  const parts = new Intl.DateTimeFormat('en-US', {
    ...{ timeZone, hourCycle: 'h23', year: 'numeric', month: 'numeric', day: 'numeric' },
    ...{ hour: 'numeric', minute: 'numeric', second: 'numeric' },
  }).formatToParts(at)
  const value = (type: string) => Number(parts.find((part) => part.type === type)?.value)
  const local = Date.UTC(
    ...([value('year'), value('month') - 1, value('day'), value('hour'), value('minute'), value('second')] as const),
  )
  return local - Math.floor(at / 1000) * 1000
}

export function isTimeZone(name: string): boolean {
  try {
    new Intl.DateTimeFormat('en-US', { timeZone: name })
    return /^[A-Za-z][\w+/-]*$/.test(name)
  } catch {
    return false
  }
}
