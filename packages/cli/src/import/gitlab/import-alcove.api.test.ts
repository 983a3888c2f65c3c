import { beforeAll, describe, expect, test } from 'vitest'
import { type Client, formWithFile } from '../../../../server/src/testing/client.ts'
import { entry } from '../../../../server/src/testing/reports/reports.ts'
import type { TestProject } from '../../../../server/src/testing/server.ts'
import { run } from '../../testing/command-run.ts'
import { type ListeningServer, listeningServer } from '../../testing/listening-server.ts'

const pixel = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAQAAAC1HAwCAAAAC0lEQVR42mNk+A8AAQUBAScY42YAAAAASUVORK5CYII=',
  'base64',
)

/** Creates a server with users, nested groups, projects and topics. */
async function filledServer(): Promise<ListeningServer> {
  const clock = { now: '2026-03-01T12:00:00.000Z' }
  const server = await listeningServer({ clock })
  const { admin } = server
  const nadia = await server.user('nadia')
  const omar = await server.user('omar')
  const shop = await server.project('shop/api')
  const { body: group } = await admin.get('/groups/shop')
  await admin.post(`/groups/${group.id}/members`, { user_id: nadia.user?.id, access_level: 50 })
  await admin.post(`/projects/${shop.id}/members`, {
    user_id: omar.user?.id,
    access_level: 30,
    expires_at: '2999-01-01',
  })
  const { body: sub } = await admin.post('/groups', {
    name: 'Web',
    path: 'web',
    parent_id: group.id,
    visibility: 'private',
  })
  await admin.post('/projects', {
    name: 'Front',
    path: 'front',
    namespace_id: sub.id,
    description: 'Front end',
    topics: ['java', 'payments'],
  })
  const old = await server.project('shop/old')
  await nadia.post(`/groups/${group.id}/uploads`, formWithFile('file', 'group plan.txt', 'for all'))
  for (const place of [old, shop]) {
    await omar.post(`/projects/${place.id}/uploads`, formWithFile('file', 'same.txt', `first of ${place.id}`))
    await admin.post(`/projects/${place.id}/uploads`, formWithFile('file', 'same.txt', 'second'))
    await admin.post(`/projects/${place.id}/uploads`, formWithFile('file', 'pixel.png', pixel))
  }
  await fillVulnerabilities(server, shop, { nadia, omar, clock })
  await admin.post(`/projects/${old.id}/archive`)
  const fields = { name: 'security', title: 'Security', description: 'Things to fix' }
  await admin.post('/topics', formWithFile('avatar', 'lock.png', pixel, fields))
  return server
}

/** Decides about three vulnerabilities as several users, one of them twice. */
async function fillVulnerabilities(
  { admin, vulnerability }: ListeningServer,
  project: TestProject,
  { nadia, omar, clock }: Record<'nadia' | 'omar', Client> & { clock: { now: string } },
): Promise<void> {
  const dismissed = await vulnerability(project, { name: 'Injection', line: 3 })
  const confirmed = await vulnerability(project, { name: 'Traversal', line: 40 })
  await vulnerability(project, { name: 'Weak hash', line: 90 })
  clock.now = '2026-03-02T12:00:00.000Z'
  await nadia.post(`/vulnerabilities/${dismissed.id}/confirm`, { comment: 'It is real' })
  clock.now = '2026-03-03T12:00:00.000Z'
  const dismissal = { comment: 'Only in tests', dismissal_reason: 'used_in_tests' }
  await nadia.post(`/vulnerabilities/${dismissed.id}/dismiss`, dismissal)
  await admin.post(`/vulnerabilities/${confirmed.id}/confirm`)
  await admin.put(`/vulnerabilities/${confirmed.id}/tags`, { tags: ['urgent'] })
  const note = `/projects/${project.id}/vulnerabilities/${confirmed.id}/notes`
  expect((await omar.post(note, { body: 'I look at it' })).status).toBe(201)
}

const importArgs = (source: ListeningServer, ...more: string[]) => [
  'import',
  'gitlab',
  '--from',
  source.url,
  '--token',
  source.env.ALCOVE_TOKEN,
  ...more,
]

