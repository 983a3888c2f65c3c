import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { readdir, stat } from 'node:fs/promises'
import { Agent, type IncomingMessage, request } from 'node:http'
import { connect } from 'node:net'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { describe, expect, test } from 'vitest'
import { runProcess, type ServerProcess, startProcess, temporaryFolder } from './process.ts'

describe('the first start', () => {
  test('prints an address, a token, and a working command', async () => {
    const server = await startProcess()
    const line = /^ {2}(curl .*)$/m.exec(server.stdout)?.[1] ?? ''

    const { stdout } = await promisify(execFile)('sh', ['-c', `${line} --silent --fail --max-time 10`])
    expect(JSON.parse(stdout)).toMatchObject({ id: 1, username: 'root', is_admin: true })
    expect(server.token).toMatch(/^alpat-\w{40}$/)
  })

  test('prints a link that sets root’s password once', async () => {
    const server = await startProcess()
    const [, token = ''] = /^ {2}http\S+\/-\/password#(\S+)$/m.exec(server.stdout) ?? []
    const redeem = () => {
      const body = new URLSearchParams({ token, password: 'a long enough one' })
      return fetch(`${server.url}/-/password`, { method: 'POST', body })
    }
    expect((await redeem()).status).toBe(201)
    expect((await redeem()).status).toBe(401)
    const body = new URLSearchParams({ login: 'root', password: 'a long enough one' })
    expect((await fetch(`${server.url}/-/sessions`, { method: 'POST', body })).status).toBe(201)
  })

  test('finds the packages that are loaded on first use', async () => {
    const server = await startProcess()
    const json = { 'content-type': 'application/json' }
    const challenge = await fetch(`${server.url}/-/passkeys/challenge`, { method: 'POST', headers: json, body: '{}' })
    expect([challenge.status, await challenge.json()]).toMatchObject([201, { challenge: expect.any(String) }])
    const graphql = await fetch(`${server.url}/api/graphql`, {
      method: 'POST',
      headers: { ...json, 'private-token': server.token },
      body: JSON.stringify({ query: '{ currentUser { username } }' }),
    })
    expect(await graphql.json()).toEqual({ data: { currentUser: { username: 'root' } } })
  })

  test('creates files and folders that only their owner can read', async () => {
    const folder = await temporaryFolder()
    const server = await startProcess({ env: { ALCOVE_DATA: folder } })
    expect(server.token).not.toBe('')
    const files = await readdir(folder, { recursive: true, withFileTypes: true })
    expect(files.map(({ name }) => name)).toContain('alcove.sqlite3')
    for (const file of files) {
      const { mode } = await stat(join(file.parentPath, file.name))
      expect([file.name, (mode & 0o777).toString(8)]).toEqual([file.name, file.isDirectory() ? '700' : '600'])
    }
  })

  test('uses the token from the settings without printing it', async () => {
    const token = 'chosen-by-the-operator-1'
    const server = await startProcess({ env: { ALCOVE_BOOTSTRAP_TOKEN: token } })

    expect((await get(server, '/user', token)).status).toBe(200)
    expect(server.stdout).not.toContain(token)
  })

  test('happens once: the second start keeps the data and prints no token', async () => {
    const folder = await temporaryFolder()
    const first = await startProcess({ env: { ALCOVE_DATA: folder } })
    const project = await createProject(first, 'kept')
    const uploaded = await post(first, `/projects/${project.id}/uploads`, formWith('kept.txt', 'still here'))
    const upload = (await uploaded.json()) as { id: number }
    await first.stop()

    const second = await startProcess({ env: { ALCOVE_DATA: folder } })
    expect(second.stdout).not.toMatch(/token|alpat-/)
    const download = await get(second, `/projects/${project.id}/uploads/${upload.id}`, first.token)
    expect(await download.text()).toBe('still here')
  })
})

