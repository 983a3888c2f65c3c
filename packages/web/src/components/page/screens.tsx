import { type ComponentType, createContext, useContext } from 'react'
import { matchRoute, type Parser, Route, type StringRouteParams, Switch } from 'wouter'
import { decodeSegment } from '../../data/own-address.ts'
import { levels, type SessionState, useSession } from '../../data/session.ts'
import { type LazyComponent, lazyComponent } from '../lazy-component.tsx'
import { NotForYou, NotFound } from './not-found.tsx'
import type { Tab } from './tabs.tsx'

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
type Menu = 'header' | 'home' | 'tabs' | 'account' | 'settings'

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
type ScreenOptions = Omit<Screen, 'path' | 'title' | 'component'>

/** Declares a screen whose code is fetched when it is first shown. The parameters of its address become its props. */
export function screen<Path extends string | RegExp>(
  path: Path,
  title: string,
  load: () => Promise<ComponentType<Path extends string ? StringRouteParams<Path> : Params>>,
  options: ScreenOptions = {},
): Screen {
  // `Screens` passes the parameters of this path.
  return { path, title, component: lazyComponent(load) as unknown as ComponentType<Params>, ...options }
}

/** The table of all screens, by area. */
export type ScreenTable = Readonly<Record<string, readonly Screen[]>>

export const ScreenTableContext = createContext<ScreenTable>({})

/** Fetches the code of the screen at an address, and of all frames around it, at once. */
export function preloadScreen(table: ScreenTable, parser: Parser, location: string, area = 'main'): void {
  for (const { path, component, request, frames } of table[area] ?? []) {
    const [isHere, found] = matchRoute(parser, path, location)
    if (!isHere) continue
    const params = decodeParams(found)
    // The screen itself shows the error.
    component.preload?.().catch(() => {})
    request?.(params)
    if (frames) preloadScreen(table, parser, 'part' in params ? `/${params['part'] ?? ''}` : location, frames)
    return
  }
}

type Place = Omit<Viewer, 'session'>
const nowhere: Place = { level: 0, isReadOnly: false }

/** Shows the screen of an area whose address matches, or explains why the user may not see it. */
export function Screens({
  area,
  location,
  place = nowhere,
}: {
  area: string
  /** Default: the address of the page. */
  location?: string
  place?: Place
}) {
  const session = useSession()
  const screens = useContext(ScreenTableContext)[area] ?? []
  return (
    <Switch {...(location !== undefined && { location })}>
      {screens.map(({ path, title, access, component: Component }) => (
        <Route key={String(path)} path={path}>
          {(params: Params) => {
            if (access && !access.isAllowed({ session, ...place })) {
              const Denied = access.denied ?? NotForYou
              return <Denied title={title} />
            }
            return <Component {...decodeParams(params)} />
          }}
        </Route>
      ))}
      <Route component={NotFound} />
    </Switch>
  )
}

function decodeParams(params: Params): Params {
  return Object.fromEntries(Object.entries(params).map(([name, value]) => [name, value && decodeSegment(value)]))
}

/** Returns the links of a menu to the screens that the user may open. */
export function useLinks(
  menu: Menu,
  area: string,
  { to, level, isReadOnly }: Place & { to?: (part: string) => string } = nowhere,
): (Tab & Pick<Screen, 'shortcut'>)[] {
  const session = useSession()
  const screens = useContext(ScreenTableContext)[area] ?? []
  const links = screens.flatMap(({ path, title, access, shortcut, links = {} }) => {
    const label = links[menu]
    return label === undefined
      ? []
      : [{ label: label === true ? title : label, to: to ? to(linkTo(path).slice(1)) : linkTo(path), access, shortcut }]
  })
  return links
    .filter(({ access }) => !access || access.isAllowed({ session, level, isReadOnly }))
    .map(({ label, to, shortcut }) => ({
      label,
      to: to + (shortcut?.query ?? ''),
      // A link above others is current on its own page only.
      isExact: links.some((other) => other.to.startsWith(`${to}/`)),
      ...(shortcut && { shortcut }),
    }))
}

/** Returns the address that a pattern matches without its parameters. */
function linkTo(path: string | RegExp): string {
  return String(path).replace(/\/[:*].*$/, '')
}

/** Requires an access level at the place. */
export const atLeast = (role: keyof typeof levels): Access => ({ isAllowed: ({ level }) => level >= levels[role] })
