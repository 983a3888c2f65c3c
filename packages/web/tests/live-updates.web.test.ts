/// <reference lib="dom" />
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type Client, formWithFile } from '../../server/src/testing/client.ts'
import type { TestProject } from '../../server/src/testing/server.ts'
import { active, fill, grid, row, total } from './vulnerabilities.ts'
import { quiet, startWeb, type Web } from './web.ts'

const halfMinute = 31_000
let web: Web
let shop: TestProject
const shops: TestProject[] = []
let maintainer: Client
let colleague: Client
let tests = 0

beforeAll(async () => {
  web = await startWeb()
  // Runs before the first import, which takes the next ids.
  for (let number = 1; number <= 8; number++) {
    const project = await web.server.project(`acme/shop-${number}`)
    shops.push(project)
    const titles = Array.from({ length: 60 }, (_, index) => `Flaw ${String(index).padStart(2, '0')}`)
    await fill(
      web,
      project,
      titles.map((title) => ({ title })),
    )
  }
})
afterAll(() => web?.close())
beforeEach(async () => {
  tests += 1
  shop = shops[tests - 1] as TestProject
  maintainer = await web.server.as('maintainer', shop)
  colleague = await web.server.as('maintainer', shop)
})

async function open(path: string): Promise<Page> {
  const page = await web.open('/', { as: maintainer, isChanged: true })
  await page.clock.install()
  await page.goto(`/acme/shop-${tests}/-/${path}`)
  await page.locator('h1').first().waitFor({ state: 'attached' })
  return page
}

async function vulnerability(title: string): Promise<{ id: number }> {
  const { body } = await colleague.get(`/projects/${shop.id}/vulnerabilities?per_page=100`)
  return body.find((row: { title: string }) => row.title === title)
}

const resolve = async (title: string) =>
  expect((await colleague.post(`/vulnerabilities/${(await vulnerability(title)).id}/resolve`)).status).toBe(201)

/** Imports a report with high findings and promotes them to vulnerabilities. */
async function report(titles: readonly string[]): Promise<void> {
  const results = titles.map((title, index) => ({
    ruleId: title,
    level: 'error',
    message: { text: title },
    locations: [{ physicalLocation: { artifactLocation: { uri: `src/new-${index}.ts` }, region: { startLine: 1 } } }],
  }))
  const sarif = { version: '2.1.0', runs: [{ tool: { driver: { name: 'newcomer' } }, results }] }
  const form = formWithFile('file', 'report.sarif', JSON.stringify(sarif), { promote: 'true' })
  expect((await colleague.post(`/projects/${shop.id}/security_reports`, form)).status).toBeLessThan(300)
}

/** Collects the status codes of responses about vulnerabilities. */
function answersOf(page: Page): number[] {
  const statuses: number[] = []
  page.on('response', (response) => {
    if (new URL(response.url()).pathname.includes('/vulnerabilities')) statuses.push(response.status())
  })
  return statuses
}

const changeNote = async (status: string) =>
  `${(await colleague.get('/user')).body.name} changed the status of this vulnerability to “${status}” while it was open.`

const placeOf = (page: Page, title: string) =>
  row(page, title).evaluate((element) => Math.round(element.getBoundingClientRect().top))

