import type { Schemas } from '@alcove/client'
import { useQuery } from '@tanstack/react-query'
import { createContext, useContext } from 'react'
import { api, queries } from './api.ts'

export type SessionState = Schemas['SessionState']

export const sessionQuery = {
  queryKey: ['GET /-/session'],
  async queryFn() {
    const state = await api.call('GET /-/session', {})
    show(state.user?.id)
    tellIfChanged(state)
    return state
  },
  staleTime: 60_000,
}

let shownTo: number | undefined
let lastUser: number | undefined

/** What was answered to somebody else is forgotten, and what is shown asked for anew. */
function show(user: number | undefined): void {
  if (shownTo !== user) {
    void queries.resetQueries({ predicate: ({ queryKey }) => queryKey[0] !== sessionQuery.queryKey[0] })
  }
  shownTo = user
  lastUser = user ?? lastUser
}

/** Between the tabs of one browser, which are signed in and out together. */
const tabs = new BroadcastChannel('alcove-session')
tabs.onmessage = () => void queries.invalidateQueries({ queryKey: sessionQuery.queryKey })

/** The other tabs ask again who is signed in. */
export function tellOtherTabs(): void {
  tabs.postMessage('changed')
}

let lastTold: string | undefined

function tellIfChanged({ user, is_admin: isAdmin, scopes }: SessionState): void {
  const told = JSON.stringify([user?.id, isAdmin, scopes])
  if (lastTold !== undefined && lastTold !== told) tellOtherTabs()
  lastTold = told
}

/** True when this page has been somebody else's before, even if he has signed out since. */
export function hasShownOthers(user: number): boolean {
  return lastUser !== undefined && lastUser !== user
}

/** Who is signed in and what the server lets people do. Inside the shell, which waits for it. */
export function useSession(): SessionState {
  const { data } = useQuery(sessionQuery)
  if (!data) throw new Error('the shell asks for the session before it shows anything')
  return data
}

/** True once the server has said that this browser is signed out. */
export function useIsSignedOut(): boolean {
  const { data } = useQuery({ ...sessionQuery, enabled: false })
  return data?.user === null
}

/** Access levels as the API has them. */
export const levels = { guest: 10, planner: 15, reporter: 20, developer: 30, maintainer: 40, owner: 50 } as const

interface WithPermissions {
  permissions?:
    | {
        project_access?: { access_level: number } | null | undefined
        group_access?: { access_level: number } | null | undefined
      }
    | undefined
}

/** The caller's access level in a project; administrators count as owners of everything, others without any have 0. */
export function levelIn({ permissions }: WithPermissions, { is_admin: isAdmin }: SessionState): number {
  if (isAdmin) return levels.owner
  return Math.max(permissions?.project_access?.access_level ?? 0, permissions?.group_access?.access_level ?? 0)
}

/** True when what this browser is signed in with may change things. */
export function mayWrite({ user, scopes }: SessionState): boolean {
  return user !== null && scopes.includes('api')
}

/** True on the pages of an archived project. */
export const ReadOnlyContext = createContext(false)

/** Whether the user may change what the page is about, as far as their role there allows it. */
export function useMayChange(): boolean {
  const isReadOnly = useContext(ReadOnlyContext)
  return mayWrite(useSession()) && !isReadOnly
}
