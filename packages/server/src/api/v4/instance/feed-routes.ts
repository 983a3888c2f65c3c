import Type from 'typebox'
import { type Feed, type FeedFile, feedKinds } from '../../../domain/feeds/feed.ts'
import { readFeeds } from '../../../domain/feeds/feeds.ts'
import type { Route } from '../../../http/route.ts'
import { route } from '../route.ts'
import { nullableInteger, nullableString, nullableTimestamp, timestamp } from '../views.ts'

const feedView = Type.Object(
  {
    kind: Type.Enum(feedKinds),
    rows: Type.Integer({ description: 'Of `osv` the number of pairs of aliases' }),
    version: { ...nullableString, description: 'Model of EPSS, or version of the KEV catalogue' },
    published_at: { ...nullableTimestamp, description: 'Date of the data; of `osv` that of the newest advisory' },
    age_days: { ...nullableInteger, description: 'Whole days since `published_at`' },
    file: { ...nullableString, description: 'Name of the file' },
    loaded_at: { ...nullableTimestamp, description: 'Null before the first load' },
  },
  { title: 'Feed' },
)

const rejectedFileView = Type.Object(
  {
    file: Type.String(),
    kind: Type.Unsafe<FeedFile['kind']>({
      type: ['string', 'null'],
      enum: [...feedKinds, null],
      description: 'Null if the file was not recognised',
    }),
    error: Type.String({ description: 'The line and the reason' }),
    rejected_at: timestamp,
  },
  { title: 'RejectedFeedFile' },
)

const feedsView = Type.Object({ feeds: Type.Array(feedView), rejected_files: Type.Array(rejectedFileView) })

const dayMs = 24 * 60 * 60 * 1000

function viewFeed({ kind, rowCount, version, publishedAt, fileName, loadedAt }: Feed, now: string) {
  const ageDays = publishedAt === null ? null : Math.floor((Date.parse(now) - Date.parse(publishedAt)) / dayMs)
  return {
    kind,
    rows: rowCount,
    version,
    published_at: publishedAt,
    age_days: ageDays === null ? null : Math.max(0, ageDays),
    file: fileName,
    loaded_at: loadedAt,
  }
}

export const feedRoutes: readonly Route[] = [
  route({
    method: 'GET',
    path: '/admin/feeds',
    summary:
      'Get the age of EPSS scores, known exploited vulnerabilities and aliases of OSV, and the files that were rejected',
    permission: 'feed.read',
    status: 200,
    output: feedsView,
    async handle({ deps }) {
      const { feeds, rejected } = await readFeeds(deps)
      return {
        feeds: feeds.map((feed) => viewFeed(feed, deps.now())),
        rejected_files: rejected.map(({ name, kind, error, readAt }) => ({
          file: name,
          kind,
          error: error ?? '',
          rejected_at: readAt,
        })),
      }
    },
  }),
]
