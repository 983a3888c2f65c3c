import Type, { type Static } from 'typebox'
import type { RootDeps } from '../../../domain/deps.ts'
import { states } from '../../../domain/findings/scales.ts'
import type { Mirror } from '../../../domain/import-sources/import-source.ts'
import { readMirrors } from '../../../domain/import-sources/mirrors.ts'
import type { Project } from '../../../domain/projects/project.ts'
import { isOverdue } from '../../../domain/vulnerabilities/due-dates/due-date.ts'
import {
  fraction,
  type PriorityPart,
  priorityOf,
  priorityParts,
} from '../../../domain/vulnerabilities/priority/priority.ts'
import {
  type DismissalScope,
  dismissalScopeOf,
  dismissalScopes,
} from '../../../domain/vulnerabilities/triage/dismissals/ref-dismissals.ts'
import type { Vulnerability, VulnerabilityWithFinding } from '../../../domain/vulnerabilities/vulnerability.ts'
import { identifierView, scannerView, viewIdentifier, viewScanner } from '../findings/origin-view.ts'
import { packageUrl } from '../findings/package-view.ts'
import { vulnerabilityUrl } from '../findings/web-url.ts'
import { mirrorView, viewMirror } from '../import-sources/views.ts'
import { nullableUser, viewBasicUser } from '../users/views.ts'
import { freeObject, nullableInteger, nullableString, nullableTimestamp, timestamp } from '../views.ts'

const findingView = Type.Object(
  {
    id: Type.Integer(),
    created_at: timestamp,
    updated_at: timestamp,
    severity: Type.String(),
    confidence: Type.String(),
    report_type: Type.String(),
    project_id: Type.Integer(),
    scanner_id: Type.Integer(),
    primary_identifier_id: Type.Integer(),
    location_fingerprint: Type.String(),
    project_fingerprint: Type.String(),
    name: Type.String(),
    metadata_version: Type.String(),
    raw_metadata: Type.String(),
    vulnerability_id: nullableInteger,
    details: freeObject,
    description: nullableString,
    solution: nullableString,
    cve: nullableString,
    package_url: packageUrl,
    location: freeObject,
    detection_method: Type.String(),
    uuid: Type.String(),
    detected_at: timestamp,
  },
  { title: 'VulnerabilityFinding' },
)

const nullableNumber = Type.Unsafe<number | null>({ type: ['number', 'null'] })

const priorityView = Type.Object(
  {
    score: Type.Integer({ description: 'Sum of the points, 0 to 100' }),
    parts: Type.Array(
      Type.Object({
        name: Type.Unsafe<PriorityPart['name']>({ type: 'string', enum: priorityParts }),
        points: Type.Integer(),
        max_points: Type.Integer(),
        value: Type.Unsafe<PriorityPart['value']>({
          type: ['string', 'number', 'boolean', 'null'],
          description: 'What the points follow from. Of `age` the number of days that were reached: 0, 30, 90 or 180',
        }),
      }),
    ),
  },
  { title: 'VulnerabilityPriority', description: 'What to decide first, and why' },
)

