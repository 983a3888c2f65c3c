/// <reference lib="dom" />
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Client } from '../../server/src/testing/client.ts'
import { fill, grid, row } from './vulnerabilities.ts'
import { startWeb, type Web } from './web.ts'

let web: Web
beforeAll(async () => {
  web = await startWeb()
})
afterAll(() => web?.close())

let number = 0
/** Creates a project with three vulnerabilities, in which a maintainer and a developer are members. */
async function taggedProject() {
  const path = `acme/tagged-${++number}`
  const project = await web.server.project(path)
  await fill(web, project, [
    { title: 'Three', severity: 'low' },
    { title: 'Two', severity: 'medium' },
    { title: 'One', severity: 'high' },
  ])
  const [ada, dev] = [await web.server.as('maintainer', project), await web.server.as('developer', project)]
  const { body } = await web.server.admin.get(`/projects/${project.id}/vulnerabilities`)
  const ids: number[] = body.map(({ id }: { id: number }) => id)
  return { ada, dev, ids, list: `/${path}/-/vulnerabilities` }
}

const tagsOf = async (id: number | undefined): Promise<string[]> =>
  (await web.server.admin.get(`/vulnerabilities/${id}`)).body.tags
const tag = (by: Client, id: number | undefined, ...tags: string[]) => by.put(`/vulnerabilities/${id}/tags`, { tags })
const fits = (page: Page) => page.evaluate(() => document.documentElement.scrollWidth <= innerWidth)

describe('the tags on the page of a vulnerability', () => {
  test('are added with suggestions and removed, with the keyboard alone', async () => {
    const { ada, ids, list } = await taggedProject()
    await tag(ada, ids[1], 'internet-facing', 'pci')
    const page = await web.open(`${list}/${ids[0]}`, { as: ada })
    const details = page.getByRole('region', { name: 'Details' })
    await details.getByRole('button', { name: 'Add tags' }).focus()
    await page.keyboard.press('Enter')
    const dialog = page.getByRole('dialog', { name: 'Add tags' })
    const field = dialog.getByRole('combobox', { name: 'Tags' })
    await expect.poll(() => field.evaluate((input) => input === document.activeElement)).toBe(true)
    await page.keyboard.type('inter')
    await dialog.getByRole('option', { name: 'internet-facing' }).waitFor()
    const highlighted = dialog.locator('[role=option][data-highlighted]')
    await highlighted.filter({ hasText: /^inter$/ }).waitFor()
    await page.keyboard.press('ArrowDown')
    await highlighted.filter({ hasText: 'internet-facing' }).waitFor()
    await page.keyboard.press('Enter')
    await dialog.getByRole('button', { name: 'Remove internet-facing' }).waitFor()
    await page.keyboard.type('owner: ops')
    await highlighted.filter({ hasText: 'owner: ops' }).waitFor()
    await page.keyboard.press('Enter')
    await dialog.getByRole('button', { name: 'Add tags' }).focus()
    await page.keyboard.press('Enter')
    await expect.poll(() => tagsOf(ids[0])).toEqual(['internet-facing', 'owner: ops'])
    await dialog.waitFor({ state: 'hidden' })

    await details.getByRole('button', { name: 'Remove tag owner: ops' }).focus()
    await page.keyboard.press('Enter')
    await expect.poll(() => tagsOf(ids[0])).toEqual(['internet-facing'])
    await details.getByText('owner: ops').waitFor({ state: 'detached' })
  })

  test('take a typed text without a choice, and report a text that the server refuses', async () => {
    const { ada, ids, list } = await taggedProject()
    const page = await web.open(`${list}/${ids[0]}`, { as: ada, expects: /400/ })
    await page.getByRole('button', { name: 'Add tags' }).click()
    const dialog = page.getByRole('dialog')
    const submit = dialog.getByRole('button', { name: 'Add tags' })
    await submit.click()
    await dialog.getByText('Type at least one tag.').waitFor()
    await dialog.getByRole('combobox').fill('x'.repeat(51))
    await submit.click()
    await dialog.getByText(/at most 50 characters/).waitFor()
    await dialog.getByRole('combobox').fill('pci, soc2')
    await submit.click()
    await expect.poll(() => tagsOf(ids[0])).toEqual(['pci', 'soc2'])
  })

  test('can be read, but not changed, by developers', async () => {
    const { ada, dev, ids, list } = await taggedProject()
    await tag(ada, ids[0], 'pci')
    const page = await web.open(`${list}/${ids[0]}`, { as: dev })
    const details = page.getByRole('region', { name: 'Details' })
    await details.getByText('pci', { exact: true }).waitFor()
    expect(await details.getByRole('button', { name: /tag/i }).count()).toBe(0)
  })
})

