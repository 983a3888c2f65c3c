/// <reference lib="dom" />
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { enqueue, jobKind } from '../../server/src/domain/jobs/job.ts'
import { runDueJobs } from '../../server/src/domain/jobs/run-jobs.ts'
import { formWithFile } from '../../server/src/testing/client.ts'
import { accessProblems, quiet, startWeb, visit, type Web } from './web.ts'

let web: Web
beforeAll(async () => {
  web = await startWeb()
  const project = await web.server.project('acme/shop', { visibility: 'public' })
  await web.server.admin.post(`/projects/${project.id}/uploads`, formWithFile('file', 'a.txt', 'twelve bytes'))
  await web.server.user('nadia')
  await web.server.user('tomas', { external: true })
})
afterAll(() => web?.close())

const main = (page: Page) => page.getByRole('main')
const scrollsSideways = (page: Page) => page.evaluate(() => document.documentElement.scrollWidth > innerWidth)

describe('a user who is not an administrator', () => {
  test('sees "access required" without requests to the admin API', async () => {
    const page = await web.open('/-/admin/users', { as: await web.server.user('curious') })
    await expect.poll(() => main(page).innerText()).toContain('Administrator access required')
    await expect.poll(() => page.getByRole('link', { name: 'Admin' }).count()).toBe(0)
  })

  test('signs in first and returns to the page', async () => {
    const page = await web.open('/-/admin/jobs')
    await main(page).getByRole('link', { name: 'Sign in' }).click()
    await page.getByLabel('Username').waitFor()
    expect(page.url()).toContain('to=%2F-%2Fadmin%2Fjobs')
  })
})

test('an administrator without admin mode is asked for the password', async () => {
  const strict = await startWeb({ settings: { adminMode: true } })
  try {
    const origin = strict.origin
    const root = strict.server
    const link = await root.admin.post('/users/1/password_links')
    const client = link.status === 201 ? root.admin : undefined
    expect(client).toBeDefined()
    await root.anonymous.post('//-/password', { token: link.body.token, password: 'correct horse battery' })
    const page = await strict.open('/-/sign_in?to=/-/admin', { expects: /401/ })
    await page.getByLabel('Username').fill('root')
    await page.getByLabel('Password').fill('correct horse battery')
    await page.getByRole('button', { name: 'Sign in', exact: true }).click()
    await page.getByRole('heading', { name: 'Enter admin mode' }).waitFor()
    await page.getByLabel('Your password').fill('wrong')
    await page.getByRole('button', { name: 'Enter admin mode' }).click()
    await page.getByText('Incorrect password.').waitFor()
    await page.getByLabel('Your password').fill('correct horse battery')
    await page.getByRole('button', { name: 'Enter admin mode' }).click()
    await page.getByText('Database and storage are reachable.').waitFor()
    expect(page.url()).toBe(`${origin}/-/admin`)
    // The page repeats its requests, which fail once the server is closed.
    await page.goto('about:blank')
  } finally {
    await strict.close()
  }
})

test('the overview shows health, counts and storage, also on a narrow dark screen', async () => {
  const page = await web.open('/-/admin', { as: web.server.admin, width: 360, theme: 'dark' })
  await page.getByText('Database and storage are reachable.').waitFor()
  await expect.poll(() => page.getByRole('link', { name: /^Users \d/ }).innerText()).toMatch(/Users\s+\d/)
  await expect.poll(() => main(page).innerText()).toContain('12 bytes in 1 file')
  expect(await accessProblems(page)).toEqual([])
  expect(await scrollsSideways(page)).toBe(false)
})

