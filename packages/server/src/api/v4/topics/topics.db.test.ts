import sql from 'sql-template-tag'
import { beforeAll, describe, expect, test } from 'vitest'
import { formWithFile } from '../../../testing/client.ts'
import { startServer, type TestServer } from '../../../testing/server.ts'

let server: TestServer
beforeAll(async () => {
  server = await startServer()
})

let names = 0
const freshName = (prefix = 'topic') => `${prefix}-${++names}`

async function topic(fields: Record<string, unknown> = {}) {
  const name = freshName()
  const created = await server.admin.post('/topics', { name, title: `Title of ${name}`, ...fields })
  expect(created.status).toBe(201)
  return created.body
}

const png = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
)

/** Start of an image whose bytes are stored unchanged. */
const gif = Buffer.from('GIF89a')

describe('POST /topics', () => {
  test('returns the topic with its fields in GitLab’s order', async () => {
    const name = freshName()
    const created = await server.admin.post('/topics', { name, title: 'Data visualisation' })
    expect(created.status).toBe(201)
    expect(created.text).toBe(
      `{"id":${created.body.id},"name":"${name}","title":"Data visualisation","description":null,` +
        '"total_projects_count":0,"organization_id":1,"avatar_url":null}',
    )
    expect(created.headers['content-type']).toBe('application/json')
  })

  test.each([
    [{}, { error: 'name is missing, title is missing' }],
    [{ name: 'a' }, { error: 'title is missing' }],
    [{ title: 'a' }, { error: 'name is missing' }],
    [{ name: 'a', title: 'a', organization_id: 'x' }, { error: 'organization_id is invalid' }],
    [{ name: 'a', title: 'a', avatar: 'base64' }, { error: 'avatar is invalid' }],
    [{ name: '', title: '' }, { message: { name: ["can't be blank"], title: ["can't be blank"] } }],
    [{ name: null, title: 'a' }, { message: { name: ["can't be blank"] } }],
    [{ name: 'n'.repeat(256), title: 'a' }, { message: { name: ['is too long (maximum is 255 characters)'] } }],
    [{ name: 'two\nlines', title: 'a' }, { message: { name: ['has characters that are not allowed'] } }],
    [{ name: 'café', title: 'a' }, { message: { name: ['must only include ASCII characters'] } }],
    [{ name: 'b', title: 't'.repeat(256) }, { message: { title: ['is too long (maximum is 255 characters)'] } }],
    [
      { name: 'b', title: 'b', description: 'd'.repeat(1025) },
      { message: { description: ['is too long (maximum is 1024 characters)'] } },
    ],
  ])('rejects %j', async (body, expected) => {
    const before = await server.admin.get('/topics?per_page=100')
    expect(await server.admin.post('/topics', body)).toMatchObject({ status: 400, body: expected })
    expect((await server.admin.get('/topics?per_page=100')).body).toEqual(before.body)
  })

  test('rejects a name that is taken in another case', async () => {
    const { name } = await topic()
    const again = await server.admin.post('/topics', { name: name.toUpperCase(), title: 'Twin' })
    expect(again).toMatchObject({ status: 400, body: { message: { name: ['has already been taken'] } } })
  })

  test('accepts a title of 255 four-byte characters', async () => {
    expect((await topic({ title: '🦊'.repeat(255) })).title).toBe('🦊'.repeat(255))
  })

  test('requires an administrator, and reports missing fields before it checks permissions', async () => {
    const someone = await server.user(freshName('user'))
    const body = { name: freshName(), title: 'a' }
    expect(await server.anonymous.post('/topics', {})).toMatchObject({ status: 400 })
    expect(await server.anonymous.post('/topics', body)).toMatchObject({
      status: 401,
      body: { message: '401 Unauthorized' },
    })
    expect(await someone.post('/topics', body)).toMatchObject({ status: 403, body: { message: '403 Forbidden' } })
    expect(await server.admin.post('/topics', { ...body, organization_id: 99 })).toMatchObject({
      status: 404,
      body: { message: '404 Organization Not Found' },
    })
  })

  test('accepts a form and multipart as well as JSON', async () => {
    const form = new URLSearchParams({ name: freshName(), title: 'Form & more' })
    expect(await server.admin.post('/topics', form)).toMatchObject({ status: 201, body: { title: 'Form & more' } })
    const multipart = formWithFile('avatar', 'logo.png', png, { name: freshName(), title: 'Multipart' })
    expect(await server.admin.post('/topics', multipart)).toMatchObject({ status: 201, body: { title: 'Multipart' } })
  })
})

