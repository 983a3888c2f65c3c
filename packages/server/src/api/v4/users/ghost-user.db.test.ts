import sql from 'sql-template-tag'
import { describe, expect, test } from 'vitest'
import { endedReferences, userReferences } from '../../../domain/users/user-queries.ts'
import { type Client, formWithFile } from '../../../testing/client.ts'
import { testEngine } from '../../../testing/databases/database.ts'
import { entry, sastReport } from '../../../testing/reports/reports.ts'
import { startServer, type TestServer } from '../../../testing/server.ts'

const findGhost = async ({ deps }: TestServer) =>
  (await deps.db.one<{ id: number }>(sql`select id from users where is_ghost = true`))?.id ?? 0

async function removed(server: TestServer, user: Client) {
  expect((await server.admin.delete(`/users/${user.user?.id}`)).status).toBe(204)
}

/** Creates a project with every kind of action by `user` that a response attributes to a user. */
async function everythingBy(server: TestServer, user: Client) {
  const { admin } = server
  await user
    .post('/groups', { name: 'place', path: 'place' })
    .then(({ body }) => admin.post(`/groups/${body.id}/members`, { user_id: 1, access_level: 50 }))
  const project = (
    await user.post('/projects', { name: 'site', namespace_id: (await admin.get('/groups/place')).body.id })
  ).body
  const path = `/projects/${project.id}`
  const member = await server.user('member')
  await user.post(`${path}/members`, { user_id: member.user?.id, access_level: 10 })
  await user.post(`${path}/uploads`, formWithFile('file', 'kept.txt', 'x'))
  const gone = await user.post(`${path}/uploads`, formWithFile('file', 'gone.txt', 'x'))
  await user.delete(`${path}/uploads/${gone.body.id}`)
  const entries = ['one', 'two', 'three', 'four'].map((name, line) => entry({ name, line: line + 1 }))
  const report = formWithFile('file', 'report.json', JSON.stringify(sastReport(entries)), { promote: 'true' })
  expect((await user.post(`${path}/security_reports`, report)).status).toBe(201)
  const { body } = await user.get(`${path}/vulnerabilities`)
  const [one, two, three, four] = body.map(({ id }: { id: number }) => id).sort((a: number, b: number) => a - b)
  await user.post(`/vulnerabilities/${one}/confirm`, { comment: 'real' })
  await user.post(`/vulnerabilities/${two}/dismiss`, { comment: 'not real' })
  await user.post(`/vulnerabilities/${three}/resolve`)
  await user.post(`${path}/vulnerabilities/${one}/notes`, { body: 'a note' })
  await user.post(`/vulnerabilities/${one}/issue_links`, { url: 'https://tracker.test/1' })
  const bulk = { action: 'confirm', vulnerability_ids: [four] }
  const undone = await user.post(`${path}/vulnerabilities/bulk`, bulk)
  expect((await user.post(`${path}/vulnerabilities/bulk/${undone.body.id}/undo`)).status).toBe(201)
  return { project, path, ids: [one, two, three, four], member }
}

