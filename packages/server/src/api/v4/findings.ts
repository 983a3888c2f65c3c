import { setImmediate } from 'node:timers/promises'
import Type from 'typebox'
import { openCache, perDatabase } from '../../db/cache.ts'
import type { RootDeps } from '../../domain/deps.ts'
import { renderMarkdown } from '../../domain/markdown/render.ts'
import type { Project } from '../../domain/projects/project.ts'
import type { ListedFinding } from '../../domain/vulnerabilities/finding.ts'
import { type FindingFilter, findFindings } from '../../domain/vulnerabilities/findings.ts'
import { integer, oneOf, optional } from './input.ts'
import { type Route, route } from './route.ts'
import { freeObject, nullableString } from './views.ts'
import { filterProperties, named, readStates } from './vulnerability-filters.ts'

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
    create_jira_issue_url: Type.Null(),
    false_positive: Type.Boolean(),
    vulnerability_id: Type.Unsafe<number | null>({ type: ['integer', 'null'] }),
    create_vulnerability_feedback_issue_path: Type.Null(),
    create_vulnerability_feedback_merge_request_path: Type.Null(),
    create_vulnerability_feedback_dismissal_path: Type.Null(),
    project: Type.Object({
      id: Type.Integer(),
      name: Type.String(),
      full_path: Type.String(),
      full_name: Type.String(),
      refs_url: Type.Null(),
      forked: Type.Boolean(),
    }),
    dismissal_feedback: Type.Null(),
    issue_feedback: Type.Null(),
    merge_request_feedback: Type.Null(),
    state_transitions: anyList,
    issue_links: anyList,
    external_issue_links: anyList,
    merge_request_links: anyList,
    description: nullableString,
    description_html: Type.String(),
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
    scan: Type.Object({
      type: Type.String(),
      status: Type.String(),
      start_time: nullableString,
      end_time: nullableString,
    }),
    blob_path: Type.Null(),
    found_by_pipeline: Type.Unsafe<{ iid: number } | null>({
      type: ['object', 'null'],
      properties: { iid: { type: 'integer' } },
      description: 'The newest import that saw it on the ref',
    }),
    ai_resolution_enabled: Type.Boolean(),
  },
  { title: 'Finding' },
)

function viewFinding(project: Project, finding: ListedFinding, descriptionHtml: string) {
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
    create_jira_issue_url: null,
    false_positive: extras.flags.length > 0,
    vulnerability_id: finding.vulnerabilityId,
    create_vulnerability_feedback_issue_path: null,
    create_vulnerability_feedback_merge_request_path: null,
    create_vulnerability_feedback_dismissal_path: null,
    project: {
      id: project.id,
      name: project.name,
      full_path: `/${project.fullPath}`,
      full_name: `${project.namespace.fullName} / ${project.name}`,
      // There is no repository here whose branches could be linked, nor files.
      refs_url: null,
      forked: false,
    },
    dismissal_feedback: null,
    issue_feedback: null,
    merge_request_feedback: null,
    state_transitions: [],
    issue_links: [],
    external_issue_links: [],
    merge_request_links: [],
    description: finding.description,
    description_html: descriptionHtml,
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
    scan: { type: finding.reportType, status: 'succeeded', start_time: null, end_time: null },
    blob_path: null,
    found_by_pipeline: finding.lastImportId === null ? null : { iid: finding.lastImportId },
    ai_resolution_enabled: false,
  }
}

async function viewFindings({ db }: RootDeps, project: Project, findings: readonly ListedFinding[]) {
  const views: ReturnType<typeof viewFinding>[] = []
  for (const finding of findings) {
    const { description } = finding
    const html = description ? await descriptions(db).get(description, () => renderDescription(description)) : ''
    views.push(viewFinding(project, finding, html))
  }
  return views
}

const maxRememberedCharacters = 2_000_000

/** Those of one rule are the same for all its findings. What a text is rendered to depends on no table. */
const descriptions = perDatabase((changes) =>
  openCache<string>(changes, [], maxRememberedCharacters, (html) => html.length),
)

/** Reports hold at most 15,000 characters of it. Other requests have their turn between two. */
async function renderDescription(text: string): Promise<string> {
  await setImmediate()
  return renderMarkdown(text)
}

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
      'projects',
      'namespaces',
    ],
    async handle({ deps, project, input, page }) {
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
      return { ...found, rows: await viewFindings(deps, project, found.rows) }
    },
  }),
]
