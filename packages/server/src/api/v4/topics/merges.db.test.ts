import sql from 'sql-template-tag'
import { beforeAll, describe, expect, test } from 'vitest'
import { deleteMarkedObjects } from '../../../domain/files/pending-deletions.ts'
import { removeOldMerges } from '../../../domain/topics/merges/merges.ts'
import { formWithFile } from '../../../testing/client.ts'
import { onSqlite } from '../../../testing/databases/database.ts'
import { startServer, type TestServer } from '../../../testing/server.ts'

const clock = { now: '2026-03-01T10:00:00.000Z' }
let server: TestServer
beforeAll(async () => {
  server = await startServer({ clock })
})

const png = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
)

let count = 0
const fresh = (prefix = 'word') => `${prefix}-${++count}`

async function topic(name = fresh()) {
  const created = await server.admin.post('/topics', { name, title: `Title of ${name}`, description: 'As it was' })
  expect(created.status).toBe(201)
  return created.body
}

async function projectWith(topics: string[]): Promise<number> {
  const { id } = await server.project(`acme/${fresh('project')}`)
  await server.admin.put(`/projects/${id}`, { topics })
  return id
}

const topicsOf = async (id: number): Promise<string[]> => (await server.admin.get(`/projects/${id}`)).body.topics
const aliasesOf = async (id: number): Promise<string[]> =>
  (await server.admin.get(`/topics/${id}/aliases`)).body.map(({ name }: { name: string }) => name)
const merge = (source: number, target: number, options: object = {}) =>
  server.admin.post('/topics/merge', { source_topic_id: source, target_topic_id: target, ...options })
const undo = (id: number, options: object = {}) => server.admin.post(`/topics/merges/${id}/undo`, options)
const newest = async () => (await server.admin.get('/topics/merges?per_page=1')).body[0]

interface Assignment {
  projectId: number
  topicId: number
}

/** Returns all visible topics, names and assignments. */
async function everything() {
  const { db } = server.deps
  const [topics, names, assignments] = await Promise.all([
    db.all(sql`select * from topics order by id`),
    db.all(sql`
      select topic_id, name, is_alias, created_at, case when is_alias then id end as alias_id
      from topic_names order by name_key`),
    db.all<Assignment>(sql`select project_id, topic_id from project_topics order by project_id, topic_id`),
  ])
  return { topics, names, assignments }
}

/** Returns the expected assignments after some topics are merged into another one. */
function asMerged(assignments: Assignment[], sources: number[], target: number): Assignment[] {
  const merged = assignments.map((row) => (sources.includes(row.topicId) ? { ...row, topicId: target } : row))
  const once = new Map(merged.map((row) => [`${row.projectId} ${row.topicId}`, row]))
  return [...once.values()].sort((a, b) => a.projectId - b.projectId || a.topicId - b.topicId)
}

describe.runIf(onSqlite)('a merge', () => {
  test('keeps the old name and the old aliases as aliases of the target', async () => {
    const [source, target] = [await topic(), await topic()]
    const alias = fresh('alias')
    await server.admin.post(`/topics/${source.id}/aliases`, { name: alias })
    expect((await merge(source.id, target.id)).status).toBe(201)
    expect(await aliasesOf(target.id)).toEqual([source.name, alias].sort())
    const project = await projectWith([source.name])
    expect(await topicsOf(project)).toEqual([target.name])
    const again = await server.admin.post('/topics', { name: source.name, title: 'x' })
    expect(again).toMatchObject({ status: 400, body: { message: { name: ['has already been taken'] } } })
  })

  test('drops the old name with keep_alias=false, but keeps the aliases', async () => {
    const [source, target] = [await topic(), await topic()]
    const alias = fresh('alias')
    await server.admin.post(`/topics/${source.id}/aliases`, { name: alias })
    await merge(source.id, target.id, { keep_alias: false })
    expect(await aliasesOf(target.id)).toEqual([alias])
    await topic(source.name)
  })

  test('returns exactly GitLab’s response', async () => {
    const [source, target] = [await topic(), await topic()]
    const merged = await merge(source.id, target.id)
    expect(merged.body).toEqual((await server.admin.get(`/topics/${target.id}`)).body)
  })

  test('returns with dry_run what would change, and changes nothing', async () => {
    const [source, target] = [await topic(), await topic()]
    await server.admin.post(`/topics/${source.id}/aliases`, { name: fresh('alias') })
    await projectWith([source.name])
    await projectWith([source.name])
    await projectWith([source.name, target.name])
    const before = await everything()
    const preview = await merge(source.id, target.id, { dry_run: true })
    expect(preview).toMatchObject({
      status: 201,
      body: {
        id: target.id,
        name: target.name,
        total_projects_count: 3,
        preview: {
          source: { id: source.id, total_projects_count: 3 },
          moved_projects_count: 2,
          shared_projects_count: 1,
          aliases: [source.name, ...(await aliasesOf(source.id))],
        },
      },
    })
    expect(await everything()).toEqual(before)
    expect((await newest())?.source_topic.id).not.toBe(source.id)

    const done = await merge(source.id, target.id)
    expect({ ...done.body, preview: preview.body.preview }).toEqual(preview.body)
    expect((await merge(source.id, target.id, { dry_run: true })).status).toBe(404)
    expect((await merge(target.id, target.id, { dry_run: true })).body).toEqual({
      message: 'The source topic and the target topic are identical.',
    })
  })

  test('is recorded with topics, author, date and undo deadline', async () => {
    const [source, target] = [await topic(), await topic()]
    await projectWith([source.name])
    await merge(source.id, target.id)
    const listed = await server.admin.get('/topics/merges?per_page=1')
    expect(listed.body).toEqual([
      {
        id: expect.any(Number),
        organization_id: 1,
        source_topic: { id: source.id, name: source.name, title: source.title },
        target_topic: { id: target.id, name: target.name },
        moved_projects_count: 1,
        shared_projects_count: 0,
        keep_alias: true,
        merged_by: { id: 1, username: 'root', name: expect.any(String) },
        merged_at: clock.now,
        undoable_until: '2026-05-30T10:00:00.000Z',
        undone_by: null,
        undone_at: null,
      },
    ])
    expect(Number(listed.headers['x-total'])).toBeGreaterThan(1)
  })

  test('can be listed and undone by administrators only', async () => {
    const someone = await server.user(fresh('user'))
    expect((await server.anonymous.get('/topics/merges')).status).toBe(401)
    expect((await someone.get('/topics/merges')).status).toBe(403)
    expect((await server.anonymous.post('/topics/merges/1/undo')).status).toBe(401)
    expect((await someone.post('/topics/merges/1/undo')).status).toBe(403)
    expect(await undo(999_999)).toMatchObject({ status: 404, body: { message: '404 Not found' } })
    expect((await server.admin.post('/topics/merges/x/undo')).body).toEqual({ error: 'id is invalid' })
    expect((await server.admin.get('/topics/merges?organization_id=99')).body).toEqual({
      message: '404 Organization Not Found',
    })
  })
})

