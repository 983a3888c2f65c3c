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

export const screens: readonly Screen[] = [
  { name: 'sign-in', path: '/-/sign_in', isSignedOut: true },
  { name: 'projects', path: '/explore/projects' },
  { name: 'project', path: '/acme/shop' },
  { name: 'vulnerability', path: '/acme/shop/-/vulnerabilities/{vulnerability}', height: 1100 },
  { name: 'reports', path: '/acme/shop/-/reports' },
  { name: 'report', path: '/acme/shop/-/reports/1' },
  { name: 'report-new', path: '/acme/shop/-/reports/new' },
]
