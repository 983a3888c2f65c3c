/// <reference lib="dom" />
import type { Locator, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { formWithFile } from '../../server/src/testing/client.ts'
import { entry, sastReport } from '../../server/src/testing/reports/reports.ts'
import type { TestProject } from '../../server/src/testing/server.ts'
import { startWeb, visit, type Web } from './web.ts'

let web: Web
let project: TestProject
beforeAll(async () => {
  web = await startWeb()
  project = await web.server.project('acme/shop')
})
afterAll(() => web?.close())

async function press(page: Page, target: Locator): Promise<void> {
  await target.focus()
  await page.keyboard.press('Enter')
}

const focused = (page: Page, target: Locator) => target.and(page.locator(':focus')).waitFor()

describe('the keyboard focus', () => {
  test('returns to the control that opened a dialog, and moves to the next row when the row is deleted', async () => {
    for (const name of ['fred-one', 'fred-two', 'fred-three']) {
      const { user } = await web.server.user(name)
      await web.server.admin.post(`/projects/${project.id}/members`, { user_id: user?.id, access_level: 20 })
    }
    const page = await web.open('/acme/shop/-/members?search=fred', { as: web.server.admin })
    const actions = page.getByRole('button', { name: 'Actions for fred-two' })
    const dialog = page.getByRole('dialog')
    await press(page, actions)
    await press(page, page.getByRole('menuitem', { name: 'Edit' }))
    await focused(page, dialog.getByLabel('Role'))
    await page.keyboard.press('Escape')
    await focused(page, actions)

    await page.keyboard.press('Enter')
    await press(page, page.getByRole('menuitem', { name: 'Remove' }))
    await press(page, dialog.getByRole('button', { name: 'Remove' }))
    await page.getByText('fred-two removed.').waitFor()
    await focused(page, page.getByRole('link', { name: 'fred-three' }))
  })

  test('stays on a busy button, which cannot be pressed again', async () => {
    const page = await web.open('/acme/shop/-/settings', { as: web.server.admin })
    let sent = 0
    let release = () => {}
    const released = new Promise<void>((resolve) => (release = resolve))
    await page.route(`**/api/v4/projects/${project.id}`, async (route) => {
      if (route.request().method() === 'PUT') sent++
      await released
      await route.continue()
    })
    const save = page.getByRole('button', { name: 'Save', exact: true })
    await press(page, save)
    await expect.poll(() => save.getAttribute('aria-busy')).toBe('true')
    await page.keyboard.press('Enter')
    release()
    await page.getByText('Saved.').waitFor()
    await focused(page, save)
    expect(sent).toBe(1)
  })

  test('stays on Save when the form is rendered again, so that Enter does not remove anything', async () => {
    const { body: topic } = await web.server.admin.post('/topics', { name: 'web', title: 'Web' })
    await web.server.admin.post(`/topics/${topic.id}/aliases`, { name: 'front-end' })
    const page = await web.open(`/-/admin/topics/${topic.id}`, { as: web.server.admin })
    await page.getByLabel('Title').fill('The web')
    const save = page.getByRole('button', { name: 'Save' })
    await press(page, save)
    await page.getByRole('heading', { name: 'The web', level: 1 }).waitFor()
    await focused(page, save)
    await page.keyboard.press('Enter')
    await page.getByRole('list', { name: 'Aliases' }).getByText('front-end').waitFor()
    const { body } = await web.server.admin.get(`/topics/${topic.id}/aliases`)
    expect(body).toMatchObject([{ name: 'front-end' }])

    await press(page, page.getByRole('button', { name: 'Remove front-end' }))
    await focused(page, page.getByRole('heading', { name: 'Aliases' }))
  })

  test('does not move to another button when one is disabled or removed, on all screens with forms', async () => {
    const { body: topic } = await web.server.admin.post('/topics', { name: 'ui', title: 'UI' })
    for (const name of ['a', 'b']) await web.server.admin.post(`/topics/${topic.id}/aliases`, { name })
    const { user } = await web.server.user('gina')
    const hook = await web.server.admin.post(`/projects/${project.id}/hooks`, { url: 'https://hooks.test/1' })
    const report = formWithFile('file', 'report.json', JSON.stringify(sastReport([entry({ line: 7 })])), {
      promote: 'true',
    })
    await web.server.admin.post(`/projects/${project.id}/security_reports`, report)
    const [{ id: vulnerability }] = (await web.server.admin.get(`/projects/${project.id}/vulnerabilities`)).body
    const screens = [
      ...[`/-/admin/topics/${topic.id}`, '/-/admin/topics/file', '/-/admin/organizations', '/-/admin/users/new'],
      ...[`/-/admin/users/${user?.id}`, '/-/admin/settings', '/-/profile', '/-/profile/tokens', '/-/projects/new'],
      ...['/-/groups/new', '/acme/shop', '/acme/shop/-/settings', '/acme/shop/-/settings/uploads'],
      ...[`/acme/shop/-/settings/hooks/${hook.body.id}`, '/acme/shop/-/members', '/acme/shop/-/uploads'],
      ...['/acme/shop/-/reports/new', `/acme/shop/-/vulnerabilities/${vulnerability}`, '/groups/acme/-/settings'],
    ]
    const page = await web.open('/', { as: web.server.admin })
    const moved: string[] = []
    let tried = 0
    for (const screen of screens) {
      await visit(page, screen)
      const found = await page.evaluate(async () => {
        const name = (element: Element | null) =>
          element?.getAttribute('aria-label') ?? element?.textContent ?? 'nothing'
        const buttons = [...document.querySelectorAll<HTMLButtonElement>('main button:not(:disabled)')]
        const onto: string[] = []
        let tried = 0
        for (const button of buttons.filter((one) => one.checkVisibility())) {
          button.focus()
          if (document.activeElement !== button) continue
          tried += 1
          button.disabled = true
          const deadline = performance.now() + 2_000
          const isLost = () => document.activeElement === button || document.activeElement === document.body
          while (isLost() && performance.now() < deadline) await new Promise(requestAnimationFrame)
          const now = document.activeElement
          if (isLost() || now?.matches('button:not([data-focus-safe])')) onto.push(`${name(button)} → ${name(now)}`)
          button.disabled = false
        }
        return { onto, tried }
      })
      tried += found.tried
      moved.push(...found.onto.map((one) => `${screen}: ${one}`))
    }
    expect(moved).toEqual([])
    expect(tried).toBeGreaterThan(screens.length)
  })

  test('returns to the text field when its button is disabled, and moves on when a filter is removed', async () => {
    const report = JSON.stringify(sastReport([entry({ line: 1 })]))
    const form = formWithFile('file', 'report.json', report, { promote: 'true' })
    await web.server.admin.post(`/projects/${project.id}/security_reports`, form)
    const { body } = await web.server.admin.get(`/projects/${project.id}/vulnerabilities`)
    const page = await web.open(`/acme/shop/-/vulnerabilities/${body[0].id}`, { as: web.server.admin })
    await page.getByLabel('Add a comment').fill('Seen')
    await press(page, page.getByRole('button', { name: 'Comment', exact: true }))
    await focused(page, page.getByLabel('Add a comment'))

    await page.goto('/acme/shop/-/vulnerabilities?severity=medium&report_type=sast')
    await press(page, page.getByRole('button', { name: 'Remove filter Severity: Medium' }))
    await page.waitForURL((url) => !url.search.includes('severity'))
    await expect.poll(() => page.evaluate(() => document.activeElement?.getAttribute('aria-label'))).toMatch(/^Remove/)
  })

  test('moves to the content of a page that opens by a key', async () => {
    const report = JSON.stringify(sastReport([entry({ line: 3 })]))
    const form = formWithFile('file', 'report.json', report, { promote: 'true' })
    await web.server.admin.post(`/projects/${project.id}/security_reports`, form)
    const page = await web.open('/acme/shop/-/vulnerabilities', { as: web.server.admin })
    await page.getByRole('grid').focus()
    await page.keyboard.press('Shift+Enter')
    await page.getByRole('region', { name: 'Summary' }).waitFor()
    await focused(page, page.getByRole('main'))

    await page.goBack()
    const grid = page.getByRole('grid')
    await grid.waitFor()
    await focused(page, page.getByRole('main'))
    await page.keyboard.press('d')
    await page.getByRole('dialog').waitFor()
    await page.keyboard.press('Escape')
    await focused(page, grid)
  })
})
