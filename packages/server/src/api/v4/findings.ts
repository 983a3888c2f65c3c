import Type from 'typebox'
import type { Project } from '../../domain/projects/project.ts'
import type { ListedFinding } from '../../domain/vulnerabilities/finding.ts'
import { reportTypes, severities } from '../../domain/vulnerabilities/scales.ts'
import { findFindings } from '../../domain/vulnerabilities/vulnerabilities.ts'
import { integer, listOf, oneOf, optional, text } from './input.ts'
import { type Route, route } from './route.ts'
import { freeObject, nullableString } from './views.ts'

const anything = Type.Unsafe<unknown>({})
const anyList = Type.Array(anything)

const findingView = Type.Object(
  {
    id: Type.Integer(),
    report_type: Type.String(),
    name: Type.String(),
    severity: Type.String(),
    confidence: Type.String(),
    scanner: Type.Object({
      external_id: Type.String(),
      name: Type.String(),
      vendor: Type.String(),
      is_vulnerability_scanner: Type.Boolean(),
    }),
    identifiers: Type.Array(
      Type.Object({
        external_type: Type.String(),
        external_id: Type.String(),
        name: Type.String(),
        url: nullableString,
      }),
    ),
    uuid: Type.String(),
    false_positive: Type.Boolean(),
    vulnerability_id: Type.Unsafe<number | null>({ type: ['integer', 'null'] }),
    project: Type.Object({
      id: Type.Integer(),
      name: Type.String(),
      full_path: Type.String(),
      full_name: Type.String(),
    }),
    dismissal_feedback: Type.Null(),
    issue_feedback: Type.Null(),
    merge_request_feedback: Type.Null(),
    state_transitions: anyList,
    issue_links: anyList,
    external_issue_links: anyList,
    merge_request_links: anyList,
    description: nullableString,
    links: Type.Array(Type.Object({ name: nullableString, url: Type.String() })),
    location: freeObject,
    remediations: Type.Array(Type.Object({ summary: Type.String(), diff: Type.String() })),
    solution: nullableString,
    evidence: nullableString,
    request: anything,
    response: anything,
    evidence_source: anything,
    supporting_messages: anyList,
    assets: Type.Array(Type.Object({ type: Type.String(), name: Type.String(), url: Type.String() })),
    details: freeObject,
    state: Type.String(),
  },
  { title: 'Finding' },
)

function viewFinding(project: Project, finding: ListedFinding) {
  const { extras, scanner } = finding
  const evidence = (extras.evidence ?? {}) as Record<string, unknown> // as the schema of reports lets it through
  return {
    id: finding.id,
    report_type: finding.reportType,
    name: finding.name,
    severity: finding.severity,
    confidence: finding.confidence,
    scanner: {
      external_id: scanner.externalId,
      name: scanner.name,
      vendor: scanner.vendor,
      is_vulnerability_scanner: true,
    },
    identifiers: finding.identifiers.map(({ externalType, externalId, name, url }) => ({
      external_type: externalType,
      external_id: externalId,
      name,
      url,
    })),
    uuid: finding.uuid,
    false_positive: extras.flags.length > 0,
    vulnerability_id: finding.vulnerabilityId,
    project: {
      id: project.id,
      name: project.name,
      full_path: `/${project.fullPath}`,
      full_name: `${project.namespace.fullName} / ${project.name}`,
    },
    dismissal_feedback: null,
    issue_feedback: null,
    merge_request_feedback: null,
    state_transitions: [],
    issue_links: [],
    external_issue_links: [],
    merge_request_links: [],
    description: finding.description,
    links: extras.links.map(({ name, url }) => ({ name: name ?? null, url })),
    location: finding.location,
    remediations: [...extras.remediations],
    solution: finding.solution,
    evidence: typeof evidence['summary'] === 'string' ? evidence['summary'] : null,
    request: evidence['request'] ?? null,
    response: evidence['response'] ?? null,
    evidence_source: evidence['source'] ?? null,
    supporting_messages: Array.isArray(evidence['supporting_messages']) ? evidence['supporting_messages'] : [],
    assets: [...extras.assets],
    details: finding.details,
    state: finding.state,
  }
}

export const findingRoutes: readonly Route[] = [
  route({
    method: 'GET',
    path: '/projects/:id/vulnerability_findings',
    summary: 'List what scanners found in a project, worst first',
    permission: 'finding.list',
    input: Type.Object({
      report_type: optional(listOf([...reportTypes, 'generic'], { commaSeparated: true })),
      severity: optional(listOf(severities, { commaSeparated: true })),
      scope: oneOf(['dismissed', 'all'], { default: 'dismissed', description: '`dismissed` hides dismissed ones' }),
      pipeline_id: optional(integer({ description: 'Only what this import saw' })),
      ref: optional(text({ allowBlank: false, description: 'Default: the default branch' })),
    }),
    status: 200,
    output: Type.Array(findingView),
    paged: true,
    remember: [
      'findings',
      'occurrences',
      'vulnerabilities',
      'finding_identifiers',
      'scanners',
      'projects',
      'namespaces',
    ],
    async handle({ deps, project, input, page }) {
      const filter = {
        projectId: project.id,
        ref: input.ref ?? project.defaultBranch,
        reportTypes: input.report_type,
        severities: input.severity,
        withDismissed: input.scope === 'all',
        importId: input.pipeline_id,
      }
      const found = await findFindings(deps, filter, page)
      return { ...found, rows: found.rows.map((row) => viewFinding(project, row)) }
    },
  }),
]
