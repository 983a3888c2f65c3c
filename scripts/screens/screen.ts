import type { Page } from 'playwright-core'

export interface Screen {
  /** Of the picture. */
  name: string
  /** With `{places}` that the sample data has. */
  path: string
  /** Signed in as root, unless this is set. */
  isSignedOut?: true
  /** What is done before the picture is taken. */
  prepare?: (page: Page) => Promise<unknown>
  height?: number
}
