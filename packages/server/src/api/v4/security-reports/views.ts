import Type from 'typebox'
import type { Deps } from '../../../domain/deps.ts'
import type { FindingSummary } from '../../../domain/findings/finding.ts'
import type { ComparedFinding, RefComparison } from '../../../domain/findings/ref-comparison/ref-comparison.ts'
import { type Severity, severities } from '../../../domain/findings/scales.ts'
import type { Project } from '../../../domain/projects/project.ts'
import type { ComparedImport } from '../../../domain/reports/imports/against.ts'
import {
  type AbsenceState,
  absenceStates,
  type Import,
  type ImportState,
  importStates,
} from '../../../domain/reports/imports/import.ts'
import type { Person } from '../../../domain/users/user.ts'
import { listPeople } from '../../../domain/users/users.ts'
import {
  type FileEffect,
  type FileRuleChange,
  fileRuleChanges,
  type ProjectFileName,
  projectFileNames,
} from '../../../domain/vulnerabilities/project-files/project-file.ts'
import { matchReason } from '../findings/match-view.ts'
import { findingUrl } from '../findings/web-url.ts'
import { fileWarningView } from '../project-files/views.ts'
import { nullableUser, viewBasicUser } from '../users/views.ts'
import { freeObject, nullableInteger, nullableString, nullableTimestamp, timestamp } from '../views.ts'
import { previewFields, viewPreview } from '../vulnerability-rules/views.ts'

const sampleFields = {
  uuid: Type.String(),
  name: Type.String(),
  severity: Type.String(),
  report_type: Type.String(),
  location: freeObject,
}
const sampleView = Type.Object(sampleFields, { title: 'FindingSample' })

const problemView = Type.Object({ type: Type.String(), message: Type.String(), pointer: Type.String() })

const ruleOfFileView = Type.Object(
  {
    name: Type.String(),
    change: Type.Unsafe<FileRuleChange>({
      type: 'string',
      enum: fileRuleChanges,
      description:
        '`updated`: the file had a rule with the same effects. `removed`: the file does not have this rule any more',
    }),
    ...previewFields,
  },
  { title: 'ProjectFileRulePreview' },
)

const projectFileEffectView = Type.Object(
  {
    name: Type.Unsafe<ProjectFileName>({ type: 'string', enum: projectFileNames }),
    path: Type.String(),
    status: Type.Unsafe<FileEffect['status']>({ type: 'string', enum: ['applied', 'unchanged', 'ignored'] }),
    assigned: Type.Integer({ description: 'Number of existing vulnerabilities that received an assignee' }),
    rules: Type.Integer({ description: 'Number of rules that the file states' }),
    warnings: Type.Array(fileWarningView),
    rule_previews: Type.Array(ruleOfFileView, {
      description:
        'In a dry run: what each rule of the file would change in the existing vulnerabilities, together with the other rules, and which effects of removed rules would be reverted. Empty in an import',
    }),
  },
  { title: 'ProjectFileEffect' },
)

