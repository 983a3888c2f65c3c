/** Messages that users can turn off. */
export const notificationNames = [
  'new_vulnerabilities',
  'held_reports',
  'expiring_tokens',
  'new_sign_ins',
  'due_dates',
  'digest',
] as const
export type NotificationName = (typeof notificationNames)[number]

export const isNotificationName = (name: string): name is NotificationName =>
  notificationNames.some((known) => known === name)

export const digestPeriods = ['off', 'daily', 'weekly'] as const
type DigestPeriod = (typeof digestPeriods)[number]

/** Messages that a user wants to receive. */
export interface NotificationSettings {
  newVulnerabilities: boolean
  heldReports: boolean
  expiringTokens: boolean
  newSignIns: boolean
  dueDates: boolean
  digest: DigestPeriod
}

/** Messages that need attention are on; due dates and the digest are a choice. */
export const defaultNotifications: NotificationSettings = {
  newVulnerabilities: true,
  heldReports: true,
  expiringTokens: true,
  newSignIns: true,
  dueDates: false,
  digest: 'off',
}

export function wants(settings: NotificationSettings, name: NotificationName): boolean {
  switch (name) {
    case 'new_vulnerabilities':
      return settings.newVulnerabilities
    case 'held_reports':
      return settings.heldReports
    case 'expiring_tokens':
      return settings.expiringTokens
    case 'new_sign_ins':
      return settings.newSignIns
    case 'due_dates':
      return settings.dueDates
    case 'digest':
      return settings.digest !== 'off'
  }
}

/** Returns the settings without these messages. */
export function without(settings: NotificationSettings, name: NotificationName): NotificationSettings {
  switch (name) {
    case 'new_vulnerabilities':
      return { ...settings, newVulnerabilities: false }
    case 'held_reports':
      return { ...settings, heldReports: false }
    case 'expiring_tokens':
      return { ...settings, expiringTokens: false }
    case 'new_sign_ins':
      return { ...settings, newSignIns: false }
    case 'due_dates':
      return { ...settings, dueDates: false }
    case 'digest':
      return { ...settings, digest: 'off' }
  }
}
