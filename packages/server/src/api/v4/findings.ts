import Type from 'typebox'
import { type FindingFilter, findFindings, getFinding } from '../../domain/vulnerabilities/findings.ts'
import { notFound } from '../../platform/failure.ts'
import { findingView, viewFindings } from './finding-views.ts'
import { integer, oneOf, optional } from './input.ts'
import { type Route, route } from './route.ts'
import { filterProperties, named, readStates } from './vulnerability-filters.ts'

export const findingRoutes: readonly Route[] = [
  route({
    method: 'GET',
    path: '/projects/:id/vulnerability_findings',
    summary: 'List what scanners found in a project, worst first',
    permission: 'finding.list',
    input: Type.Object({
      report_type: filterProperties.report_type,
      severity: filterProperties.severity,
      state: filterProperties.state,
      scanner: filterProperties.scanner,
      identifier: filterProperties.identifier,
      search: filterProperties.search,
      scope: oneOf(['dismissed', 'all'], {
        default: 'dismissed',
        description: '`dismissed` hides dismissed ones, unless `state` asks for them',
      }),
      pipeline_id: optional(integer({ description: 'Only what this import saw' })),
      ref: filterProperties.ref,
    }),
    status: 200,
    output: Type.Array(findingView),
    paged: true,
    remember: [
      'findings',
      'occurrences',
      'scans',
      'vulnerabilities',
      'finding_identifiers',
      'identifiers',
      'scanners',
      'vulnerability_history',
      'vulnerability_links',
      'users',
      'projects',
      'namespaces',
    ],
    async handle({ deps, project, input, page, origin }) {
      const filter: FindingFilter = {
        projectId: project.id,
        ref: input.ref ?? project.defaultBranch,
        severities: input.severity,
        reportTypes: input.report_type,
        scanners: named(input.scanner),
        states: readStates(input.state) ?? (input.scope === 'all' ? undefined : ['detected', 'confirmed', 'resolved']),
        identifiers: named(input.identifier),
        search: input.search?.trim() || undefined,
        importId: input.pipeline_id,
      }
      const found = await findFindings(deps, filter, page)
      return { ...found, rows: await viewFindings(deps, project, found.rows, origin) }
    },
  }),
  route({
    method: 'GET',
    path: '/projects/:id/vulnerability_findings/:finding_id',
    summary: 'Get a finding as the list has it, also one that is not found any more',
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
