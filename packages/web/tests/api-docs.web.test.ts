/// <reference lib="dom" />
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { accessProblems, quiet, startWeb, type Web } from './web.ts'

let web: Web
let projectId: number
beforeAll(async () => {
  web = await startWeb()
  projectId = (await web.server.project('acme/shop', { visibility: 'public' })).id
})
afterAll(() => web?.close())

const main = (page: Page) => page.getByRole('main')
/** Links to operations, without those of the breadcrumbs. */
const operations = (page: Page) => main(page).locator('li a:not(nav a)')
const answer = (page: Page) => page.getByRole('region', { name: 'Response', exact: true })
const scrollsSideways = (page: Page) => page.evaluate(() => document.documentElement.scrollWidth > innerWidth)

test('the API page lists all operations and searches them by path, words and permission', async () => {
  const page = await web.open('/-/api')
  const paths: Record<string, object> = (await web.server.anonymous.get('//-/openapi.json')).body.paths
  const count = Object.values(paths).reduce((sum, methods) => sum + Object.keys(methods).length, 0)
  await expect.poll(() => operations(page).count()).toBe(count)
  expect(await accessProblems(page)).toEqual([])
  await page.getByRole('searchbox').fill('topic.manage merge')
  await page.waitForURL(/search=topic.manage/)
  await expect.poll(() => operations(page).count()).toBe(2)
  await main(page)
    .getByRole('link', { name: /Merge one topic into another/ })
    .click()
  await page.getByRole('heading', { level: 1, name: /Merge one topic into another/ }).waitFor()
  expect(page.url()).toContain('/-/api/mergeTopics?search=topic.manage')
  await page.goBack()
  await page.getByRole('searchbox').fill('nothing has these words')
  await page.getByText('No matching operations').waitFor()
})

test('an operation has its own URL, with permission, parameters and responses', async () => {
  const page = await web.open('/-/api/listProjectUploads', { width: 360, theme: 'dark' })
  const text = await main(page).innerText()
  expect(text).toContain('/api/v4/projects/{id}/uploads')
  expect(text).toContain('Permission: upload.list')
  expect(text).toMatch(/per_page/)
  await page.getByText('200', { exact: true }).first().waitFor()
  expect(await accessProblems(page)).toEqual([])
  expect(await scrollsSideways(page)).toBe(false)
  const absent = await web.open('/-/api/get_nothing')
  await expect.poll(() => main(absent).innerText()).toContain('Page not found')
})

