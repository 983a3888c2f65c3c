import { setTimeout as sleep } from 'node:timers/promises'
import { beforeAll, describe, expect, test } from 'vitest'
import { deleteMarkedObjects } from '../../../domain/files/pending-deletions.ts'
import { removeOrphanedObjects } from '../../../domain/removal/orphan-cleanup.ts'
import { expireUploads } from '../../../domain/uploads/expire.ts'
import { type Client, formWithFile } from '../../../testing/client.ts'
import { startServer, type TestProject, type TestServer } from '../../../testing/server.ts'

const clock = { now: '2026-03-01T12:00:00.000Z' }
let server: TestServer
let project: TestProject
let maintainer: Client
beforeAll(async () => {
  server = await startServer({ clock })
  project = await server.project('acme/life')
  maintainer = await server.as('maintainer', project)
})

const base = () => `/projects/${project.id}/uploads`
const upload = async (filename: string, content: string | Uint8Array = 'bytes', to = base(), client = maintainer) => {
  const { status, body } = await client.post(to, formWithFile('file', filename, content))
  expect([filename, status]).toEqual([filename, 201])
  return body
}

async function keys(): Promise<string[]> {
  const found: string[] = []
  for await (const { key } of server.deps.objects.list('')) found.push(key)
  return found
}

describe('a deleted upload', () => {
  test('disappears from every route, and can be restored at its old address', async () => {
    const { id, url } = await upload('back.txt', 'still here')
    expect((await maintainer.delete(`${base()}/${id}`)).status).toBe(204)
    expect((await maintainer.get(`${base()}/${id}`)).status).toBe(404)
    expect((await maintainer.get(`/projects/${project.id}${url}`)).status).toBe(404)
    expect((await maintainer.get(base())).body.map((item: { id: number }) => item.id)).not.toContain(id)
    const deleted = await maintainer.get(`${base()}?deleted=true`)
    expect(deleted.body).toMatchObject([{ id, filename: 'back.txt', deleted_at: clock.now }])

    expect(await maintainer.post(`${base()}/${id}/restore`)).toMatchObject({ status: 201, body: { id, url } })
    expect((await maintainer.get(`/projects/${project.id}${url}`)).text).toBe('still here')
    expect(await maintainer.post(`${base()}/${id}/restore`)).toMatchObject({
      status: 404,
      body: { message: '404 Not found' },
    })
  })

  test('can be restored by Maintainers of its own project only', async () => {
    const { id } = await upload('mine.txt')
    await maintainer.delete(`${base()}/${id}`)
    const developer = await server.as('developer', project)
    expect((await developer.post(`${base()}/${id}/restore`)).status).toBe(403)
    expect((await server.anonymous.post(`${base()}/${id}/restore`)).status).toBe(401)
    const other = await server.project('acme/other-life')
    expect((await server.admin.post(`/projects/${other.id}/uploads/${id}/restore`)).status).toBe(404)
  })

  test('is purged with its content after the grace period', async () => {
    const { id } = await upload('late.txt', 'unique bytes of late.txt')
    await maintainer.delete(`${base()}/${id}`)
    const before = await keys()

    clock.now = '2026-03-08T11:59:59.000Z'
    await expireUploads(server.deps)
    await deleteMarkedObjects(server.deps)
    expect(await keys()).toHaveLength(before.length)

    clock.now = '2026-03-08T12:00:01.000Z'
    await expireUploads(server.deps)
    await deleteMarkedObjects(server.deps)
    expect((await keys()).length).toBeLessThan(before.length)
    expect((await maintainer.post(`${base()}/${id}/restore`)).status).toBe(404)
    expect((await maintainer.get(`${base()}?deleted=true`)).body).toEqual([])
  })

  test('is deleted once by concurrent requests', async () => {
    const { id } = await upload('twice.txt')
    const replies = await Promise.all([1, 2, 3].map(() => maintainer.delete(`${base()}/${id}`)))
    expect(replies.map(({ status }) => status).sort()).toEqual([204, 404, 404])
    const { body } = await maintainer.get(`${base()}/limits`)
    const { headers } = await maintainer.get(base())
    expect(body.files).toBe(Number(headers['x-total']))
  })
})

