import sql from 'sql-template-tag'
import { expect, test } from 'vitest'
import type { Client, Reply } from '../../testing/client.ts'
import { startServer as start } from '../../testing/server.ts'

const base = 'https://alcove.test/api/v4'
const startServer = () => start({ settings: { externalUrl: 'https://alcove.test' } })

/** Reads all pages by following the links. */
async function walk(client: Client, path: string): Promise<Reply[]> {
  const pages: Reply[] = []
  for (let next: string | undefined = path; next !== undefined; ) {
    const reply: Reply = await client.get(next)
    expect(reply.status).toBe(200)
    expect(Object.keys(reply.headers).filter((name) => /^x-(total|page|next|prev|per)/.test(name))).toEqual([])
    pages.push(reply)
    const [, url] = /^<([^>]*)>; rel="next"$/.exec(reply.headers['link'] ?? '') ?? []
    expect(reply.headers['link'] === undefined).toBe(url === undefined)
    next = url?.slice(base.length)
  }
  return pages
}

const idsOf = (pages: Reply[]): number[] => pages.flatMap(({ body }) => body.map(({ id }: { id: number }) => id))

test('keyset pagination of groups returns each once in every order', async () => {
  const { admin } = await startServer()
  // Unordered names, each used twice.
  for (const [number, name] of ['mole', 'ant', 'zebra', 'Bee', 'ant', 'mole', 'zebra'].entries()) {
    await admin.post('/groups', { name, path: `p${number}-${name}`, visibility: number % 2 ? 'private' : 'public' })
  }
  for (const order of ['name', 'path', 'id']) {
    for (const sort of ['asc', 'desc']) {
      const list = `/groups?order_by=${order}&sort=${sort}`
      const whole = (await admin.get(list)).body.map(({ id }: { id: number }) => id)
      const pages = await walk(admin, `${list}&pagination=keyset&per_page=2`)
      expect(pages.map(({ body }) => body.length)).toEqual([2, 2, 2, 1])
      expect(idsOf(pages)).toEqual(whole)
    }
  }
  const [first] = await walk(admin, '/groups?pagination=keyset&per_page=1&search=mole')
  expect(first?.headers['link']).toMatch(
    /[?&]cursor=[\w-]+&.*order_by=name&pagination=keyset&per_page=1&search=mole&sort=asc>/,
  )
})

test('keyset pagination of users is newest first, and in any order for administrators', async () => {
  const server = await startServer()
  const nadia = await server.user('nadia')
  for (const name of ['omar', 'pia', 'Ada', 'quin']) await server.user(name)
  const whole = async (client: Client, query: string) =>
    (await client.get(`/users?${query}`)).body.map(({ id }: { id: number }) => id)

  for (const order of ['id', 'name', 'username', 'created_at', 'updated_at']) {
    for (const sort of ['asc', 'desc']) {
      const query = `order_by=${order}&sort=${sort}`
      const pages = await walk(server.admin, `/users?${query}&pagination=keyset&per_page=4`)
      expect(idsOf(pages)).toEqual(await whole(server.admin, query))
    }
  }
  const newestFirst = idsOf(await walk(nadia, '/users?pagination=keyset&per_page=4&order_by=name&sort=asc'))
  expect(newestFirst).toEqual([...newestFirst].sort((a, b) => b - a))
  expect(newestFirst).toEqual(await whole(nadia, ''))
})

test('keyset pagination continues beyond the last page number and after deletions', async () => {
  const { admin, deps } = await startServer()
  const now = deps.now()
  const paths = Array.from({ length: 30 }, (_, number) => ({ path: `group-${number + 10}` }))
  await deps.db.run(sql`
    insert into namespaces (organization_id, kind, name, path, full_path, full_path_key, full_name, visibility,
      created_at, updated_at)
    select 1, 'group', r.path, r.path, r.path, r.path, r.path, 'public', ${now}, ${now}
    from ${deps.db.dialect.records(paths, { path: 'text' })} as r`)

  // The page number is ignored.
  const first = await admin.get('/groups?pagination=keyset&per_page=10&page=501')
  expect(first.body).toHaveLength(10)
  await admin.delete(`/groups/${first.body[9].id}`)
  const rest = await walk(admin, (first.headers['link'] ?? '').slice(1 + base.length).split('>')[0] ?? '')
  expect(rest.flatMap(({ body }) => body.map(({ path }: { path: string }) => path))).toEqual(
    paths.slice(10).map(({ path }) => path),
  )
})

