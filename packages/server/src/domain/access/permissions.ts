import type { Role } from './roles.ts'

/**
 * Table of permissions. A route names a row, the guard enforces it, and the matrix test prints it against every role.
 *
 * - `on`: the resource that is checked. The guard finds a `project` or `group` by the path's `:id` and returns 404 when
 *   the caller may not read it. For `vulnerability` it does the same with the project; a caller who may read the project
 *   but not its vulnerabilities (`vulnerability.read`) is rejected before the input is validated.
 * - `who`: `anyone` (with `on: 'project'`: anyone who can read the project), `user` (the same, signed in), `admin`, the
 *   minimum role, `triager` (the role in the settings), or `monitor` (a client on this machine or one with the metrics
 *   token). Administrators count as owners of everything.
 * - `scope`: the minimum scope of a token: `api` ⊃ `read_api`; `read_user` is included in both; `self_rotate` is included
 *   in `api`, and so is `write_security_reports`; `none` accepts any token.
 * - `anonymous`: when an anonymous request is rejected with 401. By default before its input is validated;
 *   `after-input` for topics, as in GitLab; `as-outsider` never, so that upload lists return 403 or 404.
 * - `session`: accepts the session cookie on a route outside /api/v4. Below /api/v4 the header `X-Alcove-Session`
 *   enables the cookie.
 * - `unlessIn`: the state in which the route reports that the vulnerability already has it, to every caller who may read
 *   the vulnerability, before the permission to change it is checked.
 * - `inArchive`: allows a write to an archived project. Any other write there is rejected with 403.
 * - `inMirror`: allows a write to a mirror of another server: always, or as `triage` when the mirror permits triage.
 * - `recent`: requires that the user of a session has entered the password recently, because the route shows or issues
 *   credentials.
 * - `reads`: marks a route that changes nothing whatever its method, so that read-only tokens may use it.
 * - `unlimited`: excludes the route from rate limits, because health checks must not fail because of one.
 * - `inSetUp`: allows the route to a session whose user must first set up a second factor.
 * - `namedScopes`: the scopes that a rejection lists, where they are not `api read_api`.
 */
export interface PermissionRow {
  readonly on: 'instance' | 'project' | 'group' | 'vulnerability'
  readonly who: 'anyone' | 'user' | 'admin' | 'triager' | 'monitor' | Role
  readonly scope: 'api' | 'read_api' | 'read_user' | 'self_rotate' | 'write_security_reports' | 'none'
  readonly anonymous?: 'after-input' | 'as-outsider'
  readonly namedScopes?: readonly string[]
  readonly session?: true
  readonly reads?: true
  readonly inArchive?: true
  readonly inMirror?: true | 'triage'
  readonly recent?: true
  readonly inSetUp?: true
  readonly unlessIn?: State
  readonly unlimited?: true
}

/** States of a vulnerability, repeated here because domain/vulnerabilities imports this file. */
type State = 'detected' | 'confirmed' | 'resolved' | 'dismissed'

const userScopes = ['api', 'read_api', 'read_user']
const sendingReports = { scope: 'write_security_reports', namedScopes: ['api', 'write_security_reports'] } as const
/** Decisions about vulnerabilities, which mirrors may permit. */
const triaging = { scope: 'api', namedScopes: ['api'], inMirror: 'triage' } as const
/** What only its user sees or receives. */
const personal = { scope: 'api', namedScopes: ['api'], inMirror: true } as const
const selfRotation = { scope: 'self_rotate', namedScopes: ['api', 'self_rotate'] } as const

