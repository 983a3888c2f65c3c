import { expect, test } from 'vitest'
import type { Reply } from '../../../testing/client.ts'
import { startServer as start } from '../../../testing/server.ts'

const startServer = () => start({ settings: { topicCreation: 'admins' } })
const names = (reply: Reply): string[] => reply.body.map((proposal: { name: string }) => proposal.name)

test('an approved proposal creates the topic and assigns it to its project', async () => {
  const server = await startServer()
  const nadia = await server.user('nadia')
  const own = (await nadia.post('/projects', { name: 'own' })).body
  await server.admin.post('/topics', { name: 'maps', title: 'Maps' })
  await nadia.put(`/projects/${own.id}`, { topics: ['maps'] })

  const proposal = await nadia.post('/topics/proposals', {
    name: 'rust',
    description: 'A language',
    project_id: own.id,
  })
  expect(proposal).toMatchObject({
    status: 201,
    body: {
      ...{ organization_id: 1, name: 'rust', title: 'rust', description: 'A language', project_id: own.id },
      ...{ state: 'pending', decided_by: null, decided_at: null, comment: null, topic_id: null },
      proposed_by: { username: 'nadia' },
    },
  })
  const approved = await server.admin.post(`/topics/proposals/${proposal.body.id}/approve`, {
    title: 'Rust',
    comment: 'Good idea',
  })
  const [topic] = (await nadia.get('/topics?name=rust')).body
  expect(topic).toMatchObject({ title: 'Rust', description: 'A language', total_projects_count: 1 })
  expect(approved.body).toMatchObject({ state: 'approved', comment: 'Good idea', topic_id: topic.id })
  expect((await nadia.get(`/projects/${own.id}`)).body.topics).toEqual(['maps', 'rust'])

  const again = await server.admin.post(`/topics/proposals/${proposal.body.id}/reject`)
  expect([again.status, again.body.message]).toEqual([409, `proposal ${proposal.body.id} has been approved already`])
})

test('a proposal without its project still creates the topic', async () => {
  const server = await startServer()
  const nadia = await server.user('nadia')
  const own = (await nadia.post('/projects', { name: 'own' })).body
  const { body } = await nadia.post('/topics/proposals', { name: 'rust', project_id: own.id })
  await nadia.delete(`/projects/${own.id}`)
  const approved = await server.admin.post(`/topics/proposals/${body.id}/approve`)
  expect(approved.body).toMatchObject({ state: 'approved', project_id: null })
  expect((await nadia.get('/topics?name=rust')).body[0].total_projects_count).toBe(0)
})

test('a project that is archived, or that the user may no longer update, gets no topic', async () => {
  const server = await startServer()
  const nadia = await server.user('nadia')
  const [left, archived] = [await server.project('acme/left'), await server.project('acme/archived')]
  const proposals: number[] = []
  for (const { id } of [left, archived]) {
    await server.admin.post(`/projects/${id}/members`, { user_id: nadia.user?.id, access_level: 40 })
    const { body } = await nadia.post('/topics/proposals', { name: `topic-${id}`, project_id: id })
    proposals.push(body.id)
  }
  await server.admin.delete(`/projects/${left.id}/members/${nadia.user?.id}`)
  await server.admin.post(`/projects/${archived.id}/archive`)
  for (const id of proposals) {
    expect((await server.admin.post(`/topics/proposals/${id}/approve`)).body).toMatchObject({ state: 'approved' })
  }
  expect((await server.admin.get('/topics')).body).toMatchObject([
    { total_projects_count: 0 },
    { total_projects_count: 0 },
  ])
})

