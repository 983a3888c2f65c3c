/// <reference lib="dom" />
import type { Locator, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { entry, sastReport } from '../../server/src/testing/reports/reports.ts'
import { password } from './sign-in.ts'
import { fill, grid, row, total } from './vulnerabilities.ts'
import { startWeb, type Web } from './web.ts'

let web: Web
let paths = 0
beforeAll(async () => {
  web = await startWeb()
})
afterAll(() => web?.close())

/** Creates a project with three vulnerabilities and a maintainer with a password, and opens a page of the project. */
async function open(part: string) {
  const path = `acme/keys-${++paths}-${Date.now()}`
  const project = await web.server.project(path)
  await fill(web, project, [
    { title: 'Three', severity: 'low' },
    { title: 'Two', severity: 'medium' },
    { title: 'One', severity: 'high' },
  ])
  const maintainer = await web.server.as('maintainer', project)
  const page = await web.open(part === '' ? '/-/sign_in' : `/${path}/-/${part}`, { ...(part && { as: maintainer }) })
  const states = async () => {
    const { body } = await maintainer.get(`/projects/${project.id}/vulnerabilities`)
    return Object.fromEntries(body.map(({ title, state }: Record<string, string>) => [title, state]))
  }
  return { path, project, maintainer, page, states }
}

/** Presses Tab until an element has the focus. Fails when the focus is on something that is not visible. */
async function tabTo(page: Page, target: Locator): Promise<void> {
  const wanted = target.filter({ visible: true }).first()
  await wanted.waitFor()
  for (let step = 0; step < 80; step++) {
    if (await wanted.evaluate((element) => element === document.activeElement)) return
    await page.keyboard.press('Tab')
    expect(await obscured(page)).toBe(false)
  }
  throw new Error(`Tab does not reach ${target}`)
}

/** Returns true when another element covers the focused one, or it is outside of the window (WCAG 2.4.11). */
function obscured(page: Page): Promise<boolean> {
  return page.evaluate(() => {
    const { activeElement: focused } = document
    if (!focused || focused === document.body || focused.hasAttribute('data-base-ui-focus-guard')) return false
    const { left, top, right, bottom } = focused.getBoundingClientRect()
    const [from, to] = [Math.max(top, 0), Math.min(bottom, innerHeight)]
    if (to - from < 1) return true
    const points = [from + 1, (from + to) / 2, to - 1].map((y) => document.elementFromPoint((left + right) / 2, y))
    return points.every((hit) => hit === null || !(focused.contains(hit) || hit.contains(focused)))
  })
}

/** Moves the focus to a control by Tab and presses Enter. */
async function choose(page: Page, target: Locator): Promise<void> {
  await tabTo(page, target)
  await page.keyboard.press('Enter')
}

const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true })

test('a user signs in, finds a project by Ctrl+K and opens its list', async () => {
  const { page, maintainer, path } = await open('')
  const name = path.split('/')[1] ?? ''
  await tabTo(page, page.getByLabel('Username'))
  await page.keyboard.type(maintainer.user?.username ?? '')
  await tabTo(page, page.getByLabel('Password'))
  await page.keyboard.type(password)
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { level: 1, name: /^Welcome/ }).waitFor()
  await page.keyboard.press('Control+k')
  await page.getByRole('dialog').getByRole('combobox').waitFor()
  await page.keyboard.type(name)
  const found = page.getByRole('dialog').getByRole('group', { name: 'Projects' }).getByRole('option')
  await found.filter({ hasText: name }).waitFor()
  const isChosen = () => found.first().evaluate((option) => option.hasAttribute('data-highlighted'))
  for (let step = 0; step < 20 && !(await isChosen()); step++) await page.keyboard.press('ArrowDown')
  await page.keyboard.press('Enter')
  await page.waitForURL(`**/${path}`)
  await choose(page, page.getByRole('navigation', { name: /sections/ }).getByRole('link', { name: 'Vulnerabilities' }))
  await row(page, 'One').waitFor()
})

test('a user triages in the list and in the side panel, and undoes it', async () => {
  const { page, states } = await open('vulnerabilities')
  await row(page, 'One').waitFor()
  await page.keyboard.press('Tab')
  await page.keyboard.press('Tab')
  await page.keyboard.press('Enter') // the link that skips to the results
  expect(await grid(page).evaluate((element) => element === document.activeElement)).toBe(true)
  await page.keyboard.press('Enter')
  const panel = page.getByRole('region', { name: 'Selected vulnerability' })
  await panel.getByRole('heading', { name: 'One' }).waitFor()
  await page.keyboard.press('c')
  await expect.poll(states).toMatchObject({ One: 'confirmed' })
  await panel.getByRole('heading', { name: 'Two' }).waitFor()
  await page.keyboard.press('Escape')
  await expect.poll(() => panel.count()).toBe(0)
  await page.keyboard.press('d')
  await page.getByRole('dialog').waitFor()
  for (const key of ['2', 'Enter']) await page.keyboard.press(key)
  await expect.poll(states).toMatchObject({ One: 'confirmed', Two: 'dismissed' })
  await page.keyboard.press('z')
  await expect.poll(states).toMatchObject({ Two: 'detected' })
  await page.keyboard.press('z')
  await expect.poll(states).toMatchObject({ One: 'detected' })
})

