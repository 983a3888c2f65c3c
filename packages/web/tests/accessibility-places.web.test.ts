/// <reference lib="dom" />
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { formWithFile } from '../../server/src/testing/client.ts'
import { listProblems } from './access-criteria.ts'
import { startDemo, testAreas } from './access-tour.ts'
import { quiet, visit, type Web } from './web.ts'

let web: Web
beforeAll(async () => {
  web = await startDemo()
  const notes = formWithFile('file', 'notes.txt', 'Text')
  expect((await web.server.admin.post('/projects/shop%2FStorefront/uploads', notes)).status).toBe(201)
})
afterAll(() => web?.close())

await testAreas(['group'], () => web)

const project = '/shop/Storefront/-'
const lists = [
  ['/-/vulnerabilities', '[role=grid] [role=row][aria-rowindex="2"]'],
  ['/-/vulnerabilities?group_by=flaw', 'main tbody tr'],
  [`${project}/vulnerabilities`, '[role=grid] [role=row][aria-rowindex="2"]'],
  ['/groups/shop/-/vulnerabilities', '[role=grid] [role=row][aria-rowindex="2"]'],
  [`${project}/dependencies`, 'main tbody tr'],
  [`${project}/reports`, 'main tbody tr'],
  [`${project}/members`, 'main tbody tr, main section li'],
  [`${project}/uploads`, 'main tbody tr'],
  ['/explore/projects', 'main ul[aria-label=Projects] > li'],
  ['/explore/groups', 'main ul[aria-label=Groups] > li'],
  ['/-/admin/users', 'main tbody tr'],
] as const

test.each([
  { width: 320, height: 256 },
  { width: 360, height: 225 },
])('lists show their first row within two screens of $width × $height, as at 400 %', async ({ width, height }) => {
  const page = await web.open('/', { as: web.server.admin, width, height })
  const below: string[] = []
  for (const [path, row] of lists) {
    await visit(page, path)
    const { top, overflow } = await page.evaluate((row) => {
      const { top = 0 } = document.querySelector(row)?.getBoundingClientRect() ?? {}
      return { top: top + scrollY, overflow: document.documentElement.scrollWidth - innerWidth }
    }, row)
    if (top <= 0 || top > 2 * height) below.push(`${path}: row at ${Math.round(top)}`)
    if (overflow > 0) below.push(`${path}: ${overflow} px too wide`)
  }
  expect(below).toEqual([])
})

test('every list has named rows and headers, states its order, and is reached by "Skip to results"', async () => {
  const page = await web.open('/', { as: web.server.admin })
  const problems: string[] = []
  for (const [path, row] of lists) {
    await visit(page, path)
    problems.push(...(await listProblems(page)).map((problem) => `${path}: ${problem}`))
    const skip = page.getByRole('link', { name: 'Skip to results' })
    if (!(await page.locator('#results').count())) {
      problems.push(`${path}: no results to skip to`)
      continue
    }
    await skip.focus()
    await page.keyboard.press('Enter')
    const isReached = (row: string) => {
      const { activeElement } = document
      return activeElement?.id === 'results' && activeElement.querySelector(row.replaceAll('main ', '')) !== null
    }
    if (!(await page.evaluate(isReached, row))) problems.push(`${path}: the focus does not reach the results`)
  }
  expect(problems).toEqual([])
})

test('nothing sticky covers more than a fifth of a window at 400 %', async () => {
  const page = await web.open(`${project}/vulnerabilities`, { as: web.server.admin, width: 360, height: 225 })
  await page.getByRole('grid').focus()
  for (let row = 0; row < 8; row++) await page.keyboard.press('j')
  const covered = () =>
    page.evaluate(() => {
      const all = [...document.querySelectorAll('body *')]
      const stuck = all.filter((element) => /sticky|fixed/.test(getComputedStyle(element).position))
      return stuck.reduce((sum, element) => sum + element.getBoundingClientRect().height, 0)
    })
  await expect.poll(covered).toBeLessThanOrEqual(225 / 5)
  await expect.poll(() => page.evaluate(() => scrollY)).toBeGreaterThan(500)
  const place = await page.locator('[data-active]').boundingBox()
  expect(place?.y).toBeGreaterThanOrEqual(0)
  expect((place?.y ?? 0) + (place?.height ?? 0)).toBeLessThanOrEqual(225)
})

