import { expect, test } from 'vitest'
import { formWithFile } from '../../../testing/client.ts'
import { startServer } from '../../../testing/server.ts'

test('POST /markdown renders Markdown as HTML', async () => {
  const server = await startServer()
  const someone = await server.user('someone')

  expect(await someone.post('/markdown', { text: 'Hello *world* :tada:', gfm: true })).toMatchObject({
    status: 201,
    body: { html: '<p>Hello <em>world</em> 🎉</p>\n' },
  })
  expect((await someone.post('/markdown', { text: '' })).body).toEqual({ html: '' })
  const form = await someone.post('/markdown', new URLSearchParams({ text: 'a <script>x</script>b' }))
  expect(form).toMatchObject({ status: 201, body: { html: '<p>a b</p>\n' } })
})

test('POST /markdown requires a signed-in user and a token with write scope', async () => {
  const server = await startServer()
  const someone = await server.user('someone')
  const reader = await server.client(someone, { scopes: ['read_api'] })

  expect(await server.anonymous.post('/markdown', {})).toMatchObject({ status: 401 })
  expect(await reader.post('/markdown', { text: 'a' })).toMatchObject({ status: 403 })
})

test('POST /markdown requires a text and limits its length', async () => {
  const server = await startServer()
  const someone = await server.user('someone')
  const tooLong = { error: 'text is too long (maximum is 1 MiB)' }

  expect(await someone.post('/markdown', {})).toMatchObject({ status: 400, body: { error: 'text is missing' } })
  expect(await someone.post('/markdown', { text: 'a', gfm: 'x' })).toMatchObject({ status: 400 })
  expect(await someone.post('/markdown', { text: 'ä'.repeat(524_289) })).toMatchObject({ status: 400, body: tooLong })
  const most = await someone.post('/markdown', { text: 'a b\n\n'.repeat(1000).padEnd(1024 * 1024, 'lorem ipsum ') })
  expect(most).toMatchObject({ status: 201 })
})

test('POST /markdown renders links to uploads with addresses that work for the project', async () => {
  const server = await startServer()
  const project = await server.project('acme/site')
  const guest = await server.as('guest', project)
  const upload = (await guest.post(`/projects/${project.id}/uploads`, formWithFile('file', 'Grüße (1).png', 'x'))).body

  for (const reference of ['acme/site', 'ACME/Site', String(project.id)]) {
    const rendered = await guest.post('/markdown', { text: upload.markdown, project: reference })
    expect(rendered.status).toBe(201)
    expect(rendered.body.html).toContain(`src="${upload.full_path}"`)
  }
  expect((await guest.post('/markdown', { text: upload.markdown })).body.html).not.toContain('/-/project/')
})

test('POST /markdown returns 404 for a project that the caller may not read', async () => {
  const server = await startServer()
  const hidden = await server.project('acme/hidden')
  const open = await server.project('acme/open', { visibility: 'public' })
  const outsider = await server.as('outsider', hidden)
  const inProject = (project: unknown) => outsider.post('/markdown', { text: 'a', project })
  const notFound = { status: 404, body: { message: '404 Project Not Found' } }

  for (const reference of ['acme/hidden', hidden.id, 'acme/none', 'acme', 999_999, '']) {
    expect(await inProject(reference), String(reference)).toMatchObject(notFound)
  }
  expect(await inProject(open.id)).toMatchObject({ status: 201 })
  expect(await server.admin.post('/markdown', { text: 'a', project: hidden.id })).toMatchObject({ status: 201 })
})

test('POST /markdown/preview accepts read-only and anonymous callers', async () => {
  const server = await startServer()
  const open = await server.project('acme/open', { visibility: 'public' })
  const hidden = await server.project('acme/hidden')
  const reporter = await server.as('reporter', hidden)
  const reader = await server.client(reporter, { scopes: ['read_api'] })
  const knower = await server.client(reporter, { scopes: ['read_user'] })
  const preview = (of: typeof reader, fields: object) => of.post('/markdown/preview', fields)
  const rendered = { status: 200, body: { html: '<p>a <em>b</em> c</p>\n' } }
  const text = 'a *b* <script>x</script>c'

  for (const someone of [reader, reporter, server.anonymous]) {
    expect(await preview(someone, { text })).toMatchObject(rendered)
    expect(await preview(someone, { text, project: open.id })).toMatchObject(rendered)
  }
  expect(await preview(reader, { text, project: 'acme/hidden' })).toMatchObject(rendered)
  const none = { status: 404, body: { message: '404 Project Not Found' } }
  expect(await preview(server.anonymous, { text, project: 'acme/hidden' })).toMatchObject(none)
  expect(await preview(server.anonymous, { text, project: 'acme/none' })).toMatchObject(none)
  expect(await preview(knower, { text })).toMatchObject({ status: 403, body: { error: 'insufficient_scope' } })
})

test('POST /markdown/preview limits anonymous callers to short texts', async () => {
  const server = await startServer()
  const someone = await server.user('someone')
  const of = (length: number) => ({
    text: 'a b '
      .repeat(length / 4)
      .trimEnd()
      .padEnd(length, 'x'),
  })

  expect(await server.anonymous.post('/markdown/preview', of(4096))).toMatchObject({ status: 200 })
  expect(await server.anonymous.post('/markdown/preview', of(4100))).toMatchObject({
    status: 400,
    body: { error: 'text is too long (maximum is 4096 characters for anonymous requests)' },
  })
  expect(await someone.post('/markdown/preview', of(4100))).toMatchObject({ status: 200 })
  expect(await someone.post('/markdown/preview', of(1024 * 1024 + 4))).toMatchObject({ status: 400 })
})
