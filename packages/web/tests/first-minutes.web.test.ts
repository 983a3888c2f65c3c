import type { Locator } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { entry, sastReport } from '../../server/src/testing/reports/reports.ts'
import { startWeb, type Web } from './web.ts'

let web: Web
beforeAll(async () => {
  web = await startWeb()
})
afterAll(() => web?.close())

/** Number of clicks from the first page to the first triaged finding. Fewer are welcome. */
const maxClicks = 10

const report = Buffer.from(JSON.stringify(sastReport([entry({ line: 10, name: 'SQL injection', severity: 'High' })])))
const file = { name: 'gl-sast-report.json', mimeType: 'application/json', buffer: report }

/** Counts clicks and follows only what the page shows. */
function countClicks() {
  const clicks: string[] = []
  const click = async (target: Locator) => {
    await target.waitFor()
    clicks.push((await target.innerText()).trim())
    await target.click()
  }
  return { clicks, click }
}

test('an administrator gets from an empty server to the first triaged finding by following the screens', async () => {
  const page = await web.open('/')
  const { clicks, click } = countClicks()
  const main = page.getByRole('main')
  await click(page.getByRole('banner').getByRole('link', { name: 'Sign in' }))
  await click(main.getByRole('button', { name: 'Use an access token instead' }))
  await main.getByLabel('Access token').fill(web.server.admin.token ?? '')
  await page.keyboard.press('Enter')

  const steps = main.getByRole('region', { name: 'Get started' })
  await click(steps.getByRole('link', { name: 'Create a project' }))
  await main.getByLabel('Name', { exact: true }).fill('Shop')
  await page.keyboard.press('Enter')

  await main.getByText('Waiting for the first report…').waitFor()
  await click(main.getByRole('link', { name: 'Import report' }))
  const chooser = page.waitForEvent('filechooser')
  await click(main.getByRole('button', { name: 'Choose a file' }))
  await (await chooser).setFiles(file)
  await click(main.getByRole('button', { name: 'Preview changes' }))
  await click(main.getByRole('button', { name: 'Import', exact: true }))

  await click(main.getByRole('link', { name: 'Start triage' }))
  await click(main.getByRole('grid').getByRole('link', { name: 'SQL injection' }))
  await click(main.getByRole('region', { name: 'Selected vulnerability' }).getByRole('button', { name: 'Confirm' }))
  const rows = async () => (await web.server.admin.get('/projects/root%2Fshop/vulnerabilities')).body
  await expect.poll(rows).toMatchObject([{ title: 'SQL injection', state: 'confirmed' }])
  expect(clicks.length, clicks.join(' › ')).toBeLessThanOrEqual(maxClicks)
  await page.getByRole('link', { name: 'Alcove home' }).click()
  await main.getByRole('heading', { level: 1 }).waitFor()
  await expect.poll(() => steps.count()).toBe(0)
})