test('the overview shows "not ready" with the reason when the database or the store fails', async () => {
  const page = await web.open('/explore/projects', { as: web.server.admin, expects: /503/, isChanged: true })
  await page.clock.install()
  let reasons = ['the object store does not answer']
  await page.route('**/-/ready', (route) =>
    route.fulfill({ status: 503, json: { message: '503 Service Unavailable', reasons } }),
  )
  await page.route('**/admin/jobs?state%5B%5D=waiting*', (route) =>
    route.fulfill({ json: [{ id: 1, run_at: '2026-01-01T00:00:00.000Z' }], headers: { 'x-total': '1' } }),
  )
  await page.getByRole('link', { name: 'Admin' }).click()
  // The page retries a few times before it shows the problem.
  const isSaid = (words: string) => async () => {
    await page.clock.fastForward(3_000)
    return page.getByText(words).isVisible()
  }
  await expect.poll(isSaid('Not ready')).toBe(true)
  await page.getByText(/^File storage is unreachable, so uploads and downloads fail/).waitFor()
  await page.getByText(/1 job overdue and none is running/).waitFor()
  expect(await main(page).innerText()).not.toContain('The database is unreachable')

  reasons = ['the database does not answer']
  await expect.poll(isSaid('The database is unreachable, so nothing can be read or changed')).toBe(true)
})

test('a session with a read-only token shows no controls that change anything', async () => {
  const boss = await web.server.user('boss', { admin: true })
  const reader = await web.server.client(boss, { scopes: ['read_api'] })
  const page = await web.open(`/-/admin/users/${boss.user?.id}`, { as: reader })
  expect(await main(page).getByRole('button', { name: 'Save', disabled: false }).count()).toBe(0)
  for (const name of ['Generate link', 'Create token', /^Revoke/, 'Delete']) {
    expect(await main(page).getByRole('button', { name }).count(), String(name)).toBe(0)
  }
  await page.goto('/-/admin/topics')
  await page.getByRole('link', { name: 'Duplicates' }).waitFor()
  await expect.poll(() => page.getByRole('link', { name: 'New topic' }).count()).toBe(0)
})

