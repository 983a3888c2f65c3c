/// <reference lib="dom" />
import type { Locator, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Client } from '../../server/src/testing/client.ts'
import type { TestProject } from '../../server/src/testing/server.ts'
import { startSmtp } from '../../server/src/testing/stand-ins/smtp.ts'
import { accessProblems, dialogs, startWeb, type Web } from './web.ts'

let web: Web
let shop: TestProject
let maintainer: Client
beforeAll(async () => {
  web = await startWeb()
  shop = await web.server.project('acme/shop')
  maintainer = await web.server.as('maintainer', shop)
})
afterAll(() => web?.close())

const members = '/acme/shop/-/members'
const fits = (page: Page) => page.evaluate(() => document.documentElement.scrollWidth <= innerWidth)
const pending = (page: Page): Locator => page.getByRole('region', { name: 'Pending invitations' })
const copied = (page: Page) => page.evaluate(() => navigator.clipboard.readText())
const openLink = (link: string) => web.server.anonymous.post('//-/invitations/open', { token: link.split('#')[1] })
const invited = async (email: string) =>
  (await web.server.admin.get(`/projects/${shop.id}/invitations?query=${email}`)).body[0]

/** Invites an address over the API and returns its link. */
async function invite(email: string, more: object = {}, by = maintainer): Promise<string> {
  const terms = { email, access_level: 30, show_links: true, ...more }
  const { status, body } = await by.post(`/projects/${shop.id}/invitations`, terms)
  expect(status).toBe(201)
  return `${web.origin}/-/invitation#${body.links[email].token}`
}

async function openForm(page: Page) {
  await page.getByRole('button', { name: 'Invite', exact: true }).click()
  const dialog = page.getByRole('dialog')
  return {
    dialog,
    field: dialog.getByRole('combobox', { name: 'E-mail addresses or users' }),
    send: dialog.getByRole('button', { name: 'Invite', exact: true }),
  }
}

async function choose(page: Page, email: string, action: string): Promise<void> {
  await page.getByRole('button', { name: `Actions for ${email}` }).click()
  await page.getByRole('menuitem', { name: action }).click()
}

describe('the form for invitations', () => {
  test('shows the link of an address once, and adds a user without a reload, with the keyboard alone', async () => {
    await web.server.user('nadia')
    const page = await web.open(members, { as: maintainer })
    await page.getByRole('button', { name: 'Invite', exact: true }).focus()
    await page.keyboard.press('Enter')
    const dialog = page.getByRole('dialog')
    const field = dialog.getByRole('combobox', { name: 'E-mail addresses or users' })
    await field.and(page.locator(':focus')).waitFor()
    await page.keyboard.type('new@example.test')
    await page.getByRole('option', { name: 'Invite new@example.test' }).waitFor()
    expect(await accessProblems(page)).toEqual([])
    await page.keyboard.press('Enter')
    await dialog.getByRole('button', { name: 'Remove new@example.test' }).waitFor()
    await page.keyboard.type('nadia')
    await page.getByRole('option', { name: /@nadia/ }).waitFor()
    await page.keyboard.press('Enter')
    await dialog.getByLabel('Role').selectOption('Reporter')
    await dialog.getByLabel('Expiration date').fill('2099-12-31')
    await dialog.getByRole('button', { name: 'Invite', exact: true }).focus()
    await page.keyboard.press('Enter')

    await dialog.getByRole('heading', { name: 'Invitation created' }).waitFor()
    await dialog.getByText('Single use. Expires in 7 days.').waitFor()
    await dialog.getByText('Added as members: nadia.').waitFor()
    await dialog.getByRole('region', { name: 'Invitation links' }).and(page.locator(':focus')).waitFor()
    expect(await accessProblems(page)).toEqual([])
    await dialog.getByRole('button', { name: 'Copy link' }).click()
    await dialog.getByRole('button', { name: 'Copied' }).waitFor()
    const link = await copied(page)
    expect(link.startsWith(`${web.origin}/-/invitation#`)).toBe(true)
    expect(await openLink(link)).toMatchObject({
      status: 200,
      body: { invite_email: 'new@example.test', access_level: 20, expires_at: '2099-12-31' },
    })
    await dialog.getByRole('button', { name: 'Done' }).click()
    await page.getByRole('button', { name: 'Invite', exact: true }).and(page.locator(':focus')).waitFor()

    await page
      .getByRole('region', { name: 'Members' })
      .getByRole('row', { name: /@nadia Reporter/ })
      .waitFor()
    const row = pending(page).getByRole('row', { name: /new@example.test/ })
    for (const cell of ['Reporter', maintainer.user?.name ?? '', '31 Dec 2099', 'Expires in 7 days']) {
      expect(await row.innerText()).toContain(cell)
    }
    expect(await page.content()).not.toContain(link.split('#')[1])
  })

  test('takes several pasted addresses, one of them a user, and copies all links', async () => {
    await web.server.user('lena')
    const page = await web.open(members, { as: maintainer, theme: 'dark', width: 360 })
    const { dialog, field, send } = await openForm(page)
    await field.fill('one@example.test, two@example.test; lena@example.test three@example.test')
    expect(await dialog.getByRole('button', { name: /^Remove / }).count()).toBe(3)
    expect(await field.inputValue()).toBe('three@example.test')
    await send.click()
    await dialog.getByRole('heading', { name: 'Invitations created' }).waitFor()
    await dialog.getByText('Added as members: lena@example.test.').waitFor()
    expect(await accessProblems(page)).toEqual([])
    expect(await fits(page)).toBe(true)
    await dialog.getByRole('button', { name: 'Copy all' }).click()
    await dialog.getByRole('button', { name: 'Copied' }).waitFor()
    const lines = (await copied(page)).trimEnd().split('\n')
    expect(lines.map((line) => line.split(' ')[0])).toEqual([
      'one@example.test',
      'two@example.test',
      'three@example.test',
    ])
  })

  test('only adds users who have an account, without a link', async () => {
    await web.server.user('omar')
    const page = await web.open(members, { as: maintainer })
    const { dialog, field, send } = await openForm(page)
    await field.fill('omar@example.test')
    await send.click()
    await page.getByText('1 member added.').waitFor()
    await dialog.waitFor({ state: 'detached' })
    await page.getByRole('row', { name: /@omar Developer/ }).waitFor()
  })

  test('explains in plain language why an address cannot be invited, and keeps it', async () => {
    const pia = await web.server.user('pia')
    await web.server.admin.post(`/projects/${shop.id}/members`, { user_id: pia.user?.id, access_level: 20 })
    await invite('twice@example.test')
    const page = await web.open(members, { as: maintainer, expects: /400/ })
    const { dialog, field, send } = await openForm(page)
    await send.click()
    await dialog.getByText('Enter at least one e-mail address, or choose a user.').waitFor()
    await field.fill('no address')
    await send.click()
    await dialog.getByText('Enter a complete e-mail address, or choose a user from the list.').waitFor()
    expect(await field.inputValue()).toBe('no address')
    await field.fill('pia@example.test, twice@example.test')
    await send.click()
    const alert = dialog.getByRole('alert')
    await alert.getByText('pia@example.test: is already a member.').waitFor()
    await alert.getByText('twice@example.test: is already invited;').waitFor()
    expect(await dialog.getByRole('button', { name: /^Remove / }).count()).toBe(2)
    // The others are invited all the same.
    await field.fill('fresh@example.test')
    await send.click()
    await dialog.getByRole('region', { name: 'fresh@example.test' }).waitFor()
    await dialog.getByText('twice@example.test: is already invited;').waitFor()
  })
})