describe('undoing a merge', () => {
  test.runIf(onSqlite)('restores topic, avatar, aliases and projects exactly', async () => {
    const [source, target] = [await topic(), await topic()]
    await server.admin.put(`/topics/${source.id}`, formWithFile('avatar', 'logo.png', png))
    await server.admin.post(`/topics/${source.id}/aliases`, { name: fresh('alias') })
    await server.admin.post(`/topics/${target.id}/aliases`, { name: fresh('alias') })
    await projectWith([source.name])
    await projectWith([target.name, source.name])
    await projectWith([target.name])
    const open = await server.project(`acme/${fresh('project')}`, { visibility: 'public' })
    await server.admin.put(`/projects/${open.id}`, { topics: [source.name] })
    const before = await everything()
    const { body } = await server.admin.get(`/topics/${source.id}`)

    for (const keep_alias of [true, false]) {
      await merge(source.id, target.id, { keep_alias })
      expect((await server.anonymous.get(`/topics/${source.id}`)).status).toBe(404)
      const undone = await undo((await newest()).id)
      expect(undone).toMatchObject({ status: 201, body: { ...body, left_out: [] } })
      expect(await everything()).toEqual(before)
      const served = await server.anonymous.get(`/${new URL(undone.body.avatar_url).pathname}`)
      expect(served.bytes.equals(png)).toBe(true)
    }
    expect(await newest()).toMatchObject({
      undone_by: { username: 'root' },
      undone_at: clock.now,
      undoable_until: null,
    })
  })

  test.runIf(onSqlite)('is rejected the second time', async () => {
    const [source, target] = [await topic(), await topic()]
    await merge(source.id, target.id)
    const { id } = await newest()
    expect((await undo(id)).status).toBe(201)
    expect(await undo(id)).toMatchObject({
      status: 409,
      body: { message: `merge ${id} has been undone already` },
    })
  })

  test('succeeds for one of several concurrent requests', async () => {
    const [source, target] = [await topic(), await topic()]
    await projectWith([source.name])
    await merge(source.id, target.id)
    const { id } = await newest()
    const replies = await Promise.all([undo(id), undo(id), undo(id)])
    expect(replies.map(({ status }) => status).sort()).toEqual([201, 409, 409])
  })

  test.runIf(onSqlite)('works from the newest to the oldest in a chain of merges', async () => {
    const [a, b, c] = [await topic(), await topic(), await topic()]
    await projectWith([a.name])
    await projectWith([a.name, b.name])
    await projectWith([b.name, c.name])
    const start = await everything()
    await merge(a.id, b.id)
    const first = await newest()
    const between = await everything()
    await merge(b.id, c.id)
    const second = await newest()
    expect(await aliasesOf(c.id)).toEqual([a.name, b.name].sort())

    expect(await undo(first.id)).toMatchObject({
      status: 409,
      body: {
        message: `merge ${first.id} cannot be undone`,
        reasons: [`topic "${b.name}" was merged into "${c.name}" since: undo merge ${second.id} first`],
      },
    })
    expect((await undo(second.id)).status).toBe(201)
    expect(await everything()).toEqual(between)
    expect((await undo(first.id)).status).toBe(201)
    expect(await everything()).toEqual(start)
  })

  test('works in any order for merges into one topic, and keeps the remaining merges’ result', async () => {
    const target = await topic()
    const sources = [await topic(), await topic(), await topic()] as const
    const [one, two, three] = sources
    for (const names of [[one, two, three], [two, three], [one, three, target], [one, two], [one], [target], [three]]) {
      await projectWith(names.map(({ name }) => name))
    }
    await server.admin.post(`/topics/${two.id}/aliases`, { name: fresh('alias') })
    const start = await everything()
    const orders = sources.flatMap((first) =>
      sources.flatMap((second) => sources.map((third) => [...new Set([first, second, third])])),
    )
    for (const order of orders.filter(({ length }) => length === 3)) {
      const merges = new Map<number, number>()
      for (const { id } of sources) {
        await merge(id, target.id)
        merges.set(id, (await newest()).id)
      }
      const left: number[] = sources.map(({ id }) => id)
      for (const { id } of order) {
        expect(await undo(merges.get(id) ?? 0)).toMatchObject({ status: 201, body: { left_out: [] } })
        left.splice(left.indexOf(id), 1)
        const { assignments } = await everything()
        expect(assignments).toEqual(asMerged(start.assignments, left, target.id))
      }
      expect(await everything()).toEqual(start)
    }
  })

  test('lists conflicting changes and changes nothing, or leaves them out with partial=true', async () => {
    const [source, target] = [await topic(), await topic()]
    const [kept, gone, changed] = [
      await projectWith([source.name]),
      await projectWith([source.name]),
      await projectWith([source.name]),
    ]
    await merge(source.id, target.id)
    const { id } = await newest()
    await server.admin.delete(`/projects/${gone}`)
    await server.admin.put(`/projects/${changed}`, { topics: [] })
    const reasons = [`project ${gone} was deleted since`, `project ${changed} does not carry "${target.name}" any more`]
    const before = await everything()
    expect(await undo(id)).toMatchObject({
      status: 409,
      body: { message: `merge ${id} cannot be undone`, reasons },
    })
    expect(await everything()).toEqual(before)

    const undone = await undo(id, { partial: true })
    expect(undone).toMatchObject({ status: 201, body: { id: source.id, total_projects_count: 1, left_out: reasons } })
    expect([await topicsOf(kept), await topicsOf(changed)]).toEqual([[source.name], []])
  })

  test.runIf(onSqlite)('is rejected when one of the names is taken again, even with partial=true', async () => {
    const [source, target] = [await topic(), await topic()]
    const alias = fresh('alias')
    await server.admin.post(`/topics/${source.id}/aliases`, { name: alias })
    await merge(source.id, target.id, { keep_alias: false })
    const { id } = await newest()
    const thief = await topic(source.name.toUpperCase())
    await server.admin.delete(`/topics/${target.id}/aliases`, { name: alias })
    await server.admin.post(`/topics/${thief.id}/aliases`, { name: alias })
    for (const partial of [false, true]) {
      const reply = await undo(id, { partial })
      expect(reply.status).toBe(409)
      expect(reply.body.reasons).toEqual([
        `the name "${alias}" is an alias of topic ${thief.id} ("${thief.name}") since`,
        `the name "${thief.name}" has been given to topic ${thief.id} since`,
      ])
    }
  })

  test('restores a topic whose target is deleted with partial=true', async () => {
    const [source, target] = [await topic(), await topic()]
    const project = await projectWith([source.name])
    await merge(source.id, target.id)
    const { id } = await newest()
    await server.admin.delete(`/topics/${target.id}`)
    const reasons = [`topic "${target.name}" was deleted since`]
    expect((await undo(id)).body.reasons).toEqual(reasons)
    expect(await undo(id, { partial: true })).toMatchObject({ status: 201, body: { left_out: reasons } })
    expect(await topicsOf(project)).toEqual([source.name])
  })

  test('is rejected after the configured period, when the avatar is deleted', async () => {
    const [source, target] = [await topic(), await topic()]
    await server.admin.put(`/topics/${source.id}`, formWithFile('avatar', 'logo.png', png))
    const objects = async () => {
      let found = 0
      for await (const _ of server.deps.objects.list('files/')) found++
      return found
    }
    const before = await objects()
    await merge(source.id, target.id)
    expect(await objects()).toBe(before)
    const { id } = await newest()
    await removeOldMerges(server.deps)
    expect((await newest()).undoable_until).not.toBeNull()
    clock.now = '2026-05-30T10:00:00.001Z'
    await removeOldMerges(server.deps)
    await deleteMarkedObjects(server.deps)
    clock.now = '2026-03-01T10:00:00.000Z'
    expect(await objects()).toBe(before - 1)
    expect((await newest()).undoable_until).toBeNull()
    expect(await undo(id)).toMatchObject({
      status: 409,
      body: { message: `merge ${id} is too old: what an undo needs is no longer kept` },
    })
  })
})
