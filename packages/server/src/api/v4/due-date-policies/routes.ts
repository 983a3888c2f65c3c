import Type, { type Static } from 'typebox'
import type { Permission } from '../../../domain/access/permissions.ts'
import type { RootDeps } from '../../../domain/deps.ts'
import { type Severity, severities } from '../../../domain/findings/scales.ts'
import { jobStates } from '../../../domain/jobs/jobs.ts'
import type { Namespace } from '../../../domain/namespaces/namespace.ts'
import type { Project } from '../../../domain/projects/project.ts'
import type { DueDateOwner } from '../../../domain/projects/queue-due-dates.ts'
import {
  type DueDatePolicies,
  getPolicies,
  removePolicy,
  savePolicy,
} from '../../../domain/vulnerabilities/due-dates/due-date-policies.ts'
import {
  countedFrom,
  type DueDatePolicy,
  type DueDateRule,
} from '../../../domain/vulnerabilities/due-dates/due-date-policy.ts'
import { type PolicyPreview, previewPolicy } from '../../../domain/vulnerabilities/due-dates/preview.ts'
import { flag, integer, nullable, oneOf, optional } from '../../../http/params/input.ts'
import { noOutput, type Route } from '../../../http/route.ts'
import { route } from '../route.ts'
import { nullableInteger, timestamp } from '../views.ts'

const maxDays = 3650

const days = (severity: Severity) =>
  optional(
    nullable(
      integer({
        minimum: 0,
        maximum: maxDays,
        description: `Days until a vulnerability of the severity ${severity} is due. Without it, they have no due date`,
      }),
    ),
  )

const ruleInput = {
  counted_from: oneOf(countedFrom, {
    default: 'detection',
    description:
      '`detection`: the creation of the vulnerability. `fix`: the time since which reports have a remediation or state the version to upgrade to; no due date before',
  }),
  critical_days: days('critical'),
  high_days: days('high'),
  medium_days: days('medium'),
  low_days: days('low'),
  unknown_days: days('unknown'),
  info_days: days('info'),
}
const ruleSchema = Type.Object(ruleInput)

function ruleFrom(input: Static<typeof ruleSchema>): DueDateRule {
  const days = severities.map((severity) => [severity, input[`${severity}_days`] ?? null])
  return { countedFrom: input.counted_from, days: Object.fromEntries(days) }
}

const policyView = Type.Object(
  {
    level: Type.Unsafe<DueDatePolicy['level']>({ type: 'string', enum: ['instance', 'group', 'project'] }),
    counted_from: Type.Unsafe<DueDatePolicy['countedFrom']>({ type: 'string', enum: countedFrom }),
    critical_days: nullableInteger,
    high_days: nullableInteger,
    medium_days: nullableInteger,
    low_days: nullableInteger,
    unknown_days: nullableInteger,
    info_days: nullableInteger,
    updated_at: timestamp,
  },
  { title: 'DueDatePolicy' },
)
const nullablePolicy = Type.Unsafe<Static<typeof policyView> | null>({ ...policyView, type: ['object', 'null'] })

const updateView = Type.Object({
  state: Type.Unsafe<(typeof jobStates)[number]>({ type: 'string', enum: jobStates }),
  done: nullableInteger,
  total: nullableInteger,
})
const policiesView = Type.Object(
  {
    own: nullablePolicy,
    inherited: {
      ...nullablePolicy,
      description: 'The policy of the nearest group above, or of the instance, which applies without an own one',
    },
    update: Type.Unsafe<Static<typeof updateView> | null>({
      ...updateView,
      type: ['object', 'null'],
      description: 'Progress of the job that updates due dates, in vulnerabilities; null when none is queued',
    }),
  },
  { title: 'DueDatePolicies' },
)

function viewPolicy({ level, countedFrom, days, updatedAt }: DueDatePolicy) {
  return {
    level,
    counted_from: countedFrom,
    critical_days: days.critical,
    high_days: days.high,
    medium_days: days.medium,
    low_days: days.low,
    unknown_days: days.unknown,
    info_days: days.info,
    updated_at: updatedAt,
  }
}

const viewPolicies = ({ own, inherited, update }: DueDatePolicies) => ({
  own: own ? viewPolicy(own) : null,
  inherited: inherited ? viewPolicy(inherited) : null,
  update: update ? { state: update.state, done: update.done, total: update.total } : null,
})

