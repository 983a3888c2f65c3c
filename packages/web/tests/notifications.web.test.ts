/// <reference lib="dom" />
import { afterAll, beforeAll, expect, test } from 'vitest'
import { unsubscribeUrl } from '../../server/src/domain/notifications/unsubscribe.ts'
import { openSignedIn } from './sign-in.ts'
import { accessProblems, startWeb, type Web } from './web.ts'

let web: Web
beforeAll(async () => {
  web = await startWeb()
})
afterAll(() => web?.close())

test('the user chooses which messages to receive', async () => {
  const ada = await web.server.user('ada')
  const page = await openSignedIn(web, 'ada', '/-/profile/notifications')
  await page.getByText('This server does not send e-mail.').waitFor()
  expect(await page.getByLabel('Reports on hold').isChecked()).toBe(true)
  await page.getByLabel('Reports on hold').uncheck()
  expect(await page.getByLabel('Due and overdue vulnerabilities').isChecked()).toBe(false)
  await page.getByLabel('Due and overdue vulnerabilities').check()
  await page.getByLabel('Digest').selectOption({ label: 'Daily' })
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByText('Notifications saved.').waitFor()
  expect((await ada.get('/user/notification_settings')).body).toMatchObject({
    new_vulnerabilities: true,
    held_reports: false,
    expiring_tokens: true,
    new_sign_ins: true,
    due_dates: true,
    digest: 'daily',
  })
})

test.each([1280, 360])('the bell of the header lists notifications and marks them as read, at %d px', async (width) => {
  const { server } = web
  const project = await server.project(`acme/bell-${width}-${Date.now()}`)
  const [ada, ben] = [await server.as('maintainer', project), await server.as('maintainer', project)]
  const { id, title } = await server.vulnerability(project)
  const page = await web.open('/explore/topics', { as: ada, width })
  await page.getByRole('button', { name: 'Notifications', exact: true }).waitFor()
  const assign = { action: 'assign', vulnerability_ids: [id], assignee_id: ada.user?.id }
  expect((await ben.post(`/projects/${project.id}/vulnerability_bulk_changes`, assign)).status).toBe(201)
  await page.reload()
  await page.getByRole('button', { name: 'Notifications, 1 unread' }).click()
  const list = page.getByRole('region', { name: 'Notifications' })
  await list.getByText('Assigned to you').waitFor()
  expect(await accessProblems(page)).toEqual([])
  expect(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)).toBeLessThanOrEqual(0)
  await list.getByRole('button', { name: 'Mark all as read' }).click()
  await page.getByRole('button', { name: 'Notifications', exact: true }).waitFor()
  await list.getByRole('link', { name: title }).click()
  await page.waitForURL(`**/-/vulnerabilities/${id}`)
})

test('the bell says when the notifications could not be loaded', async () => {
  const page = await web.open('/explore/topics', { as: web.server.admin, expects: /Failed to load/, isChanged: true })
  await page.route('**/user/notifications', (route) => route.abort())
  await page.reload()
  await page.getByRole('button', { name: 'Notifications', exact: true }).click()
  await page.getByText('The notifications could not be loaded. Try again later.').waitFor()
})

test('the display settings follow the user into another browser', async () => {
  await web.server.user('eva')
  const page = await openSignedIn(web, 'eva', '/-/profile/display')
  await page.getByLabel('Time zone').selectOption('Asia/Tokyo')
  await page.getByLabel('Date format').selectOption({ label: '2026-01-31 13:05' })
  await page.getByLabel('Number format').selectOption({ label: '1.234,5' })
  await page.getByLabel('Times').selectOption({ label: 'Dates and times' })
  await page.getByLabel('Density of lists').selectOption({ label: 'Compact' })
  await page.getByLabel('Enable shortcuts page-wide').uncheck()
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByText('Display settings saved.').waitFor()
  await page.getByText(/^Now: \d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/).waitFor()

  const other = await openSignedIn(web, 'eva', '/-/profile')
  const shown = other.getByRole('main').locator('time').first()
  const utc = await shown.getAttribute('datetime')
  const tokyo = new Date(Date.parse(utc ?? '') + 9 * 60 * 60 * 1000).toISOString().replace('T', ' ').slice(0, 19)
  expect(await shown.getAttribute('title')).toBe(tokyo)
  expect(await shown.innerText()).toBe(tokyo)
})

test('a time zone that the browser does not list stays when other settings change', async () => {
  const kim = await web.server.user('kim')
  await kim.put('/user/display_settings', { time_zone: 'Etc/GMT+3' })
  const page = await openSignedIn(web, 'kim', '/-/profile/display')
  expect(await page.getByLabel('Time zone').inputValue()).toBe('Etc/GMT+3')
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByText('Display settings saved.').waitFor()
  expect((await kim.get('/user/display_settings')).body).toMatchObject({ time_zone: 'Etc/GMT+3' })
})

test('the link in a message asks before it turns messages off', async () => {
  const bob = await web.server.user('bob')
  const settings = async () => (await bob.get('/user/notification_settings')).body
  const link = await unsubscribeUrl(web.server.deps, { userId: bob.user?.id ?? 0, name: 'expiring_tokens' })
  const page = await web.open(new URL(link).pathname)
  await page.getByRole('heading', { name: 'Unsubscribe from messages of this kind?' }).waitFor()
  expect(await settings()).toMatchObject({ expiring_tokens: true })
  await page.getByRole('button', { name: 'Unsubscribe' }).click()
  await page.getByRole('heading', { name: 'Unsubscribed' }).waitFor()
  expect(await settings()).toMatchObject({ expiring_tokens: false, held_reports: true })

  const wrong = await web.open('/-/unsubscribe/1.digest.x', { expects: /404/ })
  await wrong.getByRole('button', { name: 'Unsubscribe' }).click()
  await wrong.getByText('This link is not valid.').waitFor()
})
