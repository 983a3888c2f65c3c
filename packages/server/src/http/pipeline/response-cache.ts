import { createHash } from 'node:crypto'
import { openCache } from '../../db/cache.ts'
import type { RootDeps } from '../../domain/deps.ts'
import type { Found } from '../guard.ts'
import type { Rendered } from '../response/render.ts'

/** What a cached response depends on besides the route's tables. */
interface ResponseKey {
  origin: string
  /** The request target: its links repeat it. */
  url: string
  organizationId: unknown
  /** The resources that the guard resolved for this request. */
  resources: Found['resources']
}

/** Rendered responses of one route, each valid while the route's tables do not change. */
export interface ResponseCache {
  /** Returns the cached response, if there is one, without a promise. */
  peek(key: ResponseKey): Rendered | undefined
  get(key: ResponseKey, load: () => Promise<Rendered>): Promise<Rendered>
  /** Accounts for compressed forms that have been added to a response. */
  updateWeight(key: ResponseKey, rendered: Rendered): void
}

const maxBytes = 4 * 1024 * 1024
/** Longer URLs are rarely requested twice, and would take more room than their responses. */
const maxUrlLength = 500
/** Upper bound for the URL and the links that repeat it. */
const overheadBytes = 3 * 1024

export function openResponseCache(deps: RootDeps, tables: readonly string[]): ResponseCache {
  const cache = openCache(deps.db.changes, tables, maxBytes, weigh)
  return {
    peek: (key) => (key.url.length > maxUrlLength ? undefined : cache.peek(textOf(key))),
    get: (key, load) => (key.url.length > maxUrlLength ? load() : cache.get(textOf(key), load)),
    updateWeight: (key, rendered) => cache.updateWeight(textOf(key), rendered),
  }
}

function weigh({ body, compressed = {} }: Rendered): number {
  const { br, gzip } = compressed
  return body.length + (br?.length ?? 0) + (gzip?.length ?? 0) + overheadBytes
}

const textOf = ({ origin, url, organizationId, resources }: ResponseKey) =>
  `${fingerprint(resources)}${organizationId} ${origin} ${url}`

/**
 * Identifies the resource, not the path in the URL: after a rename or transfer another tenant's resource may have that
 * path. Covers every field, because views repeat the resource's path and name.
 */
function fingerprint(resources: Found['resources']): string {
  let text = ''
  for (const kind in resources) {
    const resource = resources[kind]
    if (resource) text += `${kind} ${resource.id} ${digestOf(resource)} `
  }
  return text
}

const digests = new WeakMap<object, string>()

/** Resources are cached and never changed in place, so each is hashed once. */
function digestOf(resource: object): string {
  const known = digests.get(resource)
  if (known !== undefined) return known
  const digest = createHash('sha256').update(JSON.stringify(resource)).digest('base64url')
  digests.set(resource, digest)
  return digest
}
