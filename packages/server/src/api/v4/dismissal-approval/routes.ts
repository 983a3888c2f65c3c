import Type from 'typebox'
import type { Permission } from '../../../domain/access/permissions.ts'
import type { RootDeps } from '../../../domain/deps.ts'
import { severities } from '../../../domain/findings/scales.ts'
import type { Namespace } from '../../../domain/namespaces/namespace.ts'
import type { Project } from '../../../domain/projects/project.ts'
import {
  type ApprovalRule,
  defaultExpiryDays,
  type RuleOwner,
} from '../../../domain/vulnerabilities/approval/approval-rule.ts'
import {
  type ApprovalRules,
  getRules,
  removeRule,
  saveRule,
} from '../../../domain/vulnerabilities/approval/approval-rules.ts'
import { integer, oneOf } from '../../../http/params/input.ts'
import { noOutput, type Route } from '../../../http/route.ts'
import { route } from '../route.ts'

const ruleView = Type.Object(
  {
    severity: Type.Unsafe<ApprovalRule['severity']>({
      type: 'string',
      enum: severities,
      description: 'Dismissals of vulnerabilities of this severity and higher ones need a second person',
    }),
    expires_in_days: Type.Integer({ description: 'Days after which a request without a decision expires' }),
  },
  { title: 'DismissalApprovalRule' },
)
type RuleView = { severity: ApprovalRule['severity']; expires_in_days: number }
const nullableRule = Type.Unsafe<RuleView | null>({ ...ruleView, type: ['object', 'null'] })

const rulesView = Type.Object(
  {
    own: nullableRule,
    effective: {
      ...nullableRule,
      description: 'What applies: the lowest severity of the own rule and of those of the groups above',
    },
  },
  { title: 'DismissalApproval' },
)

const viewRule = ({ severity, expiresInDays }: ApprovalRule) => ({ severity, expires_in_days: expiresInDays })

const viewRules = ({ own, effective }: ApprovalRules) => ({
  own: own ? viewRule(own) : null,
  effective: effective ? viewRule(effective) : null,
})

const ruleInput = Type.Object({
  severity: oneOf(severities, {
    description: 'Lowest severity whose dismissals need a second person. It cannot be higher than in a group above',
  }),
  expires_in_days: integer({
    minimum: 1,
    maximum: 365,
    default: defaultExpiryDays,
    description: 'Days after which a request without a decision expires',
  }),
})

interface Level {
  kind: RuleOwner['kind']
  path: string
  read: Permission
  manage: Permission
}

const levels: readonly Level[] = [
  {
    kind: 'project',
    path: '/projects/:id/dismissal_approval',
    read: 'dismissal-approval.read',
    manage: 'dismissal-approval.manage',
  },
  {
    kind: 'group',
    path: '/groups/:id/dismissal_approval',
    read: 'group.dismissal-approval.read',
    manage: 'group.dismissal-approval.manage',
  },
]

interface Found {
  deps: RootDeps
  project?: Project
  group?: Namespace
}

function ownerOf(kind: RuleOwner['kind'], { project, group }: Found): RuleOwner {
  const found = kind === 'project' ? project : group
  if (!found) throw new Error('a route of approval rules was reached without a project or group')
  return { kind, id: found.id }
}

function ruleRoutes({ kind, path, read, manage }: Level): readonly Route[] {
  return [
    route({
      method: 'GET',
      path,
      summary: `Get the rule for the approval of dismissals of a ${kind}, and the one that applies`,
      permission: read,
      status: 200,
      output: rulesView,
      handle: async (context) => viewRules(await getRules(context.deps, ownerOf(kind, context))),
    }),
    route({
      method: 'PUT',
      path,
      summary: `Require a second person for dismissals in a ${kind}`,
      permission: manage,
      input: ruleInput,
      status: 200,
      output: rulesView,
      async handle(context) {
        const { severity, expires_in_days: expiresInDays } = context.input
        await saveRule(context.deps, ownerOf(kind, context), { severity, expiresInDays })
        return viewRules(await getRules(context.deps, ownerOf(kind, context)))
      },
    }),
    route({
      method: 'DELETE',
      path,
      summary: `Remove the rule for the approval of dismissals of a ${kind}; those of the groups above still apply`,
      permission: manage,
      status: 204,
      output: noOutput,
      handle: (context) => removeRule(context.deps, ownerOf(kind, context)),
    }),
  ]
}

export const dismissalApprovalRoutes: readonly Route[] = levels.flatMap(ruleRoutes)
