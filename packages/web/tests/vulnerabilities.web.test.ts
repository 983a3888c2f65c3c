/// <reference lib="dom" />
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Client } from '../../server/src/testing/client.ts'
import { hang } from '../../server/src/testing/faulty-store.ts'
import type { TestProject } from '../../server/src/testing/server.ts'
import { insertMadeUp, type MadeUp, usual } from '../../server/src/testing/vulnerabilities.ts'
import { accessProblems, startWeb, type Web } from './web.ts'

const many = 3_000
const low = { ...usual, severity: 'low' } as const

let web: Web
let shop: TestProject
let maintainer: Client
let developer: Client
let lastId = 0

async function fill(project: TestProject, made: readonly (Partial<MadeUp> & { title: string })[]): Promise<void> {
  const rows = made.map((fields) => {
    lastId += 1
    return { ...low, ...fields, id: lastId, projectId: project.id }
  })
  await insertMadeUp(web.server.deps.db, rows, web.server.deps.now())
}

beforeAll(async () => {
  web = await startWeb()
  shop = await web.server.project('acme/shop')
  maintainer = await web.server.as('maintainer', shop)
  developer = await web.server.as('developer', shop)
  const flaws = Array.from({ length: many }, (_, index) => ({
    title: `Flaw ${String(index).padStart(4, '0')}`,
    file: `src/module-${index % 7}.ts`,
  }))
  await fill(shop, [
    ...flaws,
    { title: 'Log4Shell', severity: 'critical', reportType: 'dependency_scanning', identifiers: ['CVE-2021-44228'] },
    { title: 'Token in the code', severity: 'high', reportType: 'secret_detection', scanner: 'gitleaks' },
    { title: 'Known for long', severity: 'high', state: 'confirmed' },
    { title: 'Not reachable', severity: 'medium', state: 'dismissed', dismissalReason: 'used_in_tests' },
    { title: 'Mended', severity: 'medium', state: 'resolved', isResolvedOnDefaultBranch: true },
  ])
})
afterAll(() => web?.close())

const list = '/acme/shop/-/vulnerabilities'
const grid = (page: Page) => page.getByRole('grid', { name: 'Vulnerabilities' })
const row = (page: Page, title: string) => grid(page).getByRole('row').filter({ hasText: title })
const active = (page: Page) => page.locator('[data-active] a').innerText()
const total = (page: Page) =>
  page
    .getByRole('status')
    .filter({ hasText: /vulnerabilit|selected/ })
    .first()

