import Type, { type Static } from 'typebox'
import type { Caller } from '../../../domain/access/callers.ts'
import type { RootDeps } from '../../../domain/deps.ts'
import type { ListPageRequest } from '../../../domain/findings/list/list-page.ts'
import { severities } from '../../../domain/findings/scales.ts'
import type { PageRequest } from '../../../domain/page.ts'
import {
  type FlawQuery,
  type FlawSort,
  findFlawKey,
  flawSorts,
  type ListedFlaw,
  listFlaws,
} from '../../../domain/vulnerabilities/flaws/flaw-list.ts'
import { type ListScope, projectScope } from '../../../domain/vulnerabilities/list/filter.ts'
import { listVulnerabilityIds } from '../../../domain/vulnerabilities/list/list.ts'
import { readableScope } from '../../../domain/vulnerabilities/list/readable-scope.ts'
import { oneOf } from '../../../http/params/input.ts'
import { cursorFields } from '../../../http/response/keyset.ts'
import { type RenderedRow, renderRow } from '../../../http/response/rendered-row.ts'
import { renderRows } from '../../../http/response/row-cache.ts'
import { serialiserOf } from '../../../http/response/serialiser.ts'
import type { Route } from '../../../http/route.ts'
import { route } from '../route.ts'
import { nullableString, timestamp } from '../views.ts'
import { filterProperties, isPersonal, readFilter } from './filters.ts'
import { readListPage, viewListPage } from './list-pages.ts'
import { openPageCache } from './page-cache.ts'
import { vulnerabilityRowsOfMany } from './rendered-rows.ts'
import { instanceScope, projectFilter, scopeProperties } from './scope-filters.ts'
import { vulnerabilityView } from './views.ts'

export const flawView = Type.Object(
  {
    id: Type.Integer({ description: 'For the filter `flaw`' }),
    title: Type.String(),
    severity: Type.Unsafe<ListedFlaw['severity']>({ type: 'string', enum: severities, description: 'The highest one' }),
    priority: Type.Integer({ description: 'The highest one' }),
    identifiers: Type.Array(Type.String(), {
      description: 'Names of the advisory, CVE before GHSA before others; without one, identifiers of the scanners',
    }),
    package: { ...nullableString, description: 'Package URL without version, or name of the package' },
    vulnerability_count: Type.Integer({ description: 'Vulnerabilities that match the filter' }),
    project_count: Type.Integer(),
    scanners: Type.Array(Type.Object({ external_id: Type.String(), name: Type.String() })),
    states: Type.Object({
      detected: Type.Integer(),
      confirmed: Type.Integer(),
      resolved: Type.Integer(),
      dismissed: Type.Integer(),
    }),
    first_detected_at: timestamp,
    explanation: Type.Array(Type.String(), { description: 'Why these vulnerabilities are the same one' }),
  },
  { title: 'VulnerabilityFlaw' },
)

const viewFlaw = ({ key, scanners, ...flaw }: ListedFlaw) => ({
  id: key,
  title: flaw.title,
  severity: flaw.severity,
  priority: flaw.priority,
  identifiers: flaw.identifiers,
  package: flaw.package,
  vulnerability_count: flaw.vulnerabilityCount,
  project_count: flaw.projectCount,
  scanners: scanners.map(({ externalId, name }) => ({ external_id: externalId, name })),
  states: flaw.states,
  first_detected_at: flaw.firstDetectedAt,
  explanation: flaw.explanation,
})

const flawProperties = {
  ...filterProperties,
  sort: oneOf(flawSorts, {
    default: 'severity_desc',
    description:
      '`count`: number of vulnerabilities, for lists of up to 10,000 vulnerabilities; longer ones return 400',
  }),
  ...cursorFields,
}
const flawInput = Type.Object(flawProperties)

interface FlawRequest {
  input: Omit<Static<typeof flawInput>, 'sort'> & { sort: FlawSort }
  page: PageRequest
  caller: Caller
}

