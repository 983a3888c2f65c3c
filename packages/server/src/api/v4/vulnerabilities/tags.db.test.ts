import { beforeAll, describe, expect, test } from 'vitest'
import { newestEvents } from '../../../testing/audit-events.ts'
import type { Client } from '../../../testing/client.ts'
import { onSqlite } from '../../../testing/databases/database.ts'
import { historyOf } from '../../../testing/reports/imports.ts'
import { entry } from '../../../testing/reports/reports.ts'
import { startServer, type TestProject, type TestServer } from '../../../testing/server.ts'
import { startReceiver } from '../../../testing/stand-ins/receiver.ts'

let server: TestServer
beforeAll(async () => {
  server = await startServer({ settings: { webhooksReachPrivate: true } })
})

let projects = 0
/** Creates a project with vulnerabilities, and returns their ids, ascending. */
async function projectWith(count: number, group = 'tagged'): Promise<{ project: TestProject; ids: number[] }> {
  const project = await server.project(`${group}/site-${++projects}`)
  const lines = Array.from({ length: count }, (_, index) => index + 1)
  await server.report(
    project,
    lines.map((line) => entry({ line, rule: `rule ${line}` })),
  )
  return { project, ids: await idsIn(project) }
}

const idsIn = async (project: TestProject, query = ''): Promise<number[]> => {
  const reply = await server.admin.get(`/projects/${project.id}/vulnerabilities?sort=detected_asc&${query}`)
  expect(reply.status, reply.text).toBe(200)
  return reply.body.map(({ id }: { id: number }) => id)
}

const bulk = (project: TestProject, fields: object, client: Client = server.admin) =>
  client.post(`/projects/${project.id}/vulnerability_bulk_changes`, fields)

const undo = async (project: TestProject, id: number) =>
  (await server.admin.post(`/projects/${project.id}/vulnerability_bulk_changes/${id}/undo`)).body

const tagsOf = (ids: readonly number[]): Promise<string[][]> =>
  Promise.all(ids.map(async (id) => (await server.admin.get(`/vulnerabilities/${id}`)).body.tags))

const namesIn = async (path: string, client: Client = server.admin): Promise<string[]> =>
  (await client.get(path)).body.map(({ name }: { name: string }) => name)