describe('the list', () => {
  test('shows what is open, worst first, how many there are, and the same numbers at a glance', async () => {
    const page = await web.open(list, { as: maintainer })
    await expect.poll(() => total(page).innerText()).toBe('3,003 vulnerabilities')
    expect(await grid(page).getAttribute('aria-rowcount')).toBe('3004')
    const titles = await grid(page).getByRole('link').allInnerTexts()
    expect(titles.slice(0, 4)).toEqual(['Log4Shell', 'Known for long', 'Token in the code', 'Flaw 2999'])
    expect(titles.length).toBeLessThan(60)
    const critical = page.getByRole('button', { name: /^1\s*Critical/ })
    expect(await critical.getAttribute('aria-pressed')).toBe('false')
    expect(await accessProblems(page)).toEqual([])
    await critical.click()
    await expect.poll(() => total(page).innerText()).toBe('1 vulnerability')
    expect(page.url()).toContain('severity=critical')
    await page.goBack()
    await expect.poll(() => total(page).innerText()).toBe('3,003 vulnerabilities')
  })

  test('scrolls to its end, and what comes into view is fetched', async () => {
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

  test('with the focus shows the active row, not the middle of all of them', async () => {
    const page = await web.open(list, { as: developer, width: 360, height: 500 })
    await grid(page).focus()
    await expect.poll(() => page.evaluate(() => scrollY)).toBeLessThan(1500)
    await row(page, 'Log4Shell').waitFor()
  })

  test('too long for the API to count is counted all the same', async () => {
    const project = await web.server.project('acme/long')
    await fill(
      project,
      Array.from({ length: 10_100 }, (_, index) => ({ title: `Long ${index}` })),
    )
    const as = await web.server.as('maintainer', project)
    const page = await web.open('/acme/long/-/vulnerabilities?report_type=sast', { as })
    await expect.poll(() => total(page).innerText()).toBe('10,100 vulnerabilities')
    await grid(page).focus()
    await page.keyboard.press('End')
    await row(page, 'Long 0').first().waitFor()
    // Only looking at each would tell how many have these words.
    await page.getByRole('searchbox').fill('long')
    const reached = async () => Number(/^More than (\d+) vulnerabilities$/.exec(await total(page).innerText())?.[1])
    await expect.poll(reached).toBeGreaterThan(0)
    const before = await reached()
    await grid(page).focus()
    await page.keyboard.press('End')
    await expect.poll(reached).toBeGreaterThan(before)
    await page.keyboard.press('Control+a')
    await page.keyboard.press('c')
    await page.getByRole('dialog', { name: 'Confirm: everything that matches' }).waitFor()
  })

  test('is filtered by what stands in the address, shown as chips that can be removed', async () => {
    const page = await web.open(`${list}?report_type=secret_detection,dependency_scanning&search=token`, {
      as: developer,
    })
    await expect.poll(() => grid(page).getByRole('link').allInnerTexts()).toEqual(['Token in the code'])
    const chips = page.getByRole('list', { name: 'Active filters' })
    await expect
      .poll(() => chips.getByRole('button').allInnerTexts())
      .toEqual([...['Type: Secret detection', 'Type: Dependency scanning', 'Text: token', 'Clear']])
    await chips.getByRole('button', { name: 'Text: token' }).click()
    await row(page, 'Log4Shell').waitFor()
    await chips.getByRole('button', { name: 'Clear' }).click()
    await expect.poll(() => total(page).innerText()).toBe('3,003 vulnerabilities')
    expect(new URL(page.url()).search).toBe('')
  })

  test('is filtered by type, scanner, reason, identifier, branch, and what is still found', async () => {
    const page = await web.open(list, { as: developer })
    await page.getByRole('button', { name: 'Scanner' }).click()
    await page.getByRole('menuitemcheckbox', { name: /gitleaks/ }).click()
    await page.keyboard.press('Escape')
    await expect.poll(() => grid(page).getByRole('link').allInnerTexts()).toEqual(['Token in the code'])
    await page.getByRole('button', { name: 'Clear' }).click()
    await page.getByRole('button', { name: 'Dismissed as' }).click()
    expect(await accessProblems(page)).toEqual([])
    await page.getByRole('menuitemcheckbox', { name: 'Used in tests' }).click()
    await page.keyboard.press('Escape')
    await expect.poll(() => grid(page).getByRole('link').allInnerTexts()).toEqual(['Not reachable'])
    await page.getByRole('button', { name: 'Clear' }).click()

    await page.getByRole('button', { name: 'More filters' }).click()
    await page.getByLabel('Identifier').fill('cve-2021-44228')
    expect(await accessProblems(page)).toEqual([])
    await page.getByRole('button', { name: 'Apply' }).click()
    await expect.poll(() => grid(page).getByRole('link').allInnerTexts()).toEqual(['Log4Shell'])
    await page.getByRole('button', { name: 'Clear' }).click()
    await page.getByRole('button', { name: /\d\s*Resolved/ }).click()
    await page.getByRole('button', { name: 'More filters' }).click()
    await page.getByLabel('On the default branch').selectOption('No longer found')
    await page.getByRole('button', { name: 'Apply' }).click()
    await expect.poll(() => grid(page).getByRole('link').allInnerTexts()).toEqual(['Mended'])
    await page.reload()
    await row(page, 'Mended').waitFor()
    await page.getByRole('button', { name: 'More filters' }).click()
    await page.getByLabel('On the default branch').selectOption('Does not matter')
    await page.getByLabel('Known to the default branch').selectOption('Never')
    await page.getByRole('button', { name: 'Apply' }).click()
    await page.getByText('Nothing matches').waitFor()
    await page.getByRole('button', { name: 'Only on other branches' }).click()
    await row(page, 'Mended').waitFor()
    await page.getByRole('searchbox').fill('no such thing')
    await page.getByText('Nothing matches').waitFor()
    expect(await accessProblems(page)).toEqual([])
  })

  test('leads to a vulnerability, and back to the same row', async () => {
    const page = await web.open(list, { as: developer })
    await grid(page).focus()
    for (let press = 0; press < 8; press++) await page.keyboard.press('PageDown')
    const title = await active(page)
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { level: 1, name: title }).waitFor()
    await page.goBack()
    await row(page, title).waitFor()
    await expect.poll(() => active(page)).toBe(title)
  })
})

describe('triage', () => {
  let number = 0
  /** A project of three flaws, the worst first, and a page that shows it. */
  async function open(options: { width?: number; theme?: 'dark'; expects?: RegExp } = {}) {
    const project = await web.server.project(`acme/triage-${++number}`)
    await fill(project, [
      { title: 'Three', severity: 'low' },
      { title: 'Two', severity: 'medium' },
      { title: 'One', severity: 'high' },
    ])
    const as = await web.server.as('maintainer', project)
    const page = await web.open(`/acme/triage-${number}/-/vulnerabilities?state=any`, { ...options, as })
    const states = async () => {
      const { body } = await web.server.admin.get(`/projects/${project.id}/vulnerabilities`)
      return Object.fromEntries(body.map(({ title, state }: Record<string, string>) => [title, state]))
    }
    return { page, states, project }
  }

  test('goes by keys: next, confirm, resolve, back to detected, and undo', async () => {
    const { page, states } = await open()
    await page.keyboard.press('j')
    expect(await active(page)).toBe('Two')
    await page.keyboard.press('c')
    await expect.poll(() => row(page, 'Two').innerText()).toContain('Confirmed')
    await page.keyboard.press('j')
    await page.keyboard.press('r')
    await expect.poll(states).toEqual({ One: 'detected', Two: 'confirmed', Three: 'resolved' })
    await page.getByRole('button', { name: /^1\s*Confirmed/ }).waitFor()
    await page.keyboard.press('k')
    await page.keyboard.press('v')
    await expect.poll(states).toEqual({ One: 'detected', Two: 'detected', Three: 'resolved' })
    await page.getByText('Detected again: Two').waitFor()
    await page.keyboard.press('z')
    await page.getByText('Undone: 1 vulnerability.').waitFor()
    await page.keyboard.press('Control+z')
    await expect.poll(states).toEqual({ One: 'detected', Two: 'confirmed', Three: 'detected' })
    await page.keyboard.press('z')
    await expect.poll(states).toEqual({ One: 'detected', Two: 'detected', Three: 'detected' })
  })

  test('dismisses with a reason and a comment, and takes it back from the message', async () => {
    const { page, states, project } = await open()
    await grid(page).focus()
    await page.keyboard.press('d')
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Reason').selectOption('False positive')
    await dialog.getByLabel('Comment').fill('jjj is no key in here')
    expect(await accessProblems(page)).toEqual([])
    await dialog.getByRole('button', { name: 'Dismiss' }).click()
    await expect.poll(states).toMatchObject({ One: 'dismissed' })
    const { body } = await web.server.admin.get(`/projects/${project.id}/vulnerabilities?state=dismissed`)
    expect(body[0].dismissal_reason).toBe('false_positive')
    await page.getByRole('region', { name: 'Messages' }).getByRole('button', { name: 'Undo' }).click()
    await expect.poll(states).toMatchObject({ One: 'detected' })
  })

  test('selects with x and shift, and does one thing to all of it once it was confirmed', async () => {
    const { page, states } = await open()
    await grid(page).focus()
    await page.keyboard.press('x')
    await expect.poll(() => total(page).innerText()).toBe('1 selected')
    await page.keyboard.press('Shift+ArrowDown')
    await page.keyboard.press('Shift+ArrowDown')
    await expect.poll(() => total(page).innerText()).toBe('3 selected')
    expect(await accessProblems(page)).toEqual([])
    await page.getByRole('button', { name: 'Resolve', exact: true }).click()
    const dialog = page.getByRole('dialog', { name: 'Resolve: 3 vulnerabilities' })
    await dialog.getByRole('button', { name: 'Resolve' }).click()
    await expect.poll(states).toEqual({ One: 'resolved', Two: 'resolved', Three: 'resolved' })
    await expect.poll(() => total(page).innerText()).toBe('3 vulnerabilities')
    await page.getByText('Resolved: 3 vulnerabilities.').waitFor()
    await grid(page).focus()
    await page.keyboard.press('z')
    await expect.poll(states).toEqual({ One: 'detected', Two: 'detected', Three: 'detected' })
  })

  test('follows a row that stays when another one leaves the filter', async () => {
    const { page } = await open()
    await page.getByRole('button', { name: 'Remove the filter In any state' }).click()
    await grid(page).focus()
    // The answer to the first key comes after the second one, as fast as the server may be.
    const change = hang()
    await page.route('**/api/v4/**', async (route) => {
      if (route.request().method() !== 'GET') await change.act()
      await route.continue()
    })
    await page.keyboard.press('r')
    await page.keyboard.press('j')
    change.release()
    await row(page, 'One').waitFor({ state: 'detached' })
    expect(await active(page)).toBe('Two')
    await page.keyboard.press('r')
    await row(page, 'Two').waitFor({ state: 'detached' })
    await expect.poll(() => active(page)).toBe('Three')
  })

  test('takes in everything that matches, says how many, and is undone as a whole', async () => {
    const page = await web.open(`${list}?severity=low`, { as: maintainer })
    await page.getByLabel('Select everything that matches').check()
    await page.getByText('All that match: 3,000 vulnerabilities').waitFor()
    await grid(page).focus()
    await page.keyboard.press('c')
    const dialog = page.getByRole('dialog', { name: 'Confirm: 3,000 vulnerabilities' })
    expect(await accessProblems(page)).toEqual([])
    await dialog.getByRole('button', { name: 'Confirm' }).click()
    await page.getByRole('button', { name: /^3,000\s*Confirmed/ }).waitFor()
    await page.getByRole('region', { name: 'Messages' }).getByRole('button', { name: 'Undo' }).click()
    await page.getByRole('button', { name: /^3,000\s*Detected/ }).waitFor()
  })

  test('of everything that matches changes nothing when it is not what was shown any more', async () => {
    const { page, states, project } = await open({ expects: /409/ })
    await page.getByRole('button', { name: 'Remove the filter In any state' }).click()
    await page.getByLabel('Select everything that matches').check()
    await page.getByRole('button', { name: 'Confirm', exact: true }).click()
    const { body } = await web.server.admin.get(`/projects/${project.id}/vulnerabilities?severity=low`)
    await web.server.admin.post(`/vulnerabilities/${body[0].id}/dismiss`)
    await page.getByRole('dialog').getByRole('button', { name: 'Confirm' }).click()
    await page.getByText('Nothing was changed: expected 3 vulnerabilities, but there are 2; look again').waitFor()
    expect(await states()).toEqual({ One: 'detected', Two: 'detected', Three: 'dismissed' })
    await page.getByRole('button', { name: 'Cancel' }).click()
    await page.getByText('All that match: 2 vulnerabilities').waitFor()
  })

  test('is not offered to developers, who still look, open and learn the keys', async () => {
    const page = await web.open(list, { as: developer })
    await expect.poll(() => page.getByRole('checkbox').count()).toBe(0)
    await expect.poll(() => page.getByRole('button', { name: 'Dismiss', exact: true }).count()).toBe(0)
    await grid(page).focus()
    await page.keyboard.press('c')
    await page.keyboard.press('?')
    const dialog = page.getByRole('dialog', { name: 'Keys' })
    expect(await dialog.innerText()).not.toContain('Confirm')
    expect(await accessProblems(page)).toEqual([])
    await dialog.getByLabel('Single keys work anywhere').uncheck()
    await page.keyboard.press('Escape')
    await page.getByRole('searchbox').focus()
    await page.keyboard.press('Tab')
    await page.keyboard.press('?')
    await expect.poll(() => page.getByRole('dialog').count()).toBe(0)
    await grid(page).focus()
    await page.keyboard.press('/')
    expect(await page.getByRole('searchbox').evaluate((field) => field === document.activeElement)).toBe(true)
  })

  test('fits a phone, in the dark too', async () => {
    const { page } = await open({ width: 360, theme: 'dark' })
    expect(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)).toBeLessThanOrEqual(0)
    expect(await accessProblems(page)).toEqual([])
    await page.getByRole('button', { name: 'Show trend and times' }).click()
    await page.getByRole('button', { name: 'Numbers' }).click()
    expect(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)).toBeLessThanOrEqual(0)
    expect(await accessProblems(page)).toEqual([])
    await page.getByRole('button', { name: 'Hide trend and times' }).click()
    await page.reload()
    await page.getByRole('button', { name: 'Show trend and times' }).waitFor()
    await page.getByRole('button', { name: 'Select all' }).click()
    await page.getByText('All that match: 3 vulnerabilities').waitFor()
  })
})

