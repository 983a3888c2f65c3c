import Type from 'typebox'
import { getFinding, listFindingIds } from '../../../domain/findings/list/finding-list.ts'
import { getPromotion } from '../../../domain/vulnerabilities/promotion/bulk-promotion.ts'
import { promoteMany } from '../../../domain/vulnerabilities/promotion/promote-many.ts'
import { flag, freeForm, integer, integerList, oneOf, optional } from '../../../http/params/input.ts'
import { cursorFields } from '../../../http/response/keyset.ts'
import { renderRows } from '../../../http/response/row-cache.ts'
import type { Route } from '../../../http/route.ts'
import { notFound } from '../../../platform/failure.ts'
import { route, withFormerPath } from '../route.ts'
import { filterNames } from '../vulnerabilities/filters.ts'
import { readListPage, viewListPage } from '../vulnerabilities/list-pages.ts'
import { filters, readFilter, readFilterObject } from './filters.ts'
import { promotionView, viewPromotion } from './promotion-views.ts'
import { findingRows, findingView, viewFindings } from './views.ts'

const listRoutes: readonly Route[] = [
  route({
    method: 'GET',
    path: '/projects/:id/vulnerability_findings',
    summary: 'List the findings of a project, most severe first',
    permission: 'finding.list',
    input: Type.Object({
      ...filters,
      has_vulnerability: optional(
        flag({ description: 'If false, returns only findings that have not been promoted, and includes a total' }),
      ),
      ...cursorFields,
    }),
    status: 200,
    output: Type.Array(findingView),
    paged: true,
    unknownFilters: [...filterNames.filter((name) => !(name in filters)), 'scanner_id', 'project_id'],
    cacheTables: [
      ...['findings', 'occurrences', 'scans', 'imports', 'vulnerabilities', 'finding_identifiers', 'identifiers'],
      ...['scanners', 'vulnerability_history', 'vulnerability_links', 'users', 'occurrence_categories'],
    ],
    async handle({ deps, project, caller, input, page, origin }) {
      const filter = { ...readFilter(project, caller, input), isPromoted: input.has_vulnerability }
      const request = readListPage(input, page)
      const found = await listFindingIds(deps, filter, request)
      const source = findingRows(deps, project, filter, origin)
      return viewListPage(request, found, await renderRows(deps.db, source, found.rows))
    },
  }),
  route({
    method: 'GET',
    path: '/projects/:id/vulnerability_findings/:finding_id',
    summary: 'Get a finding, including one that is no longer detected',
    permission: 'finding.list',
    input: Type.Object({ finding_id: integer() }),
    status: 200,
    output: findingView,
    async handle({ deps, project, input, origin }) {
      const finding = await getFinding(deps, project, input.finding_id)
      const [view] = await viewFindings(deps, project, [finding], origin)
      if (!view) throw notFound('Finding')
      return view
    },
  }),
]

const promotionPath = '/projects/:id/vulnerability_finding_promotions'

const promotionRoutes: readonly Route[] = [
  route({
    method: 'POST',
    path: promotionPath,
    summary: 'Promote many findings to vulnerabilities in bulk',
    permission: 'vulnerability.create',
    input: Type.Object(
      {
        action: oneOf(['promote'], { default: 'promote' }),
        finding_ids: optional(integerList({ allowBlank: false, commaSeparated: true })),
        filter: optional(
          freeForm({
            description: 'Filter of the finding list, in place of IDs; selects findings that have not been promoted',
          }),
        ),
        filters: optional(freeForm({ description: 'Same as `filter`, under its name in exports' })),
        expected_count: optional(
          integer({
            description: 'Expected number of selected items; if the actual number differs, nothing is changed',
          }),
        ),
        async: optional(
          flag({
            description: 'For more than 500 findings: return 202 immediately; poll the promotion for its progress',
          }),
        ),
      },
      { exactlyOneOf: [['finding_ids', 'filter', 'filters']] },
    ),
    status: 201,
    isUnfinished: ({ status }) => status === 'running',
    output: promotionView,
    async handle({ deps, project, caller, input, headers }) {
      const filter = input.filter ?? input.filters
      const selection = filter
        ? { filter: readFilterObject(project, caller, filter) }
        : { ids: input.finding_ids ?? [] }
      const request = { selection, expectedCount: input.expected_count, isAsync: input.async }
      const promotion = await promoteMany(deps, project, caller, request)
      if (promotion.state === 'running') {
        headers['location'] = `/api/v4/projects/${project.id}/vulnerability_finding_promotions/${promotion.id}`
      }
      return viewPromotion(promotion)
    },
  }),
  route({
    method: 'GET',
    path: `${promotionPath}/:promotion_id`,
    summary: 'Get the progress of a bulk promotion',
    permission: 'finding.list',
    input: Type.Object({ promotion_id: integer() }),
    status: 200,
    output: promotionView,
    handle: async ({ deps, project, input }) => viewPromotion(await getPromotion(deps, project, input.promotion_id)),
  }),
]

export const findingRoutes: readonly Route[] = [
  ...listRoutes,
  ...withFormerPath(promotionRoutes, promotionPath, '/projects/:id/vulnerability_findings/bulk'),
]
