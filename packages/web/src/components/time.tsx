import { useDisplay } from '../data/display.ts'
import { formatDay, formatMoment, formatTime } from './format.ts'

/** Age or exact time, as the user prefers, with the exact time in their time zone as a tooltip. */
export function Time({ of: time }: { of: string }) {
  const settings = useDisplay()
  return (
    <time dateTime={time} title={formatTime(time, settings)}>
      {formatMoment(time, settings)}
    </time>
  )
}

/** Date without a time of day, such as an expiration date. */
export function Day({ of: day }: { of: string }) {
  return <time dateTime={day}>{formatDay(day, useDisplay())}</time>
}
