import { describe, expect, test } from 'vitest'
import { formWithFile } from '../../../testing/client.ts'
import { onSqlite } from '../../../testing/databases/database.ts'
import { startServer } from '../../../testing/server.ts'

const source = 'https://gitlab.example.com'

/** A server with a group and a project that an importer mirrors, and an owner of both. */
async function mirroredServer(localChanges: string) {
  const server = await startServer()
  const project = await server.project('shop/api')
  const group = (await server.admin.get('/groups/shop')).body
  const importer = await server.user('importer', { admin: true })
  const owner = await server.user('owner')
  await server.admin.post(`/groups/${group.id}/members`, { user_id: owner.user?.id, access_level: 50 })
  const mark = (kind: string, id: number, sourceId = '7') =>
    importer.put('/import_sources', {
      source,
      kind,
      source_id: sourceId,
      target_id: id,
      ...(kind !== 'user' && { local_changes: localChanges }),
    })
  return { server, project, group, importer, owner, mark }
}

const mirrorOf = (localChanges: string) => ({ mirrored_from: { url: source, local_changes: localChanges } })

describe('a mirrored project', () => {
  test.runIf(onSqlite)(
    'refuses local changes except for triage, says what it mirrors, and accepts changes of its importer',
    async () => {
      const { server, project, importer, owner, mark } = await mirroredServer('triage')
      const vulnerability = await server.vulnerability(project, { name: 'Injection' })
      expect((await owner.get(`/projects/${project.id}`)).body).not.toHaveProperty('mirrored_from')
      expect(await mark('project', project.id)).toMatchObject({ status: 200, body: { mirror: 'triage' } })

      expect((await owner.get(`/projects/${project.id}`)).body).toMatchObject(mirrorOf('triage'))
      const { body: listed } = await owner.get('/projects?membership=true')
      expect(listed).toMatchObject([mirrorOf('triage')])
      expect(Object.keys(listed[0]).at(-1)).toBe('mirrored_from')
      const path = `/projects/${project.id}`
      const refused = await Promise.all([
        owner.put(path, { description: 'x' }),
        owner.post(`${path}/uploads`, formWithFile('file', 'a.txt', 'x')),
        owner.post(`${path}/security_reports`, formWithFile('file', 'r.json', '{}')),
        owner.post(`${path}/members`, { user_id: 1, access_level: 10 }),
        owner.post(`${path}/archive`),
        owner.post(`${path}/hooks`, { url: 'https://example.com' }),
        owner.delete(path),
        server.admin.put(path, { topics: ['java'] }),
      ])
      const message =
        '403 Forbidden - The project is a mirror of https://gitlab.example.com and permits only triage here. Change it there, or detach the mirror.'
      expect(refused.map(({ status, body }) => [status, body])).toEqual(refused.map(() => [403, { message }]))
      expect((await owner.post(`${path}/star`)).status).toBe(201)
      expect((await owner.post(`/vulnerabilities/${vulnerability.id}/confirm`)).status).toBe(201)
      expect((await owner.post(`${path}/vulnerabilities/${vulnerability.id}/notes`, { body: 'x' })).status).toBe(201)
      expect((await importer.put(path, { description: 'From the source' })).status).toBe(200)
    },
  )

  test.runIf(onSqlite)(
    'refuses triage too when it permits no local changes, also in bulk, and permits all when it says so',
    async () => {
      const { server, project, owner, mark } = await mirroredServer('none')
      const vulnerability = await server.vulnerability(project, { name: 'Injection' })
      await mark('project', project.id)
      expect((await owner.post(`/vulnerabilities/${vulnerability.id}/confirm`)).status).toBe(403)
      const bulk = { action: 'confirm', vulnerability_ids: [vulnerability.id] }
      expect((await owner.post(`/projects/${project.id}/vulnerabilities/bulk`, bulk)).status).toBe(403)
      const inGroup = { action: 'confirm', filter: { state: ['detected'] }, async: false }
      await owner.post('/groups/shop/vulnerabilities/bulk', inGroup)
      expect((await owner.get(`/vulnerabilities/${vulnerability.id}`)).body.state).toBe('detected')
      expect((await owner.get(`/vulnerabilities/${vulnerability.id}/history`)).status).toBe(200)
      const open = { source, kind: 'project', source_id: '7', target_id: project.id, local_changes: 'all' }
      expect((await server.admin.put('/import_sources', open)).status).toBe(200)
      expect((await owner.put(`/projects/${project.id}`, { description: 'Ours' })).status).toBe(200)
      expect((await owner.get(`/projects/${project.id}`)).body).toMatchObject(mirrorOf('all'))
    },
  )

  test.runIf(onSqlite)('is named by its vulnerabilities, alone and in lists, until it is detached', async () => {
    const { server, project, importer, owner, mark } = await mirroredServer('none')
    const { id } = await server.vulnerability(project, { name: 'Injection' })
    const other = await server.project('shop/own')
    await server.vulnerability(other, { name: 'Our own' })
    const paths = [`/projects/${project.id}/vulnerabilities`, '/groups/shop/vulnerabilities', '/vulnerabilities']
    /** Returns what the vulnerability names as its source in each list, and alone. */
    const named = async () => {
      const lists = await Promise.all(paths.map((path) => owner.get(path)))
      const rows = lists.map(({ body }) => body.find((row: { id: number }) => row.id === id))
      expect(lists[1]?.body.filter((row: object) => 'project_mirrored_from' in row).length).toBeLessThanOrEqual(1)
      return [...rows, (await owner.get(`/vulnerabilities/${id}`)).body].map((row) => row.project_mirrored_from)
    }
    // Rendered rows and responses are cached.
    expect(await named()).toEqual([undefined, undefined, undefined, undefined])
    await mark('project', project.id)
    const mirror = { url: source, local_changes: 'none' }
    expect(await named()).toEqual([mirror, mirror, mirror, mirror])
    const changed = await importer.post(`/vulnerabilities/${id}/confirm`)
    expect(changed).toMatchObject({ status: 201, body: { project_mirrored_from: mirror } })
    expect(Object.keys(changed.body).at(-1)).toBe('project_mirrored_from')
    expect((await owner.delete(`/projects/${project.id}/mirror`)).status).toBeLessThan(300)
    expect(await named()).toEqual([undefined, undefined, undefined, undefined])
  })

  test.runIf(onSqlite)('keeps the assignees that its importer copies', async () => {
    const { server, project, importer, owner, mark } = await mirroredServer('none')
    const vulnerability = await server.vulnerability(project, { name: 'Injection' })
    await mark('project', project.id)
    const path = `/vulnerabilities/${vulnerability.id}/assignee`
    const change = { assignee_id: owner.user?.id }
    expect((await owner.put(path, change)).status).toBe(403)
    expect(await importer.put(path, change)).toMatchObject({ status: 200, body: { assignee: { username: 'owner' } } })
    const outsider = await server.user('outsider')
    expect((await importer.put(path, { assignee_id: outsider.user?.id })).status).toBe(400)
  })

  test('is detached by its owner, and belongs to one source only', async () => {
    const { server, project, importer, owner, mark } = await mirroredServer('triage')
    const maintainer = await server.as('maintainer', project)
    await mark('project', project.id)
    const other = { source: 'https://other.test', kind: 'project', source_id: '9', target_id: project.id }
    expect(await importer.put('/import_sources', { ...other, local_changes: 'none' })).toMatchObject({
      status: 409,
      body: { message: expect.stringContaining('is already a mirror of https://gitlab.example.com') },
    })
    expect((await maintainer.delete(`/projects/${project.id}/mirror`)).status).toBe(403)
    expect((await owner.delete(`/projects/${project.id}/mirror`)).status).toBe(204)
    expect((await owner.delete(`/projects/${project.id}/mirror`)).status).toBe(404)
    expect((await owner.put(`/projects/${project.id}`, { description: 'Ours' })).status).toBe(200)
    expect((await owner.get(`/projects/${project.id}`)).body).not.toHaveProperty('mirrored_from')
    const { body } = await server.admin.get(`/import_sources?source=${source}&kind=project`)
    expect(body).toMatchObject([{ source_id: '7', target_id: project.id, mirror: 'detached', mirrored_by_id: null }])
    const { body: events } = await server.admin.get(`/projects/${project.id}/audit_events`)
    expect(events.map(({ event_name: name }: { event_name: string }) => name)).toEqual(
      expect.arrayContaining(['mirror_detached', 'import_source_updated']),
    )
  })
})

