/// <reference lib="dom" />
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Client } from '../../server/src/testing/client.ts'
import { browserOf, codeAt, setUpTotp, signIn } from '../../server/src/testing/second-factors.ts'
import type { TestProject } from '../../server/src/testing/server.ts'
import { openSignedIn, password } from './sign-in.ts'
import { accessProblems, quiet, startWeb, type Web } from './web.ts'

let web: Web
let shop: TestProject
let owner: Client
beforeAll(async () => {
  web = await startWeb()
  shop = await web.server.project('acme/shop')
  owner = await web.server.as('owner', shop)
})
afterAll(() => web?.close())

const fits = (page: Page) => page.evaluate(() => document.documentElement.scrollWidth <= innerWidth)
const pathOf = (page: Page) => new URL(page.url()).pathname
const levelOf = async ({ user }: Client, project = shop) =>
  (await web.server.admin.get(`/projects/${project.id}/members/${user?.id}`)).body.access_level

/** Invites an address and returns the secret of the link. */
async function invite(by: Client, email: string, place = `projects/${shop.id}`, more: object = {}): Promise<string> {
  const reply = await by.post(`/${place}/invitations`, { email, access_level: 30, show_links: true, ...more })
  expect(reply).toMatchObject({ status: 201, body: { status: 'success' } })
  return reply.body.links[email].token
}

/** Records the addresses and the Referer headers of all requests. */
function recordAddresses(page: Page): string[] {
  const sent: string[] = []
  page.on('request', (request) => sent.push(request.url(), request.headers()['referer'] ?? ''))
  return sent
}

describe('the link of an invitation', () => {
  test('shows what it invites to, and makes a signed-in user a member', async () => {
    const nadia = await web.server.user('nadia')
    const secret = await invite(owner, 'somebody-else@example.test', undefined, { expires_at: '2099-12-31' })
    const page = await web.open('/explore/projects', { as: nadia })
    const sent = recordAddresses(page)
    await page.goto(`/-/invitation#${secret}`)
    await page.getByRole('heading', { name: 'Join shop' }).waitFor()
    const facts = await page.locator('dl').innerText()
    for (const fact of ['acme/shop', 'Developer', '31 Dec 2099', 'somebody-else@example.test', 'in 7 days']) {
      expect(facts).toContain(fact)
    }
    await page.getByText(`${owner.user?.name} invited you to this project.`).waitFor()
    await page.getByText('You are signed in as nadia (@nadia).').waitFor()
    expect(await accessProblems(page)).toEqual([])

    await page.getByRole('button', { name: 'Accept invitation' }).focus()
    await page.keyboard.press('Enter')
    await page.getByText('You are now a member of shop.').waitFor()
    await page.waitForURL('**/acme/shop')
    await page
      .getByRole('navigation', { name: /sections/ })
      .getByRole('link', { name: 'Vulnerabilities' })
      .waitFor()
    expect(await levelOf(nadia)).toBe(30)
    await quiet(page)
    expect(sent.filter((address) => address.split('#')[0]?.includes(secret))).toEqual([])
  })

  test('is forgotten by the tab when the user signs out', async () => {
    await web.server.user('uma')
    const secret = await invite(owner, 'uma-2@example.test')
    const page = await openSignedIn(web, 'uma', `/-/invitation#${secret}`)
    await page.getByRole('button', { name: 'Accept invitation' }).waitFor()
    expect(await page.evaluate(() => sessionStorage.getItem('alcove-invitation'))).toBe(secret)
    await page.getByRole('button', { name: 'uma: account and appearance' }).click()
    await page.getByRole('button', { name: 'Sign out' }).click()
    await page.waitForURL(`${web.origin}/`)
    await page.goto('/-/invitation')
    await page.getByRole('heading', { name: 'Incomplete link' }).waitFor()
  })

  test('of a group leads to the group, also on a narrow dark screen', async () => {
    const lena = await web.server.user('lena')
    const group = (await web.server.admin.post('/groups', { name: 'Crew', path: 'crew' })).body
    const secret = await invite(web.server.admin, 'l@example.test', `groups/${group.id}`, { access_level: 50 })
    const page = await web.open(`/-/invitation#${secret}`, { as: lena, theme: 'dark', width: 360 })
    await page.getByText('invited you to this group.').waitFor()
    expect(await accessProblems(page)).toEqual([])
    expect(await fits(page)).toBe(true)
    await page.getByRole('button', { name: 'Accept invitation' }).click()
    await page.waitForURL('**/groups/crew')
  })

  test('that is used, replaced, unknown or incomplete shows a page that says so', async () => {
    const omar = await web.server.user('omar')
    const page = await web.open('/-/invitation', { as: omar, expects: /404/ })
    await page.getByRole('heading', { name: 'Incomplete link' }).waitFor()
    const former = await invite(owner, 'omar-2@example.test')
    const resent = await owner.post(`/projects/${shop.id}/invitations/omar-2@example.test/resend`)
    // Another link in the same tab changes the fragment only.
    await page.goto(`/-/invitation#${former}`)
    const notice = page.getByRole('heading', { name: 'This invitation is not valid' })
    await notice.waitFor()
    await page.goto(`/-/invitation#${resent.body.token}`)
    await page.getByRole('button', { name: 'Accept invitation' }).waitFor()
    // Revoked while the page is open.
    await owner.delete(`/projects/${shop.id}/invitations/omar-2@example.test`)
    await page.getByRole('button', { name: 'Accept invitation' }).click()
    await notice.waitFor()
    await page.goto('/-/invitation#unknown')
    await notice.waitFor()
  })

  test('tells a member that they are one, and a session of a read-only token that it cannot accept', async () => {
    const pia = await web.server.user('pia')
    await web.server.admin.post(`/projects/${shop.id}/members`, { user_id: pia.user?.id, access_level: 20 })
    const secret = await invite(owner, 'pia-2@example.test')
    const page = await web.open(`/-/invitation#${secret}`, { as: pia, expects: /409/ })
    await page.getByRole('button', { name: 'Accept invitation' }).click()
    await page.getByRole('alert').getByText('You are already a member of the project shop.').waitFor()
    expect(await accessProblems(page)).toEqual([])
    await page.getByRole('link', { name: 'Open shop' }).click()
    await page.waitForURL('**/acme/shop')
    expect(await levelOf(pia)).toBe(20)

    const reader = await web.server.user('reader')
    const { body } = await web.server.admin.post(`/users/${reader.user?.id}/personal_access_tokens`, {
      name: 'reads',
      scopes: ['read_api'],
    })
    const limited = await web.open(`/-/invitation#${secret}`, { as: { ...reader, token: body.token } })
    await limited.getByText('You signed in with a read-only token.').waitFor()
    expect(await limited.getByRole('button', { name: 'Accept invitation' }).count()).toBe(0)
  })
})

