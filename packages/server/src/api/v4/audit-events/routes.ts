import Type from 'typebox'
import { type AuditEvent, entityTypes } from '../../../domain/audit/audit-event.ts'
import { type AuditEventFilter, findAuditEvents, getAuditEvent } from '../../../domain/audit/audit-events.ts'
import type { Deps } from '../../../domain/deps.ts'
import type { PageRequest } from '../../../domain/page.ts'
import { dateTime, integer, oneOf, optional, text } from '../../../http/params/input.ts'
import { cursorFields, nextOf, readKeyset } from '../../../http/response/keyset.ts'
import type { Route } from '../../../http/route.ts'
import { parameterProblem } from '../../../platform/failure.ts'
import { route } from '../route.ts'
import { freeObject, timestamp } from '../views.ts'

const auditEventView = Type.Object(
  {
    id: Type.Integer(),
    author_id: Type.Integer({ description: '-1 for anonymous requests and for the system' }),
    entity_id: Type.Integer(),
    entity_type: Type.Unsafe<(typeof entityTypes)[number]>({ type: 'string', enum: entityTypes }),
    event_name: Type.String(),
    details: { ...freeObject, description: 'Author, address, target and changed values' },
    created_at: timestamp,
  },
  { title: 'AuditEvent' },
)

function viewAuditEvent(event: AuditEvent) {
  return {
    id: event.id,
    author_id: event.authorId ?? -1,
    entity_id: event.entityId,
    entity_type: event.entityType,
    event_name: event.name,
    details: event.details,
    created_at: event.createdAt,
  }
}

const listFields = {
  created_after: optional(dateTime()),
  created_before: optional(dateTime()),
  author_id: optional(integer({ description: 'Id of the author. GitLab ignores it' })),
  ...cursorFields,
}

interface ListInput {
  created_after?: string
  created_before?: string
  author_id?: number
  pagination?: 'legacy' | 'offset' | 'keyset'
  cursor?: string
}

/** The part of the log that a route shows. */
type Part = Pick<AuditEventFilter, 'entityType' | 'entityId'>

async function listEvents(deps: Deps, part: Part, { input, page }: { input: ListInput; page: PageRequest }) {
  const filter = {
    ...part,
    authorId: input.author_id,
    createdAfter: input.created_after,
    createdBefore: input.created_before,
  }
  const request = readKeyset({ ...input, order_by: 'id' }, page)
  const found = await findAuditEvents(deps, filter, request)
  const next = nextOf(request, found, ({ id }) => ({ value: `${id}`, id }))
  return { ...found, ...next, rows: found.rows.map(viewAuditEvent) }
}

const instanceRoutes: readonly Route[] = [
  route({
    method: 'GET',
    path: '/audit_events',
    summary: 'List all audit events, newest first',
    permission: 'audit.read',
    input: Type.Object({
      entity_type: optional(oneOf(entityTypes)),
      entity_id: optional(integer({ description: 'Requires `entity_type`' })),
      ...listFields,
    }),
    status: 200,
    output: Type.Array(auditEventView),
    paged: true,
    async handle({ deps, input, page }) {
      const { entity_type: entityType, entity_id: entityId } = input
      if (entityId !== undefined && entityType === undefined) throw parameterProblem('entity_type is missing')
      return listEvents(deps, { entityType, entityId }, { input, page })
    },
  }),
  route({
    method: 'GET',
    path: '/audit_events/:audit_event_id',
    summary: 'Get an audit event',
    permission: 'audit.read',
    input: Type.Object({ audit_event_id: integer() }),
    status: 200,
    output: auditEventView,
    handle: async ({ deps, input }) => viewAuditEvent(await getAuditEvent(deps, {}, input.audit_event_id)),
  }),
]

const oneInput = Type.Object({ id: text(), audit_event_id: integer() })
const manyInput = Type.Object({ id: text(), ...listFields })

const groupRoutes: readonly Route[] = [
  route({
    method: 'GET',
    path: '/groups/:id/audit_events',
    summary: 'List the audit events of a group, newest first',
    permission: 'group.audit.read',
    input: manyInput,
    status: 200,
    output: Type.Array(auditEventView),
    paged: true,
    handle: ({ deps, group, input, page }) =>
      listEvents(deps, { entityType: 'Group', entityId: group.id }, { input, page }),
  }),
  route({
    method: 'GET',
    path: '/groups/:id/audit_events/:audit_event_id',
    summary: 'Get an audit event of a group',
    permission: 'group.audit.read',
    input: oneInput,
    status: 200,
    output: auditEventView,
    handle: async ({ deps, group, input }) =>
      viewAuditEvent(await getAuditEvent(deps, { entityType: 'Group', entityId: group.id }, input.audit_event_id)),
  }),
]

const projectRoutes: readonly Route[] = [
  route({
    method: 'GET',
    path: '/projects/:id/audit_events',
    summary: 'List the audit events of a project, newest first',
    permission: 'project.audit.read',
    input: manyInput,
    status: 200,
    output: Type.Array(auditEventView),
    paged: true,
    handle: ({ deps, project, input, page }) =>
      listEvents(deps, { entityType: 'Project', entityId: project.id }, { input, page }),
  }),
  route({
    method: 'GET',
    path: '/projects/:id/audit_events/:audit_event_id',
    summary: 'Get an audit event of a project',
    permission: 'project.audit.read',
    input: oneInput,
    status: 200,
    output: auditEventView,
    handle: async ({ deps, project, input }) =>
      viewAuditEvent(await getAuditEvent(deps, { entityType: 'Project', entityId: project.id }, input.audit_event_id)),
  }),
]

export const auditEventRoutes: readonly Route[] = [...instanceRoutes, ...groupRoutes, ...projectRoutes]
