/// <reference lib="dom" />
import { afterAll, beforeAll, expect, test } from 'vitest'
import { RequestFailed } from '../../client/src/failure.ts'
import { unknownTopics } from '../src/nouns/topic/refusal.ts'
import { accessProblems, dialogs, startWeb, type Web } from './web.ts'

let web: Web
beforeAll(async () => {
  web = await startWeb({ settings: { topicCreation: 'admins' } })
  for (const name of ['react', 'react-native', 'vue']) await web.server.admin.post('/topics', { name, title: name })
})
afterAll(() => web?.close())

test('users who may create topics can type a new one, and choose suggestions with the keyboard', async () => {
  const project = await web.server.project('acme/open', { visibility: 'public' })
  const page = await web.open('/acme/open', { as: web.server.admin })
  await page.getByRole('button', { name: 'Add topics' }).click()
  const field = page.getByRole('combobox', { name: 'Topics' })
  await field.and(page.locator(':focus')).waitFor()
  await page.keyboard.type('brand-new')
  await page.getByRole('option', { name: 'Create topic “brand-new”' }).waitFor()
  await field.press('Enter')
  await field.fill('rea')
  await page.getByRole('option', { name: 'react-native' }).waitFor()
  expect(await accessProblems(page)).toEqual([])
  await field.press('ArrowDown')
  await field.press('Enter')
  await field.press('Escape')
  await expect.poll(() => page.getByRole('button', { name: /^Remove / }).count()).toBe(2)
  await page.getByRole('button', { name: 'Save topics' }).click()
  await page.getByText('Topics saved.').waitFor()
  await page.getByRole('button', { name: 'Edit topics' }).and(page.locator(':focus')).waitFor()
  const { body } = await web.server.admin.get(`/projects/${project.id}`)
  expect(body.topics).toEqual(['brand-new', 'react'])
  await page.getByRole('link', { name: 'brand-new' }).click()
  await page.getByRole('heading', { name: 'brand-new', level: 1 }).waitFor()
})

test('other users get no new topics, and a rejected topic shows the nearest match to use instead', async () => {
  const project = await web.server.project('acme/locked')
  const maintainer = await web.server.as('maintainer', project)
  const page = await web.open('/acme/locked', { as: maintainer, expects: /400/ })
  await page.getByRole('button', { name: 'Add topics' }).click()
  const field = page.getByRole('combobox', { name: 'Topics' })
  await field.fill('vuee')
  await page.getByText('No matching topics.').waitFor()
  await field.press('Enter')
  await expect.poll(() => page.getByRole('button', { name: /^Remove / }).count()).toBe(0)

  await field.fill('vue')
  await page.getByRole('option', { name: 'vue' }).click()
  // Meanwhile the topic is deleted, and a similar one exists.
  const [{ id }] = (await web.server.admin.get('/topics?name=vue')).body
  await web.server.admin.put(`/topics/${id}`, { name: 'vuejs' })
  await page.getByRole('button', { name: 'Save topics' }).click()
  await page.getByText('Topic “vue” does not exist.').waitFor()
  expect(await accessProblems(page)).toEqual([])
  await page.getByRole('button', { name: 'vuejs' }).click()
  await page.getByRole('button', { name: 'Save topics' }).click()
  await page.getByRole('link', { name: 'vuejs' }).waitFor()
  expect((await maintainer.get(`/projects/${project.id}`)).body.topics).toEqual(['vuejs'])
})

test('a maintainer proposes a topic, and an administrator approves it', async () => {
  const project = await web.server.project('acme/proposing')
  const maintainer = await web.server.as('maintainer', project)
  const page = await web.open('/acme/proposing', { as: maintainer, expects: /400/ })
  await page.getByRole('button', { name: 'Propose topic' }).click()
  const dialog = page.getByRole('dialog', { name: 'Propose topic' })
  await dialog.getByLabel('Name').fill('react')
  await dialog.getByRole('button', { name: 'Propose topic' }).click()
  await dialog.getByText('has already been taken').waitFor()
  await dialog.getByLabel('Name').fill('svelte')
  await dialog.getByLabel('Description').fill('Small components')
  expect(await accessProblems(page, dialogs)).toEqual([])
  await dialog.getByRole('button', { name: 'Propose topic' }).click()
  await page.getByText('Topic proposed. An administrator decides about it.').waitFor()

  const admin = await web.open('/-/admin/topics/proposals', { as: web.server.admin })
  await admin.getByRole('button', { name: 'Approve svelte' }).waitFor()
  await admin.getByRole('button', { name: 'Approve svelte' }).click()
  await admin.getByLabel('Title').fill('Svelte')
  expect(await accessProblems(admin)).toEqual([])
  await admin.getByRole('button', { name: 'Create topic' }).click()
  await admin.getByText('No proposals', { exact: true }).waitFor()
  expect((await maintainer.get(`/projects/${project.id}`)).body.topics).toEqual(['svelte'])

  await maintainer.post('/topics/proposals', { name: 'angular' })
  await admin.reload()
  await admin.getByRole('button', { name: 'Reject angular' }).click()
  expect(await accessProblems(admin, dialogs)).toEqual([])
  await admin.getByLabel('Comment').fill('Not used here')
  await admin.getByRole('button', { name: 'Reject proposal' }).click()
  await admin.getByText('No proposals', { exact: true }).waitFor()
  await page.reload()
  await page.getByRole('button', { name: 'Propose topic' }).click()
  await page.getByRole('dialog').getByText('Not used here').waitFor()
})

test('unknownTopics splits an error about several topics', () => {
  const topics = [
    'reactt does not exist, and only administrators create topics; the nearest are react, react-native',
    'zz does not exist, and only administrators create topics',
    'vuee does not exist, and only administrators create topics; the nearest are vue',
  ].join(', ')
  const refusal = new RequestFailed(400, 'refused', { topics })
  expect(unknownTopics(refusal)).toEqual([
    { name: 'reactt', nearest: ['react', 'react-native'] },
    { name: 'zz', nearest: [] },
    { name: 'vuee', nearest: ['vue'] },
  ])
  expect(unknownTopics(new Error('other'))).toEqual([])
})
