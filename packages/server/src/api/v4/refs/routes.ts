import Type from 'typebox'
import { deleteRef, findRefs, type ProjectRef } from '../../../domain/reports/refs/refs.ts'
import { text } from '../../../http/params/input.ts'
import { noOutput, type Route } from '../../../http/route.ts'
import { route } from '../route.ts'
import { nullableTimestamp, timestamp } from '../views.ts'

const refView = Type.Object(
  {
    name: Type.String(),
    default: Type.Boolean({ description: 'Whether it is the default branch, which never closes' }),
    protected: Type.Boolean({ description: 'Whether `protected_refs` of the project has the name' }),
    last_report_at: timestamp,
    closed_at: {
      ...nullableTimestamp,
      description: 'Time from which no finding is present on it; a new report opens it again',
    },
    closes_at: { ...nullableTimestamp, description: 'Time at which it closes unless it gets a report' },
  },
  { title: 'Ref' },
)

const viewRef = (ref: ProjectRef) => ({
  name: ref.name,
  default: ref.isDefault,
  protected: ref.isProtected,
  last_report_at: ref.lastReportAt,
  closed_at: ref.closedAt,
  closes_at: ref.closesAt,
})

export const refRoutes: readonly Route[] = [
  route({
    method: 'GET',
    path: '/projects/:id/refs',
    summary: 'List branches and tags with reports, newest report first',
    permission: 'ref.list',
    status: 200,
    output: Type.Array(refView),
    paged: true,
    unknownFilters: 'refused',
    async handle({ deps, project, page }) {
      const found = await findRefs(deps, project, page)
      return { ...found, rows: found.rows.map(viewRef) }
    },
  }),
  route({
    method: 'DELETE',
    path: '/projects/:id/refs/:ref',
    summary: 'Delete a branch or tag; vulnerabilities keep their identity, triage and history',
    permission: 'ref.delete',
    input: Type.Object({ ref: text() }),
    status: 204,
    output: noOutput,
    handle: ({ deps, project, input }) => deleteRef(deps, project, input.ref),
  }),
]