describe('PUT /topics/:id', () => {
  test('changes the given fields and no others', async () => {
    const { id, title } = await topic({ description: 'before' })
    const name = freshName('renamed')
    expect(await server.admin.put(`/topics/${id}`, { name })).toMatchObject({
      status: 200,
      body: { id, name, title, description: 'before' },
    })
    expect(await server.admin.put(`/topics/${id}`, { description: null })).toMatchObject({
      body: { description: null },
    })
    expect(await server.admin.put(`/topics/${id}`)).toMatchObject({ status: 200, body: { name, title } })
  })

  test('accepts a change of case in the name, but not another topic’s name', async () => {
    const [one, two] = [await topic(), await topic()]
    const upper = await server.admin.put(`/topics/${one.id}`, { name: one.name.toUpperCase() })
    expect(upper).toMatchObject({ status: 200, body: { name: one.name.toUpperCase() } })
    const taken = await server.admin.put(`/topics/${one.id}`, { name: two.name.toUpperCase(), title: 'lost' })
    expect(taken).toMatchObject({ status: 400, body: { message: { name: ['has already been taken'] } } })
    expect((await server.admin.get(`/topics/${one.id}`)).body.title).toBe(one.title)
  })

  test('accepts a blank title, as GitLab does, and rejects one that is too long', async () => {
    const { id } = await topic()
    expect(await server.admin.put(`/topics/${id}`, { title: '' })).toMatchObject({ status: 200, body: { title: '' } })
    expect(await server.admin.put(`/topics/${id}`, { title: 't'.repeat(256) })).toMatchObject({
      status: 400,
      body: { message: { title: ['is too long (maximum is 255 characters)'] } },
    })
  })

  test('returns 404 for an unknown topic and 400 for an invalid id', async () => {
    for (const method of ['put', 'delete'] as const) {
      const unknown = await server.admin[method]('/topics/999999', { title: 'x' })
      expect(unknown).toMatchObject({ status: 404, body: { message: '404 Not found' } })
      expect(await server.admin[method]('/topics/x')).toMatchObject({ status: 400, body: { error: 'id is invalid' } })
    }
  })
})

describe('DELETE /topics/:id', () => {
  test('returns 204 without a body, and 404 the second time', async () => {
    const { id } = await topic()
    const deleted = await server.admin.delete(`/topics/${id}`, {})
    expect(deleted).toMatchObject({ status: 204, text: '' })
    expect(deleted.headers['content-type']).toBeUndefined()
    expect((await server.admin.delete(`/topics/${id}`)).status).toBe(404)
    expect((await server.anonymous.get(`/topics/${id}`)).status).toBe(404)
  })

  test('removes the topic from its projects', async () => {
    const { id, name } = await topic()
    const project = await server.project(`acme/${freshName('project')}`)
    await server.admin.put(`/projects/${project.id}`, { topics: [name, 'kept'] })
    await server.admin.delete(`/topics/${id}`)
    expect((await server.admin.get(`/projects/${project.id}`)).body.topics).toEqual(['kept'])
  })

  test('returns 412 when the topic changed after If-Unmodified-Since', async () => {
    const { id } = await topic()
    const headers = { 'if-unmodified-since': 'Thu, 01 Jan 2026 00:00:00 GMT' }
    expect(await server.admin.delete(`/topics/${id}`, undefined, { headers })).toMatchObject({
      status: 412,
      body: { message: '412 Precondition Failed' },
    })
    headers['if-unmodified-since'] = new Date(Date.now() + 60_000).toUTCString()
    expect((await server.admin.delete(`/topics/${id}`, undefined, { headers })).status).toBe(204)
  })
})