test('of several sources that mark one object at once, one gets it', async () => {
  const { project, importer } = await mirroredServer('none')
  const sources = ['https://a.test', 'https://b.test', 'https://c.test']
  const marked = await Promise.all(
    sources.map((source) =>
      importer.put('/import_sources', {
        source,
        kind: 'project',
        source_id: '7',
        target_id: project.id,
        local_changes: 'none',
      }),
    ),
  )
  expect(marked.map(({ status }) => status).sort()).toEqual([200, 409, 409])
})

test('a source has no credentials, and no value is too long for its index', async () => {
  const { project, importer } = await mirroredServer('none')
  const long = Array.from({ length: 300 }, (_, index) => String.fromCodePoint(0x4e00 + ((index * 7919) % 20_000))).join(
    '',
  )
  const wrong = [
    { source: 'https://importer:secret@gitlab.test' },
    { source: `https://gitlab.test/${long}` },
    { source_id: long },
    { avatar_sha256: long },
  ]
  for (const fields of wrong) {
    const row = { source, kind: 'project', source_id: '7', target_id: project.id, ...fields }
    expect(await importer.put('/import_sources', row)).toMatchObject({ status: 400 })
  }
  const row = { source, kind: 'project', source_id: long.slice(0, 255), target_id: project.id }
  expect((await importer.put('/import_sources', row)).status).toBe(200)
})

