import { AsyncLocalStorage } from 'node:async_hooks'
import { beforeAll, expect, test } from 'vitest'
import type { Db } from '../../db/db.ts'
import type { Client, Reply } from '../../testing/client.ts'
import { startServer, type TestServer } from '../../testing/server.ts'

/*
 * The duration of a rejection depends on the number of statements. For hidden resources that number must be the same as
 * for missing ones, with and without caches, and for concurrent requests.
 */

let server: TestServer
let clients: Record<string, Client>
/** Statements of the current request, without those of background work. */
const request = new AsyncLocalStorage<{ queries: number }>()

beforeAll(async () => {
  server = await startServer()
  const { admin } = server
  const insider = await server.user('insider')
  clients = {
    anonymous: server.anonymous,
    'an outsider': await server.user('outsider'),
    'an external user': await server.user('external', { external: true }),
    'a member of another group': insider,
  }
  const other = (await admin.post('/groups', { name: 'other', path: 'other', visibility: 'private' })).body
  await admin.post(`/groups/${other.id}/members`, { user_id: insider.user?.id, access_level: 50 })
  await admin.post('/groups', { name: 'vault', path: 'vault', visibility: 'private' })
  const { db } = server.deps
  const { transaction } = db
  Object.assign(db, counting(db), {
    transaction: (work: (inside: Db) => Promise<unknown>) =>
      transaction((inside) => work({ ...inside, ...counting(inside) })),
  })
})

function counting({ all, one, run }: Db): Pick<Db, 'all' | 'one' | 'run'> {
  const counted =
    <Query, Answer>(ask: (query: Query) => Promise<Answer>) =>
    (query: Query) => {
      const counts = request.getStore()
      if (counts) counts.queries++
      return ask(query)
    }
  return { all: counted(all) as Db['all'], one: counted(one) as Db['one'], run: counted(run) } // as generic as before
}

async function hide() {
  const { admin } = server
  const { id: group } = (await admin.get('/groups/vault')).body
  const project = (await admin.post('/projects', { name: 'former', path: 'former', namespace_id: group })).body
  await admin.put(`/projects/${project.id}`, { path: 'hidden' })
  const nook = (await admin.post('/groups', { name: 'nook', path: 'nook', parent_id: group })).body
  await admin.put(`/groups/${nook.id}`, { path: 'corner' })
  const vulnerability = await server.vulnerability(project)
  return { project: String(project.id), group: String(nook.id), vulnerability: String(vulnerability.id) }
}

test('rejections for hidden and missing resources run the same number of queries', async () => {
  const hidden = await hide()
  const pairs: [what: string, hidden: string, absent: string][] = [
    ['a project', `/projects/${hidden.project}`, '/projects/471100'],
    ['a project by path', '/projects/vault%2Fhidden', '/projects/vault%2Fabsent'],
    ['a project by its old path', '/projects/vault%2Fformer', '/projects/vault%2Fabsent'],
    ['something of a project', `/projects/${hidden.project}/members/all`, '/projects/471100/members/all'],
    ['a group', `/groups/${hidden.group}`, '/groups/471100'],
    ['a group by path', '/groups/vault%2Fcorner', '/groups/vault%2Fabsent'],
    ['a group by its old path', '/groups/vault%2Fnook', '/groups/vault%2Fabsent'],
    ['a vulnerability', `/vulnerabilities/${hidden.vulnerability}`, '/vulnerabilities/471100'],
    ['a namespace', `/namespaces/${hidden.group}`, '/namespaces/471100'],
    ['a name in a group', `/namespaces/x/exists?parent_id=${hidden.group}`, '/namespaces/x/exists?parent_id=471100'],
  ]
  let changes = 0
  const forget = () => server.admin.put('/groups/other', { description: `change ${++changes}` })
  for (const [person, client] of Object.entries(clients)) {
    await client.get('/version')
    for (const [what, hiddenPath, absentPath] of pairs) {
      const count = async (path: string, before?: string) => {
        await forget()
        // What a missing resource leaves in the caches must not be missing for a hidden one.
        if (before !== undefined) await client.get(before)
        const first = await countOf(() => client.get(path))
        const again = await countOf(() => client.get(path))
        // Concurrent requests share statements.
        return [first, again, await countOf(() => sendTogether(client, path))]
      }
      for (const before of [undefined, absentPath]) {
        const counts = await count(hiddenPath, before)
        expect([person, what, ...counts]).toEqual([person, what, ...(await count(absentPath, before))])
        if (person !== 'anonymous') expect(counts[0]).toBeGreaterThan(0)
      }
    }
  }
})

test('rejected writes into hidden and missing groups run the same number of queries', async () => {
  const { id: vault } = (await server.admin.get('/groups/vault')).body
  const outsider = clients['an outsider'] as Client
  const mine = (await outsider.post('/projects', { name: 'mine' })).body.id
  const tries: ((group: number | string, project: string) => Promise<Reply>)[] = [
    (_, project) => outsider.post('/markdown', { text: 'x', project }),
    (group) => outsider.put(`/projects/${mine}/transfer`, { namespace: group }),
  ]
  for (const attempt of tries) {
    await attempt(0, 'none/none')
    const there = await countOf(() => attempt(vault, 'vault/hidden'))
    expect(there).toBe(await countOf(() => attempt(471_100, 'vault/absent')))
  }
})

async function sendTogether(client: Client, path: string): Promise<Reply> {
  const [reply] = await Promise.all([1, 2, 3, 4].map(() => client.get(path)))
  return reply as Reply
}

async function countOf(ask: () => Promise<Reply>): Promise<number> {
  const counts = { queries: 0 }
  const { status } = await request.run(counts, ask)
  expect([200, 401, 404]).toContain(status)
  return counts.queries
}
