import { beforeAll, describe, expect, test } from 'vitest'
import { type Client, formWithFile } from '../../../testing/client.ts'
import { startServer, type TestProject, type TestServer } from '../../../testing/server.ts'

let server: TestServer
let project: TestProject
let guest: Client
beforeAll(async () => {
  server = await startServer()
  project = await server.project('acme/web')
  guest = await server.as('guest', project)
})

async function upload(filename: string, content = 'bytes', to = project.id): Promise<string> {
  const { body } = await server.admin.post(`/projects/${to}/uploads`, formWithFile('file', filename, content))
  return `/${body.full_path}`
}

/** Returns the cookie header of a signed-in browser. */
async function signIn(client: Client): Promise<{ headers: { cookie: string } }> {
  const reply = await server.anonymous.post('//-/sessions', {
    login: client.user?.username,
    password: 'correct horse battery',
  })
  expect(reply.status).toBe(201)
  return { headers: { cookie: reply.headers['set-cookie']?.split(';')[0] ?? '' } }
}

describe('full_path', () => {
  test.each([
    ['shot.png', 'image/png', 'inline'],
    ['PHOTO.JPG', 'image/jpeg', 'inline'],
    ['clip.mp4', 'video/mp4', 'inline'],
    ['song.mp3', 'audio/mpeg', 'inline'],
    ['paper.pdf', 'application/pdf', 'inline'],
    ['drawing.svg', 'image/svg+xml', 'attachment'],
    ['page.html', 'application/octet-stream', 'attachment'],
    ['data.xml', 'application/octet-stream', 'attachment'],
    ['code.js', 'application/octet-stream', 'attachment'],
    ['notes.txt', 'application/octet-stream', 'attachment'],
    ['README', 'application/octet-stream', 'attachment'],
  ])('serves %s as %s, %s, in a sandbox', async (filename, type, disposition) => {
    const reply = await guest.get(await upload(filename))
    expect(reply.status).toBe(200)
    expect(reply.headers['content-type']).toBe(type)
    expect(reply.headers['content-disposition']).toBe(
      `${disposition}; filename="${filename}"; filename*=UTF-8''${filename}`,
    )
    expect(reply.headers).toMatchObject({
      'content-security-policy': "sandbox; default-src 'none'; frame-ancestors 'none'",
      'referrer-policy': 'no-referrer',
      'x-content-type-options': 'nosniff',
    })
  })

  test('supports ETag, ranges and HEAD', async () => {
    const path = await upload('range.png', '0123456789')
    const whole = await guest.get(path)
    const etag = whole.headers['etag'] ?? ''
    expect(etag).toMatch(/^"[0-9a-f]{64}"$/)
    expect((await guest.get(path, { headers: { 'if-none-match': etag } })).status).toBe(304)
    const part = await guest.get(path, { headers: { range: 'bytes=2-4', 'if-range': etag } })
    expect(part).toMatchObject({ status: 206, text: '234' })
    expect(await guest.get(path, { headers: { range: 'bytes=2-4', 'if-range': '"other"' } })).toMatchObject({
      status: 200,
    })
    expect((await guest.get(path, { headers: { range: 'bytes=99-' } })).status).toBe(416)
    expect((await guest.head(path)).headers['content-length']).toBe('10')
  })

  test('follows the project’s visibility for every file, including images, and never returns 403', async () => {
    const outsider = await server.user('web-outsider')
    for (const filename of ['a.png', 'a.txt']) {
      const hidden = await upload(filename)
      expect((await guest.get(hidden)).status).toBe(200)
      expect((await outsider.get(hidden)).status).toBe(404)
      expect((await server.anonymous.get(hidden)).status).toBe(404)
      const open = await server.project(`acme/web-open-${filename.replace('.', '-')}`, { visibility: 'public' })
      expect((await server.anonymous.get(await upload(filename, 'x', open.id))).status).toBe(200)
    }
  })

  test('returns 404 for a missing file, and 400 for an invalid path', async () => {
    const path = await upload('real.png')
    const [, , , , id, , secret] = path.split('/')
    expect([id, secret?.length]).toEqual([String(project.id), 32])
    for (const wrong of [path.replace('real', 'other'), path.replace(/[0-9a-f]{32}/, 'x'.repeat(32))]) {
      expect((await guest.get(wrong)).status).toBe(404)
    }
    expect((await guest.get(`//-/project/${id}/uploads/${secret}/..%2Freal.png`)).status).toBe(400)
    expect((await guest.get(`//-/project/acme%2Fweb/uploads/${secret}/real.png`)).status).toBe(400)
  })
})

