import { afterAll, beforeAll, expect, test } from 'vitest'
import { startWeb, type Web } from './web.ts'

let web: Web
let paths = 0
beforeAll(async () => {
  web = await startWeb()
})
afterAll(() => web?.close())

test('a report is scheduled from the export dialog, and removed', async () => {
  const path = `acme/schedules-${++paths}-${Date.now()}`
  const project = await web.server.project(path)
  const developer = await web.server.as('developer', project)
  await web.server.vulnerability(project, { name: 'SQL injection' })
  const page = await web.open(`/${path}/-/vulnerabilities`, { as: developer, expects: /400/ })
  await page.getByRole('button', { name: 'Export' }).click()
  await page.getByLabel('Format').selectOption('html')
  await page.getByRole('link', { name: 'Receive it by e-mail' }).click()
  await page.getByText('You receive no report.').waitFor()
  await page.getByText('This server does not send e-mail').waitFor()
  await page.getByLabel('Period').selectOption('monthly')
  await page.getByLabel('Day of the month').selectOption('15')
  await page.getByLabel('Time zone').fill('Mars/Base')
  await page.getByRole('button', { name: 'Schedule report' }).click()
  await page.getByText('is not the name of a time zone').waitFor()
  await page.getByLabel('Time zone').fill('Europe/Berlin')
  await page.getByRole('button', { name: 'Schedule report' }).click()
  await page
    .getByRole('row', { name: 'Every month on day 15 at 08:00 (Europe/Berlin) Not sent: e-mail is off' })
    .waitFor()
  const stored = async () => (await developer.get(`/projects/${project.id}/report_schedules`)).body
  expect(await stored()).toMatchObject([{ period: 'monthly', day: 15, hour: 8, time_zone: 'Europe/Berlin' }])
  await page.getByRole('button', { name: 'Remove: Every month on day 15' }).click()
  await page.getByText('Scheduled report removed.').waitFor()
  expect(await stored()).toEqual([])
})

test('the link of a message downloads the report, and explains one that is not available', async () => {
  const path = `acme/schedules-${++paths}-${Date.now()}`
  const project = await web.server.project(path)
  const developer = await web.server.as('developer', project)
  const { body } = await developer.post(`/security/projects/${project.id}/vulnerability_exports`, {
    export_format: 'html',
  })
  const status = async () => (await developer.get(`/security/vulnerability_exports/${body.id}`)).body.status
  await expect.poll(status).toBe('finished')
  const page = await web.open(`/-/vulnerability_reports/${body.id}`, { as: developer })
  const [file] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'Download' }).click(),
  ])
  expect(file.suggestedFilename()).toMatch(/\.html$/)
  const other = await web.server.as('maintainer', project)
  const denied = await web.open(`/-/vulnerability_reports/${body.id}`, { as: other, expects: /403/ })
  await denied.getByText('This report is not available').waitFor()
})