describe('an import from another Alcove server', () => {
  let source: ListeningServer
  let target: ListeningServer
  beforeAll(async () => {
    source = await filledServer()
    target = await listeningServer()
  })

  test('prints what it would copy in a dry run, and changes nothing', async () => {
    const dry = await run(importArgs(source, '--dry-run'), { env: target.env })
    expect(dry).toMatchObject({ code: 0, stdout: expect.stringContaining('group: 2 to create') })
    expect(dry.stdout).toContain('project: 3 to create')
    expect((await target.admin.get('/groups')).body).toEqual([])
    expect((await target.admin.get('/topics')).body).toEqual([])
    expect((await target.admin.get('/users?search=nadia')).body).toEqual([])
  })

  test('copies users, groups, projects, members and topics with avatars', async () => {
    const first = await run(importArgs(source), { env: target.env })
    expect(first).toMatchObject({ code: 0, stderr: '' })
    for (const [path, ...fields] of compared) {
      expect(await readAll(target.admin, path, fields), path).toEqual(await readAll(source.admin, path, fields))
    }
    const [topic] = (await target.admin.get('/topics?search=security')).body
    const avatar = await fetch(`${target.url}${new URL(topic.avatar_url).pathname}`)
    expect(Buffer.from(await avatar.arrayBuffer())).toEqual(pixel)
  })

  test('copies uploads with secret, filename, uploader, date and content', async () => {
    await run(importArgs(source), { env: target.env })
    for (const [place, count] of [
      ['/groups/shop', 1],
      ['/projects/shop%2Fapi', 3],
      ['/projects/shop%2Fold', 2],
    ] as const) {
      const fields = ['filename', 'size', 'created_at', 'sha256', 'url', 'markdown']
      const path = `${place}/uploads?with_details=true&`
      const uploads = await readAll(source.admin, path, fields)
      expect(uploads.length).toBe(count)
      expect(await readAll(target.admin, path, fields)).toEqual(uploads)
      expect(await readUploaders(target, path)).toEqual(await readUploaders(source, path))
      for (const [, , , , url] of uploads) {
        const { text } = await source.admin.get(`${place}${url}`)
        expect((await target.admin.get(`${place}${url}`)).text).toBe(text)
      }
    }
  })

  test('copies vulnerabilities with states, authors, comments and dates', async () => {
    await run(importArgs(source), { env: target.env })
    const [sent, received] = [await readTriage(source), await readTriage(target)]
    expect(sent).toHaveLength(3)
    expect(received).toEqual(sent)
    expect(JSON.stringify(received)).toContain('Only in tests')
    expect(JSON.stringify(received)).toContain('It is real')
  })

  test('names the branches whose vulnerabilities it does not copy', async () => {
    const { body: project } = await source.admin.get('/projects/shop%2Fapi')
    const named = async () => (await run(importArgs(source), { env: target.env })).stdout
    expect(await named()).not.toContain('presence of vulnerabilities')
    await source.report(project, [entry({ line: 3 })], { ref: 'release/1' })
    expect(await named()).toContain('shop/api: presence of vulnerabilities on release/1 is not copied, because')
  })

  test('changes nothing when it is repeated, and then only what has changed', async () => {
    await run(importArgs(source), { env: target.env })
    const second = await run(importArgs(source, '--json'), { env: target.env })
    for (const counts of Object.values(JSON.parse(second.stdout).copied)) {
      expect(counts).toMatchObject({ created: 0, updated: 0 })
    }
    const { body: project } = await source.admin.get('/projects/shop%2Fweb%2Ffront')
    await source.admin.put(`/projects/${project.id}`, { description: 'Changed', topics: ['java'] })
    const third = await run(importArgs(source, '--group', 'shop/web', '--json'), { env: target.env })
    expect(JSON.parse(third.stdout)).toMatchObject({ copied: { project: { created: 0, updated: 1, unchanged: 0 } } })
    expect((await target.admin.get('/projects/shop%2Fweb%2Ffront')).body).toMatchObject({
      description: 'Changed',
      topics: ['java'],
    })
  })
})

const compared: [string, ...string[]][] = [
  ['/groups', 'full_path', 'name', 'description', 'visibility'],
  ['/projects', 'path_with_namespace', 'name', 'description', 'visibility', 'archived', 'topics', 'default_branch'],
  ['/groups/shop/members', 'username', 'access_level', 'expires_at'],
  ['/projects/shop%2Fapi/members', 'username', 'access_level', 'expires_at'],
  ['/topics', 'name', 'title', 'description', 'total_projects_count'],
  ['/users', 'username', 'name', 'email', 'state'],
]

