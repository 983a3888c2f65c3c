import { type Severity, severityRanks } from '../../findings/scales.ts'

/** The project or group of a rule. */
export interface RuleOwner {
  kind: 'project' | 'group'
  id: number
}

/** Requires a second person for dismissals of vulnerabilities from a severity upwards. */
export interface ApprovalRule {
  severity: Severity
  /** Days after which a request without a decision expires. */
  expiresInDays: number
}

export interface StoredRule extends ApprovalRule {
  id: number
  projectId: number | null
  namespaceId: number | null
  updatedAt: string
}

/** Returns whether a dismissal of a vulnerability of this severity needs approval. */
export const isCovered = (rule: Pick<ApprovalRule, 'severity'>, severity: Severity): boolean =>
  severityRanks[severity] >= severityRanks[rule.severity]

export const defaultExpiryDays = 14
