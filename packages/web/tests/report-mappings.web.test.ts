import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Client } from '../../server/src/testing/client.ts'
import type { TestProject } from '../../server/src/testing/server.ts'
import { accessProblems, startWeb, type Web } from './web.ts'

let web: Web
let paths = 0
beforeAll(async () => {
  web = await startWeb()
})
afterAll(() => web?.close())

/** A project of its own for each attempt of a test. */
async function fresh(): Promise<{ path: string; project: TestProject; maintainer: Client }> {
  const path = `acme/mappings-${++paths}-${Date.now()}`
  const project = await web.server.project(path)
  return { path, project, maintainer: await web.server.as('maintainer', project) }
}

const mapping = { title: 'Issue', severity: 'Risk', severities: { Severe: 'critical' } }
const table = 'Issue;Risk\nBroken lock;Severe\nOpen door;low\n'

test('a mapping is tested with a sample, created, edited and deleted, by keyboard as well', async () => {
  const { path, project, maintainer } = await fresh()
  const page = await web.open(`/${path}/-/settings`, { as: maintainer, expects: /400|422/ })
  await page.getByRole('link', { name: 'Report mappings' }).click()
  await page.getByText('This project has no mappings.').waitFor()

  const section = page.getByRole('region', { name: 'Test mapping' })
  await page.getByRole('textbox', { name: 'Mapping', exact: true }).fill('{ "title": ')
  await page.getByRole('textbox', { name: 'Sample' }).fill(table)
  await section.getByRole('button', { name: 'Test mapping' }).click()
  await page.getByText('The mapping is not valid JSON').waitFor()
  await page.getByRole('textbox', { name: 'Mapping', exact: true }).fill(JSON.stringify({ colour: 'Issue' }))
  await section.getByRole('button', { name: 'Test mapping' }).click()
  await section.getByRole('alert').getByText('has the unknown field "colour"').waitFor()
  await page.getByRole('textbox', { name: 'Mapping', exact: true }).fill(JSON.stringify(mapping))
  await section.getByRole('button', { name: 'Test mapping' }).click()
  await section.getByRole('listitem').getByText('Broken lock').waitFor()
  await section.getByRole('listitem').getByText('Open door').waitFor()
  expect(await accessProblems(page)).toEqual([])
  // The file replaces the pasted sample.
  const dropped = { name: 'sample.csv', mimeType: 'text/csv', buffer: Buffer.from('Issue;Risk\nLoose hinge;odd\n') }
  await page.getByLabel('Drop a sample file here').setInputFiles(dropped)
  await section.getByRole('button', { name: 'Test mapping' }).click()
  await section
    .getByText(/Skipped|Errors|Warnings/)
    .first()
    .waitFor()
  expect(await web.server.admin.get(`/projects/${project.id}/vulnerability_findings`)).toMatchObject({ body: [] })

  await page.getByRole('textbox', { name: 'Name' }).fill('pentest')
  await page.getByRole('textbox', { name: 'Name' }).press('Enter')
  await page.getByRole('row', { name: /pentest/ }).waitFor()
  const stored = async () => (await maintainer.get(`/projects/${project.id}/report_mappings`)).body
  expect(await stored()).toMatchObject([{ name: 'pentest', mapping }])

  await page.getByRole('button', { name: 'Edit pentest' }).focus()
  await page.keyboard.press('Enter')
  const name = page.getByRole('textbox', { name: 'Name' })
  await expect.poll(() => name.inputValue()).toBe('pentest')
  await name.fill('audit')
  await name.press('Enter')
  await page.getByRole('row', { name: /audit/ }).waitFor()
  expect(await stored()).toMatchObject([{ name: 'audit', mapping }])

  await page.getByRole('button', { name: 'Delete audit' }).focus()
  await page.keyboard.press('Enter')
  await page.getByRole('dialog', { name: 'Delete audit?' }).waitFor()
  expect(await accessProblems(page)).toEqual([])
  await page.getByRole('button', { name: 'Delete mapping' }).press('Enter')
  await page.getByText('This project has no mappings.').waitFor()
  expect(await stored()).toEqual([])
})

test('an import chooses a mapping of the project or of a group above it', async () => {
  const { path, project, maintainer } = await fresh()
  const name = `of-group-${Date.now()}`
  const group = `/groups/${project['namespace'].id}/report_mappings`
  expect((await web.server.admin.post(group, { name, mapping })).status).toBe(201)
  const page = await web.open(`/${path}/-/reports/new`, { as: maintainer })
  const file = { name: 'pentest.csv', mimeType: 'text/csv', buffer: Buffer.from(table) }
  await page.getByLabel('Drop a scanner report here').setInputFiles(file)
  await page.getByLabel('Mapping', { exact: true }).selectOption(name)
  await page.getByRole('button', { name: 'Preview changes' }).click()
  await page.getByText('Broken lock').waitFor()
  await page.getByRole('button', { name: 'Import', exact: true }).click()
  await page.waitForURL(/\/reports\/\d+$/)
  const findings = async () =>
    (await web.server.admin.get(`/projects/${project.id}/vulnerability_findings`)).body.length
  await expect.poll(findings).toBe(2)
})
