/// <reference lib="dom" />
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { entry } from '../../server/src/testing/reports/reports.ts'
import { accessProblems, quiet, startWeb, type Web } from './web.ts'

let web: Web
beforeAll(async () => {
  web = await startWeb()
})
afterAll(() => web?.close())

const fits = (page: Page) => page.evaluate(() => document.documentElement.scrollWidth <= innerWidth)
const main = (page: Page) => page.getByRole('main')

describe('the project overview', () => {
  test('shows description and members, and can be starred', async () => {
    const project = await web.server.project('acme/shop', { visibility: 'public' })
    const reporter = await web.server.as('reporter', project)
    await web.server.admin.put(`/projects/${project.id}`, { description: 'Sells **things**.', topics: ['web'] })
    const page = await web.open('/acme/shop', { as: reporter, theme: 'dark', width: 360 })
    await expect.poll(() => main(page).locator('strong').innerText()).toBe('things')
    await expect.poll(() => page.getByRole('list', { name: 'Members' }).innerText()).toContain('Reporter')
    await expect.poll(() => page.getByRole('button', { name: /topics/ }).count()).toBe(0)
    await expect.poll(() => page.getByRole('link', { name: 'Settings' }).count()).toBe(0)
    expect(await accessProblems(page)).toEqual([])
    expect(await fits(page)).toBe(true)

    await page.getByRole('button', { name: 'Star 0' }).click()
    await page.getByRole('button', { name: 'Starred 1' }).click()
    await page.getByRole('button', { name: 'Star 0' }).waitFor()
  })

  test('shows open vulnerabilities to those who may read them, and follows changes', async () => {
    const project = await web.server.project('acme/scanned', { visibility: 'public' })
    await web.server.report(project, [
      entry({ line: 1, severity: 'Critical', rule: 'a' }),
      entry({ line: 2, severity: 'High', rule: 'b' }),
    ])
    const developer = await web.server.as('developer', project)
    const page = await web.open('/', { as: developer, width: 360, isChanged: true })
    await page.clock.install()
    await page.goto('/acme/scanned')
    const section = page.getByRole('region', { name: 'Open vulnerabilities' })
    const texts = () => section.getByRole('link').allInnerTexts()
    await expect
      .poll(texts)
      .toEqual([
        expect.stringMatching(/^1\s+Critical/),
        expect.stringMatching(/^1\s+High/),
        expect.stringMatching(/^0\s+Medium/),
        expect.stringMatching(/^0\s+Low/),
        expect.stringMatching(/^2\s+Needs triage/),
        expect.stringMatching(/^0\s+Overdue/),
      ])
    const facts = page.getByRole('definition')
    expect(await facts.allInnerTexts()).toContain('F')
    expect(await accessProblems(page)).toEqual([])
    expect(await fits(page)).toBe(true)

    const { body } = await web.server.admin.get(`/projects/${project.id}/vulnerabilities?severity=critical`)
    await web.server.admin.post(`/vulnerabilities/${(body as { id: number }[])[0]?.id}/resolve`)
    await page.clock.fastForward(31_000)
    await expect.poll(texts).toContainEqual(expect.stringMatching(/^1\s+Needs triage/))
    await section.getByRole('link', { name: /High/ }).click()
    await page.waitForURL('**/acme/scanned/-/vulnerabilities?severity=high')

    const reporter = await web.open('/acme/scanned', { as: await web.server.as('reporter', project) })
    await reporter.getByRole('heading', { name: 'About' }).waitFor()
    expect(await reporter.getByRole('region', { name: 'Open vulnerabilities' }).count()).toBe(0)
  })

  test('hides controls that require an account from signed-out users', async () => {
    const page = await web.open('/acme/shop')
    await expect.poll(() => main(page).innerText()).toContain('Sells things.')
    await expect.poll(() => page.getByRole('link', { name: 'Members' }).count()).toBe(0)
    const settings = await web.open('/acme/shop/-/settings')
    await settings.getByRole('heading', { name: 'Access denied' }).waitFor()
  })
})