describe('users in the admin area', () => {
  test('can be searched and filtered, with the filter in the URL', async () => {
    const page = await web.open('/-/admin/users', { as: web.server.admin })
    await page.getByRole('link', { name: 'nadia' }).waitFor()
    await page.getByLabel('Filter users').selectOption('external')
    await quiet(page)
    await expect.poll(() => main(page).innerText()).toContain('tomas')
    await expect.poll(() => page.getByRole('link', { name: 'nadia' }).count()).toBe(0)
    await page.reload()
    await page.getByRole('link', { name: 'tomas' }).waitFor()
    await expect.poll(() => page.getByRole('link', { name: 'nadia' }).count()).toBe(0)
    await page.goBack()
    await page.getByRole('link', { name: 'nadia' }).waitFor()
    await page.getByRole('searchbox').fill('nobody like this')
    await page.getByText('No matching users').waitFor()
  })

  test('are created with a password link that is shown once', async () => {
    const page = await web.open('/-/admin/users/new', { as: web.server.admin, expects: /409/ })
    await page.getByLabel('Name', { exact: true }).fill('Wei')
    await page.getByLabel('Username').fill('nadia')
    await page.getByLabel('E-mail address').fill('wei@example.test')
    await page.getByRole('button', { name: 'Create user' }).click()
    await page.getByRole('alert').waitFor()
    await page.getByLabel('Username').fill('wei')
    await page.getByRole('button', { name: 'Create user' }).click()
    const dialog = page.getByRole('dialog', { name: 'Password reset link' })
    const address = await dialog.getByText('/-/password#').innerText()
    expect(await accessProblems(page)).toEqual([])
    await dialog.getByRole('button', { name: 'Copy link' }).click()
    expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(address)
    await dialog.getByRole('button', { name: 'Done' }).click()
    await page.getByRole('heading', { level: 1, name: 'Wei' }).waitFor()

    const token = address.slice(address.indexOf('#') + 1)
    expect((await web.server.anonymous.post('//-/password', { token, password: 'a long password' })).status).toBe(201)
    const signedIn = await web.server.anonymous.post('//-/sessions', { login: 'wei', password: 'a long password' })
    expect(signedIn.status).toBe(201)
  })

  test('that are placeholders of an import can be assigned to a person', async () => {
    const placeholder = await web.server.admin.post('/users', {
      username: 'lin-old',
      name: 'Lin of the source',
      email: `user-${Date.now()}@placeholder.invalid`,
      force_random_password: true,
    })
    const person = await web.server.user('lin')
    const project = await web.server.project('acme/imported')
    await web.server.admin.post(`/projects/${project.id}/members`, { user_id: placeholder.body.id, access_level: 30 })
    const page = await web.open(`/-/admin/users/${person.user?.id}`, { as: web.server.admin })
    await page.getByRole('heading', { name: 'Account' }).waitFor()
    expect(await page.getByRole('button', { name: 'Assign to a user…' }).count()).toBe(0)
    await visit(page, `/-/admin/users/${placeholder.body.id}`)
    await page.getByRole('button', { name: 'Assign to a user…' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByRole('searchbox', { name: 'Search users' }).fill('lin')
    const found = dialog.getByRole('list', { name: 'Matching users' }).getByRole('button')
    await expect.poll(() => found.count()).toBe(1)
    await found.click()
    await dialog.getByText('Memberships in groups and projects').waitFor()
    expect(await accessProblems(page)).toEqual([])
    await dialog.getByRole('button', { name: 'Assign', exact: true }).click()
    await page.waitForURL(`**/-/admin/users/${person.user?.id}`)
    await page.getByText(/^Placeholder assigned to /).waitFor()
    const { body: member } = await web.server.admin.get(`/projects/${project.id}/members/${person.user?.id}`)
    expect(member).toMatchObject({ access_level: 30 })
    expect((await web.server.admin.get(`/users/${placeholder.body.id}`)).status).toBe(404)
  })

  test('can be edited, blocked, unblocked and deleted', async () => {
    const someone = await web.server.user('zoe')
    const page = await web.open(`/-/admin/users/${someone.user?.id}`, { as: web.server.admin, height: 1900 })
    await page.getByLabel('Note').fill('On leave until May.')
    await page.getByRole('checkbox', { name: 'Administrator' }).check()
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('Account updated.').waitFor()
    const { body } = await web.server.admin.get(`/users/${someone.user?.id}`)
    expect(body).toMatchObject({ note: 'On leave until May.', is_admin: true, username: 'zoe' })

    await page.getByRole('button', { name: 'Block' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Block' }).click()
    await page.getByRole('button', { name: 'Unblock' }).click()
    await page.getByText('User unblocked.').waitFor()
    await page.getByRole('button', { name: 'Deactivate' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Deactivate' }).click()
    await page.getByRole('button', { name: 'Activate', exact: true }).click()
    await page.getByText('User activated.').waitFor()
    await page.getByRole('button', { name: 'Ban' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Ban' }).click()
    await page.getByRole('button', { name: 'Unban' }).waitFor()

    await page.getByRole('button', { name: 'Delete' }).click()
    const dialog = page.getByRole('dialog')
    await expect.poll(() => dialog.getByRole('button', { name: 'Delete permanently' }).isDisabled()).toBe(true)
    await dialog.getByLabel('Type zoe to confirm').fill('zoe')
    await dialog.getByRole('button', { name: 'Delete permanently' }).click()
    await page.getByRole('heading', { level: 1, name: 'Users' }).waitFor()
    expect((await web.server.admin.get(`/users/${someone.user?.id}`)).status).toBe(404)
  })

  test('can be given tokens, which are shown once and can be revoked', async () => {
    const someone = await web.server.user('tokened')
    const page = await web.open(`/-/admin/users/${someone.user?.id}`, { as: web.server.admin })
    await page.getByRole('button', { name: 'Create token' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Name').fill('nightly run')
    await dialog.getByLabel('read_api').check()
    await dialog.getByRole('button', { name: 'Create token' }).click()
    await page.getByRole('dialog', { name: 'Token nightly run created' }).waitFor()
    const secret = await page
      .getByRole('dialog')
      .getByText(/^[\w-]{20,}$/)
      .innerText()
    await page.getByRole('button', { name: 'Done' }).click()
    const { body } = await web.server.anonymous.get('/user', { headers: { 'private-token': secret } })
    expect(body.username).toBe('tokened')

    await page.getByRole('button', { name: 'Revoke nightly run' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click()
    await page.getByText('Token revoked.').waitFor()
    expect((await web.server.anonymous.get('/user', { headers: { 'private-token': secret } })).status).toBe(401)
  })
})

test('tokens of all users can be filtered by user and state', async () => {
  const someone = await web.server.user('keyholder')
  await web.server.client(someone, { scopes: ['read_api'] })
  const page = await web.open('/-/admin/tokens', { as: web.server.admin })
  await page.getByRole('link', { name: 'keyholder' }).first().waitFor()
  await page.getByRole('searchbox', { name: 'Username' }).fill('keyholder')
  await page.waitForURL(/user=keyholder/)
  await quiet(page)
  await expect.poll(() => page.getByRole('row').count()).toBe(3)
  await page.getByLabel('Status').selectOption('revoked')
  await page.getByText('No matching tokens').waitFor()
  await page.getByRole('searchbox', { name: 'Username' }).fill('keyhol')
  await page.getByText('No user named “keyhol”').waitFor()
})

describe('jobs in the admin area', () => {
  const work = (isBroken: boolean) =>
    jobKind<{ text: string }>({
      kind: 'counting',
      concurrency: 1,
      maxAttempts: 1,
      async run(_deps, job) {
        await job.progress(1, 4)
        if (isBroken) throw new Error(`${job.payload.text} is broken`)
      },
    })

  test('show error and progress after a failure, can be retried, and update automatically', async () => {
    const id = await enqueue(web.server.deps, { kind: 'counting', payload: { text: 'it' } })
    await runDueJobs(web.server.deps, [work(true)])
    const page = await web.open('/-/admin/jobs?state=failed', { as: web.server.admin, width: 360 })
    const row = page.getByRole('row', { name: /Counting/ })
    await expect.poll(() => row.innerText()).toContain('it is broken')
    await expect.poll(() => row.innerText()).toContain('1 of 4')
    expect(await accessProblems(page)).toEqual([])
    expect(await scrollsSideways(page)).toBe(false)
    await page.getByRole('link', { name: 'Overview' }).click()
    await page.getByText('1 job failed permanently, most recently just now: it is broken').waitFor()
    await page.getByRole('link', { name: '1 job', exact: true }).click()
    await page.getByRole('button', { name: `Run again job ${id}` }).click()
    await page.getByText('No failed jobs.').waitFor()
    await page.getByLabel('Status').selectOption('')
    await row.getByText('Pending').waitFor()
    expect(new URL(page.url()).search).toBe('')
    await runDueJobs(web.server.deps, [work(false)])
    await row.getByText('Finished').waitFor()
    await page.getByRole('link', { name: 'Overview' }).click()
    await page.getByText('Background jobs are running normally.').waitFor()
  })

  test('that are scheduled can be run at once', async () => {
    const id = await enqueue(web.server.deps, { kind: 'later', payload: {}, runAt: '2999-01-01T00:00:00.000Z' })
    const page = await web.open('/-/admin/jobs', { as: web.server.admin })
    await page.getByRole('button', { name: `Run now job ${id}` }).click()
    await page.getByText('Job queued again.').waitFor()
    await page.getByRole('button', { name: `Run now job ${id}` }).waitFor({ state: 'detached' })
  })
})

test('storage lists the owners that use most', async () => {
  const page = await web.open('/-/admin/storage', { as: web.server.admin })
  await page.getByRole('link', { name: 'acme/shop' }).waitFor()
  await expect.poll(() => page.getByRole('row', { name: /acme\/shop/ }).innerText()).toContain('12 bytes')
})

test('settings are shown with their variables and without secrets', async () => {
  const page = await web.open('/-/admin/settings', { as: web.server.admin, width: 360, theme: 'dark' })
  const text = await main(page).innerText()
  expect(text).toContain('ALCOVE_MAX_UPLOAD_MIB')
  expect(text).toContain('Set (hidden)')
  expect(text).not.toContain(web.server.admin.token ?? '')
  expect(await accessProblems(page)).toEqual([])
  expect(await scrollsSideways(page)).toBe(false)
})

test('organizations can be created', async () => {
  const page = await web.open('/-/admin/organizations', { as: web.server.admin })
  await page.getByRole('button', { name: 'New organization' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Name').fill('Annex')
  await dialog.getByLabel('Path').fill('annex')
  await dialog.getByRole('button', { name: 'Create organization' }).click()
  await page.getByRole('row', { name: /Annex/ }).waitFor()
  expect((await web.server.admin.get('/organizations')).body).toHaveLength(2)
})
