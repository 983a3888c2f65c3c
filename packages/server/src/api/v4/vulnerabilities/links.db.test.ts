import { beforeAll, describe, expect, test } from 'vitest'
import { historyOf, vulnerabilitiesOf } from '../../../testing/reports/imports.ts'
import { entry } from '../../../testing/reports/reports.ts'
import { startServer, type TestProject, type TestServer } from '../../../testing/server.ts'

let server: TestServer
let project: TestProject
beforeAll(async () => {
  server = await startServer()
  project = await server.project('acme/links')
  const lines = [1, 2, 3, 4, 5, 6, 7]
  await server.report(
    project,
    lines.map((line) => entry({ name: `Flaw ${line}`, line, rule: `r${line}` })),
  )
})
let used = 0
const fresh = async (): Promise<number> => (await vulnerabilitiesOf(server, project))[`Flaw ${++used}`].id

const notFound = { status: 404, body: { message: '404 Not found' } }

describe('an issue link', () => {
  test('is found by the filter has_issue at once, and no longer when it is removed', async () => {
    const id = await fresh()
    const found = async (value: boolean) => {
      const { body } = await server.admin.get(`/projects/${project.id}/vulnerabilities?has_issue=${value}`)
      return body.some((one: { id: number }) => one.id === id)
    }
    expect([await found(true), await found(false)]).toEqual([false, true])
    const link = await server.admin.post(`/vulnerabilities/${id}/issue_links`, { url: 'https://tracker.test/99' })
    expect([await found(true), await found(false)]).toEqual([true, false])
    await server.admin.delete(`/vulnerabilities/${id}/issue_links/${link.body.id}`)
    expect([await found(true), await found(false)]).toEqual([false, true])
  })

  test('accepts an address in any tracker, and is listed in GitLab’s format', async () => {
    const id = await fresh()
    const developer = await server.as('developer', project)
    const url = 'https://tracker.test/shop/issues/12'
    const made = await developer.post(`/vulnerabilities/${id}/issue_links`, { url, title: 'Fix the query' })
    expect(made).toMatchObject({
      status: 201,
      body: {
        vulnerability: { id, state: 'detected' },
        issue: { iid: 12, title: 'Fix the query', web_url: url },
        link_type: 'related',
      },
    })
    expect(Object.keys(made.body)).toEqual(['id', 'vulnerability', 'issue', 'link_type'])
    await developer.post(`/vulnerabilities/${id}/issue_links`, {
      url: 'http://other.test/browse/OPS-7',
      link_type: 'created',
    })
    expect(await developer.get(`/vulnerabilities/${id}/issue_links`)).toMatchObject({
      status: 200,
      body: [
        { ...made.body.issue, vulnerability_link_id: made.body.id, vulnerability_link_type: 'related' },
        {
          iid: 7,
          title: 'http://other.test/browse/OPS-7',
          state: 'opened',
          author: { id: developer.user?.id },
          vulnerability_link_type: 'created',
        },
      ],
    })
  })

  test('is created once per address, and once per vulnerability with link_type created', async () => {
    const id = await fresh()
    const link = (url: string, link_type: string) =>
      server.admin.post(`/vulnerabilities/${id}/issue_links`, { url, link_type })
    expect((await link('https://a.test/1', 'created')).status).toBe(201)
    expect(await link('https://A.test/1', 'related')).toMatchObject({
      status: 422,
      body: { message: 'Issue has already been linked to another vulnerability' },
    })
    expect(await link('https://a.test/2', 'created')).toMatchObject({
      status: 422,
      body: { message: 'Vulnerability already has a "created" issue link' },
    })
    const both = await Promise.all([link('https://a.test/3', 'related'), link('https://a.test/3', 'related')])
    expect(both.map(({ status }) => status).sort()).toEqual([201, 422])
  })

  test('to a GitLab issue returns 404, because there are no issues', async () => {
    const id = await fresh()
    const link = (fields: object) => server.admin.post(`/vulnerabilities/${id}/issue_links`, fields)
    expect(await link({ target_issue_iid: 1 })).toMatchObject(notFound)
    expect(await link({ target_issue_iid: 1, target_project_id: 'acme/links' })).toMatchObject(notFound)
    for (const [fields, error] of [
      [{}, 'target_issue_iid is missing'],
      [{ target_issue_iid: 'x' }, 'target_issue_iid is invalid'],
      [{ url: 'https://a.test', link_type: 'blocks' }, 'link_type does not have a valid value'],
    ] as const) {
      expect(await link(fields)).toMatchObject({ status: 400, body: { error } })
    }
    expect((await server.admin.get(`/vulnerabilities/${id}/issue_links`)).body).toEqual([])
  })

  test('rejects unsafe addresses and values that are too long', async () => {
    const id = await fresh()
    const message = async (url: string, title?: string) => {
      const reply = await server.admin.post(`/vulnerabilities/${id}/issue_links`, { url, title })
      expect(reply.status).toBe(400)
      return reply.body.message
    }
    for (const url of ['javascript:alert(1)', 'data:text/html,x', 'ftp://a.test/1', 'tracker.test/1', '//a.test/1']) {
      expect(await message(url)).toEqual({ url: ['is no address: it begins with http:// or https://'] })
    }
    expect(await message('https://me:secret@a.test/1')).toEqual({ url: ['must not hold a password'] })
    expect(await message(`https://a.test/${'x'.repeat(2048)}`)).toEqual({
      url: ['is too long (maximum is 2048 characters)'],
    })
    expect(await message('https://a.test/1', 'x'.repeat(256))).toEqual({
      title: ['is too long (maximum is 255 characters)'],
    })
  })

  test('is returned when it is deleted, and both changes are in the history', async () => {
    const id = await fresh()
    const other = await fresh()
    const { body: made } = await server.admin.post(`/vulnerabilities/${id}/issue_links`, { url: 'https://a.test/9' })
    const reporter = await server.as('reporter', project)
    expect((await reporter.delete(`/vulnerabilities/${id}/issue_links/${made.id}`)).status).toBe(403)
    expect(await server.admin.delete(`/vulnerabilities/${other}/issue_links/${made.id}`)).toMatchObject(notFound)
    expect(await server.admin.delete(`/vulnerabilities/${id}/issue_links/${made.id}`)).toMatchObject({
      status: 200,
      body: made,
    })
    expect(await server.admin.delete(`/vulnerabilities/${id}/issue_links/${made.id}`)).toMatchObject(notFound)
    expect(await historyOf(server.admin, id)).toMatchObject([
      { kind: 'created' },
      { kind: 'linked', text: 'linked to https://a.test/9', author: { id: 1 } },
      { kind: 'unlinked', text: 'removed the link to https://a.test/9' },
    ])
  })
})