describe.runIf(onSqlite)('tags of a vulnerability', () => {
  test('are replaced, added and removed, with history and audit event', async () => {
    const { project, ids } = await projectWith(1)
    const [id = 0] = ids
    const path = `/vulnerabilities/${id}/tags`
    const ada = await server.as('maintainer', project)
    expect(await ada.put(path, { tags: [' Web ', 'api', 'WEB'] })).toMatchObject({
      status: 200,
      body: { id, tags: ['api', 'Web'] },
    })
    const [event] = await newestEvents(server)
    expect(event).toMatchObject({
      name: 'vulnerability_tags_updated',
      authorId: ada.user?.id,
      details: { change: 'tags', from: null, to: 'api, Web', target_id: id },
    })
    expect(await ada.post(path, { tags: 'web,api' })).toMatchObject({ status: 304 })
    expect(await ada.post(path, { tags: 'Über' })).toMatchObject({
      status: 201,
      body: { tags: ['api', 'Web', 'Über'] },
    })
    expect(await ada.delete(path, { tags: ['WEB', 'other'], comment: 'Moved' })).toMatchObject({
      status: 200,
      body: { tags: ['api', 'Über'] },
    })
    expect(await ada.put(path, { tags: [] })).toMatchObject({ status: 200, body: { tags: [] } })
    const history = (await historyOf(ada, id)).filter(({ kind }) => kind === 'tags')
    expect(history.map(({ text, from, to }) => [text, from, to])).toEqual([
      ['added the tags api, Web', null, 'api, Web'],
      ['added the tag Über', 'api, Web', 'api, Web, Über'],
      ['removed the tag Web with the following comment: "Moved"', 'api, Web, Über', 'api, Über'],
      ['removed the tags api, Über', 'api, Über', null],
    ])
    const { body } = await ada.get(`/projects/${project.id}/vulnerabilities`)
    const newest = ['tags', 'dismissal_scope', 'ref_dismissals', 'group_rule_id', 'scanner', 'identifiers']
    expect(Object.keys(body[0]).slice(-newest.length)).toEqual(newest)
  })

  test('are limited in number, length and characters', async () => {
    const { project, ids } = await projectWith(1)
    const path = `/vulnerabilities/${ids[0]}/tags`
    const twenty = Array.from({ length: 20 }, (_, index) => `tag ${index}`)
    const refuse = async (tags: readonly string[], message: string) =>
      expect(await server.admin.put(path, { tags })).toMatchObject({
        status: 400,
        body: { message: { tags: [message] } },
      })
    await refuse([...twenty, 'one more'], 'a vulnerability has at most 20 tags')
    await refuse(['a', ' '], 'cannot be blank')
    await refuse(['é'.repeat(51)], 'must have at most 50 characters each')
    await refuse(['a\nb'], 'cannot contain commas, line breaks or control characters')
    expect((await server.admin.put(path, { tags: [...twenty.slice(1), '🙂'.repeat(50)] })).status).toBe(200)
    expect(await server.admin.post(path, { tags: ['one more'] })).toMatchObject({ status: 400 })
    expect(await server.admin.post(path)).toMatchObject({ status: 400, body: { error: 'tags is missing' } })
    expect(await bulk(project, { action: 'tag', tags: 'more', vulnerability_ids: ids })).toMatchObject({
      status: 201,
      body: { changed: 0, unchanged: 1 },
    })
  })

  test('are changed only by users who may triage', async () => {
    const { project, ids } = await projectWith(1)
    const path = `/vulnerabilities/${ids[0]}/tags`
    const developer = await server.as('developer', project)
    expect((await developer.put(path, { tags: 'web' })).status).toBe(403)
    expect((await (await server.as('outsider', project)).post(path, { tags: 'web' })).status).toBe(404)
    expect((await bulk(project, { action: 'tag', tags: 'web', vulnerability_ids: ids }, developer)).status).toBe(403)
    expect(await tagsOf(ids)).toEqual([[]])
  })

  test('take the spelling that the project uses, until no vulnerability has the tag', async () => {
    const { ids } = await projectWith(2)
    const [first, second] = ids.map((id) => `/vulnerabilities/${id}/tags`)
    await server.admin.put(`${first}`, { tags: 'Payments' })
    expect((await server.admin.put(`${second}`, { tags: 'PAYMENTS' })).body.tags).toEqual(['Payments'])
    for (const path of [first, second]) await server.admin.delete(`${path}`, { tags: 'payments' })
    expect((await server.admin.put(`${second}`, { tags: 'payMENTS' })).body.tags).toEqual(['payMENTS'])
  })

  test('are sent to webhooks and exported', async () => {
    const receiver = await startReceiver()
    const { project, ids } = await projectWith(1)
    await server.admin.post(`/projects/${project.id}/hooks`, { url: receiver.url, vulnerability_events: true })
    await server.admin.put(`/vulnerabilities/${ids[0]}/tags`, { tags: 'web' })
    await server.runJobs()
    const body = receiver.received.at(-1)?.body as { object_attributes: object } // a webhook’s body
    expect(body.object_attributes).toMatchObject({ tags: ['web'] })

    const exported = async (fields: object) => {
      const { id } = (await server.admin.post(`/security/projects/${project.id}/vulnerability_exports`, fields)).body
      await server.runJobs()
      return (await server.admin.get(`/security/vulnerability_exports/${id}/download`)).text
    }
    expect(await exported({ filters: { tags: 'WEB' } })).toMatch(
      /,Tags,Dismissal Scope,[^\n]*\n[^\n]*,web,,,false,"\{""id""[^\n]*\n$/,
    )
    expect(JSON.parse(await exported({ export_format: 'json' }))).toMatchObject([{ tags: ['web'] }])
    expect(await exported({ filters: { not_tags: 'web' } })).toMatch(/^[^\n]*,Tags,Dismissal Scope,[^\n]*\n$/)
  })
})

