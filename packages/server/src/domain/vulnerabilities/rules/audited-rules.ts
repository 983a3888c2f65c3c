import { changesBetween, type Entity, instanceEntity, projectEntity } from '../../audit/audit-event.ts'
import { recordAuditEvent } from '../../audit/record.ts'
import type { Deps } from '../../deps.ts'
import { findEntity } from '../../projects/audited-place.ts'
import type { Project } from '../../projects/project.ts'
import type { Rule, RuleOwner } from './rule.ts'

interface ChangedRule {
  before?: Rule
  after?: Rule
}

/** Records that a rule was created, changed or deleted. */
export async function recordRuleEvent(deps: Deps, owner: RuleOwner, { before, after }: ChangedRule): Promise<void> {
  const entity: Entity = owner.kind === 'instance' ? instanceEntity : await findEntity(deps, owner)
  const done = after ? (before ? 'updated' : 'created') : 'destroyed'
  const rule = after ?? before
  await recordAuditEvent(deps, `vulnerability_rule_${done}`, {
    entity,
    message: messages[done],
    target: { type: 'VulnerabilityRule', id: rule?.id ?? 0, name: rule?.name ?? '' },
    changes: changesBetween(auditedFields(before), auditedFields(after), auditedNames),
  })
}

const messages = {
  created: 'Created a rule for vulnerabilities',
  updated: 'Changed a rule for vulnerabilities',
  destroyed: 'Deleted a rule for vulnerabilities',
} as const

const auditedNames: Readonly<Record<string, string>> = {
  name: 'name',
  enabled: 'enabled',
  position: 'position',
  match: 'match',
  action: 'action',
}

const auditedFields = (rule: Rule | undefined): Record<string, unknown> => ({
  name: rule?.name ?? null,
  enabled: rule?.isEnabled ?? null,
  position: rule?.position ?? null,
  match: rule ? JSON.stringify(rule.match) : null,
  action: rule ? JSON.stringify(rule.action) : null,
})

/** Records that a file has replaced its rules. */
export function recordFileEvent(
  deps: Deps,
  project: Project,
  { file, before, after }: { file: string; before: number; after: number },
): Promise<void> {
  return recordAuditEvent(deps, 'vulnerability_rules_replaced', {
    entity: projectEntity(project),
    message: `Replaced the rules of ${file}`,
    extra: { file, before, after },
  })
}
