/// <reference lib="dom" />
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Client } from '../../server/src/testing/client.ts'
import { copied, pasteInto, visit } from './uploads.ts'
import { accessProblems, startWeb, type Web } from './web.ts'

let web: Web
let guest: Client
beforeAll(async () => {
  web = await startWeb()
  const project = await web.server.project('acme/shop')
  guest = await web.server.as('guest', project)
})
afterAll(() => web?.close())

describe('the Markdown pad', () => {
  test('inserts screenshots at the cursor, each at its position, and renders them', async () => {
    const page = await web.open('/acme/shop/-/uploads/pad', { as: guest })
    await page.getByText('Nothing to preview').waitFor()
    const text = page.getByRole('textbox', { name: 'Markdown' })
    await text.fill('Before\n\n\n\nAfter')
    await text.evaluate((area: HTMLTextAreaElement) => area.setSelectionRange(8, 8))
    const waiting: (() => void)[] = []
    await page.route('**/api/v4/projects/*/uploads', async (route) => {
      await new Promise<void>((resolve) => waiting.push(resolve))
      await route.continue()
    })
    await pasteInto(page, 'textarea', 'one.png', 'two.png')
    await expect
      .poll(() => text.inputValue())
      .toBe('Before\n\n![uploading one.png …]()\n![uploading two.png …]()\n\nAfter')
    // The user keeps typing, and the cursor keeps its position.
    await text.press('Control+End')
    await text.pressSequentially(' all')
    await expect.poll(() => waiting.length).toBe(2)
    // Each upload replaces its own placeholder, in any order.
    waiting[1]?.()
    await expect
      .poll(() => text.inputValue())
      .toMatch(
        /^Before\n\n(!\[uploading one\.png …\]\(\)\n!\[two\]\(\/uploads\/|!\[one\]\(\/uploads\/[^)]*\)\n!\[uploading two\.png …\]\(\))/,
      )
    await text.pressSequentially(' of it')
    waiting[0]?.()
    await expect
      .poll(() => text.inputValue())
      .toMatch(
        /^Before\n\n!\[one\]\(\/uploads\/[0-9a-f]{32}\/one\.png\)\n!\[two\]\(\/uploads\/[0-9a-f]{32}\/two\.png\)\n\nAfter all of it$/,
      )
    const preview = page.getByRole('region', { name: 'Preview' })
    const widths = () =>
      preview.locator('img').evaluateAll((images) => images.map((image) => (image as HTMLImageElement).naturalWidth))
    await expect.poll(widths).toEqual([10, 10])
    expect(await accessProblems(page)).toEqual([])

    const written = await text.inputValue()
    await page.getByRole('button', { name: 'Copy all', exact: true }).click()
    expect(await copied(page)).toBe(written)
    await page.reload()
    await expect.poll(() => text.inputValue()).toBe(written)
    await page.getByRole('button', { name: 'Clear' }).click()
    await expect.poll(() => text.inputValue()).toBe('')
    await page.getByRole('button', { name: 'Undo' }).click()
    await expect.poll(() => text.inputValue()).toBe(written)
  })

  test('marks failed uploads in the text, and replaces the mark after a retry', async () => {
    const page = await web.open('/acme/shop/-/uploads', { as: guest, expects: /503/ })
    await page.getByRole('link', { name: 'Markdown pad' }).click()
    const text = page.getByRole('textbox', { name: 'Markdown' })
    let isAway = true
    await page.route('**/api/v4/projects/*/uploads', (route) =>
      isAway ? route.fulfill({ status: 503, json: { message: '503 Service Unavailable' } }) : route.continue(),
    )
    await pasteInto(page, 'textarea', 'shot.png')
    await expect.poll(() => text.inputValue()).toBe('![shot.png was not uploaded]()')
    isAway = false
    await visit(page).getByRole('button', { name: 'Retry shot.png' }).click()
    // Also while another page is shown.
    await page.getByRole('navigation', { name: 'Breadcrumbs' }).getByRole('link', { name: 'Uploads' }).click()
    await visit(page).getByRole('link', { name: 'shot.png' }).waitFor()
    await page.getByRole('link', { name: 'Markdown pad' }).click()
    await expect.poll(() => text.inputValue()).toMatch(/^!\[shot\]\(\/uploads\//)
  })

  test('shows either the text or the preview on a narrow screen', async () => {
    const page = await web.open('/acme/shop/-/uploads/pad', { as: guest, width: 360, theme: 'dark' })
    await page.getByRole('textbox', { name: 'Markdown' }).fill('Some **bold** words')
    await page.getByRole('button', { name: 'Preview' }).click()
    await page.getByRole('region', { name: 'Preview' }).locator('strong').waitFor()
    await expect.poll(() => page.getByRole('textbox').count()).toBe(0)
    expect(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth)).toBe(true)
    expect(await accessProblems(page)).toEqual([])
    await page.reload()
    await page.getByRole('region', { name: 'Preview' }).locator('strong').waitFor()
  })
})
