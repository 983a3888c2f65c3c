import sql, { type Sql } from 'sql-template-tag'
import { beforeAll, expect, test } from 'vitest'
import type { CamelCase, Database } from '../../../db/db.ts'
import { findUploadsByName } from '../../../domain/uploads/search/search-uploads.ts'
import type { User } from '../../../domain/users/user.ts'
import { type Client, formWithFile } from '../../../testing/client.ts'
import { startServer, type TestProject, type TestServer } from '../../../testing/server.ts'

let server: TestServer
let own: TestProject
let maintainer: Client
beforeAll(async () => {
  server = await startServer()
  own = await server.project('acme/own')
  maintainer = await server.as('maintainer', own)
  for (const [path, visibility] of [
    ['acme/private', 'private'],
    ['acme/public', 'public'],
  ] as const) {
    const project = await server.project(path, { visibility })
    await upload(`/projects/${project.id}`, `Network plan of ${path.slice(5)}.png`)
  }
  await upload(`/projects/${own.id}`, 'Network plan.png')
  await upload(`/projects/${own.id}`, 'Other notes.txt')
  await upload('/groups/acme', 'Network of the group.svg')
})

const upload = async (place: string, filename: string) => {
  const { status, body } = await server.admin.post(`${place}/uploads`, formWithFile('file', filename, 'bytes'))
  expect(status).toBe(201)
  return body.id
}
const names = async (client: Client, search: string) => {
  const { status, body } = await client.get(`/uploads?search=${encodeURIComponent(search)}`)
  expect([search, status]).toEqual([search, 200])
  return body.map((file: { filename: string }) => file.filename)
}

test('files are found by all words of their names, newest first, with their projects and groups', async () => {
  expect((await server.admin.get('/uploads?search=NETWORK')).body).toMatchObject([
    { filename: 'Network_of_the_group.svg', owner: { kind: 'group', full_path: 'acme' } },
    { filename: 'Network_plan.png', size: 5, owner: { kind: 'project', id: own.id, full_path: 'acme/own' } },
    { filename: 'Network_plan_of_public.png' },
    { filename: 'Network_plan_of_private.png' },
  ])
  expect(await names(server.admin, 'plan network pu')).toHaveLength(3)
  expect(await names(server.admin, 'plan public')).toEqual(['Network_plan_of_public.png'])
  expect(await names(server.admin, 'work_plan')).toHaveLength(3)
  expect(await names(server.admin, '%"a" OR *b*')).toEqual([])
  const page = await server.admin.get('/uploads?search=network&per_page=1&page=2')
  expect(page.body).toMatchObject([{ filename: 'Network_plan.png' }])
  expect(page.headers['x-next-page']).toBe('3')
})

test('a search finds nothing of projects and groups whose uploads the caller may not list', async () => {
  expect(await names(maintainer, 'network')).toEqual(['Network_plan.png'])
  expect(await names(await server.as('developer', own), 'network')).toEqual([])
  expect(await names(await server.user('stranger'), 'network')).toEqual([])
  const owner = await server.user('owner')
  const { body: group } = await server.admin.get('/groups/acme')
  await server.admin.post(`/groups/${group.id}/members`, { user_id: owner.user?.id, access_level: 40 })
  expect(await names(owner, 'network')).toHaveLength(4)
  await server.admin.put(`/groups/${group.id}/members/${owner.user?.id}`, { access_level: 30 })
  expect(await names(owner, 'network')).toEqual([])
  expect((await server.anonymous.get('/uploads?search=network')).status).toBe(401)
  // Nothing of a response leads to a file without the rights to list it.
  expect((await server.admin.get('/uploads?search=network')).text).not.toMatch(/[0-9a-f]{32}/)
})

test('a search finds no deleted file, and needs a word of three characters', async () => {
  const id = await upload(`/projects/${own.id}`, 'short-lived.log')
  expect(await names(maintainer, 'short-lived')).toEqual(['short-lived.log'])
  expect((await maintainer.delete(`/projects/${own.id}/uploads/${id}`)).status).toBe(204)
  expect(await names(maintainer, 'short-lived')).toEqual([])
  for (const search of ['ab', 'a b', '%20', '']) {
    expect((await maintainer.get(`/uploads?search=${search}`)).status, search).toBe(400)
  }
  expect((await maintainer.get('/uploads')).status).toBe(400)
  expect((await maintainer.get('/uploads?search=plan&name=x')).status).toBe(400)
})

test('a search covers a limited number of files at once where it would block other requests', async () => {
  const statements: string[] = []
  const server = await startServer({ observe: (query) => statements.push(query.sql) })
  const { id } = await server.project('acme/own')
  const { db } = server.deps
  const rows = Array.from({ length: 12_000 }, (_, index) => ({
    name: `${index % 4_000 === 3 ? 'plan' : 'log'} ${index}.txt`,
  }))
  await db.run(sql`
    insert into uploads (project_id, secret, filename, bytes, sha256, object_key, created_at)
    select ${id}, r.name, r.name, 1, '', r.name, ${server.deps.now()}
    from ${db.dialect.records(rows, { name: 'text' })} as r where true`)
  statements.length = 0
  expect(await names(server.admin, 'plan')).toEqual(['plan 8003.txt', 'plan 4003.txt', 'plan 3.txt'])
  const searches = statements.filter((text) => text.includes('limit'))
  expect(searches).toHaveLength(db.dialect.engine === 'sqlite' ? 3 : 1)
  const last = await server.admin.get('/uploads?search=plan&per_page=2&page=2')
  expect(last.body).toMatchObject([{ filename: 'plan 3.txt', owner: { full_path: 'acme/own' } }])
  expect(last.headers['x-next-page']).toBe('')
})

test('a page that loses a file while it is read still leads to the next one', async () => {
  const server = await startServer()
  const project = await server.project('acme/own')
  for (const number of [1, 2, 3]) {
    await server.admin.post(`/projects/${project.id}/uploads`, formWithFile('file', `plan-${number}.txt`, 'bytes'))
  }
  const { db } = server.deps
  const changing: Database = {
    ...db,
    async all<Row extends CamelCase<Row>>(query: Sql) {
      const rows = await db.all<Row>(query)
      if (query.sql.includes('limit')) await db.run(sql`delete from uploads where filename = 'plan-3.txt'`)
      return rows
    },
  }
  const caller = { user: server.admin.user as User, isAdmin: true } // the administrator has an account
  const page = { page: 1, perPage: 2, offset: 0 }
  const found = await findUploadsByName({ ...server.deps, db: changing }, caller, 'plan', page)
  expect(found).toMatchObject({ hasNext: true, rows: [{ filename: 'plan-2.txt' }] })
})
