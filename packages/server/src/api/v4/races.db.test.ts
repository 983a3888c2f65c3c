import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { examine } from '../../domain/removal/doctor.ts'
import { openMemoryStore } from '../../platform/object-store/memory.ts'
import { type Client, formWithFile, type Reply } from '../../testing/client.ts'
import { entry, sastReport } from '../../testing/reports/reports.ts'
import { startServer, type TestServer } from '../../testing/server.ts'

const report = JSON.stringify(sastReport([entry({ line: 1 }), entry({ line: 2 })]))
const file = () => formWithFile('file', 'a.txt', 'content')

test('an upload whose project is deleted meanwhile returns 404 and stores no file', async () => {
  const store = openMemoryStore()
  let meanwhile = async () => {}
  const objects = {
    ...store,
    async put(...put: Parameters<typeof store.put>) {
      await store.put(...put)
      await meanwhile()
    },
  }
  const server = await startServer({ objects })
  const project = await server.project('acme/site')
  meanwhile = async () => void (await server.admin.delete(`/projects/${project.id}`))
  expect(await server.admin.post(`/projects/${project.id}/uploads`, file())).toMatchObject({
    status: 404,
    body: { message: '404 Project Not Found' },
  })
  const { objects: kept } = await examine(server.deps, { fix: false })
  expect(kept).toBe(0)
})

test('a group can be deleted while files in it are uploaded, deleted and restored', async () => {
  const server = await startServer({ settings: { logLevel: 'error' } })
  const { admin } = server
  const { body: group } = await admin.post('/groups', { name: 'busy', path: 'busy' })
  const { body: project } = await admin.post('/projects', { name: 'site', namespace_id: group.id })
  const places = [`/groups/${group.id}/uploads`, `/projects/${project.id}/uploads`]
  const replies: Reply[] = []
  let isOver = false
  const busy = async (at: string) => {
    while (!isOver) {
      const uploaded = await admin.post(at, file())
      const { id } = uploaded.body
      replies.push(uploaded, await admin.delete(`${at}/${id}`), await admin.post(`${at}/${id}/restore`))
      await sleep(1) // nothing else here waits for anything but the database
    }
  }
  const work = [...places, ...places, ...places].map(busy)
  while (replies.length < 60) await sleep(10)
  const { status } = await admin.delete(`/groups/${group.id}`)
  isOver = true
  await Promise.all(work)
  expect(status).toBe(202)
  expect(replies.filter(({ status }) => status >= 500)).toEqual([])
  const checkup = await examine(server.deps, { fix: false })
  expect(checkup).toEqual({ findings: [], left: 0, files: 0, objects: 0 })
})

/** Runs all operations concurrently on the same few resources, some of which are deleted meanwhile. */
test('conflicting concurrent requests to several resources cause no 500, and all counters stay correct', async () => {
  const server = await startServer({ settings: { logLevel: 'error' } })
  const failed: string[] = []
  for (let round = 0; round < 8; round++) {
    const calls = await callsOfRound(server, round)
    const replies = await Promise.all(shuffled(calls).map(async ([what, call]) => [what, await call()] as const))
    for (const [what, { status, text }] of replies) if (status >= 500) failed.push(`${what}: ${status} ${text}`)
  }
  expect(failed).toEqual([])
  const { findings, files, objects } = await examine(server.deps, { fix: false })
  expect(findings).toEqual([])
  expect(objects).toBe(files)
})

type Call = readonly [what: string, call: () => Promise<Reply>]

async function callsOfRound(server: TestServer, round: number): Promise<Call[]> {
  const { admin } = server
  const topics = [`a${round}`, `b${round}`]
  const { body: group } = await admin.post('/groups', { name: `g${round}`, path: `g${round}`, visibility: 'public' })
  const { body: project } = await admin.post('/projects', { name: 'site', namespace_id: group.id, topics })
  const user = await server.user(`user${round}`)
  const path = `/projects/${project.id}`
  await admin.post(`/groups/${group.id}/members`, { user_id: user.user?.id, access_level: 50 })
  await admin.post(`${path}/security_reports`, formWithFile('file', 'r.json', report))
  const { body: findings } = await admin.get(`${path}/vulnerability_findings`)
  const { body: upload } = await admin.post(`${path}/uploads`, file())
  const ids = (await admin.get('/topics')).body.map(({ id }: { id: number }) => id)

  const byBoth = (what: string, call: (client: Client) => Promise<Reply>): Call[] => [
    [`${what} by the administrator`, () => call(admin)],
    [`${what} by the user`, () => call(user)],
  ]
  // Every other round omits the deletions, so that the other operations run against each other.
  const deletions: Call[] = [
    ['delete the project', () => admin.delete(path)],
    ['delete the group', () => admin.delete(`/groups/${group.id}`)],
    ['delete the user', () => admin.delete(`/users/${user.user?.id}`)],
  ]
  return [
    ...(round % 2 === 0 ? deletions : []),
    ...byBoth('upload', (client) => client.post(`${path}/uploads`, file())),
    ...byBoth('upload to the group', (client) => client.post(`/groups/${group.id}/uploads`, file())),
    ...byBoth('delete the upload', (client) => client.delete(`${path}/uploads/${upload.id}`)),
    ...byBoth('restore the upload', (client) => client.post(`${path}/uploads/${upload.id}/restore`)),
    ...byBoth('report', (client) => {
      return client.post(`${path}/security_reports`, formWithFile('file', 'r.json', report, { promote: 'true' }))
    }),
    ...byBoth('promote', (client) => client.post(`${path}/vulnerabilities`, { finding_id: findings[0].id })),
    ...byBoth('set topics', (client) => client.put(path, { topics: [topics[0], `new${round}`, `newer${round}`] })),
    ...byBoth('rename the project', (client) => client.put(path, { path: `${client === user}` })),
    ...byBoth('star', (client) => client.post(`${path}/star`)),
    ...byBoth('create a project', (client) => client.post('/projects', { name: 'more', namespace_id: group.id })),
    ...byBoth('create a subgroup', (client) => client.post('/groups', { name: 's', path: 's', parent_id: group.id })),
    ...byBoth('add a member', (client) => client.post(`${path}/members`, { user_id: user.user?.id, access_level: 50 })),
    ...byBoth('rename the group', (client) =>
      client.put(`/groups/${group.id}`, { path: `${client === user}${round}` }),
    ),
    ...byBoth('rotate the token', (client) => client.post(`/personal_access_tokens/${client.user?.id ?? 0}/rotate`)),
    ...byBoth('delete a topic', () => admin.delete(`/topics/${ids[0]}`)),
    ...byBoth('update a topic', () => admin.put(`/topics/${ids[0]}`, { title: 'x' })),
    ...byBoth('create a topic', () => admin.post('/topics', { name: `new${round}`, title: 'x' })),
    ['merge', () => admin.post('/topics/merge', { source_topic_id: ids[0], target_topic_id: ids[1] })],
    ['merge the other way', () => admin.post('/topics/merge', { source_topic_id: ids[1], target_topic_id: ids[0] })],
    ['block the user', () => admin.post(`/users/${user.user?.id}/block`)],
    [
      'issue a token',
      () => admin.post(`/users/${user.user?.id}/personal_access_tokens`, { name: 'x', scopes: ['api'] }),
    ],
  ]
}

function shuffled<T>(list: readonly T[]): T[] {
  return list
    .map((item) => ({ item, place: Math.random() }))
    .sort((a, b) => a.place - b.place)
    .map(({ item }) => item)
}
