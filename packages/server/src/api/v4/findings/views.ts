import Type from 'typebox'
import { openCache, perDatabase } from '../../../db/cache.ts'
import type { RootDeps } from '../../../domain/deps.ts'
import type { ListedFinding } from '../../../domain/findings/finding.ts'
import type { FindingScope } from '../../../domain/findings/list/finding-filter.ts'
import { listVersions, loadFindings } from '../../../domain/findings/list/finding-list.ts'
import { renderPart } from '../../../domain/markdown/rendering.ts'
import type { Project } from '../../../domain/projects/project.ts'
import { loadRatings, type RateVector } from '../../../domain/reports/formats/fields/cvss-score.ts'
import { findTransitions } from '../../../domain/vulnerabilities/triage/history/history.ts'
import type { PastEntry } from '../../../domain/vulnerabilities/triage/history/history-entry.ts'
import type { IssueLink } from '../../../domain/vulnerabilities/triage/link.ts'
import { findLinks } from '../../../domain/vulnerabilities/triage/links.ts'
import { digestOf, type RowSource } from '../../../http/response/row-cache.ts'
import { startTimeSlice } from '../../../platform/time-slice.ts'
import { nullableUser, viewBasicUser } from '../users/views.ts'
import { freeObject, nullableInteger, nullableString, timestamp } from '../views.ts'
import { numberIn } from '../vulnerabilities/link-routes.ts'
import { cvssView, viewCvss } from './cvss-view.ts'
import { identifierView, viewIdentifier } from './origin-view.ts'
import { packageUrl } from './package-view.ts'
import { findingUrl } from './web-url.ts'

const anything = Type.Unsafe<unknown>({})
const anyList = Type.Array(anything)

export const findingView = Type.Object(
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
    identifiers: Type.Array(identifierView),
    uuid: Type.String(),
    create_jira_issue_url: Type.Null(),
    false_positive: Type.Boolean(),
    vulnerability_id: nullableInteger,
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
    state_transitions: Type.Array(
      Type.Object({
        author: nullableUser,
        comment: nullableString,
        from_state: nullableString,
        to_state: nullableString,
        created_at: timestamp,
        dismissal_reason: nullableString,
      }),
    ),
    issue_links: Type.Array(
      Type.Object({
        issue_iid: nullableInteger,
        issue_url: Type.String(),
        author: nullableUser,
        created_at: timestamp,
        link_type: Type.String(),
      }),
    ),
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
      description: 'Latest import that reported the finding on the ref',
    }),
    ai_resolution_enabled: Type.Boolean(),
    cvss: cvssView,
    package_url: packageUrl,
    web_url: { ...Type.String(), description: 'Address of the finding, or of its vulnerability, in the web UI' },
    fix_available: Type.Boolean({
      description: 'True if the report has a remediation, or states the version to upgrade to',
    }),
  },
  { title: 'Finding' },
)

/** Related rows that a finding view includes. */
interface Surroundings {
  descriptionHtml: string
  transitions: readonly PastEntry[]
  links: readonly IssueLink[]
  origin: string
  rate: RateVector
}

function viewProject(project: Project) {
  return {
    id: project.id,
    name: project.name,
    full_path: `/${project.fullPath}`,
    full_name: `${project.namespace.fullName} / ${project.name}`,
    // Projects have no repository, so there are no branch or file pages to link to.
    refs_url: null,
    forked: false,
  }
}