test.each([
  ['invalid content', 'x'],
  ['an object', Buffer.from('{"a":1}').toString('base64url')],
  ['no id', Buffer.from('["a"]').toString('base64url')],
  ['a non-numeric id', Buffer.from('["a","b"]').toString('base64url')],
  ['a NUL', Buffer.from('["a\\u0000",1]').toString('base64url')],
])('a cursor with %s is rejected', async (_, cursor) => {
  const { admin } = await startServer()
  for (const list of ['/groups?', '/users?order_by=name&']) {
    expect(await admin.get(`${list}pagination=keyset&cursor=${cursor}`)).toMatchObject({
      status: 400,
      body: { error: 'cursor is invalid' },
    })
    expect((await admin.get(`${list}cursor=${cursor}`)).status).toBe(200)
  }
  const ofName = Buffer.from('["nadia",1]').toString('base64url')
  const byTime = `/users?order_by=created_at&pagination=keyset&cursor=${ofName}`
  expect(await admin.get(byTime)).toMatchObject({ status: 400, body: { error: 'cursor is invalid' } })
})

test.each(['0000', '-000044', '+012345'])('a cursor with a time in the year %s is rejected', async (year) => {
  const { admin } = await startServer()
  const place = [`${year}-01-01T00:00:00.000Z`, 1]
  const cursorOf = (content: unknown) => Buffer.from(JSON.stringify(content)).toString('base64url')
  for (const path of [
    `/users?order_by=created_at&pagination=keyset&cursor=${cursorOf(place)}`,
    `/security_dashboard/activity?pagination=keyset&cursor=${cursorOf([place, place, place, place])}`,
  ]) {
    expect(await admin.get(path), path).toMatchObject({ status: 400, body: { error: 'cursor is invalid' } })
  }
})

test('a list of thousands of groups is the same in all paginations and contains only visible ones', async () => {
  const server = await startServer()
  const nadia = await server.user('nadia')
  const { db, now } = server.deps
  const rows = Array.from({ length: 4200 }, (_, number) => ({
    path: `g${(number * 2311) % 4200}`,
    visibility: number % 2 ? 'private' : 'internal',
  }))
  await db.run(sql`
    insert into namespaces (organization_id, kind, name, path, full_path, full_path_key, full_name, visibility,
      created_at, updated_at)
    select 1, 'group', r.path, r.path, r.path, r.path, r.path, r.visibility, ${now()}, ${now()}
    from ${db.dialect.records(rows, { path: 'text', visibility: 'text' })} as r`)
  const own = (await nadia.post('/groups', { name: 'g77 own', path: 'own' })).body
  const hidden = rows.filter(({ visibility }) => visibility === 'private').map(({ path }) => path)
  const joined = (await server.admin.get(`/groups/${hidden[0]}`)).body
  await server.admin.post(`/groups/${joined.id}/members`, { user_id: nadia.user?.id, access_level: 10 })
  const visible = [...rows.filter(({ visibility }) => visibility === 'internal'), { path: 'own' }, joined]
  const names = visible.map(({ path }) => (path === 'own' ? own.name : path)).sort()

  const walked = await walk(nadia, '/groups?pagination=keyset&per_page=100')
  expect(walked.flatMap(({ body }) => body.map(({ name }: { name: string }) => name))).toEqual(names)
  const numbered: string[] = []
  for (let page = 1; page <= 22; page++) {
    const { body, headers } = await nadia.get(`/groups?per_page=100&page=${page}`)
    expect(headers['x-total']).toBe(String(names.length))
    numbered.push(...body.map(({ name }: { name: string }) => name))
  }
  expect(numbered).toEqual(names)
  // Few enough to be collected.
  const some = (await nadia.get('/groups?search=g77&per_page=100')).body.map(({ name }: { name: string }) => name)
  expect(some).toEqual(names.filter((name) => name.includes('g77')))
  const mine = (await nadia.get('/groups?min_access_level=10')).body.map(({ id }: { id: number }) => id)
  expect(mine.sort()).toEqual([own.id, joined.id].sort())
})

test('a search for groups matches all words in the name or all in the path, or the whole for short words', async () => {
  const { admin } = await startServer()
  for (const [name, path] of [
    ['Harbour masters', 'harbour'],
    ['Masters of tides', 'tides-harbour'],
    ['ab', 'ab'],
    ['abc', 'cab'],
  ]) {
    await admin.post('/groups', { name, path })
  }
  const found = async (search: string) =>
    (await admin.get(`/groups?search=${encodeURIComponent(search)}`)).body.map(({ path }: { path: string }) => path)

  expect(await found('HARB')).toEqual(['harbour', 'tides-harbour'])
  expect(await found('masters harb')).toEqual(['harbour'])
  expect(await found('AB')).toEqual(['ab'])
  expect(await found('a')).toEqual([])
  expect(await found('abc')).toEqual(['cab'])
  expect(await found(' ')).toHaveLength(4)
  expect(await found('"')).toEqual([])
  // A renamed row is found only by its new name.
  await admin.put('/groups/harbour', { name: 'Lighthouse', path: 'light' })
  expect(await found('harbour')).toEqual(['tides-harbour'])
  expect(await found('lighthouse')).toEqual(['light'])
  await admin.delete('/groups/light')
  expect(await found('light')).toEqual([])
})
