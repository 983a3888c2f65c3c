import type { RootDeps } from '../../domain/deps.ts'
import type { FeedRows } from '../../domain/feeds/feed.ts'
import { type LoadOutcome, loadFeed } from '../../domain/feeds/load-feed.ts'

/** Replaces a feed by these rows. */
export function loadRows(deps: RootDeps, rows: FeedRows): Promise<LoadOutcome> {
  const file = {
    kind: rows.kind,
    async *read() {
      yield rows
      return { version: 'v1', publishedAt: null }
    },
  }
  return loadFeed(deps, file, { fileName: rows.kind, isForced: true })
}