export const permissions = {
  'health.read': { on: 'instance', who: 'anyone', scope: 'none', unlimited: true },
  'metrics.read': { on: 'instance', who: 'monitor', scope: 'none', unlimited: true },
  'metadata.read': { on: 'instance', who: 'user', scope: 'read_user', namedScopes: userScopes },

  'api.describe': { on: 'instance', who: 'anyone', scope: 'none' },
  // Each field and mutation of the document names a row of its own: api/graphql/.
  'graphql.execute': { on: 'instance', who: 'anyone', scope: 'read_api', reads: true },
  'storage.read': { on: 'instance', who: 'admin', scope: 'read_api' },
  'virus-scan.read': { on: 'instance', who: 'admin', scope: 'read_api' },
  'virus-scan.manage': { on: 'instance', who: 'admin', scope: 'api' },
  'feed.read': { on: 'instance', who: 'admin', scope: 'read_api' },
  'setting.read': { on: 'instance', who: 'admin', scope: 'read_api' },
  'audit.read': { on: 'instance', who: 'admin', scope: 'read_api' },
  'group.audit.read': { on: 'group', who: 'owner', scope: 'read_api' },
  'project.audit.read': { on: 'project', who: 'maintainer', scope: 'read_api' },
  'job.read': { on: 'instance', who: 'admin', scope: 'read_api' },
  'job.manage': { on: 'instance', who: 'admin', scope: 'api' },

  'session.start': { on: 'instance', who: 'anyone', scope: 'none', inSetUp: true },
  'session.begin-with-provider': { on: 'instance', who: 'anyone', scope: 'none', session: true, inSetUp: true },
  'session.complete-with-provider': { on: 'instance', who: 'anyone', scope: 'none', session: true, inSetUp: true },
  'session.end-by-provider': { on: 'instance', who: 'anyone', scope: 'none' },
  'session.leave': { on: 'instance', who: 'anyone', scope: 'none', session: true, inSetUp: true },
  'session.show': { on: 'instance', who: 'anyone', scope: 'none', session: true, inSetUp: true },
  'session.end': { on: 'instance', who: 'user', scope: 'api', session: true, recent: true },
  'session.list': { on: 'instance', who: 'user', scope: 'api', session: true, recent: true },
  'session.dismiss-notice': { on: 'instance', who: 'user', scope: 'api', session: true },
  'session.confirm': { on: 'instance', who: 'user', scope: 'none', session: true, inSetUp: true },
  'session.elevate': { on: 'instance', who: 'user', scope: 'api', session: true },
  'second-factor.read': { on: 'instance', who: 'user', scope: 'read_api', session: true, inSetUp: true },
  'second-factor.manage': {
    on: 'instance',
    who: 'user',
    scope: 'api',
    session: true,
    recent: true,
    inSetUp: true,
  },
  'password.request': { on: 'instance', who: 'anyone', scope: 'none', inSetUp: true },
  'password.set': { on: 'instance', who: 'anyone', scope: 'none', inSetUp: true },
  'password.change': { on: 'instance', who: 'user', scope: 'api', session: true },
  'self.read': { on: 'instance', who: 'user', scope: 'read_user', namedScopes: userScopes },
  'user.list': { on: 'instance', who: 'anyone', scope: 'read_user', namedScopes: userScopes },
  'user.read': { on: 'instance', who: 'anyone', scope: 'read_user', namedScopes: userScopes },
  'user.identity.read': { on: 'instance', who: 'admin', scope: 'read_api' },
  'user.identity.unlink': { on: 'instance', who: 'admin', scope: 'api', recent: true },
  'user.manage': { on: 'instance', who: 'admin', scope: 'api', namedScopes: userScopes },
  'user.disable-two-factor': { on: 'instance', who: 'admin', scope: 'api', namedScopes: userScopes, recent: true },
  'user.link': { on: 'instance', who: 'admin', scope: 'api', namedScopes: userScopes, recent: true },
  'display.read': { on: 'instance', who: 'user', scope: 'read_api' },
  'display.manage': { on: 'instance', who: 'user', scope: 'api' },
  'notification.read': { on: 'instance', who: 'user', scope: 'read_api' },
  'notification.manage': { on: 'instance', who: 'user', scope: 'api' },
  'notification.unsubscribe': { on: 'instance', who: 'anyone', scope: 'none' },
  'token.list': { on: 'instance', who: 'user', scope: 'read_api' },
  'token.read': { on: 'instance', who: 'user', scope: 'read_api' },
  'token.revoke': { on: 'instance', who: 'user', scope: 'api' },
  'token.rotate': { on: 'instance', who: 'user', scope: 'api', recent: true },
  'token.self': { on: 'instance', who: 'user', scope: 'none' },
  'token.rotate-self': { on: 'instance', who: 'user', ...selfRotation },
  'token.create-own': { on: 'instance', who: 'user', scope: 'api', namedScopes: userScopes, recent: true },
  'token.create-in-browser': { on: 'instance', who: 'user', scope: 'api', session: true, recent: true },
  'token.issue': { on: 'instance', who: 'admin', scope: 'api', namedScopes: userScopes, recent: true },
  'access-token.read': { on: 'project', who: 'maintainer', scope: 'read_api' },
  'access-token.create': { on: 'project', who: 'maintainer', scope: 'api', recent: true },
  'access-token.rotate': { on: 'project', who: 'maintainer', scope: 'api', recent: true },
  'access-token.rotate-self': { on: 'project', who: 'user', ...selfRotation },
  'access-token.revoke': { on: 'project', who: 'maintainer', scope: 'api', inArchive: true, inMirror: true },
  'group.access-token.read': { on: 'group', who: 'owner', scope: 'read_api' },
  'group.access-token.create': { on: 'group', who: 'owner', scope: 'api', recent: true },
  'group.access-token.rotate': { on: 'group', who: 'owner', scope: 'api', recent: true },
  'group.access-token.rotate-self': { on: 'group', who: 'user', ...selfRotation },
  'group.access-token.revoke': { on: 'group', who: 'owner', scope: 'api', inMirror: true },
  'trust-relation.read': { on: 'project', who: 'maintainer', scope: 'read_api' },
  'trust-relation.manage': { on: 'project', who: 'maintainer', scope: 'api', recent: true },
  'trust-relation.delete': { on: 'project', who: 'maintainer', scope: 'api', inArchive: true, inMirror: true },
  'group.trust-relation.read': { on: 'group', who: 'owner', scope: 'read_api' },
  'group.trust-relation.manage': { on: 'group', who: 'owner', scope: 'api', recent: true },
  'group.trust-relation.delete': { on: 'group', who: 'owner', scope: 'api', inMirror: true },
  'impersonation.read': { on: 'instance', who: 'admin', scope: 'read_user', namedScopes: userScopes },
  'impersonation.manage': { on: 'instance', who: 'admin', scope: 'api', namedScopes: userScopes, recent: true },

  'organization.create': { on: 'instance', who: 'admin', scope: 'api' },
  'organization.read': { on: 'instance', who: 'anyone', scope: 'read_api' },
  'namespace.list': { on: 'instance', who: 'user', scope: 'read_api' },
  'namespace.read': { on: 'instance', who: 'user', scope: 'read_api' },
  'group.list': { on: 'instance', who: 'anyone', scope: 'read_api' },
  'group.create': { on: 'instance', who: 'user', scope: 'api' },
  'group.read': { on: 'group', who: 'anyone', scope: 'read_api' },
  'group.update': { on: 'group', who: 'owner', scope: 'api' },
  'group.transfer': { on: 'group', who: 'owner', scope: 'api' },
  'group.delete': { on: 'group', who: 'owner', scope: 'api' },
  'group.member.list': { on: 'group', who: 'user', scope: 'read_api' },
  'group.member.manage': { on: 'group', who: 'owner', scope: 'api' },
  'group.member.remove': { on: 'group', who: 'user', scope: 'api' },

  'project.list': { on: 'instance', who: 'anyone', scope: 'read_api' },
  'project.create': { on: 'instance', who: 'user', scope: 'api' },
  'project.create-for': { on: 'instance', who: 'admin', scope: 'api' },
  'project.read': { on: 'project', who: 'anyone', scope: 'read_api' },
  'project.update': { on: 'project', who: 'maintainer', scope: 'api' },
  'project.delete': { on: 'project', who: 'owner', scope: 'api', inArchive: true },
  'project.transfer': { on: 'project', who: 'owner', scope: 'api' },
  'project.archive': { on: 'project', who: 'owner', scope: 'api', inArchive: true },
  // A star belongs to the user, not to the project.
  'project.star': { on: 'project', who: 'user', scope: 'api', inArchive: true, inMirror: true },
  'project.member.list': { on: 'project', who: 'user', scope: 'read_api' },
  // Members can be removed from an archived project too.
  'project.member.manage': { on: 'project', who: 'maintainer', scope: 'api', inArchive: true },
  'project.member.remove': { on: 'project', who: 'user', scope: 'api', inArchive: true },

  'invitation.list': { on: 'project', who: 'maintainer', scope: 'read_api' },
  'invitation.manage': { on: 'project', who: 'maintainer', scope: 'api', inArchive: true },
  'group.invitation.list': { on: 'group', who: 'owner', scope: 'read_api' },
  'group.invitation.manage': { on: 'group', who: 'owner', scope: 'api' },
  'invitation.open': { on: 'instance', who: 'anyone', scope: 'none', reads: true },
  'invitation.accept': { on: 'instance', who: 'user', scope: 'api', session: true },
  'invitation.create-account': { on: 'instance', who: 'anyone', scope: 'none' },

  'topic.read': { on: 'instance', who: 'anyone', scope: 'read_api' },
  'topic.avatar': { on: 'instance', who: 'anyone', scope: 'none', session: true },
  'project.custom-attribute.read': { on: 'project', who: 'admin', scope: 'read_api' },
  'project.custom-attribute.manage': { on: 'project', who: 'admin', scope: 'api', inArchive: true },
  'group.custom-attribute.read': { on: 'group', who: 'admin', scope: 'read_api' },
  'group.custom-attribute.manage': { on: 'group', who: 'admin', scope: 'api' },
  'user.custom-attribute.read': { on: 'instance', who: 'admin', scope: 'read_api' },
  'user.custom-attribute.manage': { on: 'instance', who: 'admin', scope: 'api' },
  'deploy-token.list': { on: 'instance', who: 'admin', scope: 'read_api' },
  'project.deploy-token.read': { on: 'project', who: 'maintainer', scope: 'read_api' },
  'project.deploy-token.manage': { on: 'project', who: 'maintainer', scope: 'api', recent: true },
  'group.deploy-token.read': { on: 'group', who: 'maintainer', scope: 'read_api' },
  'group.deploy-token.manage': { on: 'group', who: 'owner', scope: 'api', recent: true },
  'project.restore': { on: 'project', who: 'owner', scope: 'api', inArchive: true },
  'group.restore': { on: 'group', who: 'owner', scope: 'api' },
  'project.avatar': { on: 'project', who: 'anyone', scope: 'read_api', session: true },
  'group.avatar': { on: 'group', who: 'anyone', scope: 'read_api', session: true },
  'user.avatar': { on: 'instance', who: 'anyone', scope: 'none', session: true },
  'self.avatar': { on: 'instance', who: 'user', scope: 'api' },

  'import-source.read': { on: 'instance', who: 'admin', scope: 'read_api' },
  'import-source.manage': { on: 'instance', who: 'admin', scope: 'api' },
  'mirror.detach': { on: 'project', who: 'owner', scope: 'api', inArchive: true, inMirror: true },
  'group.mirror.detach': { on: 'group', who: 'owner', scope: 'api', inMirror: true },
  'topic.export': { on: 'instance', who: 'user', scope: 'read_api' },
  'topic.review': { on: 'instance', who: 'admin', scope: 'read_api', anonymous: 'after-input' },
  'topic.import': { on: 'instance', who: 'admin', scope: 'api' },
  'topic.propose': { on: 'instance', who: 'user', scope: 'api' },
  'topic.propose.read': { on: 'instance', who: 'user', scope: 'read_api' },
  // Each project is checked with `project.update`.
  'topic.assign': { on: 'instance', who: 'user', scope: 'api' },
  'group.topic.assign': { on: 'group', who: 'maintainer', scope: 'api' },
  'topic.manage': { on: 'instance', who: 'admin', scope: 'api', anonymous: 'after-input' },

  'upload.create': { on: 'project', who: 'user', scope: 'api' },
  'upload.list': { on: 'project', who: 'maintainer', scope: 'read_api', anonymous: 'as-outsider' },
  'instance.upload.list': { on: 'instance', who: 'user', scope: 'read_api' },
  'upload.read': { on: 'project', who: 'maintainer', scope: 'read_api', anonymous: 'as-outsider' },
  'upload.read-by-secret': { on: 'project', who: 'anyone', scope: 'read_api' },
  'upload.view': { on: 'project', who: 'anyone', scope: 'read_api', session: true },
  'upload.delete': { on: 'project', who: 'maintainer', scope: 'api' },
  'upload.reference': { on: 'project', who: 'maintainer', scope: 'api' },
  'upload.link.read': { on: 'project', who: 'maintainer', scope: 'read_api' },
  'upload.link.manage': { on: 'project', who: 'maintainer', scope: 'api' },
  // The token in the address is the permission.
  'upload.link.open': { on: 'instance', who: 'anyone', scope: 'none' },
  'upload.limits': { on: 'project', who: 'user', scope: 'read_api' },
  // An import sets the uploader, the date and the secret of a file.
  'upload.import': { on: 'project', who: 'admin', scope: 'api' },
  'upload.limit': { on: 'project', who: 'admin', scope: 'api' },
  // A group is also visible to users who are members of a single project in it.
  'group.upload.create': { on: 'group', who: 'guest', scope: 'api' },
  'group.upload.list': { on: 'group', who: 'maintainer', scope: 'read_api', anonymous: 'as-outsider' },
  'group.upload.read': { on: 'group', who: 'maintainer', scope: 'read_api', anonymous: 'as-outsider' },
  'group.upload.read-by-secret': { on: 'group', who: 'anyone', scope: 'read_api' },
  'group.upload.view': { on: 'group', who: 'anyone', scope: 'read_api', session: true },
  'group.upload.delete': { on: 'group', who: 'maintainer', scope: 'api' },
  'group.upload.link.read': { on: 'group', who: 'maintainer', scope: 'read_api' },
  'group.upload.link.manage': { on: 'group', who: 'maintainer', scope: 'api' },
  'group.upload.import': { on: 'group', who: 'admin', scope: 'api' },
  'group.upload.limits': { on: 'group', who: 'user', scope: 'read_api' },

  // The project is a field of the body, not of the path, so previewMarkdown checks that the caller can read it.
  'markdown.render': { on: 'instance', who: 'user', scope: 'api' },
  'markdown.preview': { on: 'instance', who: 'anyone', scope: 'read_api', reads: true },

  'export.create': { on: 'project', who: 'developer', ...personal, inArchive: true },
  'group.export.create': { on: 'group', who: 'developer', ...personal },
  'report-schedule.read': { on: 'project', who: 'developer', scope: 'read_api' },
  'report-schedule.write': { on: 'project', who: 'developer', ...personal },
  'group.report-schedule.read': { on: 'group', who: 'developer', scope: 'read_api' },
  'group.report-schedule.write': { on: 'group', who: 'developer', ...personal },
  'instance.export.create': { on: 'instance', who: 'user', scope: 'api', namedScopes: ['api'] },
  // getExport checks that the caller created the export.
  'export.read': { on: 'instance', who: 'user', scope: 'read_api' },
  'hook.read': { on: 'project', who: 'maintainer', scope: 'read_api' },
  'hook.manage': { on: 'project', who: 'maintainer', scope: 'api' },
  'group.hook.read': { on: 'group', who: 'owner', scope: 'read_api' },
  'group.hook.manage': { on: 'group', who: 'owner', scope: 'api' },
  'instance.hook.read': { on: 'instance', who: 'admin', scope: 'read_api' },
  'instance.hook.manage': { on: 'instance', who: 'admin', scope: 'api' },

  'vulnerability-rule.read': { on: 'project', who: 'developer', scope: 'read_api' },
  'vulnerability-rule.manage': { on: 'project', who: 'maintainer', scope: 'api' },
  'group.vulnerability-rule.read': { on: 'group', who: 'developer', scope: 'read_api' },
  'group.vulnerability-rule.manage': { on: 'group', who: 'owner', scope: 'api' },
  'instance.vulnerability-rule.read': { on: 'instance', who: 'admin', scope: 'read_api' },
  'instance.vulnerability-rule.manage': { on: 'instance', who: 'admin', scope: 'api' },
  'dismissal-template.read': { on: 'project', who: 'triager', scope: 'read_api' },
  'dismissal-template.manage': { on: 'project', who: 'maintainer', scope: 'api' },
  'group.dismissal-template.read': { on: 'group', who: 'triager', scope: 'read_api' },
  'group.dismissal-template.manage': { on: 'group', who: 'owner', scope: 'api' },
  // Every user may triage in some project, and its list has the templates of the instance as well.
  'instance.dismissal-template.read': { on: 'instance', who: 'user', scope: 'read_api' },
  'instance.dismissal-template.manage': { on: 'instance', who: 'admin', scope: 'api' },
  'due-date-policy.read': { on: 'project', who: 'developer', scope: 'read_api' },
  'due-date-policy.manage': { on: 'project', who: 'maintainer', scope: 'api' },
  'group.due-date-policy.read': { on: 'group', who: 'developer', scope: 'read_api' },
  'group.due-date-policy.manage': { on: 'group', who: 'owner', scope: 'api' },
  'instance.due-date-policy.read': { on: 'instance', who: 'admin', scope: 'read_api' },
  'instance.due-date-policy.manage': { on: 'instance', who: 'admin', scope: 'api' },
  // Developers see which tracker there is, but never its secrets.
  'issue-tracker.read': { on: 'project', who: 'developer', scope: 'read_api' },
  'issue-tracker.manage': { on: 'project', who: 'maintainer', scope: 'api' },
  'group.issue-tracker.read': { on: 'group', who: 'developer', scope: 'read_api' },
  'group.issue-tracker.manage': { on: 'group', who: 'owner', scope: 'api' },
  'tracker-secret.manage': { on: 'project', who: 'maintainer', scope: 'api' },
  'group.tracker-secret.manage': { on: 'group', who: 'owner', scope: 'api' },
  // The tracker authenticates itself by the secret: domain/trackers/events.ts.
  'issue-tracker.notify': { on: 'instance', who: 'anyone', scope: 'none' },
  'issue.read': { on: 'vulnerability', who: 'developer', scope: 'read_api' },
  'issue.create': { on: 'vulnerability', who: 'triager', ...triaging },
  'issue.create-many': { on: 'project', who: 'triager', ...triaging },

  'report.create': { on: 'project', who: 'developer', ...sendingReports },
  // The import of a report that the caller has sent.
  'report.read': { on: 'project', who: 'developer', ...sendingReports, reads: true },
  'report-mapping.read': { on: 'project', who: 'developer', scope: 'read_api' },
  'report-mapping.manage': { on: 'project', who: 'maintainer', scope: 'api' },
  'group.report-mapping.read': { on: 'group', who: 'developer', scope: 'read_api' },
  'group.report-mapping.manage': { on: 'group', who: 'owner', scope: 'api' },
  'report.list': { on: 'project', who: 'developer', scope: 'read_api' },
  'project-file.read': { on: 'project', who: 'developer', scope: 'read_api' },
  'project-file.manage': { on: 'project', who: 'maintainer', scope: 'api' },
  'ref.list': { on: 'project', who: 'developer', scope: 'read_api' },
  'ref.delete': { on: 'project', who: 'maintainer', scope: 'api' },
  'report.absences': { on: 'project', who: 'maintainer', scope: 'api' },
  'finding.list': { on: 'project', who: 'developer', scope: 'read_api' },
  'vulnerability.list': { on: 'project', who: 'developer', scope: 'read_api' },
  'dependency.list': { on: 'project', who: 'developer', scope: 'read_api' },
  'instance.dependency.list': { on: 'instance', who: 'user', scope: 'read_api' },
  'vulnerability.statistics': { on: 'project', who: 'developer', scope: 'read_api' },
  'badge.publish': { on: 'project', who: 'maintainer', scope: 'api', namedScopes: ['api'] },
  // The key in the address is the permission.
  'badge.view': { on: 'instance', who: 'anyone', scope: 'none' },
  // These list only projects whose vulnerabilities the caller may read: domain/vulnerabilities/list/readable-scope.ts.
  'group.dependency.list': { on: 'group', who: 'user', scope: 'read_api' },
  'group.vulnerability.list': { on: 'group', who: 'user', scope: 'read_api' },
  'instance.vulnerability.list': { on: 'instance', who: 'user', scope: 'read_api' },
  // promoteWaiting checks `vulnerability.create` in each project.
  'group.vulnerability.promote': { on: 'group', who: 'user', ...triaging },
  'instance.vulnerability.promote': { on: 'instance', who: 'user', scope: 'api', namedScopes: ['api'] },
  // changeInScope checks `vulnerability.bulk` in each project.
  'group.vulnerability.bulk': { on: 'group', who: 'user', ...triaging },
  'instance.vulnerability.bulk': { on: 'instance', who: 'user', scope: 'api', namedScopes: ['api'] },
  // Only the caller's own changes.
  'instance.vulnerability.bulk.list': { on: 'instance', who: 'user', scope: 'read_api' },
  'vulnerability.create': { on: 'project', who: 'triager', ...triaging },
  'vex.import': { on: 'project', who: 'triager', ...triaging },
  'finding.import': { on: 'project', who: 'triager', scope: 'api', namedScopes: ['api'] },
  // The rights in each project decide what changes; importVexOfGroup checks them.
  'group.vex.import': { on: 'group', who: 'user', ...triaging },
  'vulnerability.bulk': { on: 'project', who: 'triager', ...triaging },
  'vulnerability.flaw': { on: 'project', who: 'triager', scope: 'api', inMirror: 'triage' },
  'group.vulnerability.flaw': { on: 'group', who: 'maintainer', scope: 'api', inMirror: 'triage' },
  // The requester cannot decide; approveRequest checks it.
  'vulnerability.approve': { on: 'project', who: 'triager', ...triaging },
  'vulnerability.request.list': { on: 'project', who: 'developer', scope: 'read_api' },
  // Lists requests that the caller may decide or has made: domain/vulnerabilities/approval/approval-queue.ts.
  'instance.vulnerability.request.list': { on: 'instance', who: 'user', scope: 'read_api' },
  'dismissal-approval.read': { on: 'project', who: 'developer', scope: 'read_api' },
  'dismissal-approval.manage': { on: 'project', who: 'maintainer', scope: 'api' },
  'group.dismissal-approval.read': { on: 'group', who: 'developer', scope: 'read_api' },
  'group.dismissal-approval.manage': { on: 'group', who: 'owner', scope: 'api' },
  'vulnerability.bulk.list': { on: 'project', who: 'developer', scope: 'read_api' },
  'vulnerability.read': { on: 'vulnerability', who: 'developer', scope: 'read_api' },
  'vulnerability.confirm': transition('confirmed'),
  'vulnerability.resolve': transition('resolved'),
  'vulnerability.dismiss': transition('dismissed'),
  'vulnerability.revert': transition('detected'),
  'vulnerability.severity': { on: 'vulnerability', who: 'triager', ...triaging },
  'vulnerability.due-date': { on: 'vulnerability', who: 'triager', ...triaging },
  // Sharing a view needs a higher role: domain/vulnerabilities/saved-views/saved-views.ts.
  'saved-view.write': { on: 'project', who: 'developer', ...personal },
  'group.saved-view.write': { on: 'group', who: 'user', ...personal },
  'instance.saved-view.write': { on: 'instance', who: 'user', scope: 'api', namedScopes: ['api'] },
  'vulnerability.assign': { on: 'vulnerability', who: 'triager', ...triaging },
  'vulnerability.tag': { on: 'vulnerability', who: 'triager', ...triaging },
  'vulnerability.link': { on: 'vulnerability', who: 'developer', ...triaging },
  // Checked on the project, because GitLab's paths of notes start with it.
  'vulnerability.note.read': { on: 'project', who: 'developer', scope: 'read_api' },
  'vulnerability.note.write': { on: 'project', who: 'developer', ...triaging },
} as const satisfies Record<string, PermissionRow>

export type Permission = keyof typeof permissions

const accountNouns = new Set([
  'session',
  'second-factor',
  'password',
  'token',
  'access-token',
  'deploy-token',
  'trust-relation',
  'impersonation',
  'notification',
  'self',
  'user',
  'invitation',
  'tracker-secret',
])

/** Returns whether responses show credentials or the data of an account, and must not be stored by browsers. */
export function showsAccount(permission: Permission): boolean {
  return accountNouns.has(permission.replace(/^(group|project)\./, '').split('.')[0] ?? '')
}

/**
 * Returns whether responses contain secrets: credentials, or the links of uploads. They are never compressed, because the
 * size of a compressed response that also contains text of an attacker would reveal them.
 */
export function returnsSecrets(permission: Permission): boolean {
  return showsAccount(permission) || /\bupload\.|^virus-scan\./.test(permission)
}

function transition<S extends State>(unlessIn: S) {
  return { on: 'vulnerability', who: 'triager', ...triaging, unlessIn } as const
}
