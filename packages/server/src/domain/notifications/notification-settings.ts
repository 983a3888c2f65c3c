import { type Deps, transaction } from '../deps.ts'
import { endSchedule } from '../exports/schedules/report-schedules.ts'
import { defaultNotifications, isNotificationName, type NotificationSettings, without } from './notification.ts'
import { findNotificationSettings, upsertNotificationSettings } from './notification-setting-queries.ts'
import { readUnsubscribeToken, scheduleIdOf } from './unsubscribe.ts'

export async function getNotificationSettings({ db }: Deps, userId: number): Promise<NotificationSettings> {
  return (await findNotificationSettings(db, userId)) ?? defaultNotifications
}

export function changeNotificationSettings(
  deps: Deps,
  userId: number,
  change: (settings: NotificationSettings) => NotificationSettings,
): Promise<NotificationSettings> {
  return transaction(deps, async (deps) => {
    const changed = change(await getNotificationSettings(deps, userId))
    await upsertNotificationSettings(deps.db, userId, changed, deps.now())
    return changed
  })
}

/** Turns messages off for the user of a signed token. Returns false when the token is not valid. */
export async function unsubscribe(deps: Deps, token: string): Promise<boolean> {
  const subscriber = await readUnsubscribeToken(deps, token)
  if (!subscriber) return false
  const { userId, name } = subscriber
  if (isNotificationName(name)) await changeNotificationSettings(deps, userId, (settings) => without(settings, name))
  else await endSchedule(deps, scheduleIdOf(name) ?? 0, userId)
  return true
}
