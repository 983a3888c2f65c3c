import type { Deps } from '../deps.ts'
import type { Feed, FeedFile } from './feed.ts'
import { listFeedRows, newestRejected } from './feed-queries.ts'

const maxRejected = 20

/** Returns the feeds, and the files that were rejected, newest first. */
export async function readFeeds({ db }: Deps): Promise<{ feeds: Feed[]; rejected: FeedFile[] }> {
  const [feeds, rejected] = await Promise.all([listFeedRows(db), newestRejected(db, maxRejected)])
  return { feeds, rejected }
}
