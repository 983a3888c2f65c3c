import Type from 'typebox'
import {
  activityKinds,
  type FeedPlace,
  type FeedPosition,
  feedSources,
} from '../../../domain/vulnerabilities/dashboard/activity.ts'
import { listActivity, listActivityAfter } from '../../../domain/vulnerabilities/dashboard/activity-feed.ts'
import { withProjects } from '../../../domain/vulnerabilities/list/readable-scope.ts'
import { listOf, optional } from '../../../http/params/input.ts'
import { cursorFields, isTimestamp } from '../../../http/response/keyset.ts'
import type { Route } from '../../../http/route.ts'
import { parameterProblem } from '../../../platform/failure.ts'
import { route } from '../route.ts'
import { activityView, viewActivity } from './activity-views.ts'
import { viewProject } from './dashboard-project.ts'
import { instanceScope, scopeProperties } from './scope-filters.ts'

export const activityRoutes: readonly Route[] = [
  route({
    method: 'GET',
    path: '/security_dashboard/activity',
    summary:
      'List imports with changes, silent scanners and decisions, newest first: at most 500 of the last 30 days, or all of them by keyset pagination',
    permission: 'instance.vulnerability.list',
    input: Type.Object({
      ...scopeProperties,
      ...cursorFields,
      kind: optional(listOf(activityKinds, { commaSeparated: true, description: 'Only entries of these kinds' })),
    }),
    status: 200,
    output: Type.Array(activityView),
    paged: true,
    unknownFilters: 'refused',
    async handle({ deps, caller, input, page, origin }) {
      const scope = await instanceScope(deps, caller, input)
      const kinds = input.kind ?? activityKinds
      const found =
        input.pagination === 'keyset'
          ? await listActivityAfter(deps, scope, kinds, { perPage: page.perPage, after: readCursor(input.cursor) })
          : await listActivity(deps, scope, kinds, page)
      const rows = await withProjects(deps, found.rows)
      const views = rows.map(({ row, project }) => viewActivity(row, viewProject(project, origin), origin))
      if (!('next' in found)) return { ...found, rows: views }
      return { rows: views, next: found.next && { cursor: writeCursor(found.next) } }
    },
  }),
]

/** Formats the position in each list. */
function writeCursor(position: FeedPosition): string {
  const places = feedSources.map((source) => position[source])
  return Buffer.from(JSON.stringify(places.map((place) => place && [place.time, place.id]))).toString('base64url')
}

/** Throws when the cursor was not created by this server. */
function readCursor(cursor: string | undefined): FeedPosition {
  if (!cursor) return {}
  const places = parse(Buffer.from(cursor, 'base64url').toString())
  if (!Array.isArray(places) || places.length !== feedSources.length) throw parameterProblem('cursor is invalid')
  return Object.fromEntries(feedSources.map((source, index) => [source, readPlace(places[index])]))
}

function readPlace(place: unknown): FeedPlace | undefined {
  if (place === null) return undefined
  const [time, id]: unknown[] = Array.isArray(place) ? place : []
  if (typeof time !== 'string' || !isTimestamp(time) || !Number.isSafeInteger(id)) {
    throw parameterProblem('cursor is invalid')
  }
  return { time, id: Number(id) }
}

function parse(json: string): unknown {
  try {
    return JSON.parse(json)
  } catch {
    return undefined
  }
}
