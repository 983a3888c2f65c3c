import { existsSync, readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { listWronglyCounted } from '../../../domain/topics/assignment.ts'
import { formWithFile } from '../../../testing/client.ts'
import { startServer, type TestServer } from '../../../testing/server.ts'

const data = new URL('../../../../../../../shared/data/', import.meta.url)

interface RealTopic {
  name: string
  title: string
  short_description: string
  aliases: string[]
  related: string[]
}

interface CraftedRequest {
  what: string
  request: Record<string, unknown> & {
    first_create?: object
    avatar_file?: string
    description_repeat?: [string, number]
  }
}

const linesOf = <T>(file: string): T[] =>
  readFileSync(new URL(file, data), 'utf8')
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line))

describe.runIf(existsSync(data))('the collected topics', () => {
  const expected = () => JSON.parse(readFileSync(new URL('expected.json', data), 'utf8')).topics

  test('can be created, assigned and merged, with the expected counts', async () => {
    const server = await startServer()
    const topics = linesOf<RealTopic>('topics/topics.jsonl')
    const ids = new Map<string, number>()
    for (const { name, title, short_description: description } of topics) {
      const created = await server.admin.post('/topics', { name, title, description })
      expect([name, created.status]).toEqual([name, 201])
      ids.set(name, created.body.id)
    }

    const group = await server.admin.post('/groups', { name: 'Explore', path: 'explore', visibility: 'public' })
    for (const { name, related } of topics) {
      const project = { name: `p-${name}`, path: `p-${name}`, namespace_id: group.body.id, visibility: 'public' }
      const created = await server.admin.post('/projects', { ...project, topics: [name, ...related] })
      expect([name, created.status]).toEqual([name, 201])
    }
    const facts = expected().if_every_topic_gets_one_project_carrying_it_and_its_related_topics
    expect(await allTopics(server)).toHaveLength(facts.distinct_topic_names)
    const counts = new Map((await allTopics(server)).map((topic) => [topic.name, topic.total_projects_count]))
    for (const [name, count] of facts.top_25) expect([name, counts.get(name)]).toEqual([name, count])
    const carried = await server.anonymous.get(`/projects?topic=${facts.top_25[0][0]}&per_page=100`)
    expect(carried.headers['x-total']).toBe(String(facts.top_25[0][1]))

    for (const { name, aliases } of topics) {
      for (const alias of aliases) await mergeAlias(server, alias, ids.get(name) ?? 0)
    }
    // Related topics that are aliases have been merged.
    const names = new Set((await allTopics(server)).map((topic) => topic.name))
    for (const { aliases } of topics) for (const alias of aliases) expect(names.has(alias)).toBe(false)
    for (const { name } of topics) expect(names.has(name)).toBe(true)
    for (const { name, aliases } of topics.slice(0, 50)) {
      for (const alias of aliases) expect([alias, await idOf(server, alias, name)]).toEqual([alias, ids.get(name)])
    }
    expect(await listWronglyCounted(server.deps.db)).toEqual([])
    await undoSome(server)
    expect(await listWronglyCounted(server.deps.db)).toEqual([])
  }, 180_000)

  /** Undoes the last hundred merges, newest first. */
  async function undoSome(server: TestServer): Promise<void> {
    const { body: merges, headers } = await server.admin.get('/topics/merges?per_page=100')
    expect(headers['x-total']).toBe('1136')
    for (const { id, source_topic: source, moved_projects_count: moved, shared_projects_count: shared } of merges) {
      const undone = await server.admin.post(`/topics/merges/${id}/undo`)
      expect([source.name, undone.status]).toEqual([source.name, 201])
      const { name, total_projects_count: total } = undone.body
      expect([undone.body.id, name, total]).toEqual([source.id, source.name, moved + shared])
    }
  }

  /** Uses the topic that a project created from the alias, or a new one. */
  async function mergeAlias(server: TestServer, alias: string, target: number): Promise<void> {
    const created = await server.admin.post('/topics', { name: alias, title: alias })
    const source = created.status === 201 ? created.body.id : await idOf(server, alias)
    const merged = await server.admin.post('/topics/merge', { source_topic_id: source, target_topic_id: target })
    expect([alias, merged.status]).toEqual([alias, 201])
  }

  /** Returns the topic that a search finds under a name. */
  async function idOf(server: TestServer, text: string, name = text): Promise<number> {
    const { body } = await server.admin.get(`/topics?search=${encodeURIComponent(text)}&per_page=100`)
    return body.find((topic: { name: string }) => topic.name === name)?.id
  }

  async function allTopics(server: TestServer): Promise<{ name: string; total_projects_count: number }[]> {
    const topics = []
    for (let page = '1'; page !== ''; ) {
      const { body, headers } = await server.anonymous.get(`/topics?per_page=100&page=${page}`)
      topics.push(...body)
      page = headers['x-next-page'] ?? ''
    }
    return topics
  }

  test('are found by search as often as expected', async () => {
    const server = await startServer()
    const topics = linesOf<RealTopic>('topics/topics.jsonl')
    for (const { name } of topics) await server.admin.post('/topics', { name, title: '…' })
    for (const [text, count] of Object.entries<number>(expected().search_examples)) {
      const { headers } = await server.anonymous.get(`/topics?search=${encodeURIComponent(text)}`)
      // Texts of fewer than three characters match only whole names.
      const found = text.length >= 3 ? count : topics.filter(({ name }) => name === text).length
      expect([text, headers['x-total']]).toEqual([text, String(found)])
    }
  }, 60_000)

  test('include crafted requests that return 201 or 400, and leave the server working', async () => {
    const server = await startServer()
    for (const { what, request } of linesOf<CraftedRequest>('topics/crafted-requests.jsonl')) {
      const { first_create, avatar_file, description_repeat, ...fields } = request
      if (first_create) await server.admin.post('/topics', first_create)
      const body = description_repeat
        ? { ...fields, description: description_repeat[0].repeat(description_repeat[1]) }
        : fields
      const file = avatar_file && readFileSync(new URL(avatar_file, data))
      const texts = Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, String(value)]))
      const sent = file ? formWithFile('avatar', String(avatar_file).replace(/^.*\//, ''), file, texts) : body
      const reply = await server.admin.post('/topics', sent)
      expect([what, [201, 400].includes(reply.status)]).toEqual([what, true])
      if (reply.status === 201) {
        const { body: topic } = await server.anonymous.get(`/topics/${reply.body.id}`)
        expect([what, topic.name, topic.title]).toEqual([what, fields['name'], fields['title']])
      }
    }
    expect((await server.anonymous.get('/topics')).status).toBe(200)
  })
})
