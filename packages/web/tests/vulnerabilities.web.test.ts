/// <reference lib="dom" />
import { statSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { Page, Request } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Client, formWithFile } from '../../server/src/testing/client.ts'
import { sastReport } from '../../server/src/testing/reports/reports.ts'
import type { TestProject } from '../../server/src/testing/server.ts'
import { active, chooseStatus, fill, grid, row, total } from './vulnerabilities.ts'
import { accessProblems, startWeb, visit, type Web } from './web.ts'

const many = 3_000
let web: Web
let shop: TestProject
let maintainer: Client
let developer: Client
/** Id of the vulnerability `Log4Shell`. */
let logged: number

beforeAll(async () => {
  web = await startWeb()
  shop = await web.server.project('acme/shop')
  maintainer = await web.server.as('maintainer', shop)
  developer = await web.server.as('developer', shop)
  const flaws = Array.from({ length: many }, (_, index) => ({
    title: `Flaw ${String(index).padStart(4, '0')}`,
    file: `src/module-${index % 7}.ts`,
  }))
  await fill(web, shop, [
    ...flaws,
    { title: 'Log4Shell', severity: 'critical', reportType: 'dependency_scanning', identifiers: ['CVE-2021-44228'] },
    { title: 'Token in the code', severity: 'high', reportType: 'secret_detection', scanner: 'gitleaks' },
    { title: 'Known for long', severity: 'high', state: 'confirmed' },
    { title: 'Not reachable', severity: 'medium', state: 'dismissed', dismissalReason: 'used_in_tests' },
    { title: 'Mended', severity: 'medium', state: 'resolved', isResolvedOnDefaultBranch: true },
  ])
  const report = formWithFile('file', 'report.json', JSON.stringify(sastReport([])))
  expect((await maintainer.post(`/projects/${shop.id}/security_reports`, report)).status).toBe(201)
  ;[{ id: logged }] = (await maintainer.get(`/projects/${shop.id}/vulnerabilities?severity=critical`)).body
})
afterAll(() => web?.close())

