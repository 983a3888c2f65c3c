import { beforeAll, describe, expect, test } from 'vitest'
import { historyOf, vulnerabilitiesOf } from '../../../testing/reports/imports.ts'
import { entry } from '../../../testing/reports/reports.ts'
import { startServer, type TestProject, type TestServer } from '../../../testing/server.ts'

let server: TestServer
let project: TestProject
let id: number
beforeAll(async () => {
  server = await startServer()
  project = await server.project('acme/notes')
  await server.report(
    project,
    [1, 2, 3, 4, 5].map((line) => entry({ name: `Flaw ${line}`, line, rule: `r${line}` })),
  )
})
let used = 0
/** Creates a vulnerability for each test. */
const fresh = async () => {
  id = (await vulnerabilitiesOf(server, project))[`Flaw ${++used}`].id
  return `/projects/${project.id}/vulnerabilities/${id}/notes`
}

describe('a note', () => {
  test('is created by developers, and returned in GitLab’s format', async () => {
    const path = await fresh()
    const developer = await server.as('developer', project)
    const reply = await developer.post(path, { body: 'Look at **this**' })
    expect(reply).toMatchObject({
      status: 201,
      body: {
        id: expect.any(Number),
        type: null,
        body: 'Look at **this**',
        attachment: null,
        author: { id: developer.user?.id, username: developer.user?.username },
        system: false,
        noteable_id: id,
        noteable_type: 'Vulnerability',
        project_id: project.id,
        resolvable: false,
        confidential: false,
        internal: false,
        noteable_iid: null,
      },
    })
    expect(await developer.get(`${path}/${reply.body.id}`)).toMatchObject({ status: 200, body: reply.body })
    expect((await (await server.as('reporter', project)).get(path)).status).toBe(403)
  })

  test('is listed together with system notes, newest first', async () => {
    const path = await fresh()
    await server.admin.post(`/vulnerabilities/${id}/dismiss`, { dismissal_reason: 'false_positive' })
    await server.admin.post(path, { body: 'mine' })
    const bodies = async (query: string) =>
      (await server.admin.get(`${path}${query}`)).body.map(({ body }: { body: string }) => body)
    const system = 'changed vulnerability status from Detected to Dismissed: False positive'
    expect(await bodies('')).toEqual(['mine', system])
    expect(await bodies('?sort=asc')).toEqual([system, 'mine'])
    expect(await bodies('?activity_filter=only_comments')).toEqual(['mine'])
    expect(await bodies('?activity_filter=only_activity')).toEqual([system])
    expect((await server.admin.get(path)).headers['x-total']).toBe('2')
    const { body: discussions } = await server.admin.get(path.replace('/notes', '/discussions'))
    expect(discussions).toMatchObject([
      { individual_note: true, notes: [{ body: system, system: true }] },
      { individual_note: true, notes: [{ body: 'mine', system: false }] },
    ])
    expect(discussions[0].id).toMatch(/^[0-9a-f]{40}$/)
  })

  test('is editable by its author and by Maintainers', async () => {
    const path = await fresh()
    const [author, other] = [await server.as('developer', project), await server.as('developer', project)]
    const { body: note } = await author.post(path, { body: 'first' })
    const forbidden = { status: 403, body: { message: '403 Forbidden' } }
    expect(await other.put(`${path}/${note.id}`, { body: 'x' })).toMatchObject(forbidden)
    expect(await other.delete(`${path}/${note.id}`)).toMatchObject(forbidden)
    expect(await author.put(`${path}/${note.id}`, { body: 'second' })).toMatchObject({
      status: 200,
      body: { id: note.id, body: 'second', created_at: note.created_at },
    })
    const maintainer = await server.as('maintainer', project)
    expect((await maintainer.put(`${path}/${note.id}`, { body: 'third' })).body.author.id).toBe(author.user?.id)
    expect((await maintainer.delete(`${path}/${note.id}`)).status).toBe(204)
    expect((await author.delete(`${path}/${note.id}`)).status).toBe(404)
    expect(await historyOf(server.admin, id)).toMatchObject([
      { kind: 'created' },
      { kind: 'note_deleted', author: { id: maintainer.user?.id }, text: 'deleted a note', comment: null },
    ])
  })

  test('by the system cannot be changed, and other history entries are no notes', async () => {
    const path = await fresh()
    await server.admin.post(`/vulnerabilities/${id}/confirm`)
    const [created, state] = await historyOf(server.admin, id)
    expect((await server.admin.put(`${path}/${state.id}`, { body: 'x' })).status).toBe(403)
    expect((await server.admin.delete(`${path}/${state.id}`)).status).toBe(403)
    expect((await server.admin.get(`${path}/${state.id}`)).status).toBe(200)
    expect(await server.admin.get(`${path}/${created.id}`)).toMatchObject({
      status: 404,
      body: { message: '404 Not found' },
    })
  })

  test('requires a body and a vulnerability of the project', async () => {
    const path = await fresh()
    const other = await server.project('acme/other-notes')
    const noVulnerability = { status: 404, body: { message: '404 Vulnerability Not Found' } }
    expect(await server.admin.post(`/projects/${other.id}/vulnerabilities/${id}/notes`, { body: 'x' })).toMatchObject(
      noVulnerability,
    )
    expect(await server.admin.get(`/projects/${project.id}/vulnerabilities/999999/notes`)).toMatchObject(
      noVulnerability,
    )
    expect(await server.admin.post(path)).toMatchObject({ status: 400, body: { error: 'body is missing' } })
    expect(await server.admin.post(path, { body: ' ' })).toMatchObject({
      status: 400,
      body: { message: { note: ["can't be blank"] } },
    })
    expect(await server.admin.post(path, { body: 'x'.repeat(1_000_001) })).toMatchObject({
      status: 400,
      body: { message: { note: ['is too long (maximum is 1000000 characters)'] } },
    })
    expect((await server.admin.get(path)).body).toEqual([])
  })
})