export const vulnerabilityView = Type.Object(
  {
    id: Type.Integer(),
    title: Type.String(),
    description: nullableString,
    state: Type.Unsafe<(typeof states)[number]>({ type: 'string', enum: states }),
    severity: Type.String(),
    confidence: Type.String(),
    report_type: Type.String(),
    project: Type.Object({
      id: Type.Integer(),
      description: Type.String(),
      name: Type.String(),
      name_with_namespace: Type.String(),
      path: Type.String(),
      path_with_namespace: Type.String(),
      created_at: timestamp,
    }),
    finding: findingView,
    resolved_on_default_branch: Type.Boolean(),
    project_default_branch: Type.String(),
    author_id: nullableInteger,
    resolved_by_id: nullableInteger,
    dismissed_by_id: nullableInteger,
    confirmed_by_id: nullableInteger,
    created_at: timestamp,
    updated_at: timestamp,
    resolved_at: nullableTimestamp,
    dismissed_at: nullableTimestamp,
    confirmed_at: nullableTimestamp,
    dismissal_reason: nullableString,
    dismissed_until: Type.Unsafe<string | null>({
      type: ['string', 'null'],
      format: 'date',
      description: 'Day (UTC) on which the dismissal ends; the vulnerability is then detected again',
    }),
    dismissed_until_fixed: Type.Boolean({
      description: 'True if the dismissal ends when a report says how to fix the vulnerability',
    }),
    dismissal_request_id: Type.Unsafe<number | null>({
      type: ['integer', 'null'],
      description: 'Request for a dismissal that awaits the approval of a second person',
    }),
    severity_overridden: Type.Boolean(),
    due_on: Type.Unsafe<string | null>({
      type: ['string', 'null'],
      format: 'date',
      description: 'Last day (UTC) on which the vulnerability is not overdue, set by a policy, a rule or a user',
    }),
    due_on_overridden: Type.Boolean({ description: 'True if a user or a rule has set the due date' }),
    overdue: Type.Boolean({ description: 'True if the vulnerability is detected or confirmed after its due date' }),
    fix_available_at: {
      ...nullableTimestamp,
      description: 'Time since which reports have a remediation, or state the version to upgrade to',
    },
    cvss_score: { ...nullableNumber, description: 'Highest CVSS base score of the report’s vectors' },
    epss: Type.Unsafe<{ score: number; percentile: number } | null>({
      type: ['object', 'null'],
      properties: { score: { type: 'number' }, percentile: { type: 'number' } },
      required: ['score', 'percentile'],
      description: 'Highest EPSS score of its CVEs and of those that are aliases of its identifiers',
    }),
    kev: Type.Boolean({ description: 'True if one of these CVEs is known to be exploited' }),
    priority: priorityView,
    auto_resolved: Type.Boolean(),
    assignee: nullableUser,
    present_on_default_branch: Type.Boolean({
      description: 'True if the vulnerability was ever present on the default branch',
    }),
    rule_id: { ...nullableInteger, description: 'The rule that has changed the vulnerability' },
    project_archived: Type.Boolean({ description: 'True if the project is archived, so that nothing can be changed' }),
    web_url: Type.String(),
    tags: Type.Array(Type.String()),
    dismissal_scope: Type.Unsafe<DismissalScope | null>({
      type: ['string', 'null'],
      enum: [...dismissalScopes, null],
      description:
        '`ref`: dismissed on the branches of `ref_dismissals` only. `group`: dismissed by a decision for all projects of a group, which `group_rule_id` applies to the others. Null if the vulnerability is not dismissed',
    }),
    ref_dismissals: Type.Array(
      Type.Object({
        ref: Type.String(),
        dismissal_reason: nullableString,
        dismissed_at: timestamp,
        dismissed_by_id: nullableInteger,
        dismissed_until: nullableString,
        dismissed_until_fixed: Type.Boolean(),
      }),
      {
        description:
          'Branches and tags on which the vulnerability is dismissed. Lists with the filter `ref` show it with the state there',
      },
    ),
    group_rule_id: {
      ...nullableInteger,
      description: 'The rule of a group that a decision about this vulnerability has created',
    },
    scanner: scannerView,
    identifiers: Type.Array(identifierView, { description: 'In the order of the report, the primary one first' }),
    project_mirrored_from: Type.Optional(mirrorView),
  },
  { title: 'Vulnerability' },
)

function viewScores(vulnerability: Vulnerability) {
  const { cvssTenths, epssMillionths, epssPercentileMillionths, isKev } = vulnerability
  const [score, percentile] = [fraction(epssMillionths, million), fraction(epssPercentileMillionths, million)]
  const priority = priorityOf(vulnerability)
  return {
    cvss_score: fraction(cvssTenths, 10),
    epss: score === null || percentile === null ? null : { score, percentile },
    kev: isKev,
    priority: {
      score: priority.score,
      parts: priority.parts.map(({ name, points, maxPoints, value }) => ({
        name,
        points,
        max_points: maxPoints,
        value,
      })),
    },
  }
}

const million = 1_000_000

export function viewProject(project: Project) {
  return {
    id: project.id,
    description: project.description ?? '',
    name: project.name,
    name_with_namespace: `${project.namespace.fullName} / ${project.name}`,
    path: project.path,
    path_with_namespace: project.fullPath,
    created_at: project.createdAt,
  }
}

function viewRefDismissals(vulnerability: Vulnerability) {
  return {
    dismissal_scope: dismissalScopeOf(vulnerability),
    ref_dismissals: vulnerability.refDismissals.map((dismissal) => ({
      ref: dismissal.ref,
      dismissal_reason: dismissal.reason,
      dismissed_at: dismissal.dismissedAt,
      dismissed_by_id: dismissal.dismissedById,
      dismissed_until: dismissal.until,
      dismissed_until_fixed: dismissal.untilFixed,
    })),
  }
}

