import type { AnswerOf } from '@alcove/client'
import { createContext, useContext } from 'react'
import { useAnswer } from '../../app/api.ts'
import { levels, useSession } from '../../app/session.ts'

export type Group = AnswerOf<'GET /groups/{id}'>

/** What the screens of a group know of it. */
export interface GroupScreen {
  group: Group
  /** The caller's access level in it. */
  level: number
  /** The address of a screen: `to('uploads')`. */
  to: (part: string) => string
}

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

/** The caller's access level in a group, from above too; undefined until it is known. */
export function useGroupLevel(id: number | undefined): number | undefined {
  const { user, is_admin: isAdmin } = useSession()
  const isAsked = id !== undefined && user !== null && !isAdmin
  // A list, because asking for one member who is none would be answered as a failure.
  const query = useAnswer(
    'GET /groups/{id}/members/all',
    { path: { id: id ?? 0 }, query: { user_ids: [user?.id ?? 0] } },
    { isEnabled: isAsked },
  )
  if (id === undefined) return undefined
  if (isAdmin) return levels.owner
  if (!user || query.error) return 0
  return query.data && Math.max(0, ...query.data.map(({ access_level: level = 0 }) => level))
}
