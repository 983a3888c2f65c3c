/// <reference lib="dom" />
import { readdir, readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import type { Browser, Page, Response } from 'playwright-core'
import { openBrowser } from '../packages/server/tests/browser.ts'
import { openDataset } from './data/dataset.ts'
import { benchToken } from './data/fixtures.ts'
import { startServer } from './processes.ts'
import { median, printTable } from './table.ts'
import { type Figures, measureInputs } from './web-inputs.ts'
import { measureScreens, project, untilShown } from './web-screens.ts'

// Prints the time until the built UI shows a usable list of 100,000 vulnerabilities, what it transfers, and the size of its
// files.
const { values } = parseArgs({ options: { rounds: { type: 'string', default: '7' }, quick: { type: 'boolean' } } })
const rounds = Number(values.rounds)
const count = values.quick ? 5_000 : 100_000
const sizes = { topics: 10, projects: 3, findings: [1, count, 1], report: 0, largeReport: 0 } as const
const assets = fileURLToPath(new URL('../packages/web/dist/assets/', import.meta.url))
const indexFile = fileURLToPath(new URL('../packages/web/dist/index.html', import.meta.url))
/** Maximum size of the compressed JavaScript of the first screen. */
const firstLoadLimitKb = 130

await printSizes()
await printTimes()
process.exit()

async function printTimes(): Promise<void> {
  const dataset = await openDataset({ engine: 'sqlite', sizes })
  const server = await startServer(dataset.env)
  const browser = await openBrowser()
  try {
    const times: Visit[] = []
    // The first round is a warm-up.
    for (let round = 0; round <= rounds; round++) times.push(await measure(browser, server.url))
    const list = `A list of ${count.toLocaleString('en')} vulnerabilities`
    printColumns(
      `${list}, median and worst of ${rounds}`,
      'ms',
      times.map(({ times }) => times),
    )
    printColumns(
      `${list}: KB of the first visit`,
      'KB',
      times.map(({ sizes }) => sizes),
    )
    printColumns(
      `${list}: slowest input until the next frame (the browser reports 16 ms and more)`,
      'ms',
      times.map(({ inputs }) => inputs),
    )
    printColumns(
      'Other screens, with cached files',
      'ms',
      times.map(({ screens }) => screens),
    )
  } finally {
    await browser.close()
    await server.stop()
    await dataset.close()
  }
}

interface Visit {
  times: Figures
  sizes: Figures
  /** Time from the slowest event to the frame after it, by what was done. */
  inputs: Figures
  /** Time until other screens are shown, with the files of the UI in the browser's cache. */
  screens: Figures
}

/** Prints the median and the worst of each figure, without those of the first round. */
function printColumns(title: string, unit: string, [first = {}, ...rounds]: readonly Figures[]): void {
  const rows = Object.keys(first).map((name) => {
    const all = rounds.map((one) => one[name] ?? 0)
    return { what: name, [`median ${unit}`]: median(all), [`worst ${unit}`]: Math.max(...all) }
  })
  printTable(title, rows)
}

/** Measures a visit with an empty browser cache. */
async function measure(browser: Browser, origin: string): Promise<Visit> {
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, reducedMotion: 'reduce' })
  try {
    await context.request.post(`${origin}/-/sessions`, { data: { token: benchToken } })
    // The compiler adds calls of this helper to functions that run in the page.
    await context.addInitScript('globalThis.__name = (value) => value')
    const page = await context.newPage()
    const address = `${origin}${project}/-/vulnerabilities?state=any`
    const responses: Response[] = []
    page.on('response', (response) => responses.push(response))
    await page.goto(address, { waitUntil: 'commit' })
    const shown = await untilShown(page)
    await page.waitForLoadState('networkidle')
    const sizes = await sizesOf(responses.splice(0))
    const filtered = await press(page, '[aria-label="By severity"] button:first-child', 'Critical')
    const times: Figures = {
      'first visit: rows shown': shown,
      'rows shown, and a filter pressed at once answered': shown + filtered,
    }
    times['filter on another severity'] = await press(page, '[aria-label="By severity"] button:first-child', '')
    await page.getByRole('button', { name: /^Status/ }).click()
    await page.getByRole('menuitemcheckbox').last().waitFor()
    times['filter on a state'] = await press(page, '[role=menuitemcheckbox]', '')
    await page.keyboard.press('Escape')
    await page.goto(address, { waitUntil: 'commit' })
    times['second visit: rows shown'] = await untilShown(page)
    times['scroll to the middle'] = await scrollTo(page, 0.5)
    times['scroll to the end'] = await scrollTo(page, 1)
    await page.evaluate(() => window.scrollTo(0, 0))
    times['search for words'] = await search(page, 'handler42 rule')
    await page.goto(address)
    await untilShown(page)
    await page.waitForLoadState('networkidle')
    return { times, sizes, inputs: await measureInputs(page), screens: await measureScreens(context, origin) }
  } finally {
    await context.close()
  }
}