describe.runIf(onSqlite)('a mirrored group', () => {
  test('refuses changes and new content of others, and is detached with everything below it', async () => {
    const { server, project, group, importer, owner, mark } = await mirroredServer('triage')
    await mark('group', group.id)
    await mark('project', project.id)
    expect((await owner.get('/groups/shop')).body).toMatchObject(mirrorOf('triage'))
    const own = await server.project('other/tool')
    const refused = await Promise.all([
      owner.put('/groups/shop', { description: 'x' }),
      owner.post('/groups/shop/uploads', formWithFile('file', 'a.txt', 'x')),
      owner.post('/projects', { name: 'local', namespace_id: group.id }),
      owner.post('/groups', { name: 'local', path: 'local', parent_id: group.id }),
      server.admin.put(`/projects/${own.id}/transfer`, { namespace: 'shop' }),
    ])
    for (const { status, body } of refused) {
      expect([status, body.message]).toEqual([403, expect.stringContaining('The group is a mirror of')])
    }
    expect((await importer.post('/projects', { name: 'copied', namespace_id: group.id })).status).toBe(201)
    expect((await owner.delete(`/groups/${group.id}/mirror`)).status).toBe(204)
    expect((await owner.put(`/projects/${project.id}`, { description: 'Ours' })).status).toBe(200)
    expect((await owner.post('/projects', { name: 'local', namespace_id: group.id })).status).toBe(201)
  })
})

describe('a mirrored topic', () => {
  test('refuses changes of other administrators until it is detached', async () => {
    const { server, importer, mark } = await mirroredServer('triage')
    const { body: topic } = await server.admin.post('/topics', { name: 'java', title: 'Java' })
    const { body: other } = await server.admin.post('/topics', { name: 'jvm', title: 'JVM' })
    await mark('topic', topic.id)
    expect((await server.admin.get(`/topics/${topic.id}`)).body).toMatchObject(mirrorOf('triage'))
    expect((await server.admin.get('/topics?search=java')).body).toMatchObject([mirrorOf('triage')])
    const { admin } = server
    const refused = await Promise.all([
      admin.put(`/topics/${topic.id}`, { title: 'Ours' }),
      admin.delete(`/topics/${topic.id}`),
      admin.post(`/topics/${topic.id}/aliases`, { name: 'jdk' }),
      admin.post('/topics/merge', { source_topic_id: topic.id, target_topic_id: other.id }),
      admin.post(
        '/topics/import',
        formWithFile('file', 't.json', '{"version":1,"topics":[{"name":"java","title":"Ours"}]}'),
      ),
    ])
    for (const { status, body } of refused) {
      expect([status, body.message]).toEqual([403, expect.stringContaining('The topic is a mirror of')])
    }
    expect((await importer.put(`/topics/${topic.id}`, { title: 'From the source' })).status).toBe(200)
    expect((await admin.delete(`/topics/${topic.id}/mirror`)).status).toBe(204)
    expect((await admin.put(`/topics/${topic.id}`, { title: 'Ours' })).status).toBe(200)
  })
})

describe.runIf(onSqlite)('PUT /import_sources', () => {
  test('refuses callers who are no administrators, missing objects, and mirrors of users', async () => {
    const { owner, importer, project } = await mirroredServer('triage')
    const draft = { source, kind: 'project', source_id: '7', target_id: project.id }
    expect((await owner.put('/import_sources', draft)).status).toBe(403)
    expect((await owner.get('/import_sources')).status).toBe(403)
    expect((await importer.put('/import_sources', { ...draft, target_id: 999_999 })).status).toBe(404)
    expect((await importer.put('/import_sources', { ...draft, source: 'ftp://x' })).status).toBe(400)
    const user = { ...draft, kind: 'user', target_id: 1, local_changes: 'none' }
    expect((await importer.put('/import_sources', user)).status).toBe(400)
  })

  test('keeps what is not sent, and follows an object to another one', async () => {
    const { server, importer, project, mark } = await mirroredServer('triage')
    await mark('project', project.id)
    const draft = { source, kind: 'project', source_id: '7', target_id: project.id, avatar_sha256: 'ab' }
    expect((await importer.put('/import_sources', draft)).body).toMatchObject({ mirror: 'triage', avatar_sha256: 'ab' })
    const other = await server.project('shop/other')
    const moved = { source, kind: 'project', source_id: '7', target_id: other.id }
    expect((await importer.put('/import_sources', moved)).body).toMatchObject({ mirror: null, avatar_sha256: null })
    await importer.delete(`/projects/${other.id}`)
    expect((await importer.get('/import_sources')).body).toEqual([])
  })

  test('refuses changes after the importer was deleted, until another one takes the mirror over', async () => {
    const { server, importer, project, mark } = await mirroredServer('triage')
    await mark('project', project.id)
    expect((await server.admin.delete(`/users/${importer.user?.id}`)).status).toBe(204)
    const change = () => server.admin.put(`/projects/${project.id}`, { description: 'x' })
    expect((await change()).status).toBe(403)
    const draft = { source, kind: 'project', source_id: '7', target_id: project.id, local_changes: 'triage' }
    await server.admin.put('/import_sources', draft)
    expect((await change()).status).toBe(200)
  })
})
