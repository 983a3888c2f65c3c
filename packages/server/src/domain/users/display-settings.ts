import { invalid } from '../../platform/failure.ts'
import { type Deps, transaction } from '../deps.ts'
import { type DisplaySettings, defaultDisplay } from './display-setting.ts'
import { findDisplaySettings, upsertDisplaySettings } from './display-setting-queries.ts'

export async function getDisplaySettings({ db }: Deps, userId: number): Promise<DisplaySettings> {
  return (await findDisplaySettings(db, userId)) ?? defaultDisplay
}

/** Changes the given settings. Throws `invalid` for a time zone that does not exist. */
export function changeDisplaySettings(
  deps: Deps,
  userId: number,
  change: { [Name in keyof DisplaySettings]?: DisplaySettings[Name] | undefined },
): Promise<DisplaySettings> {
  const { timeZone } = change
  if (timeZone && !isTimeZone(timeZone)) throw invalid({ time_zone: ['is not an IANA time zone such as Europe/Rome'] })
  return transaction(deps, async (deps) => {
    const before = await getDisplaySettings(deps, userId)
    const changed: DisplaySettings = {
      timeZone: timeZone === undefined ? before.timeZone : timeZone,
      dateFormat: change.dateFormat ?? before.dateFormat,
      numberFormat: change.numberFormat ?? before.numberFormat,
      times: change.times ?? before.times,
      density: change.density ?? before.density,
      pageKeys: change.pageKeys ?? before.pageKeys,
    }
    await upsertDisplaySettings(deps.db, userId, changed, deps.now())
    return changed
  })
}

const maxNameLength = 64

function isTimeZone(name: string): boolean {
  // Offsets such as +01:00 have no daylight saving time.
  if (name.length > maxNameLength || !/^[A-Za-z]/.test(name)) return false
  try {
    new Intl.DateTimeFormat('en', { timeZone: name })
    return true
  } catch {
    return false
  }
}
