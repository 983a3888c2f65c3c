import Type from 'typebox'
import type { Permission } from '../../../domain/access/permissions.ts'
import { type DismissalReason, dismissalReasons } from '../../../domain/findings/scales.ts'
import type {
  DismissalTemplate,
  TemplateDraft,
  TemplatePlace,
} from '../../../domain/vulnerabilities/dismissal-templates/dismissal-template.ts'
import {
  changeTemplate,
  createTemplate,
  findTemplates,
  removeTemplate,
} from '../../../domain/vulnerabilities/dismissal-templates/dismissal-templates.ts'
import { flag, integer, nullable, oneOf, optional, text } from '../../../http/params/input.ts'
import { noOutput, type Route } from '../../../http/route.ts'
import { route } from '../route.ts'
import { nullableInteger, timestamp } from '../views.ts'

const levelNames = ['instance', 'group', 'project'] as const

function levelOf({ projectId, namespaceId }: DismissalTemplate): (typeof levelNames)[number] {
  if (projectId !== null) return 'project'
  return namespaceId === null ? 'instance' : 'group'
}

const templateView = Type.Object(
  {
    id: Type.Integer(),
    level: Type.Unsafe<(typeof levelNames)[number]>({ type: 'string', enum: levelNames }),
    project_id: nullableInteger,
    group_id: nullableInteger,
    name: Type.String(),
    dismissal_reason: Type.Unsafe<DismissalReason>({ type: 'string', enum: dismissalReasons }),
    comment: Type.String(),
    until_days: nullableInteger,
    until_fixed: Type.Boolean(),
    created_at: timestamp,
    updated_at: timestamp,
  },
  { title: 'DismissalTemplate' },
)

const viewTemplate = (template: DismissalTemplate) => ({
  id: template.id,
  level: levelOf(template),
  project_id: template.projectId,
  group_id: template.namespaceId,
  name: template.name,
  dismissal_reason: template.reason,
  comment: template.comment,
  until_days: template.untilDays,
  until_fixed: template.isUntilFixed,
  created_at: template.createdAt,
  updated_at: template.updatedAt,
})

const name = text({ allowBlank: false, description: 'Up to 100 characters, unique among the templates of the level' })
const reason = oneOf(dismissalReasons)
const endFields = {
  comment: optional(text({ description: 'Up to 10,000 characters' })),
  until_days: optional(
    nullable(
      integer({ minimum: 1, maximum: 1825, description: 'Days from the dismissal until it ends. Null: no such day' }),
    ),
  ),
  until_fixed: optional(flag({ description: 'True: the dismissal ends when a fix is available' })),
}
const changedFields = { name: optional(name), dismissal_reason: optional(reason), ...endFields }
const templateId = { template_id: integer() }

interface Input {
  name?: string | undefined
  dismissal_reason?: DismissalReason | undefined
  comment?: string | undefined
  until_days?: number | null | undefined
  until_fixed?: boolean | undefined
}

/** Returns what the request states of a template. */
const changesFrom = (input: Input): Partial<TemplateDraft> => ({
  ...(input.name !== undefined && { name: input.name.trim() }),
  ...(input.dismissal_reason && { reason: input.dismissal_reason }),
  ...(input.comment !== undefined && { comment: input.comment.trim() }),
  ...(input.until_days !== undefined && { untilDays: input.until_days }),
  ...(input.until_fixed !== undefined && { isUntilFixed: input.until_fixed }),
})

interface Level {
  path: string
  /** As in `of a project`. */
  owner: string
  above: string
  read: Extract<Permission, `${string}dismissal-template.read`>
  manage: Extract<Permission, `${string}dismissal-template.manage`>
}

const levels: readonly Level[] = [
  {
    path: '/projects/:id/dismissal_templates',
    owner: 'a project',
    above: ', of the groups above it and of the instance',
    read: 'dismissal-template.read',
    manage: 'dismissal-template.manage',
  },
  {
    path: '/groups/:id/dismissal_templates',
    owner: 'a group',
    above: ', of the groups above it and of the instance',
    read: 'group.dismissal-template.read',
    manage: 'group.dismissal-template.manage',
  },
  {
    path: '/admin/dismissal_templates',
    owner: 'the instance',
    above: '',
    read: 'instance.dismissal-template.read',
    manage: 'instance.dismissal-template.manage',
  },
]

/** Returns the place of a request: a project, a group, or the instance, which has neither. */
const placeOf = (context: object): TemplatePlace => context // the guard provides what the permission's row promises

const routesOf = ({ path, owner, above, read, manage }: Level): readonly Route[] => [
  route({
    method: 'GET',
    path,
    summary: `List the dismissal templates of ${owner}${above}`,
    permission: read,
    status: 200,
    output: Type.Array(templateView),
    unknownFilters: 'refused',
    handle: async (context) => (await findTemplates(context.deps, placeOf(context))).map(viewTemplate),
  }),
  route({
    method: 'POST',
    path,
    summary: `Create a dismissal template of ${owner}`,
    permission: manage,
    input: Type.Object({ name, dismissal_reason: reason, ...endFields }),
    status: 201,
    output: templateView,
    async handle(context) {
      const { name, dismissal_reason: reason, ...input } = context.input
      const draft = { name: name.trim(), reason, comment: '', untilDays: null, isUntilFixed: false }
      return viewTemplate(await createTemplate(context.deps, placeOf(context), { ...draft, ...changesFrom(input) }))
    },
  }),
  route({
    method: 'PUT',
    path: `${path}/:template_id`,
    summary: `Change a dismissal template of ${owner}`,
    permission: manage,
    input: Type.Object({ ...templateId, ...changedFields }, { atLeastOneOf: [Object.keys(changedFields)] }),
    status: 200,
    output: templateView,
    async handle(context) {
      const { template_id: id, ...input } = context.input
      return viewTemplate(await changeTemplate(context.deps, placeOf(context), id, changesFrom(input)))
    },
  }),
  route({
    method: 'DELETE',
    path: `${path}/:template_id`,
    summary: `Delete a dismissal template of ${owner}`,
    permission: manage,
    input: Type.Object(templateId),
    status: 204,
    output: noOutput,
    handle: (context) => removeTemplate(context.deps, placeOf(context), context.input.template_id),
  }),
]

export const dismissalTemplateRoutes: readonly Route[] = levels.flatMap(routesOf)
