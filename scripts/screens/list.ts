import type { Page } from 'playwright-core'
import { placeScreens } from './places.ts'
import type { Screen } from './screen.ts'
import { triageScreens } from './triage-screens.ts'

const vocabulary = `version: 1
topics:
  - name: web
    title: The web
    description: What runs in a browser, or feeds one.
  - name: accessibility
    title: Accessibility
    aliases:
      - a11y
`

export const screens: readonly Screen[] = [
  { name: 'sign-in', path: '/-/sign_in', isSignedOut: true },
  ...triageScreens,
  ...placeScreens,
  { name: 'projects', path: '/explore/projects' },
  { name: 'project', path: '/shop/storefront' },
  { name: 'project-new-empty', path: '/shop/website', height: 1400 },
  {
    name: 'vulnerabilities-selected',
    path: '/shop/storefront/-/vulnerabilities?severity=critical,high&report_type=container_scanning,sast',
    async prepare(page) {
      await page.getByRole('grid').focus()
      for (const key of ['j', 'x', 'Shift+ArrowDown', 'Shift+ArrowDown']) await page.keyboard.press(key)
    },
  },
  { name: 'activity', path: '/-/activity' },
  { name: 'coverage', path: '/-/coverage' },
  { name: 'display-settings', path: '/-/profile/display' },
  { name: 'help', path: '/-/help' },
  { name: 'changes', path: '/-/help/changes' },
  { name: 'notifications', path: '/-/profile/notifications' },
  { name: 'two-factor', path: '/-/profile/two_factor_auth' },
  { name: 'forgot-password', path: '/-/forgot_password', isSignedOut: true },
  { name: 'group-activity', path: '/groups/shop/-/activity' },
  { name: 'group-coverage', path: '/groups/shop/-/coverage' },
  { name: 'group-audit-log', path: '/groups/shop/-/settings/audit_log' },
  { name: 'group-access-tokens', path: '/groups/shop/-/settings/access_tokens' },
  { name: 'group-uploads', path: '/groups/shop/-/uploads' },
  { name: 'project-activity', path: '/shop/storefront/-/activity' },
  { name: 'project-coverage', path: '/shop/storefront/-/coverage' },
  { name: 'project-audit-log', path: '/shop/storefront/-/settings/audit_log' },
  { name: 'not-found', path: '/-/not-there' },
  { name: 'project-not-found', path: '/shop/not-there' },
  { name: 'sign-in-link', path: '/-/sign_in_link#unknown', isSignedOut: true },
  { name: 'unsubscribe', path: '/-/unsubscribe/unknown', isSignedOut: true },
  { name: 'tokens-by-token', path: '/-/profile/tokens' },
  { name: 'admin-topic-new', path: '/-/admin/topics/new', height: 1000 },
  { name: 'admin-proposals', path: '/-/admin/topics/proposals' },
  { name: 'admin-hook', path: '/-/admin/hooks/{instanceHook}', height: 1600 },
  { name: 'admin-dismissal-templates', path: '/-/admin/dismissal_templates' },
  { name: 'admin-due-dates', path: '/-/admin/due_dates', height: 1000 },
  { name: 'hook-new', path: '/shop/storefront/-/settings/hooks/new', height: 1600 },
  { name: 'group-hook-new', path: '/groups/shop/-/settings/hooks/new', height: 1600 },
  { name: 'group-hook', path: '/groups/shop/-/settings/hooks/{groupHook}', height: 1600 },
  { name: 'group-issue-tracker', path: '/groups/shop/-/settings/issue_tracker', height: 1400 },
  { name: 'group-pad', path: '/groups/shop/-/uploads/pad' },
  { name: 'findings', path: '/shop/storefront/-/vulnerabilities?tab=awaiting' },
  { name: 'reports', path: '/shop/storefront/-/reports' },
  { name: 'branches', path: '/shop/storefront/-/reports/branches' },
  { name: 'branches-compare', path: '/shop/storefront/-/reports/branches/compare' },
  { name: 'report-mappings', path: '/shop/storefront/-/settings/report_mappings' },
  { name: 'vex-import', path: '/shop/storefront/-/reports/vex' },
  { name: 'uploads', path: '/shop/storefront/-/uploads' },
  { name: 'uploads-sending', path: '/shop/storefront/-/uploads', prepare: sendAndSelect },
  { name: 'uploads-empty', path: '/shop/website/-/uploads' },
  { name: 'uploads-deleted', path: '/shop/storefront/-/uploads?deleted=true' },
  { name: 'uploads-preview', path: '/shop/storefront/-/uploads?preview={picture}' },
  { name: 'uploads-preview-text', path: '/shop/storefront/-/uploads?preview={text}' },
  { name: 'uploads-pad', path: '/shop/storefront/-/uploads/pad', prepare: writeIntoPad },
  { name: 'admin', path: '/-/admin' },
  { name: 'admin-users', path: '/-/admin/users' },
  { name: 'admin-user', path: '/-/admin/users/{wei}', height: 1600 },
  { name: 'admin-user-new', path: '/-/admin/users/new', height: 1000 },
  { name: 'admin-tokens', path: '/-/admin/tokens' },
  { name: 'admin-audit-log', path: '/-/admin/audit_log' },
  { name: 'admin-quarantine', path: '/-/admin/quarantine' },
  { name: 'admin-hooks', path: '/-/admin/hooks' },
  { name: 'admin-hook-new', path: '/-/admin/hooks/new', height: 1600 },
  { name: 'admin-topics', path: '/-/admin/topics' },
  { name: 'admin-topic', path: '/-/admin/topics/{topic}', height: 1100 },
  { name: 'admin-duplicates', path: '/-/admin/topics/duplicates' },
  {
    name: 'admin-merge',
    path: '/-/admin/topics/duplicates',
    prepare: (page) =>
      page
        .getByRole('button', { name: /^Merge/ })
        .first()
        .click(),
  },
  { name: 'admin-merges', path: '/-/admin/topics/merges' },
  {
    name: 'admin-vocabulary',
    path: '/-/admin/topics/file',
    prepare: async (page) => {
      const file = { name: 'topics.yaml', mimeType: 'application/yaml', buffer: Buffer.from(vocabulary) }
      await page.locator('input[type=file]').setInputFiles(file)
      await page.getByText('Preview:').waitFor()
    },
    height: 1000,
  },
  { name: 'project-access-tokens', path: '/shop/storefront/-/settings/access_tokens', height: 1000 },
  { name: 'admin-jobs', path: '/-/admin/jobs' },
  { name: 'admin-storage', path: '/-/admin/storage' },
  { name: 'admin-organizations', path: '/-/admin/organizations' },
  { name: 'admin-settings', path: '/-/admin/settings', height: 1100 },
  { name: 'admin-not-for-you', path: '/-/admin', isSignedOut: true },
  { name: 'api', path: '/-/api', isSignedOut: true },
  {
    name: 'api-operation',
    path: '/-/api/listProjectUploads',
    height: 1400,
    prepare: async (page) => {
      await page.getByLabel('id (required)').fill('shop/storefront')
      await page.getByRole('button', { name: 'Send' }).click()
    },
  },
]

