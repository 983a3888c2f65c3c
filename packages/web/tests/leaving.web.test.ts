/// <reference lib="dom" />
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Client } from '../../server/src/testing/client.ts'
import type { TestProject } from '../../server/src/testing/server.ts'
import { quiet, startWeb, type Web } from './web.ts'

let web: Web
let project: TestProject
beforeAll(async () => {
  web = await startWeb()
  project = await web.server.project('acme/secret')
})
afterAll(() => web?.close())

const password = 'correct horse battery'
const main = (page: Page) => page.getByRole('main').innerText()
const member = async (client: Client) => {
  await web.server.admin.post(`/projects/${project.id}/members`, { user_id: client.user?.id, access_level: 40 })
}

async function signIn(page: Page, name: string): Promise<void> {
  await page.getByLabel('Username').fill(name)
  await page.getByLabel('Password').fill(password)
  await page.getByRole('main').getByRole('button', { name: 'Sign in', exact: true }).click()
  await page.getByRole('button', { name: `${name}: account and appearance` }).waitFor()
  await quiet(page)
}

describe('data and drafts of a user', () => {
  test('are hidden from the next user in the same tab, who returns to the previous page', async () => {
    const first = await web.server.user('first-here')
    await member(first)
    await web.server.user('second-here')
    const page = await web.open('/-/sign_in?to=/acme/secret/-/uploads/pad', { expects: /40[14]/ })
    await signIn(page, 'first-here')
    await page.getByRole('textbox', { name: 'Markdown' }).fill('My draft')
    await page.context().clearCookies()
    await page.getByRole('link', { name: 'Overview' }).click()
    await page.getByRole('banner').getByRole('link', { name: 'Sign in' }).waitFor()
    await quiet(page)
    expect(await main(page)).not.toContain('secret')

    await page.getByRole('banner').getByRole('link', { name: 'Sign in' }).click()
    await signIn(page, 'second-here')
    expect(new URL(page.url()).pathname).toBe('/acme/secret')
    expect(await main(page)).toContain('Not found')
    await member({ user: (await web.server.admin.get('/users?username=second-here')).body[0] } as Client)
    await page.goto('/acme/secret/-/uploads/pad')
    await expect.poll(() => page.getByRole('textbox', { name: 'Markdown' }).inputValue()).toBe('')
  })

  test('are gone after signing out, even when the browser still shows the page', async () => {
    const leaver = await web.server.user('leaver')
    await member(leaver)
    const page = await web.open('/acme/secret/-/uploads/pad', { as: leaver, expects: /40[14]/ })
    await page.getByRole('textbox', { name: 'Markdown' }).fill('My draft')
    await page.route(`${web.origin}/`, (route) => route.fulfill({ status: 204 })) // so the browser stays where it is
    await page.getByRole('button', { name: /^leaver/ }).click()
    await page.getByRole('button', { name: 'Sign out' }).click()
    await expect.poll(() => page.evaluate(() => document.body.innerText)).toBe('')
    expect(await page.evaluate(() => Object.keys(localStorage))).not.toContainEqual(expect.stringContaining('pad'))
    const reloaded = page.waitForEvent('load')
    await page.evaluate(() => dispatchEvent(new PageTransitionEvent('pageshow', { persisted: true })))
    await reloaded
  })

  test('disappear from all tabs on signing out, and return on signing in', async () => {
    const tabber = await web.server.user('tabber')
    await member(tabber)
    const page = await web.open('/acme/secret', { as: tabber, expects: /40[14]/, isChanged: true })
    const other = await page.context().newPage()
    await other.goto('/acme/secret')
    await other.getByRole('heading', { name: 'Overview' }).waitFor()
    await page.getByRole('button', { name: /^tabber/ }).click()
    await page.getByRole('button', { name: 'Sign out' }).click()
    await page.waitForURL((url) => url.pathname !== '/acme/secret')
    await other.getByRole('banner').getByRole('link', { name: 'Sign in' }).waitFor()
    await other.getByRole('heading', { name: 'Not found' }).waitFor()
    expect(await other.evaluate(() => document.body.innerText)).not.toContain('tabber')

    await page.goto('/-/sign_in')
    await signIn(page, 'tabber')
    await other.getByRole('heading', { name: 'Overview' }).waitFor()
  })

  test('disappear on the next action after the membership or the project ends', async () => {
    const ending = await web.server.user('ending')
    const brief = await web.server.project('acme/brief')
    const members = `/projects/${brief.id}/members`
    await web.server.admin.post(members, { user_id: ending.user?.id, access_level: 40 })
    const page = await web.open('/acme/brief/-/settings', { as: ending, expects: /404/ })
    await page.getByLabel('Name', { exact: true }).fill('Renamed')
    await web.server.admin.delete(`${members}/${ending.user?.id}`)
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    await page.getByRole('heading', { name: 'Not found', level: 1 }).waitFor()
    expect(await main(page)).not.toContain('brief')

    await web.server.admin.post(members, { user_id: ending.user?.id, access_level: 40 })
    await page.goto('/acme/brief/-/members')
    await page.getByRole('button', { name: 'Actions for ending' }).click()
    await page.getByRole('menuitem', { name: 'Leave' }).click()
    await web.server.admin.delete(`/projects/${brief.id}`)
    await page.getByRole('dialog').getByRole('button', { name: 'Leave' }).click()
    await page.getByRole('heading', { name: 'Not found', level: 1 }).waitFor()
  })

  test('disappear on the next action after the user is blocked or signed out elsewhere', async () => {
    const blocked = await web.server.user('blocked-soon')
    await member(blocked)
    const page = await web.open('/acme/secret', { as: blocked, expects: /40[134]/ })
    expect(await main(page)).toContain('secret')
    await web.server.admin.post(`/users/${blocked.user?.id}/block`)
    await page.getByRole('button', { name: /^Star/ }).click()
    await page.getByRole('banner').getByRole('link', { name: 'Sign in' }).waitFor()
    await quiet(page)
    expect(await main(page)).not.toContain('secret')
  })
})

test('an old path redirects with its subpath and query', async () => {
  await web.server.project('g/old')
  const group = (await web.server.admin.get('/groups/g')).body
  await web.server.admin.put(`/groups/${group.id}`, { path: 'later' })
  const page = await web.open('/g/old/-/vulnerabilities?severity=high', { as: web.server.admin })
  await expect.poll(() => page.url()).toBe(`${web.origin}/later/old/-/vulnerabilities?severity=high`)
  await page.goto('/groups/g/-/members?search=x')
  await expect.poll(() => page.url()).toBe(`${web.origin}/groups/later/-/members?search=x`)
  await page.goto('/g?search=x')
  await expect.poll(() => page.url()).toBe(`${web.origin}/groups/later?search=x`)
})

test('the sign-in link returns to the current search', async () => {
  const page = await web.open('/explore/projects?search=shop')
  await page.getByRole('banner').getByRole('link', { name: 'Sign in' }).click()
  expect(new URL(page.url()).searchParams.get('to')).toBe('/explore/projects?search=shop')
})
