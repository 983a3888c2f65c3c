/// <reference lib="dom" />
import { randomUUID } from 'node:crypto'
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

test('a group shows its subgroups and projects, at the web_url of the API', async () => {
  const { body: group } = await web.server.anonymous.get('/groups/acme')
  const page = await web.open(new URL(group.web_url).pathname)
  await page.getByRole('list', { name: 'Subgroups' }).getByRole('link', { name: 'Tools' }).waitFor()
  await page.getByRole('link', { name: 'acme / shop' }).waitFor()
  await expect.poll(() => page.getByRole('link', { name: 'New project' }).count()).toBe(0)

  const guessed = await web.open('/acme/tools', { expects: /404/ })
  await guessed.waitForURL('**/groups/acme/tools')
  await page.getByRole('link', { name: 'Tools' }).click()
  await page.getByText('This group has no projects you can access.').waitFor()
  expect(new URL(page.url()).pathname).toBe('/groups/acme/tools')
})

test('groups can be listed, searched and created, with subgroups at most as visible as the group', async () => {
  const nadia = await web.server.user('nadia')
  const page = await web.open('/explore/groups', { as: nadia, expects: /400/ })
  expect(await page.getByRole('list', { name: 'Groups' }).innerText()).not.toContain('Tools')
  await page.getByRole('searchbox', { name: 'Search groups' }).fill('tool')
  await page.getByRole('link', { name: 'acme / Tools' }).waitFor()

  await page.getByRole('link', { name: 'New group' }).click()
  await page.getByLabel('Name').fill('Explore')
  await page.getByRole('button', { name: 'Create group' }).click()
  await page.getByText(/is a reserved name/).waitFor()
  await page.getByLabel('Path').fill('explorers')
  await page.getByRole('button', { name: 'Create group' }).click()
  await page.getByRole('link', { name: 'New subgroup' }).click()
  await page.getByLabel('Name').fill('North')
  await expect.poll(() => page.getByRole('radio', { name: /^Public/ }).isDisabled()).toBe(true)
  await page.getByRole('button', { name: 'Create group' }).click()
  await page.waitForURL('**/groups/explorers/north')
})

test('an owner can edit a group, its members and its path, and delete it; others see no controls', async () => {
  const { body: old } = await web.server.admin.post('/groups', { name: 'Old', path: 'old', visibility: 'public' })
  const lena = await web.server.user('lena')
  const outside = await web.open('/groups/old', { as: lena })
  await expect.poll(() => outside.getByRole('link', { name: 'Settings' }).count()).toBe(0)

  await web.server.admin.post(`/groups/${old.id}/members`, { user_id: lena.user?.id, access_level: 50 })
  const page = await web.open('/groups/old/-/members', { as: lena })
  await page.getByRole('row', { name: /lena \(you\)/ }).waitFor()
  await page.getByRole('button', { name: 'Add members' }).waitFor()
  await page.getByRole('link', { name: 'Settings' }).click()
  await page.getByLabel('Name').fill('Young')
  await page.getByRole('radio', { name: /^Private/ }).check()
  await page.getByRole('button', { name: 'Save', exact: true }).click()
  await page.getByText('Saved.').waitFor()
  expect((await lena.get(`/groups/${old.id}`)).body).toMatchObject({ name: 'Young', visibility: 'private' })
  await page.getByLabel('Path').fill('young')
  await page.getByRole('button', { name: 'Change path' }).click()
  await page.waitForURL('**/groups/young/-/settings')

  await page.getByRole('button', { name: 'Delete group' }).click()
  await page.getByLabel('Type young to confirm').fill('young')
  await page.getByRole('dialog').getByRole('button', { name: 'Delete group' }).click()
  await page.waitForURL('**/explore/groups')
  expect((await lena.get(`/groups/${old.id}`)).status).toBe(404)
})

test('an owner chooses whether new projects of a group create vulnerabilities automatically', async () => {
  const { admin } = web.server
  const { body: outer } = await admin.post('/groups', { name: 'Outer', path: 'outer' })
  const { body: inner } = await admin.post('/groups', { name: 'Inner', path: 'inner', parent_id: outer.id })
  const setting = async (id: number) => (await admin.get(`/groups/${id}`)).body.promote_vulnerabilities_on_ingestion
  const page = await web.open('/groups/outer/-/settings', { as: admin, width: 360 })
  const field = page.getByLabel('Vulnerabilities in new projects')
  const chosen = () => field.locator('option:checked').innerText()
  const save = page.getByRole('button', { name: 'Save', exact: true })
  expect(await chosen()).toBe('Server default')
  await field.selectOption('Create automatically')
  await save.click()
  await expect.poll(() => setting(outer.id)).toBe(true)
  const made = await admin.post('/projects', { name: 'first', namespace_id: inner.id })
  expect(made.body).toMatchObject({ promote_vulnerabilities_on_ingestion: true })

  const below = await web.open('/groups/outer/inner/-/settings', { as: admin, theme: 'dark' })
  const innerField = below.getByLabel('Vulnerabilities in new projects')
  expect(await innerField.locator('option:checked').innerText()).toBe('Same as the parent group')
  await innerField.selectOption('Create after triage')
  await below.getByRole('button', { name: 'Save', exact: true }).click()
  await expect.poll(() => setting(inner.id)).toBe(false)
  expect(await accessProblems(below)).toEqual([])

  await page.reload()
  await expect.poll(chosen).toBe('Create automatically')
  await field.selectOption('Server default')
  await save.click()
  await expect.poll(() => setting(outer.id)).toBe(null)
})

