/// <reference lib="dom" />
import { afterAll, beforeAll, expect, test } from 'vitest'
import { formWithFile } from '../../server/src/testing/client.ts'
import { entry, sastReport } from '../../server/src/testing/reports.ts'
import { startReceiver } from '../../server/src/testing/stand-ins/receiver.ts'
import { accessProblems, startWeb, type Web } from './web.ts'

let web: Web
beforeAll(async () => {
  web = await startWeb({ settings: { webhooksReachPrivate: true } })
})
afterAll(() => web?.close())

test('a webhook can be created, tested, inspected, resent, edited and deleted', async () => {
  const receiver = await startReceiver()
  const project = await web.server.project('acme/told')
  const maintainer = await web.server.as('maintainer', project)
  const form = formWithFile('file', 'report.json', JSON.stringify(sastReport([entry()])), { promote: 'true' })
  expect((await web.server.admin.post(`/projects/${project.id}/security_reports`, form)).status).toBe(201)

  const page = await web.open('/acme/told/-/settings/hooks', { as: maintainer, expects: /422/ })
  await page.getByText('No webhooks').waitFor()
  expect(await accessProblems(page)).toEqual([])
  await page.getByRole('link', { name: 'Add webhook' }).click()
  await page.getByLabel('URL').fill('ftp://nowhere.example')
  await page.getByRole('button', { name: 'Add webhook' }).click()
  await page.getByText('Invalid url given').waitFor()
  await page.getByLabel('URL').fill(receiver.url)
  await page.getByLabel('Secret token').fill('s3cret')
  expect(await accessProblems(page)).toEqual([])
  await page.getByRole('button', { name: 'Add webhook' }).click()

  await page.getByRole('button', { name: 'Send test event' }).click()
  await page.getByText('Test delivery succeeded.').waitFor()
  expect(receiver.received[0]?.headers['x-gitlab-token']).toBe('s3cret')
  await page.getByText('200', { exact: true }).click()
  await page.getByText('thanks').waitFor()
  expect(await page.getByRole('main').innerText()).not.toContain('s3cret')
  expect(await accessProblems(page)).toEqual([])
  await page.getByRole('button', { name: 'Redeliver' }).click()
  await page.getByText('Delivery sent again.').waitFor()
  expect(receiver.received).toHaveLength(2)

  const narrow = await web.open(new URL(page.url()).pathname, { as: maintainer, theme: 'dark', width: 360 })
  await narrow.getByText('200', { exact: true }).first().click()
  expect(await accessProblems(narrow)).toEqual([])
  expect(await narrow.evaluate(() => document.documentElement.scrollWidth <= innerWidth)).toBe(true)

  receiver.answer = (response) => response.writeHead(500).end('out of order')
  await page.getByRole('button', { name: 'Send test event' }).click()
  await page.getByText('out of order').first().waitFor()

  await page.getByLabel('Format').selectOption('Slack')
  await page.getByLabel('Vulnerabilities', { exact: true }).selectOption('High and above')
  await page.getByLabel('New signing token').fill('0ther')
  await page.getByLabel('Name').fill('Alarm')
  await page.getByRole('button', { name: 'Save', exact: true }).click()
  await page.getByRole('heading', { name: 'Alarm', level: 1 }).waitFor()
  await page.getByLabel('Remove signing token').waitFor()
  const { body: hooks } = await web.server.admin.get(`/projects/${project.id}/hooks`)
  expect(hooks).toMatchObject([
    { format: 'slack', min_severity: 'high', token_present: true, signing_token_present: true },
  ])
  await page.getByRole('button', { name: 'Delete' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click()
  await page.getByText('No webhooks').waitFor()
})

test('a group has the same pages, whose webhooks receive events of its projects', async () => {
  const receiver = await startReceiver()
  await web.server.vulnerability(await web.server.project('below/site'), { name: 'Flaw' })
  const page = await web.open('/groups/below/-/settings', { as: web.server.admin })
  await page.getByRole('link', { name: 'Webhooks' }).click()
  await page.getByText('No webhooks').waitFor()
  await page.getByRole('link', { name: 'Add webhook' }).click()
  await page.getByText('of a project in the group').waitFor()
  await page.getByLabel('URL').fill(receiver.url)
  expect(await accessProblems(page)).toEqual([])
  await page.getByRole('button', { name: 'Add webhook' }).click()
  await page.getByRole('button', { name: 'Send test event' }).click()
  await page.getByText('Test delivery succeeded.').waitFor()
  expect(receiver.received).toMatchObject([{ body: { object_attributes: { title: 'Flaw' } } }])
  await page.getByText('200', { exact: true }).click()
  await page.getByRole('button', { name: 'Redeliver' }).click()
  await page.getByText('Delivery sent again.').waitFor()
  await page.getByLabel('Name').fill('Chat')
  await page.getByRole('button', { name: 'Save', exact: true }).click()
  await page.getByRole('heading', { name: 'Chat', level: 1 }).waitFor()
  await page.getByRole('link', { name: 'Webhooks' }).first().click()
  await page.getByRole('link', { name: 'Chat' }).waitFor()
  expect(await accessProblems(page)).toEqual([])
})
