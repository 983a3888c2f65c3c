import { createHash } from 'node:crypto'
import { openCacheEntries, openSharedCache, perDatabase } from '../../db/cache.ts'
import type { Caller } from '../../domain/access/callers.ts'
import type { RootDeps } from '../../domain/deps.ts'
import { openRecentKeys } from '../../platform/recent-keys.ts'
import type { Found } from '../guard.ts'
import type { PageEnd } from '../response/pages.ts'
import type { Content, Rendered } from '../response/render.ts'

/** What a cached response depends on besides the route's tables. */
export interface ResponseKey {
  origin: string
  /** The request target: its links repeat it. */
  url: string
  /** The validated input. Requests with different URLs can have the same input. */
  input: unknown
  organizationId: unknown
  /** The resources that the guard resolved for this request. */
  resources: Found['resources']
  /** The caller and their access level in the resource, if the response depends on them. */
  callerAccess?: { caller: Caller | null; level: number | undefined } | undefined
  /** Start of the texts of this key, which the cache fills in. */
  prefix?: string
}

/** Rendered result of a handler. */
export interface RenderedResult {
  status: number
  content: Content
  /** End of a page, from which its headers are built. */
  end?: PageEnd
  /** URL of the last request for this result, unless it is long. */
  lastUrl?: string
}

/** Loads a result. The bytes of one that is not cached are valid only until its response has been sent. */
type LoadResult = (options: { isCached: boolean }) => Promise<RenderedResult>

/** Responses of one route, each valid while the route's tables do not change. */
export interface ResponseCache {
  /** Returns the cached response to a URL, if there is one, without a promise. */
  peek(key: ResponseKey): Rendered | undefined
  /**
   * Builds the response from the cached result for the input, which responses to several URLs share, or from a loaded one.
   * Caches the response when the same URL is requested twice in a row, and in a full cache the result when its input is
   * requested for the second time: others would only displace what is used.
   */
  get(key: ResponseKey, load: LoadResult, build: (result: RenderedResult) => Rendered): Promise<Rendered>
  /** Accounts for compressed forms that have been added to the content of a response. */
  updateWeight(key: ResponseKey, rendered: Rendered): void
}

/** Maximum total size of the cached responses of all routes, and separately of their results: about 150 pages of 75 KB. */
const maxBytes = 12 * 1024 * 1024
/** Limit for routes with `isPerCaller`, which is lower because callers rarely share responses. */
const maxBytesPerCaller = 4 * 1024 * 1024
/** Larger responses and results are not cached, because each would displace those of many requests. */
const maxEntryBytes = 4 * 1024 * 1024
/** Longer URLs and inputs are rarely requested twice, and would take more room than their responses. */
const maxKeyLength = 500
/** Upper bound for the URL and the links that repeat it. */
const overheadBytes = 3 * 1024

const entriesOfRoutes = perDatabase(() => ({
  shared: openEntries(maxBytes),
  perCaller: openEntries(maxBytesPerCaller),
  openedCaches: 0,
}))

/** Share of the limit from which a cache counts as full. */
const fullShare = 0.9
/** Number of slots for inputs that recently missed the cache. A larger number would admit the pages of a client that reads them all again. */
const recentInputs = 512

function openEntries(limit: number) {
  const results = openCacheEntries<RenderedResult>(limit, weigh)
  const recent = openRecentKeys(recentInputs)
  return {
    results,
    responses: openCacheEntries<Rendered>(limit, weigh),
    /** Returns whether to cache a result, and records its key. */
    admits(inputKey: string): boolean {
      const isNew = recent.isNew(inputKey)
      return !isNew || results.weight() < fullShare * limit
    },
  }
}

/**
 * Opens the cache of a route, which shares its maximum size with those of other routes. Views show what is overdue, so a
 * response is valid for one day only.
 */
export function openResponseCache(
  deps: RootDeps,
  tables: readonly string[],
  { isPerCaller = false }: { isPerCaller?: boolean | undefined } = {},
): ResponseCache {
  const all = entriesOfRoutes(deps.db)
  const entries = isPerCaller ? all.perCaller : all.shared
  const responses = openSharedCache(deps.db.changes, tables, entries.responses)
  const results = openSharedCache(deps.db.changes, tables, entries.results)
  const number = all.openedCaches++
  const textOf = (key: ResponseKey, address: string) => {
    key.prefix ??= `${number} ${prefixOf(key, deps.now().slice(0, 10))}`
    return key.prefix + address
  }
  const urlOf = (key: ResponseKey) => textOf(key, key.url)
  return {
    peek: (key) => (isShort(key.url) ? responses.peek(urlOf(key), projectOf(key)) : undefined),
    async get(key, load, build) {
      // Read before the result is, so that a concurrent write makes the new entry stale.
      const version = responses.version(projectOf(key))
      const input = JSON.stringify(key.input)
      const inputKey = isShort(input) ? textOf(key, input) : undefined
      // A result that a write has made outdated shows that its input is requested repeatedly.
      const isCached =
        inputKey !== undefined && (entries.results.get(inputKey) !== undefined || entries.admits(inputKey))
      if (!isCached) return build(await load({ isCached }))
      const result = await results.getShared(inputKey, () => load({ isCached }), projectOf(key), isSmall)
      const rendered = build(result)
      if (!isShort(key.url) || !isSmall(rendered)) return rendered
      if (result.lastUrl === key.url) responses.set(urlOf(key), rendered, version)
      else result.lastUrl = key.url
      return rendered
    },
    updateWeight(key, rendered) {
      responses.updateWeight(urlOf(key), rendered)
      const inputKey = textOf(key, JSON.stringify(key.input))
      const result = results.peek(inputKey, projectOf(key))
      if (result?.content === rendered.content) results.updateWeight(inputKey, result)
    },
  }
}

/** A response about a project shows no rows of others. */
const projectOf = ({ resources }: ResponseKey): number | undefined => resources['project']?.id

const isShort = (text: string) => text.length <= maxKeyLength

const isSmall = (response: { content: Content }) => weigh(response) <= maxEntryBytes

function weigh({ content: { bytes, compressed = {} } }: { content: Content }): number {
  const { br, gzip } = compressed
  return bytes.length + (br?.length ?? 0) + (gzip?.length ?? 0) + overheadBytes
}

const prefixOf = ({ origin, organizationId, resources, callerAccess }: ResponseKey, today: string) =>
  `${callerAccess ? callerKey(callerAccess) : ''}${fingerprint(resources)}${today} ${organizationId} ${origin} `

/** Identifies the caller by every field of their account, because views show some of them and rules depend on others. */
function callerKey({ caller, level }: NonNullable<ResponseKey['callerAccess']>): string {
  if (!caller) return 'anonymous '
  const { user, token, isAdmin } = caller
  return `${digestOf(user)} ${isAdmin} ${token.kind} ${token.scopes} ${level} `
}

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

/** Resources and users are cached and never changed in place, so each is hashed once. */
function digestOf(resource: object): string {
  const known = digests.get(resource)
  if (known !== undefined) return known
  const digest = createHash('sha256').update(JSON.stringify(resource)).digest('base64url')
  digests.set(resource, digest)
  return digest
}