async function readAll(client: Client, path: string, fields: readonly string[]): Promise<unknown[][]> {
  const { body } = await client.get(`${path}${path.endsWith('&') ? '' : '?'}per_page=100`)
  const rows = (body as Record<string, unknown>[]).map((row) => fields.map((field) => row[field]))
  return rows.sort((one, other) => (JSON.stringify(one) < JSON.stringify(other) ? -1 : 1))
}

const readUploaders = async ({ admin }: ListeningServer, path: string): Promise<unknown[]> =>
  (await admin.get(path)).body
    .map((upload: { uploaded_by: { username: string } }) => upload.uploaded_by.username)
    .sort()

/** Vulnerabilities by title with their histories, without what has no counterpart, such as ids. */
async function readTriage({ admin }: ListeningServer): Promise<unknown[]> {
  const { body } = await admin.get('/projects/shop%2Fapi/vulnerabilities?per_page=100')
  const titles: Record<string, unknown>[] = body
  const read = titles.map(async ({ id, title, state, severity, dismissal_reason, dismissed_at, tags }) => {
    const history = (await admin.get(`/vulnerabilities/${id}/history?sort=asc&per_page=100`)).body
    const entries: Record<string, unknown>[] = history
    const decisions = entries
      .filter(({ kind }) => kind === 'state' || kind === 'note')
      .map(({ kind, author, from, to, comment, dismissal_reason, created_at }) => {
        const { username } = author as { username: string } // users made every one of these entries
        return { kind, username, from, to, comment, dismissal_reason, created_at }
      })
    return { title, state, severity, dismissal_reason, dismissed_at, tags, decisions }
  })
  return (await Promise.all(read)).sort((one, other) => (String(one.title) < String(other.title) ? -1 : 1))
}

test('recognises renamed and moved objects, and copies avatars when they have changed', async () => {
  const [source, target] = [await listeningServer(), await listeningServer()]
  const { admin } = source
  const project = await source.project('shop/api')
  const { body: group } = await admin.get('/groups/shop')
  const nadia = await source.user('nadia')
  await admin.post(`/groups/${group.id}/members`, { user_id: nadia.user?.id, access_level: 50 })
  await admin.put(`/groups/${group.id}`, formWithFile('avatar', 'shop.png', pixel))
  await admin.put(`/projects/${project.id}`, formWithFile('avatar', 'api.png', pixel))
  await nadia.put('/user/avatar', formWithFile('avatar', 'nadia.png', pixel))
  const importAll = async () => JSON.parse((await run(importArgs(source, '--json'), { env: target.env })).stdout)

  expect(await importAll()).toMatchObject({ copied: { avatar: { created: 3 }, project: { created: 1 } } })
  const { body: copied } = await target.admin.get('/projects/shop%2Fapi')
  const { body: user } = await target.admin.get('/users?username=nadia')
  for (const { avatar_url: url } of [copied, (await target.admin.get('/groups/shop')).body, user[0]]) {
    const [, path] = /^https?:\/\/[^/]+(.+)$/.exec(url) ?? []
    const file = await fetch(`${target.url}${path}`, { headers: { 'private-token': target.env.ALCOVE_TOKEN } })
    expect(Buffer.from(await file.arrayBuffer())).toEqual(pixel)
  }
  expect((await importAll()).copied.avatar).toMatchObject({ created: 0, updated: 0, unchanged: 3 })

  const { body: other } = await admin.post('/groups', { name: 'Other', path: 'other' })
  await admin.put(`/groups/${group.id}`, { name: 'Store', path: 'store' })
  await admin.put(`/projects/${project.id}`, { name: 'core', path: 'core' })
  await admin.put(`/projects/${project.id}/transfer`, { namespace: String(other.id) })
  await admin.put(`/projects/${project.id}`, { avatar: '' })
  expect(await importAll()).toMatchObject({
    copied: {
      group: { created: 1, updated: 1 },
      project: { created: 0, updated: 1 },
      avatar: { updated: 1, unchanged: 2 },
    },
    not_copied: [],
  })
  const { body: projects } = await target.admin.get('/projects')
  expect(projects).toMatchObject([{ id: copied.id, path_with_namespace: 'other/core', avatar_url: null }])
  const paths = (await target.admin.get('/groups')).body.map((one: { full_path: string }) => one.full_path)
  expect(paths.sort()).toEqual(['other', 'store'])
})
