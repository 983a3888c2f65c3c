/// <reference lib="dom" />
import type { Page, Route } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Client } from '../../server/src/testing/client.ts'
import { entry } from '../../server/src/testing/reports/reports.ts'
import type { TestProject } from '../../server/src/testing/server.ts'
import { active, grid, row } from './vulnerabilities.ts'
import { accessProblems, quiet, startWeb, type Web } from './web.ts'

let web: Web
let number = 0
beforeAll(async () => {
  web = await startWeb()
})
afterAll(() => web?.close())

const panel = (page: Page) => page.getByRole('region', { name: 'Selected vulnerability' })
const title = (page: Page) => panel(page).getByRole('heading').first()
const hasFocus = (page: Page) => panel(page).evaluate((element) => element === document.activeElement)

/** Creates a project with three vulnerabilities, highest severity first. */
async function create(): Promise<{ project: TestProject; list: string; maintainer: Client }> {
  const project = await web.server.project(`panel/shop-${++number}-${Date.now()}`)
  await web.server.report(project, [
    entry({ line: 1, severity: 'High', name: 'One', rule: 'a' }),
    entry({ line: 2, severity: 'Medium', name: 'Two', rule: 'b' }),
    entry({ line: 3, severity: 'Low', name: 'Three', rule: 'c' }),
  ])
  const maintainer = await web.server.as('maintainer', project)
  return { project, list: `/${project['path_with_namespace']}/-/vulnerabilities`, maintainer }
}

async function statesOf(project: TestProject) {
  const { body } = await web.server.admin.get(`/projects/${project.id}/vulnerabilities`)
  return Object.fromEntries(body.map(({ title, state }: Record<string, string>) => [title, state]))
}

