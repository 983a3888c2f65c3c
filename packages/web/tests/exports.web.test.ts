import { readFile } from 'node:fs/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { formWithFile } from '../../server/src/testing/client.ts'
import { entry, sastReport } from '../../server/src/testing/reports/reports.ts'
import { startWeb, type Web } from './web.ts'

let web: Web
beforeAll(async () => {
  web = await startWeb()
})
afterAll(() => web?.close())

test('vulnerabilities can be exported to a file in the chosen format, with progress', async () => {
  const project = await web.server.project('acme/shop')
  const developer = await web.server.as('developer', project)
  const report = JSON.stringify(sastReport([entry({ line: 10 }), entry({ line: 20, rule: 'other' })]))
  const form = formWithFile('file', 'report.json', report, { promote: 'true' })
  await web.server.admin.post(`/projects/${project.id}/security_reports`, form)

  const page = await web.open('/acme/shop/-/vulnerabilities', { as: developer })
  await page.getByRole('button', { name: 'Export' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('button', { name: 'Export' }).click()
  const saving = page.waitForEvent('download')
  await dialog.getByRole('button', { name: 'Download' }).click()
  const download = await saving
  expect(download.suggestedFilename()).toMatch(/^vulnerabilities-\d+\.csv$/)
  const lines = (await readFile(await download.path(), 'utf8')).trim().split('\n')
  expect(lines).toHaveLength(3)
})
