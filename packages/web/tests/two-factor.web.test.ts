import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { codeAt } from '../../server/src/testing/second-factors.ts'
import { openSignedIn, password } from './sign-in.ts'
import { accessProblems, dialogs, quiet, startWeb, type Web } from './web.ts'

let web: Web
beforeAll(async () => {
  // Passkeys need a host name; browsers treat localhost as secure.
  web = await startWeb({ host: 'localhost', settings: { requiredSecondFactor: 'administrators' } })
})
afterAll(() => web?.close())

const path = '/-/profile/two_factor_auth'
const fits = (page: Page) => page.evaluate(() => document.documentElement.scrollWidth <= innerWidth)
/** The code of the next time step, because one of this step may have been used. */
const nextCode = (secret: string) => codeAt(secret, new Date(Date.now() + 30_000).toISOString())

/** Adds a virtual authenticator with a fingerprint reader to the page. */
async function addAuthenticator(page: Page): Promise<void> {
  const session = await page.context().newCDPSession(page)
  await session.send('WebAuthn.enable')
  const options = {
    protocol: 'ctap2',
    transport: 'internal',
    hasResidentKey: true,
    hasUserVerification: true,
    isUserVerified: true,
    automaticPresenceSimulation: true,
  } as const
  await session.send('WebAuthn.addVirtualAuthenticator', { options })
}

async function enterPassword(page: Page, login: string): Promise<void> {
  await page.getByLabel('Username or e-mail address').fill(login)
  await page.getByLabel('Password').fill(password)
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
}

async function signOut(page: Page): Promise<void> {
  await page.context().clearCookies()
  await page.goto('/-/sign_in')
  await quiet(page)
}

