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
import { axePath } from './access-rules.ts'
import { openPage, openPages } from './pages.ts'

export { accessProblems, dialogs } from './access-rules.ts'

export interface Web {
  server: TestServer
  /** `http://127.0.0.1:port` */
  origin: string
  /**
   * Opens a page with its own cookies and storage and waits until it is idle. Console errors and CSP violations that
   * `expects` does not list fail the test when it ends.
   */
  open(path: string, options?: OpenOptions): Promise<Page>
  close(): Promise<void>
}

export interface OpenOptions {
  /** The user whose token signs in. */
  as?: Client
  /** The name of a user who signs in with `password`. Sessions from a token may do less. */
  login?: string
  theme?: 'light' | 'dark'
  width?: number
  height?: number
  /** Expected console errors, such as the 404 that a test provokes. */
  expects?: RegExp
  /** True: the test makes irreversible changes, such as to the clock or the features of the browser. */
  isChanged?: boolean
}

/**
 * Starts the whole program on a socket, with its background jobs, and opens its pages. Close it in `afterAll`. Pages get the
 * name `localhost` as `host` where a browser requires a name.
 */
export async function startWeb({ host = '127.0.0.1', ...options }: TestOptions & { host?: string } = {}): Promise<Web> {
  const server = await startServer({ ...options, keepOpen: true })
  serveAxe(server)
  const origin = (await listen(server)).replace('127.0.0.1', host)
  const jobs = runJobs(server.deps, jobKinds)
  const pages = openPages(origin)
  return {
    server,
    origin,
    async open(path, options = {}) {
      const { as, login, theme = 'light', width = 1280, height = 800, expects, isChanged = false } = options
      const used = isChanged ? await openPage(origin) : await pages.take()
      const { page } = used
      if (login) await signIn(page.context(), origin, { login, password })
      else if (as) await signIn(page.context(), origin, { token: as.token })
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

/** Port of the worker's first server. Later servers reuse it, so that pages and their caches work with all of them. */
let sharedPort = 0

async function listen({ app }: TestServer): Promise<string> {
  const at = (port: number) => app.listen({ host: '127.0.0.1', port })
  // A test file may start a second server.
  const origin = await at(sharedPort).catch(() => at(0))
  if (sharedPort === 0) sharedPort = Number(new URL(origin).port)
  return origin
}

function atTheEnd(close: () => Promise<void>): void {
  onTestFinished(close)
}

const quietMs = 60

/** Resolves when no request is pending and the responses are rendered. */
export async function quiet(page: Page): Promise<void> {
  await page.locator('main, [role=alert]').first().waitFor()
  const traffic = trafficOf.get(page)
  const isMoving = () => traffic && (traffic.open > 0 || Date.now() - traffic.changedAt < quietMs)
  const isLoading = () => page.evaluate(() => document.querySelector('main:empty, [data-loading]') !== null)
  while (isMoving() || (await isLoading())) await new Promise((resolve) => setTimeout(resolve, quietMs / 2))
}

/** Navigates like a link of the UI, without reloading the document, which takes six times as long. */
export async function visit(page: Page, path: string): Promise<void> {
  const traffic = trafficOf.get(page)
  await page.evaluate((path) => history.pushState(null, '', path), path)
  // The new page has not sent its requests yet.
  if (traffic) traffic.changedAt = Date.now()
  await quiet(page)
}

/** Throttles the CPU of a page as on a slow phone. Returns a function that ends it. */
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

/** Password of every user of the test server. */
export const password = 'correct horse battery'

async function signIn(context: BrowserContext, origin: string, data: object): Promise<void> {
  const reply = await context.request.post(`${origin}/-/sessions`, { data })
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

/** Serves axe from the test server. The browser compiles a cached file once, but an evaluated string each time. */
function serveAxe({ app }: TestServer): void {
  const [respond] = app.server.listeners('request') as [(request: IncomingMessage, response: ServerResponse) => void] // by its type
  app.server.removeAllListeners('request')
  app.server.on('request', (request, response) => {
    if (request.url !== axePath) return respond(request, response)
    response.writeHead(200, { 'content-type': 'text/javascript', 'cache-control': 'max-age=3600, immutable' })
    response.end(axeSource)
  })
}
