/// <reference lib="dom" />
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { TestProject } from '../../server/src/testing/server.ts'
import { accessProblems, startWeb, type Web } from './web.ts'

let web: Web
beforeAll(async () => {
  web = await startWeb()
})
afterAll(() => web?.close())

let number = 0
const create = (): Promise<TestProject> => web.server.project(`acme/badge-${++number}`)

test('a maintainer publishes a badge, copies its Markdown and revokes its address', async () => {
  const project = await create()
  const as = await web.server.as('maintainer', project)
  const page = await web.open(`/acme/badge-${number}/-/settings`, { as })
  const image = page.getByRole('img', { name: /^Badge with/ })
  await page.getByRole('button', { name: 'Publish badge' }).click()
  await page.getByText('Everyone who has the address can see the badge.').waitFor()
  const markdown = await page.getByText(/^\[!\[Vulnerabilities\]/).innerText()
  expect(markdown).toMatch(/\/-\/badges\/[0-9a-f]{32}\.svg\)\]\(.*\/acme\/badge-\d+\)$/)
  await page.getByRole('button', { name: 'Copy Markdown' }).waitFor()
  // Browsers only draw an image that is valid XML.
  await expect.poll(() => image.evaluate((shown: HTMLImageElement) => shown.naturalWidth)).toBeGreaterThan(50)
  expect(await accessProblems(page)).toEqual([])
  await page.getByRole('button', { name: 'Revoke address' }).click()
  await page.getByRole('button', { name: 'Publish badge' }).waitFor()
  const { body } = await as.get(`/projects/${project.id}/vulnerabilities/badge`)
  expect(body).toMatchObject({ public_url: null })
})

test('the export dialog writes a report as HTML', async () => {
  const project = await create()
  await web.server.vulnerability(project, { name: 'Flaw' })
  const as = await web.server.as('maintainer', project)
  const page = await web.open(`/acme/badge-${number}/-/vulnerabilities?severity=critical`, { as })
  await page.getByRole('button', { name: 'Export' }).first().click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Format').selectOption('HTML report, for management and auditors')
  await dialog.getByText('Summary, trend, changes since your previous report').waitFor()
  await dialog.getByRole('button', { name: 'Export' }).click()
  await web.server.runJobs()
  await dialog.getByText('Export ready.').waitFor()
  await dialog.getByRole('button', { name: 'Download' }).waitFor()
})
