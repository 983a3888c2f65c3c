import { expect, test } from 'vitest'
import { type Fixture, forbidden, noProject, refusal, unauthorized } from './support.ts'

export function testUploads(fixture: Fixture): void {
  test('a file can be uploaded and downloaded by id and by secret, byte for byte', async () => {
    const project = await fixture.project()
    const uploads = fixture.admin.ProjectMarkdownUploads
    const bytes = Uint8Array.from({ length: 300_000 }, (_, index) => (index * 31) % 256)
    const created = await uploads.create(project.id, { content: new Blob([bytes]), filename: 'floor plan.png' })
    const [secret, name] = addressOf(created)
    expect(secret).toMatch(/^[0-9a-f]{32}$/)
    expect(created).toEqual({
      id: expect.any(Number),
      alt: 'floor_plan',
      url: `/uploads/${secret}/floor_plan.png`,
      full_path: `/-/project/${project.id}/uploads/${secret}/floor_plan.png`,
      markdown: `![floor_plan](/uploads/${secret}/floor_plan.png)`,
    })

    const byId = await uploads.download(project.id, `${created.id}`)
    const bySecret = await uploads.download(`${project.path_with_namespace}`, secret, name)
    for (const found of [byId, bySecret]) expect(Buffer.compare(await bytesOf(found), bytes)).toBe(0)
  })

  test('a non-ASCII filename is kept', async () => {
    const project = await fixture.project()
    const uploads = fixture.admin.ProjectMarkdownUploads
    const created = await uploads.create(project.id, { content: new Blob(['Ahoi']), filename: 'Grüße – 港.txt' })
    expect(created.alt).toBe('Grüße___港.txt')
    const found = await uploads.download(project.id, ...addressOf(created))
    expect(Buffer.from(await bytesOf(found)).toString()).toBe('Ahoi')
  })

  test('uploads are listed newest first with their authors, and deleted by id and by secret once', async () => {
    const project = await fixture.project()
    const { id, username, api } = await fixture.user('sender', project, 40)
    const uploads = api.ProjectMarkdownUploads
    const first = await fixture.upload(project, 'a.txt', api)
    const second = await fixture.upload(project, 'b.txt', api)
    expect(await uploads.all(project.id)).toMatchObject([
      { id: second.id, size: 5, filename: 'b.txt', uploaded_by: { id, username, name: 'Nadia Osei' } },
      { id: first.id, size: 5, filename: 'a.txt' },
    ])

    await uploads.remove(project.id, `${first.id}`)
    await uploads.remove(project.id, ...addressOf(second))
    expect(await uploads.all(project.id)).toEqual([])
    const missing = { status: 404, description: '404 Not found' }
    expect(await refusal(uploads.remove(project.id, `${first.id}`))).toEqual(missing)
    expect(await refusal(uploads.remove(project.id, ...addressOf(second)))).toMatchObject({
      status: 400,
      description: expect.stringMatching(/^400 Bad request - The resource that you are attempting to access/),
    })
    const elsewhere = await fixture.upload(await fixture.project(), 'c.txt')
    expect(await refusal(uploads.download(project.id, `${elsewhere.id}`))).toEqual(missing)
  })

  test('unauthorized callers are rejected', async () => {
    const project = await fixture.project()
    const upload = await fixture.upload(project, 'private.txt')
    const { api: guest } = await fixture.user('guest', project, 10)
    const { api: stranger } = await fixture.user('stranger')

    expect(await refusal(guest.ProjectMarkdownUploads.all(project.id))).toEqual(forbidden)
    expect(await refusal(guest.ProjectMarkdownUploads.download(project.id, `${upload.id}`))).toEqual(forbidden)
    expect(await guest.ProjectMarkdownUploads.download(project.id, ...addressOf(upload))).toBeInstanceOf(Blob)
    expect(await refusal(guest.ProjectMarkdownUploads.remove(project.id, ...addressOf(upload)))).toEqual(forbidden)
    for (const outside of [stranger, fixture.api('')]) {
      const download = outside.ProjectMarkdownUploads.download(project.id, ...addressOf(upload))
      expect(await refusal(download)).toEqual(noProject)
    }
    expect(await refusal(fixture.upload(project, 'x.txt', stranger))).toEqual(noProject)
    expect(await refusal(fixture.upload(project, 'x.txt', fixture.api('')))).toEqual(unauthorized)
  })

  test('invalid uploads are rejected', async () => {
    const project = await fixture.project()
    const { requester } = fixture.admin.Projects
    const empty = requester.post(`projects/${project.id}/uploads`, { body: new FormData() })
    expect(await refusal(empty)).toEqual({ status: 400, description: 'file is missing' })
    const text = requester.post(`projects/${project.id}/uploads`, { body: { file: 'notes' } })
    expect(await refusal(text)).toEqual({ status: 400, description: 'file is invalid' })
    const noNumber = fixture.admin.ProjectMarkdownUploads.download(project.id, 'nonsense')
    expect(await refusal(noNumber)).toEqual({ status: 400, description: 'upload_id is invalid' })
    const climbing = fixture.admin.ProjectMarkdownUploads.download(project.id, '0'.repeat(32), '../../secret.txt')
    expect(await refusal(climbing)).toMatchObject({ status: 400 })
  })
}

function addressOf({ url }: { url: string }): [secret: string, filename: string] {
  const [, , secret = '', filename = ''] = url.split('/')
  return [secret, filename]
}

async function bytesOf(found: unknown): Promise<Uint8Array> {
  expect(found).toBeInstanceOf(Blob)
  return new Uint8Array(await (found as Blob).arrayBuffer())
}