describe('a request from the API page', () => {
  test('is sent anonymously by a signed-out user', async () => {
    const page = await web.open('/-/api/getProject', { expects: /404/ })
    await expect.poll(() => main(page).innerText()).toContain('Sent without authentication.')
    await page.getByRole('button', { name: 'Send' }).click()
    await page.getByText('id is required').waitFor()
    expect(await accessProblems(page)).toEqual([])
    await page.getByLabel('id (required)').fill('acme/shop')
    await page.getByRole('button', { name: 'Send' }).click()
    await answer(page).waitFor()
    await expect.poll(() => answer(page).innerText()).toContain('"path_with_namespace": "acme/shop"')
    await expect.poll(() => answer(page).innerText()).toMatch(/200 OK[\s\S]*ms/)
    await answer(page)
      .getByText(/headers$/)
      .click()
    await expect.poll(() => answer(page).innerText()).toContain('application/json')
    expect(await accessProblems(page)).toEqual([])

    await page.getByLabel('id (required)').fill('acme/none')
    await page.getByRole('button', { name: 'Send' }).click()
    await answer(page).getByText('404 Not Found').waitFor()
  })

  test('is sent with a file as the signed-in user, and can be copied as a shell command', async () => {
    const page = await web.open('/-/api/createProjectUpload', { as: web.server.admin })
    await page.getByLabel('id (required)').fill(String(projectId))
    await page
      .getByLabel('file (required)')
      .setInputFiles({ name: "it's.txt", mimeType: 'text/plain', buffer: Buffer.from('hello') })
    await page.getByRole('button', { name: 'Copy command' }).click()
    expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(
      [
        'curl',
        '--request POST',
        "--header 'PRIVATE-TOKEN: <your token>'",
        "--form 'file=@it'\\''s.txt'",
        `'${web.origin}/api/v4/projects/${projectId}/uploads'`,
      ].join(' \\\n  '),
    )
    await page.getByRole('button', { name: 'Send' }).click()
    await answer(page).getByText('201 Created').waitFor()
    const { body } = await web.server.admin.get(`/projects/${projectId}/uploads`)
    expect(body).toMatchObject([{ filename: 'it_s.txt', size: 5 }])
  })

  test('is sent as JSON with the documented types', async () => {
    const page = await web.open('/-/api/createUser', { as: web.server.admin })
    await page.getByLabel('email (required)').fill('made@example.test')
    await page.getByLabel('username (required)').fill('made')
    await page.getByLabel('name (required)', { exact: true }).fill('Made here')
    await page.getByLabel('force_random_password').selectOption('true')
    await page.getByLabel('projects_limit').fill('three')
    await page.getByRole('button', { name: 'Send' }).click()
    await page.getByText('projects_limit must be a number').waitFor()
    await page.getByLabel('projects_limit').fill('3')
    await page.getByRole('button', { name: 'Send' }).click()
    await answer(page).getByText('201 Created').waitFor()
    const { body } = await web.server.admin.get('/users?username=made')
    expect(body).toMatchObject([{ name: 'Made here', projects_limit: 3 }])
  })

  test('omits blank fields, or sends them empty or as null', async () => {
    const { body: project } = await web.server.admin.post('/projects', { name: 'Blank', description: 'Some' })
    const page = await web.open('/-/api/updateProject', { as: web.server.admin })
    await main(page).getByText('This sends a real request').waitFor()
    await page.getByLabel('id (required)').fill(String(project.id))
    const sent = page.waitForRequest((request) => request.method() === 'PUT')
    await page.getByLabel('name', { exact: true }).fill('Renamed')
    await page.getByLabel('description, if blank', { exact: true }).selectOption('If blank: null')
    await page.getByLabel('topics, if blank', { exact: true }).selectOption('If blank: empty string')
    expect(await accessProblems(page)).toEqual([])
    await page.getByRole('button', { name: 'Send' }).click()
    expect((await sent).postDataJSON()).toEqual({ name: 'Renamed', description: null, topics: [] })
    await answer(page).getByText('200 OK').waitFor()
    expect((await web.server.admin.get(`/projects/${project.id}`)).body).toMatchObject({ description: null })
  })

  test('shows any response as text, limited in length', async () => {
    const page = await web.open('/-/api/getVersion', { as: web.server.admin })
    const answers = [
      { contentType: 'text/html', body: '<h1>Hi</h1><script>document.title = "taken"</script>' },
      { contentType: 'application/json', body: `[${'"<b>x</b>",'.repeat(60_000)}1]` },
      { contentType: 'application/json', body: `"${'y'.repeat(17 * 1024 * 1024)}"` },
      { contentType: 'application/octet-stream', body: Buffer.alloc(17 * 1024 * 1024) },
      { contentType: 'application/octet-stream', body: Buffer.alloc(9) },
    ]
    await page.route('**/api/v4/version', (route) => route.fulfill({ status: 200, ...answers.shift() }))
    const send = () => page.getByRole('button', { name: 'Send' }).click()
    await send()
    await answer(page).getByText('<h1>Hi</h1><script>').waitFor()
    await send()
    await answer(page)
      .getByText(/^Showing the first 200,000 characters of/)
      .waitFor()
    await send()
    await answer(page)
      .getByText(/more than 1\d MiB/)
      .waitFor()
    await send()
    await answer(page).getByText('The response is too large to display').waitFor()
    expect(await answer(page).getByRole('link', { name: 'Download' }).count()).toBe(0)
    await send()
    await answer(page).getByRole('link', { name: 'Download' }).waitFor()
    expect(await page.title()).not.toBe('taken')
    expect(await answer(page).locator('b, h1, script').count()).toBe(0)
  })

  test('asks for confirmation before a deletion', async () => {
    const topic = await web.server.admin.post('/topics', { name: 'short-lived', title: 'Short-lived' })
    const page = await web.open('/-/api/deleteTopic', { as: web.server.admin })
    await page.getByLabel('id (required)').fill(String(topic.body.id))
    await page.getByRole('button', { name: 'Send', exact: true }).click()
    const dialog = page.getByRole('dialog')
    await expect.poll(() => dialog.innerText()).toContain(`DELETE /api/v4/topics/${topic.body.id}`)
    expect(await accessProblems(page)).toEqual([])
    await dialog.getByRole('button', { name: 'Cancel' }).click()
    await dialog.waitFor({ state: 'hidden' })
    expect((await web.server.admin.get(`/topics/${topic.body.id}`)).status).toBe(200)
    await page.getByRole('button', { name: 'Send', exact: true }).click()
    await dialog.getByRole('button', { name: 'Send' }).click()
    await answer(page).getByText('204 No Content').waitFor()
    await quiet(page)
    await expect.poll(() => answer(page).innerText()).toContain('No body.')
    expect((await web.server.admin.get(`/topics/${topic.body.id}`)).status).toBe(404)
  })
})