describe('pending invitations', () => {
  test('get another role or expiration date, a new link, and are revoked', async () => {
    const email = 'jan+1@example.test'
    const former = await invite(email)
    const page = await web.open(`${members}?search=jan`, { as: maintainer, width: 360 })
    expect(await fits(page)).toBe(true)
    const dialog = page.getByRole('dialog')
    await choose(page, email, 'Edit')
    await dialog.getByLabel('Role').selectOption('Guest')
    await dialog.getByLabel('Expiration date').fill('2099-01-02')
    await dialog.getByRole('button', { name: 'Save' }).click()
    await page.getByText(`Invitation of ${email} updated.`).waitFor()
    await pending(page).getByText('2 Jan 2099').waitFor()
    expect((await openLink(former)).body).toMatchObject({ access_level: 10, expires_at: '2099-01-02' })

    await choose(page, email, 'Create new link')
    await dialog.getByText('The former link stops working.').waitFor()
    await dialog.getByRole('button', { name: 'Create link' }).click()
    await dialog.getByRole('button', { name: 'Copy link' }).click()
    await dialog.getByRole('button', { name: 'Copied' }).waitFor()
    expect(await accessProblems(page, dialogs)).toEqual([])
    const [before, after] = [await openLink(former), await openLink(await copied(page))]
    expect([before.status, after.status]).toEqual([404, 200])
    await dialog.getByRole('button', { name: 'Done' }).click()

    await choose(page, email, 'Revoke')
    await dialog.getByRole('button', { name: 'Revoke' }).click()
    await page.getByText(`Invitation of ${email} revoked.`).waitFor()
    await expect.poll(() => pending(page).count()).toBe(0)
    expect(await invited('jan')).toBeUndefined()
  })

  test('become members on the open page when they are accepted elsewhere', async () => {
    const ines = await web.server.user('ines')
    const link = await invite('ines-2@example.test')
    const page = await web.open('/', { as: maintainer, isChanged: true })
    await page.clock.install()
    await page.goto(`${members}?search=ines`)
    await pending(page).getByText('ines-2@example.test').waitFor()
    const other = await web.open(new URL(link).pathname + new URL(link).hash, { as: ines })
    await other.getByRole('button', { name: 'Accept invitation' }).click()
    await other.waitForURL('**/acme/shop')
    await page.clock.runFor(31_000)
    await page.getByRole('row', { name: /@ines Developer/ }).waitFor()
    await expect.poll(() => pending(page).count()).toBe(0)
  })

  test('are listed on pages of their own', async () => {
    const group = (await web.server.admin.post('/groups', { name: 'Many', path: 'many' })).body
    const emails = Array.from({ length: 21 }, (_, index) => `p${String(index).padStart(2, '0')}@example.test`)
    await web.server.admin.post(`/groups/${group.id}/invitations`, { email: emails.join(), access_level: 20 })
    const page = await web.open('/groups/many/-/members', { as: web.server.admin })
    const rows = pending(page).getByRole('row', { name: /@example.test/ })
    expect(await rows.count()).toBe(20)
    await pending(page).getByRole('button', { name: 'Next' }).click()
    await expect.poll(() => rows.count()).toBe(1)
    expect(new URL(page.url()).search).toBe('?invitations=2')
    expect(await accessProblems(page)).toEqual([])
    const last = (await rows.innerText()).split(/\s/)[0] ?? ''
    await choose(page, last, 'Revoke')
    await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click()
    await expect.poll(() => rows.count()).toBe(20)
    expect(new URL(page.url()).search).toBe('')
  })
})

