/// <reference lib="dom" />
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Client } from '../../server/src/testing/client.ts'
import { entry } from '../../server/src/testing/reports/reports.ts'
import type { TestProject } from '../../server/src/testing/server.ts'
import { accessProblems, startWeb, type Web } from './web.ts'

let web: Web
let project: TestProject
let maintainer: Client
beforeAll(async () => {
  web = await startWeb()
  project = await web.server.project('acme/shop')
  maintainer = await web.server.as('maintainer', project)
  const cve = { type: 'cve', name: 'CVE-2099-0001', value: 'CVE-2099-0001' }
  await web.server.report(project, [entry({ name: 'Weak parser', others: [cve] })])
})
afterAll(() => web?.close())

const file = (document: object) => ({
  name: 'vex.json',
  mimeType: 'application/json',
  buffer: Buffer.from(JSON.stringify(document)),
})

const statement = (name: string) => ({
  vulnerability: { name },
  status: 'not_affected',
  justification: 'inline_mitigations_already_exist',
})

test('a VEX document is imported after a preview of each statement', async () => {
  const page = await web.open('/acme/shop/-/reports', { as: maintainer })
  await page.getByRole('link', { name: 'Import VEX' }).click()
  const document = {
    ...{ '@context': 'https://openvex.dev/ns/v0.2.0', timestamp: '2099-01-01T00:00:00Z' },
    statements: [statement('CVE-2099-0001'), statement('CVE-2099-0002')],
  }
  await page.getByLabel('Drop a VEX document here').setInputFiles(file(document))
  await page.getByRole('button', { name: 'Preview changes' }).click()
  const rows = page.getByRole('table', { name: 'Statements' }).getByRole('row')
  await rows.nth(2).waitFor()
  expect(await rows.nth(1).innerText()).toMatch(
    /CVE-2099-0001[\s\S]*(Dismiss[\s\S]*mitigating control|No change)[\s\S]*Weak parser/,
  )
  expect(await rows.nth(2).innerText()).toContain('the project has no vulnerability CVE-2099-0002')
  expect(await accessProblems(page)).toEqual([])
  await page.getByRole('button', { name: 'Import', exact: true }).click()
  await page.getByText('1 vulnerability changed.').waitFor()
  const { body } = await web.server.admin.get(`/projects/${project.id}/vulnerabilities`)
  expect(body).toMatchObject([{ state: 'dismissed', dismissal_reason: 'mitigating_control' }])
  await web.server.admin.post(`/vulnerabilities/${body[0].id}/revert`)
})

test('a file that is no VEX document is rejected with the reason', async () => {
  const page = await web.open('/acme/shop/-/reports/vex', { as: maintainer, expects: /400/ })
  await page.getByLabel('Drop a VEX document here').setInputFiles(file({ a: 1 }))
  await page.getByRole('button', { name: 'Preview changes' }).click()
  await page.getByRole('alert').getByText('This is no VEX document').waitFor()
})

test('a VEX document is imported into the projects of a group, and refused where the user may only read', async () => {
  const group = `vex-${Date.now()}`
  const cve = { type: 'cve', name: 'CVE-2099-0003', value: 'CVE-2099-0003' }
  const projects: TestProject[] = []
  for (const path of ['own', 'other']) {
    const one = await web.server.project(`${group}/${path}`)
    await web.server.report(one, [entry({ name: `Flaw of ${path}`, others: [cve] })])
    projects.push(one)
  }
  const [own, other] = projects
  if (!own || !other) throw new Error('there are two projects')
  const user = await web.server.as('maintainer', own)
  await web.server.admin.post(`/groups/${group}/members`, { user_id: user.user?.id, access_level: 30 })
  const page = await web.open(`/groups/${group}/-/vulnerabilities`, { as: user })
  await page.getByRole('button', { name: 'Export' }).click()
  await page.getByLabel('Format').selectOption('openvex')
  await page.getByRole('link', { name: 'import VEX' }).click()
  const statements = [statement('CVE-2099-0003')]
  const document = { '@context': 'https://openvex.dev/ns/v0.2.0', timestamp: '2099-01-01T00:00:00Z', statements }
  await page.getByLabel('Drop a VEX document here').setInputFiles(file(document))
  await page.getByRole('button', { name: 'Preview changes' }).press('Enter')
  const rows = page.getByRole('table', { name: 'Statements' }).getByRole('row')
  await rows.nth(2).waitFor()
  expect(await rows.nth(1).innerText()).toMatch(/Dismiss[\s\S]*Flaw of own/)
  expect(await rows.nth(2).innerText()).toMatch(/Refused[\s\S]*you do not have the right[\s\S]*Flaw of other/)
  await page.getByText('1 is refused because you cannot triage in its project').waitFor()
  await page.getByRole('button', { name: 'Import', exact: true }).click()
  await page.getByText('1 vulnerability changed.').waitFor()
  const stateOf = async ({ id }: TestProject) =>
    (await web.server.admin.get(`/projects/${id}/vulnerabilities`)).body.map((row: { state: string }) => row.state)
  expect([await stateOf(own), await stateOf(other)]).toEqual([['dismissed'], ['detected']])
})
