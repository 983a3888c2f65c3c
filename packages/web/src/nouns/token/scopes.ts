import { texts } from './texts.ts'
/** Scopes that the form offers. The server accepts more, for compatibility with GitLab clients. */
export const scopes = [
  { name: 'read_api', meaning: texts.readOnlyApiAccess, isForAdmins: false },
  { name: 'api', meaning: texts.fullReadWriteApi, isForAdmins: false },
  { name: 'write_security_reports', meaning: texts.sendSecurityReportsAndNothing, isForAdmins: false },
  { name: 'read_user', meaning: texts.readOnlyAccessToUser, isForAdmins: false },
  { name: 'self_rotate', meaning: texts.rotateItselfBeforeItExpires, isForAdmins: false },
  { name: 'admin_mode', meaning: texts.withApiPerformAdministrative, isForAdmins: true },
  { name: 'sudo', meaning: texts.withApiPerformActions, isForAdmins: true },
] as const

export type Scope = (typeof scopes)[number]['name']

/** Scopes of trust relations. */
export const botScopes = [
  { name: 'write_security_reports', meaning: texts.sendSecurityReportsAndNothing },
  { name: 'read_api', meaning: texts.readOnlyApiAccess },
  { name: 'api', meaning: texts.fullReadWriteApi },
] as const
export type BotScope = (typeof botScopes)[number]['name']

/** Scopes of access tokens of projects and groups. */
export const tokenScopes = [...botScopes, { name: 'self_rotate', meaning: texts.rotateItselfBeforeItExpires }] as const
export type TokenScope = (typeof tokenScopes)[number]['name']

const dayMs = 24 * 60 * 60 * 1000
export const maxDays = 365

/** Returns the date in `days` days as YYYY-MM-DD in UTC, which the server uses. */
export function dayAhead(days: number): string {
  return new Date(Date.now() + days * dayMs).toISOString().slice(0, 10)
}

/** Returns the number of days until a date (YYYY-MM-DD) in UTC. */
export function daysUntil(day: string): number {
  return Math.ceil((Date.parse(`${day}T00:00:00Z`) - Date.now()) / dayMs)
}
