/** What one may give a token, in plain words. The server knows more names, for clients that insist on them. */
export const scopes = [
  { name: 'read_api', meaning: 'Read everything that you may see.', isForAdmins: false },
  { name: 'api', meaning: 'Do everything that you may do.', isForAdmins: false },
  { name: 'read_user', meaning: 'Read who you are and who the users are, and no more.', isForAdmins: false },
  { name: 'self_rotate', meaning: 'Replace itself by a new token before it ends.', isForAdmins: false },
  { name: 'admin_mode', meaning: 'With api: act with your rights as an administrator.', isForAdmins: true },
  { name: 'sudo', meaning: 'With api: act as any other user.', isForAdmins: true },
] as const

export type Scope = (typeof scopes)[number]['name']

const dayMs = 24 * 60 * 60 * 1000
export const mostDays = 365

/** YYYY-MM-DD, as the server counts days. */
export function dayAhead(days: number): string {
  return new Date(Date.now() + days * dayMs).toISOString().slice(0, 10)
}
