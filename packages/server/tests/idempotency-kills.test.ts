import { randomInt, randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { formWithFile } from '../src/testing/client.ts'
import { startProcess, temporaryFolder } from './process.ts'

const token = 'token-of-the-idempotency-kills'

/** A request that creates something with this name, or a file called so. */
interface Post {
  name: string
  path: string
  key: string
  body(): FormData | URLSearchParams
  /** Undefined until the response has arrived. */
  response?: Response
}
interface Response {
  status: number
  text: string
  isReplayed: boolean
}

test('a POST with an Idempotency-Key creates one resource, whenever the process is killed and the client retries', async () => {
  const env = { ALCOVE_DATA: await temporaryFolder(), ALCOVE_BOOTSTRAP_TOKEN: token, ALCOVE_LOG_LEVEL: 'error' }
  let server = await startProcess({ env })
  const shelf = newProject('shelf')
  expect(await send(server.url, shelf)).toMatchObject({ status: 201 })
  const posts: Post[] = []

  for (const round of ['a', 'b']) {
    const clients = Array.from({ length: 8 }, (_, client) => sendUntilKilled(server.url, `${round}${client}`))
    await expect.poll(() => clients.every(({ sent }) => sent.length > 1), { interval: 1 }).toBe(true)
    await sleep(randomInt(40))
    await server.kill()
    await Promise.all(clients.map(({ ended }) => ended))
    server = await startProcess({ env })

    for (const { sent } of clients) {
      posts.push(...sent)
      const [answered, unanswered] = sent.slice(-2) as [Post, Post] // there are more, see above
      expect(await send(server.url, answered)).toEqual({ ...answered.response, isReplayed: true })
      expect(unanswered.response).toBeUndefined()
      const repeated = await send(server.url, unanswered)
      if (repeated.status !== 201) {
        expect(repeated).toMatchObject({ status: 409, text: expect.stringContaining('made its change') })
      }
      expect(await send(server.url, unanswered)).toEqual({ ...repeated, isReplayed: repeated.status === 201 })
    }
  }

  const uploads = await list(server.url, '/projects/1/uploads')
  const projects = await list(server.url, '/projects')
  const found = [...uploads.map(({ filename }) => filename), ...projects.map(({ name }) => name)]
  expect(found.sort()).toEqual([shelf, ...posts].map(({ name }) => name).sort())
  expect(await server.stop()).toMatchObject({ code: 0, stderr: '' })
})

/** Sends one request after the other, uploads and new projects in turn, until the connection breaks. */
function sendUntilKilled(url: string, client: string): { sent: Post[]; ended: Promise<void> } {
  const sent: Post[] = []
  const run = async () => {
    for (let turn = 0; ; turn++) {
      const name = `${client}-${turn}`
      const post = turn % 2 === 0 ? newUpload(`${name}.bin`) : newProject(name)
      sent.push(post)
      try {
        post.response = await send(url, post)
      } catch {
        return
      }
      if (post.response.status !== 201) return // the assertion below shows it
    }
  }
  return { sent, ended: run() }
}

const newUpload = (name: string): Post => ({
  ...{ name, path: '/projects/1/uploads', key: randomUUID() },
  body: () => formWithFile('file', name, name.repeat(1000)),
})

const newProject = (name: string): Post => ({
  ...{ name, path: '/projects', key: randomUUID() },
  body: () => new URLSearchParams({ name }),
})

async function send(url: string, { path, key, body }: Post): Promise<Response> {
  const headers = { 'private-token': token, 'idempotency-key': key }
  const reply = await fetch(`${url}/api/v4${path}`, { method: 'POST', headers, body: body() })
  const isReplayed = reply.headers.get('idempotency-replayed') === 'true'
  return { status: reply.status, text: await reply.text(), isReplayed }
}

async function list(url: string, path: string): Promise<Record<string, string>[]> {
  const rows: Record<string, string>[] = []
  for (let page = '1'; page !== ''; ) {
    const reply = await fetch(`${url}/api/v4${path}?per_page=100&page=${page}`, { headers: { 'private-token': token } })
    rows.push(...((await reply.json()) as typeof rows)) // a list, when the token is accepted
    page = reply.headers.get('x-next-page') ?? ''
  }
  return rows
}
