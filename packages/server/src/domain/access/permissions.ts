import type { Role } from './roles.ts'

/**
 * Who may do what. A route names a row; the guard enforces it; the matrix test prints it against every role.
 *
 * - `on`: what is checked. `project` and `group` are found by the path's `:id` and are invisible (404) to whoever may
 *   not read them. `vulnerability` too, with its project; who sees the project but may not read its vulnerabilities
 *   (`vulnerability.read`) is refused before his input is looked at (contract 1).
 * - `who`: `anyone` (with `on: 'project'`: anyone who can read the project), `user` (the same, signed in), `admin`, the
 *   least role, `triager` (the role an operator set), or `monitor` (a client on this machine or with the token for
 *   metrics, whichever user calls). Administrators count as owners of everything.
 * - `scope`: the least a token needs: `api` ⊃ `read_api`; `read_user` is met by those two as well; `self_rotate` by
 *   `api`; `none` by any token.
 * - `anonymous`: when somebody without credentials hears 401. Before his input is looked at (the usual), after it
 *   (topics: contract 1.5), or never, being treated as an outsider (upload lists answer him 403 or 404).
 * - `session`: of an address outside /api/v4: a signed-in browser's cookie counts there. Below it the header
 *   `X-Alcove-Session` says so.
 * - `unlessIn`: a vulnerability in this state answers that it is so already to whoever may read it, before anybody asks
 *   whether he may change it (contract 1, consequence B).
 * - `inArchive`: a write that an archived project still takes. Every other write there is refused with 403.
 * - `recent`: a signed-in browser must have entered the password lately, because this shows or issues credentials.
 * - `reads`: what is sent changes nothing, so a token that only reads may send it, whatever the method.
 * - `namedScopes`: the scopes that a refusal lists (contract 1.5; of vulnerabilities 2.1), where it is not `api read_api`.
 */
export interface PermissionRow {
  readonly on: 'instance' | 'project' | 'group' | 'vulnerability'
  readonly who: 'anyone' | 'user' | 'admin' | 'triager' | 'monitor' | Role
  readonly scope: 'api' | 'read_api' | 'read_user' | 'self_rotate' | 'none'
  readonly anonymous?: 'after-input' | 'as-outsider'
  readonly namedScopes?: readonly string[]
  readonly session?: true
  readonly reads?: true
  readonly inArchive?: true
  readonly recent?: true
  readonly unlessIn?: State
}

/** As domain/vulnerabilities has them, which may import this and not the other way round. */
type State = 'detected' | 'confirmed' | 'resolved' | 'dismissed'

const userScopes = ['api', 'read_api', 'read_user']

