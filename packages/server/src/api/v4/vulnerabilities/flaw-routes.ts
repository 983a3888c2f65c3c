import Type, { type Static } from 'typebox'
import type { Caller } from '../../../domain/access/callers.ts'
import type { RootDeps } from '../../../domain/deps.ts'
import { severities } from '../../../domain/findings/scales.ts'
import type { PageRequest } from '../../../domain/page.ts'
import { flawSorts } from '../../../domain/vulnerabilities/flaws/flaw-groups.ts'
import { type FlawCursor, type ListedFlaw, listFlaws } from '../../../domain/vulnerabilities/flaws/flaw-list.ts'
import { type ListScope, projectScope } from '../../../domain/vulnerabilities/list/filter.ts'
import { readableScope } from '../../../domain/vulnerabilities/list/readable-scope.ts'
import { oneOf } from '../../../http/params/input.ts'
import { cursorFields } from '../../../http/response/keyset.ts'
import type { Route } from '../../../http/route.ts'
import { parameterProblem } from '../../../platform/failure.ts'
import { route } from '../route.ts'
import { nullableString, timestamp } from '../views.ts'
import { filterProperties, readFilter } from './filters.ts'
import { instanceScope, projectFilter, scopeProperties } from './scope-filters.ts'

const flawView = Type.Object(
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
  sort: oneOf(flawSorts, { default: 'severity_desc', description: '`count`: number of vulnerabilities' }),
  ...cursorFields,
}
const flawInput = Type.Object(flawProperties)

interface FlawRequest {
  input: Static<typeof flawInput>
  page: PageRequest
  caller: Caller
}

async function listPage(deps: RootDeps, scope: ListScope, { input, page, caller }: FlawRequest) {
  const isKeyset = input.pagination === 'keyset'
  const { keyset: _, ...numbered } = page
  const request = isKeyset
    ? { ...numbered, page: 1, offset: 0, keyset: input.cursor ? { after: readCursor(input.cursor) } : {} }
    : numbered
  const query = { scope, filter: readFilter(input, caller), sort: input.sort }
  const { rows, total, hasNext, next } = await listFlaws(deps, query, request)
  const views = rows.map(viewFlaw)
  return isKeyset
    ? { rows: views, next: next && { cursor: writeCursor(next) } }
    : { rows: views, total, hasNext, nextCursor: undefined }
}

const writeCursor = ({ value, key }: FlawCursor): string => Buffer.from(`${value}:${key}`).toString('base64url')

function readCursor(cursor: string): FlawCursor {
  const [, value, key] = /^(\d{1,10}):(\d{1,16})$/.exec(Buffer.from(cursor, 'base64url').toString()) ?? []
  if (value === undefined || key === undefined) throw parameterProblem('cursor is invalid')
  return { value: Number(value), key: Number(key) }
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
    handle: ({ deps, project, caller, input, page }) =>
      listPage(deps, projectScope(project.id), { input, page, caller }),
  }),
  route({
    ...list,
    path: '/groups/:id/vulnerability_flaws',
    summary: 'List a group’s vulnerabilities with one row for those that are the same',
    permission: 'group.vulnerability.list',
    input: Type.Object({ ...flawProperties, project_id: projectFilter }),
    async handle({ deps, group, caller, input, page }) {
      const scope = await readableScope(deps, caller, { group, projectIds: input.project_id })
      return listPage(deps, scope, { input, page, caller })
    },
  }),
  route({
    ...list,
    path: '/vulnerability_flaws',
    summary: 'List the vulnerabilities of all readable projects with one row for those that are the same',
    permission: 'instance.vulnerability.list',
    input: Type.Object({ ...flawProperties, ...scopeProperties }),
    handle: async ({ deps, caller, input, page }) =>
      listPage(deps, await instanceScope(deps, caller, input), { input, page, caller }),
  }),
]
