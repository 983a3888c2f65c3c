import type { Page } from 'playwright-core'
import type { Web } from './web.ts'

export { password } from './web.ts'
export type OpenOptions = Parameters<Web['open']>[1]

/** Opens a page like `web.open`, signed in with a password. */
export function openSignedIn(web: Web, login: string, path: string, options: OpenOptions = {}): Promise<Page> {
  return web.open(path, { ...options, login })
}
