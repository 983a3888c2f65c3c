import { createHmac, timingSafeEqual } from 'node:crypto'
import { instanceUrl } from '../../platform/settings/settings.ts'
import type { Deps } from '../deps.ts'
import { findUserById } from '../users/users.ts'
import { type NotificationName, notificationNames } from './notification.ts'
import { findOrInsertKey } from './notification-setting-queries.ts'

/** User and messages that a token turns off. */
interface Subscriber {
  userId: number
  name: NotificationName | ScheduleName
}

/** Names the messages of a scheduled report. */
type ScheduleName = `report_schedule_${number}`

/** Returns the id of the scheduled report of a name, if it is one. */
export function scheduleIdOf(name: Subscriber['name']): number | undefined {
  const [, id] = /^report_schedule_(\d{1,15})$/.exec(name) ?? []
  return id === undefined ? undefined : Number(id)
}

/** Returns the address that turns these messages off without signing in. It can do nothing else and does not expire. */
export async function unsubscribeUrl(deps: Deps, subscriber: Subscriber): Promise<string> {
  const token = `${textOf(subscriber)}.${await sign(deps, subscriber)}`
  return `${instanceUrl(deps.settings)}/-/unsubscribe/${token}`
}

export async function readUnsubscribeToken(deps: Deps, token: string): Promise<Subscriber | undefined> {
  const [id = '', text = '', signature = ''] = token.split('.')
  const userId = /^\d{1,15}$/.test(id) ? Number(id) : 0
  const scheduleId = scheduleIdOf(text as ScheduleName) // undefined for other texts
  const scheduled: ScheduleName | undefined = scheduleId === undefined ? undefined : `report_schedule_${scheduleId}`
  const name = notificationNames.find((known) => known === text) ?? scheduled
  if (!name) return undefined
  const expected = Buffer.from(await sign(deps, { userId, name }))
  const given = Buffer.from(signature)
  const isRight = given.length === expected.length && timingSafeEqual(given, expected)
  return isRight && (await findUserById(deps.db, userId)) ? { userId, name } : undefined
}

const textOf = ({ userId, name }: Subscriber): string => `${userId}.${name}`

async function sign(deps: Deps, subscriber: Subscriber): Promise<string> {
  const key = await findOrInsertKey(deps.db, deps.random(32).toString('base64url'))
  return createHmac('sha256', key)
    .update(`unsubscribe ${textOf(subscriber)}`)
    .digest('base64url')
}