async function addPasskey(page: Page, name: string): Promise<void> {
  await page.getByRole('button', { name: 'Add passkey' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Name').fill(name)
  expect(await accessProblems(page, dialogs)).toEqual([])
  await dialog.getByRole('button', { name: 'Add passkey' }).click()
  await page.getByText('Passkey added.').waitFor()
}

describe('an authenticator app', () => {
  test('is set up with a key, then asked for at the sign-in, where a recovery code replaces it once, until an administrator disables it', async () => {
    const { user } = await web.server.user('nadia')
    const page = await openSignedIn(web, 'nadia', path, { expects: /400|401/ })
    await page.getByRole('button', { name: 'Set up app' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByRole('img', { name: 'QR code for the authenticator app' }).waitFor()
    const secret = ((await dialog.locator('code').textContent()) ?? '').replaceAll(' ', '')
    expect(await accessProblems(page)).toEqual([])
    await dialog.getByLabel('Verification code').fill('000000')
    await dialog.getByRole('button', { name: 'Verify code' }).click()
    await dialog.getByText('Is invalid.').waitFor()
    await dialog.getByLabel('Verification code').fill(codeAt(secret, new Date().toISOString()))
    await dialog.getByRole('button', { name: 'Verify code' }).click()

    const codes = page.getByRole('status', { name: 'New recovery codes' })
    await codes.waitFor()
    const shown = await codes.getByRole('listitem').allTextContents()
    expect(shown).toHaveLength(10)
    expect(await accessProblems(page)).toEqual([])
    await codes.getByRole('button', { name: 'Copy codes' }).click()
    expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(`${shown.join('\n')}\n`)
    const saved = page.waitForEvent('download')
    await codes.getByRole('button', { name: 'Download codes' }).click()
    expect((await saved).suggestedFilename()).toBe('alcove-recovery-codes.txt')
    await codes.getByRole('button', { name: 'Done' }).click()
    await page.getByText('10 unused codes.').waitFor()
    for (const name of ['Generate new codes', 'Remove app']) {
      await page.getByRole('button', { name }).click()
      expect(await accessProblems(page, dialogs)).toEqual([])
      await dialog.getByRole('button', { name: 'Cancel' }).click()
      await dialog.waitFor({ state: 'detached' })
    }

    await signOut(page)
    await enterPassword(page, 'nadia')
    await page.getByRole('heading', { name: 'Two-factor authentication' }).waitFor()
    await page.getByLabel('Verification code').fill('000000')
    await page.keyboard.press('Enter')
    await page.getByText('Incorrect code.').waitFor()
    await page.getByLabel('Verification code').fill(nextCode(secret))
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'Welcome back, nadia' }).waitFor()

    await signOut(page)
    await enterPassword(page, 'nadia')
    await page.getByRole('button', { name: 'Back to sign in' }).click()
    await enterPassword(page, 'nadia')
    await page.getByLabel('Verification code').fill(shown[0] ?? '')
    await page.getByRole('button', { name: 'Verify code' }).click()
    await page.getByRole('heading', { name: 'Welcome back, nadia' }).waitFor()

    const admin = await web.open(`/-/admin/users/${user?.id}`, { as: web.server.admin, width: 360 })
    const panel = admin.getByRole('region', { name: 'Two-factor authentication' })
    await panel.getByRole('button', { name: 'Disable' }).click()
    expect(await accessProblems(admin, dialogs)).toEqual([])
    await admin.getByRole('dialog').getByRole('button', { name: 'Disable' }).click()
    await panel.waitFor({ state: 'detached' })
    await signOut(page)
    await enterPassword(page, 'nadia')
    await page.getByRole('heading', { name: 'Welcome back, nadia' }).waitFor()
  })
})

describe('a passkey', () => {
  test('is added, signs in with and without the password, and can be renamed and removed', async () => {
    await web.server.user('omar')
    const page = await openSignedIn(web, 'omar', path, { isChanged: true, theme: 'dark', width: 360 })
    await addAuthenticator(page)
    await addPasskey(page, 'Work laptop')
    await page.getByRole('button', { name: 'Done' }).click()
    expect(await fits(page)).toBe(true)

    await signOut(page)
    expect(await fits(page)).toBe(true)
    await page.getByRole('button', { name: 'Sign in with a passkey' }).click()
    await page.getByRole('heading', { name: 'Welcome back, omar' }).waitFor()

    await signOut(page)
    await enterPassword(page, 'omar')
    await page.getByLabel('Recovery code').waitFor()
    expect(await accessProblems(page)).toEqual([])
    await page.getByRole('button', { name: 'Use passkey' }).click()
    await page.getByRole('heading', { name: 'Welcome back, omar' }).waitFor()

    await page.goto(path)
    await page.getByRole('button', { name: 'Rename Work laptop' }).click()
    expect(await accessProblems(page, dialogs)).toEqual([])
    await page.getByRole('dialog').getByLabel('Name').fill('Old laptop')
    await page.getByRole('dialog').getByRole('button', { name: 'Rename' }).click()
    await page.getByRole('button', { name: 'Remove Old laptop' }).click()
    expect(await accessProblems(page, dialogs)).toEqual([])
    await page.getByRole('dialog').getByRole('button', { name: 'Remove passkey' }).click()
    await page.getByText('Passkey removed.').waitFor()
    await expect.poll(() => page.getByRole('table').count()).toBe(0)
    expect((await web.server.anonymous.post('//-/sessions', { login: 'omar', password })).status).toBe(201)
  })

  test('that was removed at the server does not sign in', async () => {
    const omar = await web.server.user('lena')
    const page = await openSignedIn(web, 'lena', path, { isChanged: true, expects: /401/ })
    await addAuthenticator(page)
    await addPasskey(page, 'Phone')
    expect((await web.server.admin.patch(`/users/${omar.user?.id}/disable_two_factor`)).status).toBe(204)
    await signOut(page)
    await page.getByRole('button', { name: 'Sign in with a passkey' }).click()
    await page.getByText('This server does not know the passkey.').waitFor()
  })
})

test('an administrator without a required second factor can only set one up and sign out', async () => {
  await web.server.user('chief', { admin: true })
  const page = await openSignedIn(web, 'chief', '/explore/projects', { isChanged: true, expects: /403/ })
  await page.getByText('This server requires two-factor authentication.').waitFor()
  expect(new URL(page.url()).pathname).toBe(path)
  await addAuthenticator(page)
  await addPasskey(page, 'Key')
  await page.getByRole('button', { name: 'Done' }).waitFor()
  await page.getByRole('link', { name: 'Projects', exact: true }).click()
  await page.getByRole('heading', { name: 'Projects' }).waitFor()
})

test('an invitation is not lost when its user must set up a second factor first', async () => {
  const project = await web.server.project('acme/shop')
  const invited = { email: 'boss-2@example.test', access_level: 30, show_links: true }
  const { body } = await web.server.admin.post(`/projects/${project.id}/invitations`, invited)
  await web.server.user('boss', { admin: true })
  const link = `/-/invitation#${body.links[invited.email].token}`
  const page = await openSignedIn(web, 'boss', link, { isChanged: true, expects: /403/ })
  await page.getByText('Set it up, then accept the invitation.').waitFor()
  expect(await accessProblems(page)).toEqual([])
  await page.getByRole('link', { name: 'Set up two-factor authentication' }).click()
  await addAuthenticator(page)
  await addPasskey(page, 'Key')
  await page.getByRole('link', { name: 'Continue to your invitation' }).click()
  await page.getByRole('button', { name: 'Accept invitation' }).click()
  await page.waitForURL('**/acme/shop')
})

test('a session of a token cannot manage second factors', async () => {
  const tomas = await web.server.user('tomas')
  const page = await web.open(path, { as: tomas })
  await page.getByText('To manage two-factor authentication, sign in with your password.').waitFor()
  await expect.poll(() => page.getByRole('button', { name: 'Add passkey' }).count()).toBe(0)
})
