import type { AnswerOf } from '@alcove/client'
import { createContext, useContext } from 'react'
import { isFailure, useAnswer } from '../../data/api.ts'
import { levels, useSession } from '../../data/session.ts'

export type Group = AnswerOf<'GET /groups/{id}'>

/** What the screens of a group know of it. */
export interface GroupScreen {
  group: Group
  /** The caller's access level in it. */
  level: number
  /** The address of a screen: `to('uploads')`. */
  to: (part: string) => string
}

type Level =
  | { level: number }
  /** Not known yet, or not to be had. */
  | { level: undefined; error: Error | null; retry: () => void }

export const GroupContext = createContext<GroupScreen | undefined>(undefined)

export function useGroup(): GroupScreen {
  const screen = useContext(GroupContext)
  if (!screen) throw new Error('this belongs on a page of a group')
  return screen
}

/** Where a group has its page: the address that its `web_url` has. */
export function groupAddress(fullPath: string): string {
  return `/groups/${fullPath}`
}

/** The caller's access level in a group, from above too. */
export function useGroupLevel(id: number): Level {
  const { user, is_admin: isAdmin } = useSession()
  const isAsked = user !== null && !isAdmin
  // A list, because asking for one member who is none would be answered as a failure.
  const query = useAnswer(
    'GET /groups/{id}/members/all',
    { path: { id }, query: { user_ids: [user?.id ?? 0] } },
    { isEnabled: isAsked },
  )
  if (isAdmin) return { level: levels.owner }
  if (!user) return { level: 0 }
  if (query.data) return { level: Math.max(0, ...query.data.map(({ access_level: level = 0 }) => level)) }
  // Whoever may not see the members is none of them.
  if (query.error && isRefusal(query.error)) return { level: 0 }
  return { level: undefined, error: query.error, retry: () => void query.refetch() }
}

function isRefusal(error: Error): boolean {
  return isFailure(error, 403) || isFailure(error, 404)
}
