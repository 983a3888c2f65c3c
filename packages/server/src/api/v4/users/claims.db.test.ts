import { expect, test } from 'vitest'
import { formWithFile } from '../../../testing/client.ts'
import { startServer } from '../../../testing/server.ts'

async function serverWithPlaceholder() {
  const server = await startServer()
  const { body: placeholder } = await server.admin.post('/users', {
    username: 'nadia-old',
    name: 'Nadia',
    email: 'user-7-abc@placeholder.invalid',
    force_random_password: true,
  })
  const person = await server.user('nadia')
  return {
    server,
    placeholder,
    person,
    claim: (body: object) => server.admin.post(`/users/${placeholder.id}/claim`, body),
  }
}

test('a claimed placeholder gives decisions, assignments, uploads, memberships and projects to the person', async () => {
  const { server, placeholder, person, claim } = await serverWithPlaceholder()
  const { admin } = server
  const project = await server.project('shop/api')
  const other = await server.project('shop/web')
  const member = { user_id: placeholder.id, access_level: 50 }
  for (const { id } of [project, other]) await admin.post(`/projects/${id}/members`, member)
  await admin.post(`/projects/${project.id}/members`, { user_id: person.user?.id, access_level: 10 })
  await admin.post(`/projects/user/${placeholder.id}`, { name: 'own' })
  const form = { secret: 'a'.repeat(32), created_at: '2024-01-01T00:00:00Z', uploaded_by: String(placeholder.id) }
  await admin.post(`/projects/${project.id}/uploads/import`, formWithFile('file', 'a.txt', 'x', form))
  const vulnerability = await server.vulnerability(project, { name: 'Injection' })
  await admin.put(`/vulnerabilities/${vulnerability.id}/assignee`, { assignee_id: placeholder.id })
  const source = { source: 'https://gitlab.test', kind: 'user', source_id: '7' }
  expect((await admin.put('/import_sources', { ...source, target_id: placeholder.id })).status).toBe(200)

  expect(await claim({ user_id: person.user?.id })).toMatchObject({ status: 201, body: { username: 'nadia' } })

  expect((await admin.get(`/users/${placeholder.id}`)).status).toBe(404)
  for (const { id } of [project, other]) {
    const { body } = await admin.get(`/projects/${id}/members/${person.user?.id}`)
    expect(body).toMatchObject({ access_level: 50 })
  }
  expect((await admin.get(`/projects/${project.id}/uploads`)).body).toMatchObject([
    { uploaded_by: { username: 'nadia' } },
  ])
  expect((await admin.get('/projects/nadia%2Fown')).status).toBe(200)
  expect((await admin.get('/import_sources?kind=user')).body).toMatchObject([{ target_id: person.user?.id }])
  const { body: seen } = await admin.get(`/vulnerabilities/${vulnerability.id}`)
  expect(seen.assignee).toMatchObject({ username: 'nadia' })
  const { body: events } = await admin.get('/audit_events?per_page=100')
  expect(events.map((event: { event_name: string }) => event.event_name)).toContain('placeholder_claimed')
})

test('the higher role of a placeholder does not shorten the membership of the person', async () => {
  const { server, placeholder, person, claim } = await serverWithPlaceholder()
  const memberships = [
    ['shop/lasting', null, '2099-01-01', 10, null],
    ['shop/longer', '2098-01-01', '2099-01-01', 50, '2099-01-01'],
    ['shop/both', null, null, 50, null],
    ['shop/endless', '2098-01-01', null, 50, null],
  ] as const
  for (const [path, ownEnd, formerEnd] of memberships) {
    const members = `/projects/${(await server.project(path)).id}/members`
    await server.admin.post(members, { user_id: person.user?.id, access_level: 10, expires_at: ownEnd })
    await server.admin.post(members, { user_id: placeholder.id, access_level: 50, expires_at: formerEnd })
  }
  expect((await claim({ user_id: person.user?.id })).status).toBe(201)
  for (const [path, , , level, end] of memberships) {
    const member = await server.admin.get(`/projects/${encodeURIComponent(path)}/members/${person.user?.id}`)
    expect(member.body, path).toMatchObject({ access_level: level, expires_at: end })
  }
})

test('only administrators give placeholders away, and only placeholders to persons', async () => {
  const { server, placeholder, person, claim } = await serverWithPlaceholder()
  const path = `/users/${placeholder.id}/claim`
  expect((await person.post(path, { user_id: person.user?.id })).status).toBe(403)
  expect((await claim({ user_id: placeholder.id })).status).toBe(400)
  expect((await claim({ user_id: 999_999 })).status).toBe(404)
  const wrong = await server.admin.post(`/users/${person.user?.id}/claim`, { user_id: 1 })
  expect(wrong).toMatchObject({ status: 400, body: { message: expect.stringContaining('not a placeholder') } })
  expect((await server.admin.get(`/users/${placeholder.id}`)).status).toBe(200)
})
