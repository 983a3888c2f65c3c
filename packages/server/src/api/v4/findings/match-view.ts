import Type from 'typebox'
import { type MatchReason, matchReasons } from '../../../domain/findings/finding-key.ts'
import { findMatches } from '../../../domain/findings/matches.ts'
import { integer } from '../../../http/params/input.ts'
import type { Route } from '../../../http/route.ts'
import { route } from '../route.ts'
import { freeObject, nullableInteger, timestamp } from '../views.ts'

export const matchReason = Type.Unsafe<MatchReason>({ type: 'string', enum: matchReasons })

const matchView = Type.Object(
  {
    id: Type.Integer(),
    uuid: Type.String({
      description: 'UUID under which the report contained the finding; for the reason `identifier`, its previous UUID',
    }),
    reason: matchReason,
    ref: Type.String(),
    security_report_id: nullableInteger,
    old_location: freeObject,
    new_location: freeObject,
    created_at: timestamp,
  },
  { title: 'FindingMatch' },
)

export const findingMatchRoutes: readonly Route[] = [
  route({
    method: 'GET',
    path: '/projects/:id/vulnerability_findings/:finding_id/matches',
    summary: 'List the matches that tracked a finding to new locations',
    permission: 'finding.list',
    input: Type.Object({ finding_id: integer() }),
    status: 200,
    output: Type.Array(matchView),
    paged: true,
    unknownFilters: 'refused',
    async handle({ deps, project, input, page }) {
      const found = await findMatches(deps, project, input.finding_id, page)
      return {
        ...found,
        rows: found.rows.map((match) => ({
          id: match.id,
          uuid: match.uuid,
          reason: match.reason,
          ref: match.ref,
          security_report_id: match.importId,
          old_location: match.oldLocation,
          new_location: match.newLocation,
          created_at: match.createdAt,
        })),
      }
    },
  }),
]