describe('the panel beside the list', () => {
  test('opens with Enter, follows j and k, and Escape returns the focus to the row', async () => {
    const { list, maintainer } = await create()
    const page = await web.open(list, { as: maintainer, width: 1440, height: 900 })
    await grid(page).focus()
    await page.keyboard.press('j')
    await page.keyboard.press('Enter')
    await expect.poll(() => title(page).innerText()).toBe('Two')
    await panel(page).getByText('2 of 3').waitFor()
    await expect.poll(() => hasFocus(page)).toBe(true)
    const { width } = (await panel(page).boundingBox()) ?? { width: 0 }
    expect(width).toBeGreaterThanOrEqual(480)
    expect(width).toBeLessThanOrEqual(640)
    expect(await panel(page).innerText()).toContain('src/app.ts:2')
    expect(new URL(page.url()).searchParams.get('open')).toMatch(/^\d+$/)
    await page.keyboard.press('j')
    await expect.poll(() => title(page).innerText()).toBe('Three')
    expect(await active(page)).toBe('Three')
    expect(await hasFocus(page)).toBe(true)
    await page.keyboard.press('k')
    await page.keyboard.press('k')
    await expect.poll(() => title(page).innerText()).toBe('One')
    await page.keyboard.press('Escape')
    await panel(page).waitFor({ state: 'detached' })
    await expect.poll(() => grid(page).evaluate((element) => element === document.activeElement)).toBe(true)
    expect(await active(page)).toBe('One')
    expect(new URL(page.url()).search).toBe('')
  })

  test('opens with a click, also on the title, and closes with Back; the page opens with Shift+Enter', async () => {
    const { list, maintainer } = await create()
    const page = await web.open(list, { as: maintainer })
    await row(page, 'Two').getByRole('link').click()
    await expect.poll(() => title(page).innerText()).toBe('Two')
    await row(page, 'Three').getByText('Needs triage').click()
    await expect.poll(() => title(page).innerText()).toBe('Three')
    expect(await grid(page).evaluate((element) => element === document.activeElement)).toBe(true)
    await page.goBack()
    await panel(page).waitFor({ state: 'detached' })
    expect(new URL(page.url()).pathname).toBe(list)
    await page.keyboard.press('Shift+Enter')
    await page.getByRole('heading', { level: 1, name: 'Three' }).waitFor()
    expect(new URL(page.url()).pathname).toMatch(/\/-\/vulnerabilities\/\d+$/)
    // The page leads through the list from which it was opened.
    expect(await page.getByRole('link', { name: 'Next' }).count()).toBe(0)
    await page.getByRole('link', { name: 'Previous' }).click()
    await page.getByRole('heading', { level: 1, name: 'Two' }).waitFor()
    await page.getByRole('link', { name: 'Next' }).waitFor()
    await page.reload()
    await page.getByRole('link', { name: 'Next' }).waitFor()
    await page.getByRole('link', { name: 'Previous' }).waitFor()
    await page.goBack()
    await page.goBack()
    await row(page, 'Two').click({ modifiers: ['Shift'] })
    await page.getByText('2 selected').waitFor()
    await expect.poll(() => panel(page).count()).toBe(0)
  })

  test('leads through the list only the user who has read it', async () => {
    const { list, project, maintainer } = await create()
    const page = await web.open(list, { as: maintainer })
    await row(page, 'One').getByRole('link').click()
    await expect.poll(() => title(page).innerText()).toBe('One')
    await page.keyboard.press('Shift+Enter')
    const next = page.getByRole('link', { name: 'Next' })
    await next.waitFor()
    const other = await web.open('/', { as: await web.server.as('developer', project) })
    const own = await page.context().cookies()
    await page.context().addCookies(await other.context().cookies())
    await page.reload()
    await page.getByRole('heading', { level: 1, name: 'One' }).waitFor()
    await page.getByText(/^on main, last seen/).waitFor()
    expect(await next.count()).toBe(0)

    await page.context().addCookies(own)
    await page.reload()
    await next.waitFor()
    await page.getByRole('button', { name: /appearance/i }).click()
    await page.getByRole('button', { name: 'Sign out' }).click()
    await page.getByRole('link', { name: 'Sign in' }).first().waitFor()
    expect(await page.evaluate(() => sessionStorage.getItem('alcove.neighbors'))).toBeNull()
  })

  test('leads to pages that show nothing of the previous vulnerability while their lists load', async () => {
    const { list, maintainer } = await create()
    const page = await web.open(list, { as: maintainer })
    await row(page, 'One').getByRole('link').click()
    await expect.poll(() => title(page).innerText()).toBe('One')
    await page.keyboard.press('Shift+Enter')
    await page.getByRole('heading', { level: 1, name: 'One' }).waitFor()
    const present = page.getByText(/^on main, last seen/)
    await present.waitFor()
    const held: Route[] = []
    await page.route('**/occurrences?*', (route) => void held.push(route))
    await page.getByRole('link', { name: 'Next' }).click()
    await page.getByRole('heading', { level: 1, name: 'Two' }).waitFor()
    expect(await present.count()).toBe(0)
    for (const route of held) await route.continue()
    await present.waitFor()
    await page.unroute('**/occurrences?*')
  })

  test('triages its vulnerability with the keys of the list and goes on, also when others are selected', async () => {
    const { list, maintainer, project } = await create()
    const page = await web.open(list, { as: maintainer })
    await grid(page).focus()
    await page.keyboard.press('End')
    await page.keyboard.press('x')
    await page.keyboard.press('Home')
    await page.keyboard.press('Enter')
    await expect.poll(() => hasFocus(page)).toBe(true)
    await page.keyboard.press('c')
    await expect.poll(() => title(page).innerText()).toBe('Two')
    await page.keyboard.press('d')
    await page.getByRole('dialog').waitFor()
    for (const key of ['2', 'Enter']) await page.keyboard.press(key)
    await expect.poll(() => title(page).innerText()).toBe('Three')
    await expect.poll(() => statesOf(project)).toEqual({ One: 'confirmed', Two: 'dismissed', Three: 'detected' })
    await expect.poll(() => hasFocus(page)).toBe(true)
    await page.keyboard.press('z')
    await expect.poll(() => statesOf(project)).toEqual({ One: 'confirmed', Two: 'detected', Three: 'detected' })
    await panel(page).getByRole('button', { name: 'Resolve' }).click()
    await expect.poll(() => statesOf(project)).toEqual({ One: 'confirmed', Two: 'detected', Three: 'resolved' })
  })

  test('ignores shortcuts while the user writes a comment', async () => {
    const { list, maintainer, project } = await create()
    const page = await web.open(list, { as: maintainer })
    await grid(page).focus()
    await page.keyboard.press('Enter')
    const comment = panel(page).getByLabel('Add a comment')
    await comment.fill('')
    await comment.pressSequentially('crd jk')
    expect(await comment.inputValue()).toBe('crd jk')
    expect(await title(page).innerText()).toBe('One')
    expect(await statesOf(project)).toEqual({ One: 'detected', Two: 'detected', Three: 'detected' })
  })

  test('has its own address, also in the list of a group, and keeps its vulnerability when the list changes', async () => {
    const { project, maintainer } = await create()
    const group = (project['namespace'] as { full_path: string }).full_path
    const found = await web.server.admin.get(`/projects/${project.id}/vulnerabilities?search=Two`)
    const [{ id }] = found.body
    const page = await web.open(`/groups/${group}/-/vulnerabilities?state=detected&open=${id}`, { as: maintainer })
    await expect.poll(() => title(page).innerText()).toBe('Two')
    await expect.poll(() => active(page)).toBe('Two')
    await panel(page).getByRole('button', { name: 'Confirm' }).waitFor()
    await page.reload()
    await expect.poll(() => title(page).innerText()).toBe('Two')
    // Another user changes it, so that it leaves the list.
    await web.server.admin.post(`/vulnerabilities/${id}/resolve`)
    await page.getByRole('searchbox').fill('T')
    await quiet(page)
    await row(page, 'Two').waitFor({ state: 'detached' })
    expect(await title(page).innerText()).toBe('Two')
    await panel(page).getByText('Not in this list').waitFor()
  })

  test('shows developers no actions, and 404 for an unknown id', async () => {
    const { list, project } = await create()
    const as = await web.server.as('developer', project)
    const page = await web.open(list, { as })
    await grid(page).focus()
    await page.keyboard.press('Enter')
    await expect.poll(() => title(page).innerText()).toBe('One')
    await page.keyboard.press('c')
    await expect.poll(() => panel(page).getByRole('button', { name: 'Confirm' }).count()).toBe(0)
    expect(await statesOf(project)).toMatchObject({ One: 'detected' })
    const gone = await web.open(`${list}?open=99999999`, { as, expects: /404/ })
    await panel(gone).getByText('Not found').waitFor()
    expect(await accessProblems(gone)).toEqual([])
  })
})

