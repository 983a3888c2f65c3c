/// <reference lib="dom" />
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type RealProvider, startRealProvider } from '../../server/src/testing/stand-ins/real-provider.ts'
import { accessProblems, dialogs, startWeb, type Web } from './web.ts'

let web: Web
let provider: RealProvider
beforeAll(async () => {
  provider = await startRealProvider()
  web = await startWeb({ settings: { oidc: { providers: [provider.settings], reachesPrivate: true } } })
  await provider.open(web.origin)
})
afterAll(async () => {
  await web?.close()
  await provider?.close()
})

test('a user signs in with a real provider and returns to the page that they asked for', async () => {
  const page = await web.open('/-/sign_in?to=%2F-%2Fprofile', { isChanged: true })
  await page.getByRole('button', { name: 'Sign in with Corp' }).click()
  await page.getByLabel('Login').fill('nadia')
  await page.getByRole('button', { name: 'Continue' }).click()
  await page.getByRole('heading', { name: 'Corp consent' }).waitFor()
  await page.getByRole('button', { name: 'Continue' }).click()
  await page.getByText('You did not sign in with a password.').waitFor()
  expect(new URL(page.url()).pathname).toBe('/-/profile')

  const { body: users } = await web.server.admin.get('/users?username=nadia')
  const admin = await web.open(`/-/admin/users/${users[0].id}`, { as: web.server.admin })
  await admin.getByRole('heading', { name: 'Identity providers' }).waitFor()
  await admin.getByText('Corp, account nadia').waitFor()
  expect(await accessProblems(admin)).toEqual([])
})

test('an administrator unlinks a user from a provider, which ends the sessions that began there', async () => {
  const page = await web.open('/-/sign_in', { isChanged: true, expects: /401/ })
  await signInAt(page, 'quinn')
  await page.getByRole('heading', { name: 'Welcome back, quinn' }).waitFor()
  const { body: users } = await web.server.admin.get('/users?username=quinn')
  const admin = await web.open(`/-/admin/users/${users[0].id}`, { as: web.server.admin })
  await admin.getByRole('button', { name: 'Unlink from Corp' }).click()
  const dialog = admin.getByRole('dialog')
  await dialog.getByRole('heading', { name: 'Unlink the user from Corp?' }).waitFor()
  expect(await accessProblems(admin, dialogs)).toEqual([])
  await dialog.getByRole('button', { name: 'Unlink' }).click()
  await admin.getByText('Unlinked from Corp.').waitFor()
  await admin.getByRole('heading', { name: 'Identity providers' }).waitFor({ state: 'detached' })
  expect(await signedInAs(page)).toBeNull()
})

test('a user who opens an invitation signs in with a provider, which gets no part of the link, and accepts it', async () => {
  const project = await web.server.project('acme/shop')
  const invited = { email: 'tomas-2@example.test', access_level: 30, show_links: true }
  const { body } = await web.server.admin.post(`/projects/${project.id}/invitations`, invited)
  const { token } = body.links[invited.email]
  const page = await web.open('/explore/projects', { isChanged: true })
  const sent: string[] = []
  page.on('request', (request) =>
    sent.push(request.url(), request.headers()['referer'] ?? '', request.postData() ?? ''),
  )
  await page.goto(`/-/invitation#${token}`)
  await page.getByRole('link', { name: 'Sign in to accept' }).click()
  await signInAt(page, 'tomas')
  await page.getByRole('button', { name: 'Accept invitation' }).click()
  await page.waitForURL('**/acme/shop')
  const carriers = sent.filter((text) => text.split('#')[0]?.includes(token))
  // Only the bodies of requests to `/-/invitations/open` and `/-/invitations/accept`.
  expect(new Set(carriers)).toEqual(new Set([JSON.stringify({ token })]))
})

test('signing out ends the session at the provider as well, and leads back to the sign-in page', async () => {
  const page = await web.open('/-/sign_in', { isChanged: true })
  await signInAt(page, 'omar')
  await page.getByRole('heading', { name: 'Welcome back, omar' }).waitFor()
  await page.getByRole('button', { name: 'omar: account and appearance' }).click()
  await page.getByRole('button', { name: 'Sign out' }).click()
  await page.getByRole('heading', { name: 'Corp logout' }).waitFor()
  await page.getByRole('button', { name: 'Sign out of Corp' }).click()
  await page.getByText('You signed out here and at the identity provider.').waitFor()
  expect(await accessProblems(page)).toEqual([])
  // The provider asks for the login again.
  await page.getByRole('button', { name: 'Sign in with Corp' }).click()
  await page.getByLabel('Login').waitFor()
})

test('signing out at the provider ends the session here with the next request', async () => {
  const page = await web.open('/-/sign_in', { isChanged: true, expects: /401/ })
  await signInAt(page, 'pia')
  await page.getByRole('heading', { name: 'Welcome back, pia' }).waitFor()
  const other = await page.context().newPage()
  await other.goto(`${provider.settings.issuer}/session/end`)
  await other.getByRole('button', { name: 'Sign out of Corp' }).click()
  await expect.poll(() => signedInAs(page)).toBeNull()
})

/** Signs in at the provider from the sign-in page, and consents. */
async function signInAt(page: Page, login: string): Promise<void> {
  await page.getByRole('button', { name: 'Sign in with Corp' }).click()
  await page.getByLabel('Login').fill(login)
  await page.getByRole('button', { name: 'Continue' }).click()
  await page.getByRole('heading', { name: 'Corp consent' }).waitFor()
  await page.getByRole('button', { name: 'Continue' }).click()
}

/** Returns the username of the browser's session, or null. */
async function signedInAs(page: Page): Promise<string | null> {
  const { user } = await (await page.request.get(`${web.origin}/-/session`)).json()
  return user?.username ?? null
}

test('a user who refuses consent returns to the sign-in page, which says so', async () => {
  const page = await web.open('/-/sign_in', { isChanged: true })
  await page.getByRole('button', { name: 'Sign in with Corp' }).click()
  await page.getByRole('button', { name: 'Refuse' }).click()
  await page.getByRole('alert').getByText('You did not give Corp your consent').waitFor()
  expect(await page.getByText('no <b>').count()).toBe(0)
})
