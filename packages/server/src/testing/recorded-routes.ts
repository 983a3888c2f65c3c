import { addressOf } from '../http/route.ts'
import { routes } from '../routes.ts'
import { newestEvents } from './audit-events.ts'
import type { Client } from './client.ts'
import type { TestServer } from './server.ts'

/** Routes that change something. */
export const writeRoutes = routes.filter(({ method }) => method !== 'GET')

export const keyOf = ({ method, path }: { method: string; path: string }) => `${method} ${path}`

interface Sending {
  by?: Client
  path?: Readonly<Record<string, string | number>>
  body?: unknown
}

/** Sends requests to routes by their keys, and collects the names of the audit events that each has recorded. */
export function openRecorder(server: TestServer) {
  const recorded = new Map<string, Set<string>>()

  // biome-ignore lint/suspicious/noExplicitAny: responses have any shape
  async function send(key: string, { by = server.admin, path = {}, body }: Sending = {}): Promise<any> {
    const route = writeRoutes.find((route) => keyOf(route) === key)
    if (!route) throw new Error(`there is no route ${key}`)
    const filled = addressOf(route).replace(/:(\w+)/g, (_, name: string) => encodeURIComponent(path[name] ?? name))
    const [last] = await newestEvents(server, 1)
    const method = route.method.toLowerCase() as 'post' | 'put' | 'patch' | 'delete' // of a route that changes something
    const reply = await by[method](`/${filled}`, body)
    if (reply.status >= 300) throw new Error(`${key} responded with ${reply.status}: ${reply.text}`)
    // Events without an address are those of jobs that run meanwhile.
    const events = (await newestEvents(server, 20)).filter(
      ({ id, details }) => id > (last?.id ?? 0) && details['ip_address'] !== null,
    )
    recorded.set(key, new Set([...(recorded.get(key) ?? []), ...events.map(({ name }) => name)]))
    return reply.body
  }

  return { send, recorded }
}
