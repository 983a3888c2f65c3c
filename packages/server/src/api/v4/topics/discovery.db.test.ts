import { expect, test } from 'vitest'
import type { Visibility } from '../../../domain/access/roles.ts'
import type { Client, Reply } from '../../../testing/client.ts'
import { startServer } from '../../../testing/server.ts'

const names = (reply: Reply): string[] => reply.body.map((topic: { name: string }) => topic.name)

async function startWithTopics() {
  const server = await startServer({ settings: { externalUrl: 'https://alcove.test' } })
  const nadia = await server.user('nadia')
  const assign = async (path: string, visibility: Visibility, topics: string[]) => {
    const project = await server.project(path, { visibility })
    await server.admin.put(`/projects/${project.id}`, { topics })
    return project
  }
  const projects = [
    await assign('acme/one', 'public', ['maps', 'rust', 'geo']),
    await assign('acme/two', 'public', ['maps', 'rust']),
    await assign('acme/three', 'internal', ['maps', 'geo', 'inside']),
    await assign('acme/secret', 'private', ['maps', 'hidden']),
  ]
  const [maps] = (await server.admin.get('/topics?name=maps')).body
  return { server, nadia, projects, maps }
}

test('related topics are those of the same projects, by the number of projects that the caller can read', async () => {
  const { server, nadia, maps } = await startWithTopics()
  const related = async (client: Client) => {
    const reply = await client.get(`/topics/${maps.id}/related`)
    return reply.body.map((topic: { name: string; shared_projects_count: number }) => [
      topic.name,
      topic.shared_projects_count,
    ])
  }
  expect(await related(server.anonymous)).toEqual([
    ['rust', 2],
    ['geo', 1],
  ])
  const forUsers = await related(nadia)
  expect(forUsers).toHaveLength(3)
  expect(forUsers).toEqual(expect.arrayContaining([['rust', 2], ['geo', 2], ['inside', 1]])) // biome-ignore format: pairs
  expect(await related(server.admin)).toContainEqual(['hidden', 1])
  const external = await server.user('external', { external: true })
  expect((await related(external)).map(([name]: [string]) => name)).toEqual(['rust', 'geo'])

  const [{ id }] = (await server.admin.get('/projects?search=two')).body
  await server.admin.put(`/projects/${id}`, { topics: ['maps'] })
  expect(await related(server.anonymous)).toContainEqual(['rust', 1])
  expect((await nadia.get('/topics/4711/related')).status).toBe(404)
})

test('the feed of a topic is an Atom document with the newest projects that the caller can read', async () => {
  const { server, nadia, projects, maps } = await startWithTopics()
  await server.admin.put(`/projects/${projects[0]?.id}`, { description: '<b>First</b> & \nsecond "line"' })
  const reply = await server.anonymous.get(`/topics/${maps.id}/feed`)
  expect(reply.headers['content-type']).toBe('application/atom+xml; charset=utf-8')
  const titles = [...reply.text.matchAll(/<title>(.*?)<\/title>/g)].map(([, title]) => title)
  expect(titles).toEqual(['maps', 'two', 'one'])
  expect(reply.text).toContain('<summary>&lt;b&gt;First&lt;/b&gt; &amp; second &quot;line&quot;</summary>')
  expect(reply.text).toContain('<link rel="alternate" type="text/html" href="https://alcove.test/acme/two"/>')
  expect(reply.text).toContain(`href="https://alcove.test/api/v4/topics/${maps.id}/feed"`)
  expect((await nadia.get(`/topics/${maps.id}/feed`)).text).toContain('<title>three</title>')
  expect((await nadia.get(`/topics/${maps.id}/feed`)).text).not.toContain('secret')

  const current = { headers: { 'if-none-match': String(reply.headers['etag']) } }
  expect((await server.anonymous.get(`/topics/${maps.id}/feed`, current)).status).toBe(304)
  expect((await nadia.get('/topics/4711/feed')).status).toBe(404)
})

test('related topics and feeds of a private organization are hidden from others', async () => {
  const server = await startServer()
  const nadia = await server.user('nadia')
  const organization = (
    await server.admin.post('/organizations', { name: 'Closed', path: 'closed', visibility: 'private' })
  ).body
  const topic = await server.admin.post('/topics', { name: 'plans', title: 'Plans', organization_id: organization.id })
  expect(names(await server.admin.get(`/topics?organization_id=${organization.id}`))).toEqual(['plans'])
  for (const part of ['related', 'feed']) {
    expect((await nadia.get(`/topics/${topic.body.id}/${part}`)).status).toBe(404)
    expect((await server.admin.get(`/topics/${topic.body.id}/${part}`)).status).toBe(200)
  }
})