test('severities, pressed filters, grades and charts remain distinct with forced colors', async () => {
  const page = await web.open(`${project}/vulnerabilities?severity=high`, { as: web.server.admin, isChanged: true })
  await page.emulateMedia({ forcedColors: 'active' })
  const segments = page.getByRole('group', { name: 'By severity' }).getByRole('button')
  const looks = await segments.evaluateAll((all) =>
    all.slice(0, 4).map((segment) => {
      const mark = segment.firstElementChild
      return {
        color: mark && getComputedStyle(mark).backgroundColor,
        outline: getComputedStyle(segment).outlineStyle,
        isPressed: segment.ariaPressed,
      }
    }),
  )
  expect(new Set(looks.map(({ color }) => color)).size).toBe(4)
  expect(looks.map(({ outline }) => outline === 'solid')).toEqual(looks.map(({ isPressed }) => isPressed === 'true'))
  expect(looks.filter(({ isPressed }) => isPressed === 'true')).toHaveLength(1)

  await visit(page, `${project}/vulnerabilities/trends`)
  const chart = page.getByRole('figure').locator('svg path')
  const fills = await chart.evaluateAll((all) => all.map((path) => getComputedStyle(path).fill))
  expect(new Set(fills).size).toBeGreaterThanOrEqual(5)
  expect(await chart.first().evaluate((path) => getComputedStyle(path).stroke)).not.toBe('none')
  const grade = page.getByRole('definition').first().locator('span').first()
  expect(await grade.evaluate((element) => getComputedStyle(element).borderStyle)).toBe('solid')
})

describe.each([360, 1280])('a window of %i px', (width) => {
  test.each([
    [
      'lists',
      ['/-/vulnerabilities', '/groups/shop/-/vulnerabilities', 'vulnerabilities', 'vulnerabilities?tab=awaiting'],
    ],
    ['a vulnerability, a finding, a report', ['vulnerabilities/:id', 'findings/:id', 'reports/:id', 'reports']],
    [
      'places',
      ['/', '', '/groups/shop', '/explore/projects', '/explore/topics', '/explore/topics/typescript', 'dependencies'],
    ],
    [
      'lists above forms',
      ['settings/report_mappings', 'report_schedules', 'vulnerabilities/approvals', '/-/admin/storage'],
    ],
    ['overviews', ['vulnerabilities/trends', 'activity', 'coverage', 'members', 'uploads', '/-/approvals', '/-/admin']],
  ])('nothing moves while pages load: %s', async (_name, paths) => {
    const page = await web.open('/-/nothing', { as: web.server.admin, isChanged: true, width })
    await page.addInitScript(() => {
      const shifts: string[] = []
      Object.assign(globalThis, { shifts })
      const observer = new PerformanceObserver((list) => {
        for (const entry of list.getEntries() as (PerformanceEntry & { value: number })[]) shifts.push(`${entry.value}`)
      })
      observer.observe({ type: 'layout-shift', buffered: true })
    })
    const ids: Readonly<Record<string, string>> = {
      'vulnerabilities/:id': 'vulnerabilities',
      'findings/:id': 'vulnerability_findings?scope=all',
      'reports/:id': 'security_reports',
    }
    const moved: string[] = []
    for (const path of paths) {
      const list = ids[path]
      const first = list && (await web.server.admin.get(`/projects/shop%2FStorefront/${list}`)).body[0]
      const part = first ? path.replace(':id', String(first.id)) : path
      const address = path.startsWith('/') ? path : path === '' ? '/shop/Storefront' : `${project}/${part}`
      await page.goto(address)
      await quiet(page)
      const shifts = await page.evaluate(() => (globalThis as unknown as { shifts: string[] }).shifts) // defined above
      const sum = shifts.reduce((sum, shift) => sum + Number(shift), 0)
      if (sum >= 0.02) moved.push(`${path}: ${sum.toFixed(3)}`)
    }
    expect(moved).toEqual([])
  })
})