/** Shows one stalled upload, one file that is too large and one completed upload. */
async function sendAndSelect(page: Page): Promise<void> {
  const choose = (...files: { name: string; mimeType: string; buffer: Buffer }[]) =>
    page.locator('input[type=file]').setInputFiles(files)
  await choose({ name: 'read-me.md', mimeType: 'text/markdown', buffer: Buffer.from('# Read me\n') })
  await page.getByRole('button', { name: 'Copy Markdown', exact: true }).first().waitFor()
  await page.route('**/api/v4/projects/*/uploads', () => {})
  const buffer = Buffer.alloc(2_400_000)
  await choose(
    { name: 'checkout-recording.mp4', mimeType: 'video/mp4', buffer },
    { name: 'database-dump.sql.gz', mimeType: 'application/gzip', buffer: Buffer.alloc(9_000_000) },
  )
  await page.getByRole('progressbar').first().waitFor()
  await page.getByRole('checkbox', { name: /^Select architecture/ }).check()
  await page.getByRole('checkbox', { name: /^Select threat-model/ }).check()
  await page.evaluate('scrollTo(0, 0)')
}

async function writeIntoPad(page: Page): Promise<void> {
  await page.getByRole('textbox', { name: 'Markdown' }).fill(padText)
  await page
    .locator('input[type=file]')
    .setInputFiles({ name: 'steps.txt', mimeType: 'text/plain', buffer: Buffer.from('1, 2') })
  await page.getByRole('button', { name: 'Copy Markdown' }).waitFor()
  await page.waitForTimeout(600)
}

const padText = `## The total is wrong after a change of address

1. Put two things into the basket
2. Change the **country** at checkout

| Country | Expected | Shown |
|---|---|---|
| Norway | 104.00 | 99.00 |

`
