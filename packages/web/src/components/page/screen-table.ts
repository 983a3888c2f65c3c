import { type ComponentType, createContext } from 'react'
import type { SessionState } from '../../data/session.ts'
import type { LazyComponent } from '../lazy-component.tsx'

/** User who opens a screen, with their access level at its place. */
interface Viewer {
  session: SessionState
  level: number
  isReadOnly: boolean
}

/** Requirement of a screen. */
export interface Access {
  isAllowed: (viewer: Viewer) => boolean
  /** Replaces the screen for other users; default: `NotForYou`. */
  denied?: ComponentType<{ title: string }>
}

/** Menus that link to screens: the header, the home page, and the tabs of an area, of the account and of settings. */
export type Menu = 'header' | 'home' | 'tabs' | 'account' | 'settings'

/** A screen of the UI. */
export interface Screen {
  /** Pattern of the address; of its `part` inside a frame. */
  path: string | RegExp
  title: string
  component: ComponentType<Params> & Partial<Pick<LazyComponent<Params>, 'preload'>>
  /** Default: all users. */
  access?: Access
  /** Menus that contain the screen, with the label of the link; true: the title. */
  links?: Partial<Record<Menu, string | true>>
  /** Icon and query of the link on the home page. */
  shortcut?: { icon: ComponentType<{ size: number; 'aria-hidden': 'true' }>; query?: string }
  /** Area whose screens this one frames. They are matched with the parameter `part` where the address has it. */
  frames?: string
  /** Starts the first request of the screen while its code is fetched. */
  request?: (params: Params) => void
}

export type Params = Readonly<Record<string, string | undefined>>

/** The table of all screens, by area. */
export type ScreenTable = Readonly<Record<string, readonly Screen[]>>

export const ScreenTableContext = createContext<ScreenTable>({})

/** The user's rights in a project or group, and its addresses. */
export interface Place extends Omit<Viewer, 'session'> {
  /** Returns the address of a part. */
  to?: (part: string) => string
}
export const nowhere: Place = { level: 0, isReadOnly: false }

/** The area of the shown screen, its address there, and its project or group. */
interface ScreenPlace {
  area: string
  location: string
  place: Place
}

export const ScreenPlaceContext = createContext<ScreenPlace>({ area: 'main', location: '/', place: nowhere })

/** Returns the address that a pattern matches without its parameters. */
export function linkTo(path: string | RegExp): string {
  return String(path).replace(/\/[:*].*$/, '')
}
