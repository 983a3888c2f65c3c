import { beforeAll, expect, test } from 'vitest'
import { startServer, type TestServer } from '../../../testing/server.ts'

let server: TestServer
beforeAll(async () => {
  server = await startServer({ settings: { topicCreation: 'admins' } })
  for (const name of ['react', 'react-native', 'preact', 'vue', 'kubernetes']) {
    await server.admin.post('/topics', { name, title: name })
  }
})

test('unknown topics are rejected with the nearest match when only administrators may create topics', async () => {
  const project = await server.project('acme/locked')
  const maintainer = await server.as('maintainer', project)
  await maintainer.put(`/projects/${project.id}`, { topics: ['vue'] })
  const before = (await server.admin.get('/topics')).body
  const reply = await maintainer.put(`/projects/${project.id}`, {
    description: 'changed',
    topics: ['vue', 'reactt', 'zzzzzz'],
  })
  expect(reply).toMatchObject({
    status: 400,
    body: {
      message: {
        topics: [
          'reactt does not exist, and only administrators create topics; the nearest are react, react-native',
          'zzzzzz does not exist, and only administrators create topics',
        ],
      },
    },
  })
  expect((await server.admin.get('/topics')).body).toEqual(before)
  expect((await maintainer.get(`/projects/${project.id}`)).body).toMatchObject({ topics: ['vue'], description: null })
})

test('when only administrators may create topics, a project is not created with an unknown topic', async () => {
  const someone = await server.user('someone')
  const refused = await someone.post('/projects', { name: 'locked', topics: 'kubernets' })
  expect(refused).toMatchObject({ status: 400, body: { message: { topics: [expect.stringContaining('kubernetes')] } } })
  expect((await someone.get('/projects?owned=true')).body).toEqual([])

  const [{ id }] = (await server.admin.get('/topics?search=kubernetes')).body
  await server.admin.post(`/topics/${id}/aliases`, { name: 'k8s' })
  expect(await someone.post('/projects', { name: 'open', topics: 'K8S' })).toMatchObject({
    status: 201,
    body: { topics: ['kubernetes'] },
  })
})

test('administrators can create topics by assigning them to projects even when others cannot', async () => {
  const project = await server.project('acme/by-admin')
  const reply = await server.admin.put(`/projects/${project.id}`, { topics: ['brand-new'] })
  expect(reply).toMatchObject({ status: 200, body: { topics: ['brand-new'] } })
})
