import Type, { type Static } from 'typebox'
import type { Project } from '../../../domain/projects/project.ts'
import type { Rule } from '../../../domain/vulnerabilities/rules/rule.ts'
import { ruleOrigins } from '../../../domain/vulnerabilities/rules/rule.ts'
import { type DecisionSource, findDecisionSource } from '../../../domain/vulnerabilities/triage/decision-source.ts'
import { previewGroupDismissal } from '../../../domain/vulnerabilities/triage/group-dismissals.ts'
import { withFinding } from '../../../domain/vulnerabilities/triage/triage.ts'
import type { RuleEffects } from '../../../domain/vulnerabilities/vulnerability.ts'
import { integer } from '../../../http/params/input.ts'
import type { Route, RouteContext } from '../../../http/route.ts'
import { Failure } from '../../../platform/failure.ts'
import { route } from '../route.ts'
import { nullableString } from '../views.ts'
import { previewView, viewPreview } from '../vulnerability-rules/views.ts'
import { decidedGroup, dismissalFields, dismissalFrom } from './triage-routes.ts'

const effects = ['state', 'severity', 'assignee', 'due_date', 'tags'] as const

const ruleSource = Type.Object({
  id: Type.Integer(),
  name: Type.String(),
  level: Type.Unsafe<Rule['level']>({ type: 'string', enum: ['instance', 'group', 'project'] }),
  path: { ...nullableString, description: 'Full path of the project or group that the rule belongs to' },
  origin: Type.Unsafe<Rule['origin']>({ type: 'string', enum: ruleOrigins }),
  file: { ...nullableString, description: 'Name of the file that the rule comes from, such as an ignore file' },
})

const suppressionSource = Type.Object({
  source: Type.String({ description: 'Where the suppression is stated, such as `in the source`' }),
  scanner: Type.String({ description: 'Name of the scanner that reported it' }),
  justification: nullableString,
  reason: nullableString,
  until: { ...nullableString, description: 'Day (UTC) on which it ends' },
})

const nullableRule = Type.Unsafe<Static<typeof ruleSource> | null>({
  ...ruleSource,
  type: ['object', 'null'],
  description: 'The rule; null if there is none or the caller may not read it',
})

const sourceView = Type.Object(
  {
    rule_effects: Type.Array(Type.Unsafe<(typeof effects)[number]>({ type: 'string', enum: effects }), {
      description: 'What a rule has decided. Empty if users have decided everything',
    }),
    rule: nullableRule,
    suppression: Type.Unsafe<Static<typeof suppressionSource> | null>({
      ...suppressionSource,
      type: ['object', 'null'],
      description: 'The suppression in the report of a scanner that has dismissed the vulnerability',
    }),
  },
  { title: 'VulnerabilityDecisionSource' },
)

const effectNames: Record<keyof RuleEffects, (typeof effects)[number]> = {
  dismissal: 'state',
  severity: 'severity',
  assigneeId: 'assignee',
  dueOn: 'due_date',
  tags: 'tags',
}

function viewSource({ rule: found, suppression }: DecisionSource, project: Project, mayRead: boolean) {
  // `Object.keys` loses the type of the keys.
  const names = Object.keys(found?.effects ?? {}) as (keyof RuleEffects)[]
  return {
    rule_effects: names.map((name) => effectNames[name]),
    rule:
      found && mayRead
        ? {
            id: found.rule.id,
            name: found.rule.name,
            level: found.rule.level,
            path: found.rule.level === 'project' ? project.fullPath : (found.group?.fullPath ?? null),
            origin: found.rule.origin,
            file: found.rule.file,
          }
        : null,
    suppression: suppression
      ? {
          source: suppression.source,
          scanner: suppression.scannerName,
          justification: suppression.justification,
          reason: suppression.reason,
          until: suppression.until,
        }
      : null,
  }
}

/** Returns whether the caller may read the rules of the level. */
async function mayReadRule(permit: RouteContext['permit'], { level, projectId, namespaceId }: Rule): Promise<boolean> {
  try {
    if (level === 'project') await permit('vulnerability-rule.read', String(projectId))
    else if (level === 'group') await permit('group.vulnerability-rule.read', String(namespaceId))
    else await permit('instance.vulnerability-rule.read')
    return true
  } catch (error) {
    if (error instanceof Failure) return false
    throw error
  }
}

export const decisionRoutes: readonly Route[] = [
  route({
    method: 'GET',
    path: '/vulnerabilities/:id/decision_source',
    summary: 'Get the rule or suppression that has decided about a vulnerability',
    permission: 'vulnerability.read',
    status: 200,
    output: sourceView,
    async handle({ deps, project, vulnerability, permit }) {
      const found = await findDecisionSource(deps, await withFinding(deps, vulnerability))
      return viewSource(found, project, found.rule !== undefined && (await mayReadRule(permit, found.rule.rule)))
    },
  }),
  route({
    method: 'POST',
    path: '/vulnerabilities/:id/dismiss/preview',
    summary: 'Preview what a dismissal in all projects of a group would change, without changing anything',
    permission: 'vulnerability.dismiss',
    input: Type.Object({
      dismissal_reason: dismissalFields.dismissal_reason,
      until: dismissalFields.until,
      until_fixed: dismissalFields.until_fixed,
      group_id: integer({ description: 'A group above the project, whose rules the caller may change' }),
    }),
    status: 200,
    output: previewView,
    async handle({ deps, project, vulnerability, caller, permit, input }) {
      const group = await decidedGroup({ permit, project }, input.group_id)
      const change = { action: 'dismiss', ...dismissalFrom(input), group } as const
      return viewPreview(await previewGroupDismissal(deps, caller, await withFinding(deps, vulnerability), change))
    },
  }),
]