export const permissions = {
  'health.read': { on: 'instance', who: 'anyone', scope: 'none' },
  'metrics.read': { on: 'instance', who: 'monitor', scope: 'none' },
  'metadata.read': { on: 'instance', who: 'user', scope: 'read_user', namedScopes: userScopes },

  'api.describe': { on: 'instance', who: 'anyone', scope: 'none' },
  'storage.read': { on: 'instance', who: 'admin', scope: 'read_api' },
  'setting.read': { on: 'instance', who: 'admin', scope: 'read_api' },
  'job.read': { on: 'instance', who: 'admin', scope: 'read_api' },
  'job.manage': { on: 'instance', who: 'admin', scope: 'api' },

  'session.start': { on: 'instance', who: 'anyone', scope: 'none' },
  'session.leave': { on: 'instance', who: 'anyone', scope: 'none', session: true },
  'session.show': { on: 'instance', who: 'anyone', scope: 'none', session: true },
  'session.end': { on: 'instance', who: 'user', scope: 'api', session: true, recent: true },
  'session.list': { on: 'instance', who: 'user', scope: 'api', session: true, recent: true },
  'session.confirm': { on: 'instance', who: 'user', scope: 'none', session: true },
  'session.elevate': { on: 'instance', who: 'user', scope: 'api', session: true },
  'password.set': { on: 'instance', who: 'anyone', scope: 'none' },
  'password.change': { on: 'instance', who: 'user', scope: 'api', session: true },
  'self.read': { on: 'instance', who: 'user', scope: 'read_user', namedScopes: userScopes },
  'user.list': { on: 'instance', who: 'anyone', scope: 'read_user', namedScopes: userScopes },
  'user.read': { on: 'instance', who: 'anyone', scope: 'read_user', namedScopes: userScopes },
  'user.manage': { on: 'instance', who: 'admin', scope: 'api', namedScopes: userScopes },
  'user.link': { on: 'instance', who: 'admin', scope: 'api', namedScopes: userScopes, recent: true },
  'token.list': { on: 'instance', who: 'user', scope: 'read_api' },
  'token.read': { on: 'instance', who: 'user', scope: 'read_api' },
  'token.revoke': { on: 'instance', who: 'user', scope: 'api' },
  'token.rotate': { on: 'instance', who: 'user', scope: 'api', recent: true },
  'token.self': { on: 'instance', who: 'user', scope: 'none' },
  'token.rotate-self': { on: 'instance', who: 'user', scope: 'self_rotate', namedScopes: ['api', 'self_rotate'] },
  'token.create-own': { on: 'instance', who: 'user', scope: 'api', namedScopes: userScopes, recent: true },
  'token.create-in-browser': { on: 'instance', who: 'user', scope: 'api', session: true, recent: true },
  'token.issue': { on: 'instance', who: 'admin', scope: 'api', namedScopes: userScopes, recent: true },
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
  // A bookmark of the user, not a part of the project.
  'project.star': { on: 'project', who: 'user', scope: 'api', inArchive: true },
  'project.member.list': { on: 'project', who: 'user', scope: 'read_api' },
  // Rights can be taken away in an archived project as well.
  'project.member.manage': { on: 'project', who: 'maintainer', scope: 'api', inArchive: true },
  'project.member.remove': { on: 'project', who: 'user', scope: 'api', inArchive: true },

  'topic.read': { on: 'instance', who: 'anyone', scope: 'read_api' },
  'topic.avatar': { on: 'instance', who: 'anyone', scope: 'none', session: true },
  'topic.export': { on: 'instance', who: 'user', scope: 'read_api' },
  'topic.review': { on: 'instance', who: 'admin', scope: 'read_api', anonymous: 'after-input' },
  'topic.import': { on: 'instance', who: 'admin', scope: 'api' },
  'topic.manage': { on: 'instance', who: 'admin', scope: 'api', anonymous: 'after-input' },

  'upload.create': { on: 'project', who: 'user', scope: 'api' },
  'upload.list': { on: 'project', who: 'maintainer', scope: 'read_api', anonymous: 'as-outsider' },
  'upload.read': { on: 'project', who: 'maintainer', scope: 'read_api', anonymous: 'as-outsider' },
  'upload.read-by-secret': { on: 'project', who: 'anyone', scope: 'read_api' },
  'upload.view': { on: 'project', who: 'anyone', scope: 'read_api', session: true },
  'upload.delete': { on: 'project', who: 'maintainer', scope: 'api' },
  'upload.limits': { on: 'project', who: 'user', scope: 'read_api' },
  'upload.limit': { on: 'project', who: 'admin', scope: 'api' },
  // A group can be seen by users who are members of one project in it only.
  'group.upload.create': { on: 'group', who: 'guest', scope: 'api' },
  'group.upload.list': { on: 'group', who: 'maintainer', scope: 'read_api', anonymous: 'as-outsider' },
  'group.upload.read': { on: 'group', who: 'maintainer', scope: 'read_api', anonymous: 'as-outsider' },
  'group.upload.read-by-secret': { on: 'group', who: 'anyone', scope: 'read_api' },
  'group.upload.view': { on: 'group', who: 'anyone', scope: 'read_api', session: true },
  'group.upload.delete': { on: 'group', who: 'maintainer', scope: 'api' },
  'group.upload.limits': { on: 'group', who: 'user', scope: 'read_api' },

  // A project is named by a field, not by the path, so previewMarkdown looks whether it can be read.
  'markdown.render': { on: 'instance', who: 'user', scope: 'api' },
  'markdown.preview': { on: 'instance', who: 'anyone', scope: 'read_api', reads: true },

  'export.create': { on: 'project', who: 'developer', scope: 'api', namedScopes: ['api'], inArchive: true },
  'group.export.create': { on: 'group', who: 'developer', scope: 'api', namedScopes: ['api'] },
  'instance.export.create': { on: 'instance', who: 'user', scope: 'api', namedScopes: ['api'] },
  // Only its author's, which getExport looks at.
  'export.read': { on: 'instance', who: 'user', scope: 'read_api' },
  'hook.read': { on: 'project', who: 'maintainer', scope: 'read_api' },
  'hook.manage': { on: 'project', who: 'maintainer', scope: 'api' },

  'report.create': { on: 'project', who: 'developer', scope: 'api', namedScopes: ['api'] },
  'report.list': { on: 'project', who: 'developer', scope: 'read_api' },
  'finding.list': { on: 'project', who: 'developer', scope: 'read_api' },
  'vulnerability.list': { on: 'project', who: 'developer', scope: 'read_api' },
  'vulnerability.statistics': { on: 'project', who: 'developer', scope: 'read_api' },
  // Of each project in the group only what the caller may read there: domain/vulnerabilities/list/group-scope.ts.
  'group.vulnerability.list': { on: 'group', who: 'user', scope: 'read_api' },
  'vulnerability.create': { on: 'project', who: 'triager', scope: 'api', namedScopes: ['api'] },
  'vulnerability.bulk': { on: 'project', who: 'triager', scope: 'api', namedScopes: ['api'] },
  'vulnerability.bulk.list': { on: 'project', who: 'developer', scope: 'read_api' },
  'vulnerability.read': { on: 'vulnerability', who: 'developer', scope: 'read_api' },
  'vulnerability.confirm': transition('confirmed'),
  'vulnerability.resolve': transition('resolved'),
  'vulnerability.dismiss': transition('dismissed'),
  'vulnerability.revert': transition('detected'),
  'vulnerability.severity': { on: 'vulnerability', who: 'triager', scope: 'api', namedScopes: ['api'] },
  'vulnerability.link': { on: 'vulnerability', who: 'developer', scope: 'api', namedScopes: ['api'] },
  // On the project, because GitLab's addresses of notes begin with it.
  'vulnerability.note.read': { on: 'project', who: 'developer', scope: 'read_api' },
  'vulnerability.note.write': { on: 'project', who: 'developer', scope: 'api', namedScopes: ['api'] },
} as const satisfies Record<string, PermissionRow>

export type Permission = keyof typeof permissions

function transition<S extends State>(unlessIn: S) {
  return { on: 'vulnerability', who: 'triager', scope: 'api', namedScopes: ['api'], unlessIn } as const
}
