/// <reference lib="dom" />
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Client } from '../../server/src/testing/client.ts'
import type { TestProject } from '../../server/src/testing/server.ts'
import { startWeb, type Web } from './web.ts'

const component = (name: string, license: string) => ({
  type: 'library',
  name,
  version: '1.0.0',
  'bom-ref': name,
  purl: `pkg:npm/${name}@1.0.0`,
  licenses: [{ license: { id: license } }],
})
const bom = (components: object[], vulnerabilities?: object[]) =>
  JSON.stringify({
    bomFormat: 'CycloneDX',
    specVersion: '1.6',
    metadata: { component: { type: 'application', name: 'app' } },
    components,
    ...(vulnerabilities && { vulnerabilities }),
  })

let web: Web
let shop: TestProject
let developer: Client
beforeAll(async () => {
  web = await startWeb()
  shop = await web.server.project('acme/shop')
  const site = await web.server.project('acme/site')
  developer = await web.server.as('developer', shop)
  const flaw = { id: 'CVE-2099-0001', ratings: [{ severity: 'high' }], affects: [{ ref: 'parser' }] }
  await web.server.report(shop, bom([component('parser', 'MIT'), component('logger', 'ISC')], [flaw]))
  await web.server.report(site, bom([component('parser', 'MIT')]))
})
afterAll(() => web?.close())

const rows = (page: Page, table: string) => page.getByRole('region', { name: table }).getByRole('row')
const fits = (page: Page) => page.evaluate(() => document.documentElement.scrollWidth <= innerWidth)

test('the dependencies of a group are listed with the projects that the user may read', async () => {
  const page = await web.open('/groups/acme', { as: web.server.admin })
  await page.getByRole('link', { name: 'Dependencies' }).click()
  const parser = rows(page, 'Packages').filter({ hasText: 'parser' })
  await parser.getByRole('link', { name: 'MIT' }).waitFor()
  for (const path of ['acme/shop', 'acme/site']) await parser.getByRole('link', { name: path }).waitFor()
  await page.setViewportSize({ width: 360, height: 800 })
  expect(await fits(page)).toBe(true)
  const own = await web.open('/groups/acme/-/dependencies?search=parser', { as: developer })
  await own.getByRole('link', { name: 'acme/shop' }).waitFor()
  expect(await own.getByText('acme/site').count()).toBe(0)
  expect(await own.getByText('logger').count()).toBe(0)
})

describe('the dependencies of a project', () => {
  test('are listed with vulnerabilities and licenses, and lead to the vulnerabilities', async () => {
    const page = await web.open('/acme/shop', { as: developer })
    await page.getByRole('link', { name: 'Dependencies' }).click()
    const parser = rows(page, 'Dependencies').filter({ hasText: 'parser' })
    await parser.getByText('High').waitFor()
    await parser.getByRole('link', { name: 'MIT' }).waitFor()
    await parser.getByRole('link', { name: /^1 vulnerability/ }).click()
    await page.getByRole('grid').getByRole('link', { name: 'CVE-2099-0001 in parser' }).waitFor()
  })

  test('are searched and filtered by license', async () => {
    const page = await web.open('/acme/shop/-/dependencies', { as: developer })
    await page.getByLabel('License').selectOption('ISC (1)')
    await rows(page, 'Dependencies').filter({ hasText: 'parser' }).waitFor({ state: 'detached' })
    await rows(page, 'Dependencies').filter({ hasText: 'logger' }).waitFor()
    await page.getByLabel('License').selectOption('All licenses')
    await page.getByLabel('Search dependencies').fill('pars')
    await rows(page, 'Dependencies').filter({ hasText: 'logger' }).waitFor({ state: 'detached' })
    await page.getByLabel('Search dependencies').fill('nothing')
    await page.getByText('No matching dependencies').waitFor()
  })
})

describe('the search of packages in all projects', () => {
  test('lists licenses, then versions with the projects that the user may read', async () => {
    const page = await web.open('/-/dependencies', { as: web.server.admin })
    await rows(page, 'Licenses').filter({ hasText: 'MIT' }).getByText('2', { exact: true }).waitFor()
    await page.getByLabel('Search packages').fill('pa')
    await page.getByText('at least three letters').waitFor()
    await page.getByLabel('Search packages').fill('parser')
    const parser = rows(page, 'Packages').filter({ hasText: 'parser' })
    await parser.getByRole('link', { name: 'acme/site' }).waitFor()
    await parser.getByRole('link', { name: 'acme/shop' }).waitFor()

    const theirs = await web.open('/-/dependencies?search=parser', { as: developer })
    await theirs.getByRole('link', { name: 'acme/shop' }).waitFor()
    expect(await theirs.getByRole('link', { name: 'acme/site' }).count()).toBe(0)
  })

  test.for(['light', 'dark'] as const)('fits into 360 px in the %s theme', async (theme) => {
    const page = await web.open('/-/dependencies?search=parser', { as: developer, width: 360, theme })
    await rows(page, 'Packages').filter({ hasText: 'parser' }).waitFor()
    expect(await fits(page)).toBe(true)
  })
})
