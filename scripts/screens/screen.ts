import type { Page } from 'playwright-core'

export interface Screen {
  /** File name of the screenshot. */
  name: string
  /** Path with `{placeholders}` for ids of the sample data. */
  path: string
  /** True: signed out. Otherwise signed in as root. */
  isSignedOut?: true
  /** Prepares the page for the screenshot. */
  prepare?: (page: Page) => Promise<unknown>
  height?: number
}
