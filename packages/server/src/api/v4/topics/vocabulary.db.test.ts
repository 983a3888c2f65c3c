import { existsSync, readFileSync } from 'node:fs'
import { beforeEach, describe, expect, test } from 'vitest'
import { formWithFile } from '../../../testing/client.ts'
import { startServer, type TestServer } from '../../../testing/server.ts'

let server: TestServer
beforeEach(async () => {
  server = await startServer()
})

const load = (text: string, fields: Record<string, string> = {}, name = 'topics.yaml') =>
  server.admin.post('/topics/import', formWithFile('file', name, text, fields))
const exported = async (format = 'yaml') => (await server.admin.get(`/topics/export?format=${format}`)).text
const storedObjects = async () => {
  let found = 0
  for await (const _ of server.deps.objects.list('files/')) found++
  return found
}

const file = `version: 1
topics:
  - name: "c++"
    title: "C++"
    description: null
    aliases: []
  - name: javascript
    title: JavaScript
    description: "Runs everywhere: browsers, servers.\\nAnd more"
    aliases:
      - ECMAScript
      - js
  - name: machine learning
    title: "Machine “learning” 🦊"
    description: null
    aliases: []
`

const named = (name: string) => ({ name, title: name })

test('an exported vocabulary can be imported and exported again as the same bytes, in both formats', async () => {
  expect(await exported()).toBe('version: 1\ntopics: []\n')
  expect(await load(file)).toMatchObject({ status: 201, body: { created: 3, updated: 0, deleted: 0, unchanged: 0 } })
  const yaml = await exported()
  expect(yaml).toBe(file.replace('"c++"', 'c++').replace('"C++"', 'C++'))
  const json = await exported('json')
  expect(JSON.parse(json).topics).toHaveLength(3)
  expect((await load(yaml)).body).toMatchObject({ created: 0, updated: 0, unchanged: 3 })
  expect((await load(json, {}, 'topics.json')).body).toMatchObject({ created: 0, updated: 0, unchanged: 3 })

  server = await startServer()
  await load(json)
  expect([await exported(), await exported('json')]).toEqual([yaml, json])
  expect((await server.anonymous.get('/topics?search=ECMAScript')).body).toMatchObject([{ name: 'javascript' }])
})

test('the topic export has a content type and filename', async () => {
  const yaml = await server.admin.get('/topics/export')
  expect(yaml.headers).toMatchObject({
    'content-type': 'application/yaml',
    'content-disposition': expect.stringContaining('filename="topics.yaml"'),
  })
  const json = await server.admin.get('/topics/export?format=json')
  expect(json.headers['content-type']).toBe('application/json')
  expect((await server.admin.get('/topics/export?format=xml')).body).toEqual({
    error: 'format does not have a valid value',
  })
})

test('a topic import changes only what differs and keeps ids and projects; dry_run lists the changes', async () => {
  await load(file)
  const project = await server.project('acme/site')
  await server.admin.put(`/projects/${project.id}`, { topics: ['js', 'c++'] })
  const before = await exported()
  const [{ id }] = (await server.admin.get('/topics?search=javascript')).body
  const changed = file
    .replace('name: javascript\n    title: JavaScript', 'name: JavaScript\n    title: JS')
    .replace('      - js\n', '')
    .replace('name: machine learning', 'name: js')
  const expected = {
    created: 1,
    updated: 1,
    deleted: 0,
    unchanged: 1,
    changes: [
      {
        action: 'update',
        name: 'javascript',
        fields: [
          { field: 'name', from: 'javascript', to: 'JavaScript' },
          { field: 'title', from: 'JavaScript', to: 'JS' },
          { field: 'aliases', from: ['ECMAScript', 'js'], to: ['ECMAScript'] },
        ],
      },
      { action: 'create', name: 'js', fields: [] },
    ],
  }
  expect(await load(changed, { dry_run: 'true' })).toMatchObject({ status: 201, body: { dry_run: true, ...expected } })
  expect(await exported()).toBe(before)
  expect((await load(changed)).body).toEqual({ dry_run: false, ...expected })
  expect((await server.admin.get(`/topics/${id}`)).body).toMatchObject({ name: 'JavaScript', total_projects_count: 1 })
  expect((await server.admin.get(`/projects/${project.id}`)).body.topics).toEqual(['JavaScript', 'c++'])
  expect((await server.admin.get('/topics')).body).toHaveLength(4)
})

