/// <reference lib="dom" />
import { randomUUID } from 'node:crypto'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Client, formWithFile } from '../../server/src/testing/client.ts'
import { copied, filled, rowOf } from './uploads.ts'
import { accessProblems, dialogs, startWeb, type Web } from './web.ts'

let web: Web
let maintainer: Client
beforeAll(async () => {
  web = await startWeb()
  maintainer = await web.server.user('maria')
})
afterAll(() => web?.close())

const unusedPath = (name: string) => `acme/${name}-${randomUUID().slice(0, 8)}`

async function openLinks(page: Page, name: string) {
  await page.getByRole('button', { name: `Actions for ${name}` }).click()
  await page.getByRole('menuitem', { name: 'Create link' }).click()
  const dialog = page.getByRole('dialog', { name: `Links to ${name}` })
  await dialog.waitFor()
  return dialog
}

describe('links to an upload', () => {
  test('are created with an expiration date, shown once, listed with their downloads and revoked', async () => {
    const path = unusedPath('linked')
    await filled(web, maintainer, path, [{ name: 'report.txt', buffer: 'for the auditor' }])
    const page = await web.open(`/${path}/-/uploads`, { as: maintainer })
    const dialog = await openLinks(page, 'report.txt')
    await dialog.getByText('No links to this file.').waitFor()

    await dialog.getByRole('textbox', { name: 'Name' }).fill('Auditor')
    const day = new Date(Date.now() + 3 * 24 * 60 * 60 * 1000).toISOString().slice(0, 10)
    await dialog.getByLabel('Expiration date').fill(day)
    await dialog.getByRole('button', { name: 'Create link' }).click()
    const created = dialog.getByRole('status', { name: 'New link' })
    const address = await created.getByRole('textbox').inputValue()
    expect(address).toMatch(/\/-\/links\/[\w-]{43}$/)
    await expect
      .poll(() => created.getByRole('textbox').evaluate((field) => field === document.activeElement))
      .toBe(true)
    await created.getByRole('button', { name: 'Copy link' }).click()
    expect(await copied(page)).toBe(address)
    const listed = dialog.getByRole('listitem').filter({ hasText: 'Auditor' })
    await expect.poll(() => listed.innerText()).toMatch(/0 downloads\. Expires in [23] days\./)
    expect(await listed.getByText('Expires').locator('time').last().getAttribute('datetime')).toBe(
      `${day}T00:00:00.000Z`,
    )

    const downloaded = await fetch(address)
    expect(await downloaded.text()).toBe('for the auditor')
    await page.keyboard.press('Escape')
    await expect.poll(() => dialog.count()).toBe(0)
    await page.reload()
    await openLinks(page, 'report.txt')
    await expect.poll(() => listed.innerText()).toContain('1 download, last just now.')
    expect(await dialog.innerText()).not.toContain(address)
    expect(await created.count()).toBe(0)

    await dialog.getByRole('button', { name: 'Revoke Auditor' }).click()
    const confirmation = page.getByRole('dialog', { name: 'Revoke Auditor?' })
    await confirmation.waitFor()
    expect(await accessProblems(page, dialogs)).toEqual([])
    await confirmation.getByRole('button', { name: 'Cancel' }).click()
    await dialog.getByRole('button', { name: 'Revoke Auditor' }).click()
    await confirmation.getByRole('button', { name: 'Revoke link' }).click()
    await dialog.getByText('No links to this file.').waitFor()
    expect((await fetch(address)).status).toBe(404)
  })

  test('are created by keyboard on a narrow screen, and a date that is too far away is explained', async () => {
    const path = unusedPath('narrow')
    await filled(web, maintainer, path, [{ name: 'report.txt', buffer: 'x' }])
    const page = await web.open(`/${path}/-/uploads`, { as: maintainer, width: 360, expects: /400/ })
    await page.getByRole('button', { name: 'Actions for report.txt' }).focus()
    await page.keyboard.press('Enter')
    await page.getByRole('menuitem', { name: 'Preview' }).waitFor()
    await page.keyboard.press('c')
    await page.keyboard.press('Enter')
    const dialog = page.getByRole('dialog', { name: 'Links to report.txt' })
    const name = dialog.getByRole('textbox', { name: 'Name' })
    await expect.poll(() => name.evaluate((field) => field === document.activeElement)).toBe(true)
    await dialog.getByLabel('Expiration date').fill('2999-01-01')
    await page.keyboard.press('Enter')
    await dialog.getByText('must be within 90 days, the maximum of this server').waitFor()
    await dialog.getByLabel('Expiration date').fill(new Date(Date.now() + 2 * 86_400_000).toISOString().slice(0, 10))
    await page.keyboard.press('Enter')
    await dialog.getByRole('status', { name: 'New link' }).waitFor()
    await dialog.getByRole('button', { name: /^Revoke Link \d+$/ }).waitFor()
    expect(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth)).toBe(true)
    expect(await dialog.evaluate((popup) => popup.scrollWidth <= popup.clientWidth)).toBe(true)
    expect(await accessProblems(page)).toEqual([])
    await page.keyboard.press('Escape')
    await expect
      .poll(() => page.evaluate(() => document.activeElement?.getAttribute('aria-label')))
      .toBe('Actions for report.txt')
  })

  test('are offered for groups, and only to users who may change uploads', async () => {
    const path = `papers-${randomUUID().slice(0, 8)}`
    const group = (await web.server.admin.post('/groups', { name: path, path })).body
    await web.server.admin.post(`/groups/${group.id}/members`, { user_id: maintainer.user?.id, access_level: 40 })
    await maintainer.post(`/groups/${group.id}/uploads`, formWithFile('file', 'paper.txt', 'of a group'))
    const page = await web.open(`/groups/${path}/-/uploads`, { as: maintainer })
    const dialog = await openLinks(page, 'paper.txt')
    await dialog.getByRole('button', { name: 'Create link' }).click()
    const address = await dialog.getByRole('status', { name: 'New link' }).getByRole('textbox').inputValue()
    expect(await (await fetch(address)).text()).toBe('of a group')

    const reader = await web.server.client(maintainer, { scopes: ['read_api'] })
    const other = await web.open(`/groups/${path}/-/uploads`, { as: reader })
    await rowOf(other, 'paper.txt').getByRole('button', { name: 'Actions for paper.txt' }).click()
    await expect.poll(() => other.getByRole('menuitem').allInnerTexts()).toEqual(['Preview', 'Download'])
  })
})
