import type { Schemas } from '@alcove/client'
import { useQuery } from '@tanstack/react-query'
import { createContext, useContext } from 'react'
import { api, queries } from './api.ts'
import { showAs } from './display.ts'
import { forgetEarlyResponses, storeIsSignedIn } from './early-responses.ts'
import { store } from './store.ts'

export type SessionState = Schemas['SessionState']

export const sessionQuery = {
  queryKey: ['GET /-/session'],
  async queryFn() {
    const state = await api.call('GET /-/session', {})
    show(state.user?.id)
    storeIsSignedIn(state)
    showAs(state.display)
    notifyIfChanged(state)
    return state
  },
  staleTime: 60_000,
}

interface Seen {
  /** User whose data the page shows. */
  shownTo?: number | undefined
  /** Last user who was signed in. */
  lastUser?: number | undefined
  /** Session that other tabs know, as JSON. */
  notified?: string
}

const seen = store.slot((): Seen => ({}))

/** Discards cached responses when the user changes, and refetches shown data. What was requested first is of this user. */
function show(user: number | undefined): void {
  const before = seen.get()
  if ('shownTo' in before && before.shownTo !== user) {
    forgetEarlyResponses()
    void queries.resetQueries({ predicate: ({ queryKey }) => queryKey[0] !== sessionQuery.queryKey[0] })
  }
  seen.set({ ...before, shownTo: user, lastUser: user ?? before.lastUser })
}

/** Channel between the tabs of one browser, which share a session. */
const tabs = new BroadcastChannel('alcove-session')
tabs.onmessage = () => void queries.invalidateQueries({ queryKey: sessionQuery.queryKey })

/** Makes the other tabs refetch the session. */
export function notifyOtherTabs(): void {
  tabs.postMessage('changed')
}

function notifyIfChanged({ user, is_admin: isAdmin, scopes }: SessionState): void {
  const key = JSON.stringify([user?.id, isAdmin, scopes])
  const { notified = key } = seen.get()
  if (notified !== key) notifyOtherTabs()
  seen.set({ ...seen.get(), notified: key })
}

/** Returns true when this page showed data of another user before, even if that user has signed out since. */
export function hasShownOthers(user: number): boolean {
  const { lastUser = user } = seen.get()
  return lastUser !== user
}

/** Returns the session: the user and the settings of the server. Works only inside `Shell`, which loads it first. */
export function useSession(): SessionState {
  const { data } = useQuery(sessionQuery)
  if (!data) throw new Error('useSession must be used inside Shell, which loads the session')
  return data
}

/** Returns the user on a screen that requires sign-in. */
export function useUser(): NonNullable<SessionState['user']> {
  const { user } = useSession()
  if (!user) throw new Error('useUser must be used on a screen that requires sign-in')
  return user
}

/** Returns true once the server has reported that this browser is signed out. */
export function useIsSignedOut(): boolean {
  const { data } = useQuery({ ...sessionQuery, enabled: false })
  return data?.user === null
}

/** Access levels of the API. */
export const levels = { guest: 10, planner: 15, reporter: 20, developer: 30, maintainer: 40, owner: 50 } as const

interface WithPermissions {
  permissions?:
    | {
        project_access?: { access_level: number } | null | undefined
        group_access?: { access_level: number } | null | undefined
      }
    | undefined
}

/** Returns the user's access level in a project: owner for administrators, 0 without a role. */
export function levelIn({ permissions }: WithPermissions, { is_admin: isAdmin }: SessionState): number {
  if (isAdmin) return levels.owner
  return Math.max(permissions?.project_access?.access_level ?? 0, permissions?.group_access?.access_level ?? 0)
}

/** Returns true when the session's credentials allow changes. */
export function mayWrite({ user, scopes }: SessionState): boolean {
  return user !== null && scopes.includes('api')
}

/** What limits changes on the pages of a project, group or topic. */
export interface Limits {
  isArchived: boolean
  /** Changes that a mirror of another server permits here; undefined where everything is permitted. */
  mirror: 'none' | 'triage' | undefined
}

export const LimitsContext = createContext<Limits>({ isArchived: false, mirror: undefined })

/** Kinds of changes. Archived projects permit those of members, and mirrors what only concerns the user. */
export type ChangeKind = 'content' | 'triage' | 'members' | 'personal'

/** Returns true for a session that was started at this server: with a password, a passkey or a link. */
export function isLocal({ signed_in_with: method }: SessionState): boolean {
  return method !== null && method !== 'token' && method !== 'provider'
}

/** Returns true for a session without the limits of an access token. */
export function isUnlimited({ signed_in_with: method }: SessionState): boolean {
  return method !== null && method !== 'token'
}

/** Returns true when the credentials and the limits of the page allow such changes. Roles are checked separately. */
export function useMayChange(kind: ChangeKind = 'content'): boolean {
  const limits = useContext(LimitsContext)
  return mayWrite(useSession()) && isWithin(limits, kind)
}

export function isWithin({ isArchived, mirror }: Limits, kind: ChangeKind): boolean {
  if (isArchived && kind !== 'members') return false
  return mirror === undefined || kind === 'personal' || kind === mirror
}
