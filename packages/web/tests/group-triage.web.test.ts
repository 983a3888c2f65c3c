/// <reference lib="dom" />
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { TestProject } from '../../server/src/testing/server.ts'
import { fill, grid, row } from './vulnerabilities.ts'
import { startWeb, type Web } from './web.ts'

let web: Web
beforeAll(async () => {
  web = await startWeb()
})
afterAll(() => web?.close())

const messages = (page: Page) => page.getByRole('region', { name: 'Messages' })

let number = 0
/** Creates a group with a project in which the user may triage and one in which they may only read. */
async function arrange() {
  const path = `team-${++number}`
  const own = await web.server.project(`${path}/own`)
  const other = await web.server.project(`${path}/other`)
  const readable = await web.server.project(`${path}/readable`)
  await fill(web, own, [{ title: 'Own one' }, { title: 'Own two' }])
  await fill(web, other, [{ title: 'Other' }])
  await fill(web, readable, [{ title: 'Readable' }])
  const user = await web.server.user(`${path}-user`)
  for (const [project, level] of [
    [own, 40],
    [other, 40],
    [readable, 30],
  ] as const) {
    await web.server.admin.post(`/projects/${project.id}/members`, { user_id: user.user?.id, access_level: level })
  }
  const statesOf = async (project: TestProject) => {
    const { body } = await web.server.admin.get(`/projects/${project.id}/vulnerabilities`)
    return body.map(({ state }: { state: string }) => state)
  }
  const states = async () => [...(await statesOf(own)), ...(await statesOf(other)), ...(await statesOf(readable))]
  return { path, user, states }
}

describe.each(['group', 'instance'])('the list of the %s', (kind) => {
  const addressOf = (path: string) => (kind === 'group' ? `/groups/${path}/-/vulnerabilities` : '/-/vulnerabilities')

  test('changes everything that matches where the user may triage, names the rest first, and can be undone', async () => {
    const { path, user, states } = await arrange()
    const page = await web.open(`${addressOf(path)}?state=any`, { as: user })
    await page.getByLabel('Select all matching').check()
    await page.getByText('All matching selected: 4 vulnerabilities').waitFor()
    await grid(page).focus()
    await page.keyboard.press('c')
    const dialog = page.getByRole('dialog', { name: 'Confirm: 4 vulnerabilities' })
    await dialog
      .getByText('Changes 3 vulnerabilities in 2 projects. Skips 1 project where you cannot triage:')
      .waitFor()
    await dialog.getByText(`${path}/readable: 1 vulnerability`).waitFor()
    await dialog.getByRole('button', { name: 'Confirm' }).click()
    await messages(page).getByText('3 confirmed. 1 skipped in 1 project where you cannot triage.').waitFor()
    expect(await states()).toEqual(['confirmed', 'confirmed', 'confirmed', 'detected'])
    await expect.poll(() => row(page, 'Other').innerText()).toContain('Confirmed')
    await grid(page).focus()
    await page.keyboard.press('z')
    await messages(page).getByText('3 reverted.').waitFor()
    expect(await states()).toEqual(['detected', 'detected', 'detected', 'detected'])
  })

  test('offers no triage for rows of a project in which the user may not triage', async () => {
    const { path, user } = await arrange()
    const page = await web.open(`${addressOf(path)}?state=any`, { as: user })
    await expect.poll(() => row(page, 'Readable').getByRole('checkbox').isDisabled()).toBe(true)
    expect(await row(page, 'Other').getByRole('checkbox').isDisabled()).toBe(false)
    await row(page, 'Readable').click({ position: { x: 2, y: 2 } })
    await page.getByText('You cannot triage in this project.').waitFor()
    expect(await page.getByRole('button', { name: 'Resolve', exact: true }).count()).toBe(0)
  })

  test('changes selected rows of several projects at once', async () => {
    const { path, user, states } = await arrange()
    const page = await web.open(`${addressOf(path)}?state=any`, { as: user })
    for (const title of ['Own two', 'Other']) await row(page, title).getByRole('checkbox').check()
    await page.getByRole('button', { name: 'Resolve', exact: true }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Resolve' }).click()
    await messages(page).getByText('2 resolved.').waitFor()
    expect((await states()).toSorted()).toEqual(['detected', 'detected', 'resolved', 'resolved'])
    await messages(page).getByRole('button', { name: 'Undo' }).click()
    await messages(page).getByText('2 reverted.').waitFor()
    expect(await states()).toEqual(['detected', 'detected', 'detected', 'detected'])
  })
})

test('the lists of groups and of the instance offer no triage to users who may triage nowhere', async () => {
  const { path } = await arrange()
  const reader = await web.server.user(`${path}-reader`)
  const { body: group } = await web.server.admin.get(`/groups/${path}`)
  await web.server.admin.post(`/groups/${group.id}/members`, { user_id: reader.user?.id, access_level: 30 })
  for (const address of [`/groups/${path}/-/vulnerabilities`, '/-/vulnerabilities']) {
    const page = await web.open(address, { as: reader })
    await row(page, 'Readable').waitFor()
    expect(await page.getByRole('checkbox').count()).toBe(0)
    expect(await page.getByRole('button', { name: 'Confirm' }).count()).toBe(0)
  }
})
