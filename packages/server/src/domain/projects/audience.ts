import { roles, type Visibility } from '../access/roles.ts'
import type { Membership } from '../members/member.ts'
import { openVisibilities, type Visitor } from './visible.ts'

/** Projects that a list may contain. */
export interface Audience {
  /** Visibilities whose projects are all included. */
  open: readonly Visibility[]
  /** Membership whose projects are included too. */
  member?: Membership | undefined
}

/**
 * Returns the projects that the caller can read; with `membership` only those in which they are a member, with `least`
 * those in which they have at least this level.
 */
export function audienceOf(
  caller: Visitor | null,
  today: string,
  { membership = false, least = 0 }: { membership?: boolean | undefined; least?: number } = {},
): Audience {
  const open = membership || least > 0 ? [] : openVisibilities(caller)
  if (!caller) return { open }
  return { open, member: { userId: caller.user.id, level: Math.max(least, roles.guest), today } }
}
