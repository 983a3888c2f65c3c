/// <reference lib="dom" />
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { formWithFile } from '../../server/src/testing/client.ts'
import { fill } from './vulnerabilities.ts'
import { accessProblems, quiet, startWeb, type Web } from './web.ts'

const pixel = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
)

let web: Web
beforeAll(async () => {
  web = await startWeb()
  const { admin } = web.server
  const form = formWithFile('avatar', 'ts.png', pixel, {
    name: 'typescript',
    title: 'TypeScript',
    description: 'JavaScript **with types**. See [the site](https://example.test).',
  })
  const { body: topic } = await admin.post('/topics', form)
  await admin.post(`/topics/${topic.id}/aliases`, { name: 'ts' })
  await admin.post('/topics', { name: 'unused-one', title: 'Unused' })
  const shop = await web.server.project('acme/shop', { visibility: 'public' })
  const secret = await web.server.project('acme/secret')
  await admin.put(`/projects/${shop.id}`, { topics: ['typescript', 'web'], description: 'Sells things.' })
  await admin.put(`/projects/${secret.id}`, { topics: ['typescript'] })
  await fill(web, shop, [{ title: 'One', severity: 'high' }])
  await fill(web, secret, [{ title: 'Two', severity: 'high' }])
})
afterAll(() => web?.close())

test('topics are listed with avatar, title, description and count, and searched while typing', async () => {
  const page = await web.open('/explore/topics')
  const card = page.getByRole('list', { name: 'Topics' }).getByRole('listitem').first()
  await expect
    .poll(() => card.innerText())
    .toMatch(/TypeScript\s+typescript · 2 projects\s+JavaScript with types. See the site./)
  expect(await card.locator('img').evaluate((image: HTMLImageElement) => image.naturalWidth)).toBe(1)
  expect(await accessProblems(page)).toEqual([])

  await page.getByRole('searchbox', { name: 'Search topics' }).fill('unus')
  await page.getByRole('link', { name: 'TypeScript' }).waitFor({ state: 'detached' })
  expect(page.url()).toContain('search=unus')
  await page.getByRole('searchbox', { name: 'Search topics' }).fill('nothing like it')
  await page.getByText('No topics', { exact: true }).waitFor()
})

test('a topic’s page shows its aliases and visible projects, and an alias redirects to it', async () => {
  const page = await web.open('/explore/topics/TS?order=name', { theme: 'dark', width: 360 })
  await page.getByRole('heading', { name: 'TypeScript', level: 1 }).waitFor()
  await quiet(page)
  expect(new URL(page.url()).pathname + new URL(page.url()).search).toBe('/explore/topics/typescript?order=name')
  await expect.poll(() => page.getByText('Aliases: ts').count()).toBe(1)
  await expect.poll(() => page.getByRole('link', { name: /shop/ }).count()).toBe(1)
  expect(await page.getByRole('main').innerText()).not.toContain('secret')
  const related = page.getByRole('list', { name: 'Related topics' })
  await expect.poll(() => related.getByRole('link').allInnerTexts()).toEqual(['web'])
  const feed = await page.getByRole('link', { name: 'Atom feed of public projects' }).getAttribute('href')
  expect(await (await fetch(new URL(feed ?? '', page.url()))).text()).toContain('<title>shop</title>')
  expect(await page.getByRole('heading', { name: 'Open vulnerabilities' }).count()).toBe(0)
  expect(await accessProblems(page)).toEqual([])
  expect(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth)).toBe(true)

  const signedIn = await web.open('/explore/topics/typescript', { as: web.server.admin })
  await expect.poll(() => signedIn.locator('main p strong').innerText()).toBe('with types')
  await expect.poll(() => signedIn.getByRole('link', { name: /secret/ }).count()).toBe(1)
  expect(await accessProblems(signedIn)).toEqual([])
  await signedIn.getByRole('link', { name: /^2 High/ }).click()
  await signedIn.waitForURL('**/-/vulnerabilities?topic=typescript&severity=high')
  await expect.poll(() => signedIn.getByRole('grid').getByRole('link').allInnerTexts()).toEqual(['Two', 'One'])
})

test.each(['ci/cd', '100% done?', 'a%2Fb', 'c#'])('the page of the topic %s works', async (name) => {
  await web.server.admin.post('/topics', { name, title: `About ${name}` })
  const page = await web.open(`/explore/topics?search=${encodeURIComponent(`About ${name}`)}`)
  await page.getByRole('link', { name: `About ${name}` }).click()
  await page.getByRole('heading', { name: `About ${name}`, level: 1 }).waitFor()
  await page.reload()
  await page.getByRole('heading', { name: `About ${name}`, level: 1 }).waitFor()
})

test('an unknown topic is shown as not found', async () => {
  const page = await web.open('/explore/topics/c%2B%2B')
  await page.getByRole('heading', { name: 'Topic not found' }).waitFor()
  await expect.poll(() => page.getByText('“c++”').count()).toBe(1)
})

test('projects can be filtered by topics, with the filter in the URL', async () => {
  const page = await web.open('/explore/projects?order=name', { as: web.server.admin })
  const list = page.getByRole('list', { name: 'Projects' })
  await expect.poll(() => list.getByRole('link', { name: 'acme / secret' }).count()).toBe(1)
  await page.getByRole('button', { name: 'Filter by topic' }).click()
  const field = page.getByRole('combobox', { name: 'Filter by topic' })
  await field.fill('web')
  await page.getByRole('option', { name: /web/ }).click()
  await list.getByRole('link', { name: 'acme / secret' }).waitFor({ state: 'detached' })
  expect(page.url()).toContain('topic=web')
  await page.reload()
  await page.getByRole('button', { name: 'Remove topic web' }).click()
  await list.getByRole('link', { name: 'acme / secret' }).waitFor()
})

test('the home page shows the user’s own projects, and redirects a signed-out user to the public ones', async () => {
  const nadia = await web.server.user('nadia')
  const empty = await web.open('/', { as: nadia })
  await empty.getByText('You have no projects yet').waitFor()
  await empty.context().close()

  await nadia.post('/projects', { name: 'Mine' })
  const page = await web.open('/', { as: nadia, theme: 'dark', width: 360 })
  const projects = page.getByRole('list', { name: 'Projects' })
  await projects.getByRole('link', { name: 'nadia / Mine' }).waitFor()
  await expect.poll(() => page.getByRole('link', { name: 'acme / shop' }).count()).toBe(0)
  expect(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth)).toBe(true)

  const out = await web.open('/')
  expect(new URL(out.url()).pathname).toBe('/explore/projects')
})

test('a user has a page, and the path of a group redirects to the group', async () => {
  const omar = await web.server.user('omar')
  await omar.post('/projects', { name: 'Open', visibility: 'public' })
  const page = await web.open('/omar')
  await page.getByRole('heading', { name: 'omar', level: 1 }).waitFor()
  await page.getByRole('link', { name: 'omar / Open' }).waitFor()

  const group = await web.open('/acme')
  await group.waitForURL('**/groups/acme')
  const none = await web.open('/nobody-at-all', { expects: /404/ })
  await none.getByRole('heading', { name: 'Not found' }).waitFor()
})

test('an empty list of projects mentions filters only if one is set', async () => {
  const empty = await startWeb()
  onTestFinished(() => empty.close())
  const page = await empty.open(`${empty.origin}/explore/projects`)
  await page.getByText('No projects are available to you.').waitFor()
  expect(await page.getByText('match').count()).toBe(0)
  await page.getByLabel('Visibility').selectOption('Archived')
  await page.getByText('No projects match these filters.').waitFor()
})
