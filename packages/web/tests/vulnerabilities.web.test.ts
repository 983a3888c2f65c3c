/// <reference lib="dom" />
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Client } from '../../server/src/testing/client.ts'
import type { TestProject } from '../../server/src/testing/server.ts'
import { insertMadeUp, type MadeUp } from '../../server/src/testing/vulnerabilities.ts'
import { accessProblems, startWeb, type Web } from './web.ts'

const many = 3_000
const usual = {
  file: 'src/app.ts',
  state: 'detected',
  severity: 'low',
  reportType: 'sast',
  scanner: 'semgrep',
  isOnDefaultBranch: true,
  isResolvedOnDefaultBranch: false,
  dismissalReason: null,
  identifiers: ['CWE-327'],
  refs: ['main'],
} as const satisfies Partial<MadeUp>

let web: Web
let shop: TestProject
let maintainer: Client
let developer: Client
let lastId = 0

async function fill(project: TestProject, made: readonly (Partial<MadeUp> & { title: string })[]): Promise<void> {
  const rows = made.map((fields) => {
    lastId += 1
    return { ...usual, ...fields, id: lastId, projectId: project.id }
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
    expect(await total(page).innerText()).toBe('3,003 vulnerabilities')
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

  test('is filtered by what stands in the address, shown as chips that can be removed', async () => {
    const page = await web.open(`${list}?report_type=secret_detection,dependency_scanning&search=token`, {
      as: developer,
    })
    expect(await grid(page).getByRole('link').allInnerTexts()).toEqual(['Token in the code'])
    const chips = page.getByRole('list', { name: 'Active filters' })
    expect(await chips.getByRole('button').allInnerTexts()).toEqual([
      ...['Type: Secret detection', 'Type: Dependency scanning', 'Text: token', 'Clear'],
    ])
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