describe('orphaned objects', () => {
  test('are removed by a job when the store failed during the deletion of the project', async () => {
    const deletedProject = await server.project('acme/doomed-life')
    await upload('a.txt', 'x', `/projects/${deletedProject.id}/uploads`, server.admin)
    const before = await keys()
    const { remove } = server.deps.objects
    server.deps.objects.remove = () => Promise.reject(new Error('the store is away'))
    expect((await server.admin.delete(`/projects/${deletedProject.id}`)).status).toBe(202)
    expect(await keys()).toHaveLength(before.length)
    server.deps.objects.remove = remove
    await deleteMarkedObjects(server.deps)
    expect(await keys()).toHaveLength(before.length - 1)
  })

  test('do not delay the deletion of a project with many files and a slow store', async () => {
    const large = await server.project('acme/large-life')
    const before = await keys()
    const all = Array.from({ length: 80 }, () => upload('a.txt', 'x', `/projects/${large.id}/uploads`, server.admin))
    await Promise.all(all)
    const { remove } = server.deps.objects
    server.deps.objects.remove = async (key) => {
      await sleep(200)
      await remove(key)
    }
    const startedAt = performance.now()
    expect((await server.admin.delete(`/projects/${large.id}`)).status).toBe(202)
    expect(performance.now() - startedAt).toBeLessThan(5000)
    server.deps.objects.remove = remove
    const removed = before.length + 80 - (await keys()).length
    expect([removed > 0, removed < 80]).toEqual([true, true])
    await deleteMarkedObjects(server.deps)
    expect(await keys()).toHaveLength(before.length)
  })

  test('are removed when they are a day old and unreferenced', async () => {
    const { Readable } = await import('node:stream')
    await server.deps.objects.put('files/orphan', Readable.from([Buffer.from('x')]))
    const { id } = await upload('kept.txt', 'kept')
    const before = clock.now
    clock.now = new Date().toISOString()
    await removeOrphanedObjects(server.deps)
    expect(await keys()).toContain('files/orphan')
    clock.now = new Date(Date.now() + 25 * 60 * 60 * 1000).toISOString()
    await removeOrphanedObjects(server.deps)
    expect(await keys()).not.toContain('files/orphan')
    expect((await maintainer.get(`${base()}/${id}`)).text).toBe('kept')
    clock.now = before
  })
})

describe('the list of uploads', () => {
  test('can be filtered and sorted, and returns more fields on request', async () => {
    const listed = await server.project('acme/listed-life')
    const at = `/projects/${listed.id}/uploads`
    clock.now = '2026-04-01T00:00:00.000Z'
    const nadia = await server.as('maintainer', listed)
    await upload('Plan B.png', 'x'.repeat(30), at, nadia)
    clock.now = '2026-04-02T00:00:00.000Z'
    await upload('notes.txt', 'x'.repeat(10), at, server.admin)
    clock.now = '2026-04-03T00:00:00.000Z'
    await upload('plan.pdf', 'x'.repeat(20), at, nadia)

    const names = async (query: string) => {
      const reply = await server.admin.get(`${at}?${query}`)
      expect(reply.status).toBe(200)
      expect(Number(reply.headers['x-total'])).toBe(reply.body.length)
      return reply.body.map((item: { filename: string }) => item.filename)
    }
    expect(await names('')).toEqual(['plan.pdf', 'notes.txt', 'Plan_B.png'])
    expect(await names('search=PLAN')).toEqual(['plan.pdf', 'Plan_B.png'])
    expect(await names('search=n_b')).toEqual(['Plan_B.png'])
    expect(await names('content_type=application/pdf')).toEqual(['plan.pdf'])
    expect(await names('content_type=application/*')).toEqual(['plan.pdf'])
    expect(await names('content_type=app/*')).toEqual([])
    expect(await names(`uploaded_by=${nadia.user?.id}`)).toEqual(['plan.pdf', 'Plan_B.png'])
    expect(await names('created_after=2026-04-01T12:00:00Z&created_before=2026-04-02T12:00:00Z')).toEqual(['notes.txt'])
    expect(await names('order_by=size&sort=asc')).toEqual(['notes.txt', 'plan.pdf', 'Plan_B.png'])
    expect(await names('order_by=filename&sort=asc')).toEqual(['Plan_B.png', 'notes.txt', 'plan.pdf'])

    const [last, , first] = (await server.admin.get(at)).body
    expect(await names(`upload_ids[]=${first.id}&upload_ids[]=${last.id}`)).toEqual(['plan.pdf', 'Plan_B.png'])
    expect(await names(`upload_ids=${first.id}&search=pdf`)).toEqual([])

    const [plain] = (await server.admin.get(at)).body
    expect(Object.keys(plain)).toEqual(['id', 'size', 'filename', 'created_at', 'uploaded_by'])
    const [detailed] = (await server.admin.get(`${at}?with_details=true`)).body
    expect(detailed).toMatchObject({
      content_type: 'application/pdf',
      sha256: expect.stringMatching(/^[0-9a-f]{64}$/),
      url: expect.stringMatching(/^\/uploads\/[0-9a-f]{32}\/plan\.pdf$/),
      full_path: expect.stringMatching(new RegExp(`^/-/project/${listed.id}/uploads/`)),
      markdown: expect.stringMatching(/^\[plan\.pdf\]/),
    })
    const wrong = await server.admin.get(`${at}?order_by=secret`)
    expect(wrong).toMatchObject({ status: 400, body: { error: 'order_by does not have a valid value' } })
  })
})

