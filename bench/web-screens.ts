/// <reference lib="dom" />
import type { BrowserContext, Page } from 'playwright-core'
import { measuredProjects } from './data/fixtures.ts'
import type { Figures } from './web-inputs.ts'

/** Path of the project with the measured number of vulnerabilities. */
export const project = `/bench/project-${measuredProjects.medium}`
const row = '[role=grid] [role=row] a'
/** Addresses of screens, and what is there when they are usable. */
const screens: Readonly<Record<string, readonly [address: string, shown: string]>> = {
  'open vulnerabilities of the project': [`${project}/-/vulnerabilities`, row],
  'vulnerabilities of the group': ['/groups/bench/-/vulnerabilities', row],
  'vulnerabilities of the server': ['/-/vulnerabilities', row],
  'the project': [project, 'main h1'],
  'the home page': ['/', 'main h1'],
}

/** Measures the screens one after the other, in a browser that has fetched the files of the UI. */
export async function measureScreens(context: BrowserContext, origin: string): Promise<Figures> {
  const times: Figures = {}
  const page = await context.newPage()
  const open = async (name: string, [address, shown]: readonly [string, string]) => {
    await page.goto(`${origin}${address}`, { waitUntil: 'commit' })
    times[name] = await untilShown(page, shown)
    await page.waitForLoadState('networkidle')
  }
  for (const [name, screen] of Object.entries(screens)) await open(name, screen)
  await page.goto(`${origin}${project}/-/vulnerabilities`)
  const address = await page.locator(row).first().getAttribute('href')
  await open('a vulnerability', [address ?? '', 'main h1'])
  return times
}

/** Returns the time since the navigation began, measured in the page. */
export async function untilShown(page: Page, selector: string = row): Promise<number> {
  await page.waitForSelector(selector, { state: 'attached' })
  return page.evaluate(() => new Promise<number>((resolve) => requestAnimationFrame(() => resolve(performance.now()))))
}
