/// <reference lib="dom" />
import { afterAll, beforeAll, expect, test } from 'vitest'
import { accessProblems, startWeb, type Web } from './web.ts'

let web: Web
beforeAll(async () => {
  web = await startWeb()
  await web.server.project('acme/shop', { visibility: 'public' })
  const { body: acme } = await web.server.admin.get('/groups/acme')
  await web.server.admin.post('/groups', { name: 'Tools', path: 'tools', parent_id: acme.id, visibility: 'public' })
})
afterAll(() => web?.close())

test('a group shows its subgroups and projects, at the address that the API gives', async () => {
  const { body: group } = await web.server.anonymous.get('/groups/acme')
  const page = await web.open(new URL(group.web_url).pathname)
  await page.getByRole('list', { name: 'Subgroups' }).getByRole('link', { name: 'Tools' }).waitFor()
  await page.getByRole('link', { name: 'acme / shop' }).waitFor()
  expect(await page.getByRole('link', { name: 'New project' }).count()).toBe(0)
  expect(await accessProblems(page)).toEqual([])

  await page.getByRole('link', { name: 'Tools' }).click()
  await page.getByText('There are none in this group that you may see.').waitFor()
  expect(new URL(page.url()).pathname).toBe('/groups/acme/tools')
})