describe('a user without the right to invite', () => {
  test('sees neither the form nor the invitations', async () => {
    await invite('hidden@example.test')
    for (const role of ['developer', 'guest'] as const) {
      const page = await web.open(members, { as: await web.server.as(role, shop) })
      await page.getByRole('region', { name: 'Members' }).waitFor()
      expect(await page.getByRole('button', { name: 'Invite', exact: true }).count()).toBe(0)
      expect(await pending(page).count()).toBe(0)
    }
  })

  test('cannot change an invitation above their role, or any with a read-only token', async () => {
    const owner = await web.server.as('owner', shop)
    await invite('chief@example.test', { access_level: 50 }, owner)
    await invite('worker@example.test')
    const actions = (page: Page, email: string) => page.getByRole('button', { name: `Actions for ${email}` })
    const page = await web.open(members, { as: maintainer })
    await actions(page, 'worker@example.test').waitFor()
    await pending(page).getByText('chief@example.test').waitFor()
    expect(await actions(page, 'chief@example.test').count()).toBe(0)

    const { body } = await web.server.admin.post(`/users/${maintainer.user?.id}/personal_access_tokens`, {
      name: 'reads',
      scopes: ['read_api'],
    })
    const reading = await web.open(members, { as: { ...maintainer, token: body.token } })
    await pending(reading).getByText('worker@example.test').waitFor()
    expect(await actions(reading, 'worker@example.test').count()).toBe(0)
    expect(await reading.getByRole('button', { name: 'Invite', exact: true }).count()).toBe(0)
  })

  test('of a group is its maintainer; its owner has it', async () => {
    const group = (await web.server.admin.post('/groups', { name: 'Crew', path: 'crew' })).body
    const [tomas, uma] = [await web.server.user('tomas'), await web.server.user('uma')]
    await web.server.admin.post(`/groups/${group.id}/members`, { user_id: tomas.user?.id, access_level: 40 })
    await web.server.admin.post(`/groups/${group.id}/members`, { user_id: uma.user?.id, access_level: 50 })
    await web.server.admin.post(`/groups/${group.id}/invitations`, { email: 'g@example.test', access_level: 20 })
    const outside = await web.open('/groups/crew/-/members', { as: tomas })
    await outside.getByRole('row', { name: /@uma/ }).waitFor()
    expect(await outside.getByRole('button', { name: 'Invite', exact: true }).count()).toBe(0)
    expect(await pending(outside).count()).toBe(0)

    const page = await web.open('/groups/crew/-/members', { as: uma })
    await pending(page).getByText('g@example.test').waitFor()
    const { dialog, field, send } = await openForm(page)
    await field.fill('second@example.test')
    await send.click()
    await dialog.getByRole('region', { name: 'second@example.test' }).waitFor()
  })
})

test('with an SMTP server the form and the new link say that the recipient receives an e-mail', async () => {
  const smtp = await startSmtp()
  const arrived = new Promise<string>((resolve) => {
    smtp.atMessage = ({ text }) => {
      resolve(text)
      return 'accept'
    }
  })
  const mailing = await startWeb({ settings: { mail: smtp.settings } })
  try {
    await mailing.server.project('acme/mail')
    const page = await mailing.open('/acme/mail/-/members', { as: mailing.server.admin })
    const { dialog, field, send } = await openForm(page)
    await dialog.getByText('Other addresses receive an e-mail with a link.').waitFor()
    await field.fill('new@example.test')
    await send.click()
    await dialog.getByText('Its recipient receives an e-mail with a link.').waitFor()
    expect(await arrived).toContain('/-/invitation#')
  } finally {
    await mailing.close()
  }
})