describe('a bulk change of tags', () => {
  test.runIf(onSqlite)('adds and removes them, and its undo keeps what was tagged since', async () => {
    const { project, ids } = await projectWith(3)
    await server.admin.put(`/vulnerabilities/${ids[0]}/tags`, { tags: 'web' })
    const tagged = await bulk(project, { action: 'tag', tags: ['web', 'api'], vulnerability_ids: ids })
    expect(tagged).toMatchObject({ status: 201, body: { action: 'tag', changed: 3, unchanged: 0 } })
    await server.admin.post(`/vulnerabilities/${ids[1]}/tags`, { tags: 'mine' })
    await server.admin.delete(`/vulnerabilities/${ids[2]}/tags`, { tags: 'api,web' })
    await bulk(project, { action: 'confirm', vulnerability_ids: ids })
    const untagged = await bulk(project, { action: 'untag', tags: 'WEB', filter: { tags: 'web' } })
    expect(untagged.body).toMatchObject({ changed: 2 })
    expect(await tagsOf(ids)).toEqual([['api'], ['api', 'mine'], []])
    expect(await undo(project, untagged.body.id)).toMatchObject({ restored: 2 })
    expect(await undo(project, tagged.body.id)).toMatchObject({ restored: 2 })
    expect(await tagsOf(ids)).toEqual([['web'], ['mine'], []])
    expect(await idsIn(project, 'state=confirmed')).toEqual(ids)
    const texts = (await historyOf(server.admin, ids[0] ?? 0)).filter(({ kind }) => kind === 'tags')
    expect(texts.map(({ text }) => text)).toEqual([
      'added the tag web',
      'added the tag api',
      'removed the tag web',
      'added the tag web',
      'removed the tag api',
    ])
  })

  test.runIf(onSqlite)('replaces all tags, and is undone', async () => {
    const { project, ids } = await projectWith(1)
    await server.admin.put(`/vulnerabilities/${ids[0]}/tags`, { tags: 'a,b' })
    const cleared = await bulk(project, { action: 'set_tags', tags: [], vulnerability_ids: ids })
    expect(await tagsOf(ids)).toEqual([[]])
    expect(await undo(project, cleared.body.id)).toMatchObject({ restored: 1 })
    expect(await tagsOf(ids)).toEqual([['a', 'b']])
    expect(await bulk(project, { action: 'tag', vulnerability_ids: ids })).toMatchObject({
      status: 400,
      body: { error: 'tags is missing' },
    })
  })

  test('of many projects has a dry run and an undo', async () => {
    const [one, two] = [await projectWith(1, 'many'), await projectWith(1, 'many')]
    const ids = [...one.ids, ...two.ids]
    const path = '/groups/many/vulnerability_bulk_changes'
    const change = { action: 'tag', tags: 'web', vulnerability_ids: ids }
    expect(await server.admin.post(path, { ...change, dry_run: true })).toMatchObject({ body: { changed: 2 } })
    expect(await tagsOf(ids)).toEqual([[], []])
    const done = await server.admin.post(path, change)
    expect(await tagsOf(ids)).toEqual([['web'], ['web']])
    await server.admin.post(`/vulnerability_bulk_changes/${done.body.id}/undo`)
    expect(await tagsOf(ids)).toEqual([[], []])
  })
})

describe('the list of vulnerabilities', () => {
  test('finds those with one of the tags, or with none of them', async () => {
    const { project, ids } = await projectWith(4)
    const tags = ['Web', 'web,api', 'other']
    for (const [index, names] of tags.entries()) {
      await server.admin.put(`/vulnerabilities/${ids[index]}/tags`, { tags: names })
    }
    expect(await idsIn(project, 'tags=WEB')).toEqual(ids.slice(0, 2))
    expect(await idsIn(project, 'tags=api,other')).toEqual(ids.slice(1, 3))
    expect(await idsIn(project, 'not_tags=web,other')).toEqual(ids.slice(3))
    expect(await idsIn(project, 'tags=web&not_tags=api')).toEqual(ids.slice(0, 1))
    expect(await idsIn(project, 'tags=unknown')).toEqual([])
    expect((await server.admin.get(`/projects/${project.id}/vulnerabilities/summary?tags=web`)).body.total).toBe(2)
    await server.admin.delete(`/vulnerabilities/${ids[0]}/tags`, { tags: 'web' })
    expect(await idsIn(project, 'tags=web')).toEqual(ids.slice(1, 2))
  })

  test.runIf(onSqlite)('suggests the tags that readable vulnerabilities have', async () => {
    const [one, two] = [await projectWith(2, 'suggest'), await projectWith(1, 'suggest')]
    await server.admin.put(`/vulnerabilities/${one.ids[0]}/tags`, { tags: 'web,unused' })
    await server.admin.delete(`/vulnerabilities/${one.ids[0]}/tags`, { tags: 'unused' })
    await server.admin.put(`/vulnerabilities/${one.ids[1]}/tags`, { tags: 'Internal' })
    await server.admin.put(`/vulnerabilities/${two.ids[0]}/tags`, { tags: 'WEB,secret' })
    expect(await namesIn(`/projects/${one.project.id}/vulnerability_tags`)).toEqual(['Internal', 'web'])
    expect(await namesIn(`/projects/${one.project.id}/vulnerability_tags?search=INT`)).toEqual(['Internal'])
    expect(await namesIn('/groups/suggest/vulnerability_tags?per_page=2')).toEqual(['Internal', 'secret'])
    const developer = await server.as('developer', one.project)
    expect((await namesIn('/vulnerability_tags', developer)).map((name) => name.toLowerCase())).toEqual([
      'internal',
      'web',
    ])
    const guest = await server.as('guest', one.project)
    expect((await guest.get(`/projects/${one.project.id}/vulnerability_tags`)).status).toBe(403)
  })
})
