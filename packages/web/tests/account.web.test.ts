/// <reference lib="dom" />
import type { Page } from 'playwright-core'
import sql from 'sql-template-tag'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type OpenOptions, openSignedIn, password } from './sign-in.ts'
import { accessProblems, quiet, startWeb, type Web } from './web.ts'

let web: Web
beforeAll(async () => {
  web = await startWeb({ settings: { adminMode: true } })
})
afterAll(() => web?.close())

const fits = (page: Page) => page.evaluate(() => document.documentElement.scrollWidth <= innerWidth)

const openAs = (login: string, path: string, options?: OpenOptions) => openSignedIn(web, login, path, options)

describe('a password link', () => {
  test('sets the password once and signs in', async () => {
    const nadia = await web.server.user('nadia')
    const { body } = await web.server.admin.post(`/users/${nadia.user?.id}/password_links`)
    const page = await web.open(`/-/password#${body.token}`)
    await page.getByLabel('New password', { exact: true }).fill('another horse battery')
    await page.getByLabel('Confirm new password').fill('something else')
    await page.getByRole('button', { name: 'Set password' }).click()
    await page.getByText('Passwords do not match.').waitFor()
    expect(await accessProblems(page)).toEqual([])
    await page.getByLabel('Confirm new password').fill('another horse battery')
    await page.getByRole('button', { name: 'Set password' }).click()
    await page.getByText('Password set. You are signed in as nadia.').waitFor()
    await page.getByRole('heading', { name: 'Welcome back, nadia' }).waitFor()
    expect(new URL(page.url()).pathname).toBe('/')
    const login = { login: 'nadia', password: 'another horse battery' }
    expect((await web.server.anonymous.post('//-/sessions', login)).status).toBe(201)

    const again = await web.open(`/-/password#${body.token}`, { expects: /401/, theme: 'dark', width: 360 })
    await again.getByLabel('New password', { exact: true }).fill(password)
    await again.getByLabel('Confirm new password').fill(password)
    await again.getByRole('button', { name: 'Set password' }).click()
    await again.getByRole('heading', { name: 'This link has expired' }).waitFor()
    expect(await accessProblems(again)).toEqual([])
  })

  test('without its token is shown as incomplete', async () => {
    const page = await web.open('/-/password')
    await page.getByRole('heading', { name: 'Incomplete link' }).waitFor()
  })
})

describe('the profile page', () => {
  test('changes the password, and lists sessions that can be signed out', async () => {
    await web.server.user('omar')
    const other = await openAs('omar', '/-/profile')
    const page = await openAs('omar', '/-/profile', { theme: 'dark', width: 360, expects: /400/ })
    await expect.poll(() => page.getByText('omar@example.test').count()).toBe(1)
    expect(await accessProblems(page)).toEqual([])
    expect(await fits(page)).toBe(true)

    const table = page.getByRole('region', { name: 'Sessions', exact: true })
    await expect.poll(() => table.getByText('This device').count()).toBe(1)
    await table.getByRole('button', { name: /^Sign out Chrome on Linux/ }).click()
    await page.getByText('Session revoked.').waitFor()
    await quiet(page)
    await expect.poll(() => table.getByRole('row').count()).toBe(2)
    await other.reload()
    await other.getByText('Sign in to view your account.').waitFor()

    await page.getByLabel('Current password').fill('wrong')
    await page.getByLabel('New password', { exact: true }).fill('a new one altogether')
    await page.getByLabel('Confirm new password').fill('a new one altogether')
    await page.getByRole('button', { name: 'Change password' }).click()
    await page.getByText('Incorrect password.').waitFor()
    await page.getByLabel('Current password').fill(password)
    await page.getByRole('button', { name: 'Change password' }).click()
    await page.getByText('Password changed.').waitFor()
    const login = { login: 'omar', password: 'a new one altogether' }
    expect((await web.server.anonymous.post('//-/sessions', login)).status).toBe(201)
  })

  test('lists sign-ins from new browsers and signs out all other sessions', async () => {
    await web.server.user('petra')
    const page = await openAs('petra', '/', { width: 360 })
    await page.getByRole('heading', { name: 'Welcome back, petra' }).waitFor()
    expect(await page.getByRole('region', { name: 'New sign-ins' }).count()).toBe(0)
    const login = { login: 'petra', password }
    const headers = { 'user-agent': 'Firefox/140 on Linux' }
    expect((await web.server.anonymous.post('//-/sessions', login, { headers })).status).toBe(201)

    await page.reload()
    const notice = page.getByRole('region', { name: 'New sign-ins' })
    await notice.getByText(/New sign-in to your account: Firefox on Linux/).waitFor()
    expect(await accessProblems(page)).toEqual([])
    expect(await fits(page)).toBe(true)
    await notice.getByRole('link', { name: 'Review sessions' }).click()
    const listed = page.getByRole('region', { name: 'Recent sign-ins' })
    await listed.getByRole('row', { name: /Firefox on Linux.*Active/ }).waitFor()
    await page.getByRole('button', { name: 'Sign out all other sessions' }).click()
    await page.getByText('All other sessions were signed out.').waitFor()
    await listed.getByRole('row', { name: /Firefox on Linux.*Ended/ }).waitFor()
    expect(await fits(page)).toBe(true)

    await page.goto('/')
    await page.getByRole('button', { name: 'Dismiss' }).click()
    await expect.poll(() => notice.count()).toBe(0)
  })

  test('shows what is unavailable in a session started with a token', async () => {
    const lena = await web.server.user('lena')
    const reader = await web.server.client(lena, { scopes: ['read_api'] })
    const page = await web.open('/-/profile', { as: reader })
    await page.getByText('To change your password, sign in with it.').waitFor()
    await page.getByText('It cannot list or revoke your other sessions.').waitFor()
    await expect.poll(() => page.getByLabel('Current password').count()).toBe(0)
    await page.getByRole('link', { name: 'Access tokens' }).first().click()
    await page.getByText('To create tokens, sign in with your password.').waitFor()
    await expect.poll(() => page.getByRole('button', { name: /New token|Actions/ }).count()).toBe(0)
  })
})