const importFields = {
  id: nullableInteger,
  project_id: Type.Integer(),
  status: Type.Unsafe<ImportState>({ type: 'string', enum: importStates }),
  ref: Type.String(),
  category: nullableString,
  commit_sha: nullableString,
  format: Type.String(),
  version: nullableString,
  report_type: Type.String(),
  scanner: nullableString,
  user_id: nullableInteger,
  file_sha256: Type.String(),
  file_size: Type.Integer(),
  read_bytes: Type.Integer({ description: 'Number of bytes of the file read so far, while the import is running' }),
  interruptions: Type.Integer({ description: 'Number of runs that ended because the process ended' }),
  dry_run: Type.Boolean(),
  unchanged: Type.Boolean({ description: 'True if the import changed nothing in the project and holds no absences' }),
  findings: Type.Object({
    read: Type.Integer(),
    new: Type.Integer(),
    known: Type.Integer(),
    returned: Type.Integer(),
    gone: Type.Integer(),
    changed: Type.Integer(),
    moved: Type.Integer(),
    merged: Type.Integer(),
    skipped: Type.Integer(),
    promoted: Type.Integer(),
  }),
  absences: Type.Object(
    {
      status: Type.Unsafe<AbsenceState>({ type: 'string', enum: absenceStates }),
      count: Type.Integer({ description: 'Number of findings that the report lacks and that kept their state' }),
    },
    { description: 'Absences that are held because there are implausibly many' },
  ),
  warnings: Type.Array(problemView),
  merged: Type.Array(Type.Object({ pointer: Type.String(), into: Type.String(), uuid: Type.String() })),
  skipped: Type.Array(Type.Object({ pointer: Type.String(), reason: Type.String() })),
  samples: Type.Object({
    new: Type.Array(sampleView),
    returned: Type.Array(sampleView),
    gone: Type.Array(sampleView),
    changed: Type.Array(sampleView),
    moved: Type.Array(Type.Object({ ...sampleFields, reason: matchReason }, { title: 'MovedFindingSample' })),
  }),
  errors: Type.Array(problemView),
  project_files: Type.Array(projectFileEffectView, {
    description: 'What became of the files of the repository that came with the report',
  }),
  suppressions: Type.Object(
    {
      reported: Type.Integer({ description: 'Number of findings that the report states as suppressed' }),
      changed: Type.Integer({ description: 'Number of suppressions that are new or state something else than before' }),
      ended: Type.Integer({ description: 'Number of findings that earlier reports stated as suppressed' }),
    },
    { description: 'Suppressions with an effect. All are 0 if the sender may not triage, and on other refs' },
  ),
  created_at: timestamp,
  started_at: nullableTimestamp,
  shown_at: { ...nullableTimestamp, description: 'Time at which the results became visible in the project' },
  finished_at: nullableTimestamp,
  user: {
    ...nullableUser,
    description:
      'The sender; null in a dry run. The owner of a token, or the bot user of a project, group or trust relation',
  },
  token_name: { ...nullableString, description: 'Name of the access token that sent the report' },
  job_url: { ...nullableString, description: 'Page of the CI job, as the sender stated it' },
  commit_url: { ...nullableString, description: 'Page of the commit, as the sender stated it' },
}

export const importView = Type.Object(importFields, { title: 'Import' })

/** Users by their ids. */
type Senders = ReadonlyMap<number, Person>

/** Views imports with the users who sent them. */
export async function viewImports(deps: Deps, imports: readonly Import[], origin: string) {
  const senders = await sendersOf(deps, imports)
  return imports.map((done) => viewImport(done, senders, origin))
}

export const viewStoredImport = async (deps: Deps, done: Import, origin: string) =>
  viewImport(done, await sendersOf(deps, [done]), origin)

async function sendersOf({ db }: Deps, imports: readonly Import[]): Promise<Senders> {
  const ids = [...new Set(imports.flatMap(({ userId }) => userId ?? []))]
  const people = ids.length > 0 ? await listPeople(db, ids) : []
  return new Map(people.map((person) => [person.id, person]))
}

function viewImport(done: Import, senders: Senders, origin: string) {
  const sender = done.userId === null ? undefined : senders.get(done.userId)
  const { counts, outcome } = done
  const { samples } = outcome
  return {
    id: done.id ?? null,
    project_id: done.projectId,
    status: done.state,
    ref: done.ref,
    category: done.category,
    commit_sha: done.commitSha,
    format: done.format,
    version: done.version,
    report_type: done.reportType,
    scanner: done.scannerName,
    user_id: done.userId,
    file_sha256: done.fileSha256,
    file_size: done.fileBytes,
    read_bytes: done.readBytes,
    interruptions: done.interruptions,
    dry_run: done.id === undefined,
    unchanged:
      done.state === 'done' &&
      done.absences !== 'held' &&
      counts.new + counts.returned + counts.gone + counts.changed + counts.moved + counts.promoted === 0 &&
      (outcome.suppressions?.changed ?? 0) + (outcome.suppressions?.ended ?? 0) === 0,
    findings: counts,
    absences: { status: done.absences, count: done.heldCount },
    warnings: [...outcome.warnings],
    merged: [...outcome.merged],
    skipped: [...outcome.skipped],
    samples: {
      new: samples.new.map(viewSample),
      returned: samples.returned.map(viewSample),
      gone: samples.gone.map(viewSample),
      changed: samples.changed.map(viewSample),
      moved: samples.moved.map(({ reason, ...sample }) => ({ ...viewSample(sample), reason })),
    },
    errors: [...outcome.problems],
    project_files: (outcome.projectFiles ?? []).map(({ rulePreviews = [], warnings, ...effect }) => ({
      ...effect,
      warnings: [...warnings],
      rule_previews: rulePreviews.map(({ name, change, preview }) => ({ name, change, ...viewPreview(preview) })),
    })),
    suppressions: outcome.suppressions ?? { reported: 0, changed: 0, ended: 0 },
    created_at: done.createdAt,
    started_at: done.startedAt,
    shown_at: done.shownAt,
    finished_at: done.finishedAt,
    user: sender ? viewBasicUser(sender, origin) : null,
    token_name: done.tokenName,
    job_url: done.jobUrl,
    commit_url: done.commitUrl,
  }
}

