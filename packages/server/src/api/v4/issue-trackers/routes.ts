import Type from 'typebox'
import type { Permission } from '../../../domain/access/permissions.ts'
import type { Namespace } from '../../../domain/namespaces/namespace.ts'
import type { Project } from '../../../domain/projects/project.ts'
import { receiveEvent, removeEventsSecret, rotateEventsSecret } from '../../../domain/trackers/events.ts'
import { previewIssue } from '../../../domain/trackers/preview.ts'
import { defaultDescription, defaultTitle } from '../../../domain/trackers/template.ts'
import { testTracker } from '../../../domain/trackers/test-tracker.ts'
import { type TrackerOwner, trackerKinds } from '../../../domain/trackers/tracker.ts'
import { findEffectiveTracker, findOwnTracker, removeTracker, saveTracker } from '../../../domain/trackers/trackers.ts'
import { integer, nullable, oneOf, optional, text, textList } from '../../../http/params/input.ts'
import { noOutput, perMinute, type Route } from '../../../http/route.ts'
import { route } from '../route.ts'
import { eventsSecretView, eventsUrl, issueTextView, trackersView, trackerView, viewTracker } from './views.ts'

const templateInput = {
  title_template: text({ allowBlank: false, default: defaultTitle }),
  description_template: text({
    allowBlank: false,
    default: defaultDescription,
    description:
      'Text with the placeholders `{{title}}`, `{{severity}}`, `{{state}}`, `{{report_type}}`, `{{location}}`, `{{identifiers}}`, `{{description}}`, `{{solution}}`, `{{project}}`, `{{url}}`',
  }),
}

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
  ...templateInput,
}

const permissionsOf = {
  project: { read: 'issue-tracker.read', manage: 'issue-tracker.manage', secret: 'tracker-secret.manage' },
  group: {
    read: 'group.issue-tracker.read',
    manage: 'group.issue-tracker.manage',
    secret: 'group.tracker-secret.manage',
  },
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
        const { deps, origin } = context
        const own = await findOwnTracker(deps, ownerOf(context))
        const effective = own ?? (await findEffectiveTracker(deps, resourceOf(context)))
        return {
          own: own ? viewTracker(own, origin) : null,
          effective: effective ? viewTracker(effective, origin) : null,
          defaults: { title_template: defaultTitle, description_template: defaultDescription },
        }
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
        const { deps, input, origin } = context
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
        return viewTracker(saved, origin)
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
    route({
      method: 'POST',
      path: `${path}/preview`,
      summary: `Preview the issue that templates make of an invented vulnerability, in a ${kind}; nothing is stored or sent`,
      permission: may.manage,
      input: Type.Object({ kind: oneOf(trackerKinds), ...templateInput }),
      status: 200,
      output: issueTextView,
      handle: async ({ input }) =>
        previewIssue(input.kind, {
          titleTemplate: input.title_template,
          descriptionTemplate: input.description_template,
        }),
    }),
  ]
}

function secretRoutesOf(kind: TrackerOwner['kind']): readonly Route[] {
  const path = `/${kind}s/:id/issue_tracker/events_secret`
  const { secret: permission } = permissionsOf[kind]
  const ownerOf = (context: { project?: Project; group?: Namespace }) => ({ kind, id: resourceOf(context).id })
  return [
    route({
      method: 'POST',
      path,
      summary: `Generate the secret with which the issue tracker of a ${kind} sends events, in place of the former one`,
      permission,
      status: 201,
      output: eventsSecretView,
      async handle(context) {
        const { tracker, secret } = await rotateEventsSecret(context.deps, ownerOf(context))
        return { events_url: eventsUrl(tracker, context.origin), secret }
      },
    }),
    route({
      method: 'DELETE',
      path,
      summary: `Remove that secret, so that events of the issue tracker of a ${kind} are refused`,
      permission,
      status: 204,
      output: noOutput,
      handle: (context) => removeEventsSecret(context.deps, ownerOf(context)),
    }),
  ]
}

/** Events contain the description of an issue, before and after a change. Larger ones are left to the hourly polling. */
const maxEventBytes = 1024 * 1024

const eventRoute = route({
  method: 'POST',
  path: '/issue_trackers/:tracker_id/events',
  summary:
    'Receive an event of an issue tracker, authenticated by its secret, and read the state of the issue from the tracker',
  permission: 'issue-tracker.notify',
  input: Type.Object({ tracker_id: integer() }),
  rawBody: true,
  maxTextBytes: maxEventBytes,
  rateLimit: perMinute(600),
  status: 204,
  output: noOutput,
  handle: ({ deps, input, raw }) => receiveEvent(deps, input.tracker_id, raw),
})

export const issueTrackerRoutes: readonly Route[] = [
  ...trackerRoutesOf('project'),
  ...trackerRoutesOf('group'),
  ...secretRoutesOf('project'),
  ...secretRoutesOf('group'),
  eventRoute,
]
