/// <reference lib="dom" />
import { readFile } from 'node:fs/promises'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { accessProblems, quiet, slowed, startWeb, type Web } from './web.ts'

let web: Web
beforeAll(async () => {
  web = await startWeb()
})
afterAll(() => web?.close())

const as = () => ({ as: web.server.admin })
const main = (page: Page) => page.getByRole('main')
const scrollsSideways = (page: Page) => page.evaluate(() => document.documentElement.scrollWidth > innerWidth)

async function topic(name: string, title = name): Promise<number> {
  const { status, body } = await web.server.admin.post('/topics', { name, title })
  expect(status).toBe(201)
  return body.id
}

async function project(path: string, topics: string[]): Promise<number> {
  const { id } = await web.server.project(path, { visibility: 'public' })
  expect((await web.server.admin.put(`/projects/${id}`, { topics })).status).toBe(200)
  return id
}

const names = async () => (await web.server.admin.get('/topics')).body.map(({ name }: { name: string }) => name)

/** Minimal PNG image. */
const picture = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR4nGNgYGD4DwABBAEAX+XDSwAAAABJRU5ErkJggg==',
  'base64',
)

test('topics can be created with an avatar preview, edited, and deleted', async () => {
  const page = await web.open('/-/admin/topics', { ...as(), height: 1300 })
  await page.getByText('No topics', { exact: true }).waitFor()
  await page.getByRole('link', { name: 'New topic' }).click()
  await page.getByLabel('Name').fill('maps')
  await page.getByLabel('Title').fill('Maps')
  await page.getByLabel('Avatar').setInputFiles({ name: 'maps.png', mimeType: 'image/png', buffer: picture })
  expect(await main(page).locator('img').getAttribute('src')).toMatch(/^blob:/)
  await page.getByLabel('Description').fill('Where things are.')
  await page.getByRole('button', { name: 'Create topic' }).click()
  await page.getByRole('heading', { level: 1, name: 'Maps' }).waitFor()
  const id = Number(page.url().split('/').at(-1))
  const stored = await web.server.admin.get(`/topics/${id}`)
  expect(stored.body).toMatchObject({ name: 'maps', title: 'Maps', description: 'Where things are.' })
  expect(stored.body.avatar_url).toContain('maps.png')

  await page.getByLabel('Title').fill('Maps and charts')
  await page.getByRole('button', { name: 'Remove avatar' }).click()
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByText('Topic updated.').waitFor()
  expect((await web.server.admin.get(`/topics/${id}`)).body).toMatchObject({
    title: 'Maps and charts',
    description: 'Where things are.',
    avatar_url: null,
  })

  await page.getByLabel('New alias').fill('cartography')
  await page.getByRole('button', { name: 'Add alias' }).click()
  await page.getByRole('button', { name: 'Remove cartography' }).click()
  await page.getByRole('button', { name: 'Undo' }).click()
  await page.getByRole('button', { name: 'Remove cartography' }).waitFor()

  await page.getByRole('button', { name: 'Delete' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click()
  await page.getByRole('heading', { level: 1, name: 'Topics' }).waitFor()
  expect(await names()).toEqual([])
})

test('server errors are shown next to their field', async () => {
  await topic('taken')
  const page = await web.open('/-/admin/topics/new', { ...as(), expects: /400/ })
  await page.getByLabel('Name').fill('Taken')
  await page.getByLabel('Title').fill('Taken')
  await page.getByRole('button', { name: 'Create topic' }).click()
  await page.getByText('Has already been taken.').waitFor()
  expect(await page.getByLabel('Name').getAttribute('aria-invalid')).toBe('true')
  await web.server.admin.delete(`/topics/${(await web.server.admin.get('/topics')).body[0].id}`)
})

describe('duplicate topics', () => {
  test('can be merged from the list of duplicates after a preview, and unmerged', async () => {
    await topic('data-science', 'Data science')
    await topic('datascience', 'Datascience')
    await project('acme/one', ['data-science'])
    await project('acme/two', ['datascience', 'data-science'])
    const page = await web.open('/-/admin/topics/duplicates', as())
    const row = page.getByRole('row', { name: /datascience/ })
    await expect.poll(() => row.innerText()).toContain('Differs only in hyphens or spaces')
    await row.getByRole('button', { name: /^Merge/ }).click()
    const dialog = page.getByRole('dialog')
    const would = dialog.getByRole('region', { name: 'Preview' })
    await expect.poll(() => would.innerText()).toContain('1 project has both topics and will keep the target.')
    await expect
      .poll(() => dialog.getByRole('region', { name: 'Source (will be removed)' }).innerText())
      .toContain('datascience')
    expect(await accessProblems(page)).toEqual([])
    await dialog.getByRole('button', { name: 'Swap' }).click()
    await quiet(page)
    await expect.poll(() => would.innerText()).toContain('1 project will be moved.')
    await expect
      .poll(() => dialog.getByRole('region', { name: 'Source (will be removed)' }).innerText())
      .toContain('data-science')
    // Delays responses, so that data still shown would be refetched after part of it was deleted.
    const fast = await slowed(page)
    await dialog.getByRole('button', { name: 'Merge' }).click()
    await page.getByText('Data science was merged into Datascience.').waitFor()
    await page.getByText('No duplicates').waitFor()
    await fast()
    expect(await names()).toEqual(['datascience'])

    await page.goto('/-/admin/topics/merges')
    await page.getByRole('button', { name: 'Undo the merge of data-science' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Undo merge' }).click()
    await page.getByText('Data science restored.').waitFor()
    expect(await names()).toEqual(['data-science', 'datascience'])
    await expect.poll(() => page.getByRole('cell', { name: 'Undone' }).count()).toBe(1)
  })

  test('can be merged from a topic’s page; a conflicting undo lists the conflicts and can be partial', async () => {
    const id = await topic('old-name', 'Old name')
    await topic('new-name', 'New name')
    const changed = await project('acme/changed', ['old-name'])
    await project('acme/kept', ['old-name'])
    const page = await web.open(`/-/admin/topics/${id}`, { ...as(), expects: /409/ })
    await page.getByRole('button', { name: 'Merge into…' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByRole('searchbox').fill('new-name')
    await dialog.getByRole('button', { name: /New name/ }).click()
    await dialog.getByText('2 projects will be moved.').waitFor()
    await dialog.getByLabel(/^Keep old-name/).uncheck()
    await dialog.getByText('No new aliases of New name.').waitFor()
    await dialog.getByRole('button', { name: 'Merge' }).click()
    await page.getByRole('heading', { level: 1, name: 'New name' }).waitFor()
    await web.server.admin.put(`/projects/${changed}`, { topics: [] })

    await page.goto('/-/admin/topics/merges')
    await page.getByRole('button', { name: 'Undo the merge of old-name' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Undo merge' }).click()
    await page.getByText(`project ${changed} does not carry "new-name" any more`).waitFor()
    expect(await accessProblems(page)).toEqual([])
    await page.getByRole('button', { name: 'Undo remaining changes' }).click()
    await page.getByText('Old name restored. 1 item changed since and left as is.').waitFor()
    expect((await web.server.admin.get(`/topics/${id}`)).body).toMatchObject({ total_projects_count: 1 })
  })
})

describe('the topic file', () => {
  test('can be exported, and an import previews its changes', async () => {
    const page = await web.open('/-/admin/topics/file', { ...as(), width: 360, theme: 'dark' })
    const download = page.waitForEvent('download')
    await page.getByRole('button', { name: 'Export as JSON' }).click()
    const saved = await download
    expect(saved.suggestedFilename()).toBe('topics.json')
    const content = JSON.parse(await readFile(await saved.path(), 'utf8'))
    expect(content.topics.map(({ name }: { name: string }) => name)).toContain('old-name')

    const yaml =
      'version: 1\ntopics:\n  - name: old-name\n    title: Renamed\n  - name: from-a-file\n    title: From a file\n'
    const file = { name: 'topics.yaml', mimeType: 'application/yaml', buffer: Buffer.from(yaml) }
    await page.locator('input[type=file]').setInputFiles(file)
    await page.getByText('1 new, 1 changed, 0 deleted, 0 unchanged').waitFor()
    await expect.poll(() => page.getByRole('row', { name: /old-name/ }).innerText()).toMatch(/title Old name Renamed/)
    expect(await accessProblems(page)).toEqual([])
    expect(await scrollsSideways(page)).toBe(false)
    expect(await names()).not.toContain('from-a-file')
    await page.getByRole('checkbox', { name: /^Delete topics/ }).check()
    await page.getByRole('button', { name: 'Apply 5 changes' }).click()
    await page.getByText('Changes applied').waitFor()
    expect((await names()).sort()).toEqual(['from-a-file', 'old-name'])
  })

  test('is rejected with all its errors', async () => {
    const page = await web.open('/-/admin/topics/file', { ...as(), expects: /400/ })
    const buffer = Buffer.from('version: 1\ntopics:\n  - name: "no\\nname"\n  - title: Nameless\n')
    const file = { name: 'wrong.yaml', mimeType: 'application/yaml', buffer }
    await page.locator('input[type=file]').setInputFiles(file)
    await page.getByText(/Nothing was changed: the file has \d errors/).waitFor()
    expect(await accessProblems(page)).toEqual([])
    await expect.poll(() => page.getByRole('button', { name: /^Apply/ }).count()).toBe(0)
  })
})
