import Type from 'typebox'
import type { Permission } from '../../../domain/access/permissions.ts'
import type { Namespace } from '../../../domain/namespaces/namespace.ts'
import type { Project } from '../../../domain/projects/project.ts'
import { findIssueOf, requestIssue, requestIssues } from '../../../domain/trackers/issues.ts'
import { defaultDescription, defaultTitle } from '../../../domain/trackers/template.ts'
import { type TrackerOwner, trackerKinds } from '../../../domain/trackers/tracker.ts'
import {
  findEffectiveTracker,
  findOwnTracker,
  removeTracker,
  saveTracker,
  testTracker,
} from '../../../domain/trackers/trackers.ts'
import { assertAreOfProject } from '../../../domain/vulnerabilities/triage/bulk.ts'
import { integerList, nullable, oneOf, optional, text, textList } from '../../../http/params/input.ts'
import { noOutput, type Route } from '../../../http/route.ts'
import { parameterProblem } from '../../../platform/failure.ts'
import { route } from '../route.ts'
import {
  createdIssueView,
  requestedIssueView,
  trackersView,
  trackerView,
  viewTracker,
  viewTrackerIssue,
} from './views.ts'

const trackerInput = {
  kind: oneOf(trackerKinds),
  url: text({ allowBlank: false, description: 'Start page of the tracker, such as `https://gitlab.com`' }),
  project: text({ allowBlank: false, description: 'Path of the project (`group/project`), or its key in Jira' }),
  token: optional(
    text({ allowBlank: false, description: 'Never returned. Needed for a new tracker and for another project' }),
  ),
  email: optional(nullable(text({ description: 'User of the token; only for Jira Cloud' }))),
  issue_type: text({ allowBlank: false, default: 'Task', description: 'Type of the issues in Jira' }),
  labels: optional(textList({ commaSeparated: true })),
  title_template: text({ allowBlank: false, default: defaultTitle }),
  description_template: text({
    allowBlank: false,
    default: defaultDescription,
    description:
      'Text with the placeholders `{{title}}`, `{{severity}}`, `{{state}}`, `{{report_type}}`, `{{location}}`, `{{identifiers}}`, `{{description}}`, `{{solution}}`, `{{project}}`, `{{url}}`',
  }),
}

const permissionsOf = {
  project: { read: 'issue-tracker.read', manage: 'issue-tracker.manage' },
  group: { read: 'group.issue-tracker.read', manage: 'group.issue-tracker.manage' },
} as const satisfies Record<TrackerOwner['kind'], Record<string, Permission>>

/** Every permission used here is on a project or a group, so the guard has resolved one of them. */
function resourceOf({ project, group }: { project?: Project; group?: Namespace }): Project | Namespace {
  const found = project ?? group
  if (!found) throw new Error('a route of issue trackers was reached without a project or group')
  return found
}

function trackerRoutesOf(kind: TrackerOwner['kind']): readonly Route[] {
  const path = `/${kind}s/:id/issue_tracker`
  const may = permissionsOf[kind]
  const ownerOf = (context: { project?: Project; group?: Namespace }) => ({ kind, id: resourceOf(context).id })
  return [
    route({
      method: 'GET',
      path,
      summary: `Get the issue tracker of a ${kind}: its own, and the one that is used`,
      permission: may.read,
      status: 200,
      output: trackersView,
      async handle(context) {
        const { deps } = context
        const own = await findOwnTracker(deps, ownerOf(context))
        const effective = own ?? (await findEffectiveTracker(deps, resourceOf(context)))
        return { own: own ? viewTracker(own) : null, effective: effective ? viewTracker(effective) : null }
      },
    }),
    route({
      method: 'PUT',
      path,
      summary: `Set the issue tracker of a ${kind}; the tracker is not contacted`,
      permission: may.manage,
      input: Type.Object(trackerInput),
      status: 200,
      output: trackerView,
      async handle(context) {
        const { deps, input } = context
        const saved = await saveTracker(deps, ownerOf(context), {
          kind: input.kind,
          url: input.url,
          place: input.project,
          email: input.email || null,
          issueType: input.issue_type,
          labels: (input.labels ?? []).map((label) => label.trim()).filter(Boolean),
          titleTemplate: input.title_template,
          descriptionTemplate: input.description_template,
          ...(input.token !== undefined && { token: input.token }),
        })
        return viewTracker(saved)
      },
    }),
    route({
      method: 'DELETE',
      path,
      summary: `Remove the issue tracker of a ${kind}; links to issues stay, but their state is no longer updated`,
      permission: may.manage,
      status: 204,
      output: noOutput,
      handle: (context) => removeTracker(context.deps, ownerOf(context)),
    }),
    route({
      method: 'POST',
      path: `${path}/test`,
      summary: `Test whether the issue tracker of a ${kind} accepts the token and has the project`,
      permission: may.manage,
      status: 200,
      output: Type.Object({ ok: Type.Boolean(), message: Type.String() }),
      handle: (context) => testTracker(context.deps, ownerOf(context)),
    }),
  ]
}

const maxSelected = 100

const issueRoutes: readonly Route[] = [
  route({
    method: 'GET',
    path: '/vulnerabilities/:id/issue',
    summary: 'Get the issue that was requested for a vulnerability, and the issue tracker of its project',
    permission: 'issue.read',
    status: 200,
    output: requestedIssueView,
    async handle({ deps, project, vulnerability }) {
      const issue = await findIssueOf(deps, vulnerability.id)
      const tracker = await findEffectiveTracker(deps, project)
      return {
        issue: issue ? viewTrackerIssue(issue) : null,
        tracker: tracker ? { kind: tracker.kind, url: tracker.url, project: tracker.place } : null,
      }
    },
  }),
  route({
    method: 'POST',
    path: '/vulnerabilities/:id/issue',
    summary: 'Create an issue for a vulnerability in the issue tracker of its project, at most once',
    permission: 'issue.create',
    status: 202,
    output: createdIssueView,
    handle: async ({ deps, project, vulnerability, caller }) =>
      viewTrackerIssue(await requestIssue(deps, project, vulnerability.id, caller)),
  }),
  route({
    method: 'POST',
    path: '/projects/:id/vulnerabilities/issues',
    summary: 'Create one issue for each of these vulnerabilities in the issue tracker of the project',
    permission: 'issue.create-many',
    input: Type.Object({ vulnerability_ids: integerList({ description: `At most ${maxSelected}` }) }),
    status: 202,
    output: Type.Object({
      requested: Type.Integer(),
      unchanged: Type.Integer({ description: 'Vulnerabilities that have an issue, or for which one is being created' }),
    }),
    async handle({ deps, project, caller, input }) {
      const ids = input.vulnerability_ids
      if (ids.length === 0) throw parameterProblem('vulnerability_ids is empty')
      if (ids.length > maxSelected) throw parameterProblem(`vulnerability_ids has more than ${maxSelected} values`)
      await assertAreOfProject(deps, project, ids)
      return requestIssues(deps, project, ids, caller)
    },
  }),
]

export const issueTrackerRoutes: readonly Route[] = [
  ...trackerRoutesOf('project'),
  ...trackerRoutesOf('group'),
  ...issueRoutes,
]
