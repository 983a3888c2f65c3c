import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { onTestFinished } from 'vitest'
import type { ForgeKind } from '../ci/ci-run.ts'

/** A note on the merge request 12 or the pull request 12 of a project below shop. */
interface StoredNote {
  id: number
  body: string
  author: string
}

/** A stand-in for the notes API of GitLab, GitHub or Gitea. */
export interface ForgeServer {
  url: string
  notes: StoredNote[]
  /** Method and path of each request. */
  requests: string[]
  /** Runs before a note is created. */
  beforeCreate?: () => void
}

export interface ForgeOptions {
  kind: ForgeKind
  /** Users by token. */
  users: Record<string, string>
  /** Users who may read but not write. */
  readers?: string[]
  pageSize?: number
}

const paths: Record<ForgeKind, RegExp> = {
  gitlab: /^\/projects\/shop%2F[\w-]+\/merge_requests\/12\/notes(?:\/(\d+))?$/,
  github: /^\/repos\/shop\/[\w-]+\/issues\/(?:12\/comments|comments\/(\d+))$/,
  gitea: /^\/repos\/shop\/[\w-]+\/issues\/(?:12\/comments|comments\/(\d+))$/,
}

/** Starts a stand-in on loopback, which ends with the test. Users may change their own notes only. */
export async function startForge({ kind, users, readers = [], pageSize = 2 }: ForgeOptions): Promise<ForgeServer> {
  const forge: ForgeServer = { url: '', notes: [], requests: [] }
  const server = createServer(async (request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://forge.test')
    forge.requests.push(`${request.method} ${pathname}`)
    const author = users[tokenOf(kind, request)]
    const match = paths[kind].exec(pathname)
    if (author === undefined) return reply(response, 401, { message: '401 Unauthorized' })
    if (!match) return reply(response, 404, { message: '404 Not Found' })
    const body = request.method === 'POST' || request.method === updateMethod(kind) ? await readBody(request) : ''
    const id = match[1] === undefined ? undefined : Number(match[1])
    if (request.method === 'GET') return replyPage(response, Number(searchParams.get('page') ?? 1))
    if (readers.includes(author)) return reply(response, 403, { message: '403 Forbidden' })
    if (request.method === 'POST') {
      forge.beforeCreate?.()
      const note = { id: nextId(), body, author }
      forge.notes.push(note)
      return reply(response, 201, note)
    }
    const note = forge.notes.find((one) => one.id === id)
    if (!note) return reply(response, 404, { message: '404 Not Found' })
    if (note.author !== author) return reply(response, 403, { message: '403 Forbidden' })
    if (request.method === 'DELETE') {
      forge.notes = forge.notes.filter((one) => one !== note)
      return reply(response, 204)
    }
    if (request.method !== updateMethod(kind)) return reply(response, 405, { message: '405 Not Allowed' })
    note.body = body
    reply(response, 200, note)
  })

  function replyPage(response: ServerResponse, page: number) {
    // Gitea returns every comment of an issue at once.
    if (kind === 'gitea') return reply(response, 200, forge.notes)
    const rows = forge.notes.slice((page - 1) * pageSize, page * pageSize)
    const hasNext = forge.notes.length > page * pageSize
    reply(response, 200, rows, hasNext ? { link: `<http://elsewhere.test/?page=${page + 1}>; rel="next"` } : {})
  }

  const nextId = () => Math.max(100, ...forge.notes.map(({ id }) => id)) + 1
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => new Promise<void>((resolve) => server.close(() => resolve())))
  forge.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}` // listens on TCP
  return forge
}

const updateMethod = (kind: ForgeKind) => (kind === 'gitlab' ? 'PUT' : 'PATCH')

function tokenOf(kind: ForgeKind, { headers }: IncomingMessage): string {
  if (kind === 'gitlab') return String(headers['job-token'] ?? headers['private-token'] ?? '')
  const [scheme, token = ''] = (headers.authorization ?? '').split(' ')
  return scheme === (kind === 'github' ? 'Bearer' : 'token') ? token : ''
}

async function readBody(request: IncomingMessage): Promise<string> {
  let text = ''
  for await (const chunk of request) text += chunk
  return (JSON.parse(text) as { body: string }).body // what the command sends
}

function reply(response: ServerResponse, status: number, body?: unknown, headers: Record<string, string> = {}): void {
  response.writeHead(status, { 'content-type': 'application/json', connection: 'close', ...headers })
  response.end(body === undefined ? undefined : JSON.stringify(body))
}
