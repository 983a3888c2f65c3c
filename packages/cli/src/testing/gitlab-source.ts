import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { onTestFinished } from 'vitest'

/** A stand-in for GitLab as the source of an import, with answers as its documentation describes them. */
export interface GitlabSource {
  url: string
  /** Answers by path below `/api/v4`, or by `graphql`. Missing paths are 404. */
  answers: Map<string, unknown>
  /** Replaces an answer once: a status with headers, or a connection that is cut within the body. */
  faults: Map<string, (response: ServerResponse) => void>
  requests: string[]
}

/** Number of rows of a page. The link to the next one has another host, as behind a proxy that GitLab does not know. */
const pageSize = 2

export async function startGitlabSource(): Promise<GitlabSource> {
  const source: GitlabSource = { url: '', answers: new Map(), faults: new Map(), requests: [] }
  const server = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://gitlab.test')
    const path = pathname === '/api/graphql' ? 'graphql' : pathname.replace('/api/v4', '')
    source.requests.push(path)
    if (request.headers['private-token'] !== 'glpat-source')
      return reply(response, 401, { message: '401 Unauthorized' })
    const fault = source.faults.get(path)
    source.faults.delete(path)
    if (fault) return fault(response)
    const answer = source.answers.get(path)
    if (answer === undefined) return reply(response, 404, { message: '404 Not Found' })
    if (Buffer.isBuffer(answer)) return response.writeHead(200).end(answer)
    if (!Array.isArray(answer)) return reply(response, 200, answer)
    const start = Number(searchParams.get('cursor') ?? 0)
    const next = start + pageSize < answer.length ? `http://elsewhere.test${pathname}?cursor=${start + pageSize}` : ''
    reply(response, 200, answer.slice(start, start + pageSize), next ? { link: `<${next}>; rel="next"` } : {})
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => new Promise<void>((resolve) => server.close(() => resolve())))
  source.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}` // listens on TCP
  return source
}

export function reply(
  response: ServerResponse,
  status: number,
  body: unknown,
  headers: Record<string, string> = {},
): void {
  response.writeHead(status, { 'content-type': 'application/json', connection: 'close', ...headers })
  response.end(JSON.stringify(body))
}
