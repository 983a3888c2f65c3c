import { openCache, perDatabase } from '../../../db/cache.ts'
import type { RootDeps } from '../../../domain/deps.ts'
import type { Cursor } from '../../../domain/findings/list/cursor.ts'
import { frequentForMs } from '../../../domain/findings/list/filtered-list.ts'
import type { ListPageRequest } from '../../../domain/findings/list/list-page.ts'
import type { Page } from '../../../domain/page.ts'
import { onlyProjectOf } from '../../../domain/vulnerabilities/list/counts/cached-counts.ts'
import type { ListScope } from '../../../domain/vulnerabilities/list/filter.ts'
import { type JoinedRows, joinForCache, type RenderedRow } from '../../../http/response/rendered-row.ts'

/** Page whose rows are rendered. */
interface RenderedPage<View> extends Omit<Page<unknown>, 'rows'> {
  rows: readonly RenderedRow<View>[]
  next: Cursor | undefined
}

type JoinedPage<View> = RenderedPage<View> & { rows: JoinedRows<View> }

interface PageOfList<View> {
  scope: ListScope
  request: ListPageRequest
  /** Everything that the page depends on besides the tables, the projects and the day. */
  key: readonly unknown[]
  load(): Promise<RenderedPage<View>>
}

const maxCachedBytes = 8 * 1024 * 1024
/** Approximate size of a page or row without its text. */
const overheadBytes = 500

/**
 * Opens a cache of pages of lists of many projects, and returns a function that returns a page from it. Pages are keyed by
 * the set of projects, so that callers who may read the same projects share them.
 */
export function openPageCache<View>(tables: readonly string[]) {
  const pages = perDatabase((changes) =>
    openCache<JoinedPage<View>>(
      changes,
      tables,
      maxCachedBytes,
      // The JSON and its compressed forms.
      ({ rows }) => 2 * rows.content.bytes.length + (rows.length + 1) * overheadBytes,
    ),
  )
  return async (deps: RootDeps, { scope, request, key, load }: PageOfList<View>): Promise<JoinedPage<View>> => {
    const join = async () => {
      const page = await load()
      return { ...page, rows: joinForCache(page.rows) }
    }
    const pageKey = JSON.stringify([scope.key, deps.now().slice(0, 10), ...key])
    const hasTotal = ({ total }: JoinedPage<View>) => total !== undefined || request.keyset !== undefined
    const projectId = onlyProjectOf(scope)
    const cache = pages(deps.db)
    // A list that was too long to count has no total for a time, even if it becomes shorter. Its pages expire after as long.
    const keyForNow = `${pageKey} ${Math.floor(performance.now() / frequentForMs)}`
    const version = cache.version(projectId)
    const known = cache.peek(keyForNow, projectId)
    if (known) return known
    const page = await cache.getShared(pageKey, join, projectId, hasTotal)
    if (!hasTotal(page)) cache.set(keyForNow, page, version)
    return page
  }
}
