/// <reference lib="dom" />
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Client, formWithFile } from '../../server/src/testing/client.ts'
import { entry, sastReport } from '../../server/src/testing/reports/reports.ts'
import type { TestProject } from '../../server/src/testing/server.ts'
import { accessProblems, dialogs, quiet, startWeb, type Web } from './web.ts'

let web: Web
let project: TestProject
let developer: Client
beforeAll(async () => {
  web = await startWeb()
  project = await web.server.project('acme/shop')
  developer = await web.server.as('developer', project)
})
afterAll(() => web?.close())

const file = (entries: object[], name = 'gl-sast-report.json') => ({
  name,
  mimeType: 'application/json',
  buffer: Buffer.from(JSON.stringify(sastReport(entries))),
})
const reports = async ({ id } = project) => (await web.server.admin.get(`/projects/${id}/security_reports`)).body

describe('a report in the UI', () => {
  test('previews its changes, and then shows the result', async () => {
    const page = await web.open('/acme/shop/-/reports', { as: developer })
    await page.getByText('No reports yet').waitFor()
    await page.getByRole('link', { name: 'Import report' }).first().click()
    await page
      .getByLabel('Drop a scanner report here')
      .setInputFiles(file([entry({ line: 10 }), entry({ line: 20, rule: 'b' })]))
    await page.getByText('gl-sast-report.json').waitFor()
    await page.getByRole('button', { name: 'Preview changes' }).click()
    const preview = page.getByRole('region', { name: 'Preview of changes' })
    await preview.getByRole('button', { name: 'Import' }).waitFor()
    await expect.poll(() => preview.getByRole('list', { name: 'Preview of changes' }).innerText()).toMatch(/^2\s+New/)
    expect(await reports()).toEqual([])
    expect(await accessProblems(page)).toEqual([])

    await preview.getByRole('button', { name: 'Import' }).click()
    await page.waitForURL(/\/-\/reports\/\d+$/)
    await page.getByRole('list', { name: 'Changes' }).waitFor()
    expect(page.url()).toMatch(/\/-\/reports\/\d+$/)
    expect((await reports())[0]).toMatchObject({ status: 'done', findings: { new: 2 } })
    await page
      .getByRole('region', { name: 'Details' })
      .getByRole('link', { name: developer.user?.name ?? '' })
      .waitFor()
    await page.getByRole('link', { name: 'Reports' }).first().click()
    await quiet(page)
    await expect.poll(() => page.getByRole('table').innerText()).toContain('Test scanner')
    await page
      .getByRole('table')
      .getByRole('link', { name: developer.user?.name ?? '' })
      .waitFor()
  })

  test('previews what each rule of an alcove.yml would change, at 360 px too, and imports the file', async () => {
    const rack = await web.server.project('acme/rack')
    const as = await web.server.as('maintainer', rack)
    await web.server.admin.put(`/projects/${rack.id}`, { promote_vulnerabilities_on_ingestion: true })
    await web.server.report(rack, [entry({ name: 'Weak hash', file: 'test/a.js' })])
    const rule = '{ name: Test code, match: { path: "test/**" }, action: { dismiss: { reason: used_in_tests } } }'
    const page = await web.open('/acme/rack/-/reports/new', { as, width: 360 })
    await page
      .getByLabel('Drop a scanner report here')
      .setInputFiles(file([entry({ name: 'Weak hash', file: 'test/a.js' })]))
    const buffer = Buffer.from(`version: 1\nrules:\n  - ${rule}\n`)
    await page
      .getByLabel('Files of the repository')
      .setInputFiles({ name: 'alcove.yml', mimeType: 'application/yaml', buffer })
    await page.getByRole('button', { name: 'Preview changes' }).click()
    const preview = page.getByRole('region', { name: 'Preview of changes', exact: true })
    await preview.getByText('Test code (new): 1 vulnerability would change').waitFor()
    const samples = preview.getByRole('region', { name: 'Samples of Test code' })
    await expect.poll(() => samples.innerText()).toMatch(/Weak hash\s+Needs triage, medium\s+Dismissed, medium/i)
    expect(await accessProblems(page)).toEqual([])
    expect(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth)).toBe(true)
    expect((await web.server.admin.get(`/projects/${rack.id}/project_files`)).body).toEqual([])

    await preview.getByRole('button', { name: 'Import' }).click()
    await page.waitForURL(/\/-\/reports\/\d+$/)
    await page.getByText('Applied: 1 rule.').waitFor()
    expect((await web.server.admin.get(`/projects/${rack.id}/project_files`)).body).toMatchObject([
      { name: 'alcove.yml' },
    ])
  })

  test('offers promotion to users who may promote, and otherwise follows the project’s setting', async () => {
    const shelf = await web.server.project('acme/shelf')
    await web.server.admin.put(`/projects/${shelf.id}`, { promote_vulnerabilities_on_ingestion: true })
    const promotion = 'Create vulnerabilities automatically'
    const maintainers = await web.open('/acme/shelf/-/reports/new', { as: await web.server.as('maintainer', shelf) })
    await maintainers.getByLabel(promotion).waitFor()

    const page = await web.open('/acme/shelf/-/reports/new', { as: await web.server.as('developer', shelf) })
    await page.getByLabel('Drop a scanner report here').setInputFiles(file([entry({ line: 10 })]))
    await page.getByRole('button', { name: 'Preview changes' }).click()
    await page.getByRole('button', { name: 'Import' }).click()
    await page.waitForURL(/\/-\/reports\/\d+$/)
    await page.getByRole('list', { name: 'Changes' }).waitFor()
    expect(await page.getByLabel(promotion).count()).toBe(0)
    expect((await reports(shelf))[0]).toMatchObject({ findings: { new: 1, promoted: 1 } })
  })

  test('of a branch changes only that branch, and shows when nothing changes', async () => {
    const stall = await web.server.project('acme/stall')
    const as = await web.server.as('developer', stall)
    const report = file([entry({ line: 10 })])
    const form = formWithFile('file', report.name, report.buffer.toString())
    expect((await as.post(`/projects/${stall.id}/security_reports`, form)).status).toBe(201)

    const page = await web.open('/acme/stall/-/reports/new', { as, width: 360 })
    await page.getByLabel('Drop a scanner report here').setInputFiles(report)
    await page.getByLabel('Branch').fill('feature')
    await page.getByLabel('Category').fill('web-image')
    await page.getByRole('button', { name: 'Preview changes' }).click()
    await page.getByRole('button', { name: 'Import' }).click()
    await page.waitForURL(/\/-\/reports\/\d+$/)
    await page.getByRole('list', { name: 'Changes' }).waitFor()
    expect(await page.getByRole('main').innerText()).toContain('web-image')
    const [scroll, window] = await page.evaluate(() => [document.documentElement.scrollWidth, innerWidth])
    expect(scroll).toBeLessThanOrEqual(window ?? 0)
    const [taken] = await reports(stall)
    expect(taken).toMatchObject({ ref: 'feature', category: 'web-image', findings: { new: 0, known: 1, gone: 0 } })

    const again = await web.open('/acme/stall/-/reports/new', { as, theme: 'dark' })
    await again.getByLabel('Drop a scanner report here').setInputFiles(report)
    await again.getByLabel('Branch').fill('feature')
    await again.getByRole('button', { name: 'Preview changes' }).click()
    await again.getByRole('button', { name: 'Import anyway' }).waitFor()
  })

  test('that cannot be read shows the reason and imports nothing', async () => {
    const before = await reports()
    const page = await web.open('/acme/shop/-/reports/new', { as: developer, expects: /400/ })
    const junk = { name: 'notes.json', mimeType: 'application/json', buffer: Buffer.from('{"hello": "world"}') }
    await page.getByLabel('Drop a scanner report here').setInputFiles(junk)
    await page.getByRole('button', { name: 'Preview changes' }).click()
    await page.getByText('Import failed').waitFor()
    await expect.poll(() => page.getByRole('alert').innerText()).toContain('no report of a known format')
    expect(await reports()).toEqual(before)
    expect(await accessProblems(page)).toEqual([])
  })

  test('can be dropped onto the page', async () => {
    const page = await web.open('/acme/shop/-/reports/new', { as: developer })
    const transfer = await page.evaluateHandle(
      (text) => {
        const transfer = new DataTransfer()
        transfer.items.add(new File([text], 'dropped.json', { type: 'application/json' }))
        return transfer
      },
      JSON.stringify(sastReport([entry({ line: 7 })])),
    )
    await page.getByText('Drop a scanner report here').dispatchEvent('drop', { dataTransfer: transfer })
    await page.getByText('dropped.json').waitFor()
  })
})

