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
    await page.getByLabel('Group by').selectOption('Grouped')
    await flaw(page).getByText('2 occurrences').waitFor()
    expect(await rows(page).count()).toBe(3)
    await flaw(page).getByText('Why grouped').click()
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
    // The page of one compares it with the others, also with those of other projects.
    const [{ id }] = (await maintainer.get(`/projects/${shop.id}/vulnerabilities?search=Command`)).body
    await visit(page, `/acme/shop/-/vulnerabilities/${id}`)
    const same = page.getByRole('region', { name: 'Same vulnerability elsewhere' }).first()
    await same.getByRole('row', { name: /^acme\/shop \(this one\)/ }).waitFor()
    expect(await same.getByRole('row').count()).toBe(4)
    expect(await accessProblems(page)).toEqual([])
    await same.getByRole('link', { name: /in acme\/site$/ }).click()
    await page.getByRole('heading', { name: 'Command injection', level: 1 }).waitFor()
    expect(new URL(page.url()).pathname).toMatch(/^\/acme\/site\//)
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

let number = 0
/** Creates a project in a group of its own, in which two scanners report one of two flaws. */
async function projectOfTwo() {
  const group = `flaws-${++number}`
  const project = await web.server.project(`${group}/app`)
  const first = { title: 'First', names: ['CVE-2034-1'], pkg: 'lodash' }
  const second = { title: 'Second', names: ['CVE-2034-2'], pkg: 'lodash' }
  await web.server.report(project, dependencyReport('trivy', [first, second]))
  await web.server.report(project, dependencyReport('grype', [{ ...first, title: 'Third' }]), { category: 'grype' })
  return {
    project,
    path: `/${group}/app/-/vulnerabilities?group_by=flaw`,
    groupPath: `/groups/${group}/-/vulnerabilities?group_by=flaw`,
  }
}

describe('splits and joins in the list grouped by vulnerability', () => {
  test('take occurrences out of a row, which the toast undoes', async () => {
    const { project, path } = await projectOfTwo()
    const page = await web.open(path, { as: await web.server.as('maintainer', project) })
    const messages = page.getByRole('region', { name: 'Messages' })
    await rows(page)
      .filter({ hasText: '2 occurrences' })
      .getByRole('button', { name: /^Split/ })
      .click()
    const dialog = page.getByRole('dialog', { name: 'Split row' })
    await dialog.getByLabel('Third').waitFor()
    await dialog.getByText(/^grype/).waitFor()
    expect(await accessProblems(page)).toEqual([])
    await dialog.getByRole('button', { name: 'Split' }).click()
    await dialog.getByText('Select at least one vulnerability.').waitFor()
    await dialog.getByLabel('Third').check()
    await dialog.getByLabel('First').check()
    await dialog.getByRole('button', { name: 'Split' }).click()
    await dialog.getByText('Leave at least one in the row.').waitFor()
    await dialog.getByLabel('First').uncheck()
    await dialog.getByRole('button', { name: 'Split' }).click()
    await messages.getByText('Split 1 vulnerability into a separate row.').waitFor()
    await expect.poll(() => rows(page).count()).toBe(4)
    await messages.getByRole('button', { name: 'Undo' }).click()
    await expect.poll(() => rows(page).count()).toBe(3)
  })

  test('make two selected rows one, with the keyboard alone, and are listed with an undo', async () => {
    const { groupPath } = await projectOfTwo()
    const page = await web.open(groupPath, { as: web.server.admin, width: 360 })
    await rows(page).filter({ hasText: '2 occurrences' }).getByRole('checkbox').focus()
    await page.keyboard.press('Space')
    const join = page.getByRole('button', { name: 'Join', exact: true })
    expect(await join.isDisabled()).toBe(true)
    await page.getByText('Select 2 rows to join them').waitFor()
    await rows(page).filter({ hasText: '1 occurrence' }).getByRole('checkbox').focus()
    await page.keyboard.press('Space')
    await join.focus()
    await page.keyboard.press('Enter')
    const dialog = page.getByRole('dialog', { name: 'Join 2 rows' })
    await dialog.getByText('Second').waitFor()
    expect(await accessProblems(page)).toEqual([])
    await dialog.getByRole('button', { name: 'Join' }).focus()
    await page.keyboard.press('Enter')
    await rows(page).filter({ hasText: '3 occurrences' }).waitFor()
    expect(await rows(page).count()).toBe(2)
    expect(await fits(page)).toBe(true)

    await page.getByRole('button', { name: 'Splits and joins' }).click()
    const changes = page.getByRole('dialog', { name: 'Splits and joins' })
    await changes.getByText('Joined 3 vulnerabilities into one row').waitFor()
    expect(await accessProblems(page)).toEqual([])
    await changes.getByRole('button', { name: /^Undo/ }).click()
    await changes.getByText('Undone').waitFor()
    await page.keyboard.press('Escape')
    await expect.poll(() => rows(page).count()).toBe(3)
  })

  test('are not offered to those who may not triage, nor in a group to those who are not its maintainers', async () => {
    const { project, path, groupPath } = await projectOfTwo()
    for (const [as, where] of [
      [await web.server.as('developer', project), path],
      [await web.server.as('maintainer', project), groupPath],
    ] as const) {
      const page = await web.open(where, { as })
      await rows(page).filter({ hasText: '2 occurrences' }).waitFor()
      expect(await page.getByRole('button', { name: /split/i }).count()).toBe(0)
      expect(await rows(page).getByRole('checkbox').count()).toBe(0)
    }
  })
})
