/// <reference lib="dom" />
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Client, formWithFile } from '../../server/src/testing/client.ts'
import { entry, sastReport } from '../../server/src/testing/reports/reports.ts'
import type { TestProject } from '../../server/src/testing/server.ts'
import { quiet, startWeb, type Web } from './web.ts'

let web: Web
let project: TestProject
let developer: Client
let folder: string
let report: string
beforeAll(async () => {
  web = await startWeb()
  project = await web.server.project('acme/shop')
  developer = await web.server.as('developer', project)
  folder = await mkdtemp(join(tmpdir(), 'alcove-drops-'))
  report = join(folder, 'gl-sast-report.json')
  await writeFile(report, JSON.stringify(sastReport([entry({ line: 10 })])))
})
afterAll(async () => {
  await web?.close()
  await rm(folder, { recursive: true, force: true })
})

/** Simulates a drop from the desktop, which the browser handles itself if the page does not. */
async function drop(page: Page, x: number, y: number, ...files: string[]): Promise<void> {
  const session = await page.context().newCDPSession(page)
  const data = { items: [], files, dragOperationsMask: 1 }
  for (const type of ['dragEnter', 'dragOver', 'drop'] as const) {
    await session.send('Input.dispatchDragEvent', { type, x, y, data })
  }
  await session.detach()
}

test.each([
  '/',
  '/explore/projects',
  '/acme/shop',
  '/acme/shop/-/vulnerabilities',
  '/acme/shop/-/settings',
  '/-/profile',
])('dropping a file on %s does not leave the page', async (path) => {
  const page = await web.open(path, { as: web.server.admin })
  const address = page.url()
  await page.evaluate(() => document.body.setAttribute('data-same', ''))
  await drop(page, 640, 400, report)
  await drop(page, 20, 20, report)
  await quiet(page)
  expect(page.url()).toBe(address)
  expect(await page.locator('body[data-same]').count()).toBe(1)
})

test('dropping a report on the list of reports previews it, whether the list is empty or not', async () => {
  const page = await web.open('/acme/shop/-/reports', { as: developer })
  await page.getByText('or drop a file anywhere on this page').waitFor()
  await drop(page, 640, 600, report)
  await page.getByRole('heading', { name: 'Import report', level: 1 }).waitFor()
  await page.getByText('gl-sast-report.json').waitFor()
  await page.getByRole('button', { name: 'Preview changes' }).click()
  await page.getByRole('list', { name: 'Preview of changes' }).waitFor()

  const form = formWithFile('file', 'report.json', JSON.stringify(sastReport([entry({ line: 1 })])))
  expect((await developer.post(`/projects/${project.id}/security_reports`, form)).status).toBe(201)
  await page.goto('/acme/shop/-/reports')
  await page.getByRole('table').waitFor()
  await drop(page, 640, 600, report)
  await page.getByText('gl-sast-report.json').waitFor()
  // The file is passed on only once.
  await page.getByRole('link', { name: 'Reports' }).first().click()
  await page.getByRole('link', { name: 'Import report' }).click()
  await page.getByRole('heading', { name: 'Import report', level: 1 }).waitFor()
  expect(await page.getByText('gl-sast-report.json').count()).toBe(0)
})

test('dropping several reports shows an error', async () => {
  const other = join(folder, 'other.json')
  await writeFile(other, '{}')
  const page = await web.open('/acme/shop/-/reports', { as: developer })
  await drop(page, 640, 600, report, other)
  await page.getByText('Drop one report at a time.').waitFor()
  expect(page.url()).toMatch(/reports$/)
})
