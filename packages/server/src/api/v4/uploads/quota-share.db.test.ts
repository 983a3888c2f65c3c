import { expect, test } from 'vitest'
import { type Client, formWithFile } from '../../../testing/client.ts'
import { startServer, type TestProject } from '../../../testing/server.ts'

const server = await startServer()

const upload = (client: Client, { id }: TestProject, bytes: number) =>
  client.post(`/projects/${id}/uploads`, formWithFile('file', 'a.txt', 'x'.repeat(bytes)))

/** Creates a public project with a quota of 1,000 bytes. */
async function projectWithQuota(): Promise<TestProject> {
  const project = await server.project(`acme/shared-${++projects}`, { visibility: 'public' })
  await server.admin.put(`/projects/${project.id}/uploads/limits`, { quota_bytes: 1000 })
  return project
}
let projects = 0

const refusal = {
  status: 413,
  body: { detail: 'users who are not members may store 100 bytes in this project, all together' },
}

test('non-members share a tenth of a project’s quota', async () => {
  const project = await projectWithQuota()
  const [one, two] = [await server.as('outsider', project), await server.as('outsider', project)]
  expect(await upload(one, project, 101)).toMatchObject(refusal)
  const first = await upload(one, project, 60)
  expect(first.status).toBe(201)
  expect(await upload(two, project, 41)).toMatchObject(refusal)
  expect((await upload(two, project, 40)).status).toBe(201)
  expect(await upload(one, project, 1)).toMatchObject(refusal)

  const guest = await server.as('guest', project)
  expect((await upload(guest, project, 800)).status).toBe(201)
  expect(await upload(guest, project, 101)).toMatchObject({ status: 413 })
  expect((await upload(server.admin, project, 100)).status).toBe(201)
})

test('deleted uploads of non-members no longer count', async () => {
  const project = await projectWithQuota()
  const outsider = await server.as('outsider', project)
  const { body } = await upload(outsider, project, 100)
  expect(await upload(outsider, project, 1)).toMatchObject(refusal)
  expect((await server.admin.delete(`/projects/${project.id}/uploads/${body.id}`)).status).toBe(204)
  expect((await upload(outsider, project, 100)).status).toBe(201)
})

test('concurrent uploads of non-members stay within their share', async () => {
  const project = await projectWithQuota()
  const outsiders = await Promise.all(Array.from({ length: 4 }, () => server.as('outsider', project)))
  const replies = await Promise.all(outsiders.map((outsider) => upload(outsider, project, 60)))
  expect(replies.map(({ status }) => status).sort()).toEqual([201, 413, 413, 413])
})

test('a project without a quota has no limit for non-members', async () => {
  const project = await server.project('acme/open', { visibility: 'public' })
  expect((await upload(await server.as('outsider', project), project, 5000)).status).toBe(201)
})

test('uploading to a group requires membership in the group, not only in one of its projects', async () => {
  const { body: group } = await server.admin.post('/groups', { name: 'hidden', path: 'hidden' })
  const project = await server.project('hidden/site')
  const [guest, member] = [await server.as('guest', project), await server.user('group-guest')]
  await server.admin.post(`/groups/${group.id}/members`, { user_id: member.user?.id, access_level: 10 })
  const file = () => formWithFile('file', 'a.txt', 'x')
  expect((await guest.get(`/groups/${group.id}`)).status).toBe(200)
  expect(await guest.post(`/groups/${group.id}/uploads`, file())).toMatchObject({
    status: 403,
    body: { message: '403 Forbidden' },
  })
  expect((await member.post(`/groups/${group.id}/uploads`, file())).status).toBe(201)
})
