/// <reference lib="dom" />
import { readFileSync } from 'node:fs'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { createRequire } from 'node:module'
import type { BrowserContext, ConsoleMessage, Page } from 'playwright-core'
import { expect, onTestFinished } from 'vitest'
import { runJobs } from '../../server/src/domain/jobs/run-jobs.ts'
import { jobKinds } from '../../server/src/jobs.ts'
import type { Client } from '../../server/src/testing/client.ts'
import { startServer, type TestOptions, type TestServer } from '../../server/src/testing/server.ts'
import { openPage, openPages } from './pages.ts'

export interface Web {
  server: TestServer
  /** `http://127.0.0.1:port` */
  origin: string
  /**
   * A page at this address, once it is quiet, which shares no cookie and nothing kept with another one. What it says on its
   * console, and every violation of its policy, fails the test when that ends, unless `expects` has it.
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
  /** The test changes what cannot be changed back, such as the clock or what the browser can do. */
  isChanged?: boolean
}

/** The whole program on a socket, all its jobs running, and pages of it. Close it in `afterAll`. */
export async function startWeb(options: TestOptions = {}): Promise<Web> {
  const server = await startServer({ ...options, keepOpen: true })
  serveAxe(server)
  const origin = await listen(server)
  const jobs = runJobs(server.deps, jobKinds)
  const pages = openPages(origin)
  return {
    server,
    origin,
    async open(path, options = {}) {
      const { as, theme = 'light', width = 1280, height = 800, expects, isChanged = false } = options
      const used = isChanged ? await openPage(origin) : await pages.take()
      const { page } = used
      if (as) await signIn(page.context(), origin, as)
      await page.setViewportSize({ width, height })
      await page.emulateMedia({ colorScheme: theme })
      watchTraffic(page)
      const complaints = watchConsole(page, expects)
      atTheEnd(async () => {
        await (isChanged ? page.context().close() : pages.giveBack(used))
        expect(complaints, 'said by the browser').toEqual([])
      })
      await page.goto(path)
      await quiet(page)
      return page
    },
    async close() {
      await jobs.stop()
      await server.close()
    },
  }
}

/** The port of the worker's first server. The next ones use it too, so that pages and their cached files fit all of them. */
let sharedPort = 0

async function listen({ app }: TestServer): Promise<string> {
  const at = (port: number) => app.listen({ host: '127.0.0.1', port })
  // A file may start a second server beside its first one.
  const origin = await at(sharedPort).catch(() => at(0))
  if (sharedPort === 0) sharedPort = Number(new URL(origin).port)
  return origin
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
  while (isMoving() || (await isLoading())) await new Promise((resolve) => setTimeout(resolve, quietMs / 2))
}

/** Shows another screen as a link of the UI does: without loading the document again, which costs six times as much. */
export async function visit(page: Page, path: string): Promise<void> {
  const traffic = trafficOf.get(page)
  await page.evaluate((path) => history.pushState(null, '', path), path)
  // The new screen has not sent its requests yet.
  if (traffic) traffic.changedAt = Date.now()
  await quiet(page)
}

/** Lets a page run as on a slow telephone, until what this answers is called. */
export async function slowed(page: Page): Promise<() => Promise<void>> {
  const session = await page.context().newCDPSession(page)
  await session.send('Emulation.setCPUThrottlingRate', { rate: 20 })
  return () => session.detach()
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

function watchConsole(page: Page, expected: RegExp | undefined): string[] {
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

const axeSource = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'))
const axePath = '/-/axe.js'

/** Serves axe beside the program. A file that the browser may cache is compiled once, a string that is evaluated each time. */
function serveAxe({ app }: TestServer): void {
  const [respond] = app.server.listeners('request') as [(request: IncomingMessage, response: ServerResponse) => void] // by its type
  app.server.removeAllListeners('request')
  app.server.on('request', (request, response) => {
    if (request.url !== axePath) return respond(request, response)
    response.writeHead(200, { 'content-type': 'text/javascript', 'cache-control': 'max-age=3600, immutable' })
    response.end(axeSource)
  })
}

/** WCAG 2.2 AA as far as a machine can tell: every finding in words, so an empty list is what is wanted. */
export async function accessProblems(page: Page): Promise<string[]> {
  // Each screen has a heading as soon as it is there; before that there is nothing to look at.
  await page.locator('h1').first().waitFor({ state: 'attached' })
  if (!(await page.evaluate(() => 'axe' in globalThis))) await page.addScriptTag({ url: axePath })
  const { violations } = (await page.evaluate(async () => {
    const { axe } = globalThis as unknown as { axe: typeof import('axe-core') } // what was just evaluated
    // The guards of Base UI hold the focus for a moment and hand it on; nobody meets them.
    return axe.run(
      { exclude: ['[data-base-ui-focus-guard]'] },
      {
        resultTypes: ['violations'],
        // None of the rules below reads style sheets.
        preload: { assets: ['media'] },
        selectors: false,
        runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'],
      },
    )
  })) as import('axe-core').AxeResults
  return violations.flatMap(({ id, help, nodes }) => nodes.map(({ html }) => `${id}: ${help}: ${html.slice(0, 200)}`))
}
