/// <reference lib="dom" />
import { afterAll, beforeAll, expect, test } from 'vitest'
import { accessProblems, startWeb, visit, type Web } from './web.ts'

let web: Web
beforeAll(async () => {
  web = await startWeb()
  await web.server.project('acme/shop')
})
afterAll(() => web?.close())

test('forms cannot be sent with a read-only token, and show why', async () => {
  const { admin } = web.server
  const fields = { name: 'reader', scopes: ['read_api'] }
  const { id } = (await admin.get('/user')).body
  const { body } = await admin.post(`/users/${id}/personal_access_tokens`, fields)
  const page = await web.open('/', { as: { ...admin, token: body.token } })
  const { body: topic } = await admin.post('/topics', { name: 'web', title: 'Web' })
  const parts = ['/acme/shop/-/settings', '/acme/shop/-/settings/hooks/new', '/groups/acme/-/settings']
  const ofAdmins = ['topics/new', `topics/${topic.id}`, 'users/new', `users/${id}`].map((part) => `/-/admin/${part}`)
  for (const place of [...parts, ...ofAdmins, '/acme/shop/-/reports/new']) {
    await visit(page, place)
    await page.getByText('a read-only token').waitFor()
    const main = page.getByRole('main')
    const ready = main.getByRole('button', { disabled: false }).or(main.getByRole('textbox', { disabled: false }))
    expect(await ready.count(), place).toBe(0)
  }
  expect(await accessProblems(page)).toEqual([])

  const sent: string[] = []
  page.on('request', (request) => sent.push(`${request.method()} ${new URL(request.url()).pathname}`))
  await page.getByText('Drop a scanner report here').evaluate((label) => {
    const dataTransfer = new DataTransfer()
    dataTransfer.items.add(new File(['{}'], 'report.json'))
    label.dispatchEvent(new DragEvent('drop', { dataTransfer, bubbles: true, cancelable: true }))
  })
  // A request caused by the drop would arrive before this one.
  await page.evaluate(() => fetch('/-/health').then(({ ok }) => ok))
  expect(sent).toEqual(['GET /-/health'])
})

test('pages for developers send no requests and show no controls to others', async () => {
  await web.server.project('acme/open', { visibility: 'public' })
  const reporter = await web.server.as('reporter', (await web.server.admin.get('/projects/acme%2Fopen')).body)
  for (const as of [reporter, undefined]) {
    const page = await web.open('/', { ...(as && { as }) })
    for (const part of ['vulnerabilities', 'vulnerabilities/1', 'findings', 'findings/1', 'reports', 'reports/new']) {
      await visit(page, `/acme/open/-/${part}`)
      const main = page.getByRole('main')
      await main.getByRole('heading', { name: 'Access denied', level: 1 }).waitFor()
      expect(await main.getByRole('button', { name: /^(?!Star)/ }).count(), part).toBe(0)
      expect(await main.getByRole('link', { name: 'Sign in' }).count()).toBe(as ? 0 : 1)
    }
  }
})

test('Markdown is rendered for signed-out users and read-only tokens', async () => {
  const lena = await web.server.user('lena')
  await lena.post('/projects', {
    name: 'Told',
    visibility: 'public',
    description: 'It is **strong** <b onclick=x>and</b>.',
  })
  const reader = await web.server.client(lena, { scopes: ['read_api'] })
  for (const as of [reader, undefined]) {
    const page = await web.open('/lena/told', { ...(as && { as }) })
    await page.getByRole('main').getByText('strong').and(page.locator('strong')).waitFor()
    expect(await page.locator('[onclick]').count()).toBe(0)
  }
})
