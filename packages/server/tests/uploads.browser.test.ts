import { existsSync, readdirSync, readFileSync } from 'node:fs'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openBrowser } from './browser.ts'
import { type ServerProcess, startProcess } from './process.ts'

let server: ServerProcess
let browser: Browser
let projectId: number
beforeAll(async () => {
  server = await startProcess()
  browser = await openBrowser()
  const headers = { 'PRIVATE-TOKEN': server.token, 'content-type': 'application/json' }
  const body = JSON.stringify({ name: 'Browser', visibility: 'public' })
  const created = await fetch(`${server.url}/api/v4/projects`, { method: 'POST', headers, body })
  projectId = ((await created.json()) as { id: number }).id
})
afterAll(async () => {
  await browser?.close()
  await server?.stop()
})

async function upload(name: string, content: string | Uint8Array): Promise<string> {
  const form = new FormData()
  form.append('file', new Blob([Buffer.from(content)]), name)
  const reply = await fetch(`${server.url}/api/v4/projects/${projectId}/uploads`, {
    method: 'POST',
    headers: { 'PRIVATE-TOKEN': server.token },
    body: form,
  })
  expect([name, reply.status]).toEqual([name, 201])
  return server.url + ((await reply.json()) as { full_path: string }).full_path
}

/** Opens the address in a browser of its own and tells what it did there: anything but one request is an attack. */
async function visit(
  open: (page: Page) => Promise<unknown>,
): Promise<{ requests: string[]; dialogs: number; saved: string[] }> {
  const context = await browser.newContext({ acceptDownloads: true })
  const page = await context.newPage()
  const seen = { requests: [] as string[], dialogs: 0, saved: [] as string[] }
  page.on('request', (request) => seen.requests.push(new URL(request.url()).pathname))
  page.on('dialog', (dialog) => {
    seen.dialogs++
    void dialog.dismiss()
  })
  page.on('download', (download) => seen.saved.push(download.suggestedFilename()))
  try {
    // A download ends the navigation with an error.
    await open(page).catch(() => undefined)
    await page.waitForTimeout(150)
    return seen
  } finally {
    await context.close()
  }
}

const attack = `fetch('/pwned');alert(1);document.title='pwned'`
const attacks: Record<string, string> = {
  'page.html': `<!doctype html><title>x</title><script>${attack}</script><img src=/pwned>`,
  'page.xhtml': `<html xmlns="http://www.w3.org/1999/xhtml"><head><script>${attack}</script></head></html>`,
  'onload.svg': `<svg xmlns="http://www.w3.org/2000/svg" onload="${attack}"><script>${attack}</script></svg>`,
  'sheet.xml': `<?xml version="1.0"?><?xml-stylesheet href="/pwned" type="text/xsl"?><x/>`,
  'code.js': attack,
  'html-as.png': `<!doctype html><script>${attack}</script>`,
  'html-as.pdf': `<!doctype html><script>${attack}</script>`,
  'html-as.mp4': `<!doctype html><script>${attack}</script>`,
  'notes.txt': `<!doctype html><script>${attack}</script>`,
  noextension: `<!doctype html><script>${attack}</script>`,
}

describe('a real browser', () => {
  test('detects an attack that runs', async () => {
    const seen = await visit(async (page) => {
      await page.goto(`${server.url}/`)
      await page.evaluate(attack)
    })
    expect(seen.requests).toContain('/pwned')
    expect(seen.dialogs).toBe(1)
  })

  test.for(Object.entries(attacks))('never runs %s in the server’s origin', async ([name, content]) => {
    const address = await upload(name, content)
    const seen = await visit((page) => page.goto(address))
    expect([seen.dialogs, seen.requests.includes('/pwned')]).toEqual([0, false])
    // A browser without a window has no viewer for PDF and saves it.
    const isShown = /\.(png|mp4)$/.test(name)
    expect(seen.saved).toEqual(isShown ? [] : [name])
  })

  test('cannot load an uploaded script or frame an uploaded page', async () => {
    const [code, html] = [await upload('code.js', attack), await upload('page.html', attacks['page.html'] ?? '')]
    const seen = await visit(async (page) => {
      await page.goto(`${server.url}/`)
      await page.setContent(
        `<script src="${code}"></script><iframe src="${html}"></iframe><object data="${html}"></object>`,
      )
    })
    expect([seen.dialogs, seen.requests.includes('/pwned')]).toEqual([0, false])
  })

  test('offers a PDF to its viewer, or saves it without one', async () => {
    const address = await upload('report.pdf', '%PDF-1.1\n%%EOF')
    const { headers } = await fetch(address)
    expect(headers.get('content-type')).toBe('application/pdf')
    expect(headers.get('content-disposition')).toMatch(/^inline;/)
    const seen = await visit(async (page) => {
      expect(await page.evaluate('navigator.pdfViewerEnabled')).toBe(false)
      await page.goto(address)
    })
    expect(seen).toMatchObject({ saved: ['report.pdf'], dialogs: 0 })
  })

  test('shows an uploaded image with its name', async () => {
    const png = Buffer.from(
      'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
      'base64',
    )
    const address = await upload('Grüße.png', png)
    const context = await browser.newContext()
    const page = await context.newPage()
    await page.goto(`${server.url}/`)
    await page.setContent(`<img src="${address}">`)
    await page.waitForFunction('document.images[0].complete')
    expect(await page.evaluate('document.images[0].naturalWidth')).toBe(1)
    await context.close()
  })
})

const attachments = new URL('../../../../shared/data/attachments/', import.meta.url)
describe.runIf(existsSync(attachments))('the collected files', () => {
  const risky = /\.(html?|xhtml|svg|xml|js|pdf|md|txt|png|jpe?g|gif|ico|webp)$/i
  test('are shown or saved without other requests or dialogs', async () => {
    for (const name of readdirSync(attachments).filter((file) => risky.test(file))) {
      const address = await upload(name, readFileSync(new URL(name, attachments)))
      const seen = await visit((page) => page.goto(address))
      expect([name, seen.dialogs, seen.requests]).toEqual([name, 0, [new URL(address).pathname]])
    }
  }, 120_000)
})