describe.each([1440, 360])('with a window of %i px', (width) => {
  test.each(['light', 'dark'] as const)('the panel is accessible and fits (%s)', async (theme) => {
    const { list, maintainer } = await create()
    const page = await web.open(list, { as: maintainer, width, height: 800, theme })
    await grid(page).focus()
    await page.keyboard.press('Enter')
    await expect.poll(() => title(page).innerText()).toBe('One')
    await expect.poll(() => hasFocus(page)).toBe(true)
    await quiet(page)
    if (process.env['ALCOVE_TEST_PICTURES']) {
      await page.screenshot({ path: `${process.env['ALCOVE_TEST_PICTURES']}/panel-${width}-${theme}.png` })
    }
    expect(await accessProblems(page)).toEqual([])
    expect(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)).toBeLessThanOrEqual(0)
    const isCovered = width < 900
    expect(await grid(page).isVisible()).toBe(!isCovered)
    await page.keyboard.press('j')
    await expect.poll(() => title(page).innerText()).toBe('Two')
    await panel(page).getByRole('button', { name: 'Close panel' }).click()
    await expect.poll(() => grid(page).evaluate((element) => element === document.activeElement)).toBe(true)
  })
})

describe('the list', () => {
  test('is sorted by its headers, which state the order, and names its rows', async () => {
    const { list, maintainer } = await create()
    const page = await web.open(list, { as: maintainer, width: 1440, theme: 'dark' })
    const header = (name: string) => page.getByRole('columnheader', { name })
    const titles = () => grid(page).getByRole('link').allInnerTexts()
    expect(await header('Severity').getAttribute('aria-sort')).toBe('descending')
    expect(await header('Priority').getAttribute('aria-sort')).toBe('none')
    expect(await header('Status').getAttribute('aria-sort')).toBe(null)
    await grid(page).getByRole('row', { name: 'High, One, src/app.ts:1, Needs triage' }).waitFor()
    await header('Severity').getByRole('button').click()
    await expect.poll(titles).toEqual(['Three', 'Two', 'One'])
    expect(await header('Severity').getAttribute('aria-sort')).toBe('ascending')
    expect(new URL(page.url()).searchParams.get('sort')).toBe('severity_asc')
    expect(await accessProblems(page)).toEqual([])
    await page.getByLabel('Sort').selectOption('priority_desc')
    await expect.poll(() => header('Priority').getAttribute('aria-sort')).toBe('descending')
  })

  test('is reached by the second link of the page', async () => {
    const { list, maintainer } = await create()
    const page = await web.open(list, { as: maintainer })
    for (const key of ['Tab', 'Tab', 'Enter']) await page.keyboard.press(key)
    expect(await grid(page).evaluate((element) => element === document.activeElement)).toBe(true)
    const other = await web.open('/-/profile', { as: maintainer })
    expect(await other.getByRole('link', { name: 'Skip to results' }).count()).toBe(0)
  })

  test('has the columns and the density that the user chooses, also after a reload', async () => {
    const { list, maintainer } = await create()
    const page = await web.open(list, { as: maintainer, width: 1440 })
    await page.getByRole('button', { name: 'View options' }).click()
    const dialog = page.getByRole('dialog', { name: 'View options' })
    expect(await dialog.getByLabel('Project').count()).toBe(0)
    await dialog.getByLabel('Report type').uncheck()
    await dialog.getByLabel('Density').selectOption('compact')
    await dialog.getByRole('button', { name: 'Done' }).click()
    for (const isReloaded of [false, true]) {
      if (isReloaded) await page.reload()
      await expect.poll(() => page.getByRole('columnheader', { name: 'Report type' }).count()).toBe(0)
      await page.getByRole('columnheader', { name: 'Priority' }).waitFor()
      await expect.poll(async () => (await row(page, 'One').boundingBox())?.height).toBe(30)
    }
    const stored = () => page.evaluate(() => localStorage.getItem('alcove.vulnerability-view'))
    expect(await stored()).toBe('{"density":"compact","hidden":["report_type"],"shown":[]}')
    // Browsers stored the labels of the shown columns before.
    await page.evaluate(() =>
      localStorage.setItem('alcove.vulnerability-view', '{"density":"compact","columns":["Priority","Status"]}'),
    )
    await page.reload()
    await page.getByRole('columnheader', { name: 'Status' }).waitFor()
    const headers = async () => (await page.getByRole('columnheader').allInnerTexts()).map((text) => text.trim())
    expect(await headers()).toEqual(['', 'Severity', 'Vulnerability', 'Priority', 'Status'])
  })

  test('has columns for identifier, scanner and fix when the user chooses them, also of findings', async () => {
    const { project, list, maintainer } = await create()
    const others = [
      { type: 'cwe', name: 'CWE-20', value: '20' },
      { type: 'cve', name: 'CVE-2021-44228', value: 'CVE-2021-44228' },
    ]
    const one = {
      ...entry({ line: 1, severity: 'High', name: 'One', rule: 'a', others }),
      solution: 'Upgrade to 2.17.1',
    }
    const two = entry({ line: 2, severity: 'Medium', name: 'Two', rule: 'b' })
    const waiting = { ...one, ...entry({ line: 4, name: 'Four', rule: 'd', others }) }
    await web.server.report(project, [one, two, waiting], { promote: 'false' })
    const page = await web.open(list, { as: maintainer, width: 1440 })
    await row(page, 'One').waitFor()
    expect(await page.getByRole('columnheader', { name: 'Identifier' }).count()).toBe(0)
    await page.getByRole('button', { name: 'View options' }).click()
    const dialog = page.getByRole('dialog', { name: 'View options' })
    for (const name of ['Identifier', 'Scanner', 'Fix available']) await dialog.getByLabel(name).check()
    await dialog.getByRole('button', { name: 'Done' }).click()
    const headers = async () => (await page.getByRole('columnheader').allInnerTexts()).slice(4, 8)
    const cells = async (title: string) =>
      (await page.getByRole('row').filter({ hasText: title }).getByRole('gridcell').allInnerTexts()).slice(5, 8)
    await expect.poll(headers).toEqual(['Report type', 'Identifier', 'Scanner', 'Fix available'])
    await expect.poll(() => cells('One')).toEqual(['CVE-2021-44228 +2', 'Test scanner', 'Yes'])
    await expect.poll(() => cells('Two')).toEqual(['Rule b', 'Test scanner', 'No'])
    await page.goto(`${page.url().split('?')[0]}?tab=awaiting`)
    await expect.poll(() => cells('Four')).toEqual(['CVE-2021-44228 +2', 'Test scanner', 'Yes'])
    await page.setViewportSize({ width: 1200, height: 800 })
    await expect.poll(() => page.getByRole('columnheader', { name: 'Identifier' }).count()).toBe(0)
  })
})
