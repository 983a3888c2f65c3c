import Type, { type Static } from 'typebox'
import type { Caller } from '../../../domain/access/callers.ts'
import type { RootDeps } from '../../../domain/deps.ts'
import type { ListPageRequest } from '../../../domain/findings/list/list-page.ts'
import type { PageRequest } from '../../../domain/page.ts'
import { type ListScope, projectScope } from '../../../domain/vulnerabilities/list/filter.ts'
import { type ListQuery, listVulnerabilityIds } from '../../../domain/vulnerabilities/list/list.ts'
import { readableScope } from '../../../domain/vulnerabilities/list/readable-scope.ts'
import { type ListSummary, summarizeList } from '../../../domain/vulnerabilities/list/summary.ts'
import { promoteFinding } from '../../../domain/vulnerabilities/promotion/promotion.ts'
import { integer, oneOf, optional, uuid } from '../../../http/params/input.ts'
import { type RowSource, renderRows } from '../../../http/response/row-cache.ts'
import type { Route } from '../../../http/route.ts'
import { route } from '../route.ts'
import { nullableInteger } from '../views.ts'
import { filterProperties, isPersonal, listProperties, readFilter } from './filters.ts'
import { flawTables, flawView, listedTables, listFlawPage } from './flaw-routes.ts'
import { readListPage, viewListPage } from './list-pages.ts'
import { openPageCache } from './page-cache.ts'
import { multiProjectTables, vulnerabilityRows, vulnerabilityRowsOfMany } from './rendered-rows.ts'
import { instanceScope, projectFilter, scopeProperties } from './scope-filters.ts'
import { viewChanged, vulnerabilityView } from './views.ts'

const groupedProperties = {
  ...listProperties,
  group_by: optional(
    oneOf(['flaw'], {
      description:
        '`flaw`: one row for vulnerabilities that are the same, in the shape of `GET …/vulnerability_flaws`. The filters apply to its vulnerabilities, and the first of them in the order of the list gives it its place',
    }),
  ),
}
const listInput = Type.Object(groupedProperties)

/** Rows of flaws are rendered with a schema of their own, so the schema here is that of vulnerabilities. */
const listedView = Type.Unsafe<Static<typeof vulnerabilityView> | Static<typeof flawView>>(vulnerabilityView)
const alternative = { parameter: 'group_by', output: Type.Array(flawView) }

const summaryView = Type.Object(
  {
    total: Type.Unsafe<number | null>({
      ...nullableInteger,
      description: 'Exact total without an upper limit; null if it would require reading all rows',
    }),
    scanners: Type.Array(Type.Object({ external_id: Type.String(), name: Type.String(), total: Type.Integer() })),
    report_types: Type.Array(Type.Object({ name: Type.String(), total: Type.Integer() })),
  },
  { title: 'VulnerabilitySummary' },
)

const viewSummary = ({ total, scanners, reportTypes }: ListSummary) => ({
  total: total ?? null,
  scanners: scanners.map(({ externalId, name, total }) => ({ external_id: externalId, name, total })),
  report_types: reportTypes,
})

interface ListRequest {
  input: Static<typeof listInput>
  page: PageRequest
  caller: Caller
}

/** Reads a page of vulnerabilities, and renders its rows. */
async function readRows(
  deps: RootDeps,
  query: ListQuery,
  request: ListPageRequest,
  source: RowSource<typeof vulnerabilityView>,
) {
  const found = await listVulnerabilityIds(deps, query, request)
  return { ...found, rows: await renderRows(deps.db, source, found.rows) }
}

const cachedPage = openPageCache<Static<typeof vulnerabilityView>>([
  ...new Set([...listedTables, ...multiProjectTables]),
])

/** Reads a page of the vulnerabilities of any number of projects, or of their flaws. */
async function listPageOfMany(
  deps: RootDeps,
  scope: ListScope,
  { input, page, caller, origin }: ListRequest & { origin: string },
) {
  if (input.group_by === 'flaw') return listFlawPage(deps, scope, { input, page, caller })
  const request = readListPage(input, page)
  const query = { scope, filter: readFilter(input, caller), sort: input.sort }
  const source = vulnerabilityRowsOfMany(deps, { origin, ref: input.ref })
  const key = [origin, isPersonal(input) ? caller.user.id : null, input]
  const load = () => readRows(deps, query, request, source)
  const found = await cachedPage(deps, { scope, request, key, load })
  return viewListPage(request, found, found.rows)
}