/** Sums the sizes of responses, as transferred and after decompression. */
async function sizesOf(responses: readonly Response[]): Promise<Figures> {
  const sizes: Figures = { 'JavaScript transferred': 0, 'API data transferred': 0, 'API data': 0, 'API requests': 0 }
  const add = (name: string, size: number) => {
    sizes[name] = (sizes[name] ?? 0) + size
  }
  for (const response of responses) {
    const { responseBodySize } = await response.request().sizes()
    const type = response.headers()['content-type'] ?? ''
    if (type.includes('javascript')) add('JavaScript transferred', responseBodySize / 1000)
    if (!type.includes('json')) continue
    add('API data transferred', responseBodySize / 1000)
    add('API data', (await response.body()).length / 1000)
    add('API requests', 1)
  }
  return sizes
}

/** Waits until the number of rows has changed and those in view are rendered; with a word, until they all contain it. */
function press(page: Page, selector: string, word: string): Promise<number> {
  return page.evaluate(
    async ([selector, word]) => {
      const startedAt = performance.now()
      const grid = () => document.querySelector('[role=grid]')
      const before = grid()?.getAttribute('aria-rowcount')
      document.querySelector<HTMLElement>(selector)?.click()
      const isDone = () => {
        const all = [...document.querySelectorAll('[role=grid] [role=row][aria-selected]')]
        const rows = all.filter((row) => row.getBoundingClientRect().top < innerHeight)
        const texts = rows.map((row) => row.textContent ?? '')
        const isOther = grid()?.getAttribute('aria-rowcount') !== before
        return isOther && rows.every((row) => row.querySelector('a')) && texts.every((text) => text.includes(word))
      }
      while (!isDone()) await new Promise((resolve) => requestAnimationFrame(resolve))
      return performance.now() - startedAt
    },
    [selector, word] as const,
  )
}

/** Waits until every visible row has been fetched. */
function scrollTo(page: Page, share: number): Promise<number> {
  return page.evaluate(async (share) => {
    const startedAt = performance.now()
    window.scrollTo(0, share * document.body.scrollHeight)
    const isThere = () => {
      const rows = [...document.querySelectorAll('[role=grid] [role=row][aria-rowindex]')].slice(1)
      const inView = rows.filter((row) => {
        const { top, bottom } = row.getBoundingClientRect()
        return bottom > 0 && top < innerHeight
      })
      return inView.length > 5 && inView.every((row) => row.querySelector('a'))
    }
    do await new Promise((resolve) => requestAnimationFrame(resolve))
    while (!isThere())
    return performance.now() - startedAt
  }, share)
}

/** Measures from the last letter typed; the search is debounced. */
async function search(page: Page, words: string): Promise<number> {
  const before = await page.getAttribute('[role=grid]', 'aria-rowcount')
  await page.fill('input[type=search]', words)
  return page.evaluate(async (before) => {
    const startedAt = performance.now()
    const isDone = () => document.querySelector('[role=grid]')?.getAttribute('aria-rowcount') !== before
    while (!isDone()) await new Promise((resolve) => requestAnimationFrame(resolve))
    return performance.now() - startedAt
  }, before)
}

async function printSizes(): Promise<void> {
  const page = await readFile(indexFile, 'utf8')
  const rows = await Promise.all(
    (await readdir(assets))
      .filter((name) => /\.(js|css)$/.test(name))
      .map(async (name) => ({
        file: name.replace(/-[\w-]{7}\./, '.'),
        'gzip kB': (await stat(join(assets, `${name}.gz`))).size / 1000,
        'first load': page.includes(name) ? 'yes' : '',
      })),
  )
  rows.sort((a, b) => b['gzip kB'] - a['gzip kB'])
  const small = rows.filter((row) => row['gzip kB'] < 1 && !row['first load'])
  const rest = { file: `${small.length} smaller ones`, 'gzip kB': small.reduce((sum, row) => sum + row['gzip kB'], 0) }
  printTable('Files of the UI', [...rows.filter((row) => !small.includes(row)), { ...rest, 'first load': '' }])
  const first = rows.filter((row) => row['first load'] && row.file.endsWith('.js'))
  const total = first.reduce((sum, row) => sum + row['gzip kB'], 0)
  console.log(`\nJavaScript of the first load: ${total.toFixed(1)} kB of ${firstLoadLimitKb} kB`)
  if (total > firstLoadLimitKb) throw new Error('the first load is too heavy')
}
