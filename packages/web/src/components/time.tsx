import { formatAgo, formatTime } from './format.ts'

/** How long ago; the exact time, in the reader's zone, on hover. */
export function Time({ of: time }: { of: string }) {
  return (
    <time dateTime={time} title={formatTime(time)}>
      {formatAgo(time)}
    </time>
  )
}

/** A day without a time of day, such as the end of a token's life. */
export function Day({ of: day }: { of: string }) {
  const date = new Date(`${day.slice(0, 10)}T00:00:00`)
  return <time dateTime={day}>{date.toLocaleDateString(undefined, { dateStyle: 'medium' })}</time>
}