test('a topic import keeps fields that an entry lacks, and clears fields that are empty', async () => {
  await load(file)
  const before = await exported()
  const silent = 'version: 1\ntopics: [{name: javascript}, {name: c++}, {name: machine learning}]'
  for (const dry_run of ['true', 'false']) {
    const { body } = await load(silent, { dry_run, prune: 'true' })
    expect(body).toMatchObject({ created: 0, updated: 0, deleted: 0, unchanged: 3, changes: [] })
  }
  expect(await exported()).toBe(before)

  const described = 'version: 1\ntopics: [{name: javascript, description: Runs}]'
  expect((await load(described)).body.changes).toMatchObject([
    { action: 'update', fields: [{ field: 'description', to: 'Runs' }] },
  ])
  const title = 'Machine “learning” 🦊'
  const erasing = {
    version: 1,
    topics: [
      { name: 'javascript', description: null, aliases: [] },
      { name: 'machine learning', title: null, description: '' },
    ],
  }
  const changes = [
    {
      action: 'update',
      name: 'javascript',
      fields: [
        { field: 'description', from: 'Runs', to: null },
        { field: 'aliases', from: ['ECMAScript', 'js'], to: [] },
      ],
    },
    {
      action: 'update',
      name: 'machine learning',
      fields: [
        { field: 'title', from: title, to: 'machine learning' },
        { field: 'description', from: null, to: '' },
      ],
    },
  ]
  expect((await load(JSON.stringify(erasing), { dry_run: 'true' })).body.changes).toEqual(changes)
  expect((await load(JSON.stringify(erasing))).body.changes).toEqual(changes)
  expect((await server.admin.get('/topics?search=javascript')).body).toMatchObject([
    { title: 'JavaScript', description: null },
  ])
  expect(await load('version: 1\ntopics: [{name: c++, title: ""}]')).toMatchObject({ status: 400 })
})

test('a topic import restores the fields that were empty in the export', async () => {
  await load(file)
  const before = [await exported(), await exported('json')]
  await load('version: 1\ntopics: [{name: c++, title: X, description: Y, aliases: [cpp]}]')
  for (const text of before) {
    await load('version: 1\ntopics: [{name: c++, title: X, description: Y, aliases: [cpp]}]')
    expect((await load(text)).body).toMatchObject({ updated: 1, unchanged: 2 })
    expect([await exported(), await exported('json')]).toEqual(before)
  }
})

test('a topic import with prune deletes topics that are not in the file, and none of another organization', async () => {
  const other = await server.admin.post('/organizations', { name: 'Other', path: 'other' })
  const organization_id = String(other.body.id)
  await load(file, { organization_id })
  await load(file)
  const reply = await load('version: 1\ntopics: [{name: c++, title: C++, aliases: [js]}]', { prune: 'true' })
  expect(reply.body).toMatchObject({ created: 0, updated: 1, deleted: 2, unchanged: 0 })
  expect(await exported()).toBe(
    'version: 1\ntopics:\n  - name: c++\n    title: C++\n    description: null\n    aliases:\n      - js\n',
  )
  expect((await load(file, { organization_id, prune: 'true' })).body).toMatchObject({ deleted: 0, unchanged: 3 })
})

test('an invalid topic import changes nothing and lists all problems', async () => {
  await load(file)
  const before = await exported()
  const reply = await load(
    'version: 1\ntopics: [{name: new}, {name: other, aliases: [javascript, new]}, {name: js}, {name: é, title: ""}]',
  )
  expect(reply).toMatchObject({
    status: 400,
    body: {
      message: {
        base: [
          'entry 4, name: must only include ASCII characters',
          "entry 4, title: can't be blank",
          'entry 2, aliases: "new" is the name of entry 1 already',
        ],
      },
      errors: [
        { entry: 4, field: 'name', reason: 'must only include ASCII characters' },
        { entry: 4, field: 'title', reason: "can't be blank" },
        { entry: 2, field: 'aliases', reason: '"new" is the name of entry 1 already' },
      ],
    },
  })
  const taken = await load('version: 1\ntopics: [{name: new}, {name: other, aliases: [javascript]}, {name: js}]')
  expect(taken.body.errors).toEqual([
    {
      entry: 2,
      field: 'aliases',
      reason: '"javascript" is the name of a topic that is not in the file; merge it, or prune',
    },
    { entry: 3, field: 'name', reason: '"js" is an alias of "javascript", which is not in the file' },
  ])
  expect(await exported()).toBe(before)
  expect(await storedObjects()).toBe(0)
})

