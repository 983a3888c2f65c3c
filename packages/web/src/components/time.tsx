import { formatAgo, formatTime } from './format.ts'

/** Relative time, with the exact time in the user's time zone as a tooltip. */
export function Time({ of: time }: { of: string }) {
  return (
    <time dateTime={time} title={formatTime(time)}>
      {formatAgo(time)}
    </time>
  )
}

/** Date without a time of day, such as an expiration date. */
export function Day({ of: day }: { of: string }) {
  const date = new Date(`${day.slice(0, 10)}T00:00:00`)
  return <time dateTime={day}>{date.toLocaleDateString(undefined, { dateStyle: 'medium' })}</time>
}
