/// <reference lib="dom" />
import type { Page } from 'playwright-core'
import { expect, onTestFinished, test } from 'vitest'
import { startRealProvider } from '../../server/src/testing/stand-ins/real-provider.ts'
import { accessProblems, startWeb } from './web.ts'

type Options = Parameters<typeof startRealProvider>[0] & { clock?: { now: string } }

/** Starts a server and its real identity provider, which end with the test. */
async function start({ clock, ...settings }: Options = {}) {
  const provider = await startRealProvider(settings)
  onTestFinished(() => provider.close())
  const web = await startWeb({
    ...(clock && { clock }),
    settings: { oidc: { providers: [provider.settings], reachesPrivate: true } },
  })
  onTestFinished(() => web.close())
  await provider.open(web.origin)
  return { web, provider }
}

/** Enters a login at the provider, and consents. */
async function enter(page: Page, login: string): Promise<void> {
  await page.getByLabel('Login').fill(login)
  await page.getByRole('button', { name: 'Continue' }).click()
  await page.getByRole('heading', { name: 'Corp consent' }).waitFor()
  await page.getByRole('button', { name: 'Continue' }).click()
}

async function signIn(page: Page, login: string): Promise<void> {
  await page.getByRole('button', { name: 'Sign in with Corp' }).click()
  await enter(page, login)
}

const invalid = 'The response of Corp could not be verified.'

test('an ID token with another nonce than that of the sign-in is refused', async () => {
  const { web } = await start()
  const page = await web.open('/-/sign_in', { isChanged: true })
  await page.route('**/-/oidc/corp', async (route) => {
    const response = await route.fetch()
    const { url } = await response.json()
    const changed = new URL(url)
    changed.searchParams.set('nonce', 'of another sign-in')
    await route.fulfill({ response, json: { url: changed.href } })
  })
  await signIn(page, 'nadia')
  await page.getByRole('alert').getByText(invalid).waitFor()
  expect(await accessProblems(page)).toEqual([])
  expect((await web.server.admin.get('/users?username=nadia')).body).toEqual([])
})

test('the response of a completed sign-in cannot be used again', async () => {
  const { web } = await start()
  const page = await web.open('/-/sign_in', { isChanged: true })
  const callbacks: string[] = []
  page.on('request', (request) => request.url().includes('/-/oidc/corp/callback') && callbacks.push(request.url()))
  await signIn(page, 'nadia')
  await page.getByRole('heading', { name: 'Welcome back, nadia' }).waitFor()
  await page.getByRole('button', { name: 'nadia: account and appearance' }).click()
  await page.getByRole('button', { name: 'Sign out' }).click()
  await page.getByRole('button', { name: 'Sign out of Corp' }).click()
  await page.getByText('You signed out here and at the identity provider.').waitFor()
  await page.goto(callbacks[0] ?? '')
  await page.getByRole('alert').waitFor()
  expect(new URL(page.url()).searchParams.get('problem')).toBe('expired')
})

test('users sign in after the provider has replaced its key', async () => {
  const clock = { now: new Date().toISOString() }
  const { web, provider } = await start({ clock })
  const first = await web.open('/-/sign_in', { isChanged: true })
  await signIn(first, 'nadia')
  await first.getByRole('heading', { name: 'Welcome back, nadia' }).waitFor()
  await provider.rotateKey()
  // New keys are loaded at most every 30 seconds.
  clock.now = new Date(Date.now() + 31_000).toISOString()
  const second = await web.open('/-/sign_in', { isChanged: true })
  await signIn(second, 'omar')
  await second.getByRole('heading', { name: 'Welcome back, omar' }).waitFor()
})

test('clocks may differ by less than a minute, and not by hours', async () => {
  const clock = { now: new Date(Date.now() - 40_000).toISOString() }
  const { web } = await start({ clock })
  const near = await web.open('/-/sign_in', { isChanged: true })
  await signIn(near, 'nadia')
  await near.getByRole('heading', { name: 'Welcome back, nadia' }).waitFor()
  clock.now = new Date(Date.now() + 3 * 60 * 60 * 1000).toISOString()
  const far = await web.open('/-/sign_in', { isChanged: true })
  await signIn(far, 'omar')
  await far.getByRole('alert').getByText(invalid).waitFor()
})

test('a user who left a group at the provider loses its project with the next request after the next sign-in', async () => {
  const mapping = [{ value: 'shop', membership: { group: 'acme', role: 'developer' } }] as const
  const { web, provider } = await start({ mapping })
  await web.server.project('acme/shop')
  provider.groups.set('nadia', ['shop'])
  const open = await web.open('/-/sign_in?to=%2Facme%2Fshop', { isChanged: true, expects: /404/ })
  await signIn(open, 'nadia')
  await open.getByRole('link', { name: 'Reports' }).waitFor()
  provider.groups.set('nadia', [])
  const other = await web.open('/-/sign_in', { isChanged: true })
  await signIn(other, 'nadia')
  await other.getByRole('heading', { name: 'Welcome back, nadia' }).waitFor()
  await open.getByRole('link', { name: 'Reports' }).click()
  await open.reload()
  await open.getByRole('heading', { level: 1, name: /not found/i }).waitFor()
})

test('while the provider is down the sign-in page says so, and a local administrator can sign in', async () => {
  const { web, provider } = await start()
  await web.server.user('ada', { admin: true })
  provider.setDown(true)
  const page = await web.open('/-/sign_in', { isChanged: true, expects: /503/ })
  await page.getByRole('button', { name: 'Sign in with Corp' }).click()
  await page.getByText('Corp is not available.').waitFor()
  await page.getByLabel('Username or e-mail address').fill('ada')
  await page.getByLabel('Password').fill('correct horse battery')
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
  await page.getByRole('heading', { name: 'Welcome back, ada' }).waitFor()
  provider.setDown(false)
  const again = await web.open('/-/sign_in', { isChanged: true })
  await signIn(again, 'nadia')
  await again.getByRole('heading', { name: 'Welcome back, nadia' }).waitFor()
})