describe('a report whose absences are on hold', () => {
  const some = (count: number) =>
    Array.from({ length: count }, (_, line) => entry({ line: line + 1, rule: `r${line}` }))

  /** Creates a project whose second report would make 15 of its 20 findings absent. */
  async function holdAbsences(path: string) {
    const held = await web.server.project(path)
    await web.server.report(held, some(20))
    const report = await web.server.report(held, some(5))
    expect(report.absences).toEqual({ status: 'held', count: 15 })
    const absences = async () =>
      (await web.server.admin.get(`/projects/${held.id}/security_reports/${report.id}`)).body.absences.status
    return { held, address: `/${path}/-/reports/${report.id}`, absences }
  }

  test.each([
    { button: 'Apply absences', keys: ['Enter'], done: 'Absences applied.', status: 'applied', present: 5 },
    {
      button: 'Discard absences',
      keys: ['Tab', 'Space'],
      done: 'Absences discarded.',
      status: 'discarded',
      present: 20,
    },
  ])('lets a Maintainer use $button with the keyboard', async ({ button, keys, done, status, present }) => {
    const { held, address, absences } = await holdAbsences(`acme/${status}`)
    const as = await web.server.as('maintainer', held)
    const page = await web.open(address, { as, width: 360, theme: 'dark' })
    const panel = page.getByRole('region', { name: 'Absences on hold' })
    await panel.getByText('15 findings of this branch are missing in this report.').waitFor()
    expect(await panel.getByRole('button').allInnerTexts()).toEqual(['Apply absences', 'Discard absences'])
    expect(await accessProblems(page)).toEqual([])

    await panel.getByRole('button', { name: 'Apply absences' }).focus()
    for (const key of keys) await page.keyboard.press(key)
    await page.getByText(done).waitFor()
    await panel.waitFor({ state: 'detached' })
    expect(await page.getByRole('button', { name: button }).count()).toBe(0)
    expect(await absences()).toBe(status)
    const { body } = await as.get(`/projects/${held.id}/vulnerability_findings?per_page=100&scope=all`)
    expect(body).toHaveLength(present)
  })

  test('shows a Developer the state without buttons', async () => {
    const { held, absences } = await holdAbsences('acme/held')
    const page = await web.open('/acme/held/-/vulnerabilities', { as: await web.server.as('developer', held) })
    const notice = page.getByRole('region', { name: 'Report on hold' })
    expect(await notice.innerText()).toContain('15 findings on hold')
    expect(await accessProblems(page)).toEqual([])
    await notice.getByRole('link', { name: 'Review report' }).click()
    expect(await page.getByText('No changes').count()).toBe(0)
    const panel = page.getByRole('region', { name: 'Absences on hold' })
    await panel.getByText('15 findings of this branch are missing in this report.').waitFor()
    expect(await panel.getByRole('button').count()).toBe(0)
    expect(await absences()).toBe('held')
  })
})

