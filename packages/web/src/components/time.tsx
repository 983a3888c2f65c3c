import { useDisplay } from '../data/display.ts'
import { formatAgo, formatDay, formatTime } from './format.ts'

/** Relative time, with the exact time in the user's time zone as a tooltip. */
export function Time({ of: time }: { of: string }) {
  return (
    <time dateTime={time} title={formatTime(time, useDisplay())}>
      {formatAgo(time)}
    </time>
  )
}

/** Date without a time of day, such as an expiration date. */
export function Day({ of: day }: { of: string }) {
  return <time dateTime={day}>{formatDay(day, useDisplay())}</time>
}
