import { createContext, useContext } from 'react'
import { createPortal } from 'react-dom'
import { Link, useLocation } from 'wouter'
import { useSession } from '../../data/session.ts'
import { texts } from '../texts.ts'
import styles from './breadcrumbs.module.css'
import { linkTo, ScreenPlaceContext, ScreenTableContext } from './screen-table.ts'

export interface Crumb {
  label: string
  to: string
}

/** Where the breadcrumbs of a page begin and are shown. */
interface Trail {
  /** Pages above all screens of the frame, outermost first. */
  parents: readonly Crumb[]
  /** Element in the heading of a project or group that shows them; null until it is there. Absent: the page itself. */
  element?: HTMLElement | null
}

export const TrailContext = createContext<Trail>({ parents: [{ label: texts.home, to: '/' }] })

/** Path from the start page, or from the outermost group, to the page, which is the last item. */
export function Breadcrumbs({ title, crumbs }: { title: string; crumbs: readonly Crumb[] | undefined }) {
  const { parents, element } = useContext(TrailContext)
  const [path] = useLocation()
  const found = useAncestors()
  const addresses = new Set(parents.map(({ to }) => to))
  const above = [...parents, ...(crumbs ?? found).filter(({ to }) => !addresses.has(to))]
  // The start page is above all others.
  if (path === '/' || element === null) return null
  // The overview of a project, a group or the Admin area is the place itself. A page that names pages above it is not,
  // even if its address differs only in the query, like that of deleted uploads.
  const last = above.at(-1)
  const isPlace = !crumbs?.length && last?.to === path
  const trail = (
    <nav aria-label={texts.breadcrumbs}>
      <ol className={styles.crumbs}>
        {(isPlace ? above.slice(0, -1) : above).map(({ label, to }) => (
          <li key={to}>
            <Link to={to}>{label}</Link>
          </li>
        ))}
        <li aria-current="page">{isPlace ? last.label : title}</li>
      </ol>
    </nav>
  )
  return element ? createPortal(trail, element) : trail
}

/** Returns the screens whose addresses begin that of the shown screen, and that the user may open. */
function useAncestors(): Crumb[] {
  const { area, location, place } = useContext(ScreenPlaceContext)
  const screens = useContext(ScreenTableContext)[area] ?? []
  const session = useSession()
  const segments = location.split('/').filter(Boolean)
  return segments.slice(0, -1).flatMap((_, index) => {
    const prefix = `/${segments.slice(0, index + 1).join('/')}`
    const above = screens.find(({ path }) => linkTo(path) === prefix)
    if (!above || (above.access && !above.access.isAllowed({ session, ...place }))) return []
    return [{ label: above.title, to: place.to ? place.to(prefix.slice(1)) : prefix }]
  })
}