test('users list and withdraw their own proposals, administrators list all', async () => {
  const server = await startServer()
  const [nadia, omar] = [await server.user('nadia'), await server.user('omar')]
  const propose = async (client: typeof nadia, name: string) =>
    (await client.post('/topics/proposals', { name })).body.id
  const [rust, zig, ada] = [await propose(nadia, 'rust'), await propose(nadia, 'zig'), await propose(omar, 'ada')]
  await server.admin.post(`/topics/proposals/${zig}/reject`, { comment: 'Too rare' })

  expect(names(await nadia.get('/topics/proposals'))).toEqual(['zig', 'rust'])
  expect(names(await nadia.get('/topics/proposals?state=pending'))).toEqual(['rust'])
  const all = await server.admin.get('/topics/proposals?per_page=2')
  expect([names(all), all.headers['x-total']]).toEqual([['ada', 'zig'], '3'])
  const [rejected] = (await nadia.get('/topics/proposals?state=rejected')).body
  expect(rejected).toMatchObject({ comment: 'Too rare', decided_by: { username: 'root' } })

  expect((await nadia.delete(`/topics/proposals/${ada}`)).status).toBe(404)
  expect((await nadia.delete(`/topics/proposals/${zig}`)).status).toBe(409)
  expect((await nadia.delete(`/topics/proposals/${rust}`)).status).toBe(204)
  expect(names(await nadia.get('/topics/proposals'))).toEqual(['zig'])
  for (const action of ['approve', 'reject']) {
    expect((await omar.post(`/topics/proposals/${ada}/${action}`)).status).toBe(403)
  }
  expect((await server.anonymous.get('/topics/proposals')).status).toBe(401)
})

test('proposals are refused for names that are taken, invalid or proposed already', async () => {
  const server = await startServer()
  const [nadia, omar] = [await server.user('nadia'), await server.user('omar')]
  const maps = (await server.admin.post('/topics', { name: 'maps', title: 'Maps' })).body
  await server.admin.post(`/topics/${maps.id}/aliases`, { name: 'charts' })
  await nadia.post('/topics/proposals', { name: 'rust' })
  const secret = await server.project('acme/secret')
  const open = await server.project('acme/open', { visibility: 'public' })
  const refusals: [object, number, unknown][] = [
    [{ name: 'MAPS' }, 400, { name: ['has already been taken'] }],
    [{ name: 'charts' }, 400, { name: ['has already been taken'] }],
    [{ name: 'Rust' }, 400, { name: ['has already been proposed'] }],
    [{ name: 'é' }, 400, { name: ['must only include ASCII characters'] }],
    [{ name: 'go', title: ' ' }, 400, { title: ["can't be blank"] }],
    [{ name: 'go', project_id: secret.id }, 404, '404 Project Not Found'],
    [{ name: 'go', project_id: open.id }, 403, '403 Forbidden'],
  ]
  for (const [body, status, message] of refusals) {
    const reply = await omar.post('/topics/proposals', body)
    expect([reply.status, reply.body.message]).toEqual([status, message])
  }
  expect((await omar.get('/topics/proposals')).body).toEqual([])

  const [{ id }] = (await nadia.get('/topics/proposals')).body
  await server.admin.post('/topics', { name: 'rust', title: 'Rust' })
  const late = await server.admin.post(`/topics/proposals/${id}/approve`)
  expect([late.status, late.body.message]).toEqual([400, { name: ['has already been taken'] }])
  expect((await nadia.get('/topics/proposals')).body[0].state).toBe('pending')
  const long = await server.admin.post(`/topics/proposals/${id}/reject`, { comment: 'x'.repeat(1001) })
  expect(long.body.message).toEqual({ comment: ['is too long (maximum is 1000 characters)'] })
})

test('a user has at most 50 pending proposals', async () => {
  const server = await startServer()
  const nadia = await server.user('nadia')
  for (let number = 0; number < 50; number++) {
    expect((await nadia.post('/topics/proposals', { name: `topic ${number}` })).status).toBe(201)
  }
  const reply = await nadia.post('/topics/proposals', { name: 'one more' })
  expect([reply.status, JSON.stringify(reply.body)]).toEqual([400, expect.stringContaining('50 pending proposals')])
})
