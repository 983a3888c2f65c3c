import type { Severity } from '../../findings/scales.ts'
import { noEnd } from '../triage/dismissals/dismissal-end.ts'
import { isSame as hasSameTags, maxTags, without, withTags } from '../triage/tags.ts'
import type { RuleEffects, Vulnerability } from '../vulnerability.ts'
import type { Rule, RuleDismissal } from './rule.ts'

/** What users decide and rules therefore leave alone: also the kinds of history entries. */
export type Aspect = 'state' | 'severity' | 'due_date' | 'assignee' | 'tags'

export interface EffectContext {
  now: string
  /** The scanner's severity. */
  reported: Severity
  /** Whether the latest report describes a fix. */
  hasFix: boolean
  /** What users have decided. */
  decided: ReadonlySet<Aspect>
  /** Users who may triage vulnerabilities of the project. */
  assignable: ReadonlySet<number>
  /** Whether a dismissal needs a second person. */
  needsApproval: boolean
}

/** Returns the vulnerability without what its rule has changed. The due date of the policy must then be computed. */
export function withoutEffects(vulnerability: Vulnerability, reported: Severity): Vulnerability {
  const { ruleEffects } = vulnerability
  if (!ruleEffects) return vulnerability
  const former = { ...vulnerability, ruleId: null, ruleEffects: null }
  if (ruleEffects.dismissal && vulnerability.state === 'dismissed') Object.assign(former, undismissed)
  if (ruleEffects.severity && vulnerability.isSeverityOverridden) {
    Object.assign(former, { severity: reported, isSeverityOverridden: false })
  }
  if (ruleEffects.dueOn !== undefined) former.isDueOnOverridden = false
  if (ruleEffects.assigneeId !== undefined && ruleEffects.assigneeId === vulnerability.assigneeId) {
    former.assigneeId = null
  }
  if (ruleEffects.tags) former.tags = without(vulnerability.tags, ruleEffects.tags)
  return former
}

const undismissed = {
  state: 'detected',
  dismissedAt: null,
  dismissedById: null,
  dismissalReason: null,
  ...noEnd,
} as const

/**
 * Returns the vulnerability as the first matching rule leaves it, or as it is without rules. `base` is the vulnerability
 * without effects. Returns `undefined` if nothing changes.
 */
export function withRule(
  before: Vulnerability,
  base: Vulnerability,
  rule: Rule | undefined,
  context: EffectContext,
): Vulnerability | undefined {
  const after = { ...base, updatedAt: context.now }
  const effects: RuleEffects = {
    ...(rule && dismiss(before, after, rule, context)),
    ...(rule && setSeverity(after, rule, context)),
    ...(rule && assign(after, rule, context)),
    ...(rule && setDueDate(after, rule, context)),
    ...(rule && addTags(after, rule, context)),
  }
  if (rule && Object.keys(effects).length > 0) Object.assign(after, { ruleId: rule.id, ruleEffects: effects })
  return isSame(before, after) ? undefined : after
}

function dismiss(before: Vulnerability, after: Vulnerability, rule: Rule, context: EffectContext): RuleEffects {
  const { dismiss } = rule.action
  const isOpen = after.state === 'detected' && after.dismissalRequestId === null
  if (!dismiss || !isOpen || context.decided.has('state') || hasEnded(dismiss, context)) return {}
  const dismissal = {
    reason: dismiss.reason ?? null,
    until: dismiss.until ?? null,
    untilFixed: dismiss.untilFixed ?? false,
  }
  const isKept =
    before.ruleId === rule.id && JSON.stringify(before.ruleEffects?.dismissal) === JSON.stringify(dismissal)
  // A dismissal from before a rule for approvals stays, as those of users do.
  if (context.needsApproval && !isKept) return {}
  Object.assign(after, {
    state: 'dismissed',
    dismissalReason: dismissal.reason,
    dismissedUntil: dismissal.until,
    isDismissedUntilFixed: dismissal.untilFixed,
    dismissedAt: isKept ? before.dismissedAt : context.now,
  })
  return { dismissal }
}

/** Returns whether a dismissal has ended, or would end at once. */
const hasEnded = (
  { until, untilFixed }: RuleDismissal,
  { now, hasFix }: Pick<EffectContext, 'now' | 'hasFix'>,
): boolean => (until !== undefined && until <= now.slice(0, 10)) || (untilFixed === true && hasFix)

function setSeverity(after: Vulnerability, { action: { severity } }: Rule, { decided }: EffectContext): RuleEffects {
  if (!severity || decided.has('severity') || after.isSeverityOverridden) return {}
  Object.assign(after, { severity, isSeverityOverridden: true })
  return { severity }
}

/** Assigns only unassigned vulnerabilities, because others may have assigned them. */
function assign(after: Vulnerability, { action: { assigneeId } }: Rule, context: EffectContext): RuleEffects {
  if (assigneeId === undefined || context.decided.has('assignee') || after.assigneeId !== null) return {}
  if (!context.assignable.has(assigneeId)) return {}
  after.assigneeId = assigneeId
  return { assigneeId }
}

const dayMs = 24 * 60 * 60 * 1000

function setDueDate(after: Vulnerability, { action }: Rule, { decided }: EffectContext): RuleEffects {
  if (decided.has('due_date') || after.isDueOnOverridden) return {}
  const days = action.dueInDays
  const start = Date.parse(after.createdAt.slice(0, 10))
  const dueOn =
    action.dueOn ?? (days === undefined ? undefined : new Date(start + days * dayMs).toISOString().slice(0, 10))
  if (dueOn === undefined) return {}
  Object.assign(after, { dueOn, isDueOnOverridden: true })
  return { dueOn }
}

/** Adds tags that the vulnerability does not have, unless there would be too many. */
function addTags(after: Vulnerability, { action: { tags = [] } }: Rule, { decided }: EffectContext): RuleEffects {
  const added = without(tags, after.tags)
  const all = withTags(after.tags, added)
  if (added.length === 0 || decided.has('tags') || all.length > maxTags) return {}
  after.tags = all
  return { tags: added }
}

function isSame(before: Vulnerability, after: Vulnerability): boolean {
  return (
    before.ruleId === after.ruleId &&
    before.state === after.state &&
    before.severity === after.severity &&
    before.isSeverityOverridden === after.isSeverityOverridden &&
    before.assigneeId === after.assigneeId &&
    before.isDueOnOverridden === after.isDueOnOverridden &&
    hasSameTags(before.tags, after.tags) &&
    JSON.stringify(before.ruleEffects) === JSON.stringify(after.ruleEffects)
  )
}

/** Returns the vulnerability without the effect of its rule on an aspect, which has been decided otherwise. */
export function withoutEffectOn<Fields extends Pick<Vulnerability, 'ruleId' | 'ruleEffects'>>(
  vulnerability: Fields,
  aspect: Aspect,
): Fields {
  if (!vulnerability.ruleEffects) return vulnerability
  const { [effectOf[aspect]]: _, ...others } = vulnerability.ruleEffects
  return Object.keys(others).length === 0
    ? { ...vulnerability, ruleId: null, ruleEffects: null }
    : { ...vulnerability, ruleEffects: others }
}

const effectOf: Record<Aspect, keyof RuleEffects> = {
  state: 'dismissal',
  severity: 'severity',
  due_date: 'dueOn',
  assignee: 'assigneeId',
  tags: 'tags',
}
