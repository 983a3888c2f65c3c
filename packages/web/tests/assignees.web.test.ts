/// <reference lib="dom" />
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Client } from '../../server/src/testing/client.ts'
import type { TestProject } from '../../server/src/testing/server.ts'
import { fill, grid, row } from './vulnerabilities.ts'
import { startWeb, type Web } from './web.ts'

let web: Web
beforeAll(async () => {
  web = await startWeb()
})
afterAll(() => web?.close())

let number = 0
/** Creates a project with three unassigned vulnerabilities and two maintainers. */
async function projectOfTwo(): Promise<{
  project: TestProject
  ada: Client
  bob: Client
  ids: number[]
  list: string
}> {
  const path = `acme/assigned-${++number}`
  const project = await web.server.project(path)
  await fill(web, project, [
    { title: 'Three', severity: 'low' },
    { title: 'Two', severity: 'medium' },
    { title: 'One', severity: 'high' },
  ])
  const [ada, bob] = [await web.server.as('maintainer', project), await web.server.as('maintainer', project)]
  const { body } = await web.server.admin.get(`/projects/${project.id}/vulnerabilities`)
  return { project, ada, bob, ids: body.map(({ id }: { id: number }) => id), list: `/${path}/-/vulnerabilities` }
}

const assigneeOf = async (id: number | undefined) =>
  (await web.server.admin.get(`/vulnerabilities/${id}`)).body.assignee?.id ?? null

describe('the assignee on the page of a vulnerability', () => {
  test('is the current user with one press, another member, or none', async () => {
    const { ada, bob, ids, list } = await projectOfTwo()
    const page = await web.open(`${list}/${ids[0]}`, { as: ada })
    const details = page.getByRole('region', { name: 'Details' })
    await details.getByText('Unassigned').waitFor()
    await details.getByRole('button', { name: 'Assign to me' }).click()
    await expect.poll(() => assigneeOf(ids[0])).toBe(ada.user?.id)
    await details.getByText(ada.user?.name ?? '', { exact: true }).waitFor()
    await details.getByRole('button', { name: 'Change assignee' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Assignee').selectOption(`${bob.user?.id}`)
    await dialog.getByRole('button', { name: 'Save' }).click()
    await expect.poll(() => assigneeOf(ids[0])).toBe(bob.user?.id)
    await page.getByText(`reassigned from ${ada.user?.username} to ${bob.user?.username}`).waitFor()
    await details.getByRole('button', { name: 'Change assignee' }).click()
    await dialog.getByLabel('Assignee').selectOption('Unassigned')
    await dialog.getByRole('button', { name: 'Save' }).click()
    await expect.poll(() => assigneeOf(ids[0])).toBe(null)
  })

  test('can be read, but not changed, by developers', async () => {
    const { project, ada, ids, list } = await projectOfTwo()
    await ada.put(`/vulnerabilities/${ids[0]}/assignee`, { assignee_id: ada.user?.id })
    const page = await web.open(`${list}/${ids[0]}`, { as: await web.server.as('developer', project) })
    const details = page.getByRole('region', { name: 'Details' })
    await details.getByText(ada.user?.name ?? '', { exact: true }).waitFor()
    expect(await details.getByRole('button', { name: /assign/i }).count()).toBe(0)
  })
})

describe('the list of vulnerabilities', () => {
  test('assigns the active row with a key, and undoes it', async () => {
    const { ada, ids, list } = await projectOfTwo()
    const page = await web.open(list, { as: ada })
    await row(page, 'One').waitFor()
    await page.keyboard.press('a')
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Assignee').selectOption(`${ada.user?.id}`)
    await dialog.getByRole('button', { name: 'Assign' }).click()
    await expect.poll(() => assigneeOf(ids[0])).toBe(ada.user?.id)
    await expect.poll(() => row(page, 'One').innerText()).toContain(ada.user?.name)
    await dialog.waitFor({ state: 'hidden' })
    await page.keyboard.press('z')
    await expect.poll(() => assigneeOf(ids[0])).toBe(null)
  })

  test('assigns a selection, and filters by the current user', async () => {
    const { ada, bob, ids, list } = await projectOfTwo()
    const page = await web.open(list, { as: ada })
    await page.getByRole('checkbox', { name: 'Select One' }).check()
    await page.getByRole('checkbox', { name: 'Select Three' }).check()
    await page.getByRole('button', { name: 'Assign', exact: true }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Assignee').selectOption(`${ada.user?.id}`)
    await dialog.getByRole('button', { name: 'Assign' }).click()
    await expect
      .poll(async () => [await assigneeOf(ids[0]), await assigneeOf(ids[2])])
      .toEqual([ada.user?.id, ada.user?.id])
    await dialog.waitFor({ state: 'hidden' })
    await page.getByRole('button', { name: /^Assignee/ }).click()
    await page.getByRole('menuitemcheckbox', { name: 'Assigned to me' }).click()
    await page.keyboard.press('Escape')
    await expect.poll(() => grid(page).getByRole('link').allInnerTexts()).toEqual(['One', 'Three'])
    expect(new URL(page.url()).searchParams.get('assignee_id')).toBe('me')
    const ofBob = await web.open(`${list}?assignee_id=me`, { as: bob })
    await ofBob.getByText('No vulnerabilities match these filters.').waitFor()
    const ofAda = await web.open(`${list}?assignee_id=${ada.user?.id}`, { as: bob })
    await expect.poll(() => grid(ofAda).getByRole('link').allInnerTexts()).toEqual(['One', 'Three'])
    await ofAda.getByRole('button', { name: `Remove filter Assignee: User ${ada.user?.id}` }).waitFor()
  })
})
