/// <reference lib="dom" />
import axe from 'axe-core'
import type { Browser, BrowserContext, ConsoleMessage, Page } from 'playwright-core'
import { expect, onTestFinished } from 'vitest'
import { runJobs } from '../../server/src/domain/jobs/run-jobs.ts'
import { jobKinds } from '../../server/src/jobs.ts'
import type { Client } from '../../server/src/testing/client.ts'
import { startServer, type TestOptions, type TestServer } from '../../server/src/testing/server.ts'
import { openBrowser } from '../../server/tests/browser.ts'

export interface Web {
  server: TestServer
  /** `http://127.0.0.1:port` */
  origin: string
  browser: Browser
  /**
   * A page of a browser of its own, at this address, once it is quiet. What it says on its console, and every violation of
   * its policy, fails the test when that ends, unless `expects` has it.
   */
  open(path: string, options?: OpenOptions): Promise<Page>
  close(): Promise<void>
}

export interface OpenOptions {
  /** Who is signed in. */
  as?: Client
  theme?: 'light' | 'dark'
  width?: number
  height?: number
  /** What the console may say, such as the 404 that a test provokes. */
  expects?: RegExp
}

/** The whole program on a socket, all its jobs running, and a browser. Close it in `afterAll`. */
export async function startWeb(options: TestOptions = {}): Promise<Web> {
  const server = await startServer({ ...options, keepOpen: true })
  const origin = await server.app.listen({ host: '127.0.0.1', port: 0 })
  const jobs = runJobs(server.deps, jobKinds)
  const browser = await openBrowser()
  return {
    server,
    origin,
    browser,
    async open(path, options = {}) {
      const { as, theme = 'light', width = 1280, height = 800, expects } = options
      const context = await browser.newContext({
        baseURL: origin,
        colorScheme: theme,
        viewport: { width, height },
        reducedMotion: 'reduce',
        timezoneId: 'Europe/Berlin',
        locale: 'en-GB',
        permissions: ['clipboard-read', 'clipboard-write'],
      })
      if (as) await signIn(context, origin, as)
      const page = await context.newPage()
      watchTraffic(page)
      const complaints = listen(page, expects)
      atTheEnd(async () => {
        await context.close()
        expect(complaints, 'said by the browser').toEqual([])
      })
      await page.goto(path)
      await quiet(page)
      return page
    },
    async close() {
      await browser.close()
      await jobs.stop()
      await server.close()
    },
  }
}

function atTheEnd(close: () => Promise<void>): void {
  onTestFinished(close)
}

const quietMs = 60

/** Resolves when nothing is on its way to or from the server, and what came is shown. */
export async function quiet(page: Page): Promise<void> {
  await page.locator('main, [role=alert]').first().waitFor()
  const traffic = trafficOf.get(page)
  const isMoving = () => traffic && (traffic.open > 0 || Date.now() - traffic.changedAt < quietMs)
  const isLoading = () => page.evaluate(() => document.querySelector('main:empty, [data-loading]') !== null)
  while (isMoving() || (await isLoading())) await page.waitForTimeout(quietMs / 2)
}

const trafficOf = new WeakMap<Page, { open: number; changedAt: number }>()

function watchTraffic(page: Page): void {
  const traffic = { open: 0, changedAt: Date.now() }
  trafficOf.set(page, traffic)
  const count = (step: number) => () => {
    traffic.open += step
    traffic.changedAt = Date.now()
  }
  page.on('request', count(1)).on('requestfinished', count(-1)).on('requestfailed', count(-1))
}

async function signIn(context: BrowserContext, origin: string, { token }: Client): Promise<void> {
  const reply = await context.request.post(`${origin}/-/sessions`, { data: { token } })
  expect(reply.status()).toBe(201)
}

function listen(page: Page, expected: RegExp | undefined): string[] {
  const complaints: string[] = []
  const hear = (text: string) => {
    if (!expected?.test(text)) complaints.push(text)
  }
  page.on('pageerror', (error) => hear(`thrown: ${error.message}`))
  page.on('console', (message: ConsoleMessage) => {
    if (message.type() === 'error' || message.type() === 'warning') hear(`${message.type()}: ${message.text()}`)
  })
  return complaints
}

/** WCAG 2.2 AA as far as a machine can tell: every finding in words, so an empty list is what is wanted. */
export async function accessProblems(page: Page): Promise<string[]> {
  await page.evaluate(axe.source)
  const { violations } = (await page.evaluate(async () => {
    const { axe } = globalThis as unknown as { axe: typeof import('axe-core') } // what was just evaluated
    // The guards of Base UI hold the focus for a moment and hand it on; nobody meets them.
    return axe.run(
      { exclude: ['[data-base-ui-focus-guard]'] },
      {
        runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'],
      },
    )
  })) as import('axe-core').AxeResults
  return violations.flatMap(({ id, help, nodes }) => nodes.map(({ html }) => `${id}: ${help}: ${html.slice(0, 200)}`))
}