describe('topic avatars', () => {
  test('are public, inline and cacheable until they are removed', async () => {
    const { id } = await topic()
    const set = await server.admin.put(`/topics/${id}`, formWithFile('avatar', 'my logo.png', png))
    expect(set.status).toBe(200)
    expect(set.body.avatar_url).toMatch(
      new RegExp(`^http://.*/uploads/-/system/projects/topic/avatar/${id}/my_logo.png$`),
    )

    const path = `/${new URL(set.body.avatar_url).pathname}`
    const served = await server.anonymous.get(path)
    expect(served.status).toBe(200)
    expect(served.bytes.equals(png)).toBe(true)
    expect(served.headers).toMatchObject({ 'content-type': 'image/png', 'cache-control': 'max-age=300, public' })
    expect(served.headers['content-security-policy']).toBe("sandbox; default-src 'none'; frame-ancestors 'none'")
    expect((await server.anonymous.get(path.replace('my_logo', 'other'))).status).toBe(404)

    const removed = await server.admin.put(`/topics/${id}`, { avatar: '' })
    expect(removed).toMatchObject({ status: 200, body: { avatar_url: null } })
    expect((await server.anonymous.get(path)).status).toBe(404)
  })

  test.each([
    ['a blank form field', new URLSearchParams({ avatar: '' })],
    ['null', { avatar: null }],
  ])('are removed by %s', async (_, body) => {
    const { id } = await topic()
    await server.admin.put(`/topics/${id}`, formWithFile('avatar', 'logo.png', png))
    expect((await server.admin.put(`/topics/${id}`, body)).body.avatar_url).toBeNull()
  })

  test('are kept when the request is rejected', async () => {
    const [one, two] = [await topic(), await topic()]
    const { body } = await server.admin.put(`/topics/${one.id}`, formWithFile('avatar', 'logo.png', png))
    expect((await server.admin.put(`/topics/${one.id}`, { avatar: '', name: two.name })).status).toBe(400)
    expect((await server.admin.get(`/topics/${one.id}`)).body.avatar_url).toBe(body.avatar_url)
  })

  const formats =
    'file format is not supported. Please try one of the following supported formats: image/png, image/jpeg, image/gif, image/bmp, image/tiff, image/vnd.microsoft.icon'
  const extensions =
    'file format is not supported. Please try one of the following supported formats: png, jpg, jpeg, gif, bmp, tiff, ico, webp'
  test.each([
    ['logo.png', '<html></html>', [formats]],
    ['logo.exe', png, [extensions]],
    ['logo.svg', '<svg xmlns="http://www.w3.org/2000/svg"/>', [extensions, formats]],
    ['logo.png', Buffer.concat([gif, Buffer.alloc(204_800)]), ['is too big (should be at most 200 KiB)']],
  ])('%s is rejected with the reasons and stores nothing', async (filename, content, texts) => {
    const { id } = await topic()
    const before = await storedKeys()
    const refused = await server.admin.put(`/topics/${id}`, formWithFile('avatar', filename, content))
    expect(refused).toMatchObject({ status: 400, body: { message: { avatar: texts } } })
    expect(await storedKeys()).toEqual(before)
  })

  test('have at most 200 KiB', async () => {
    const { id } = await topic()
    const exact = Buffer.concat([gif, Buffer.alloc(204_800 - gif.length)])
    expect((await server.admin.put(`/topics/${id}`, formWithFile('avatar', 'a.png', exact))).status).toBe(200)
  })

  test('are not stored for callers without permission', async () => {
    const before = await storedKeys()
    const form = formWithFile('avatar', 'a.png', png, { name: freshName(), title: 'a' })
    expect((await server.anonymous.post('/topics', form)).status).toBe(401)
    expect(await storedKeys()).toEqual(before)
  })

  async function storedKeys() {
    const keys: string[] = []
    for await (const { key } of server.deps.objects.list('')) keys.push(key)
    return keys.sort()
  }
})