describe('upload limits', () => {
  test('of a project are set by administrators and visible to users who may upload', async () => {
    const small = await server.project('acme/small')
    const owner = await server.as('owner', small)
    const at = `/projects/${small.id}/uploads`
    const put = (client: Client, body: object) => client.put(`${at}/limits`, body)
    expect((await put(owner, { quota_bytes: 1 })).status).toBe(403)
    expect(await put(server.admin, { max_upload_bytes: 10, quota_bytes: 25 })).toMatchObject({
      status: 200,
      body: { max_upload_bytes: 10, quota_bytes: 25, used_bytes: 0, files: 0 },
    })
    expect(await put(server.admin, { max_upload_bytes: -1 })).toMatchObject({ status: 400 })

    await upload('one.txt', 'x'.repeat(10), at, owner)
    const large = await owner.post(at, formWithFile('file', 'large.txt', 'x'.repeat(11)))
    expect(large).toMatchObject({
      status: 413,
      body: { message: '413 Request Entity Too Large', detail: 'this project takes files of up to 10 bytes' },
    })
    const second = await upload('two.txt', 'x'.repeat(10), at, owner)
    const full = await owner.post(at, formWithFile('file', 'three.txt', 'x'.repeat(6)))
    expect(full).toMatchObject({ status: 413, body: { detail: expect.stringContaining('may store') } })
    expect((await owner.get(`${at}/limits`)).body).toMatchObject({ used_bytes: 20, files: 2 })

    // Deleted files do not count towards the quota, so restoring one may exceed it.
    await owner.delete(`${at}/${second.id}`)
    await upload('three.txt', 'x'.repeat(10), at, owner)
    expect((await owner.post(`${at}/${second.id}/restore`)).status).toBe(413)
    expect((await owner.get(`${at}?deleted=true`)).body).toHaveLength(1)

    expect((await put(server.admin, { quota_bytes: null })).body.quota_bytes).toBeNull()
    expect((await owner.post(`${at}/${second.id}/restore`)).status).toBe(201)
    expect((await server.anonymous.get(`${at}/limits`)).status).toBe(401)
  })

  test('hold for concurrent uploads', async () => {
    const tight = await server.project('acme/tight')
    const at = `/projects/${tight.id}/uploads`
    await server.admin.put(`${at}/limits`, { quota_bytes: 50 })
    const replies = await Promise.all(
      Array.from({ length: 12 }, (_, index) =>
        server.admin.post(at, formWithFile('file', `${index}.txt`, 'x'.repeat(10))),
      ),
    )
    expect(replies.filter(({ status }) => status === 201)).toHaveLength(5)
    expect((await server.admin.get(`${at}/limits`)).body).toMatchObject({ used_bytes: 50, files: 5 })
  })
})

describe('group uploads', () => {
  test('behave like project uploads, with their own links', async () => {
    const { body: group } = await server.admin.post('/groups', {
      name: 'Files',
      path: 'files-group',
      visibility: 'private',
    })
    const at = `/groups/${group.id}/uploads`
    const created = await upload('plan.png', 'group bytes', at, server.admin)
    expect(created.full_path).toBe(`/-/group/${group.id}${created.url}`)
    expect((await server.admin.get(at)).body).toMatchObject([{ id: created.id, filename: 'plan.png' }])
    expect((await server.admin.get(`${at}/${created.id}`)).text).toBe('group bytes')
    expect((await server.admin.get(`/groups/${group.id}${created.url}`)).text).toBe('group bytes')
    expect((await server.admin.get(`//-/group/${group.id}${created.url}`)).text).toBe('group bytes')

    const outsider = await server.user('group-outsider')
    expect((await outsider.get(`/groups/${group.id}${created.url}`)).status).toBe(404)
    expect((await server.anonymous.get(at)).status).toBe(404)
    expect((await server.admin.get(`${base()}/${created.id}`)).status).toBe(404)

    expect((await server.admin.delete(`${at}/${created.id}`)).status).toBe(204)
    expect((await server.admin.post(`${at}/${created.id}/restore`)).status).toBe(201)
    const before = await keys()
    expect((await server.admin.delete(`/groups/${group.id}`)).status).toBe(202)
    expect(await keys()).toHaveLength(before.length - 1)
  })
})