describe('who may not', () => {
  test('read vulnerabilities is told so', async () => {
    const reporter = await web.server.as('reporter', shop)
    const page = await web.open(list, { as: reporter, expects: /403/ })
    await page.getByText('Not for you').waitFor()
    await expect.poll(() => page.getByRole('link', { name: 'Vulnerabilities' }).count()).toBe(0)
    expect(await accessProblems(page)).toEqual([])
  })
})

test('a project without any says so', async () => {
  const project = await web.server.project('acme/empty')
  const page = await web.open('/acme/empty/-/vulnerabilities', { as: await web.server.as('developer', project) })
  await page.getByText('No open vulnerabilities').waitFor()
  expect(await accessProblems(page)).toEqual([])
})

describe('a group', () => {
  test('lists what is in its projects, and triage goes to the project of each', async () => {
    const [east, west] = [await web.server.project('wide/east'), await web.server.project('wide/west')]
    await fill(east, [{ title: 'In the east', severity: 'high' }])
    await fill(west, [{ title: 'In the west' }])
    const page = await web.open('/groups/wide/-/vulnerabilities', { as: web.server.admin })
    await expect.poll(() => grid(page).getByRole('link').allInnerTexts()).toEqual(['In the east', 'In the west'])
    expect(await accessProblems(page)).toEqual([])
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
})
