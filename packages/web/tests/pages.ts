/// <reference lib="dom" />
import type { Browser, CDPSession, Page } from 'playwright-core'
import { openBrowser } from '../../server/tests/browser.ts'

/** A page with its own context, that is its own cookies and storage. */
export interface UsedPage {
  page: Page
  session: CDPSession
}

export interface Pages {
  take(): Promise<UsedPage>
  giveBack(used: UsedPage): Promise<void>
}

/** Browser that all test files of a worker share; it is closed with the worker. */
let browser: Promise<Browser> | undefined

/** Switches that save processor time and change nothing that a page can notice. */
const switches = [
  // A test loads the UI again and again, and each load ends before optimized code would pay.
  '--js-flags=--no-maglev --no-turbofan',
  // One tile per layer instead of dozens: tests scroll little, and each tile has its own task.
  '--default-tile-width=2048',
  '--default-tile-height=2048',
]

export async function openPage(origin: string): Promise<UsedPage> {
  browser ??= openBrowser(switches)
  const context = await (await browser).newContext({
    baseURL: origin,
    reducedMotion: 'reduce',
    timezoneId: 'Europe/Berlin',
    locale: 'en-GB',
    permissions: ['clipboard-read', 'clipboard-write'],
  })
  const page = await context.newPage()
  return { page, session: await context.newCDPSession(page) }
}

/** Reusable pages by origin, for all test files of a worker. */
const freePages = new Map<string, UsedPage[]>()

/** Pool of reusable pages: a page that has compiled the scripts of the UI opens in half the time. */
export function openPages(origin: string): Pages {
  const free = freePages.get(origin) ?? []
  freePages.set(origin, free)
  return {
    take: async () => free.pop() ?? (await openPage(origin)),
    async giveBack({ page, session }) {
      const context = page.context()
      try {
        for (const other of context.pages()) if (other !== page) await other.close()
        page.removeAllListeners()
        await page.unrouteAll({ behavior: 'ignoreErrors' })
        page.on('dialog', (dialog) => dialog.accept())
        await page.evaluate(() => sessionStorage.clear())
        // Stays on the origin: another one would end the page's process and lose the compiled scripts.
        await page.goto('/-/health')
        page.removeAllListeners()
        await context.clearCookies()
        await session.send('Storage.clearDataForOrigin', { origin, storageTypes: 'local_storage,indexeddb' })
        free.push({ page, session })
      } catch {
        // A test closed the page, or left it in a state that cannot be cleared.
        await context.close()
      }
    },
  }
}
