import Type from 'typebox'
import { markInboxRead, readInbox } from '../../../domain/notifications/inbox/inbox.ts'
import { inboxKinds } from '../../../domain/notifications/inbox/inbox-item.ts'
import { readableScope, withProjects } from '../../../domain/vulnerabilities/list/readable-scope.ts'
import { noOutput, type Route } from '../../../http/route.ts'
import { route } from '../route.ts'
import { nullableInteger, nullableString, timestamp } from '../views.ts'

const inboxView = Type.Object(
  {
    unread: Type.Integer(),
    items: Type.Array(
      Type.Object({
        kind: Type.Enum([...inboxKinds]),
        title: Type.String({ description: 'Title of the vulnerability, or the branch of the import' }),
        project: Type.Object({
          id: Type.Integer(),
          name_with_namespace: Type.String(),
          path_with_namespace: Type.String(),
        }),
        vulnerability_id: nullableInteger,
        report_id: nullableInteger,
        due_on: nullableString,
        created_at: timestamp,
        is_unread: Type.Boolean(),
      }),
      { description: 'At most 50, newest first' },
    ),
  },
  { title: 'NotificationInbox' },
)

export const notificationInboxRoutes: readonly Route[] = [
  route({
    method: 'GET',
    path: '/user/notifications',
    summary: 'List what concerns the current user: assigned and due vulnerabilities, approvals and failed imports',
    permission: 'instance.vulnerability.list',
    status: 200,
    output: inboxView,
    async handle({ deps, caller }) {
      const items = await readInbox(deps, caller, await readableScope(deps, caller))
      const rows = await withProjects(deps, items)
      return {
        unread: rows.filter(({ row }) => row.isUnread).length,
        items: rows.map(({ row, project }) => ({
          kind: row.kind,
          title: row.title,
          project: {
            id: project.id,
            name_with_namespace: `${project.namespace.fullName} / ${project.name}`,
            path_with_namespace: project.fullPath,
          },
          vulnerability_id: row.vulnerabilityId,
          report_id: row.importId,
          due_on: row.dueOn,
          created_at: row.createdAt,
          is_unread: row.isUnread,
        })),
      }
    },
  }),
  route({
    method: 'POST',
    path: '/user/notifications/read',
    summary: 'Mark all notifications of the current user as read',
    permission: 'notification.manage',
    status: 204,
    output: noOutput,
    handle: ({ deps, caller }) => markInboxRead(deps, caller.user.id),
  }),
]