test.each([
  ['no file', new URLSearchParams({ prune: 'true' }), 'file is missing'],
  ['a form with text in place of a file', new URLSearchParams({ file: 'version: 1' }), 'file is invalid'],
  ['an empty body', '', 'file is missing'],
])('a topic import with %s returns 400', async (_, body, error) => {
  expect(await server.admin.post('/topics/import', body)).toMatchObject({ status: 400, body: { error } })
})

test.each([
  ['application/yaml', file],
  ['text/yaml; charset=utf-8', file],
  ['application/octet-stream', file],
  ['application/json', JSON.stringify({ version: 1, topics: ['c++', 'javascript', 'machine learning'].map(named) })],
])('a topic import accepts %s as a raw body, with options in the query', async (type, body) => {
  const send = (query = '', sent: string | Buffer = body, client = server.admin) =>
    client.post(`/topics/import${query}`, sent, { headers: { 'content-type': type } })
  expect(await send('?dry_run=true')).toMatchObject({ status: 201, body: { dry_run: true, created: 3 } })
  expect(await exported()).toBe('version: 1\ntopics: []\n')
  expect(await send()).toMatchObject({ status: 201, body: { dry_run: false, created: 3 } })
  expect(await send('?prune=1', '{"version": 1, "topics": []}')).toMatchObject({ status: 201, body: { deleted: 3 } })

  expect(await send('?prune=x')).toMatchObject({ status: 400, body: { error: 'prune is invalid' } })
  expect(await send('', '{"version": 1, "topics": ')).toMatchObject({
    status: 400,
    body: { errors: [{ entry: null }] },
  })
  expect((await send('', '{"file": "version: 1"}')).status).toBe(400)
  expect(await send('', '#'.repeat(5 * 1024 * 1024 + 1))).toMatchObject({ status: 413 })
  expect((await send('', body, server.anonymous)).status).toBe(401)
  expect((await send('', body, await server.user('someone'))).status).toBe(403)
  expect(await exported()).toBe('version: 1\ntopics: []\n')
  expect(await storedObjects()).toBe(0)
})

test('a topic import rejects a file that is not UTF-8 or is too large', async () => {
  const latin = await server.admin.post('/topics/import', formWithFile('file', 'a', Buffer.from([0x61, 0xe9])))
  expect(latin.body.errors).toEqual([{ entry: null, field: null, reason: 'must be UTF-8' }])
  const large = await load('#'.repeat(5 * 1024 * 1024 + 1))
  expect(large).toMatchObject({ status: 413, body: { detail: expect.stringContaining('5 MiB') } })
})

test('signed-in users can export topics, administrators can import them', async () => {
  const someone = await server.user('someone')
  expect((await server.anonymous.get('/topics/export')).status).toBe(401)
  expect((await someone.get('/topics/export')).status).toBe(200)
  expect((await someone.post('/topics/import', formWithFile('file', 'a', file))).status).toBe(403)
  expect((await server.anonymous.post('/topics/import', formWithFile('file', 'a', file))).status).toBe(401)
  expect((await server.admin.get('/topics/export?organization_id=99')).body.message).toBe('404 Organization Not Found')
  expect((await load(file, { organization_id: '99' })).status).toBe(404)
  expect(await storedObjects()).toBe(0)
})

const data = new URL('../../../../../../../shared/data/topics/topics.jsonl', import.meta.url)

describe.runIf(existsSync(data))('the collected topics', () => {
  test('can be exported as one file that restores the same topics and aliases', async () => {
    const topics = readFileSync(data, 'utf8')
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line))
      .map(({ name, title, short_description: description, aliases }) => ({ name, title, description, aliases }))
    const aliases = topics.reduce((sum, topic) => sum + topic.aliases.length, 0)
    expect([topics.length, aliases]).toEqual([634, 1136])
    const loaded = await load(JSON.stringify({ version: 1, topics }))
    expect(loaded).toMatchObject({ status: 201, body: { created: 634 } })
    const [yaml, json] = [await exported(), await exported('json')]
    expect(yaml.match(/^ {6}- /gm)).toHaveLength(1136)
    expect((await load(yaml, { prune: 'true' })).body).toMatchObject({
      created: 0,
      updated: 0,
      deleted: 0,
      unchanged: 634,
    })

    server = await startServer()
    await load(yaml)
    expect([await exported(), await exported('json')]).toEqual([yaml, json])
    for (const {
      name,
      aliases: [alias],
    } of topics.slice(0, 200)) {
      if (alias === undefined) continue
      const { body } = await server.anonymous.get(`/topics?search=${encodeURIComponent(alias)}&per_page=100`)
      expect(body.map((topic: { name: string }) => topic.name)).toContain(name)
    }
  })
})