function viewFinding(project: Project, finding: ListedFinding, around: Surroundings) {
  const { origin } = around
  const { extras, scanner } = finding
  const evidence = (extras.evidence ?? {}) as Record<string, unknown> // validated by the report schema
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
    identifiers: finding.identifiers.map(viewIdentifier),
    uuid: finding.uuid,
    create_jira_issue_url: null,
    false_positive: extras.flags.length > 0,
    vulnerability_id: finding.vulnerabilityId,
    create_vulnerability_feedback_issue_path: null,
    create_vulnerability_feedback_merge_request_path: null,
    create_vulnerability_feedback_dismissal_path: null,
    project: viewProject(project),
    dismissal_feedback: null,
    issue_feedback: null,
    merge_request_feedback: null,
    state_transitions: around.transitions.map((entry) => ({
      author: entry.author && viewBasicUser(entry.author, origin),
      comment: entry.comment,
      from_state: entry.from,
      to_state: entry.to,
      created_at: entry.createdAt,
      dismissal_reason: entry.dismissalReason,
    })),
    issue_links: around.links.map((link) => ({
      issue_iid: numberIn(link.url) ?? null,
      issue_url: link.url,
      author: link.author && viewBasicUser(link.author, origin),
      created_at: link.createdAt,
      link_type: link.linkType,
    })),
    external_issue_links: [],
    merge_request_links: [],
    description: finding.description,
    description_html: around.descriptionHtml,
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
    cvss: viewCvss(extras.cvss, around.rate),
    package_url: finding.packageUrl,
    web_url: findingUrl(project, finding, origin),
    fix_available: finding.hasFix,
  }
}

/** Returns the views of a page of findings. */
export async function viewFindings(
  deps: RootDeps,
  project: Project,
  findings: readonly ListedFinding[],
  origin: string,
) {
  const ids = findings.flatMap(({ vulnerabilityId, hasTriage }) => (hasTriage && vulnerabilityId) || [])
  const hasVectors = findings.some(({ extras }) => extras.cvss.length > 0)
  const [transitions, links] =
    ids.length > 0 ? await Promise.all([findTransitions(deps, ids), findLinks(deps, ids)]) : [[], []]
  const rate = hasVectors ? loadRatings() : () => undefined
  const views: ReturnType<typeof viewFinding>[] = []
  const slice = startTimeSlice()
  for (const finding of findings) {
    if (slice.isOver()) await slice.next()
    const { description } = finding
    const isOfThis = (of: { vulnerabilityId: number }) => of.vulnerabilityId === finding.vulnerabilityId
    const html = description
      ? await descriptions(deps.db).getShared(description, () => renderPart(description, `project ${project.id}`))
      : ''
    const around = { transitions: transitions.filter(isOfThis), links: links.filter(isOfThis), origin, rate }
    views.push(viewFinding(project, finding, { ...around, descriptionHtml: html }))
  }
  return views
}

/** A new state in the history also changes the version of its vulnerability. */
const triageTables = ['users', 'vulnerability_links']
const tables = ['findings', 'occurrences', 'vulnerabilities', 'vulnerability_history', ...triageTables]

/** Rendered findings of a project as they are listed for a ref. */
export function findingRows(
  deps: RootDeps,
  project: Project,
  scope: FindingScope,
  origin: string,
): RowSource<typeof findingView> {
  // Read first: later changes must make these versions outdated.
  const triageVersion = deps.db.changes.version(triageTables)
  /** The few findings with history or links show users too. Their version is that of all these tables. */
  const withTriage = (version: string) => (triageVersion === undefined ? undefined : `${version} ${triageVersion}`)
  const name = `finding ${digestOf([viewProject(project), scope.ref, origin])}`
  return {
    name,
    view: findingView,
    tables,
    projectId: project.id,
    async listVersions(ids) {
      const rows = await listVersions(deps, scope, ids)
      return new Map(rows.map(({ id, version, hasTriage }) => [id, hasTriage ? withTriage(version) : version]))
    },
    async load(ids) {
      const findings = await loadFindings(deps, scope, ids)
      const views = await viewFindings(deps, project, findings, origin)
      return findings.flatMap(({ id, version, hasTriage }, index) => {
        const view = views[index]
        return view ? [{ key: id, version: hasTriage ? withTriage(version) : version, view }] : []
      })
    },
  }
}

const maxCachedCharacters = 2_000_000
/** Weight of an entry without its text: what is rendered may be empty. */
const overheadCharacters = 100

/** Caches rendered descriptions by text: all findings of a rule share one. Depends on no table. */
const descriptions = perDatabase((changes) =>
  openCache<string>(changes, [], maxCachedCharacters, (html) => html.length + overheadCharacters),
)