describe('the list of vulnerabilities', () => {
  test('adds tags to a selection, which can be undone, and removes them', async () => {
    const { ada, ids, list } = await taggedProject()
    const page = await web.open(list, { as: ada })
    const choose = async (label: string) => {
      await page.getByRole('checkbox', { name: 'Select One' }).check()
      await page.getByRole('checkbox', { name: 'Select Three' }).check()
      await page.getByRole('button', { name: 'More actions' }).click()
      await page.getByRole('menuitem', { name: label }).click()
      return page.getByRole('dialog', { name: /2 vulnerabilities$/ })
    }
    const both = async () => [await tagsOf(ids[0]), await tagsOf(ids[1]), await tagsOf(ids[2])]
    const adding = await choose('Add tags…')
    await adding.getByRole('combobox').fill('pci')
    await adding.getByRole('button', { name: 'Add tags' }).click()
    await expect.poll(both).toEqual([['pci'], [], ['pci']])
    await row(page, 'One').getByText('pci').waitFor()
    const messages = page.getByRole('region', { name: 'Messages' })
    await messages.getByText('2 tagged.').waitFor()
    await messages.getByRole('button', { name: 'Undo' }).click()
    await expect.poll(both).toEqual([[], [], []])

    await tag(ada, ids[0], 'pci', 'soc2')
    const removing = await choose('Remove tags…')
    await removing.getByRole('combobox').fill('PCI')
    await removing.getByRole('button', { name: 'Remove tags' }).click()
    await expect.poll(both).toEqual([['soc2'], [], []])
    await messages.getByText('1 untagged.').waitFor()
  })

  test('shows three tags and the number of the others, without higher rows, also on a phone', async () => {
    const { ada, ids, list } = await taggedProject()
    await tag(ada, ids[0], 'a-tag-with-a-long-name-of-fifty-characters-or-so', 'b', 'c', 'd', 'e')
    const page = await web.open(list, { as: ada })
    await row(page, 'One').getByText('+2').waitFor()
    const heights = async () => [
      (await row(page, 'One').boundingBox())?.height === (await row(page, 'Two').boundingBox())?.height,
      await row(page, 'One').evaluate((element) => element.scrollHeight <= element.clientHeight + 1),
    ]
    await expect.poll(heights).toEqual([true, true])
    await page.setViewportSize({ width: 360, height: 740 })
    await row(page, 'One').getByText('+4').waitFor()
    await expect.poll(heights).toEqual([true, true])
    expect((await row(page, 'One').getByRole('link', { name: 'One' }).boundingBox())?.width).toBeGreaterThan(20)
    expect(await fits(page)).toBe(true)
  })

  test('is filtered by a suggested tag', async () => {
    const { ada, ids, list } = await taggedProject()
    await tag(ada, ids[0], 'pci')
    await tag(ada, ids[2], 'soc2')
    const page = await web.open(list, { as: ada })
    await row(page, 'One').waitFor()
    await page.getByRole('button', { name: 'More filters' }).click()
    const filters = page.getByRole('dialog', { name: 'More filters' })
    const field = filters.getByRole('combobox', { name: 'Tag', exact: true })
    await field.pressSequentially('pc')
    await filters.getByRole('option', { name: 'pci' }).click()
    await filters.getByRole('button', { name: 'Remove pci' }).waitFor()
    await filters.getByRole('button', { name: 'Apply' }).click()
    await expect.poll(() => grid(page).getByRole('link').allInnerTexts()).toEqual(['One'])
    expect(new URL(page.url()).searchParams.get('tags')).toBe('pci')
    await page.getByRole('button', { name: 'Remove filter Tag: pci' }).click()
    await page.getByRole('button', { name: 'More filters' }).click()
    await filters.getByRole('combobox', { name: 'Without tag' }).fill('pci,soc2')
    await filters.getByRole('button', { name: 'Apply' }).click()
    await expect.poll(() => grid(page).getByRole('link').allInnerTexts()).toEqual(['Two'])
  })
})
