/// <reference lib="dom" />
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Client } from '../../server/src/testing/client.ts'
import type { TestProject } from '../../server/src/testing/server.ts'
import { accessProblems, startWeb, type Web } from './web.ts'

let web: Web
let shop: TestProject
let maintainer: Client
beforeAll(async () => {
  web = await startWeb()
  shop = await web.server.project('acme/shop')
  maintainer = await web.server.as('maintainer', shop)
  expect((await maintainer.put(`/projects/${shop.id}`, { description: 'Sells things' })).status).toBe(200)
})
afterAll(() => web?.close())

const rows = (page: Page) => page.getByRole('region', { name: 'Audit events' }).getByRole('row')
const fits = (page: Page) => page.evaluate(() => document.documentElement.scrollWidth <= innerWidth)

describe('the audit log of a project', () => {
  test('lists who changed what, with the values before and after, by keyboard', async () => {
    const page = await web.open('/acme/shop/-/settings/audit_log', { as: maintainer })
    const row = rows(page).filter({ hasText: 'Changed the project' }).first()
    await row.getByText('127.0.0.1').waitFor()
    const summary = row.locator('summary')
    await summary.focus()
    await page.keyboard.press('Enter')
    await row.getByText('Sells things').waitFor()
    await row.getByText('project_updated').waitFor()
    expect(await accessProblems(page)).toEqual([])
  })

  test('is narrowed to one author and to days', async () => {
    const page = await web.open('/acme/shop/-/settings/audit_log', { as: maintainer })
    await rows(page).filter({ hasText: 'Added a member' }).waitFor()
    await rows(page).filter({ hasText: 'Changed the project' }).first().getByRole('button').click()
    await page.getByRole('button', { name: 'One author only: show all' }).waitFor()
    await rows(page).filter({ hasText: 'Added a member' }).waitFor({ state: 'detached' })
    await page.getByRole('button', { name: 'One author only: show all' }).click()
    await rows(page).filter({ hasText: 'Added a member' }).waitFor()

    await page.getByLabel('Until').fill('2001-01-01')
    await page.getByText('No matching events').waitFor()
    await page.getByLabel('Until').fill('')
    await rows(page).filter({ hasText: 'Added a member' }).waitFor()
  })

  test.for(['light', 'dark'] as const)('fits into 360 px in the %s theme', async (theme) => {
    const page = await web.open('/acme/shop/-/settings/audit_log', { as: maintainer, width: 360, theme })
    await rows(page).filter({ hasText: 'Added a member' }).waitFor()
    expect(await fits(page)).toBe(true)
    expect(await accessProblems(page)).toEqual([])
  })

  test('is not offered to a developer', async () => {
    const developer = await web.server.as('developer', shop)
    const page = await web.open('/acme/shop', { as: developer })
    await page.getByRole('link', { name: 'Reports' }).waitFor()
    expect(await page.getByRole('link', { name: 'Settings' }).count()).toBe(0)
    const direct = await web.open('/acme/shop/-/settings/audit_log', { as: developer })
    await direct.getByRole('heading', { level: 1 }).waitFor()
    expect(await direct.getByRole('table').count()).toBe(0)
  })
})

test('the audit log of a group has its own events', async () => {
  const page = await web.open('/groups/acme/-/settings/audit_log', { as: web.server.admin })
  await rows(page).filter({ hasText: 'Created the group' }).waitFor()
  expect(await rows(page).filter({ hasText: 'Changed the project' }).count()).toBe(0)
})

test('the audit log of the instance has the events of everything, by kind', async () => {
  const page = await web.open('/-/admin/audit_log', { as: web.server.admin })
  await rows(page).filter({ hasText: 'Changed the project' }).first().waitFor()
  await page.getByLabel('Events', { exact: true }).selectOption('Events of groups')
  await rows(page).filter({ hasText: 'Changed the project' }).first().waitFor({ state: 'detached' })
  await rows(page).filter({ hasText: 'Created the group' }).getByRole('link', { name: 'acme' }).waitFor()
})