test('a user changes several rows at once', async () => {
  const { page, states } = await open('vulnerabilities')
  await row(page, 'One').waitFor()
  await tabTo(page, grid(page))
  for (const key of ['x', 'Shift+ArrowDown']) await page.keyboard.press(key)
  await expect.poll(() => total(page).innerText()).toBe('2 selected')
  await page.keyboard.press('r')
  await choose(page, page.getByRole('dialog').getByRole('button', { name: 'Resolve' }))
  await expect.poll(states).toEqual({ One: 'resolved', Two: 'resolved', Three: 'detected' })
})

test('a user filters the list and saves a view of it', async () => {
  const { page, project, maintainer } = await open('vulnerabilities')
  await row(page, 'One').waitFor()
  await choose(page, page.getByRole('group', { name: 'By severity' }).getByRole('button', { name: /High/ }))
  await expect.poll(() => total(page).innerText()).toBe('1 vulnerability')
  for (
    let back = 0;
    back < 20 && !(await button(page, 'Save view').evaluate((e) => e === document.activeElement));
    back++
  ) {
    await page.keyboard.press('Shift+Tab')
  }
  await page.keyboard.press('Enter')
  await page.getByRole('dialog', { name: 'Save view' }).waitFor()
  await tabTo(page, page.getByRole('dialog').getByLabel('Name'))
  await page.keyboard.type('High only')
  await page.keyboard.press('Enter')
  const views = async () => (await maintainer.get(`/projects/${project.id}/vulnerability_views`)).body
  await expect.poll(views).toMatchObject([{ name: 'High only', filter: { severity: ['high'] } }])
})

test('a user adds a rule', async () => {
  const { page, project, maintainer } = await open('settings/rules')
  await choose(page, button(page, 'Add rule'))
  await tabTo(page, page.getByLabel('Name', { exact: true }))
  await page.keyboard.type('Sources')
  const focused = () => page.evaluate(() => document.activeElement?.getAttribute('name'))
  /** Chooses from a menu by its arrow keys, and waits until the new field has the focus. */
  async function add(menu: string, item: string, field: string) {
    await choose(page, button(page, menu))
    const wanted = page.getByRole('menuitem', { name: item, exact: true })
    await wanted.waitFor()
    await expect
      .poll(async () => {
        await page.keyboard.press('ArrowDown')
        return wanted.evaluate((element) => element === document.activeElement)
      })
      .toBe(true)
    await page.keyboard.press('Enter')
    await expect.poll(focused).toBe(field)
  }
  await add('Add condition', 'Paths', 'path')
  await page.keyboard.type('src/**')
  await add('Add action', 'Set severity', 'new_severity')
  await page.keyboard.type('Low')
  await choose(page, button(page, 'Save rule'))
  const rules = async () => (await maintainer.get(`/projects/${project.id}/vulnerability_rules`)).body.rules
  await expect.poll(rules).toMatchObject([{ name: 'Sources', action: { severity: 'low' } }])
})

test('a user imports a report', async () => {
  const { page, project, maintainer } = await open('reports/new')
  const chooser = page.waitForEvent('filechooser')
  await choose(page, button(page, 'Choose a file'))
  const content = JSON.stringify(sastReport([entry({ line: 10 })]))
  await (await chooser).setFiles({
    name: 'gl-sast-report.json',
    mimeType: 'application/json',
    buffer: Buffer.from(content),
  })
  await choose(page, button(page, 'Preview changes'))
  await choose(page, button(page, 'Import'))
  await page.waitForURL(/\/-\/reports\/\d+$/)
  const reports = async () => (await maintainer.get(`/projects/${project.id}/security_reports`)).body
  await expect.poll(reports).toMatchObject([{ status: 'done', findings: { new: 1 } }])
})

test('a user uploads a file and deletes it', async () => {
  const { page, project, maintainer } = await open('uploads')
  const chooser = page.waitForEvent('filechooser')
  await choose(page, button(page, 'Choose files'))
  await (await chooser).setFiles({ name: 'notes.txt', mimeType: 'text/plain', buffer: Buffer.from('Text') })
  const files = async () => (await maintainer.get(`/projects/${project.id}/uploads`)).body
  await expect.poll(files).toMatchObject([{ filename: 'notes.txt' }])
  await choose(page, button(page, 'Actions for notes.txt'))
  await page.getByRole('menuitem', { name: 'Delete' }).waitFor()
  await page.keyboard.press('End')
  await page.getByRole('menuitem', { name: 'Delete' }).and(page.locator(':focus')).waitFor()
  await page.keyboard.press('Enter')
  await expect.poll(files).toEqual([])
})

test('a user changes settings', async () => {
  const { page, project, maintainer } = await open('settings')
  await tabTo(page, page.getByLabel('Description'))
  await page.keyboard.type('Changed by keyboard')
  await choose(page, button(page, 'Save'))
  const description = async () => (await maintainer.get(`/projects/${project.id}`)).body.description
  await expect.poll(description).toBe('Changed by keyboard')
})