test('a token can be created, is shown once, works, and can be rotated and revoked', async () => {
  await web.server.user('tomas')
  const page = await openAs('tomas', '/-/profile/tokens')
  await page.getByRole('button', { name: 'New token' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Name').fill('nightly scan')
  await dialog.getByRole('button', { name: 'Create token' }).click()
  await dialog.getByText('Select at least one scope.').waitFor()
  await dialog.getByLabel('read_api').check()
  await expect.poll(() => dialog.getByLabel('sudo').count()).toBe(0)
  await dialog.getByRole('button', { name: 'Create token' }).click()

  const shown = page.getByLabel(/nightly scan created/)
  await shown.waitFor()
  const first = await shown.inputValue()
  await page.getByRole('button', { name: 'Copy token' }).click()
  expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(first)
  expect(await accessProblems(page)).toEqual([])
  const asFirst = () => web.server.anonymous.get('/user', { headers: { 'private-token': first } })
  expect((await asFirst()).body.username).toBe('tomas')
  await page.getByRole('button', { name: 'Done' }).click()
  expect(await page.getByRole('main').innerHTML()).not.toContain(first)

  await page.getByRole('button', { name: 'Actions for nightly scan' }).click()
  await page.getByRole('menuitem', { name: 'Rotate' }).click()
  await dialog.getByRole('button', { name: 'Rotate' }).click()
  await shown.waitFor()
  await expect.poll(() => shown.inputValue()).not.toBe(first)
  expect((await asFirst()).status).toBe(401)
  await page.getByRole('button', { name: 'Done' }).click()

  await page.getByRole('button', { name: 'Actions for nightly scan' }).click()
  await page.getByRole('menuitem', { name: 'Revoke' }).click()
  await dialog.getByRole('button', { name: 'Revoke' }).click()
  await page.getByText('Token revoked.').waitFor()
  await page.getByLabel('Status').selectOption('Expired or revoked')
  await expect.poll(() => page.getByRole('row', { name: /nightly scan/ }).count()).toBe(2)
  expect(page.url()).toContain('state=inactive')
})

describe('after the password confirmation expired', () => {
  const waitedLong = () =>
    web.server.deps.db.run(sql`update sessions set authenticated_at = '2020-01-01T00:00:00.000Z'`)

  test('creating a token asks for the password, and then continues', async () => {
    await web.server.user('rosa')
    const page = await openAs('rosa', '/-/profile/tokens', { expects: /40[13]/ })
    await waitedLong()
    await page.getByRole('button', { name: 'New token' }).click()
    const form = page.getByRole('dialog', { name: 'New access token' })
    await form.getByLabel('Name').fill('deploy')
    await form.getByLabel('read_api').check()
    await form.getByRole('button', { name: 'Create token' }).click()
    const confirm = page.getByRole('dialog', { name: 'Confirm your password' })
    await confirm.getByLabel('Your password', { exact: true }).fill('wrong')
    await confirm.getByRole('button', { name: 'Confirm' }).click()
    await confirm.getByText('Incorrect password.').waitFor()
    expect(await accessProblems(page)).toEqual([])
    await confirm.getByLabel('Your password', { exact: true }).fill(password)
    await confirm.getByRole('button', { name: 'Confirm' }).click()
    await page.getByLabel(/deploy created/).waitFor()
    await expect.poll(() => page.getByRole('dialog').count()).toBe(0)
  })

  test('cancelling the confirmation keeps the form and creates nothing', async () => {
    const rico = await web.server.user('rico')
    const page = await openAs('rico', '/-/profile/tokens', { expects: /403/ })
    await waitedLong()
    await page.getByRole('button', { name: 'New token' }).click()
    const form = page.getByRole('dialog', { name: 'New access token' })
    await form.getByLabel('Name').fill('not this one')
    await form.getByLabel('read_api').check()
    await form.getByRole('button', { name: 'Create token' }).click()
    await page.getByLabel('Your password', { exact: true }).press('Escape')
    await page.getByRole('dialog', { name: 'Confirm your password' }).waitFor({ state: 'detached' })
    expect(await form.getByLabel('Name').inputValue()).toBe('not this one')
    expect((await rico.get('/personal_access_tokens?search=not+this')).body).toEqual([])
  })

  test('the list of sessions is shown after the password is confirmed', async () => {
    await web.server.user('remy')
    const page = await openAs('remy', '/', { expects: /403/ })
    await waitedLong()
    await page.goto('/-/profile')
    await page.getByRole('button', { name: 'Show sessions' }).click()
    await page.getByLabel('Your password', { exact: true }).fill(password)
    await page.getByRole('button', { name: 'Confirm', exact: true }).click()
    await page.getByRole('table').getByText('This device').waitFor()
  })
})

test('changing the password revokes tokens on request', async () => {
  const yara = await web.server.user('yara')
  const page = await openAs('yara', '/-/profile')
  await page.getByLabel('Current password').fill(password)
  await page.getByLabel('New password', { exact: true }).fill('a new one altogether')
  await page.getByLabel('Confirm new password').fill('a new one altogether')
  await page.getByLabel('Also revoke my access tokens').check()
  await page.getByRole('button', { name: 'Change password' }).click()
  await page.getByText('Password changed.').waitFor()
  expect((await yara.get('/user')).status).toBe(401)
})

test('an administrator can enter and leave admin mode', async () => {
  await web.server.user('boss', { admin: true })
  const page = await openAs('boss', '/explore/topics', { expects: /401/ })
  await expect.poll(() => page.getByRole('link', { name: 'Admin', exact: true }).count()).toBe(0)
  await page.getByRole('button', { name: /^boss/ }).click()
  await page.getByRole('link', { name: 'Enter admin mode' }).click()
  await page.getByLabel('Password').fill('wrong')
  await page.getByRole('button', { name: 'Enter admin mode' }).click()
  await page.getByText('Incorrect password.').waitFor()
  expect(await accessProblems(page)).toEqual([])
  await page.getByLabel('Password').fill(password)
  await page.getByRole('button', { name: 'Enter admin mode' }).click()
  await page.getByRole('link', { name: 'Admin', exact: true }).waitFor()
  expect(new URL(page.url()).pathname).toBe('/explore/topics')

  await page.getByRole('button', { name: /^boss/ }).click()
  await page.getByRole('button', { name: 'Leave admin mode' }).click()
  await page.getByText('You left admin mode.').waitFor()
  await page.getByRole('link', { name: 'Admin', exact: true }).waitFor({ state: 'detached' })
})

test('account pages ask a signed-out user to sign in', async () => {
  const page = await web.open('/-/profile/tokens')
  await page.getByText('Sign in to view your account.').waitFor()
  expect(await page.getByRole('link', { name: 'Sign in' }).last().getAttribute('href')).toBe(
    '/-/sign_in?to=%2F-%2Fprofile%2Ftokens',
  )
})
