import type { DismissalReason, Severity } from '../../findings/scales.ts'
import type { RuleOwner } from '../../projects/queue-rules.ts'

export type { RuleOwner } from '../../projects/queue-rules.ts'

/**
 * Conditions of a rule. All given ones must hold, and at least one is given. The values of a list are alternatives.
 * A condition on something that a finding does not have, such as the version of its package, does not hold.
 */
export interface RuleMatch {
  /** Globs of the file, path or image of the finding. */
  paths?: readonly string[] | undefined
  /** Names or external ids of identifiers, case-insensitive. */
  identifiers?: readonly string[] | undefined
  /** Package URLs without version, or names of packages. */
  packages?: readonly string[] | undefined
  /** Range of the package's version; see `version-range.ts`. */
  versionRange?: string | undefined
  /** External ids of scanners. */
  scanners?: readonly string[] | undefined
  /** Names or external ids of the primary identifier, which is the rule of the scanner. */
  ruleIds?: readonly string[] | undefined
  severities?: readonly Severity[] | undefined
  reportTypes?: readonly string[] | undefined
  /** Globs of refs. Every ref on which the finding was reported must match one. */
  refs?: readonly string[] | undefined
  /** Minimum number of days since the vulnerability was created. */
  minAgeDays?: number | undefined
  /** Minimum probability of exploitation, 0 to 1. */
  minEpss?: number | undefined
  isKev?: boolean | undefined
  hasFix?: boolean | undefined
}

export interface RuleDismissal {
  reason?: DismissalReason | undefined
  comment?: string | undefined
  /** Day (UTC) on which the dismissal ends. */
  until?: string | undefined
  untilFixed?: boolean | undefined
}

/** What a rule does with the vulnerabilities that it matches. At least one is given. */
export interface RuleAction {
  dismiss?: RuleDismissal | undefined
  severity?: Severity | undefined
  assigneeId?: number | undefined
  /** Tags to add. */
  tags?: readonly string[] | undefined
  /** Days from the creation of the vulnerability until it is due. Excludes `dueOn`. */
  dueInDays?: number | undefined
  dueOn?: string | undefined
  /** Findings are not promoted automatically. */
  hold?: boolean | undefined
}

/**
 * Where a rule comes from: a decision that a user made about one vulnerability, a user, or a file that a report was sent
 * with. Rules of a level apply in this order.
 */
export const ruleOrigins = ['decision', 'user', 'file'] as const
export type RuleOrigin = (typeof ruleOrigins)[number]

export interface RuleDraft {
  name: string
  isEnabled: boolean
  match: RuleMatch
  action: RuleAction
}

/** A rule of a project, of a group for the projects below it, or of the instance. */
export interface Rule extends RuleDraft {
  id: number
  level: RuleOwner['kind']
  projectId: number | null
  namespaceId: number | null
  /** Place among the rules of the level with the same origin and file, from 1. */
  position: number
  origin: RuleOrigin
  /** Name of the file that the rule comes from. */
  file: string | null
  createdById: number | null
  createdAt: string
  updatedAt: string
}

/** Returns whether the outcome of a rule can change by the day or by a feed, without a change of a vulnerability. */
export const isTimed = ({ match, action }: Pick<RuleDraft, 'match' | 'action'>): boolean =>
  match.minAgeDays !== undefined ||
  match.minEpss !== undefined ||
  match.isKev !== undefined ||
  action.dismiss?.until !== undefined
