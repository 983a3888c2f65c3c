/// <reference lib="dom" />
import { createHash, randomBytes, randomUUID } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Client } from '../../server/src/testing/client.ts'
import { choose, filled, note, visit } from './uploads.ts'
import { accessProblems, startWeb, type Web } from './web.ts'

const mebibyte = 1024 * 1024
const content = randomBytes(11 * mebibyte)
const folder = mkdtempSync(join(tmpdir(), 'alcove-resumable-'))
// A file on disk keeps its time of change, by which the browser recognises it after a reload.
const large = join(folder, 'large.bin')

let web: Web
let maintainer: Client
beforeAll(async () => {
  writeFileSync(large, content)
  web = await startWeb()
  maintainer = await web.server.user('maria')
})
afterAll(async () => {
  rmSync(folder, { recursive: true })
  await web?.close()
})

const unusedPath = (name: string) => `acme/${name}-${randomUUID().slice(0, 8)}`
const chooseLarge = (page: Page) => page.locator('input[type=file]').setInputFiles(large)

/** Records the offsets of the requests that send bytes, and handles those that `intercept` returns true for. */
async function watchParts(page: Page, intercept: (offset: number, attempt: number) => 'abort' | 'hang' | undefined) {
  const offsets: number[] = []
  await page.route('**/uploads/resumable/*', async (route) => {
    const request = route.request()
    if (request.method() !== 'PATCH') return route.continue()
    const offset = Number(request.headers()['upload-offset'])
    offsets.push(offset)
    const action = intercept(offset, offsets.length)
    if (action === 'abort') return route.abort()
    if (action === undefined) return route.continue()
  })
  return offsets
}

async function expectStored(id: number): Promise<void> {
  const { body } = await maintainer.get(`/projects/${id}/uploads?with_details=true`)
  expect(body).toMatchObject([{ filename: 'large.bin', size: content.length }])
  expect(body[0].sha256).toBe(createHash('sha256').update(content).digest('hex'))
}

describe('a file above 10 MiB', () => {
  test('continues by itself after a lost connection, and loads the code for it only then', async () => {
    const path = unusedPath('lost')
    const { id } = await filled(web, maintainer, path, [])
    const page = await web.open(`/${path}/-/uploads`, { as: maintainer, expects: /ERR_FAILED/ })
    const scripts: string[] = []
    page.on('request', (request) => scripts.push(request.url()))
    const offsets = await watchParts(page, (_, attempt) => (attempt === 2 ? 'abort' : undefined))
    await choose(page, note('small.txt'))
    await visit(page).getByRole('link', { name: 'small.txt' }).waitFor()
    expect(scripts.filter((address) => address.includes('tus-upload'))).toEqual([])
    expect(offsets).toEqual([])
    await maintainer.delete(`/projects/${id}/uploads/${(await maintainer.get(`/projects/${id}/uploads`)).body[0].id}`)

    await chooseLarge(page)
    await visit(page).getByRole('link', { name: 'large.bin' }).waitFor()
    expect(scripts.some((address) => address.includes('tus-upload'))).toBe(true)
    expect(offsets).toEqual([0, 8 * mebibyte, 8 * mebibyte])
    await visit(page).getByRole('button', { name: 'Copy Markdown', exact: true }).first().waitFor()
    await expectStored(id)
  })

  test('is refused in the words of the server before its bytes are sent', async () => {
    const path = unusedPath('refused')
    const { id } = await filled(web, maintainer, path, [])
    await web.server.admin.put(`/projects/${id}/uploads/limits`, { max_upload_bytes: 1_000_000 })
    const page = await web.open(`/${path}/-/uploads`, { as: maintainer, expects: /413/ })
    // The limits that the page loaded allow the file.
    const limits = { max_upload_bytes: 1e9, quota_bytes: null, used_bytes: 0, files: 0, unfinished_bytes: 0 }
    await page.route('**/uploads/limits', (route) => route.fulfill({ json: limits }))
    const offsets = await watchParts(page, () => undefined)
    await chooseLarge(page)
    await visit(page).getByText('File is 11 MiB; this project takes files of up to 976.6 KiB.').waitFor()
    await visit(page).getByRole('button', { name: 'Retry large.bin' }).waitFor()
    expect(offsets).toEqual([])
  })

  test('can be paused, resumed and canceled by keyboard on a narrow screen', async () => {
    const path = unusedPath('paused')
    const { id } = await filled(web, maintainer, path, [])
    const page = await web.open(`/${path}/-/uploads`, { as: maintainer, width: 360 })
    let isStuck = true
    const offsets = await watchParts(page, (offset) => (isStuck && offset > 0 ? 'hang' : undefined))
    await chooseLarge(page)
    await expect.poll(() => offsets).toEqual([0, 8 * mebibyte])
    const bar = visit(page).getByRole('progressbar', { name: 'Upload of large.bin' })
    expect(Number(await bar.getAttribute('value'))).toBeGreaterThanOrEqual(8 * mebibyte)
    await visit(page).getByRole('button', { name: 'Pause large.bin' }).focus()
    await page.keyboard.press('Enter')
    await visit(page).getByText('of 11 MiB, paused').waitFor()
    await expect.poll(() => page.getByRole('status').allInnerTexts()).toContain('1 upload paused.')
    expect(await accessProblems(page)).toEqual([])
    expect(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth)).toBe(true)

    isStuck = false
    await visit(page).getByRole('button', { name: 'Resume large.bin' }).focus()
    await page.keyboard.press('Enter')
    await visit(page).getByRole('link', { name: 'large.bin' }).waitFor()
    expect(offsets).toEqual([0, 8 * mebibyte, 8 * mebibyte])
    await expectStored(id)

    isStuck = true
    await chooseLarge(page)
    await expect.poll(() => offsets.length).toBe(5)
    const ended = page.waitForResponse((response) => response.request().method() === 'DELETE')
    await visit(page).getByRole('button', { name: 'Cancel large.bin' }).click()
    await visit(page).getByText('Canceled').waitFor()
    expect((await ended).status()).toBe(204)
  })

  test('continues after a reload when the same file is chosen again, and is stored once', async () => {
    const path = unusedPath('reloaded')
    const { id } = await filled(web, maintainer, path, [])
    const page = await web.open(`/${path}/-/uploads`, { as: maintainer })
    let isStuck = true
    const offsets = await watchParts(page, (offset) => (isStuck && offset > 0 ? 'hang' : undefined))
    await chooseLarge(page)
    await expect.poll(() => offsets).toEqual([0, 8 * mebibyte])
    await visit(page).getByRole('button', { name: 'Pause large.bin' }).click()
    await visit(page).getByText('of 11 MiB, paused').waitFor()
    isStuck = false
    await page.reload()
    await chooseLarge(page)
    await visit(page).getByRole('link', { name: 'large.bin' }).waitFor()
    expect(offsets).toEqual([0, 8 * mebibyte, 8 * mebibyte])
    await expectStored(id)
    // A finished upload is not continued: the same file can be uploaded again.
    expect(await page.evaluate(() => Object.keys(localStorage).filter((key) => key.startsWith('tus::')))).toEqual([])
  })
})