test('reporters see no reports tab and no reports page', async () => {
  const reporter = await web.server.as('reporter', project)
  const page = await web.open('/acme/shop/-/reports', { as: reporter })
  await expect.poll(() => page.getByRole('link', { name: 'Reports' }).count()).toBe(0)
  await page.getByRole('heading', { name: 'Access denied', level: 1 }).waitFor()
})

describe('the branches of a project in the UI', () => {
  test('are listed with their next closing, and can be deleted', async () => {
    const yard = await web.server.project('acme/yard')
    for (const ref of ['main', 'feature/login', 'v1']) await web.server.report(yard, [entry({ line: 10 })], { ref })
    await web.server.admin.put(`/projects/${yard.id}`, { protected_refs: ['v*'] })
    const page = await web.open('/acme/yard/-/reports', { as: await web.server.as('maintainer', yard) })
    await page.getByRole('link', { name: 'Branches' }).click()
    const table = page.getByRole('region', { name: 'Branches' }).getByRole('table')
    await expect.poll(() => table.innerText()).toMatch(/feature\/login[\s\S]*Closes/)
    expect(await table.getByRole('button').allInnerTexts()).toEqual([expect.stringContaining('feature/login')])
    await table.getByRole('button').click()
    expect(await accessProblems(page, dialogs)).toEqual([])
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click()
    await expect.poll(() => table.innerText()).not.toContain('feature/login')
  })

  test('are compared by severity, with links to the lists', async () => {
    const lane = await web.server.project('acme/lane')
    const flaws = ['Critical', 'High', 'Low', 'Low'].map((severity, index) =>
      entry({ name: `Flaw ${index + 1}`, severity, line: index + 1, rule: `r${index}` }),
    )
    await web.server.report(lane, flaws.slice(0, 3))
    await web.server.report(lane, flaws.slice(1), { ref: 'release/2' })
    const as = await web.server.as('developer', lane)
    const page = await web.open('/acme/lane/-/reports/branches', { as, width: 360, theme: 'dark' })
    await page.getByRole('link', { name: 'Compare branches' }).click()
    const cells = (name: string) => page.getByRole('row', { name }).getByRole('cell').allInnerTexts()
    await expect.poll(() => cells('Only in main')).toEqual(['1', '0', '0', '0', '0', '0', '1', '0'])
    expect(await cells('Only in release/2')).toEqual(['0', '0', '0', '1', '0', '0', '1', '0'])
    expect(await cells('In both')).toEqual(['0', '1', '0', '1', '0', '0', '2', '0'])
    expect(await accessProblems(page)).toEqual([])
    expect(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)).toBeLessThanOrEqual(0)
    await page.getByRole('link', { name: '2, In both: open' }).click()
    const titles = page.getByRole('grid', { name: 'Vulnerabilities' }).getByRole('link')
    await expect.poll(() => titles.allInnerTexts()).toEqual(['Flaw 2', 'Flaw 3'])
    await page.goBack()
    // A branch is not compared with itself: the choice swaps them.
    await page.getByLabel('Branch A').selectOption('release/2')
    await expect.poll(() => page.getByLabel('Branch B').inputValue()).toBe('main')
    await expect.poll(() => cells('Only in release/2')).toHaveLength(8)
    await page.goto('/acme/lane/-/reports/branches/compare?from=release%2F2')
    await expect.poll(() => page.getByLabel('Branch B').inputValue()).toBe('main')
  })
})
