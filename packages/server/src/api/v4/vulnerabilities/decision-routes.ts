import Type, { type Static } from 'typebox'
import type { Project } from '../../../domain/projects/project.ts'
import type { Rule } from '../../../domain/vulnerabilities/rules/rule.ts'
import { ruleOrigins } from '../../../domain/vulnerabilities/rules/rule.ts'
import {
  type DecisionSource,
  findDecisionSource,
} from '../../../domain/vulnerabilities/triage/dismissals/decision-source.ts'
import { previewGroupDismissal } from '../../../domain/vulnerabilities/triage/dismissals/group-dismissals.ts'
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
  web_url: { ...nullableString, description: 'Page with the rule; null unless the caller may change rules there' },
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

/** Which page with the rule the caller may open: undefined if they may not even read the rule. */
type RulePage = { url: string | null } | undefined

function viewSource({ rule: found, suppression }: DecisionSource, project: Project, page: RulePage) {
  // `Object.keys` loses the type of the keys.
  const names = Object.keys(found?.effects ?? {}) as (keyof RuleEffects)[]
  return {
    rule_effects: names.map((name) => effectNames[name]),
    rule:
      found && page
        ? {
            id: found.rule.id,
            name: found.rule.name,
            level: found.rule.level,
            path: found.rule.level === 'project' ? project.fullPath : (found.group?.fullPath ?? null),
            origin: found.rule.origin,
            file: found.rule.file,
            web_url: page.url,
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

const prefixes = { project: '', group: 'group.', instance: 'instance.' } as const

/** Returns whether the caller may read or change the rules among which a rule is. */
async function mayUseRule(permit: RouteContext['permit'], rule: Rule, action: 'read' | 'manage'): Promise<boolean> {
  const { level, projectId, namespaceId } = rule
  const id = level === 'instance' ? undefined : String(projectId ?? namespaceId)
  try {
    await permit(`${prefixes[level]}vulnerability-rule.${action}`, id)
    return true
  } catch (error) {
    if (error instanceof Failure) return false
    throw error
  }
}

async function findRulePage(
  { rule: found }: DecisionSource,
  project: Project,
  { permit, origin }: Pick<RouteContext, 'permit' | 'origin'>,
): Promise<RulePage> {
  if (!found || !(await mayUseRule(permit, found.rule, 'read'))) return undefined
  const pages = {
    project: `/${project.fullPath}/-/settings/rules`,
    group: `/groups/${found.group?.fullPath}/-/settings/rules`,
    instance: '/-/admin/rules',
  }
  return { url: (await mayUseRule(permit, found.rule, 'manage')) ? `${origin}${pages[found.rule.level]}` : null }
}

export const decisionRoutes: readonly Route[] = [
  route({
    method: 'GET',
    path: '/vulnerabilities/:id/decision_source',
    summary: 'Get the rule or suppression that has decided about a vulnerability',
    permission: 'vulnerability.read',
    status: 200,
    output: sourceView,
    async handle({ deps, project, vulnerability, permit, origin }) {
      const found = await findDecisionSource(deps, await withFinding(deps, vulnerability))
      return viewSource(found, project, await findRulePage(found, project, { permit, origin }))
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