describe('an open list', () => {
  test('shows changes by other users and keeps the active row in place', async () => {
    const page = await open('vulnerabilities?state=any')
    await row(page, 'Flaw 59').waitFor()
    await grid(page).focus()
    for (let step = 0; step < 25; step++) await page.keyboard.press('j')
    await expect.poll(() => active(page)).toBe('Flaw 34')
    await expect.poll(() => page.evaluate(() => scrollY)).toBeGreaterThan(0)
    await quiet(page)
    const place = await placeOf(page, 'Flaw 34')
    const scrolled = await page.evaluate(() => scrollY)

    await resolve('Flaw 33')
    await page.clock.fastForward(halfMinute)
    await row(page, 'Flaw 33').filter({ hasText: 'Resolved' }).waitFor()
    expect(await active(page)).toBe('Flaw 34')
    expect(await page.evaluate(() => scrollY)).toBe(scrolled)

    await report(['New one', 'New two'])
    await expect
      .poll(async () => (await colleague.get(`/projects/${shop.id}/vulnerabilities?per_page=100`)).body.length)
      .toBe(62)
    await page.clock.fastForward(halfMinute)
    const show = page.getByRole('button', { name: '2 new · Show' })
    await show.waitFor()
    expect(await total(page).innerText()).toBe('60 vulnerabilities')
    expect(await placeOf(page, 'Flaw 34')).toBe(place)
    expect(await page.evaluate(() => scrollY)).toBe(scrolled)

    await show.click()
    await expect.poll(() => total(page).innerText()).toBe('62 vulnerabilities')
    await show.waitFor({ state: 'detached' })
    expect(await active(page)).toBe('Flaw 34')
    // The page scrolls by the height of the new rows once they are drawn.
    await expect.poll(() => page.evaluate(() => scrollY)).toBeGreaterThan(scrolled)
    await expect.poll(() => placeOf(page, 'Flaw 34')).toBe(place)
  })

  test('keeps a row that has left its filter in place and updates it', async () => {
    const page = await open('vulnerabilities')
    await row(page, 'Flaw 59').waitFor()
    await quiet(page)
    const place = await placeOf(page, 'Flaw 57')
    await resolve('Flaw 58')
    await page.clock.fastForward(halfMinute)
    await row(page, 'Flaw 58').filter({ hasText: 'Resolved' }).waitFor()
    expect(await placeOf(page, 'Flaw 57')).toBe(place)
    await page.getByRole('button', { name: '1 no longer in this list · Refresh' }).click()
    await row(page, 'Flaw 58').waitFor({ state: 'detached' })
    await expect.poll(() => total(page).innerText()).toBe('59 vulnerabilities')
  })

  test('polls with 304 responses while nothing changes', async () => {
    const page = await open('vulnerabilities')
    await row(page, 'Flaw 59').waitFor()
    await quiet(page)
    const statuses = answersOf(page)
    await page.clock.fastForward(halfMinute)
    await expect.poll(() => statuses).toContain(304)
    await quiet(page)
    expect(statuses.filter((status) => status !== 304)).toEqual([])
    expect(await total(page).innerText()).toBe('60 vulnerabilities')
  })

  test('does not poll while it is hidden, a dialog is open, or text is selected', async () => {
    const page = await open('vulnerabilities')
    await row(page, 'Flaw 59').waitFor()
    await quiet(page)
    const statuses = answersOf(page)
    const wait = async () => {
      await page.clock.fastForward(halfMinute)
      await quiet(page)
    }
    await page.evaluate(() => Object.defineProperty(document, 'visibilityState', { value: 'hidden', writable: true }))
    await wait()
    expect(statuses).toEqual([])
    await page.evaluate(() => Object.assign(document, { visibilityState: 'visible' }))

    await page.keyboard.press('?')
    await page.getByRole('dialog').waitFor()
    await wait()
    expect(statuses).toEqual([])
    await page.keyboard.press('Escape')
    await page.getByRole('dialog').waitFor({ state: 'detached' })

    await page.evaluate(() => getSelection()?.selectAllChildren(document.querySelector('h1') as HTMLElement))
    await wait()
    expect(statuses).toEqual([])
    await page.evaluate(() => getSelection()?.removeAllRanges())

    await page.clock.fastForward(halfMinute)
    await expect.poll(() => statuses.length).toBeGreaterThan(0)
  })
})

test('an open vulnerability shows a change by another user and keeps an unfinished note', async () => {
  const { id } = await vulnerability('Flaw 40')
  const page = await open(`vulnerabilities/${id}`)
  await page.getByRole('button', { name: 'Resolve' }).waitFor()
  await quiet(page)
  await resolve('Flaw 40')
  const note = page.getByRole('textbox').first()
  await note.fill('Half a note')
  const statuses = answersOf(page)
  await page.clock.fastForward(halfMinute)
  await quiet(page)
  expect(statuses).toEqual([])
  await note.blur()
  await page.clock.fastForward(halfMinute)
  await page.getByText('Resolved', { exact: true }).first().waitFor()
  expect(await note.inputValue()).toBe('Half a note')
  await page.getByText(await changeNote('Resolved')).waitFor()
})

test('the side panel says who reopened the vulnerability while it was open', async () => {
  const { id } = await vulnerability('Flaw 41')
  await resolve('Flaw 41')
  const page = await open(`vulnerabilities?state=any&open=${id}`)
  await page
    .getByRole('region', { name: 'Selected vulnerability' })
    .getByText('Resolved', { exact: true })
    .first()
    .waitFor()
  await quiet(page)
  expect((await colleague.post(`/vulnerabilities/${id}/revert`)).status).toBe(201)
  await page.clock.fastForward(halfMinute)
  await page.getByText(await changeNote('Needs triage')).waitFor()
})

test('an open list of findings is polled', async () => {
  const page = await open('findings')
  await page.getByText('Nothing to triage').waitFor()
  const again = page.waitForRequest(/vulnerability_findings.*per_page=20/)
  await page.clock.fastForward(halfMinute)
  await again
})

test('an open list of reports shows a new one', async () => {
  const page = await open('reports')
  await page.getByText('No reports yet').waitFor()
  await report([])
  await page.clock.fastForward(halfMinute)
  await page.getByRole('link', { name: 'newcomer' }).waitFor()

  const first = page.getByRole('row').filter({ hasText: 'newcomer' })
  await quiet(page)
  const before = await first.boundingBox()
  await report(['Another'])
  await page.clock.fastForward(halfMinute)
  const show = page.getByRole('button', { name: '1 new · Show' })
  await show.waitFor()
  expect(await first.count()).toBe(1)
  expect(await first.boundingBox()).toEqual(before)
  await show.click()
  await expect.poll(() => first.count()).toBe(2)
})