describe('a user who is not signed in', () => {
  test('signs in with a password and a code, returns to the invitation and accepts it', async () => {
    const ines = await web.server.user('ines')
    const { secret: app } = await setUpTotp(web.server, browserOf(web.server, await signIn(web.server, 'ines')))
    const secret = await invite(owner, 'ines-2@example.test')
    const page = await web.open('/explore/projects')
    const sent = recordAddresses(page)
    await page.goto(`/-/invitation#${secret}`)
    await page.getByText('You need an account on this server.').waitFor()
    await page.getByRole('link', { name: 'Sign in to accept' }).click()
    await page.getByLabel('Username or e-mail address').fill('ines')
    await page.getByLabel('Password').fill(password)
    await page.getByRole('button', { name: 'Sign in', exact: true }).click()
    await page.getByLabel('Verification code').fill(codeAt(app, new Date(Date.now() + 30_000).toISOString()))
    await page.getByRole('button', { name: 'Verify code' }).click()
    await page.getByRole('button', { name: 'Accept invitation' }).click()
    await page.waitForURL('**/acme/shop')
    expect(await levelOf(ines)).toBe(30)
    expect(sent.filter((address) => address.split('#')[0]?.includes(secret))).toEqual([])
    // The tab does not keep the secret of an invitation that was accepted.
    expect(await page.evaluate(() => Object.values(sessionStorage).join())).not.toContain(secret)
  })

  test('creates an account with the invitation of an administrator, after their input is corrected', async () => {
    const secret = await invite(web.server.admin, 'new@example.test')
    const page = await web.open(`/-/invitation#${secret}`, { width: 360, expects: /400|409/ })
    await page.getByRole('heading', { name: 'Create an account' }).waitFor()
    expect(await page.getByLabel('E-mail address').inputValue()).toBe('new@example.test')
    await page.getByText('At least 8 characters.').waitFor()
    expect(await fits(page)).toBe(true)
    const create = page.getByRole('button', { name: 'Create account and accept' })
    await page.getByLabel('Name', { exact: true }).fill('New Comer')
    await page.getByLabel('Username').fill('new comer')
    await page.getByLabel('Password', { exact: true }).fill('another horse battery')
    await page.getByLabel('Confirm password').fill('something else')
    await create.click()
    await page.getByText('Passwords do not match.').waitFor()
    await page.getByLabel('Confirm password').fill('another horse battery')
    await create.click()
    await expect.poll(() => page.getByLabel('Username').getAttribute('aria-invalid')).toBe('true')
    expect(await accessProblems(page)).toEqual([])
    await page.getByLabel('Username').fill('newcomer')
    await create.click()
    await page.getByText('Account created. You are now a member of shop.').waitFor()
    expect(pathOf(page)).toBe('/acme/shop')
    await page.getByRole('button', { name: 'New Comer: account and appearance' }).waitFor()
    const { body } = await web.server.admin.get('/users?username=newcomer')
    expect(await levelOf({ user: body[0] } as Client)).toBe(30) // `levelOf` reads the user only
  })

  test('is not offered an account by the invitation of another member', async () => {
    const maintainer = await web.server.as('maintainer', shop)
    const secret = await invite(maintainer, 'other@example.test')
    const page = await web.open(`/-/invitation#${secret}`)
    await page.getByRole('link', { name: 'Sign in to accept' }).waitFor()
    expect(await page.getByRole('heading', { name: 'Create an account' }).count()).toBe(0)
  })

  test('keeps the invitation when they sign in from the header', async () => {
    await web.server.user('jan')
    const secret = await invite(owner, 'jan-2@example.test')
    const page = await openSignedIn(web, 'jan', '/explore/projects')
    await page.context().clearCookies()
    await page.goto(`/-/invitation#${secret}`)
    await page.getByRole('banner').getByRole('link', { name: 'Sign in' }).click()
    await page.getByLabel('Username or e-mail address').fill('jan')
    await page.getByLabel('Password').fill(password)
    await page.getByRole('button', { name: 'Sign in', exact: true }).click()
    await page.getByRole('heading', { name: 'Join shop' }).waitFor()
  })
})
