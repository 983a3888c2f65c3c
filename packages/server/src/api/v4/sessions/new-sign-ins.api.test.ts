import { expect, test } from 'vitest'
import { startServer, type TestServer } from '../../../testing/server.ts'

const login = (name: string) => ({ login: name, password: 'correct horse battery' })

/** Signs a browser in and returns its cookies and its requests. */
async function signIn(server: TestServer, name: string, { browser = '', agent = 'Firefox on Linux' } = {}) {
  const headers = { 'user-agent': agent, ...(browser && { cookie: `alcove_browser=${browser}` }) }
  const reply = await server.anonymous.post('//-/sessions', login(name), { headers })
  expect(reply.status).toBe(201)
  const cookies = reply.cookies.map((text) => text.split(';', 1)[0] ?? '')
  const own = { cookie: cookies.join('; '), 'x-alcove-session': '1' }
  const known = cookies.find((text) => text.startsWith('alcove_browser='))?.split('=', 2)[1] ?? ''
  return {
    known,
    get: (path: string) => server.anonymous.get(path, { headers: own }),
    post: (path: string) => server.anonymous.post(path, {}, { headers: own }),
    delete: (path: string) => server.anonymous.delete(path, undefined, { headers: own }),
    notices: async () => (await server.anonymous.get('//-/session', { headers: own })).body.new_sign_ins,
  }
}

test('a sign-in from a new browser shows a notice in the other sessions, until one of them dismisses it', async () => {
  const clock = { now: '2026-05-01T10:00:00.000Z' }
  const server = await startServer({ clock })
  await server.user('nadia')
  const first = await signIn(server, 'nadia')
  expect(await first.notices()).toEqual([])
  clock.now = '2026-05-01T11:00:00.000Z'
  const second = await signIn(server, 'nadia', { agent: 'Safari on macOS' })
  expect(await first.notices()).toEqual([
    {
      id: expect.any(Number),
      created_at: '2026-05-01T11:00:00.000Z',
      address: expect.any(String),
      user_agent: 'Safari on macOS',
      is_signed_in: true,
    },
  ])

  const [{ id }] = await first.notices()
  expect(await second.notices()).toEqual([])
  await second.post(`//-/sign_ins/${id}/dismiss`)
  expect(await first.notices()).toHaveLength(1)
  expect((await first.post(`//-/sign_ins/${id}/dismiss`)).status).toBe(204)
  expect(await first.notices()).toEqual([])
})

test('a sign-in from a known browser creates no notice, and one of another user there does', async () => {
  const server = await startServer()
  for (const name of ['nadia', 'omar']) await server.user(name)
  const nadia = await signIn(server, 'nadia')
  const omar = await signIn(server, 'omar')
  await signIn(server, 'nadia', { browser: nadia.known })
  expect(await nadia.notices()).toEqual([])
  await signIn(server, 'omar', { browser: nadia.known })
  expect(await omar.notices()).toHaveLength(1)
  expect(await nadia.notices()).toEqual([])
})

test('the sign-ins from new browsers are listed with those whose session has ended, the newest 20', async () => {
  const server = await startServer()
  await server.user('nadia')
  const first = await signIn(server, 'nadia', { agent: 'First' })
  const second = await signIn(server, 'nadia', { agent: 'Second' })
  await second.delete('//-/sessions')
  const listed = async () => (await first.get('//-/sign_ins')).body
  expect(await listed()).toMatchObject([
    { user_agent: 'Second', is_signed_in: false },
    { user_agent: 'First', is_signed_in: true },
  ])
  expect(await first.notices()).toMatchObject([{ user_agent: 'Second', is_signed_in: false }])
  for (let count = 0; count < 20; count++) await signIn(server, 'nadia', { agent: `Browser ${count}` })
  expect(await listed()).toHaveLength(20)
  expect(await first.notices()).toMatchObject([
    { user_agent: 'Browser 19' },
    { user_agent: 'Browser 18' },
    { user_agent: 'Browser 17' },
  ])
})

test('a user cannot read or dismiss the notices of others', async () => {
  const server = await startServer()
  for (const name of ['nadia', 'omar']) await server.user(name)
  const nadia = await signIn(server, 'nadia')
  await signIn(server, 'nadia')
  const omar = await signIn(server, 'omar')
  const [{ id }] = await nadia.notices()
  expect((await omar.get('//-/sign_ins')).body).toHaveLength(1)
  await omar.post(`//-/sign_ins/${id}/dismiss`)
  expect(await nadia.notices()).toHaveLength(1)
  expect((await server.anonymous.get('//-/sign_ins')).status).toBe(401)
})

test('DELETE /-/sessions/others ends all sessions but the one that sends it', async () => {
  const server = await startServer()
  await server.user('nadia')
  const [kept, ...ended] = [await signIn(server, 'nadia'), await signIn(server, 'nadia'), await signIn(server, 'nadia')]
  expect((await kept?.delete('//-/sessions/others'))?.status).toBe(204)
  expect((await kept?.get('/user'))?.status).toBe(200)
  for (const browser of ended) expect((await browser.get('/user')).status).toBe(401)
})
