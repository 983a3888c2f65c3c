/// <reference lib="dom" />
import type { Browser, CDPSession, Page } from 'playwright-core'
import { openBrowser } from '../../server/tests/browser.ts'

/** A page with a context, that is cookies and storage, of its own. */
export interface UsedPage {
  page: Page
  session: CDPSession
}

export interface Pages {
  take(): Promise<UsedPage>
  giveBack(used: UsedPage): Promise<void>
}

/** One for all files that a worker runs; it ends with the worker. */
let browser: Promise<Browser> | undefined

export async function openPage(origin: string): Promise<UsedPage> {
  browser ??= openBrowser()
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

/** Pages that are ready to be used again, by origin, for all files that a worker runs. */
const freePages = new Map<string, UsedPage[]>()

/** Pages that are used again: one that has run the files of the UI before opens in half the time. */
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
        // Within the origin: another one would end the process of the page, and with it the compiled files of the UI.
        await page.goto('/-/health')
        page.removeAllListeners()
        await context.clearCookies()
        await session.send('Storage.clearDataForOrigin', { origin, storageTypes: 'local_storage,indexeddb' })
        free.push({ page, session })
      } catch {
        // A test closed it, or left it where nothing can be cleared.
        await context.close()
      }
    },
  }
}