describe('creating a project', () => {
  test('is possible in the user’s groups, at most as visible as the group', async () => {
    const nadia = await web.server.user('nadia')
    await nadia.post('/groups', { name: 'Inner', path: 'inner', visibility: 'internal' })
    await web.server.admin.post('/groups', { name: 'Foreign', path: 'foreign', visibility: 'public' })
    const page = await web.open('/-/projects/new', { as: nadia, expects: /400/ })
    const place = page.getByRole('combobox', { name: 'Namespace' })
    await expect.poll(() => place.inputValue()).toBe('nadia')
    await page.getByLabel('Name', { exact: true }).fill('Über Maß')
    await expect.poll(() => page.getByLabel('Path').inputValue()).toBe('uber-mass')
    await place.fill('o')
    await page.getByText('No matching namespace').waitFor()
    await place.fill('inn')
    await page.getByRole('option', { name: 'inner' }).waitFor()
    expect(await accessProblems(page)).toEqual([])
    await page.getByRole('option', { name: 'inner' }).click()
    await expect.poll(() => page.getByRole('radio', { name: /^Public/ }).isDisabled()).toBe(true)
    await page.getByRole('radio', { name: /^Internal/ }).check()
    await page.getByRole('combobox', { name: 'Topics' }).fill('first')
    await page.getByRole('combobox', { name: 'Topics' }).press('Enter')
    expect(await accessProblems(page)).toEqual([])
    await page.getByLabel('Path').fill('no good')
    await page.getByRole('button', { name: 'Create project' }).click()
    await page.getByText(/Can contain only letters/).waitFor()
    await page.getByLabel('Path').fill('good')
    await page.getByRole('button', { name: 'Create project' }).click()
    await page.getByRole('heading', { name: 'Overview' }).waitFor()
    expect(new URL(page.url()).pathname).toBe('/inner/good')
    expect((await nadia.get('/projects/inner%2Fgood')).body).toMatchObject({
      name: 'Über Maß',
      visibility: 'internal',
      topics: ['first'],
    })
  })

  test.each([
    { path: 'automatic', changes: [], promotes: true },
    { path: 'manual', changes: ['Space'], promotes: false },
  ])(
    'creates vulnerabilities automatically unless the user clears that checkbox ($path)',
    async ({ path, changes, promotes }) => {
      const page = await web.open('/-/projects/new', { as: web.server.admin })
      await page.getByLabel('Name', { exact: true }).fill(path)
      const box = page.getByRole('checkbox', { name: 'Create vulnerabilities automatically' })
      expect(await box.isChecked()).toBe(true)
      await box.focus()
      for (const key of changes) await page.keyboard.press(key)
      expect(await box.isChecked()).toBe(promotes)
      await page.getByRole('button', { name: 'Create project' }).click()
      await page.waitForURL(`**/root/${path}`)
      expect((await web.server.admin.get(`/projects/root%2F${path}`)).body).toMatchObject({
        promote_vulnerabilities_on_ingestion: promotes,
      })
    },
  )
})

