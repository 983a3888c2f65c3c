import { formatTime } from '../../components/format.ts'
import { type Display, display } from '../../data/display.ts'

/** Returns the start of a day, or of one of the days after it, in the time zone that the user chose. Undefined: no valid day. */
export function startOfDay(
  day: string | undefined,
  daysLater = 0,
  { time_zone: timeZone }: Pick<Display, 'time_zone'> = display.get(),
): string | undefined {
  const [year = 0, month = 0, date = 0] = (day ?? '').split('-').map(Number)
  const midnight = Date.UTC(year, month - 1, date + daysLater)
  if (day === undefined || Number.isNaN(midnight)) return undefined
  // The offset may change between midnight in UTC and midnight in the time zone.
  const near = midnight - offsetAt(midnight, timeZone)
  return new Date(midnight - offsetAt(near, timeZone)).toISOString()
}

/** Returns by how many milliseconds the clocks of a time zone are ahead of UTC. */
function offsetAt(time: number, timeZone: Display['time_zone']): number {
  const clock = formatTime(new Date(time).toISOString(), { date_format: 'iso', time_zone: timeZone })
  return Date.parse(`${clock.replace(' ', 'T')}Z`) - time
}
