/// <reference lib="dom" />
import { readFileSync } from 'node:fs'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { createRequire } from 'node:module'
import type { AxeResults, RunOptions } from 'axe-core'
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
   * Opens a page with its own cookies and storage and waits until it is idle. Console errors and CSP violations that
   * `expects` does not list fail the test when it ends.
   */
  open(path: string, options?: OpenOptions): Promise<Page>
  close(): Promise<void>
}

export interface OpenOptions {
  /** The signed-in user. */
  as?: Client
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

/** Tags of the rules of WCAG 2.2 AA and of good practice. */
const accessRules = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice']

/**
 * Checks a page for WCAG 2.2 AA with axe. Returns descriptions of all violations. `within` limits the check to what matches
 * a selector; `isDarkToo` repeats it for the colours of the dark theme.
 */
export async function accessProblems(
  page: Page,
  { within, isDarkToo = false }: { within?: string; isDarkToo?: boolean } = {},
): Promise<string[]> {
  // Every page has a heading once it is rendered.
  await page.locator('h1').first().waitFor({ state: 'attached' })
  if (!(await page.evaluate(() => 'axe' in globalThis))) await page.addScriptTag({ url: axePath })
  const problems = await runAxe(page, { within, rules: accessRules })
  if (!isDarkToo) return problems
  await page.emulateMedia({ colorScheme: 'dark' })
  const dark = await runAxe(page, { within, rules: { type: 'rule', values: ['color-contrast'] } })
  await page.emulateMedia({ colorScheme: 'light' })
  return [...problems, ...dark.map((problem) => `dark: ${problem}`)]
}

async function runAxe(page: Page, options: { within: string | undefined; rules: NonNullable<RunOptions['runOnly']> }) {
  const { violations } = (await page.evaluate(async ({ within, rules }) => {
    const { axe } = globalThis as unknown as { axe: typeof import('axe-core') } // defined by the script of `serveAxe`
    // Base UI's focus guards pass the focus on immediately, so users never notice them.
    return axe.run(
      { ...(within && { include: [within] }), exclude: ['[data-base-ui-focus-guard]'] },
      {
        resultTypes: ['violations'],
        // None of the rules needs style sheets.
        preload: { assets: ['media'] },
        selectors: false,
        runOnly: rules,
      },
    )
  }, options)) as AxeResults
  return violations.flatMap(({ id, help, nodes }) => nodes.map(({ html }) => `${id}: ${help}: ${html.slice(0, 200)}`))
}
