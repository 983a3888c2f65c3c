import { type ComponentType, createContext, useContext } from 'react'
import { Route, type StringRouteParams, Switch } from 'wouter'
import { decodeSegment } from '../../data/own-address.ts'
import { levels, type SessionState, useSession } from '../../data/session.ts'
import { lazyComponent } from '../later.ts'
import { NotForYou, NotFound } from './not-found.tsx'
import type { Tab } from './tabs.tsx'

/** User who opens a screen, with their access level in its project or group. */
interface Viewer {
  session: SessionState
  level: number
  isArchived: boolean
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
  /** Pattern of the address; of the part after `/-/` in a project or group. */
  path: string | RegExp
  title: string
  component: ComponentType<Params>
  /** Default: all users. */
  access?: Access
  /** Menus that contain the screen, with the label of the link; true: the title. */
  links?: Partial<Record<Menu, string | true>>
  /** Icon and query of the link on the home page. */
  shortcut?: { icon: ComponentType<{ size: number; 'aria-hidden': 'true' }>; query?: string }
}

type Params = Readonly<Record<string, string | undefined>>
type ScreenOptions = Omit<Screen, 'path' | 'title' | 'component'>

/** Declares a screen whose code is fetched when it is first shown. The parameters of its address become its props. */
export function screen<Path extends string>(
  path: Path,
  title: string,
  load: () => Promise<ComponentType<StringRouteParams<Path>>>,
  options: ScreenOptions = {},
): Screen {
  // `Screens` passes the parameters of this path.
  return { path, title, component: lazyComponent(load) as unknown as ComponentType<Params>, ...options }
}

/** Declares the frame of a project or group, which shows the screen that `part` names. */
export function frame(
  path: RegExp,
  title: string,
  load: () => Promise<ComponentType<{ place: string; part: string }>>,
): Screen {
  const Frame = lazyComponent(load)
  return { path, title, component: ({ place = '', part = '' }) => <Frame place={place} part={part} /> }
}

/** The table of all screens, by area. */
export interface ScreenTable {
  main: readonly Screen[]
  admin: readonly Screen[]
  project: readonly Screen[]
  group: readonly Screen[]
}

export const ScreenTableContext = createContext<ScreenTable>({ main: [], admin: [], project: [], group: [] })

type Place = Omit<Viewer, 'session'>
const nowhere: Place = { level: 0, isArchived: false }

/** Shows the screen of an area whose address matches, or explains why the user may not see it. */
export function Screens({
  area,
  location,
  place = nowhere,
}: {
  area: keyof ScreenTable
  /** Default: the address of the page. */
  location?: string
  place?: Place
}) {
  const session = useSession()
  const screens = useContext(ScreenTableContext)[area]
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
  area: keyof ScreenTable,
  { to, level, isArchived }: Place & { to?: (part: string) => string } = nowhere,
): (Tab & Pick<Screen, 'shortcut'>)[] {
  const session = useSession()
  const links = useContext(ScreenTableContext)[area].flatMap(({ path, title, access, shortcut, links = {} }) => {
    const label = links[menu]
    return label === undefined
      ? []
      : [{ label: label === true ? title : label, to: to ? to(linkTo(path).slice(1)) : linkTo(path), access, shortcut }]
  })
  return links
    .filter(({ access }) => !access || access.isAllowed({ session, level, isArchived }))
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

/** Requires an access level in the project or group. */
export const atLeast = (role: keyof typeof levels): Access => ({ isAllowed: ({ level }) => level >= levels[role] })
