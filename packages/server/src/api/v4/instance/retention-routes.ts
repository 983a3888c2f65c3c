import Type from 'typebox'
import { previewRetention, retentionKinds } from '../../../domain/removal/retention.ts'
import type { Route } from '../../../http/route.ts'
import { route } from '../route.ts'
import { nullableTimestamp } from '../views.ts'

const previewView = Type.Object(
  {
    kind: Type.Enum(retentionKinds),
    days: Type.Integer({ description: 'The setting of the server; 0 keeps everything' }),
    count: Type.Integer({ description: 'Number of rows; of `refs` the number that would close' }),
    is_complete: Type.Boolean({ description: 'False when there are more rows than `count`' }),
    oldest_at: { ...nullableTimestamp, description: 'Time of the oldest of them' },
  },
  { title: 'RetentionPreview' },
)

export const retentionRoutes: readonly Route[] = [
  route({
    method: 'GET',
    path: '/admin/retention',
    summary: 'Preview what the next run of each periodic task would remove or close',
    permission: 'storage.read',
    status: 200,
    output: Type.Array(previewView),
    handle: async ({ deps }) =>
      (await previewRetention(deps)).map(({ kind, days, count, isComplete, oldestAt }) => ({
        kind,
        days,
        count,
        is_complete: isComplete,
        oldest_at: oldestAt,
      })),
  }),
]
