/// <reference lib="dom" />
import { randomUUID } from 'node:crypto'
import type { Page } from 'playwright-core'
import sharp from 'sharp'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Client } from '../../server/src/testing/client.ts'
import { filled, picture, rowOf } from './uploads.ts'
import { accessProblems, startWeb, type Web } from './web.ts'

let web: Web
let maintainer: Client
beforeAll(async () => {
  web = await startWeb()
  maintainer = await web.server.user('maria')
})
afterAll(() => web?.close())

const unusedPath = (name: string) => `acme/${name}-${randomUUID().slice(0, 8)}`
const shownIn = (page: Page, name: string) =>
  rowOf(page, name)
    .locator('img')
    .evaluate((image: HTMLImageElement) => ({ width: image.naturalWidth, address: new URL(image.src).pathname }))

test('the list of uploads loads a small picture where the server draws one', async () => {
  const path = unusedPath('thumbnails')
  const large = await sharp({ create: { width: 800, height: 400, channels: 3, background: '#2a6' } })
    .jpeg()
    .toBuffer()
  await filled(web, maintainer, path, [
    { name: 'large.jpg', buffer: large },
    { name: 'notes.txt', buffer: 'x' },
  ])
  const page = await web.open(`/${path}/-/uploads`, { as: maintainer })
  await expect
    .poll(() => shownIn(page, 'large.jpg'))
    .toEqual({
      width: 192,
      address: expect.stringMatching(/^\/-\/project\/\d+\/thumbnails\/[0-9a-f]{32}\/large\.jpg$/),
    })
  expect(await rowOf(page, 'notes.txt').locator('img').count()).toBe(0)
})

test('the list of uploads loads the picture itself, or an icon, where the server has no thumbnail', async () => {
  const path = unusedPath('no-thumbnails')
  await filled(web, maintainer, path, [
    { name: 'shot.png', buffer: picture },
    { name: 'broken.png', buffer: 'no picture' },
  ])
  const page = await web.open('/', { as: maintainer, expects: /404/ })
  const asked: string[] = []
  await page.route('**/thumbnails/**', (route) => {
    asked.push(route.request().url())
    return route.fulfill({ status: 404, json: { message: '404 Not found' } })
  })
  await page.goto(`/${path}/-/uploads`)
  await expect
    .poll(() => shownIn(page, 'shot.png'))
    .toEqual({ width: 10, address: expect.stringMatching(/^\/-\/project\/\d+\/uploads\//) })
  await expect.poll(() => rowOf(page, 'broken.png').locator('img').count()).toBe(0)
  expect(await rowOf(page, 'broken.png').locator('svg').count()).toBeGreaterThan(0)
  expect(asked).toHaveLength(2)
})

test('the list of uploads shows uses and since when a file is unreferenced, where references are recorded', async () => {
  const path = unusedPath('references')
  const project = await filled(web, maintainer, path, [
    { name: 'used.txt', buffer: 'x' },
    { name: 'unused.txt', buffer: 'x' },
  ])
  const page = await web.open(`/${path}/-/uploads`, { as: maintainer, width: 360 })
  await rowOf(page, 'unused.txt').waitFor()
  expect(await page.getByRole('table').innerText()).not.toMatch(/Unreferenced|\buses?\b/)

  const { body } = await maintainer.get(`/projects/${project.id}/uploads?with_details=true&search=used.txt`)
  const { markdown } = body.find(({ filename }: { filename: string }) => filename === 'used.txt')
  const texts = [`${markdown} and ${markdown}`]
  await maintainer.post(`/projects/${project.id}/uploads/references`, { source: 'https://wiki.test/page', texts })
  await page.reload()
  await rowOf(page, 'unused.txt').getByText('Unreferenced since').waitFor()
  const since = await rowOf(page, 'unused.txt').getByText('Unreferenced since').locator('time').getAttribute('datetime')
  expect(Date.parse(since ?? '')).toBeLessThanOrEqual(Date.now())
  await rowOf(page, 'used.txt').filter({ hasText: '2 uses' }).waitFor()
  expect(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth)).toBe(true)
  expect(await accessProblems(page)).toEqual([])
})
