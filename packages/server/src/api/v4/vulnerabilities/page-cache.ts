import { openCache, perDatabase } from '../../../db/cache.ts'
import type { RootDeps } from '../../../domain/deps.ts'
import type { Cursor } from '../../../domain/findings/list/cursor.ts'
import type { Page } from '../../../domain/page.ts'
import { onlyProjectOf } from '../../../domain/vulnerabilities/list/counts/cached-counts.ts'
import type { ListScope } from '../../../domain/vulnerabilities/list/filter.ts'
import { type JoinedRows, joinedOnce, type RenderedRow } from '../../../http/response/rendered-row.ts'

/** Page of a list whose rows are rendered and joined. */
interface RenderedPage<View> extends Omit<Page<unknown>, 'rows'> {
  rows: JoinedRows<View>
  next: Cursor | undefined
}

/** Page whose rows are rendered one by one. */
export interface PageOfRows<View> extends Omit<RenderedPage<View>, 'rows'> {
  rows: readonly RenderedRow<View>[]
}

const maxCachedBytes = 8 * 1024 * 1024
/** Approximate size of a page or row without its text. */
const overheadBytes = 500

/**
 * Opens a cache of pages. A page is identified by the projects of its list, so that callers who may read the same projects
 * share it. Returns a function that returns a page from the cache, or loads it. The key of a page stands for everything else
 * that it depends on, except the tables.
 */
export function openPageCache<View>(tables: readonly string[]) {
  const pages = perDatabase((changes) =>
    openCache<RenderedPage<View>>(
      changes,
      tables,
      maxCachedBytes,
      // The JSON and its compressed form.
      ({ rows }) => 2 * rows.content.bytes.length + (rows.length + 1) * overheadBytes,
    ),
  )
  return (
    deps: RootDeps,
    scope: ListScope,
    key: readonly unknown[],
    load: () => Promise<PageOfRows<View>>,
  ): Promise<RenderedPage<View>> => {
    const join = async () => {
      const page = await load()
      return { ...page, rows: joinedOnce(page.rows) }
    }
    const today = deps.now().slice(0, 10)
    return pages(deps.db).getShared(JSON.stringify([scope.key, today, ...key]), join, onlyProjectOf(scope))
  }
}
