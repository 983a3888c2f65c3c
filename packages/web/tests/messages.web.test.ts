import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Client } from '../../server/src/testing/client.ts'
import type { TestProject } from '../../server/src/testing/server.ts'
import { actions, coveredByMessages, messages } from './messages.ts'
import { quiet, startWeb, type Web } from './web.ts'

let web: Web
let project: TestProject
let maintainer: Client
beforeAll(async () => {
  web = await startWeb()
  project = await web.server.project('acme/shop')
  maintainer = await web.server.as('maintainer', project)
})
afterAll(() => web?.close())

describe.each([
  { width: 1440, height: 900 },
  { width: 1024, height: 768 },
  { width: 390, height: 844 },
])('messages in a window of $width × $height', ({ width, height }) => {
  test('cover no action of the page of a vulnerability', async () => {
    const { id } = await web.server.vulnerability(project, { line: width })
    const page = await web.open(`/acme/shop/-/vulnerabilities/${id}`, {
      ...{ as: maintainer, width, height, expects: /422/ },
    })
    await page.getByRole('button', { name: 'Confirm' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Confirm' }).click()
    await messages(page).getByRole('button', { name: 'Undo' }).waitFor()
    await quiet(page)
    expect(await coveredByMessages(page, actions(page))).toEqual([])

    await page.route('**/revert', (route) => route.fulfill({ status: 422, json: { message: 'Not possible now' } }))
    await messages(page).getByRole('button', { name: 'Undo' }).click()
    await messages(page).getByText('Not possible now').waitFor()
    await quiet(page)
    expect(await coveredByMessages(page, actions(page))).toEqual([])
    // Below the sticky header, a button that has scrolled half away is a small target.
    await page.evaluate(() => scrollTo(0, 0))
  })

  test('cover no action of a form', async () => {
    const page = await web.open('/acme/shop/-/settings', { as: maintainer, width, height, expects: /422/ })
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    await messages(page).getByText('Saved.').waitFor()
    await quiet(page)
    expect(await coveredByMessages(page, actions(page))).toEqual([])

    await page.route(`**/api/v4/projects/${project.id}`, (route) =>
      route.request().method() === 'PUT'
        ? route.fulfill({ status: 422, json: { message: 'Not possible now' } })
        : route.continue(),
    )
    await page.getByLabel('Create vulnerabilities automatically').click()
    await messages(page).getByText('Not possible now').waitFor()
    await quiet(page)
    expect(await coveredByMessages(page, actions(page))).toEqual([])
  })

  test('cover no action of a form wherever it is scrolled', async () => {
    const page = await web.open('/acme/shop/-/settings', { as: maintainer, width, height, expects: /422/ })
    await page.route(`**/api/v4/projects/${project.id}`, (route) =>
      route.request().method() === 'PUT'
        ? route.fulfill({ status: 422, json: { message: 'Not possible now' } })
        : route.continue(),
    )
    await page.getByLabel('Create vulnerabilities automatically').click()
    await messages(page).getByText('Not possible now').waitFor()
    for (const place of await page.getByRole('main').getByRole('button').all()) {
      await place.evaluate((button) => button.scrollIntoView({ block: 'end' }))
      const message = `with ${await place.innerText()} at the end`
      await expect.poll(() => coveredByMessages(page, actions(page)), { message }).toEqual([])
    }
    await page.evaluate(() => scrollTo(0, 0))
  })
})