describe('a deleted user', () => {
  test('is replaced by the ghost user in every response', async () => {
    const server = await startServer()
    const { admin } = server
    const leaver = await server.user('leaver', { admin: true })
    const { path, ids, member } = await everythingBy(server, leaver)
    const created = await leaver.post('/users', {
      username: 'created',
      name: 'created',
      email: 'created@example.test',
      force_random_password: true,
    })
    const [source, target] = [
      await leaver.post('/topics', { name: 'source', title: 'Source' }),
      await leaver.post('/topics', { name: 'target', title: 'Target' }),
    ]
    await leaver.post('/topics/merge', { source_topic_id: source.body.id, target_topic_id: target.body.id })
    const organization = await leaver.post('/organizations', { name: 'Other', path: 'other' })
    expect(organization.status).toBe(201)

    await removed(server, leaver)
    const id = await findGhost(server)
    const ghost = { id, username: 'ghost', name: 'Ghost User' }
    const [one, two, three, four] = ids
    const read = async (address: string) => (await admin.get(address)).body
    expect(await read(`/vulnerabilities/${one}`)).toMatchObject({ author_id: id, confirmed_by_id: id })
    expect(await read(`/vulnerabilities/${two}`)).toMatchObject({ author_id: id, dismissed_by_id: id })
    expect(await read(`/vulnerabilities/${three}`)).toMatchObject({ author_id: id, resolved_by_id: id })
    expect(await read(`/vulnerabilities/${four}`)).toMatchObject({ author_id: id })
    for (const vulnerability of ids) {
      for (const event of await read(`/vulnerabilities/${vulnerability}/history`)) {
        expect(event).toMatchObject({ author: ghost })
      }
    }
    expect(await read(`${path}/vulnerabilities/${one}/notes`)).toMatchObject([
      { body: 'a note', author: ghost },
      { author: ghost },
    ])
    expect(await read(`${path}/vulnerabilities/bulk`)).toMatchObject([{ author_id: id, undone_by_id: id }])
    expect(await read(`${path}/security_reports`)).toMatchObject([{ user_id: id }])
    const uploads = await read(`${path}/uploads`)
    expect(uploads).toMatchObject([{ filename: 'kept.txt', uploaded_by: { ...ghost, public_email: '' } }])
    expect(await read(`${path}/uploads?deleted=true`)).toMatchObject([{ filename: 'gone.txt', uploaded_by: ghost }])
    expect(await read(path)).toMatchObject({ creator_id: id })
    expect(await read(`${path}/members/${member.user?.id}`)).toMatchObject({ created_by: ghost })
    expect(await read(`/users/${created.body.id}`)).toMatchObject({ created_by: ghost })
    expect(await read('/topics/merges')).toMatchObject([{ merged_by: { username: 'ghost' } }])

    const left = await server.deps.db.one<{ total: number }>(sql`
      select count(*) as total from vulnerability_links where user_id = ${id}`)
    expect(left?.total).toBe(1)
  })

  test('is replaced by the same ghost user each time, even when another user is named ghost', async () => {
    const server = await startServer()
    const person = await server.user('ghost')
    const project = await server.project('acme/site')
    for (const name of ['first', 'second']) {
      const user = await server.user(name)
      await server.admin.post(`/projects/${project.id}/members`, { user_id: user.user?.id, access_level: 30 })
      await user.post(`/projects/${project.id}/uploads`, formWithFile('file', `${name}.txt`, 'x'))
      await removed(server, user)
    }
    const { body } = await server.admin.get(`/projects/${project.id}/uploads`)
    const ghost = await findGhost(server)
    expect(ghost).not.toBe(person.user?.id)
    expect(body).toMatchObject([
      { filename: 'second.txt', uploaded_by: { id: ghost, username: 'ghost1' } },
      { filename: 'first.txt', uploaded_by: { id: ghost, username: 'ghost1' } },
    ])
  })

  test('is replaced by the ghost user when undoing a bulk change restores them', async () => {
    const server = await startServer()
    const project = await server.project('acme/site')
    const maintainer = await server.as('maintainer', project)
    const path = `/projects/${project.id}`
    const { id } = await server.vulnerability(project)
    await maintainer.post(`/vulnerabilities/${id}/confirm`)
    const bulk = await server.admin.post(`${path}/vulnerabilities/bulk`, { action: 'revert', vulnerability_ids: [id] })
    await removed(server, maintainer)
    expect((await server.admin.post(`${path}/vulnerabilities/bulk/${bulk.body.id}/undo`)).status).toBe(201)
    expect((await server.admin.get(`/vulnerabilities/${id}`)).body).toMatchObject({
      state: 'confirmed',
      confirmed_by_id: await findGhost(server),
    })
  })

  test.runIf(testEngine === 'sqlite')('has only references that the ghost user takes over or that end', async () => {
    const { deps } = await startServer()
    const rows = await deps.db.all<{ name: string; column: string }>(sql`
      select m.name, f."from" as column from sqlite_master m, pragma_foreign_key_list(m.name) f
      where m.type = 'table' and f."table" = 'users' and f.on_delete = 'SET NULL'`)
    const declared = rows.map(({ name, column }) => `${name}.${column}`)
    const references = [...userReferences, ...endedReferences]
    expect(references.map((place) => place.join('.')).sort()).toEqual(declared.sort())
  })
})

describe('the ghost user', () => {
  test('is in no list of users, and has a readable profile', async () => {
    const server = await startServer()
    await removed(server, await server.user('leaver'))
    const id = await findGhost(server)
    for (const query of ['', '?username=ghost', '?search=ghost', '?active=true']) {
      const { body } = await server.admin.get(`/users${query}`)
      expect(body.map((user: { username: string }) => user.username)).not.toContain('ghost')
    }
    expect((await server.admin.get('/users')).headers['x-total']).toBe('1')
    expect(await server.admin.get(`/users/${id}`)).toMatchObject({ status: 200, body: { username: 'ghost' } })
  })

  test('cannot be changed, deleted, signed in, impersonated or added as a member', async () => {
    const server = await startServer()
    const { admin } = server
    await removed(server, await server.user('leaver'))
    const project = await server.project('acme/site')
    const id = await findGhost(server)
    const message = '403 Forbidden - The ghost user stands in for deleted users and cannot be changed.'
    const token = { name: 'x', scopes: ['api'] }
    for (const refused of [
      await admin.put(`/users/${id}`, { name: 'Other' }),
      await admin.delete(`/users/${id}`),
      await admin.post(`/users/${id}/block`),
      await admin.post(`/users/${id}/deactivate`),
      await admin.post(`/users/${id}/password_links`),
      await admin.post(`/users/${id}/personal_access_tokens`, token),
      await admin.post(`/users/${id}/impersonation_tokens`, token),
      await admin.post(`/projects/user/${id}`, { name: 'x' }),
      await admin.get('/user', { headers: { sudo: 'ghost' } }),
    ]) {
      expect(refused).toMatchObject({ status: 403, body: { message } })
    }
    for (const place of [`/projects/${project.id}`, '/groups/acme']) {
      for (const whom of [{ user_id: id }, { username: 'ghost' }]) {
        expect((await admin.post(`${place}/members`, { ...whom, access_level: 30 })).status).toBeGreaterThanOrEqual(400)
      }
      expect((await admin.get(`${place}/members/${id}`)).status).toBe(404)
    }
    expect((await server.anonymous.post('/-/sessions', { login: 'ghost', password: 'ghost' })).status).toBe(404)
  })
})