describe('a start that fails', () => {
  test('lists every invalid setting with its value and the allowed values', async () => {
    const { code, stdout, stderr } = await runProcess({
      env: {
        ALCOVE_PORT: '80800',
        ALCOVE_LOG_LEVEL: 'chatty',
        ALCOVE_EXTERNAL_URL: 'alcove.example',
        ALCOVE_BOOTSTRAP_TOKEN: 'too-short-secret',
        ALCOVE_DATABASE_URL: 'mysql://me:hush@database/alcove',
        ALCOVE_COLOUR: 'blue',
      },
    })

    expect(code).toBe(1)
    expect(stdout).toBe('')
    expect(stderr.trimEnd().split('\n').sort()).toEqual([
      'alcove: ALCOVE_BOOTSTRAP_TOKEN is set to something else (not shown, it is a secret); allowed is at least 20 printable ASCII characters without blanks.',
      expect.stringMatching(/^alcove: ALCOVE_COLOUR is not a setting; there are .*ALCOVE_PORT.*\.$/),
      'alcove: ALCOVE_DATABASE_URL is set to something else (not shown, it is a secret); allowed is an address such as postgres://user@host/database.',
      'alcove: ALCOVE_EXTERNAL_URL is "alcove.example"; allowed is an http:// or https:// address.',
      expect.stringMatching(/^alcove: ALCOVE_LOG_LEVEL is "chatty"; allowed is .*info.*\.$/),
      'alcove: ALCOVE_PORT is "80800"; allowed is a whole number from 0 to 65535.',
    ])
  })

  test('reports that the port is in use', async () => {
    const server = await startProcess()
    const { port } = new URL(server.url)

    const { code, stderr } = await runProcess({ env: { ALCOVE_PORT: port } })
    expect(code).toBe(1)
    expect(stderr).toMatch(/^alcove: the address is in use .*; set ALCOVE_PORT or ALCOVE_HOST to another one\.\n$/)
    expect(stderr).toContain(`127.0.0.1:${port}`)
  })

  test('prints the token of a first start', async () => {
    const server = await startProcess()
    const folder = await temporaryFolder()
    const { stdout } = await runProcess({ env: { ALCOVE_DATA: folder, ALCOVE_PORT: new URL(server.url).port } })
    const token = /^ {2}(alpat-\w+)$/m.exec(stdout)?.[1] ?? ''

    const again = await startProcess({ env: { ALCOVE_DATA: folder } })
    expect((await get(again, '/user', token)).status).toBe(200)
  })

  test('reports that another process uses the data folder, and does not affect that process', async () => {
    const folder = await temporaryFolder()
    const server = await startProcess({ env: { ALCOVE_DATA: folder } })

    const { code, stderr } = await runProcess({ env: { ALCOVE_DATA: folder } })
    expect(code).toBe(1)
    expect(stderr).toMatch(/^alcove: .*alcove\.sqlite3 is in use by another process.*\n$/)
    expect(stderr).toContain(folder)
    expect((await get(server, '/user', server.token)).status).toBe(200)
  })

  test('reports an unreachable database without its password', async () => {
    const { code, stderr } = await runProcess({
      env: { ALCOVE_DATABASE_URL: 'postgres://alcove:hush-hush@127.0.0.1:1/alcove' },
    })
    expect(code).toBe(1)
    expect(stderr).toMatch(/^alcove: .*127\.0\.0\.1:1.*\n$/)
    expect(stderr).not.toContain('hush-hush')
  })
})