const viewSample = ({ uuid, name, severity, reportType, location }: FindingSummary) => ({
  uuid,
  name,
  severity,
  report_type: reportType,
  location,
})

const comparedSampleView = Type.Object(
  { ...sampleFields, web_url: { ...nullableString, description: 'Null for a finding that a dry run does not store' } },
  { title: 'ComparedFindingSample' },
)

const severityCounts = { new: Type.Integer(), fixed: Type.Integer(), known: Type.Integer() }
const severityCountsView = Type.Object(severityCounts, { title: 'RefComparisonCounts' })

const againstView = Type.Object(
  {
    ref: { ...nullableString, description: 'The target ref; null if the report is for the target itself' },
    new: Type.Integer({ description: 'Present on this ref and absent from the target ref' }),
    fixed: Type.Integer({
      description: 'Present on the target ref, absent from this ref, and covered by a complete scan of this ref',
    }),
    known: Type.Integer({ description: 'Present on both refs' }),
    dismissed: Type.Integer({ description: 'Dismissed findings, which are in none of the other numbers' }),
    // `fromEntries` loses the names of the keys.
    by_severity: Type.Object(
      Object.fromEntries(severities.map((severity) => [severity, severityCountsView])) as Record<
        Severity,
        typeof severityCountsView
      >,
    ),
    samples: Type.Object({ new: Type.Array(comparedSampleView), fixed: Type.Array(comparedSampleView) }),
  },
  {
    title: 'RefComparison',
    description:
      'All findings of this ref compared with those of the target ref, as they are stored at the time of the request',
  },
)

export const comparedImportView = Type.Object(
  {
    ...importFields,
    against: Type.Unsafe<ReturnType<typeof viewComparison> | null>({
      anyOf: [againstView, { type: 'null' }],
      description: 'Null until the results are visible',
    }),
    project_created: Type.Boolean({ description: 'True if this request created the project' }),
  },
  { title: 'ComparedImport' },
)

export const viewComparedImport = async (
  deps: Deps,
  project: Project,
  done: ComparedImport,
  { origin, isNew }: { origin: string; isNew: boolean },
) => ({
  ...viewImport(done, await sendersOf(deps, [done]), origin),
  against: done.against ? viewComparison(project, done.against, origin) : null,
  project_created: isNew,
})

function viewComparison(project: Project, compared: RefComparison, origin: string) {
  const { targetRef, bySeverity, samples } = compared
  const view = (finding: ComparedFinding) => ({ ...viewSample(finding), web_url: webUrl(project, finding, origin) })
  return {
    ref: targetRef,
    new: compared.new,
    fixed: compared.fixed,
    known: compared.known,
    dismissed: compared.dismissed,
    by_severity: bySeverity,
    samples: { new: samples.new.map(view), fixed: samples.fixed.map(view) },
  }
}

function webUrl(project: Project, { id, vulnerabilityId }: ComparedFinding, origin: string): string | null {
  return id === undefined ? null : findingUrl(project, { id, vulnerabilityId }, origin)
}