const countsView = Type.Object({
  open: Type.Integer({ description: 'Detected and confirmed vulnerabilities' }),
  changed: Type.Integer({ description: 'Number that would have another due date' }),
  overridden: Type.Integer({ description: 'Number whose due date a user has set, which stays' }),
  overdue_before: Type.Integer(),
  overdue_after: Type.Integer(),
})
const previewView = Type.Object(
  {
    projects: Type.Integer({ description: 'Number of projects without a closer policy' }),
    critical: countsView,
    high: countsView,
    medium: countsView,
    low: countsView,
    unknown: countsView,
    info: countsView,
  },
  { title: 'DueDatePolicyPreview' },
)

function viewPreview({ projects, counts }: PolicyPreview) {
  const view = (severity: Severity) => {
    const { open, changed, overridden, overdueBefore, overdueAfter } = counts[severity]
    return { open, changed, overridden, overdue_before: overdueBefore, overdue_after: overdueAfter }
  }
  const [critical, high, medium] = [view('critical'), view('high'), view('medium')]
  return { projects, critical, high, medium, low: view('low'), unknown: view('unknown'), info: view('info') }
}

interface Level {
  kind: DueDateOwner['kind']
  path: string
  /** As in `of a project`. */
  owner: string
  read: Permission
  manage: Permission
}

const levels: readonly Level[] = [
  {
    kind: 'project',
    path: '/projects/:id/due_date_policy',
    owner: 'a project',
    read: 'due-date-policy.read',
    manage: 'due-date-policy.manage',
  },
  {
    kind: 'group',
    path: '/groups/:id/due_date_policy',
    owner: 'a group',
    read: 'group.due-date-policy.read',
    manage: 'group.due-date-policy.manage',
  },
  {
    kind: 'instance',
    path: '/admin/due_date_policy',
    owner: 'the instance',
    read: 'instance.due-date-policy.read',
    manage: 'instance.due-date-policy.manage',
  },
]

interface Found {
  deps: RootDeps
  project?: Project
  group?: Namespace
}

/** The guard has resolved the project or group, unless the permission is on the instance. */
function ownerOf(kind: DueDateOwner['kind'], { project, group }: Found) {
  const found = kind === 'project' ? project : group
  if (kind === 'instance') return { kind } as const
  if (!found) throw new Error('a route of due date policies was reached without a project or group')
  return { kind, id: found.id }
}

function policyRoutes({ kind, path, owner, read, manage }: Level): readonly Route[] {
  return [
    route({
      method: 'GET',
      path,
      summary: `Get the due date policy of ${owner}, and the one that it inherits`,
      permission: read,
      status: 200,
      output: policiesView,
      handle: async (context) => viewPolicies(await getPolicies(context.deps, ownerOf(kind, context))),
    }),
    route({
      method: 'PUT',
      path,
      summary: `Set the due date policy of ${owner}; a job updates the open vulnerabilities of projects without a closer one`,
      permission: manage,
      input: ruleSchema,
      status: 200,
      output: policiesView,
      async handle(context) {
        const of = ownerOf(kind, context)
        await savePolicy(context.deps, of, ruleFrom(context.input))
        return viewPolicies(await getPolicies(context.deps, of))
      },
    }),
    route({
      method: 'DELETE',
      path,
      summary: `Remove the due date policy of ${owner}, so that the one above applies`,
      permission: manage,
      status: 204,
      output: noOutput,
      handle: (context) => removePolicy(context.deps, ownerOf(kind, context)),
    }),
    route({
      method: 'POST',
      path: `${path}/preview`,
      summary: `Preview what a due date policy of ${owner} would change; nothing is stored`,
      permission: manage,
      input: Type.Object({
        ...ruleInput,
        remove: optional(flag({ description: 'Preview the removal of the policy instead' })),
      }),
      status: 200,
      output: previewView,
      async handle(context) {
        const rule = context.input.remove ? undefined : ruleFrom(context.input)
        return viewPreview(await previewPolicy(context.deps, ownerOf(kind, context), rule))
      },
    }),
  ]
}

export const dueDatePolicyRoutes: readonly Route[] = levels.flatMap(policyRoutes)
