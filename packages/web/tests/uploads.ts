/// <reference lib="dom" />
import type { Page } from 'playwright-core'
import { expect } from 'vitest'
import { type Client, formWithFile } from '../../server/src/testing/client.ts'
import type { TestProject } from '../../server/src/testing/server.ts'
import type { Web } from './web.ts'

/** PNG image of 10 × 4 pixels. */
export const picture = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAoAAAAECAIAAAA4WjmaAAAAEUlEQVR4nGNQSjuDBzHQUhoAxGA1IQLmjYwAAAAASUVORK5CYII=',
  'base64',
)
export const shot = (name: string) => ({ name, mimeType: 'image/png', buffer: picture })
export const note = (name: string, text = 'Nothing special.') => ({
  name,
  mimeType: 'text/plain',
  buffer: Buffer.from(text),
})

export const choose = (page: Page, ...files: { name: string; mimeType: string; buffer: Buffer }[]) =>
  page.locator('input[type=file]').setInputFiles(files)
export const visit = (page: Page) => page.getByRole('region', { name: 'Recent uploads' })
export const rowOf = (page: Page, name: string) => page.getByRole('table').getByRole('row').filter({ hasText: name })
export const copied = (page: Page) => page.evaluate(() => navigator.clipboard.readText())

/** Creates a project whose maintainer uploads these files in this order. */
export async function filled(
  web: Web,
  maintainer: Client,
  path: string,
  files: readonly { name: string; buffer: Buffer | string }[],
): Promise<TestProject> {
  const made = await web.server.project(path)
  await web.server.admin.post(`/projects/${made.id}/members`, { user_id: maintainer.user?.id, access_level: 40 })
  for (const { name, buffer } of files) {
    const reply = await maintainer.post(`/projects/${made.id}/uploads`, formWithFile('file', name, buffer))
    expect(reply.status).toBe(201)
  }
  return made
}

/** Simulates pasting images with these names. */
export async function pasteInto(page: Page, selector: string, ...names: string[]): Promise<void> {
  await page.locator(selector).evaluate(
    (element, { names, base64 }) => {
      const bytes = Uint8Array.from(atob(base64), (character) => character.charCodeAt(0))
      const data = new DataTransfer()
      for (const name of names) data.items.add(new File([bytes], name, { type: 'image/png' }))
      element.dispatchEvent(new ClipboardEvent('paste', { clipboardData: data, bubbles: true, cancelable: true }))
    },
    { names, base64: picture.toString('base64') },
  )
}
