/// <reference lib="dom" />
import { afterAll, beforeAll, expect, test } from 'vitest'
import { accessProblems, quiet, startWeb, type Web } from './web.ts'

let web: Web
beforeAll(async () => {
  web = await startWeb()
  await web.server.project('acme/shop')
})
afterAll(() => web?.close())

test('with a token that only reads no form can be sent, and it is said why', async () => {
  const { admin } = web.server
  const fields = { name: 'reader', scopes: ['read_api'] }
  const { id } = (await admin.get('/user')).body
  const { body } = await admin.post(`/users/${id}/personal_access_tokens`, fields)
  const page = await web.open('/', { as: { ...admin, token: body.token } })
  const parts = ['/acme/shop/-/settings', '/acme/shop/-/reports/new', '/groups/acme/-/settings', '/-/admin/topics/new']
  for (const place of [...parts, '/-/admin/users/new']) {
    await page.goto(place)
    await quiet(page)
    await page.getByText('a token that only reads').waitFor()
    const main = page.getByRole('main')
    const ready = main.getByRole('button', { disabled: false }).or(main.getByRole('textbox', { disabled: false }))
    expect(await ready.count(), place).toBe(0)
  }
  expect(await accessProblems(page)).toEqual([])
})
