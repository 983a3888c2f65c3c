/// <reference lib="dom" />
import { existsSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Client } from '../../server/src/testing/client.ts'
import { filled, picture } from './uploads.ts'
import { accessProblems, quiet, startWeb, type Web } from './web.ts'

let web: Web
let maintainer: Client
beforeAll(async () => {
  web = await startWeb()
  const project = await web.server.project('acme/shop')
  maintainer = await web.server.as('maintainer', project)
})
afterAll(() => web?.close())

describe('the upload preview', () => {
  test('shows each kind of file safely, and moves on with the arrow keys', async () => {
    const html = '<!doctype html><script>document.title = "ran"</script><b>bold</b>'
    const shown = await filled(web, maintainer, 'acme/shown', [
      { name: 'data.bin', buffer: Buffer.from([1, 0, 2, 255]) },
      { name: 'page.html', buffer: html },
      {
        name: 'script.svg',
        buffer: '<svg xmlns="http://www.w3.org/2000/svg" width="8" height="8"><script>top.ran = 1</script></svg>',
      },
      { name: 'shot.png', buffer: picture },
      { name: 'README', buffer: 'Read me.' },
      { name: 'paper.pdf', buffer: '%PDF-1.4' },
      { name: 'long.log', buffer: `${'A line of a log\n'.repeat(20_000)}THE END` },
    ])
    const page = await web.open('/acme/shown/-/uploads', { as: maintainer })
    const dialog = page.getByRole('dialog')
    const isShown = (name: string) => page.getByRole('dialog', { name, exact: true }).waitFor()
    await page.getByRole('link', { name: 'long.log', exact: true }).click()
    await isShown('long.log')
    await page.goBack()
    await dialog.waitFor({ state: 'detached' })
    await page.goForward()
    await isShown('long.log')
    await dialog.getByText('Showing the first 256 KiB of 313 KiB.').waitFor()
    expect(await dialog.innerText()).not.toContain('THE END')
    expect(await accessProblems(page)).toEqual([])

    await page.keyboard.press('ArrowRight')
    await isShown('paper.pdf')
    await dialog.getByText('Your browser cannot display PDF files in a page.').waitFor()
    await page.keyboard.press('ArrowRight')
    await isShown('README')
    await dialog.getByText('Read me.').waitFor()
    await page.keyboard.press('ArrowRight')
    await isShown('shot.png')
    await dialog.getByText('10 × 4').waitFor()
    await dialog.getByRole('button', { name: 'Show at 100%' }).click()
    await dialog.getByRole('button', { name: 'Fit to window' }).waitFor()
    expect(await accessProblems(page)).toEqual([])
    await page.keyboard.press('ArrowRight')
    await isShown('script.svg')
    await dialog.getByText('8 × 8').waitFor()
    await page.keyboard.press('ArrowRight')
    await isShown('page.html')
    await dialog.getByText('<b>bold</b>').waitFor()
    await page.keyboard.press('ArrowRight')
    await isShown('data.bin')
    const { body: rows } = await web.server.admin.get(`/projects/${shown.id}/uploads?with_details=true&search=data`)
    await dialog.getByText(rows[0].sha256).waitFor()
    expect(await accessProblems(page)).toEqual([])
    expect(await page.evaluate(() => ('ran' in window ? 'ran' : document.title))).not.toBe('ran')

    await page.keyboard.press('ArrowRight')
    await isShown('data.bin')
    await page.reload()
    await isShown('data.bin')
    await page.keyboard.press('Escape')
    await dialog.waitFor({ state: 'detached' })
    expect(new URL(page.url()).search).toBe('')
  })

  test('plays video and audio, and shows an error for a broken file', async () => {
    await filled(web, maintainer, 'acme/players', [
      { name: 'broken.png', buffer: 'no picture' },
      { name: 'sound.wav', buffer: silence() },
    ])
    const page = await web.open('/acme/players/-/uploads', { as: maintainer, expects: /404/ })
    await page.getByRole('link', { name: 'sound.wav', exact: true }).click()
    const player = page.getByRole('dialog').locator('audio')
    await expect.poll(() => player.evaluate((audio: HTMLAudioElement) => audio.duration)).toBe(1)
    expect(await accessProblems(page)).toEqual([])
    await page.keyboard.press('ArrowRight')
    await page.getByText('Your browser cannot display this image').waitFor()
  })

  test('shows a PDF in a frame when the browser has a viewer', async () => {
    const papers = await filled(web, maintainer, 'acme/papers', [{ name: 'paper.pdf', buffer: '%PDF-1.4' }])
    const { body: rows } = await web.server.admin.get(`/projects/${papers.id}/uploads`)
    const page = await web.open('/acme/papers', { as: maintainer, isChanged: true })
    await page.addInitScript(() => Object.defineProperty(navigator, 'pdfViewerEnabled', { value: true }))
    await page.goto(`/acme/papers/-/uploads?preview=${rows[0].id}`)
    const frame = page.getByRole('dialog', { name: 'paper.pdf' }).locator('iframe[title="paper.pdf"]')
    expect(await frame.getAttribute('src')).toMatch(/^blob:/)
  })

  test('of a file on another page of the list, or of a missing one, can be opened by URL', async () => {
    const two = await filled(web, maintainer, 'acme/two', [
      { name: 'old.txt', buffer: 'Old.' },
      { name: 'new.txt', buffer: 'New.' },
    ])
    const { body: rows } = await web.server.admin.get(`/projects/${two.id}/uploads?search=old`)
    const page = await web.open(`/acme/two/-/uploads?search=new&preview=${rows[0].id}`, { as: maintainer })
    await page.getByRole('dialog', { name: 'old.txt' }).getByText('Old.', { exact: true }).waitFor()
    await page.goto('/acme/two/-/uploads?preview=999999')
    await page.getByText('File not found').waitFor()
    expect(await accessProblems(page)).toEqual([])
  })
})

