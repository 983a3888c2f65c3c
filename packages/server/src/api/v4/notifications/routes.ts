import Type from 'typebox'
import { digestPeriods, type NotificationSettings } from '../../../domain/notifications/notification.ts'
import {
  changeNotificationSettings,
  getNotificationSettings,
  unsubscribe,
} from '../../../domain/notifications/notification-settings.ts'
import type { User } from '../../../domain/users/user.ts'
import { flag, oneOf, optional, text } from '../../../http/params/input.ts'
import { noOutput, type Route } from '../../../http/route.ts'
import { notFound } from '../../../platform/failure.ts'
import type { Settings } from '../../../platform/settings/settings.ts'
import { route } from '../route.ts'

const notificationSettingsView = Type.Object({
  notification_email: Type.String(),
  email_enabled: Type.Boolean({ description: 'Whether the server sends e-mail' }),
  new_vulnerabilities: Type.Boolean(),
  held_reports: Type.Boolean(),
  expiring_tokens: Type.Boolean(),
  new_sign_ins: Type.Boolean(),
  due_dates: Type.Boolean(),
  digest: Type.Enum([...digestPeriods]),
})

const changeable = {
  new_vulnerabilities: optional(
    flag({
      description: 'New critical and high vulnerabilities in projects that you may read, one message per project',
    }),
  ),
  held_reports: optional(flag({ description: 'Reports on hold in projects that you maintain' })),
  expiring_tokens: optional(flag({ description: 'Tokens that expire in 30, 7 and 1 days' })),
  new_sign_ins: optional(flag({ description: 'Sign-ins from browsers that you have not used before' })),
  due_dates: optional(
    flag({
      description:
        'Vulnerabilities that are due in 7 days or tomorrow, or became overdue, in projects in which you may triage; one message a day',
    }),
  ),
  digest: optional(oneOf(digestPeriods, { description: 'New, resolved and open vulnerabilities of your projects' })),
}

export const notificationRoutes: readonly Route[] = [
  route({
    method: 'GET',
    path: '/user/notification_settings',
    summary: 'Get which messages the current user receives by e-mail',
    permission: 'notification.read',
    status: 200,
    output: notificationSettingsView,
    handle: async ({ deps, caller }) =>
      viewSettings(deps.settings, caller.user, await getNotificationSettings(deps, caller.user.id)),
  }),
  route({
    method: 'PUT',
    path: '/user/notification_settings',
    summary: 'Choose which messages the current user receives by e-mail',
    permission: 'notification.manage',
    input: Type.Object(changeable, { atLeastOneOf: [Object.keys(changeable)] }),
    status: 200,
    output: notificationSettingsView,
    async handle({ deps, caller, input }) {
      const changed = await changeNotificationSettings(deps, caller.user.id, (settings) => ({
        newVulnerabilities: input.new_vulnerabilities ?? settings.newVulnerabilities,
        heldReports: input.held_reports ?? settings.heldReports,
        expiringTokens: input.expiring_tokens ?? settings.expiringTokens,
        newSignIns: input.new_sign_ins ?? settings.newSignIns,
        dueDates: input.due_dates ?? settings.dueDates,
        digest: input.digest ?? settings.digest,
      }))
      return viewSettings(deps.settings, caller.user, changed)
    },
  }),
  route({
    method: 'POST',
    path: '/-/unsubscribe/:token',
    outside: true,
    summary: 'Turn off the messages that a link in one of them names (RFC 8058)',
    permission: 'notification.unsubscribe',
    limitsGuesses: true,
    input: Type.Object({ token: text({ description: 'Signed token of the link' }) }),
    status: 204,
    output: noOutput,
    async handle({ deps, input }) {
      if (!(await unsubscribe(deps, input.token))) throw notFound()
    },
  }),
]

function viewSettings(
  { mail }: Settings,
  { email }: Pick<User, 'email'>,
  { newVulnerabilities, heldReports, expiringTokens, newSignIns, dueDates, digest }: NotificationSettings,
) {
  return {
    notification_email: email,
    email_enabled: mail !== undefined,
    new_vulnerabilities: newVulnerabilities,
    held_reports: heldReports,
    expiring_tokens: expiringTokens,
    new_sign_ins: newSignIns,
    due_dates: dueDates,
    digest,
  }
}