describe('POST /topics/merge', () => {
  test('moves the projects, counts each once, and deletes the source', async () => {
    const [source, target] = [await topic(), await topic({ description: 'stays' })]
    const projects = await Promise.all([1, 2, 3].map(() => server.project(`acme/${freshName('project')}`)))
    const carried = [[source.name], [source.name, target.name], [target.name]]
    for (const [index, topics] of carried.entries()) {
      await server.admin.put(`/projects/${projects[index]?.id}`, { topics })
    }
    const body = new URLSearchParams({ source_topic_id: `${source.id}`, target_topic_id: `${target.id}` })
    expect(await server.admin.post('/topics/merge', body)).toMatchObject({
      status: 201,
      body: { id: target.id, name: target.name, description: 'stays', total_projects_count: 3 },
    })
    expect((await server.admin.get(`/topics/${source.id}`)).status).toBe(404)
    for (const project of projects) {
      expect((await server.admin.get(`/projects/${project.id}`)).body.topics).toEqual([target.name])
    }
  })

  test('rejects invalid input with GitLab’s messages', async () => {
    const { id } = await topic()
    const merge = (body: object) => server.admin.post('/topics/merge', body)
    expect(await merge({})).toMatchObject({
      status: 400,
      body: { error: 'source_topic_id is missing, target_topic_id is missing' },
    })
    expect(await merge({ source_topic_id: 'x', target_topic_id: 1 })).toMatchObject({
      status: 400,
      body: { error: 'source_topic_id is invalid' },
    })
    expect(await merge({ source_topic_id: 999_999, target_topic_id: id })).toMatchObject({
      status: 404,
      body: { message: '404 Not found' },
    })
    expect(await merge({ source_topic_id: id, target_topic_id: id })).toMatchObject({
      status: 400,
      body: { message: 'The source topic and the target topic are identical.' },
    })
  })

  test('has no GET, where "merge" is read as an id', async () => {
    expect(await server.admin.get('/topics/merge')).toMatchObject({ status: 400, body: { error: 'id is invalid' } })
  })
})