const collection = fileURLToPath(new URL('../../../../shared/data/attachments/', import.meta.url))
const hostile = [
  'page.html',
  'page.xhtml',
  'double-extension.jpg.html',
  'html-as.png',
  'polyglot-js.gif',
  'notes.md',
].concat(
  ['script.svg', 'onload.svg', 'foreign-object.svg', 'external-reference.svg', 'xxe.svg', 'entity-bomb.svg'],
  ['open-action.pdf', 'truncated.jpg', 'utf16.txt', 'one-line-300k.txt', 'zip-bomb.zip'],
)

test.skipIf(!existsSync(collection))('hostile files run no scripts and send no requests', async () => {
  const files = hostile.map((name) => ({ name, buffer: readFileSync(collection + name) }))
  await filled(web, maintainer, 'acme/hostile', files)
  const page = await web.open('/acme/hostile', { as: maintainer, expects: /404/ })
  const events: string[] = []
  page.on('request', (request) => /^(blob:)?http:\/\/127/.test(request.url()) || events.push(request.url()))
  page.on('dialog', (dialog) => events.push(dialog.message()))
  page.on('popup', (popup) => events.push(popup.url()))
  page.on('download', (download) => events.push(download.url()))
  await page.getByRole('link', { name: 'Uploads' }).click()
  await page.getByRole('link', { name: 'zip-bomb.zip', exact: true }).click()
  for (const name of hostile.toReversed()) {
    await page.getByRole('dialog', { name, exact: true }).waitFor()
    await quiet(page)
    await page.keyboard.press('ArrowRight')
  }
  expect(await page.title()).toMatch(/^Uploads · /)
  expect(events).toEqual([])
})

/** One second of audio at 8,000 samples per second. */
function silence(): Buffer {
  const bytes = Buffer.alloc(44 + 8000, 128)
  bytes.write('RIFF', 0)
  bytes.writeUInt32LE(36 + 8000, 4)
  bytes.write('WAVEfmt ', 8)
  bytes.writeUInt32LE(16, 16)
  bytes.writeUInt16LE(1, 20)
  bytes.writeUInt16LE(1, 22)
  bytes.writeUInt32LE(8000, 24)
  bytes.writeUInt32LE(8000, 28)
  bytes.writeUInt16LE(1, 32)
  bytes.writeUInt16LE(8, 34)
  bytes.write('data', 36)
  bytes.writeUInt32LE(8000, 40)
  return bytes
}
