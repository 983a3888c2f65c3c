import Type, { type TInteger } from 'typebox'
import type { OpenFindings } from '../../../domain/findings/ref-comparison/open-on-refs.ts'
import { type Severity, severities } from '../../../domain/findings/scales.ts'
import { compareRefsOf, deleteRef, findRefs, type ProjectRef } from '../../../domain/reports/refs/refs.ts'
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

const openView = Type.Object({
  vulnerabilities: Type.Object(
    Object.fromEntries(severities.map((name) => [name, Type.Integer()])) as Record<Severity, TInteger>, // one for each
    { description: 'Number of open vulnerabilities by severity' },
  ),
  total: Type.Integer({ description: 'Number of open vulnerabilities' }),
  awaiting_triage: Type.Integer({ description: 'Number of findings that are not vulnerabilities yet' }),
})

const comparisonView = Type.Object(
  { from: Type.String(), to: Type.String(), only_on_from: openView, only_on_to: openView, on_both: openView },
  { title: 'BranchComparison' },
)

const viewOpen = ({ awaitingTriage, ...counts }: OpenFindings) => ({ ...counts, awaiting_triage: awaitingTriage })

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
    method: 'GET',
    path: '/projects/:id/refs/compare',
    summary: 'Compare the open vulnerabilities and findings of two branches or tags',
    permission: 'ref.list',
    input: Type.Object({
      from: text({ allowBlank: false, description: 'Branch or tag' }),
      to: text({ allowBlank: false, description: 'Branch or tag that it is compared with' }),
    }),
    status: 200,
    output: comparisonView,
    async handle({ deps, project, input }) {
      const { from, to } = input
      const { onlyOnRef, onlyOnTarget, onBoth } = await compareRefsOf(deps, project, { from, to })
      return {
        ...{ from, to, only_on_from: viewOpen(onlyOnRef), only_on_to: viewOpen(onlyOnTarget) },
        on_both: viewOpen(onBoth),
      }
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
