/// <reference lib="dom" />
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { dependencyReport } from '../../server/src/domain/vulnerabilities/flaws/testing/dependency-report.ts'
import type { Client } from '../../server/src/testing/client.ts'
import type { TestProject } from '../../server/src/testing/server.ts'
import { accessProblems, startWeb, visit, type Web } from './web.ts'

let web: Web
let shop: TestProject
let maintainer: Client
beforeAll(async () => {
  web = await startWeb()
  shop = await web.server.project('acme/shop')
  const site = await web.server.project('acme/site')
  const lodash = { title: 'Command injection', names: ['CVE-2021-23337'], pkg: 'lodash' }
  const other = { title: 'Other flaw', names: ['CVE-2021-1'], pkg: 'express', severity: 'Low' }
  await web.server.report(shop, dependencyReport('trivy', [lodash, other]))
  const grype = { ...lodash, title: 'lodash', names: ['GHSA-35jh-r3h4-6jhm', 'CVE-2021-23337'] }
  await web.server.report(shop, dependencyReport('grype', [grype]), { category: 'grype' })
  await web.server.report(site, dependencyReport('trivy', [lodash]))
  maintainer = await web.server.as('maintainer', shop)
  await web.server.admin.post(`/projects/${site.id}/members`, { user_id: maintainer.user?.id, access_level: 40 })
})
afterAll(() => web?.close())

const rows = (page: Page) => page.getByRole('region', { name: 'Vulnerabilities', exact: true }).getByRole('row')
const flaw = (page: Page) => rows(page).filter({ hasText: 'pkg:npm/lodash' })
const fits = (page: Page) => page.evaluate(() => document.documentElement.scrollWidth <= innerWidth)

describe('the list grouped by vulnerability', () => {
  test('has one row for several scanners, explains it, and leads to its occurrences', async () => {
    const page = await web.open('/acme/shop/-/vulnerabilities', { as: maintainer })
    await page.getByLabel('Group by').selectOption('Group by vulnerability')
    await flaw(page).getByText('2 occurrences').waitFor()
    expect(await rows(page).count()).toBe(3)
    await flaw(page).getByText('Why one row').click()
    await flaw(page).getByText('Same vulnerability: CVE-2021-23337 (alias GHSA-35JH-R3H4-6JHM)').waitFor()
    expect(await accessProblems(page)).toEqual([])
    expect(await fits(page)).toBe(true)
    await flaw(page)
      .getByRole('link', { name: /^2 occurrences/ })
      .click()
    const grid = page.getByRole('grid')
    await grid.getByRole('link', { name: 'Command injection' }).waitFor()
    await grid.getByRole('link', { name: 'lodash' }).waitFor()
    expect(await grid.getByRole('link', { name: 'Other flaw' }).count()).toBe(0)
  })

  test('makes one decision for all projects, which can be undone', async () => {
    const page = await web.open('/groups/acme/-/vulnerabilities?group_by=flaw&sort=count_desc', { as: maintainer })
    await flaw(page).getByText('Needs triage: 3').waitFor()
    await flaw(page)
      .getByRole('button', { name: /^Confirm all/ })
      .click()
    const dialog = page.getByRole('dialog', { name: 'Confirm: 3 vulnerabilities' })
    await dialog.getByRole('button', { name: 'Confirm' }).click()
    await flaw(page).getByText('Confirmed: 3').waitFor()
    const messages = page.getByRole('region', { name: 'Messages' })
    await messages.getByRole('button', { name: 'Undo' }).click()
    await flaw(page).getByText('Needs triage: 3').waitFor()
  })

  test('is filtered and sorted, also for all projects', async () => {
    const page = await web.open('/-/vulnerabilities?group_by=flaw', { as: maintainer })
    await rows(page).filter({ hasText: 'Other flaw' }).waitFor()
    await page.getByLabel('Sort').selectOption('Occurrences: fewest')
    await rows(page).nth(1).filter({ hasText: 'Other flaw' }).waitFor()
    await visit(page, '/-/vulnerabilities?group_by=flaw&severity=high')
    await rows(page).filter({ hasText: 'Other flaw' }).waitFor({ state: 'detached' })
    await flaw(page).getByText('3 occurrences').waitFor()
    await page.getByLabel('Group by').selectOption('Not grouped')
    await page.getByRole('grid').waitFor()
  })
})
