import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import type { Browser } from 'playwright-core'
import { openBrowser } from '../packages/server/tests/browser.ts'
import { addExtras } from './screens/extras.ts'
import { screens } from './screens/list.ts'
import type { Screen } from './screens/screen.ts'

// `npm run screens [-- name …]` takes screenshots of all screens into docs/screens/, light and wide as well as dark and narrow; of
// named screens in all four combinations.
const folder = fileURLToPath(new URL('../docs/screens/', import.meta.url))
const asked = process.argv.slice(2)
const looks = (['light', 'dark'] as const).flatMap((theme) =>
  [1280, 360]
    .filter((width) => asked.length > 0 || (theme === 'light') === (width === 1280))
    .map((width) => ({ theme, width, name: `${theme}-${width === 360 ? 'narrow' : 'wide'}` })),
)

const token = 'token-of-the-administrator'
/** Output of each process so far. */
const outputs = new WeakMap<ChildProcess, string>()

const wanted = screens.filter(({ name }) => asked.length === 0 || asked.some((part) => name.includes(part)))
const data = await mkdtemp(join(tmpdir(), 'alcove-screens-'))
const server = start()
try {
  const origin = await addressOf(server)
  await printed(server, /^The history is complete\.$/m)
  await takeAll(wanted, { origin, places: await addExtras(origin, token) })
} finally {
  await stop(server)
  await rm(data, { recursive: true, force: true })
}

interface Visit {
  origin: string
  places: Record<string, string>
}

async function takeAll(list: readonly Screen[], visit: Visit): Promise<void> {
  const browser = await openBrowser()
  await mkdir(folder, { recursive: true })
  for (const screen of list) {
    for (const look of looks) await take(browser, screen, look, visit)
    console.log(screen.name)
  }
  await browser.close()
}

async function stop(server: ChildProcess): Promise<void> {
  const stopped = once(server, 'exit')
  if (server.exitCode === null && server.kill()) await stopped
}

/** Starts `alcove demo`. */
function start(): ChildProcess {
  return spawn(process.execPath, ['packages/server/dist/main.js', 'demo'], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: {
      ...process.env,
      ALCOVE_DATA: data,
      ALCOVE_PORT: '0',
      ALCOVE_BOOTSTRAP_TOKEN: token,
      ALCOVE_LOG_LEVEL: 'silent',
      // Every screenshot signs in again.
      ALCOVE_RATE_LIMIT_SIGN_IN_REQUESTS: '0',
      ALCOVE_WEBHOOKS_ALLOW_PRIVATE: 'true',
    },
  })
}

async function take(
  browser: Browser,
  { name, path, isSignedOut, prepare, height = 800 }: Screen,
  { theme, width, name: look }: (typeof looks)[number],
  { origin, places }: Visit,
): Promise<void> {
  const context = await browser.newContext({
    baseURL: origin,
    colorScheme: theme,
    viewport: { width, height: width === 360 ? 740 : height },
    reducedMotion: 'reduce',
    timezoneId: 'Europe/Berlin',
    locale: 'en-GB',
  })
  if (!isSignedOut) {
    const reply = await context.request.post(`${origin}/-/sessions`, { data: { token } })
    if (!reply.ok()) throw new Error(`signing in for ${name}: ${reply.status()}`)
  }
  const page = await context.newPage()
  await page.goto(path.replace(/\{(\w+)\}/g, (_, key) => places[key] ?? ''))
  await page.waitForLoadState('networkidle')
  await prepare?.(page)
  await page.waitForLoadState('networkidle')
  await page.screenshot({ path: join(folder, `${name}-${look}.png`) })
  await context.close()
}

async function addressOf(child: ChildProcess): Promise<string> {
  const [, address = ''] = await printed(child, /^Alcove serves (\S+)$/m)
  return address
}

/** Waits until the output of the process matches. */
async function printed(child: ChildProcess, pattern: RegExp): Promise<RegExpExecArray> {
  if (!outputs.has(child)) {
    outputs.set(child, '')
    child.stdout?.on('data', (chunk) => void outputs.set(child, `${outputs.get(child)}${chunk}`))
  }
  for (let attempt = 0; attempt < 1_800; attempt++) {
    const found = pattern.exec(outputs.get(child) ?? '')
    if (found) return found
    await setTimeout(100)
  }
  throw new Error(`the server did not print ${pattern}: ${outputs.get(child)}`)
}
