import { afterAll, beforeAll, expect, test } from 'vitest'
import { accessProblems, dialogs, quiet, startWeb, visit, type Web } from './web.ts'

let web: Web
beforeAll(async () => {
  web = await startWeb()
})
afterAll(() => web?.close())

/** A project of a group whose rule requires approval, with a request for a dismissal. */
async function world() {
  const group = `risk-${Date.now()}`
  const project = await web.server.project(`${group}/shop`)
  const [asker, approver] = [await web.server.as('maintainer', project), await web.server.as('maintainer', project)]
  const { id } = await web.server.vulnerability(project, { name: 'SQL injection', severity: 'High' })
  await web.server.admin.put(`/groups/${group}/dismissal_approval`, { severity: 'high' })
  const { body } = await asker.post(`/vulnerabilities/${id}/dismiss`, { dismissal_reason: 'acceptable_risk' })
  expect(body.dismissal_request_id).toEqual(expect.any(Number))
  return { group, project, asker, approver, id }
}

test('the home page leads approvers to the requests of all projects, which they decide with a comment', async () => {
  const { group, asker, approver, id } = await world()
  const page = await web.open('/', { as: approver })
  await page.setViewportSize({ width: 360, height: 800 })
  await page.getByText('1 dismissal awaits your approval').waitFor()
  expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(360)
  await page.getByRole('region', { name: 'Approvals' }).getByRole('link', { name: 'Review approvals' }).click()
  await page.getByRole('link', { name: 'SQL injection' }).waitFor()
  await page.getByText(`${group}/shop`).waitFor()
  expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(360)
  expect(await accessProblems(page)).toEqual([])
  await page.getByRole('button', { name: 'Approve' }).click()
  expect(await accessProblems(page, dialogs)).toEqual([])
  await page.getByRole('dialog').getByLabel('Comment').fill('Agreed for this release')
  await page.getByRole('dialog').getByRole('button', { name: 'Approve' }).click()
  await page.getByText('No requests').waitFor()
  expect((await asker.get(`/vulnerabilities/${id}`)).body).toMatchObject({
    ...{ state: 'dismissed', dismissed_by_id: asker.user?.id },
  })
  await page.getByLabel('Requests').selectOption('approved')
  await page.getByText('Agreed for this release').waitFor()
})

test('requesters see why they cannot approve, and withdraw', async () => {
  const { asker, id } = await world()
  const page = await web.open('/', { as: asker })
  await page.getByRole('link', { name: 'Approvals' }).click()
  await page.getByText('You requested this, so another person must approve it.').waitFor()
  expect(await page.getByRole('button', { name: 'Approve' }).count()).toBe(0)
  await page.getByLabel('Requested', { exact: true }).selectOption('to_decide')
  await page.getByText('No requests').waitFor()
  await page.getByLabel('Requested', { exact: true }).selectOption('requested')
  await page.getByRole('button', { name: 'Withdraw' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Withdraw' }).click()
  await page.getByText('No requests').waitFor()
  expect((await asker.get(`/vulnerabilities/${id}`)).body).toMatchObject({
    state: 'detected',
    dismissal_request_id: null,
  })
})

test('persons behind a request are offered no decision', async () => {
  const { group } = await world()
  // The administrator has created the token of the requester.
  const page = await web.open('/', { as: web.server.admin })
  await page.getByRole('link', { name: 'Approvals' }).waitFor()
  expect(await page.getByText('your approval').count()).toBe(0)
  for (const path of ['/-/approvals', `/${group}/shop/-/vulnerabilities/approvals`]) {
    await visit(page, path)
    await page.getByText('Another person must decide').first().waitFor()
    expect(await page.getByRole('button', { name: 'Approve' }).count()).toBe(0)
  }
})

test('owners set the rule of a group in its settings', async () => {
  const { group } = await world()
  const page = await web.open(`/groups/${group}/-/settings/approval_rule`, { as: web.server.admin })
  const severity = page.getByLabel('Require a second person for dismissals')
  await severity.selectOption('medium')
  await page.getByRole('button', { name: 'Save rule' }).click()
  await page.getByText('Rule saved.').waitFor()
  const rule = async () => (await web.server.admin.get(`/groups/${group}/dismissal_approval`)).body.own
  expect(await rule()).toMatchObject({ severity: 'medium' })
  // The form shows the saved rule when the refetched one has arrived.
  await quiet(page)
  await severity.selectOption('')
  await page.getByRole('button', { name: 'Save rule' }).click()
  await page.getByText('Rule removed.').waitFor()
  expect(await rule()).toBeNull()
  await visit(page, `/groups/${group}/-/settings`)
  await page.getByRole('link', { name: 'Approval rule' }).waitFor()
})