/** `today` is a date in UTC. */
export function viewVulnerability(
  project: Project,
  { vulnerability, finding, scanner, identifiers, assignee }: VulnerabilityWithFinding,
  origin: string,
  today: string,
) {
  // The fields are named, because spreading takes V8 as long as all the rest of a row.
  const scores = viewScores(vulnerability)
  const dismissals = viewRefDismissals(vulnerability)
  return {
    id: vulnerability.id,
    title: vulnerability.title,
    description: vulnerability.description,
    state: vulnerability.state,
    severity: vulnerability.severity,
    confidence: vulnerability.confidence,
    report_type: vulnerability.reportType,
    project: viewProject(project),
    finding: {
      id: finding.id,
      created_at: finding.createdAt,
      updated_at: finding.updatedAt,
      severity: finding.severity,
      confidence: finding.confidence,
      report_type: finding.reportType,
      project_id: finding.projectId,
      scanner_id: finding.scannerId,
      primary_identifier_id: finding.primaryIdentifierId,
      location_fingerprint: finding.locationFingerprint,
      // GitLab returned the UUID under this name until it removed the field.
      project_fingerprint: finding.uuid,
      name: finding.name,
      metadata_version: finding.metadataVersion,
      raw_metadata: finding.rawMetadata,
      vulnerability_id: finding.vulnerabilityId,
      details: finding.details,
      description: finding.description,
      solution: finding.solution,
      cve: finding.cve,
      package_url: finding.packageUrl,
      location: finding.location,
      detection_method: 'gitlab_security_report',
      uuid: finding.uuid,
      detected_at: finding.detectedAt,
    },
    resolved_on_default_branch: vulnerability.isResolvedOnDefaultBranch,
    project_default_branch: project.defaultBranch,
    author_id: vulnerability.authorId,
    resolved_by_id: vulnerability.resolvedById,
    dismissed_by_id: vulnerability.dismissedById,
    confirmed_by_id: vulnerability.confirmedById,
    created_at: vulnerability.createdAt,
    updated_at: vulnerability.updatedAt,
    resolved_at: vulnerability.resolvedAt,
    dismissed_at: vulnerability.dismissedAt,
    confirmed_at: vulnerability.confirmedAt,
    dismissal_reason: vulnerability.dismissalReason,
    dismissed_until: vulnerability.dismissedUntil,
    dismissed_until_fixed: vulnerability.isDismissedUntilFixed,
    dismissal_request_id: vulnerability.dismissalRequestId,
    severity_overridden: vulnerability.isSeverityOverridden,
    due_on: vulnerability.dueOn,
    due_on_overridden: vulnerability.isDueOnOverridden,
    overdue: isOverdue(vulnerability, today),
    fix_available_at: vulnerability.fixAvailableAt,
    cvss_score: scores.cvss_score,
    epss: scores.epss,
    kev: scores.kev,
    priority: scores.priority,
    auto_resolved: vulnerability.isAutoResolved,
    assignee: assignee && viewBasicUser(assignee, origin),
    present_on_default_branch: vulnerability.isOnDefaultBranch,
    rule_id: vulnerability.ruleId,
    project_archived: project.isArchived,
    web_url: vulnerabilityUrl(project.fullPath, vulnerability.id, origin),
    tags: [...vulnerability.tags],
    dismissal_scope: dismissals.dismissal_scope,
    ref_dismissals: dismissals.ref_dismissals,
    group_rule_id: vulnerability.groupRuleId,
    scanner: viewScanner(scanner),
    identifiers: identifiers.map(viewIdentifier),
  }
}

/** Returns the response to a change, or to a request for one vulnerability. */
export async function viewChanged(deps: RootDeps, project: Project, row: VulnerabilityWithFinding, origin: string) {
  const mirrors = await readMirrors(deps, 'project', [project.id])
  return addMirror(viewVulnerability(project, row, origin, todayOf(deps)), mirrors.get(project.id))
}

type View = Static<typeof vulnerabilityView>

/** Adds the source of a mirror. The field is missing otherwise, so that other responses do not change. */
export function addMirror(view: View, mirror: Mirror | undefined): View {
  if (mirror) view.project_mirrored_from = viewMirror(mirror)
  return view
}

/** Returns the date in UTC, on which rendered rows depend too. */
export const todayOf = ({ now }: Pick<RootDeps, 'now'>): string => now().slice(0, 10)
