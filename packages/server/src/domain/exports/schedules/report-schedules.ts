import { forbidden, invalid, limitReached, notFound } from '../../../platform/failure.ts'
import type { Caller } from '../../access/callers.ts'
import { type Deps, transaction } from '../../deps.ts'
import { placeIds } from '../../projects/audited-place.ts'
import { lockUser } from '../../users/users.ts'
import { isTimeZone, nextTime } from './next-time.ts'
import type { ReportPlace, ReportSchedule, ReportTimes } from './report-schedule.ts'
import {
  deleteSchedule,
  findSchedule,
  insertSchedule,
  listSchedules,
  updateSchedule,
} from './report-schedule-queries.ts'

/** Maximum number of schedules of one user in a place. */
const maxSchedules = 10

/** Returns the caller's schedules of a project or group. */
export function findSchedules({ db }: Deps, place: ReportPlace, caller: Caller): Promise<ReportSchedule[]> {
  return listSchedules(db, placeIds(place), caller.user.id)
}

/** Returns a schedule of the caller. Those of other users do not exist for them. */
export async function getSchedule(
  { db }: Deps,
  place: ReportPlace,
  caller: Caller,
  id: number,
): Promise<ReportSchedule> {
  const found = await findSchedule(db, id)
  const { projectId, namespaceId } = placeIds(place)
  const isHere = found?.projectId === projectId && found.namespaceId === namespaceId
  if (!found || !isHere || found.userId !== caller.user.id) throw notFound()
  return found
}

export function createSchedule(
  deps: Deps,
  place: ReportPlace,
  caller: Caller,
  times: ReportTimes,
): Promise<ReportSchedule> {
  if (caller.user.isBot) throw forbidden('Bot users receive no e-mail. Schedule the report as another user.')
  assertTimes(times)
  return transaction(deps, async (deps) => {
    // Concurrent requests of one user wait, so that their number of schedules stays within the limit.
    await lockUser(deps.db, caller.user.id)
    if ((await findSchedules(deps, place, caller)).length >= maxSchedules) {
      throw limitReached(`a user may have up to ${maxSchedules} scheduled reports of a project or group`)
    }
    const nextAt = nextTime(times, deps.now())
    const owner = { userId: caller.user.id, asAdmin: caller.isAdmin }
    return insertSchedule(deps.db, { ...placeIds(place), ...times, ...owner, nextAt }, deps.now())
  })
}

/** Changes the times of a schedule. The report covers the period since the previous one in any case. */
export function changeSchedule(
  deps: Deps,
  place: ReportPlace,
  caller: Caller,
  { id, changes }: { id: number; changes: Partial<ReportTimes> },
): Promise<ReportSchedule> {
  return transaction(deps, async (deps) => {
    const before = await getSchedule(deps, place, caller, id)
    const times = { ...before, ...changes }
    assertTimes(times)
    const nextAt = nextTime(times, deps.now())
    await updateSchedule(deps.db, id, { ...times, nextAt, asAdmin: caller.isAdmin }, deps.now())
    return getSchedule(deps, place, caller, id)
  })
}

export async function removeSchedule(deps: Deps, place: ReportPlace, caller: Caller, id: number): Promise<void> {
  const { userId } = await getSchedule(deps, place, caller, id)
  await deleteSchedule(deps.db, id, userId)
}

/** Ends a schedule by the link in its messages. */
export async function endSchedule({ db }: Deps, id: number, userId: number): Promise<void> {
  await deleteSchedule(db, id, userId)
}

function assertTimes({ period, day, timeZone }: ReportTimes): void {
  if (!isTimeZone(timeZone)) throw invalid({ time_zone: ['is not the name of a time zone, such as Europe/Berlin'] })
  if (period === 'weekly' && day > 7) throw invalid({ day: ['of a week must be between 1 (Monday) and 7'] })
}
