import { createHash, timingSafeEqual } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { isIP } from 'node:net'
import { wrongUsage } from '../../exit.ts'

/** Receives webhooks of the source, and collects which projects have changed. */
export interface WebhookListener {
  /** Resolves when a project has changed, immediately if one is waiting. */
  changed(): Promise<void>
  /** Returns the ids of the changed projects in the source, and forgets them. */
  take(): string[]
  close(): Promise<void>
}

export interface ListenAddress {
  host: string
  port: number
}

/** Maximum size of a webhook. Of its content only the id of the project is used. */
const maxBodyBytes = 4 * 1024 * 1024

/** Parses `127.0.0.1:9080`. Only loopback addresses are permitted, because the listener has no TLS. */
export function parseListenAddress(text: string): ListenAddress {
  const [, host = '', port = ''] = /^\[?([^\]]*)\]?:(\d{1,5})$/.exec(text) ?? []
  const isLoopback = host === 'localhost' || host === '::1' || (isIP(host) === 4 && host.startsWith('127.'))
  if (!isLoopback || Number(port) > 65_535) {
    throw wrongUsage('--listen takes a loopback address with a port, such as 127.0.0.1:9080. A proxy adds TLS.')
  }
  return { host, port: Number(port) }
}

/** Listens for webhooks. Requests without the secret are rejected before their content is read. */
export async function listenForWebhooks({ host, port }: ListenAddress, secret: string): Promise<WebhookListener> {
  const projects = new Set<string>()
  let notify: (() => void) | undefined
  const server = createServer({ requestTimeout: 10_000 }, (request, response) => {
    void receive(request, response, secret).then((projectId) => {
      if (projectId === undefined) return
      projects.add(projectId)
      notify?.()
    })
  })
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error) => reject(wrongUsage(`--listen ${host}:${port} fails: ${error.message}`)))
    server.listen(port, host, resolve)
  })
  return {
    changed: () =>
      new Promise((resolve) => {
        notify = resolve
        if (projects.size > 0) resolve()
      }),
    take() {
      const taken = [...projects]
      projects.clear()
      return taken
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

/** Responds to a webhook, and returns the id of the project that it names. */
async function receive(
  request: IncomingMessage,
  response: ServerResponse,
  secret: string,
): Promise<string | undefined> {
  const respond = (status: number) => {
    response.writeHead(status, { connection: 'close' }).end()
    return undefined
  }
  if (request.method !== 'POST') return respond(405)
  if (!isEqual(String(request.headers['x-gitlab-token'] ?? ''), secret)) return respond(401)
  try {
    const chunks: Buffer[] = []
    let bytes = 0
    for await (const chunk of request) {
      chunks.push(chunk)
      bytes += chunk.length
      if (bytes > maxBodyBytes) return respond(413)
    }
    const projectId = projectOf(JSON.parse(Buffer.concat(chunks).toString()))
    respond(202)
    return projectId
  } catch {
    return respond(400)
  }
}

/** Compares in constant time. */
function isEqual(given: string, expected: string): boolean {
  const [one, other] = [given, expected].map((text) => createHash('sha256').update(text).digest())
  return one !== undefined && other !== undefined && timingSafeEqual(one, other)
}

function projectOf(event: unknown): string | undefined {
  const { project_id: own, project } = event as { project_id?: unknown; project?: { id?: unknown } } // checked below
  const id = own ?? project?.id
  return typeof id === 'number' && Number.isSafeInteger(id) && id > 0 ? String(id) : undefined
}