export const vulnerabilityRoutes: readonly Route[] = [
  route({
    method: 'GET',
    path: '/projects/:id/vulnerabilities',
    summary: 'List a project’s vulnerabilities, most severe first',
    permission: 'vulnerability.list',
    input: listInput,
    status: 200,
    output: Type.Array(listedView),
    paged: true,
    alternative,
    unknownFilters: ['has_vulnerability', 'pipeline_id', 'scanner_id', 'project_id'],
    cacheTables: [...listedTables, ...flawTables, 'import_sources'],
    isPersonal: ({ input }) => isPersonal(input),
    async handle({ deps, project, caller, input, page, origin }) {
      const scope = projectScope(project.id)
      if (input.group_by === 'flaw') return listFlawPage(deps, scope, { input, page, caller })
      const source = await vulnerabilityRows(deps, project, { origin, ref: input.ref })
      const request = readListPage(input, page)
      const query = { scope, filter: readFilter(input, caller), sort: input.sort }
      const found = await readRows(deps, query, request, source)
      return viewListPage(request, found, found.rows)
    },
  }),
  route({
    method: 'GET',
    path: '/groups/:id/vulnerabilities',
    summary: 'List the vulnerabilities of all readable projects in a group and its subgroups',
    permission: 'group.vulnerability.list',
    input: Type.Object({
      ...groupedProperties,
      project_id: projectFilter,
    }),
    status: 200,
    output: Type.Array(listedView),
    paged: true,
    alternative,
    unknownFilters: 'refused',
    async handle({ deps, group, caller, input, page, origin }) {
      const scope = await readableScope(deps, caller, { group, projectIds: input.project_id })
      return listPageOfMany(deps, scope, { input, page, caller, origin })
    },
  }),
  route({
    method: 'GET',
    path: '/projects/:id/vulnerabilities/summary',
    summary: 'Get totals and filter options for a project’s vulnerabilities',
    permission: 'vulnerability.list',
    input: Type.Object(filterProperties),
    status: 200,
    output: summaryView,
    unknownFilters: 'refused',
    cacheTables: listedTables,
    isPersonal: ({ input }) => isPersonal(input),
    handle: async ({ deps, project, caller, input }) =>
      viewSummary(await summarizeList(deps, projectScope(project.id), readFilter(input, caller))),
  }),
  route({
    method: 'GET',
    path: '/groups/:id/vulnerabilities/summary',
    summary: 'Get totals and filter options for a group’s vulnerabilities',
    permission: 'group.vulnerability.list',
    input: Type.Object({ ...filterProperties, project_id: projectFilter }),
    status: 200,
    output: summaryView,
    unknownFilters: 'refused',
    async handle({ deps, group, caller, input }) {
      const scope = await readableScope(deps, caller, { group, projectIds: input.project_id })
      return viewSummary(await summarizeList(deps, scope, readFilter(input, caller)))
    },
  }),
  route({
    method: 'GET',
    path: '/vulnerabilities',
    summary: 'List the vulnerabilities of all readable projects',
    permission: 'instance.vulnerability.list',
    input: Type.Object({ ...groupedProperties, ...scopeProperties }),
    status: 200,
    output: Type.Array(listedView),
    paged: true,
    alternative,
    unknownFilters: 'refused',
    handle: async ({ deps, caller, input, page, origin }) =>
      listPageOfMany(deps, await instanceScope(deps, caller, input), { input, page, caller, origin }),
  }),
  route({
    method: 'GET',
    path: '/vulnerabilities/summary',
    summary: 'Get totals and filter options for the vulnerabilities of all readable projects',
    permission: 'instance.vulnerability.list',
    input: Type.Object({ ...filterProperties, ...scopeProperties }),
    status: 200,
    output: summaryView,
    unknownFilters: 'refused',
    handle: async ({ deps, caller, input }) =>
      viewSummary(await summarizeList(deps, await instanceScope(deps, caller, input), readFilter(input, caller))),
  }),
  route({
    method: 'POST',
    path: '/projects/:id/vulnerabilities',
    summary: 'Create a vulnerability from a finding',
    permission: 'vulnerability.create',
    input: Type.Object({
      finding_id: Type.Union([integer(), uuid()], { description: 'ID or UUID of a finding' }),
    }),
    status: 201,
    output: vulnerabilityView,
    handle: async ({ deps, project, caller, input, origin }) =>
      viewChanged(deps, project, await promoteFinding(deps, project, caller.user, input.finding_id), origin),
  }),
]
