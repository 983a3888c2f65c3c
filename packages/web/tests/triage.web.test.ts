/// <reference lib="dom" />
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Client } from '../../server/src/testing/client.ts'
import type { TestProject } from '../../server/src/testing/server.ts'
import { hang } from '../../server/src/testing/stand-ins/faulty-store.ts'
import { active, fill, grid, row, total } from './vulnerabilities.ts'
import { accessProblems, quiet, startWeb, type Web } from './web.ts'

let web: Web
let shop: TestProject
let maintainer: Client
let developer: Client

beforeAll(async () => {
  web = await startWeb()
  shop = await web.server.project('acme/shop')
  maintainer = await web.server.as('maintainer', shop)
  developer = await web.server.as('developer', shop)
  const flaws = Array.from({ length: 3_000 }, (_, index) => ({ title: `Flaw ${String(index).padStart(4, '0')}` }))
  await fill(web, shop, flaws)
})
afterAll(() => web?.close())

const list = '/acme/shop/-/vulnerabilities'
const messages = (page: Page) => page.getByRole('region', { name: 'Messages' })

describe('triage', () => {
  let number = 0
  /** Creates a project with three vulnerabilities, highest severity first, and opens its page. */
  async function open(options: { width?: number; theme?: 'dark'; expects?: RegExp } = {}) {
    const project = await web.server.project(`acme/triage-${++number}`)
    await fill(web, project, [
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

  test('works with keys: every action moves to the next row, and undo reverts the last one', async () => {
    const { page, states } = await open()
    expect(await active(page)).toBe('One')
    await page.keyboard.press('c')
    expect(await active(page)).toBe('Two')
    await expect.poll(() => row(page, 'One').innerText()).toContain('Confirmed')
    await page.keyboard.press('r')
    expect(await active(page)).toBe('Three')
    await expect.poll(states).toEqual({ One: 'confirmed', Two: 'resolved', Three: 'detected' })
    await page.keyboard.press('k')
    await page.keyboard.press('v')
    expect(await active(page)).toBe('Three')
    await expect.poll(states).toEqual({ One: 'confirmed', Two: 'detected', Three: 'detected' })
    await messages(page).getByText('Reopened: Two').waitFor()
    await page.keyboard.press('z')
    await messages(page).getByText('1 reverted.').waitFor()
    await page.keyboard.press('Control+z')
    await expect.poll(states).toEqual({ One: 'confirmed', Two: 'detected', Three: 'detected' })
    await page.keyboard.press('z')
    await expect.poll(states).toEqual({ One: 'detected', Two: 'detected', Three: 'detected' })
    await page.keyboard.press('z')
    await messages(page).getByText('Nothing to undo.').waitFor()
    expect(await messages(page).getByRole('button', { name: 'Dismiss message' }).count()).toBe(1)
  })

  test('in a list of open vulnerabilities resolves one row per key at any speed', async () => {
    const { page, states } = await open()
    await page.getByRole('button', { name: 'Remove filter All statuses' }).click()
    await quiet(page)
    const change = hang()
    await page.route('**/vulnerabilities/bulk', async (route) => {
      await change.act()
      await route.continue()
    })
    await page.keyboard.press('r')
    await page.keyboard.press('r')
    expect(await active(page)).toBe('Three')
    // Undone before the server has received any of the actions.
    await page.keyboard.press('z')
    await page.keyboard.press('r')
    change.release()
    await expect.poll(states).toEqual({ One: 'resolved', Two: 'detected', Three: 'resolved' })
    await expect.poll(() => grid(page).getByRole('link').allInnerTexts()).toEqual(['Two'])
    expect(await active(page)).toBe('Two')
  })

  test('moves one row after c, d and r, and j then moves one row more', async () => {
    const project = await web.server.project(`acme/steps-${Date.now()}`)
    await fill(
      web,
      project,
      [...'HGFEDCBA'].map((title) => ({ title: `Flaw ${title}` })),
    )
    const as = await web.server.as('maintainer', project)
    const page = await web.open(`/${project['path_with_namespace']}/-/vulnerabilities`, { as })
    const change = hang()
    await page.route('**/vulnerabilities/bulk', async (route) => {
      await change.act()
      await route.continue()
    })
    expect(await active(page)).toBe('Flaw A')
    await page.keyboard.press('c')
    expect(await active(page)).toBe('Flaw B')
    await page.keyboard.press('j')
    expect(await active(page)).toBe('Flaw C')
    await page.keyboard.press('d')
    await page.getByRole('dialog').waitFor()
    for (const key of ['2', 'Enter']) await page.keyboard.press(key)
    await expect.poll(() => active(page)).toBe('Flaw D')
    await page.keyboard.press('j')
    expect(await active(page)).toBe('Flaw E')
    await page.keyboard.press('r')
    expect(await active(page)).toBe('Flaw F')
    await page.keyboard.press('j')
    expect(await active(page)).toBe('Flaw G')
    change.release()
    await expect.poll(() => grid(page).getByRole('link').count()).toBe(6)
    expect(await active(page)).toBe('Flaw G')
  })

  test('changes one row by a double click on a button, in the toolbar and in the side panel', async () => {
    const project = await web.server.project(`acme/double-${Date.now()}`)
    await fill(
      web,
      project,
      [...'DCBA'].map((title) => ({ title: `Flaw ${title}` })),
    )
    const as = await web.server.as('maintainer', project)
    const page = await web.open(`/${project['path_with_namespace']}/-/vulnerabilities`, { as })
    const states = async () => {
      const { body } = await as.get(`/projects/${project.id}/vulnerabilities`)
      return body.map(({ state }: { state: string }) => state)
    }
    await page.getByRole('button', { name: 'Confirm', exact: true }).dblclick()
    await expect.poll(states).toEqual(['confirmed', 'detected', 'detected', 'detected'])
    expect(await active(page)).toBe('Flaw B')
    await grid(page).focus()
    await page.keyboard.press('Enter')
    const panel = page.getByRole('region', { name: 'Selected vulnerability' })
    await panel.getByRole('heading', { name: 'Flaw B' }).waitFor()
    await panel.getByRole('button', { name: 'Resolve' }).dblclick()
    await expect.poll(states).toEqual(['confirmed', 'resolved', 'detected', 'detected'])
    await panel.getByRole('heading', { name: 'Flaw C' }).waitFor()
    // A change of the next row would be sent by now: the message follows the last one.
    await page.getByText('Resolved: Flaw B').waitFor()
    expect(await states()).toEqual(['confirmed', 'resolved', 'detected', 'detected'])
  })

  test('shows one message at a time, at the bottom left', async () => {
    const { page } = await open()
    await page.keyboard.press('c')
    await messages(page).getByText('Confirmed: One').waitFor()
    await page.keyboard.press('r')
    await messages(page).getByText('Resolved: Two').waitFor()
    expect(await messages(page).getByRole('button', { name: 'Dismiss message' }).count()).toBe(1)
    // A message rises when it appears.
    const distances = () =>
      messages(page).evaluate((region) => {
        const { left, bottom } = region.getBoundingClientRect()
        return [Math.round(left), Math.round(innerHeight - bottom)]
      })
    await expect.poll(distances).toEqual([15, 15])
  })

  test('dismisses with a reason and a comment, and can be undone from the message', async () => {
    const { page, states, project } = await open()
    await grid(page).focus()
    await page.keyboard.press('d')
    const dialog = page.getByRole('dialog')
    // No reason is preselected.
    expect(await dialog.getByRole('radio', { checked: true }).count()).toBe(0)
    await dialog.getByRole('button', { name: 'Dismiss' }).click()
    await expect
      .poll(() => dialog.getByLabel('Acceptable risk').evaluate((radio) => radio.matches(':focus')))
      .toBe(true)
    await page.keyboard.press('2')
    expect(await dialog.getByRole('radio', { name: 'False positive' }).isChecked()).toBe(true)
    await dialog.getByLabel('Comment').fill('jjj 3 is no key in here')
    expect(await dialog.getByRole('radio', { name: 'False positive' }).isChecked()).toBe(true)
    await dialog.getByRole('button', { name: 'Dismiss' }).click()
    expect(await active(page)).toBe('Two')
    await expect.poll(states).toMatchObject({ One: 'dismissed' })
    const { body } = await web.server.admin.get(`/projects/${project.id}/vulnerabilities?state=dismissed`)
    expect(body[0].dismissal_reason).toBe('false_positive')
    await messages(page).getByRole('button', { name: 'Undo' }).click()
    await expect.poll(states).toMatchObject({ One: 'detected' })
    await messages(page).getByText('1 reverted.').waitFor()
    expect(await messages(page).getByText('Dismissed: One').count()).toBe(0)
  })

  test('shows the buttons of a dialog that is higher than the window', async () => {
    const { page } = await open()
    await page.setViewportSize({ width: 1280, height: 500 })
    await grid(page).focus()
    await page.keyboard.press('d')
    const dialog = page.getByRole('dialog')
    const button = dialog.getByRole('button', { name: 'Dismiss' })
    const bottom = () => button.evaluate((element) => element.getBoundingClientRect().bottom)
    await expect.poll(bottom).toBeLessThan(500)
    // A field is not below the buttons when it gets the focus.
    await dialog.getByLabel('Until a fix is available').focus()
    const isVisible = (field: Element) => {
      const { left, top } = field.getBoundingClientRect()
      return document.elementFromPoint(left + 2, top + 2) === field
    }
    expect(await dialog.getByLabel('Until a fix is available').evaluate(isVisible)).toBe(true)
  })

  test('dismisses each row with three keys', async () => {
    const { page, states } = await open()
    await grid(page).focus()
    for (const key of ['d', '1', 'Enter', 'd', '4', 'Enter']) await page.keyboard.press(key)
    await expect.poll(states).toEqual({ One: 'dismissed', Two: 'dismissed', Three: 'detected' })
    expect(await active(page)).toBe('Three')
  })

  test('applies keys that are pressed while the code of a dialog is loaded', async () => {
    const { page, states, project } = await open()
    const code = hang()
    await page.route(/\/action-dialog-[^/]*\.js$/, async (route) => {
      await code.act()
      await route.continue()
    })
    // Loads the document again, so that no code of dialogs is there.
    await page.reload()
    await quiet(page)
    await grid(page).focus()
    // Escape closes what is not shown yet, and the keys before it are forgotten.
    for (const key of ['d', '1', 'Escape']) await page.keyboard.press(key)
    for (const key of ['d', '2', 'Enter', 'r', 'd', '4', 'Enter']) await page.keyboard.press(key)
    expect(await page.getByRole('dialog').count()).toBe(0)
    expect(await active(page)).toBe('One')
    code.release()
    await expect.poll(states).toEqual({ One: 'dismissed', Two: 'resolved', Three: 'dismissed' })
    const { body } = await web.server.admin.get(`/projects/${project.id}/vulnerabilities?state=dismissed`)
    expect(Object.fromEntries(body.map((one: Record<string, string>) => [one.title, one.dismissal_reason]))).toEqual({
      One: 'false_positive',
      Three: 'used_in_tests',
    })
    expect(await page.getByRole('dialog').count()).toBe(0)
  })

  test('selects a range with shift and click, on checkboxes and rows', async () => {
    const { page } = await open()
    const box = (title: string) => page.getByRole('checkbox', { name: `Select ${title}` })
    await box('One').click()
    await box('Three').click({ modifiers: ['Shift'] })
    await expect.poll(() => total(page).innerText()).toBe('3 selected')
    expect(await box('Two').isChecked()).toBe(true)
    await box('Two').click()
    await expect.poll(() => total(page).innerText()).toBe('2 selected')
  })

  test('selects with x and shift, and changes the selection after a confirmation', async () => {
    const { page, states } = await open()
    await grid(page).focus()
    await page.keyboard.press('x')
    await expect.poll(() => total(page).innerText()).toBe('1 selected')
    await page.keyboard.press('Shift+ArrowDown')
    await page.keyboard.press('Shift+ArrowDown')
    await expect.poll(() => total(page).innerText()).toBe('3 selected')
    await page.getByRole('button', { name: 'Resolve', exact: true }).click()
    const dialog = page.getByRole('dialog', { name: 'Resolve: 3 vulnerabilities' })
    await dialog.getByRole('button', { name: 'Resolve' }).click()
    await expect.poll(states).toEqual({ One: 'resolved', Two: 'resolved', Three: 'resolved' })
    await expect.poll(() => total(page).innerText()).toBe('3 vulnerabilities')
    await page.getByText('3 resolved.').waitFor()
    await grid(page).focus()
    await page.keyboard.press('z')
    await expect.poll(states).toEqual({ One: 'detected', Two: 'detected', Three: 'detected' })
  })

  test('selects all matching vulnerabilities with their number, and can be undone as a whole', async () => {
    const page = await web.open(`${list}?severity=low`, { as: maintainer })
    await page.getByLabel('Select all matching').check()
    await page.getByText('All matching selected: 3,000 vulnerabilities').waitFor()
    await grid(page).focus()
    await page.keyboard.press('c')
    const dialog = page.getByRole('dialog', { name: 'Confirm: 3,000 vulnerabilities' })
    expect(await accessProblems(page)).toEqual([])
    await dialog.getByRole('button', { name: 'Confirm' }).click()
    await expect.poll(() => row(page, 'Flaw 2999').innerText()).toContain('Confirmed')
    await messages(page).getByRole('button', { name: 'Undo' }).click()
    await messages(page).getByText('3,000 reverted.').waitFor()
    await expect.poll(() => row(page, 'Flaw 2999').innerText()).toContain('Needs triage')
  })

  test('of all matching vulnerabilities changes nothing when their number has changed', async () => {
    const { page, states, project } = await open({ expects: /409/ })
    await page.getByRole('button', { name: 'Remove filter All statuses' }).click()
    await page.getByLabel('Select all matching').check()
    await page.getByRole('button', { name: 'Confirm', exact: true }).click()
    const { body } = await web.server.admin.get(`/projects/${project.id}/vulnerabilities?severity=low`)
    await web.server.admin.post(`/vulnerabilities/${body[0].id}/dismiss`)
    await page.getByRole('dialog').getByRole('button', { name: 'Confirm' }).click()
    await page.getByText('Nothing was changed: expected 3 vulnerabilities, but there are 2; look again').waitFor()
    expect(await states()).toEqual({ One: 'detected', Two: 'detected', Three: 'dismissed' })
    await page.getByRole('button', { name: 'Cancel' }).click()
    await page.getByText('All matching selected: 2 vulnerabilities').waitFor()
  })

  test('is hidden from developers, who can view, open and list shortcuts', async () => {
    const page = await web.open(list, { as: developer })
    await expect.poll(() => page.getByRole('checkbox').count()).toBe(0)
    await expect.poll(() => page.getByRole('button', { name: 'Dismiss', exact: true }).count()).toBe(0)
    await grid(page).focus()
    await page.keyboard.press('c')
    await page.keyboard.press('?')
    const dialog = page.getByRole('dialog', { name: 'Keyboard shortcuts' })
    // Fonts may lack the characters of the arrow keys.
    for (const name of ['Up arrow', 'Down arrow']) await dialog.getByRole('img', { name }).first().waitFor()
    expect(await dialog.innerText()).not.toMatch(/[↑↓]/)
    expect(await dialog.innerText()).not.toContain('Confirm')
    await dialog.getByLabel('Enable shortcuts page-wide').uncheck()
    await page.keyboard.press('Escape')
    await page.getByRole('searchbox').focus()
    await page.keyboard.press('Tab')
    await page.keyboard.press('?')
    await expect.poll(() => page.getByRole('dialog').count()).toBe(0)
    await grid(page).focus()
    await page.keyboard.press('/')
    expect(await page.getByRole('searchbox').evaluate((field) => field === document.activeElement)).toBe(true)
  })

  test('fits a phone with the dark theme', async () => {
    const { page } = await open({ width: 360, theme: 'dark' })
    expect(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)).toBeLessThanOrEqual(0)
    await page.getByRole('button', { name: 'Select all' }).click()
    await page.getByText('All matching selected: 3 vulnerabilities').waitFor()
  })
})

describe('a row that another user has changed since it was loaded', () => {
  let number = 0
  async function open(titles: readonly string[]) {
    const path = `acme/stale-${++number}`
    const project = await web.server.project(path)
    await fill(
      web,
      project,
      titles.toReversed().map((title) => ({ title })),
    )
    const as = await web.server.as('maintainer', project)
    const nadia = await web.server.as('maintainer', project)
    const page = await web.open(`/${path}/-/vulnerabilities?state=any`, { as, expects: /409/ })
    const { body } = await web.server.admin.get(`/projects/${project.id}/vulnerabilities`)
    const idOf = (title: string) => body.find((one: { title: string }) => one.title === title).id
    const states = async () => {
      const { body } = await web.server.admin.get(`/projects/${project.id}/vulnerabilities`)
      return Object.fromEntries(body.map(({ title, state }: Record<string, string>) => [title, state]))
    }
    return { page, nadia, idOf, states, path }
  }

  test('is not changed; the message shows its state and can apply the change anyway', async () => {
    const { page, nadia, idOf, states } = await open(['One', 'Two'])
    await nadia.post(`/vulnerabilities/${idOf('One')}/resolve`)
    await page.keyboard.press('c')
    await page.keyboard.press('c')
    const message = messages(page).getByText(`Nothing was changed. One: resolved by ${nadia.user?.name}`)
    await message.waitFor()
    await expect.poll(states).toEqual({ One: 'resolved', Two: 'confirmed' })
    await expect.poll(() => row(page, 'One').innerText()).toContain('Resolved')
    await messages(page).getByRole('button', { name: 'Confirm anyway' }).click()
    await expect.poll(states).toEqual({ One: 'confirmed', Two: 'confirmed' })
  })

  test('causes no conflict when it already has the wanted state', async () => {
    const { page, nadia, idOf, states } = await open(['One'])
    await nadia.post(`/vulnerabilities/${idOf('One')}/resolve`)
    await page.keyboard.press('r')
    await messages(page).getByText(`No change. One: resolved by ${nadia.user?.name}`).waitFor()
    expect(await states()).toEqual({ One: 'resolved' })
  })

  test('stops a bulk change, which can continue from the dialog', async () => {
    const { page, nadia, idOf, states } = await open(['One', 'Two', 'Three'])
    await grid(page).focus()
    await page.keyboard.press('x')
    await page.keyboard.press('Shift+End')
    await nadia.post(`/vulnerabilities/${idOf('One')}/dismiss`)
    await nadia.post(`/vulnerabilities/${idOf('Three')}/resolve`)
    await page.keyboard.press('c')
    const dialog = page.getByRole('dialog')
    await dialog.getByRole('button', { name: 'Confirm' }).click()
    const { name } = nadia.user ?? {}
    await dialog.getByText(`1 dismissed by ${name}`).waitFor()
    expect(await states()).toEqual({ One: 'dismissed', Two: 'detected', Three: 'resolved' })
    expect(await accessProblems(page)).toEqual([])
    await dialog.getByRole('button', { name: 'Confirm anyway' }).click()
    await expect.poll(states).toEqual({ One: 'confirmed', Two: 'confirmed', Three: 'confirmed' })
  })

  test('is not overwritten from its own page', async () => {
    const { page, nadia, idOf, states, path } = await open(['One'])
    await page.goto(`/${path}/-/vulnerabilities/${idOf('One')}`)
    await page.getByRole('button', { name: 'Dismiss' }).click()
    const dialog = page.getByRole('dialog')
    await nadia.post(`/vulnerabilities/${idOf('One')}/resolve`)
    await page.keyboard.press('3')
    await dialog.getByRole('button', { name: 'Dismiss' }).click()
    await dialog.getByText(`Nothing was changed: resolved by ${nadia.user?.name}`).waitFor()
    expect(await states()).toEqual({ One: 'resolved' })
    await dialog.getByRole('button', { name: 'Dismiss anyway' }).click()
    await expect.poll(states).toEqual({ One: 'dismissed' })
  })

  test('stops Undo on its own page, which shows the change and can continue', async () => {
    const { page, nadia, idOf, states, path } = await open(['One'])
    await page.goto(`/${path}/-/vulnerabilities/${idOf('One')}`)
    await page.getByRole('button', { name: 'Dismiss' }).click()
    await page.keyboard.press('3')
    await page.getByRole('dialog').getByRole('button', { name: 'Dismiss' }).click()
    await messages(page).getByText('Dismissed.').waitFor()
    await nadia.post(`/vulnerabilities/${idOf('One')}/resolve`)
    await messages(page).getByRole('button', { name: 'Undo' }).click()
    await messages(page)
      .getByText(new RegExp(`^Nothing was changed: resolved by ${nadia.user?.name} .*, after your action\\.$`))
      .waitFor()
    expect(await states()).toEqual({ One: 'resolved' })
    await page.getByRole('main').getByText('Resolved', { exact: true }).waitFor()
    expect(await accessProblems(page)).toEqual([])
    await messages(page).getByRole('button', { name: 'Undo anyway' }).click()
    await messages(page).getByText('Undone.').waitFor()
    expect(await states()).toEqual({ One: 'detected' })
  })
})
