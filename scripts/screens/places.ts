import type { Page } from 'playwright-core'
import { password } from './extras.ts'
import type { Screen } from './screen.ts'

/** Screens of explore, projects, groups, users and the user's own account. */
export const placeScreens: readonly Screen[] = [
  { name: 'topics', path: '/explore/topics', isSignedOut: true },
  { name: 'topic', path: '/explore/topics/typescript' },
  { name: 'groups', path: '/explore/groups' },
  { name: 'group', path: '/groups/shop' },
  { name: 'group-members', path: '/groups/shop/-/members' },
  { name: 'group-settings', path: '/groups/shop/-/settings', height: 1000 },
  { name: 'group-new', path: '/-/groups/new?parent=shop' },
  { name: 'user', path: '/wei' },
  { name: 'project-new', path: '/-/projects/new?namespace=shop', height: 1000 },
  {
    name: 'project-topics',
    path: '/shop/storefront',
    async prepare(page) {
      await page.getByRole('button', { name: 'Edit topics' }).click()
      await page.getByRole('combobox', { name: 'Topics' }).pressSequentially('java')
      await page.getByRole('option', { name: /java-script/ }).waitFor()
    },
  },
  { name: 'members', path: '/shop/storefront/-/members' },
  {
    name: 'members-add',
    path: '/shop/storefront/-/members',
    async prepare(page) {
      await page.getByRole('button', { name: 'Add members' }).click()
      await page.getByRole('combobox', { name: 'Users' }).pressSequentially('wei')
      await page.getByRole('option', { name: /wei/ }).click()
      await page.getByLabel('Role').focus()
    },
  },
  { name: 'members-invite', path: '/shop/storefront/-/members', prepare: fillInvitation },
  {
    name: 'members-invited',
    path: '/shop/storefront/-/members',
    async prepare(page) {
      await fillInvitation(page)
      await page.getByRole('dialog').getByRole('button', { name: 'Invite', exact: true }).click()
      await page.getByText('Invitations created').waitFor()
    },
  },
  {
    name: 'members-pending',
    path: '/shop/storefront/-/members?search=lindqvist',
    prepare: (page) => page.getByRole('button', { name: 'Actions for mira.lindqvist@example.test' }).click(),
  },
  { name: 'settings', path: '/shop/storefront/-/settings', height: 1600 },
  {
    name: 'settings-delete',
    path: '/shop/storefront/-/settings',
    prepare: (page) => page.getByRole('button', { name: 'Delete project' }).click(),
  },
  { name: 'hooks', path: '/shop/storefront/-/settings/hooks' },
  {
    name: 'hook',
    path: '/shop/storefront/-/settings/hooks/{hook}',
    height: 1700,
    prepare: (page) => page.locator('summary').last().click(), // the delivery
  },
  { name: 'issue-tracker', path: '/shop/storefront/-/settings/issue_tracker', height: 1400 },
  { name: 'group-hooks', path: '/groups/shop/-/settings/hooks' },
  { name: 'not-for-you', path: '/shop/storefront/-/settings', isSignedOut: true },
  { name: 'password-link', path: '/-/password#a-secret', isSignedOut: true },
  { name: 'invitation', path: '/-/invitation#{invitation}', isSignedOut: true, height: 1200 },
  {
    name: 'invitation-accept',
    path: '/-/invitation#{invitation}',
    prepare: (page) => page.getByRole('button', { name: 'Accept invitation' }).waitFor(),
  },
  { name: 'invitation-over', path: '/-/invitation#unknown', isSignedOut: true },
  { name: 'profile', path: '/-/sign_in', isSignedOut: true, height: 1000, prepare: asWei('/-/profile') },
  { name: 'profile-by-token', path: '/-/profile' },
  { name: 'tokens', path: '/-/sign_in', isSignedOut: true, prepare: createToken },
  {
    name: 'token-new',
    path: '/-/sign_in',
    isSignedOut: true,
    async prepare(page) {
      await asWei('/-/profile/tokens')(page)
      await page.getByRole('button', { name: 'New token' }).click()
    },
  },
]

/** Invites other addresses in each look, because an address is invited once. */
async function fillInvitation(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Invite', exact: true }).click()
  const addresses = [1, 2].map((part) => `ada.${Date.now() % 100_000}.${part}@example.test`)
  await page.getByRole('combobox', { name: 'E-mail addresses or users' }).fill(`${addresses.join(', ')} `)
  await page.getByRole('dialog').getByLabel('Role').focus()
}

/** Signs in as wei with a password, because sessions from a token show less. */
function asWei(path: string) {
  return async (page: Page): Promise<void> => {
    const data = { login: 'wei', password }
    await page.context().request.post(`${new URL(page.url()).origin}/-/sessions`, { data })
    await page.goto(path)
    await page.waitForLoadState('networkidle')
  }
}

async function createToken(page: Page): Promise<void> {
  await asWei('/-/profile/tokens')(page)
  await page.getByRole('button', { name: 'New token' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Name').fill('nightly scan')
  await dialog.getByLabel('Description').fill('Sends in what the scanners find')
  await dialog.getByRole('checkbox', { name: 'api', exact: true }).check()
  await dialog.getByRole('button', { name: 'Create token' }).click()
  await dialog.waitFor({ state: 'detached' })
}