describe('project members', () => {
  test('can be added, changed and removed by Maintainers, and inherited ones show their source', async () => {
    const project = await web.server.project('acme/team')
    const maintainer = await web.server.as('maintainer', project)
    const wei = await web.server.user('wei')
    const page = await web.open('/acme/team/-/members', { as: maintainer })
    const table = page.getByRole('table')
    await expect.poll(() => table.getByRole('row', { name: /Administrator/ }).innerText()).toContain('Inherited')

    await page.getByRole('button', { name: 'Add members' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByRole('combobox', { name: 'Users' }).fill('wei')
    await dialog.getByRole('option', { name: /@wei/ }).waitFor()
    expect(await accessProblems(page)).toEqual([])
    await page.keyboard.press('Tab')
    await expect.poll(() => dialog.getByRole('listbox').count()).toBe(0)
    await page.keyboard.press('Shift+Tab')
    await page.keyboard.press('ArrowDown')
    await dialog.getByRole('option', { name: /@wei/ }).click()
    await expect.poll(() => dialog.getByLabel('Role').locator('option').allInnerTexts()).not.toContain('Owner')
    await dialog.getByLabel('Role').selectOption('Reporter')
    await dialog.getByLabel('Expiration date').fill('2099-01-31')
    await dialog.getByRole('button', { name: 'Add', exact: true }).click()
    const row = table.getByRole('row', { name: /@wei/ })
    await row.waitFor()
    await expect.poll(() => row.innerText()).toMatch(/Reporter\s+31 Jan 2099/)
    expect((await wei.get(`/projects/${project.id}`)).status).toBe(200)

    await row.getByRole('button', { name: 'Actions for wei' }).click()
    await page.getByRole('menuitem', { name: 'Edit' }).click()
    await dialog.getByLabel('Role').selectOption('Developer')
    await dialog.getByLabel('Expiration date').fill('')
    await dialog.getByRole('button', { name: 'Save' }).click()
    await table.getByRole('row', { name: /@wei Developer No expiration/ }).waitFor()

    await row.getByRole('button', { name: 'Actions for wei' }).click()
    await page.getByRole('menuitem', { name: 'Remove' }).click()
    await dialog.getByRole('button', { name: 'Remove' }).click()
    await row.waitFor({ state: 'detached' })
    expect((await wei.get(`/projects/${project.id}`)).status).toBe(404)
  })

  test('can leave, and see no other controls without permission', async () => {
    const project = await web.server.project('acme/left')
    const guest = await web.server.as('guest', project)
    const page = await web.open('/acme/left/-/members', { as: guest, theme: 'dark', width: 360 })
    await expect.poll(() => page.getByRole('button', { name: 'Add members' }).count()).toBe(0)
    expect(await page.title()).toBe('Members · left · Alcove')
    await expect.poll(() => page.getByRole('button', { name: /^Actions for/ }).count()).toBe(1)
    expect(await fits(page)).toBe(true)
    await page.getByRole('button', { name: /^Actions for/ }).click()
    await page.getByRole('menuitem', { name: 'Leave' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Leave' }).click()
    await page.getByText('You have no projects yet').waitFor()
    expect((await guest.get(`/projects/${project.id}`)).status).toBe(404)
  })
})

describe('project settings', () => {
  test('can be saved by Maintainers, without controls for owners or administrators', async () => {
    const project = await web.server.project('acme/plain')
    const maintainer = await web.server.as('maintainer', project)
    const page = await web.open('/acme/plain/-/settings', { as: maintainer })
    for (const name of ['Delete project', 'Change path', 'Save visibility', 'Save limits']) {
      await expect.poll(() => page.getByRole('button', { name }).count()).toBe(0)
    }
    await page.getByLabel('Name').fill('Plain and good')
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    await page.getByText('Saved.').waitFor()
    await page.getByLabel('Create vulnerabilities automatically').check()
    await quiet(page)
    expect((await maintainer.get(`/projects/${project.id}`)).body).toMatchObject({
      name: 'Plain and good',
      promote_vulnerabilities_on_ingestion: true,
    })
  })

  test('can change the absence limit, and turn it off', async () => {
    const project = await web.server.project('acme/limited')
    const as = await web.server.as('maintainer', project)
    const limit = async () => (await as.get(`/projects/${project.id}`)).body.max_absent_percent
    const page = await web.open('/acme/limited/-/settings', { as, theme: 'dark', width: 360 })
    const field = page.getByLabel('Absence limit (%)')
    expect(await field.inputValue()).toBe('50')

    await field.fill('101')
    await field.press('Enter')
    expect(await field.evaluate((input: HTMLInputElement) => input.validity.rangeOverflow)).toBe(true)
    await field.fill('30')
    await field.press('Enter')
    await expect.poll(limit).toBe(30)
    await page.reload()
    await expect.poll(() => field.inputValue()).toBe('30')
    await field.fill('')
    await page.getByRole('button', { name: 'Save absence limit' }).click()
    await expect.poll(limit).toBe(null)
    await page.reload()
    await expect.poll(() => field.inputValue()).toBe('')
    expect(await fits(page)).toBe(true)
  })

  test('can require the role Maintainer for reports of the default branch', async () => {
    const project = await web.server.project('acme/guarded')
    const as = await web.server.as('maintainer', project)
    const role = async () => (await as.get(`/projects/${project.id}`)).body.default_branch_report_role
    const page = await web.open('/acme/guarded/-/settings', { as, width: 360 })
    const field = page.getByLabel('Who can report for the default branch')
    expect(await field.inputValue()).toBe('developer')
    await field.selectOption('maintainer')
    await page.getByRole('button', { name: 'Save report role' }).click()
    await expect.poll(role).toBe('maintainer')
    await page.reload()
    await expect.poll(() => field.inputValue()).toBe('maintainer')
    expect(await fits(page)).toBe(true)
  })

  test('names the page above in full on a phone', async () => {
    await web.server.project('acme/phone')
    const page = await web.open('/acme/phone/-/settings/hooks/new', { as: web.server.admin, width: 360 })
    const link = page.getByRole('navigation', { name: 'Breadcrumbs' }).getByRole('link')
    await expect.poll(() => link.allInnerTexts()).toEqual(['Webhooks'])
    expect(await link.evaluate((element) => element.scrollWidth <= element.clientWidth)).toBe(true)
  })

  test('can rename, limit, archive and delete the project', async () => {
    const project = await web.server.project('acme/old')
    const page = await web.open('/acme/old/-/settings', { as: web.server.admin, theme: 'dark', width: 360 })
    expect(await fits(page)).toBe(true)
    await page.getByLabel('Maximum file size (MiB)').fill('1.5')
    await page.getByRole('button', { name: 'Save limits' }).click()
    await page.getByText('Maximum file size: 1.5 MiB').waitFor()

    await page.getByLabel('Path').fill('young')
    await page.getByRole('button', { name: 'Change path' }).click()
    await page.waitForURL('**/acme/young/-/settings')
    await quiet(page)
    const led = await web.open('/acme/old/-/members', { as: web.server.admin })
    await led.waitForURL('**/acme/young/-/members')

    await page.getByRole('button', { name: 'Archive' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Archive' }).click()
    await page.getByRole('button', { name: 'Unarchive' }).waitFor()

    const last = page.getByRole('button', { name: 'Delete project' })
    await last.focus()
    const [end, said] = [await last.boundingBox(), await page.getByText('Project archived.').boundingBox()]
    expect((end?.y ?? 0) + (end?.height ?? 0), 'above what is said').toBeLessThan(said?.y ?? 0)
    await last.click()
    const remove = page.getByRole('dialog').getByRole('button', { name: 'Delete project' })
    await expect.poll(() => remove.isDisabled()).toBe(true)
    await page.getByLabel('Type acme/young to confirm').fill('acme/young')
    expect(await accessProblems(page)).toEqual([])
    await remove.click()
    await page.waitForURL('**/groups/acme')
    await quiet(page)
    expect((await web.server.admin.get(`/projects/${project.id}`)).status).toBe(404)
  })

  test('can transfer a project to an allowed namespace', async () => {
    await web.server.project('acme/moving')
    await web.server.admin.post('/groups', { name: 'Goal', path: 'goal' })
    const page = await web.open('/acme/moving/-/settings', { as: web.server.admin })
    await page.getByRole('button', { name: 'Transfer project' }).click()
    await page.getByRole('combobox', { name: 'New namespace' }).fill('goal')
    await page.getByRole('option', { name: 'goal' }).click()
    await page.getByLabel('Type acme/moving to confirm').fill('acme/moving')
    await page.getByRole('button', { name: 'Transfer' }).click()
    await page.waitForURL('**/goal/moving/-/settings')
    await quiet(page)
    expect((await web.server.admin.get('/projects/goal%2Fmoving')).status).toBe(200)
  })
})
