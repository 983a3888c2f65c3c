import type { Deps } from '../../../deps.ts'
import type { Namespace } from '../../../namespaces/namespace.ts'
import { findNamespaceById } from '../../../namespaces/namespaces.ts'
import type { Rule } from '../../rules/rule.ts'
import { findRuleById } from '../../rules/rule-queries.ts'
import type { StoredSuppression } from '../../suppressions/suppression.ts'
import { listSuppressions } from '../../suppressions/suppression-queries.ts'
import type { RuleEffects, VulnerabilityWithFinding } from '../../vulnerability.ts'

/** What has decided about a vulnerability in place of a user. */
export interface DecisionSource {
  rule: { rule: Rule; group: Namespace | undefined; effects: RuleEffects } | undefined
  /** The suppression in a report that has dismissed the vulnerability. */
  suppression: StoredSuppression | undefined
}

export async function findDecisionSource(
  { db }: Pick<Deps, 'db'>,
  { vulnerability, finding }: VulnerabilityWithFinding,
): Promise<DecisionSource> {
  const { ruleId, ruleEffects: effects, state, dismissedById } = vulnerability
  const rule = ruleId === null ? undefined : await findRuleById(db, ruleId)
  const group = rule?.namespaceId ? await findNamespaceById(db, rule.namespaceId) : undefined
  const maySuppress = state === 'dismissed' && dismissedById === null && !effects?.dismissal
  const [suppression] = maySuppress ? await listSuppressions(db, [finding.id]) : []
  return {
    rule: rule && effects ? { rule, group, effects } : undefined,
    suppression: suppression?.isApplied ? suppression : undefined,
  }
}
