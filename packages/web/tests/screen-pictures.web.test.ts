import { expect, test } from 'vitest'
import { screens as pictures } from '../../../scripts/screens/list.ts'
import { type ListedScreen, screensOf } from './all-screens.ts'

/** Screens that only lead to another one. */
const redirects = ['/-/profile/admin_mode', '/-/vulnerabilities/:id', '/findings', 'Redirect from GitLab']
/** Starts of the addresses of the pictures in an area. */
const starts: Readonly<Record<string, RegExp>> = {
  project: /^\/shop\/(?:storefront|website)(?:\/-)?/,
  group: /^\/groups\/shop(?:\/-)?/,
}

test('docs/screens has a picture of every screen', async () => {
  const screens = await screensOf(['main', 'admin', 'project', 'group'])
  const missing = screens.filter((screen) => !isRedirect(screen) && !hasPicture(screen, screens))
  expect(missing.map(({ area, path, title }) => `${area} ${path instanceof RegExp ? title : path}`)).toEqual([])
})

const isRedirect = ({ path, title }: ListedScreen) => redirects.includes(path instanceof RegExp ? title : path)

/** Returns true if the address of a picture leads to the screen, and not to one before it in the table. */
function hasPicture(screen: ListedScreen, screens: readonly ListedScreen[]): boolean {
  const start = starts[screen.area]
  const ofArea = screens.filter(({ area }) => area === screen.area)
  return pictures.some((picture) => {
    const [path = ''] = picture.path.split(/[?#]/)
    if (start && !start.test(path)) return false
    const location = start ? path.replace(start, '') || '/' : path
    return ofArea.find(({ path }) => patternOf(path).test(location)) === screen
  })
}

/** Returns a pattern with the meaning that the router gives to a path such as `/topics/:name` or `/admin/*?`. */
function patternOf(path: string | RegExp): RegExp {
  if (path instanceof RegExp) return path
  const pattern = path
    .replace(/\/:\w+\?/g, '(?:/[^/]+)?')
    .replace(/\/\*\?/g, '(?:/.*)?')
    .replace(/:\w+/g, '[^/]+')
  return new RegExp(`^${pattern}/?$`)
}