/** Tables that lists of vulnerabilities read. */
export const listedTables = [
  ...['vulnerabilities', 'vulnerability_counts', 'promoted_findings', 'findings', 'occurrences', 'identifiers'],
  ...['finding_identifiers', 'scanners', 'vulnerability_tags', 'tagged_findings', 'vulnerability_links'],
  'ref_dismissals',
]
/** Those that lists of flaws read in addition. */
export const flawTables = ['feeds', 'osv_aliases', 'flaw_aliases', 'flaw_changes', 'flaw_change_members', 'users']

const cachedPage = openPageCache<Static<typeof flawView>>([...listedTables, ...flawTables])

/** Reads a page of flaws, already rendered, because the list of vulnerabilities has rows of another kind. */
export async function listFlawPage(deps: RootDeps, scope: ListScope, { input, page, caller }: FlawRequest) {
  const request = readListPage(input, page)
  const key = [isPersonal(input) ? caller.user.id : null, input]
  const load = () => renderFlawPage(deps, { scope, filter: readFilter(input, caller), sort: input.sort }, request)
  const found = await cachedPage(deps, { scope, request, key, load })
  return viewListPage(request, found, found.rows)
}

async function renderFlawPage(deps: RootDeps, query: FlawQuery, request: ListPageRequest) {
  const { rows, ...page } = await listFlaws(deps, query, request)
  const stringify = serialiserOf(flawView)
  const rendered = rows.map((flaw) => renderRow(stringify(viewFlaw(flaw))))
  return { ...page, rows: rendered as RenderedRow<Static<typeof flawView>>[] } // by the serialiser
}

const list = {
  method: 'GET',
  status: 200,
  output: Type.Array(flawView),
  paged: true,
  unknownFilters: 'refused',
} as const

/** The lists of vulnerabilities with one row for each flaw. */
export const flawRoutes: readonly Route[] = [
  route({
    ...list,
    path: '/projects/:id/vulnerability_flaws',
    summary: 'List a project’s vulnerabilities with one row for those that are the same',
    permission: 'vulnerability.list',
    input: flawInput,
    cacheTables: [...listedTables, ...flawTables],
    isPersonal: ({ input }) => isPersonal(input),
    handle: ({ deps, project, caller, input, page }) =>
      listFlawPage(deps, projectScope(project.id), { input, page, caller }),
  }),
  route({
    ...list,
    path: '/groups/:id/vulnerability_flaws',
    summary: 'List a group’s vulnerabilities with one row for those that are the same',
    permission: 'group.vulnerability.list',
    input: Type.Object({ ...flawProperties, project_id: projectFilter }),
    async handle({ deps, group, caller, input, page }) {
      const scope = await readableScope(deps, caller, { group, projectIds: input.project_id })
      return listFlawPage(deps, scope, { input, page, caller })
    },
  }),
  route({
    ...list,
    path: '/vulnerability_flaws',
    summary: 'List the vulnerabilities of all readable projects with one row for those that are the same',
    permission: 'instance.vulnerability.list',
    input: Type.Object({ ...flawProperties, ...scopeProperties }),
    handle: async ({ deps, caller, input, page }) =>
      listFlawPage(deps, await instanceScope(deps, caller, input), { input, page, caller }),
  }),
  route({
    method: 'GET',
    path: '/vulnerabilities/:id/similar',
    summary: 'List the vulnerabilities of all readable projects that are the same as one, itself included',
    permission: 'vulnerability.read',
    input: Type.Object(cursorFields),
    status: 200,
    output: Type.Array(vulnerabilityView),
    paged: true,
    unknownFilters: 'refused',
    async handle({ deps, vulnerability, caller, input, page, origin }) {
      const request = readListPage(input, page)
      // Keys are computed by a job; no flaw has the key 0.
      const key = (await findFlawKey(deps, vulnerability.id)) ?? 0
      const scope = await readableScope(deps, caller)
      const query = { scope, filter: { flaws: [key] }, sort: 'severity_desc' } as const
      const found = await listVulnerabilityIds(deps, query, request)
      const rows = await renderRows(deps.db, vulnerabilityRowsOfMany(deps, { origin }), found.rows)
      return viewListPage(request, found, rows)
    },
  }),
]
