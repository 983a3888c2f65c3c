import { type ComponentType, useContext, useMemo } from 'react'
import { matchRoute, type Parser, Route, type StringRouteParams, Switch, useLocation } from 'wouter'
import { decodeSegment } from '../../data/own-address.ts'
import { levels, useSession } from '../../data/session.ts'
import { lazyComponent } from '../lazy-component.tsx'
import { NotForYou, NotFound } from './not-found.tsx'
import {
  type Access,
  linkTo,
  type Menu,
  nowhere,
  type Params,
  type Place,
  type Screen,
  ScreenPlaceContext,
  type ScreenTable,
  ScreenTableContext,
} from './screen-table.ts'
import type { Tab } from './tabs.tsx'

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
  const [path] = useLocation()
  const screens = useContext(ScreenTableContext)[area] ?? []
  const here = useMemo(() => ({ area, location: location ?? path, place }), [area, location, path, place])
  return (
    <ScreenPlaceContext value={here}>
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
    </ScreenPlaceContext>
  )
}

function decodeParams(params: Params): Params {
  return Object.fromEntries(Object.entries(params).map(([name, value]) => [name, value && decodeSegment(value)]))
}

/** Returns the links of a menu to the screens that the user may open. */
export function useLinks(
  menu: Menu,
  area: string,
  { to, level, isReadOnly }: Place = nowhere,
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

/** Requires an access level at the place. */
export const atLeast = (role: keyof typeof levels): Access => ({ isAllowed: ({ level }) => level >= levels[role] })