test('the only owner cannot leave and sees why; one of two owners can', async () => {
  const [ines, jan] = [await web.server.user('ines'), await web.server.user('jan')]
  const { body: crew } = await ines.post('/groups', { name: 'Crew', path: 'crew' })
  await ines.post(`/groups/${crew.id}/members`, { user_id: jan.user?.id, access_level: 30 })
  const page = await web.open('/groups/crew/-/members', { as: ines })
  const row = page.getByRole('row', { name: /ines \(you\)/ })
  await row.getByText('The last owner cannot be removed.').waitFor()
  expect(await row.getByRole('button').count()).toBe(0)

  await page.getByRole('button', { name: 'Actions for jan' }).click()
  await page.getByRole('menuitem', { name: 'Edit' }).click()
  await page.getByRole('dialog').getByLabel('Role').selectOption('Owner')
  await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click()
  await row.getByRole('button', { name: 'Actions for ines' }).click()
  await page.getByRole('menuitem', { name: 'Leave' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Leave' }).click()
  await page.getByText('You left Crew.').waitFor()
  expect((await jan.get(`/groups/${crew.id}/members`)).body).toMatchObject([{ username: 'jan', access_level: 50 }])
})

test('a group page works on a narrow dark screen', async () => {
  const page = await web.open('/groups/acme', { as: web.server.admin, theme: 'dark', width: 360 })
  expect(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth)).toBe(true)
})

/** Minimal PNG image. */
const picture = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR4nGNgYGD4DwABBAEAX+XDSwAAAABJRU5ErkJggg==',
  'base64',
)

test('topics of a group are previewed and saved, and its projects show them as inherited', async () => {
  const path = `inherits-${randomUUID().slice(0, 8)}`
  const { id } = await web.server.project(`${path}/one`, { visibility: 'public' })
  const page = await web.open(`/groups/${path}/-/settings`, { as: web.server.admin, height: 1600 })
  const field = page.getByRole('combobox', { name: 'Topics of this group' })
  await field.fill(`${path}-cloud`)
  await page.getByRole('option', { name: /Create topic/ }).click()
  await page.getByRole('button', { name: 'Preview' }).click()
  const preview = page.getByRole('status').filter({ hasText: 'The topics of 1 project change' })
  await preview.getByRole('row', { name: `${path}/one ${path}-cloud` }).waitFor()
  expect((await web.server.admin.get(`/projects/${id}`)).body.inherited_topics).toEqual([])
  await page.getByRole('button', { name: 'Save topics' }).click()
  await page.getByText('Topics saved.').waitFor()
  expect((await web.server.admin.get(`/projects/${id}`)).body).toMatchObject({
    topics: [],
    inherited_topics: [`${path}-cloud`],
  })
  const project = await web.open(`/${path}/one`, { as: web.server.admin })
  await project
    .getByRole('list', { name: 'Inherited topics' })
    .getByRole('link', { name: `${path}-cloud` })
    .waitFor()
})

test.each(['group', 'project', 'profile'] as const)('the avatar of a %s is chosen, saved and removed', async (kind) => {
  const path = `pictured-${randomUUID().slice(0, 8)}`
  const user = await web.server.user(path)
  await web.server.project(`${path}-group/one`, { visibility: 'public' })
  const owned = {
    group: { settings: `/groups/${path}-group/-/settings`, api: `/groups/${path}-group`, as: web.server.admin },
    project: {
      settings: `/${path}-group/one/-/settings`,
      api: `/projects/${encodeURIComponent(`${path}-group/one`)}`,
      as: web.server.admin,
    },
    profile: { settings: '/-/profile', api: `/users/${user.user?.id}`, as: user },
  }[kind]
  const urlNow = async () => (await web.server.admin.get(owned.api)).body.avatar_url
  const page = await web.open(owned.settings, { as: owned.as, height: 1400 })
  const field = page.getByLabel('Avatar', { exact: true }).and(page.locator('input'))
  await field.setInputFiles({ name: 'notes.txt', mimeType: 'text/plain', buffer: Buffer.from('text') })
  await page.getByText('notes.txt has another format. Choose a PNG').waitFor()
  await field.setInputFiles({ name: 'large.png', mimeType: 'image/png', buffer: Buffer.alloc(300 * 1024) })
  await page.getByText('large.png is 300 KiB. Choose a picture of up to').waitFor()
  expect(await page.getByRole('button', { name: 'Save avatar' }).isDisabled()).toBe(true)
  await field.setInputFiles({ name: 'logo.png', mimeType: 'image/png', buffer: picture })
  await page.locator('main img[src^="blob:"]').waitFor()
  expect(await accessProblems(page)).toEqual([])
  await page.getByRole('button', { name: 'Save avatar' }).click()
  await page.getByText('Avatar saved.').waitFor()
  expect(await urlNow()).toContain('logo.png')
  await page.locator('main img[src$="logo.png"]').first().waitFor()
  await page.getByRole('button', { name: 'Remove avatar' }).click()
  await page.getByRole('button', { name: 'Save avatar' }).click()
  await expect.poll(urlNow).toBeNull()
})
