import type { Page } from 'playwright-core'
import type { Screen } from './screen.ts'

const storefront = '/shop/storefront/-'
const group = '/groups/shop/-'

/** Screens of vulnerabilities and their rules. The README shows the first one. */
export const triageScreens: readonly Screen[] = [
  { name: 'group-vulnerabilities', path: `${group}/vulnerabilities` },
  { name: 'home', path: '/', height: 1200 },
  { name: 'vulnerabilities', path: `${storefront}/vulnerabilities` },
  { name: 'all-vulnerabilities', path: '/-/vulnerabilities' },
  { name: 'vulnerabilities-overdue', path: `${storefront}/vulnerabilities?overdue=true&sort=due_asc` },
  { name: 'vulnerabilities-grouped', path: '/-/vulnerabilities?group_by=flaw' },
  { name: 'group-vulnerabilities-grouped', path: `${group}/vulnerabilities?group_by=flaw` },
  { name: 'vulnerabilities-panel', path: `${storefront}/vulnerabilities?tags=next-release`, prepare: openPanel },
  { name: 'vulnerability', path: `${storefront}/vulnerabilities/{vulnerability}`, height: 1600 },
  {
    name: 'vulnerability-by-rule',
    path: `${storefront}/vulnerabilities?tags=identity`,
    prepare: openPage,
    height: 1200,
  },
  {
    name: 'vulnerability-dismiss',
    path: `${storefront}/vulnerabilities?tags=identity`,
    prepare: dismissInGroup,
    height: 1000,
  },
  { name: 'vulnerabilities-dismiss', path: `${group}/vulnerabilities`, prepare: dismissSelected, height: 1000 },
  { name: 'trends', path: `${storefront}/vulnerabilities/trends` },
  { name: 'approvals', path: `${storefront}/vulnerabilities/approvals` },
  { name: 'all-approvals', path: '/-/approvals' },
  { name: 'approval-rule', path: `${group}/settings/approval_rule` },
  { name: 'rules', path: `${group}/settings/rules` },
  { name: 'rule', path: `${group}/settings/rules`, prepare: previewRule, height: 1700 },
  { name: 'project-rules', path: `${storefront}/settings/rules` },
  { name: 'all-rules', path: '/-/admin/rules' },
  { name: 'dismissal-templates', path: `${group}/settings/dismissal_templates` },
  { name: 'due-dates', path: `${group}/settings/due_dates`, height: 1000 },
  { name: 'project-dismissal-templates', path: `${storefront}/settings/dismissal_templates` },
  { name: 'project-due-dates', path: `${storefront}/settings/due_dates` },
  { name: 'project-schedules', path: `${storefront}/report_schedules` },
  { name: 'group-vex-import', path: `${group}/vulnerabilities/vex` },
  { name: 'sent-report', path: '/-/vulnerability_reports/{report}', height: 1000 },
  { name: 'schedules', path: `${group}/report_schedules` },
  { name: 'dependencies', path: `${storefront}/dependencies` },
  { name: 'group-dependencies', path: `${group}/dependencies` },
  { name: 'all-dependencies', path: '/-/dependencies' },
  { name: 'vulnerabilities-view', path: `${storefront}/vulnerabilities`, prepare: openViews },
  { name: 'report-preview', path: `${storefront}/reports/new`, prepare: previewImport, height: 1400 },
  { name: 'report', path: `${storefront}/reports/1`, height: 1000 },
  { name: 'group-trends', path: `${group}/vulnerabilities/trends`, height: 1100 },
  { name: 'finding', path: `${storefront}/findings/{finding}`, height: 1000 },
  { name: 'vulnerabilities-columns', path: `${storefront}/vulnerabilities`, prepare: openDialog('View options') },
  { name: 'vulnerabilities-keys', path: `${storefront}/vulnerabilities`, prepare: openDialog('Keyboard shortcuts') },
  {
    name: 'vulnerabilities-export',
    path: `${storefront}/vulnerabilities`,
    async prepare(page) {
      const button = page.getByRole('button', { name: 'Export' })
      if (!(await button.isVisible())) await page.getByRole('button', { name: 'Filters' }).click()
      await openDialog('Export')(page)
    },
  },
  {
    name: 'search',
    path: '/',
    async prepare(page) {
      await page.keyboard.press('Control+k')
      await page.getByRole('combobox', { name: 'Search' }).fill('tokenly')
      await page
        .getByRole('option', { name: /tokenly/ })
        .first()
        .waitFor()
    },
  },
]

function openDialog(button: string) {
  return async (page: Page): Promise<void> => {
    await page.getByRole('button', { name: button }).click()
    await page.getByRole('dialog').waitFor()
  }
}

async function openPanel(page: Page): Promise<void> {
  await page.getByRole('grid').focus()
  await page.keyboard.press('Enter')
  await page.getByRole('region', { name: 'Selected vulnerability' }).getByRole('heading').first().waitFor()
}

async function openPage(page: Page): Promise<void> {
  await page.getByRole('grid').focus()
  await page.keyboard.press('Shift+Enter')
  await page.getByRole('region', { name: 'Summary' }).waitFor()
}

async function dismissInGroup(page: Page): Promise<void> {
  await openPage(page)
  await page.getByRole('button', { name: 'Dismiss', exact: true }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Used in tests').check()
  await dialog.getByLabel('Applies to').selectOption({ label: 'All projects of group shop' })
  await dialog.getByText(/^Dismisses /).waitFor()
}

async function dismissSelected(page: Page): Promise<void> {
  await page.getByRole('grid').focus()
  for (const key of ['j', 'x', 'Shift+ArrowDown', 'Shift+ArrowDown', 'd']) await page.keyboard.press(key)
  await page.getByRole('dialog').waitFor()
}

async function previewRule(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Edit: Import scripts run on test data only' }).click()
  await page.getByRole('button', { name: 'Preview' }).click()
  await page.getByRole('region', { name: 'Preview' }).waitFor()
}

async function openViews(page: Page): Promise<void> {
  await page
    .getByRole('link', { name: 'Next release' })
    .or(page.getByRole('button', { name: 'Next release' }))
    .click()
}

const weakness = (name: string, line: number) => ({
  id: `new-${line}`,
  name,
  severity: 'High',
  description: name,
  location: { file: 'src/imports/reader.ts', start_line: line },
  identifiers: [{ type: 'cwe', name: 'CWE-22', value: '22' }],
})
const tool = { id: 'codewatch', name: 'Codewatch', version: '3.2.0', vendor: { name: 'Sample' } }
const time = '2026-01-01T00:00:00'
const report = {
  version: '15.2.1',
  scan: { analyzer: tool, scanner: tool, type: 'sast', status: 'success', start_time: time, end_time: time },
  vulnerabilities: [weakness('Path built from user input', 12), weakness('Archive extracted to any folder', 40)],
}

async function previewImport(page: Page): Promise<void> {
  const file = {
    name: 'gl-sast-report.json',
    mimeType: 'application/json',
    buffer: Buffer.from(JSON.stringify(report)),
  }
  await page.locator('input[type=file]').first().setInputFiles(file)
  await page.getByRole('button', { name: 'Preview changes' }).click()
  await page
    .getByText(/No longer detected|not detected/i)
    .first()
    .waitFor()
}