describe('a signed-in browser', () => {
  test('can read what its user can read', async () => {
    const path = await upload('session.png')
    expect((await server.anonymous.get(path, await signIn(guest))).status).toBe(200)
    const outsider = await server.user('cookie-outsider')
    expect((await server.anonymous.get(path, await signIn(outsider))).status).toBe(404)
    expect((await server.anonymous.get(path, { headers: { cookie: 'alcove_session=made-up' } })).status).toBe(404)
  })

  test('gets a cookie that scripts and other sites cannot use', async () => {
    const reply = await server.anonymous.post('//-/sessions', {
      login: guest.user?.email,
      password: 'correct horse battery',
    })
    expect(reply.body).toMatchObject({ id: guest.user?.id, username: guest.user?.username })
    expect(reply.headers['set-cookie']).toMatch(
      /^alcove_session=[\w-]{43}; Path=\/; HttpOnly; SameSite=Lax; Max-Age=1209600$/,
    )
  })

  test('cannot use the API with its cookie alone', async () => {
    const { headers } = await signIn(guest)
    expect((await server.anonymous.get('/user', { headers })).status).toBe(401)
    expect((await server.anonymous.post('/projects', { name: 'forged' }, { headers })).status).toBe(401)
  })

  test('stays signed out after signing out', async () => {
    const path = await upload('out.png')
    const cookie = await signIn(guest)
    expect((await server.anonymous.delete('//-/sessions', undefined, cookie)).status).toBe(200)
    expect((await server.anonymous.get(path, cookie)).status).toBe(404)
    // Signing out twice is no error, and the cookie remains invalid.
    expect((await server.anonymous.delete('//-/sessions', undefined, cookie)).status).toBe(200)
    expect((await server.anonymous.get(path, cookie)).status).toBe(404)
  })

  test('loses access when its user is blocked', async () => {
    const path = await upload('blocked.png')
    const member = await server.as('developer', project)
    const cookie = await signIn(member)
    expect((await server.anonymous.get(path, cookie)).status).toBe(200)
    expect((await server.admin.post(`/users/${member.user?.id}/block`)).status).toBe(201)
    expect((await server.anonymous.get(path, cookie)).status).toBe(404)
  })

  test('is signed out when the password changes', async () => {
    const path = await upload('password.png')
    const member = await server.as('guest', project)
    const cookie = await signIn(member)
    const changed = await server.admin.put(`/users/${member.user?.id}`, { password: 'another long password' })
    expect(changed.status).toBe(200)
    expect((await server.anonymous.get(path, cookie)).status).toBe(404)
  })

  test('cannot sign in from another site, with a wrong password, or by guessing', async () => {
    const login = { login: guest.user?.username, password: 'correct horse battery' }
    const foreign = { headers: { origin: 'https://evil.example' } }
    expect((await server.anonymous.post('//-/sessions', login, foreign)).status).toBe(403)
    const victim = (await server.user('guessed-user')).user?.username
    const guess = (number: number) =>
      server.anonymous.post('//-/sessions', { login: victim, password: `wrong ${number}` })
    const statuses: number[] = []
    for (let round = 0; round < 3; round++) {
      const guesses = await Promise.all(Array.from({ length: 5 }, (_, number) => guess(5 * round + number)))
      statuses.push(...guesses.map(({ status }) => status))
    }
    expect(statuses.filter((status) => status === 401)).toHaveLength(10)
    expect(statuses.filter((status) => status === 429)).toHaveLength(5)
    const right = { login: victim, password: 'correct horse battery' }
    expect((await server.anonymous.post('//-/sessions', right)).status).toBe(429)
    expect((await server.anonymous.post('//-/sessions', { login: 'unknown-user', password: 'x' })).status).toBe(401)
  })
})