describe('GET /topics', () => {
  let listed: TestServer
  beforeAll(async () => {
    listed = await startServer()
    const create = (name: string, title: string) => listed.admin.post('/topics', { name, title })
    await create('gitlab', 'GitLab')
    await create('git', 'Git itself')
    await create('100%_wild', 'Per "cent"')
    await create('machine learning', 'ML and statistics')
    await create('go', 'Go')
    const put = async (path: string, topics: string[], visibility: 'public' | 'private') => {
      const { id } = await listed.project(path, { visibility })
      await listed.admin.put(`/projects/${id}`, { topics })
    }
    await put('acme/one', ['git', 'go'], 'public')
    await put('acme/two', ['git'], 'public')
    await put('acme/three', ['machine learning', 'go'], 'private')
    await put('acme/four', ['machine learning'], 'private')
    await put('acme/five', ['machine learning'], 'private')
  })

  const search = async (query: string) => {
    const { body } = await listed.anonymous.get(`/topics?${query}`)
    return body.map(({ name }: { name: string }) => name)
  }

  test('orders by non-private projects and then by id; the count includes private projects', async () => {
    const { body } = await listed.anonymous.get('/topics')
    expect(body.map((row: Record<string, unknown>) => [row['name'], row['total_projects_count']])).toEqual([
      ['git', 2],
      ['go', 2],
      ['gitlab', 0],
      ['100%_wild', 0],
      ['machine learning', 3],
    ])
  })

  test.each([
    ['search=git', ['git', 'gitlab']],
    ['search=GIT', ['git', 'gitlab']],
    ['search=g', []],
    ['search=gi', []],
    ['search=GO', ['go']],
    ['search=itself', ['git']],
    ['search=learning+machine', ['machine learning']],
    ['search="machine+learning"', ['machine learning']],
    ['search="learning+machine"', []],
    ['search=machine+statistics', []],
    ['search=100%25_', ['100%_wild']],
    ['search=1_0', []],
    ['search=++', ['git', 'go', 'gitlab', '100%_wild', 'machine learning']],
    ['without_projects=true', ['gitlab', '100%_wild']],
    ['without_projects=yes&search=git', ['gitlab']],
    ['without_projects=0&search=git', ['git', 'gitlab']],
  ])('%s finds %j', async (query, expected) => {
    expect(await search(query)).toEqual(expected)
  })

  test('accepts quotes and special characters in a search', async () => {
    for (const text of [
      '"',
      '""',
      '"cent"',
      "'; drop table topics",
      '*',
      'a*b*c',
      '\\\\\\',
      'AND OR NOT',
      'name:git',
    ]) {
      expect((await listed.anonymous.get(`/topics?search=${encodeURIComponent(text)}`)).status).toBe(200)
    }
    expect(await search(`search=${encodeURIComponent('"cent"')}`)).toEqual(['100%_wild'])
  })

  test('searches for thousands of words within two seconds', async () => {
    const words = Array.from({ length: 1500 }, (_, number) => `git${number.toString(36)}xyz`).join('+')
    const started = performance.now()
    expect(await search(`search=${words}`)).toEqual([])
    expect(performance.now() - started).toBeLessThan(2000)
  })

  test('is paged with all headers', async () => {
    const page = await listed.anonymous.get('/topics?per_page=2&page=2')
    expect(page.body).toHaveLength(2)
    expect(page.headers).toMatchObject({
      'x-total': '5',
      'x-total-pages': '3',
      'x-per-page': '2',
      'x-page': '2',
      'x-next-page': '3',
      'x-prev-page': '1',
    })
    expect(page.headers['link']).toBe(
      ['1>; rel="prev"', '3>; rel="next"', '1>; rel="first"', '3>; rel="last"']
        .map((end) => `<http://localhost:80/api/v4/topics?organization_id=1&page=${end.replace('>', '&per_page=2>')}`)
        .join(', '),
    )
    expect(await listed.anonymous.get('/topics?page=9')).toMatchObject({ status: 200, body: [] })
  })

  test('has the same pages in any order of requests, however far', async () => {
    const server = await startServer()
    const { db } = server.deps
    const now = server.deps.now()
    const rows = Array.from({ length: 2_750 }, (_, index) => ({
      name: `topic-${index}`,
      // The first half has different numbers of projects, the other half none.
      projects: index < 1_300 ? Math.floor(index / 7) : 0,
    }))
    await db.run(sql`
      insert into topics (organization_id, name, name_key, title, title_key, total_projects_count,
        non_private_projects_count, created_at, updated_at)
      select 1, r.name, r.name, r.name, r.name, r.projects, r.projects, ${now}, ${now}
      from ${db.dialect.records(rows, { name: 'text', projects: 'integer' })} as r`)
    const all = await db.all<{ id: number }>(sql`
      select id from topics order by non_private_projects_count desc, id`)
    const ids = all.map(({ id }) => id)
    for (const [perPage, page] of [
      ...([25, 12, 110, 24, 26, 13, 51, 52, 53, 60, 70, 111].map((page) => [25, page]) as [number, number][]),
      ...([5, 6, 11, 15, 16, 20, 27, 28, 29].map((page) => [100, page]) as [number, number][]),
    ]) {
      const { body } = await server.anonymous.get(`/topics?per_page=${perPage}&page=${page}`)
      const start = (page - 1) * perPage
      expect(body.map(({ id }: { id: number }) => id)).toEqual(ids.slice(start, start + perPage))
    }
    await db.run(sql`update topics set non_private_projects_count = 1000 where id = ${ids.at(-1)}`)
    const { body } = await server.anonymous.get('/topics?per_page=25&page=110')
    expect(body.map(({ id }: { id: number }) => id)).toEqual(ids.slice(2_724, 2_749))
  })

  test('returns a write at once although lists are cached', async () => {
    const first = await listed.anonymous.get('/topics?search=fresh-one')
    expect(first.body).toEqual([])
    const { body } = await listed.admin.post('/topics', { name: 'fresh-one', title: 'Fresh' })
    expect((await listed.anonymous.get('/topics?search=fresh-one')).body).toEqual([body])
    await listed.admin.delete(`/topics/${body.id}`)
    expect((await listed.anonymous.get('/topics?search=fresh-one')).body).toEqual([])
  })

  test('rejects an invalid token although none is required, and invalid parameters', async () => {
    const headers = { 'private-token': 'nobody-has-this-token' }
    expect(await listed.anonymous.get('/topics', { headers })).toMatchObject({ status: 401 })
    expect(await listed.anonymous.get('/topics?without_projects=maybe')).toMatchObject({
      status: 400,
      body: { error: 'without_projects is invalid' },
    })
    expect(await listed.anonymous.get('/topics?organization_id=7')).toMatchObject({
      status: 404,
      body: { message: '404 Organization Not Found' },
    })
    expect(await listed.anonymous.get('/topics?per_page=0')).toMatchObject({
      status: 400,
      body: { error: 'per_page has a value not allowed' },
    })
  })

  test('returns 304 for an unchanged response', async () => {
    const { headers } = await listed.anonymous.get('/topics')
    expect(headers['etag']).toMatch(/^W\/"[0-9a-f]{32}"$/)
    const again = await listed.anonymous.get('/topics', { headers: { 'if-none-match': headers['etag'] ?? '' } })
    expect(again).toMatchObject({ status: 304, text: '' })
  })

  test('returns only headers for HEAD', async () => {
    const head = await listed.anonymous.head('/topics')
    expect(head).toMatchObject({ status: 200, text: '' })
    expect(head.headers).toMatchObject({ 'x-total': '5', 'content-type': 'application/json' })
  })
})
