import { instanceUrl } from '../../platform/settings/settings.ts'
import type { RootDeps } from '../deps.ts'
import { type MailContent, type MailKind, mailKind } from '../mail/mail.ts'
import { type NotificationName, type NotificationSettings, wants } from './notification.ts'
import { getNotificationSettings } from './notification-settings.ts'
import { unsubscribeUrl } from './unsubscribe.ts'

interface NotificationKind<Data extends object> {
  name: NotificationName
  describe(deps: RootDeps, user: Subscribed, data: Data): Promise<MailContent | undefined>
  /** True for messages whose `describe` decides whether they are wanted. */
  decidesItself?: true
}

interface Subscribed {
  id: number
  settings: NotificationSettings
}

/**
 * Defines messages that users can turn off. They go to confirmed addresses of active users who still want them when they
 * are sent.
 */
export function notificationKind<Data extends object>({
  name,
  describe,
  decidesItself,
}: NotificationKind<Data>): MailKind<Data> {
  return mailKind<Data>({
    kind: name,
    async describe(deps, { user }, data) {
      if (!user?.isConfirmed) return undefined
      const settings = await getNotificationSettings(deps, user.id)
      const isWanted = decidesItself || wants(settings, name)
      const content = isWanted && (await describe(deps, { id: user.id, settings }, data))
      if (!content) return undefined
      const subscription = {
        settingsUrl: `${instanceUrl(deps.settings)}/-/profile/notifications`,
        unsubscribeUrl: await unsubscribeUrl(deps, { userId: user.id, name }),
      }
      return { ...content, subscription }
    },
  })
}