const list = '/acme/shop/-/vulnerabilities'
const built = fileURLToPath(new URL('../dist/', import.meta.url))
describe('the list of vulnerabilities', () => {
  test('loads at most 150 KB of compressed JavaScript and 80 KB of data at the first visit', async () => {
    const page = await web.open('/-/nothing', { as: maintainer, isChanged: true })
    await page.close()
    const visit = await page.context().newPage()
    const scripts = new Set<string>()
    const data: Request[] = []
    visit.on('request', (request) => {
      const { pathname } = new URL(request.url())
      if (pathname.endsWith('.js')) scripts.add(pathname.replace('/-/', ''))
      if (pathname.startsWith('/api/')) data.push(request)
    })
    await visit.goto(list)
    await grid(visit).getByRole('link', { name: 'Log4Shell' }).waitFor()
    await visit.waitForLoadState('networkidle')
    const sizes = [...scripts].map((name) => statSync(`${built}${name}.br`).size)
    expect(sizes.length).toBeGreaterThan(4)
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThan(150_000)
    expect(data.length).toBeLessThanOrEqual(14)
    let dataBytes = 0
    for (const request of data) {
      const { responseBodySize } = await request.sizes()
      dataBytes += responseBodySize
    }
    expect(dataBytes).toBeGreaterThan(1_000)
    expect(dataBytes).toBeLessThan(80_000)
  })

  test.each([
    ['a project', list, '/projects/acme%2Fshop/vulnerabilities?'],
    ['a severity', `${list}?severity=high&state=any&sort=detected_desc`, '/projects/acme%2Fshop/vulnerabilities?'],
    ['findings', `${list}?tab=awaiting`, '/projects/acme%2Fshop/vulnerability_findings?'],
    ['a group', '/groups/acme/-/vulnerabilities', '/groups/acme/vulnerabilities?'],
    ['the server', '/-/vulnerabilities', '/vulnerabilities?'],
    ['one vulnerability', () => `${list}/${logged}`, () => `/vulnerabilities/${logged}`],
    ['the home page', '/', '/security_dashboard'],
  ])('requests %s while the code is being fetched, and once', async (_name, address, data) => {
    const text = (value: string | (() => string)) => (typeof value === 'string' ? value : value())
    const page = await web.open('/-/nothing', { as: maintainer, isChanged: true })
    await page.close()
    const visit = await page.context().newPage()
    const requested: string[] = []
    const isRequested = new Promise<void>((resolve) => {
      visit.on('request', (request) => {
        const { pathname, search } = new URL(request.url())
        requested.push(pathname + search)
        if (`${pathname}${search}`.startsWith(`/api/v4${text(data)}`)) resolve()
      })
    })
    // The code of the UI arrives only after the request, so a request that waits for code or other data is never sent.
    await visit.route(/\/assets\/index-[^/]*\.js$/, async (route) => {
      await isRequested
      await route.continue()
    })
    await visit.goto(text(address))
    await visit.locator('main h1').first().waitFor({ state: 'attached' })
    await visit.waitForLoadState('networkidle')
    const early = requested.slice(0, requested.findIndex((url) => url.startsWith(`/api/v4${text(data)}`)) + 1)
    const sent = early.filter((url) => url.startsWith('/api/') || url.startsWith('/-/session'))
    expect(sent.filter((url) => requested.filter((other) => other === url).length > 1)).toEqual([])
  })

  test('renders only the rows that change when a key is pressed', async () => {
    // Counting calls keeps V8 from optimising code, so no other test uses the page.
    const page = await web.open(list, { as: maintainer, isChanged: true })
    await grid(page).focus()
    await page.keyboard.press('j')
    const countRows = await countCalls(page, '"data-active":')
    await page.keyboard.press('j')
    await expect.poll(() => active(page)).toBe('Token in the code')
    // The row that was active, and the one that is; of more than thirty.
    expect(await countRows()).toBeLessThan(8)
    await page.keyboard.press('x')
    await grid(page).locator('[aria-selected=true]').waitFor()
    // The toolbar grows by its actions, so a few rows more may come into view.
    expect(await countRows()).toBeLessThan(8)
  })

  test('shows open vulnerabilities by severity with their number, which equals the summary', async () => {
    const page = await web.open(list, { as: maintainer })
    await expect.poll(() => total(page).innerText()).toBe('3,003 vulnerabilities')
    expect(await grid(page).getAttribute('aria-rowcount')).toBe('3004')
    const titles = await grid(page).getByRole('link').allInnerTexts()
    expect(titles.slice(0, 4)).toEqual(['Log4Shell', 'Known for long', 'Token in the code', 'Flaw 2999'])
    expect(titles.length).toBeLessThan(60)
    const critical = page.getByRole('button', { name: /^1\s*Critical/ })
    expect(await critical.getAttribute('aria-pressed')).toBe('false')
    await critical.click()
    await expect.poll(() => total(page).innerText()).toBe('1 vulnerability')
    expect(page.url()).toContain('severity=critical')
    await page.goBack()
    await expect.poll(() => total(page).innerText()).toBe('3,003 vulnerabilities')
  })

  test('scrolls to its end, and loads rows as they become visible', async () => {
    const page = await web.open(list, { as: developer })
    await grid(page).focus()
    await page.keyboard.press('End')
    await row(page, 'Flaw 0000').waitFor()
    expect(await active(page)).toBe('Flaw 0000')
    await page.keyboard.press('Home')
    await row(page, 'Log4Shell').waitFor()
    await page.evaluate(() => scrollTo(0, document.body.scrollHeight / 2))
    await row(page, 'Flaw 1500').waitFor()
  })

  test('shows the active row when it is focused', async () => {
    const page = await web.open(list, { as: developer, width: 360, height: 500 })
    await grid(page).focus()
    await expect.poll(() => page.evaluate(() => scrollY)).toBeLessThan(1500)
    await row(page, 'Log4Shell').waitFor()
  })

  test('shows the number of more than 10,000 rows', async () => {
    const project = await web.server.project('acme/long')
    await fill(
      web,
      project,
      Array.from({ length: 10_100 }, (_, index) => ({ title: `Long ${index}` })),
    )
    const as = await web.server.as('maintainer', project)
    const page = await web.open('/acme/long/-/vulnerabilities?report_type=sast', { as })
    await expect.poll(() => total(page).innerText()).toBe('10,100 vulnerabilities')
    await grid(page).focus()
    await page.keyboard.press('End')
    await row(page, 'Long 0').first().waitFor()
    expect(await active(page)).toBe('Long 0')
    // The API does not count the matches of a text search.
    await page.getByRole('searchbox').fill('long')
    const reached = async () => Number(/^More than (\d+) vulnerabilities$/.exec(await total(page).innerText())?.[1])
    await expect.poll(reached).toBeGreaterThan(0)
    const before = await reached()
    await grid(page).focus()
    await page.keyboard.press('End')
    await expect.poll(reached).toBeGreaterThan(before)
    await page.keyboard.press('Control+a')
    await page.keyboard.press('c')
    await page.getByRole('dialog', { name: 'Confirm: all matching' }).waitFor()
  })

  test('reaches rows beyond 10,000 by keyboard and by scrolling', async () => {
    const project = await web.server.project('acme/longer')
    const count = 20_300
    await fill(
      web,
      project,
      Array.from({ length: count }, (_, index) => ({ title: `Row ${count - index}`, file: `${index}.ts` })),
    )
    const as = await web.server.as('maintainer', project)
    const path = '/acme/longer/-/vulnerabilities'
    const page = await web.open(path, { as })
    await expect.poll(() => total(page).innerText()).toBe('20,300 vulnerabilities')
    const requests: string[] = []
    page.on('request', (request) => requests.push(request.url()))
    await grid(page).focus()
    await page.keyboard.press('End')
    await expect.poll(() => active(page)).toBe('Row 20300')
    expect(requests.filter((url) => url.includes('/vulnerabilities?')).length).toBeLessThan(8)

    // Scrolls to the middle of the rows, and crosses rows 10,000 and 10,001 by keyboard.
    const rowHeight = 38
    const scrollToRow = (number: number) =>
      grid(page).evaluate(
        (grid, top) => {
          const body = grid.querySelector('[role=rowgroup]:last-child')
          scrollTo(0, (body?.getBoundingClientRect().top ?? 0) + scrollY + top)
        },
        (number - 10) * rowHeight,
      )
    await scrollToRow(9_998)
    await row(page, 'Row 9998').click({ position: { x: 4, y: 4 } })
    for (let number = 9_998; number <= 10_003; number++) {
      await expect.poll(() => active(page)).toBe(`Row ${number}`)
      await page.keyboard.press('j')
    }
    await scrollToRow(20_001)
    for (const number of [19_999, 20_000, 20_001, 20_002]) await row(page, `Row ${number}`).waitFor()

    // The page of a far row opens like any other, and its place is restored, also when it opens at once after scrolling.
    const top = await row(page, 'Row 20002').evaluate((row: HTMLElement) => {
      scrollBy(0, 190)
      row.dispatchEvent(new MouseEvent('dblclick', { bubbles: true }))
      return scrollY
    })
    await page.getByRole('heading', { level: 1, name: 'Row 20002' }).waitFor()
    await page.goBack()
    await row(page, 'Row 20002').waitFor()
    await expect.poll(() => page.evaluate(() => scrollY)).toBe(top)
    await page.keyboard.press('Home')
    await row(page, 'Row 1').first().waitFor()
  })

  test('is filtered by the URL, with chips that can be removed', async () => {
    const page = await web.open(`${list}?report_type=secret_detection,dependency_scanning&search=token`, {
      as: developer,
    })
    await expect.poll(() => grid(page).getByRole('link').allInnerTexts()).toEqual(['Token in the code'])
    const chips = page.getByRole('list', { name: 'Active filters' })
    await expect
      .poll(() => chips.getByRole('button').allInnerTexts())
      .toEqual([...['Report type: Secret detection', 'Report type: Dependency scanning', 'Search: token', 'Clear']])
    await chips.getByRole('button', { name: 'Search: token' }).click()
    await row(page, 'Log4Shell').waitFor()
    await chips.getByRole('button', { name: 'Clear' }).click()
    await expect.poll(() => total(page).innerText()).toBe('3,003 vulnerabilities')
    expect(new URL(page.url()).search).toBe('')
  })

  test('can be filtered by type, scanner, reason, identifier, branch and presence', async () => {
    const page = await web.open(list, { as: developer })
    await page.getByRole('button', { name: 'Scanner' }).click()
    await page.getByRole('menuitemcheckbox', { name: /gitleaks/ }).click()
    await page.keyboard.press('Escape')
    await expect.poll(() => grid(page).getByRole('link').allInnerTexts()).toEqual(['Token in the code'])
    await page.getByRole('button', { name: 'Clear' }).click()
    await page.getByRole('button', { name: 'More filters' }).click()
    await page.getByLabel('Reason').selectOption('Used in tests')
    await page.getByRole('button', { name: 'Apply' }).click()
    await expect.poll(() => grid(page).getByRole('link').allInnerTexts()).toEqual(['Not reachable'])
    await page.getByRole('button', { name: 'Clear' }).click()

    await page.getByRole('button', { name: 'More filters' }).click()
    await page.getByLabel('Identifier').fill('cve-2021-44228')
    // The field has scrolled the page: parts of links below the sticky header would be too small.
    await page.evaluate(() => scrollTo(0, 0))
    await page.getByRole('button', { name: 'Apply' }).click()
    await expect.poll(() => grid(page).getByRole('link').allInnerTexts()).toEqual(['Log4Shell'])
    await page.getByRole('button', { name: 'Clear' }).click()
    await chooseStatus(page, 'Resolved')
    await page.getByRole('button', { name: 'More filters' }).click()
    await page.getByLabel('Activity').selectOption('No longer detected')
    await page.getByRole('button', { name: 'Apply' }).click()
    await expect.poll(() => grid(page).getByRole('link').allInnerTexts()).toEqual(['Mended'])
    await page.reload()
    await row(page, 'Mended').waitFor()
    await page.getByRole('button', { name: 'More filters' }).click()
    await page.getByLabel('Activity').selectOption('Any')
    await page.getByLabel('Detected on the default branch').selectOption('Never')
    await page.getByRole('button', { name: 'Apply' }).click()
    await page.getByText('No results').waitFor()
    await page.getByRole('button', { name: 'Only on other branches' }).click()
    await row(page, 'Mended').waitFor()
    await page.getByRole('searchbox').fill('no such thing')
    await page.getByText('No results').waitFor()
  })

  test('opens a vulnerability, and returns to the same row', async () => {
    const page = await web.open(list, { as: developer })
    await grid(page).focus()
    for (let press = 0; press < 8; press++) await page.keyboard.press('PageDown')
    const title = await active(page)
    await page.keyboard.press('Shift+Enter')
    await page.getByRole('heading', { level: 1, name: title }).waitFor()
    await page.goBack()
    await row(page, title).waitFor()
    await expect.poll(() => active(page)).toBe(title)
  })
})

