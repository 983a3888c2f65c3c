import sql from 'sql-template-tag'
import { describe, expect, test } from 'vitest'
import { type Client, createClient } from '../../testing/client.ts'
import { freshDatabase, testEngine } from '../../testing/databases/database.ts'
import { startServer, type TestServer } from '../../testing/server.ts'

/** Two processes on one database; PostgreSQL only. */
async function startTwo(): Promise<{ here: TestServer; there: TestServer }> {
  const database = await freshDatabase()
  const another = { db: await database.openSecond(), drop: async () => {} }
  const here = await startServer({ database })
  return { here, there: await startServer({ database: another }) }
}

/** Issues a token of the user in one process and returns a client of the other with it. */
async function clientElsewhere(here: TestServer, there: TestServer, of: Client): Promise<Client> {
  const { body } = await here.admin.post(`/users/${of.user?.id}/personal_access_tokens`, {
    name: 'token',
    scopes: ['api'],
  })
  return createClient(there.app, { token: body.token })
}

/** Enough repetitions to detect a notification that is late once in ten times. */
const tries = 60

describe.runIf(testEngine === 'postgres')('a process, after a write in another process on its database', () => {
  test('rejects a revoked token', async () => {
    const { here, there } = await startTwo()
    const user = await here.user('alice')
    for (let n = 0; n < tries; n++) {
      const { body } = await here.admin.post(`/users/${user.user?.id}/personal_access_tokens`, {
        name: `token ${n}`,
        scopes: ['api'],
      })
      const elsewhere = createClient(there.app, { token: body.token })
      expect((await elsewhere.get('/user')).status).toBe(200)
      expect((await here.admin.delete(`/personal_access_tokens/${body.id}`)).status).toBe(204)
      expect((await elsewhere.get('/user')).status).toBe(401)
    }
  })

  test('rejects a blocked user, and accepts them again after unblocking', async () => {
    const { here, there } = await startTwo()
    const user = await here.user('alice')
    const elsewhere = await clientElsewhere(here, there, user)
    for (let n = 0; n < tries; n++) {
      expect((await elsewhere.get('/user')).status).toBe(200)
      expect((await here.admin.post(`/users/${user.user?.id}/block`)).status).toBe(201)
      expect((await elsewhere.get('/user')).status).toBe(403)
      expect((await here.admin.post(`/users/${user.user?.id}/unblock`)).status).toBe(201)
    }
  })

  test('hides the project from a removed member, and returns changed lists', async () => {
    const { here, there } = await startTwo()
    const project = await here.project('acme/site')
    const user = await here.user('alice')
    const elsewhere = await clientElsewhere(here, there, user)
    for (let n = 0; n < tries; n++) {
      const member = { user_id: user.user?.id, access_level: 20 }
      expect((await here.admin.post(`/projects/${project.id}/members`, member)).status).toBe(201)
      expect((await elsewhere.get(`/projects/${project.id}`)).status).toBe(200)
      expect((await here.admin.delete(`/projects/${project.id}/members/${user.user?.id}`)).status).toBe(204)
      expect((await elsewhere.get(`/projects/${project.id}`)).status).toBe(404)
      expect((await here.admin.post('/topics', { name: `topic-${n}`, title: `Topic ${n}` })).status).toBe(201)
      expect((await elsewhere.get('/topics?per_page=100')).body).toHaveLength(n + 1)
    }
  })

  test('returns changes even while its notification connection is terminated repeatedly', async () => {
    const { here, there } = await startTwo()
    await here.admin.get('/topics')
    const cut = sql`
      select pg_terminate_backend(pid) from pg_stat_activity
      where datname = current_database() and pid <> pg_backend_pid() and query like '%recent_commits%'`
    for (let n = 0; n < tries; n++) {
      if (n % 10 === 0) await here.deps.db.all(cut)
      expect((await here.admin.post('/topics', { name: `topic-${n}`, title: `Topic ${n}` })).status).toBe(201)
      expect((await there.admin.get('/topics?per_page=100')).body).toHaveLength(n + 1)
    }
  })
})