describe('the command line', () => {
  test('can migrate the schema without serving', async () => {
    const env = { ALCOVE_DATA: await temporaryFolder() }
    const first = await runProcess({ env, command: 'migrate' })
    expect(first).toMatchObject({
      code: 0,
      stderr: '',
      stdout: expect.stringMatching(/^Creating the schema …\n0001/),
    })
    const second = await runProcess({ env, command: 'migrate' })
    expect(second).toMatchObject({ code: 0, stdout: 'The schema is up to date.\n' })
  })

  test('prints its usage for an unknown command', async () => {
    const { code, stderr } = await runProcess({ command: 'swerve' })
    expect(code).toBe(2)
    expect(stderr).toMatch(/^alcove: there is no command swerve\.\n\nUsage: alcove \[serve \| demo/)
  })
})

describe('stopping the server', () => {
  test('rejects new connections, completes a running upload, and exits with 0', async () => {
    const folder = await temporaryFolder()
    const server = await startProcess({ env: { ALCOVE_DATA: folder } })
    const project = await createProject(server, 'slow')
    const upload = await startUpload(server, project.id)

    server.signal('SIGTERM')
    await expect.poll(() => accepts(server), { timeout: 5_000 }).toBe(false)
    upload.finish()
    const answer = await upload.answer
    expect(answer.statusCode).toBe(201)
    const { full_path: path } = JSON.parse(await text(answer))
    const stopped = Date.now()
    expect(await server.ended).toMatchObject({ code: 0, signal: null, stderr: '' })
    expect(Date.now() - stopped).toBeLessThan(2_000)

    const again = await startProcess({ env: { ALCOVE_DATA: folder } })
    const file = `/projects/${project.id}${path.replace(/^.*(?=\/uploads\/)/, '')}`
    expect(await (await get(again, file, server.token)).text()).toBe(upload.content)
  })

  test('does not wait for idle connections', async () => {
    const server = await startProcess()
    await (await fetch(`${server.url}/-/health`)).text()
    const { hostname, port } = new URL(server.url)
    const unused = connect(Number(port), hostname)
    await once(unused, 'connect')
    const started = Date.now()
    expect(await server.stop()).toMatchObject({ code: 0 })
    expect(Date.now() - started).toBeLessThan(2_000)
  })

  test('aborts requests after the timeout, and exits with 0', async () => {
    const server = await startProcess({ env: { ALCOVE_STOP_TIMEOUT_SECONDS: '1' } })
    const project = await createProject(server, 'trickling')
    const upload = await startUpload(server, project.id)
    const broken = upload.answer.catch((error: Error) => error.message)
    expect(await server.stop()).toMatchObject({ code: 0, signal: null })
    expect(await broken).toMatch(/socket hang up|ECONNRESET/)
  })

  test('continues to serve during the drain delay without being ready', async () => {
    const server = await startProcess({ env: { ALCOVE_DRAIN_DELAY_SECONDS: '2' } })
    const ready = async () => (await fetch(`${server.url}/-/ready`, { headers: { connection: 'close' } })).status
    expect(await ready()).toBe(200)
    server.signal('SIGTERM')
    await expect.poll(ready, { interval: 10 }).toBe(503)
    expect((await get(server, '/user', server.token)).status).toBe(200)
    expect(await server.ended).toMatchObject({ code: 0, signal: null })
  })

  test('exits at once on a second signal', async () => {
    const server = await startProcess()
    const project = await createProject(server, 'endless')
    const upload = await startUpload(server, project.id)
    upload.answer.catch(() => {})

    server.signal('SIGTERM')
    await expect.poll(() => accepts(server), { timeout: 5_000 }).toBe(false)
    const started = Date.now()
    server.signal('SIGINT')
    expect(await server.ended).toMatchObject({ code: 1, signal: null })
    expect(Date.now() - started).toBeLessThan(1_000)
  })
})

describe('the request log', () => {
  test('has a line of JSON per request with its id, and never a token', async () => {
    const token = 'secret-of-the-first-start'
    const server = await startProcess({ env: { ALCOVE_BOOTSTRAP_TOKEN: token, ALCOVE_LOG_LEVEL: 'trace' } })
    const ways: { query?: string; headers?: Record<string, string> }[] = [
      { headers: { 'PRIVATE-TOKEN': token } },
      { headers: { Authorization: `Bearer ${token}` } },
      { query: `?private_token=${token}` },
      { query: `?page=1&access_token=${token}` },
      { query: `?private%5Ftoken=${token}` },
    ]
    for (const [index, { query = '', headers = {} }] of ways.entries()) {
      const reply = await fetch(`${server.url}/api/v4/user${query}`, {
        headers: { 'X-Request-Id': `ask-${index}`, ...headers },
      })
      expect(reply.headers.get('x-request-id')).toBe(`ask-${index}`)
      expect(reply.status).toBe(200)
    }
    const form = new URLSearchParams({ private_token: token, name: 'formed' })
    expect((await fetch(`${server.url}/api/v4/projects`, { method: 'POST', body: form })).status).toBe(201)
    const own = await get(server, '/nowhere', token)
    await server.stop()

    expect(server.stdout).not.toContain(token)
    const lines = server.stdout
      .split('\n')
      .filter((line) => line.startsWith('{'))
      .map((line) => JSON.parse(line))
    const logged = lines.filter(({ msg, url }) => msg === 'request' && url.startsWith('/api/'))
    expect(logged).toHaveLength(ways.length + 2)
    expect(logged[0]).toMatchObject({
      reqId: 'ask-0',
      method: 'GET',
      url: '/api/v4/user',
      status: 200,
      ms: expect.any(Number),
    })
    expect(logged[2].url).toBe('/api/v4/user?private_token=[hidden]')
    expect(logged.at(-1)).toMatchObject({ reqId: own.headers.get('x-request-id'), status: 404 })
    expect(logged.at(-1).reqId).toMatch(/^[0-9a-f-]{36}$/)
  })
})

function get({ url }: ServerProcess, path: string, token: string): Promise<Response> {
  return fetch(`${url}/api/v4${path}`, { headers: { 'PRIVATE-TOKEN': token } })
}

function post({ url, token }: ServerProcess, path: string, body: FormData | URLSearchParams): Promise<Response> {
  return fetch(`${url}/api/v4${path}`, { method: 'POST', headers: { 'PRIVATE-TOKEN': token }, body })
}

async function createProject(server: ServerProcess, name: string): Promise<{ id: number }> {
  const created = await post(server, '/projects', new URLSearchParams({ name }))
  expect(created.status).toBe(201)
  return (await created.json()) as { id: number }
}

function formWith(filename: string, content: string): FormData {
  const form = new FormData()
  form.append('file', new Blob([content]), filename)
  return form
}

interface SlowUpload {
  content: string
  /** Sends the rest of the body. */
  finish(): void
  answer: Promise<IncomingMessage>
}

/** Sends the first half of an upload over a keep-alive connection. */
async function startUpload({ url, token }: ServerProcess, projectId: number): Promise<SlowUpload> {
  const content = 'x'.repeat(200_000)
  const head = '--cut\r\nContent-Disposition: form-data; name="file"; filename="slow.txt"\r\n\r\n'
  const body = `${head}${content}\r\n--cut--\r\n`
  const sending = request(`${url}/api/v4/projects/${projectId}/uploads`, {
    method: 'POST',
    headers: {
      'PRIVATE-TOKEN': token,
      'Content-Type': 'multipart/form-data; boundary=cut',
      'Content-Length': Buffer.byteLength(body),
    },
    agent: new Agent({ keepAlive: true, timeout: 60_000 }),
  })
  const answer = once(sending, 'response').then(([response]) => response as IncomingMessage)
  await new Promise((resolve) => sending.write(body.slice(0, body.length / 2), resolve))
  await sleep(200) // until the server has begun to read
  return { content, answer, finish: () => void sending.end(body.slice(body.length / 2)) }
}

function accepts({ url }: ServerProcess): Promise<boolean> {
  const { hostname, port } = new URL(url)
  return new Promise((resolve) => {
    const socket = connect(Number(port), hostname)
    socket.once('connect', () => {
      socket.destroy()
      resolve(true)
    })
    socket.once('error', () => resolve(false))
  })
}