describe('a user without permission', () => {
  test('sees "access denied" instead of vulnerabilities', async () => {
    const reporter = await web.server.as('reporter', shop)
    const page = await web.open(list, { as: reporter, expects: /403/ })
    await page.getByText('Access denied').waitFor()
    const tabs = page.getByRole('navigation', { name: /sections/ })
    await tabs.getByRole('link', { name: 'Members' }).waitFor()
    await expect.poll(() => tabs.getByRole('link', { name: 'Vulnerabilities' }).count()).toBe(0)

    await visit(page, '/groups/acme/-/vulnerabilities')
    await page.getByText('You need at least the Developer role').waitFor()
    expect(await page.getByText('No projects').count()).toBe(0)
  })
})

describe('a group', () => {
  test('lists the vulnerabilities of its projects, and triage applies to each project', async () => {
    const [east, west] = [await web.server.project('wide/east'), await web.server.project('wide/west')]
    await fill(web, east, [{ title: 'In the east', severity: 'high' }])
    await fill(web, west, [{ title: 'In the west' }])
    const page = await web.open('/groups/wide/-/vulnerabilities', { as: web.server.admin })
    await expect.poll(() => grid(page).getByRole('link').allInnerTexts()).toEqual(['In the east', 'In the west'])
    await grid(page).focus()
    await page.keyboard.press('x')
    await page.keyboard.press('Shift+j')
    await page.keyboard.press('r')
    await page.getByRole('dialog').getByRole('button', { name: 'Resolve' }).click()
    await page.getByText('No open vulnerabilities').waitFor()
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    await page.keyboard.press('z')
    await row(page, 'In the west').waitFor()
  })

  test('is narrowed to projects, in its numbers, rows, grouped list, bulk changes, exports and views', async () => {
    const group = `narrow-${Date.now()}`
    const [east, west] = [await web.server.project(`${group}/east`), await web.server.project(`${group}/west`)]
    await web.server.vulnerability(east, { name: 'In the east', severity: 'High' })
    await web.server.vulnerability(west, { name: 'In the west', severity: 'Low' })
    const page = await web.open(`/groups/${group}/-/vulnerabilities`, { as: web.server.admin, width: 1440 })
    await row(page, 'In the west').getByRole('gridcell', { name: 'west', exact: true }).waitFor()
    await page.getByRole('columnheader', { name: 'Project' }).waitFor()

    await page.getByRole('button', { name: 'Project', exact: true }).click()
    const popover = page.getByRole('dialog', { name: 'Projects' })
    await popover.getByLabel(`${group}/west`).waitFor()
    await popover.getByLabel('Search projects').fill('east')
    await popover.getByLabel(`${group}/west`).waitFor({ state: 'detached' })
    expect(await accessProblems(page)).toEqual([])
    await popover.getByLabel(`${group}/east`).check()
    await page.keyboard.press('Escape')
    await row(page, 'In the west').waitFor({ state: 'detached' })
    await expect.poll(() => total(page).innerText()).toBe('1 vulnerability')
    const numbers = page.getByRole('group', { name: 'By severity' })
    await numbers.getByRole('button', { name: '1 High' }).waitFor()
    await numbers.getByRole('button', { name: '0 Low' }).waitFor()
    expect(new URL(page.url()).searchParams.get('project_id')).toBe(`${east.id}`)
    const chip = page.getByRole('button', { name: `Remove filter Project: ${group}/east` })
    await chip.waitFor()

    await page.getByLabel('Group by').selectOption('Grouped')
    const flaws = page.getByRole('region', { name: 'Vulnerabilities', exact: true }).getByRole('row')
    await flaws.filter({ hasText: 'In the east' }).waitFor()
    expect(await flaws.count()).toBe(2)
    await page.getByLabel('Group by').selectOption('Not grouped')

    await page.getByLabel('Select all matching').check()
    await grid(page).focus()
    await page.keyboard.press('c')
    await page.getByRole('dialog').getByText('Changes 1 vulnerability in 1 project.').waitFor()
    await page.getByRole('dialog').getByRole('button', { name: 'Confirm' }).click()
    await row(page, 'In the east').getByText('Confirmed').waitFor()
    const stateIn = async ({ id }: typeof east) =>
      (await web.server.admin.get(`/projects/${id}/vulnerabilities`)).body.map(({ state }: { state: string }) => state)
    expect([await stateIn(east), await stateIn(west)]).toEqual([['confirmed'], ['detected']])

    await page.getByRole('button', { name: 'Export' }).click()
    const sent = page.waitForRequest((request) => /vulnerability_exports$/.test(request.url()))
    await page.getByRole('dialog').getByRole('button', { name: 'Export' }).click()
    expect((await sent).postDataJSON()).toMatchObject({ filters: { project_id: [east.id] } })
    await page.keyboard.press('Escape')
    await page.getByRole('dialog').waitFor({ state: 'detached' })

    await page.getByRole('button', { name: 'Save view' }).click()
    await page.getByRole('textbox', { name: 'Name' }).fill('East')
    await page.getByRole('dialog').getByRole('button', { name: 'Save view' }).click()
    await page.getByText('View saved.').waitFor()
    const { body: owner } = await web.server.admin.get(`/groups/${group}`)
    const views = await web.server.admin.get(`/groups/${owner.id}/vulnerability_views`)
    expect(views.body).toMatchObject([{ filter: { project_id: `${east.id}` } }])

    await chip.click()
    await row(page, 'In the west').waitFor()
    // An administrator filters projects in which they have no role.
    const outsider = await web.server.user(`outsider-${east.id}`, { admin: true })
    const theirs = await web.open(`/groups/${group}/-/vulnerabilities`, { as: outsider })
    await theirs.getByRole('button', { name: 'Project', exact: true }).click()
    await theirs.getByRole('dialog', { name: 'Projects' }).getByLabel(`${group}/east`).check()
    await row(theirs, 'In the west').waitFor({ state: 'detached' })
    // Projects of the overview open the list that they narrow.
    await visit(page, `/groups/${group}`)
    const byRisk = page.getByRole('region', { name: 'Open vulnerabilities by project' })
    await byRisk.getByRole('link', { name: '1 high in east' }).click()
    await row(page, 'In the east').waitFor()
    expect(await grid(page).getByRole('link').count()).toBe(1)
  })
})

