import type { ResponseOf } from '@alcove/client'
import { createContext, useContext } from 'react'
import { isFailure, useApiQuery } from '../../data/api.ts'
import { isWithin, levels, useSession } from '../../data/session.ts'
import { limitsOf } from '../mirror/limits.ts'

export type Group = ResponseOf<'GET /groups/{id}'>

/** Context of the pages of a group. */
export interface GroupScreen {
  group: Group
  /** The user's access level in the group. */
  level: number
  /** True: the place is archived or a mirror, so that its content cannot be changed. */
  isReadOnly: boolean
  /** Returns the address of a page of the group, such as `to('uploads')`. */
  to: (part: string) => string
}

/** The user's access level in a group. */
export type GroupLevel =
  | { level: number }
  /** Loading or failed. */
  | { level: undefined; error: Error | null; retry: () => void }

export const GroupContext = createContext<GroupScreen | undefined>(undefined)

export function useGroup(): GroupScreen {
  const screen = useContext(GroupContext)
  if (!screen) throw new Error('useGroup must be used inside a group page')
  return screen
}

/** Returns the path of a group's page, the same as in its `web_url`. */
export function groupAddress(fullPath: string): string {
  return `/groups/${fullPath}`
}

/** Returns what the pages of a group know of it. */
export function groupScreen(group: Group, level: number): GroupScreen {
  return {
    group,
    level,
    isReadOnly: !isWithin(limitsOf(group), 'content'),
    to: (part) => `${groupAddress(group.full_path)}${part && `/-/${part}`}`,
  }
}

/** Returns the user's access level in a group, of which it gets the id or the path, inherited roles included. Without a group it requests nothing. */
export function useGroupLevel(id: number | string | undefined): GroupLevel {
  const { user, is_admin: isAdmin } = useSession()
  const isAsked = user !== null && !isAdmin && id !== undefined
  // Requests a list, because a request for a single user who is not a member would fail.
  const query = useApiQuery(
    'GET /groups/{id}/members/all',
    { path: { id: id ?? '' }, query: { user_ids: [user?.id ?? 0] } },
    { isEnabled: isAsked },
  )
  if (isAdmin) return { level: levels.owner }
  if (!user) return { level: 0 }
  if (query.data) return { level: Math.max(0, ...query.data.map(({ access_level: level = 0 }) => level)) }
  // A user who may not list the members is not a member.
  if (query.error && isRefusal(query.error)) return { level: 0 }
  return { level: undefined, error: query.error, retry: () => void query.refetch() }
}

function isRefusal(error: Error): boolean {
  return isFailure(error, 403) || isFailure(error, 404)
}
