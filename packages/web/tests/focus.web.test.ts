/// <reference lib="dom" />
import type { Locator, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { formWithFile } from '../../server/src/testing/client.ts'
import { entry, sastReport } from '../../server/src/testing/reports.ts'
import type { TestProject } from '../../server/src/testing/server.ts'
import { startWeb, type Web } from './web.ts'

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

describe('the focus', () => {
  test('goes back to what opened a dialog, and on to the next row when the row is gone', async () => {
    for (const name of ['fred-one', 'fred-two', 'fred-three']) {
      const { user } = await web.server.user(name)
      await web.server.admin.post(`/projects/${project.id}/members`, { user_id: user?.id, access_level: 20 })
    }
    const page = await web.open('/acme/shop/-/members?search=fred', { as: web.server.admin })
    const actions = page.getByRole('button', { name: 'Actions for fred-two' })
    const dialog = page.getByRole('dialog')
    await press(page, actions)
    await press(page, page.getByRole('menuitem', { name: 'Change' }))
    await focused(page, dialog.getByLabel('Role'))
    await page.keyboard.press('Escape')
    await focused(page, actions)

    await page.keyboard.press('Enter')
    await press(page, page.getByRole('menuitem', { name: 'Remove' }))
    await press(page, dialog.getByRole('button', { name: 'Remove' }))
    await page.getByText('fred-two is no longer a member.').waitFor()
    await focused(page, page.getByRole('link', { name: 'fred-three' }))
  })

  test('stays on a button that is at work, which is not pressed again', async () => {
    const page = await web.open('/acme/shop/-/settings', { as: web.server.admin })
    let sent = 0
    await page.route(`**/api/v4/projects/${project.id}`, async (route) => {
      if (route.request().method() === 'PUT') sent++
      await new Promise((resolve) => setTimeout(resolve, 300))
      await route.continue()
    })
    const save = page.getByRole('button', { name: 'Save', exact: true })
    await press(page, save)
    await expect.poll(() => save.getAttribute('aria-busy')).toBe('true')
    await page.keyboard.press('Enter')
    await page.getByText('Saved.').waitFor()
    await focused(page, save)
    expect(sent).toBe(1)
  })

  test('goes back to the text when its button can be pressed no more, and on when a filter is taken out', async () => {
    const report = JSON.stringify(sastReport([entry({ line: 1 })]))
    const form = formWithFile('file', 'report.json', report, { promote: 'true' })
    await web.server.admin.post(`/projects/${project.id}/security_reports`, form)
    const { body } = await web.server.admin.get(`/projects/${project.id}/vulnerabilities`)
    const page = await web.open(`/acme/shop/-/vulnerabilities/${body[0].id}`, { as: web.server.admin })
    await page.getByLabel('Write a note').fill('Seen')
    await press(page, page.getByRole('button', { name: 'Add note' }))
    await focused(page, page.getByLabel('Write a note'))

    await page.goto('/acme/shop/-/vulnerabilities?severity=medium&report_type=sast')
    await press(page, page.getByRole('button', { name: 'Remove the filter Severity: Medium' }))
    await page.waitForURL((url) => !url.search.includes('severity'))
    await expect.poll(() => page.evaluate(() => document.activeElement?.getAttribute('aria-label'))).toMatch(/^Remove/)
  })
})