/** Counts the calls of the functions of the UI that contain a text. Returns the number since it was last called. */
async function countCalls(page: Page, text: string): Promise<() => Promise<number>> {
  const session = await page.context().newCDPSession(page)
  await session.send('Debugger.enable')
  await session.send('Profiler.enable')
  await session.send('Profiler.startPreciseCoverage', { callCount: true, detailed: false })
  await session.send('Profiler.takePreciseCoverage')
  const sources = new Map<string, string>()
  return async () => {
    const { result } = await session.send('Profiler.takePreciseCoverage')
    let calls = 0
    for (const { scriptId, url, functions } of result) {
      if (!url.includes('/-/assets/')) continue
      const source =
        sources.get(scriptId) ?? (await session.send('Debugger.getScriptSource', { scriptId })).scriptSource
      sources.set(scriptId, source)
      const found = functions.flatMap(({ functionName, ranges: [range] }) =>
        functionName !== '' && range && source.slice(range.startOffset, range.endOffset).includes(text) ? [range] : [],
      )
      // Only the innermost function.
      const inner = found.filter((one) => !found.some((other) => other !== one && isWithin(other, one)))
      calls += inner.reduce((sum, { count }) => sum + count, 0)
    }
    return calls
  }
}

interface Range {
  startOffset: number
  endOffset: number
}

const isWithin = (inner: Range, outer: Range) =>
  inner.startOffset >= outer.startOffset && inner.endOffset <= outer.endOffset
