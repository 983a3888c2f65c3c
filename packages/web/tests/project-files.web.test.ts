/// <reference lib="dom" />
import { afterAll, beforeAll, expect, test } from 'vitest'
import { entry, sastReport } from '../../server/src/testing/reports/reports.ts'
import { accessProblems, startWeb, type Web } from './web.ts'

let web: Web
beforeAll(async () => {
  web = await startWeb()
})
afterAll(() => web?.close())

let projects = 0

test('the settings list the files of reports with their warnings, delete them, and accept those of reporters', async () => {
  const project = await web.server.project(`acme/with-files-${++projects}`)
  const as = await web.server.as('maintainer', project)
  const path = `/projects/${project.id}`
  const form = new FormData()
  form.append('file', new Blob([JSON.stringify(sastReport([entry()]))]), 'report.json')
  form.append('project_files[]', new Blob(['* @acme/team']), 'docs/CODEOWNERS')
  form.append('project_files[]', new Blob(['CVE-2099-0001']), '.trivyignore')
  expect((await as.post(`${path}/security_reports`, form)).status).toBe(201)

  const page = await web.open(`/${project.path_with_namespace}/-/settings`, { as, width: 360 })
  const table = page.getByRole('region', { name: 'Received files' })
  await expect.poll(() => table.innerText()).toContain('docs/CODEOWNERS')
  await table.locator('summary').click()
  await table.getByText('Line 1: @acme/team is a group or team; only users are assigned').waitFor()
  expect(await accessProblems(page)).toEqual([])
  expect(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth)).toBe(true)

  await page.getByRole('button', { name: 'Delete .trivyignore' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Delete file' }).click()
  await expect.poll(() => table.innerText()).not.toContain('.trivyignore')
  const names = async () => (await as.get(`${path}/project_files`)).body.map(({ name }: { name: string }) => name)
  expect(await names()).toEqual(['CODEOWNERS'])

  await page.getByLabel('Accept files from everyone who can send reports').check()
  await expect.poll(async () => (await as.get(path)).body.accept_reporters_files).toBe(true)
})
