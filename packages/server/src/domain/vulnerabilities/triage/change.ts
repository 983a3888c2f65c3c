import type { DismissalReason, Severity } from '../../findings/scales.ts'
import { type Aspect, withoutEffectOn } from '../rules/rule-effects.ts'
import type { RefDismissal, Vulnerability } from '../vulnerability.ts'
import { type DismissalEnd, describeEnd, noEnd } from './dismissals/dismissal-end.ts'
import { dismissOnRef, revertOnRef, seenOnRef, withRefDismissal } from './dismissals/ref-dismissals.ts'
import type { HistoryEntry } from './history/history-entry.ts'
import { describeTags, isSame, maxTags, type TagChange, tagsAfter, without, withTags } from './tags.ts'

/** A triage action by a user. */
export type Change =
  | { action: 'confirm' | 'resolve'; comment?: string | undefined }
  | Reversal
  | Dismissal
  /** Without a severity, the scanner's severity is restored. */
  | { action: 'severity'; severity: Severity | undefined; comment?: string | undefined }
  /** Without a date, that of the policy is restored. */
  | { action: 'due_date'; dueOn: string | undefined; comment?: string | undefined }
  | { action: 'assign'; assigneeId: number; comment?: string | undefined }
  | { action: 'unassign'; comment?: string | undefined }
  | TagChange

/** A group in all projects of which a decision applies. */
export interface DecidedGroup {
  id: number
  fullPath: string
}

interface Reversal {
  action: 'revert'
  comment?: string | undefined
  /** The ref on which its dismissal is ended. */
  ref?: string | undefined
  /** The group in whose projects its dismissal is ended. */
  group?: DecidedGroup | undefined
}

export interface Dismissal extends DismissalEnd {
  action: 'dismiss'
  comment?: string | undefined
  dismissalReason?: DismissalReason | undefined
  /** The only ref on which the vulnerability is dismissed. */
  ref?: string | undefined
  /** The group in all projects of which the same flaw is dismissed. */
  group?: DecidedGroup | undefined
  /** Administrator who acts as the user, for jobs: their requests for approval belong to this person. */
  requestedById?: number | undefined
  /** Everyone who may be behind the request, for jobs: they cannot approve it. */
  involvedIds?: readonly number[] | undefined
}

/** User, time and bulk change of a triage action. */
export interface ActionContext {
  userId: number | null
  now: string
  bulkId?: number | undefined
}

/** Applies an action, which ends the effect of a rule; returns `undefined` if it changes nothing. */
export function applyChange(
  vulnerability: Vulnerability,
  change: Change,
  reported: Severity,
  context: ActionContext,
): Vulnerability | undefined {
  const after = changed(vulnerability, change, reported, context)
  const aspect = aspectOf(change)
  return after && (aspect === 'ref_state' ? after : withoutEffectOn(after, aspect))
}

function changed(
  vulnerability: Vulnerability,
  change: Change,
  reported: Severity,
  { userId, now, bulkId }: ActionContext,
): Vulnerability | undefined {
  const { state } = vulnerability
  const by = { ...vulnerability, isAutoResolved: false, updatedAt: now }
  switch (change.action) {
    case 'confirm':
      if (state === 'confirmed') return undefined
      return { ...by, state: 'confirmed', confirmedAt: now, confirmedById: userId, dismissalReason: null, ...noEnd }
    case 'resolve':
      if (state === 'resolved') return undefined
      return { ...by, state: 'resolved', resolvedAt: now, resolvedById: userId, dismissalReason: null, ...noEnd }
    case 'dismiss':
      return change.ref === undefined
        ? dismiss(by, change, { userId, now, bulkId })
        : dismissOnRef(vulnerability, change, { ref: change.ref, userId, now, isBulk: bulkId !== undefined })
    case 'revert':
      if (change.ref !== undefined) return revertOnRef(vulnerability, change.ref, now)
      return state === 'detected' ? undefined : { ...by, ...untouched, state: 'detected' }
    case 'severity': {
      const { severity } = change
      const [isOverridden, becomes] = severity === undefined ? [false, reported] : [true, severity]
      if (becomes === vulnerability.severity && (isOverridden || !vulnerability.isSeverityOverridden)) return undefined
      return { ...vulnerability, severity: becomes, isSeverityOverridden: isOverridden, updatedAt: now }
    }
    case 'due_date': {
      const { dueOn } = change
      const { isDueOnOverridden } = vulnerability
      if (dueOn === undefined) {
        return isDueOnOverridden ? { ...vulnerability, isDueOnOverridden: false, updatedAt: now } : undefined
      }
      if (isDueOnOverridden && dueOn === vulnerability.dueOn) return undefined
      return { ...vulnerability, dueOn, isDueOnOverridden: true, updatedAt: now }
    }
    case 'assign':
    case 'unassign': {
      const assigneeId = change.action === 'assign' ? change.assigneeId : null
      return assigneeId === vulnerability.assigneeId ? undefined : { ...vulnerability, assigneeId, updatedAt: now }
    }
    case 'tag':
    case 'untag':
    case 'set_tags': {
      const tags = tagsAfter(vulnerability.tags, change)
      return tags && { ...vulnerability, tags, updatedAt: now }
    }
  }
}

/** Fields that are reset with the state, because only users set them. */
const untouched = {
  confirmedAt: null,
  confirmedById: null,
  dismissedAt: null,
  dismissedById: null,
  dismissalReason: null,
  resolvedAt: null,
  resolvedById: null,
  ...noEnd,
}

/**
 * Dismisses a vulnerability, or changes reason, end or comment of its dismissal. Dismissing it again without a new
 * reason or end changes nothing, except for a comment on a single vulnerability.
 */
function dismiss(
  vulnerability: Vulnerability,
  { comment, dismissalReason, until, untilFixed }: Dismissal,
  { userId, now, bulkId }: ActionContext,
): Vulnerability | undefined {
  const isDismissed = vulnerability.state === 'dismissed'
  const isOther = dismissalReason !== undefined && dismissalReason !== vulnerability.dismissalReason
  const former = isDismissed ? vulnerability : noEnd
  const end = {
    dismissedUntil: until === undefined ? former.dismissedUntil : until,
    isDismissedUntilFixed: untilFixed ?? former.isDismissedUntilFixed,
  }
  const endsOtherwise =
    end.dismissedUntil !== former.dismissedUntil || end.isDismissedUntilFixed !== former.isDismissedUntilFixed
  const isCommented = comment !== undefined && bulkId === undefined
  if (isDismissed && !isOther && !endsOtherwise && !isCommented) return undefined
  const reason = isDismissed && !isOther ? vulnerability.dismissalReason : (dismissalReason ?? null)
  const by = { dismissedAt: now, dismissedById: userId, dismissalReason: reason }
  return { ...vulnerability, ...by, ...end, state: 'dismissed' }
}

export const isTagChange = (change: Change): change is TagChange => aspects[change.action] === 'tags'

/** What an action changes: also the kind of its history entries. */
type ChangedAspect = Aspect | 'ref_state'

const aspects: Record<Change['action'], Aspect> = {
  confirm: 'state',
  resolve: 'state',
  dismiss: 'state',
  revert: 'state',
  severity: 'severity',
  due_date: 'due_date',
  assign: 'assignee',
  unassign: 'assignee',
  tag: 'tags',
  untag: 'tags',
  set_tags: 'tags',
}

export const aspectOf = (change: Change): ChangedAspect =>
  refOf(change) === undefined ? aspects[change.action] : 'ref_state'

/** Returns the ref to which a change is limited. */
export const refOf = (change: Change): string | undefined => ('ref' in change ? change.ref : undefined)

/** Returns the group in all projects of which a change applies. */
export const groupOf = (change: Change): DecidedGroup | undefined => ('group' in change ? change.group : undefined)

/** Usernames of the assignees before and after a change, by id. Other changes need none. */
export type Usernames = ReadonlyMap<number, string>

/** The end that a dismissal states, as history entries and audit events record it. */
export const describeRequestedEnd = ({ until, untilFixed }: DismissalEnd) => ({
  ...(until !== undefined && { dismissed_until: until }),
  ...(untilFixed !== undefined && { dismissed_until_fixed: untilFixed }),
})

/** Builds the history entry of a triage action. */
export function entryOf(
  { before, after }: { before: Vulnerability; after: Vulnerability },
  change: Change,
  context: ActionContext,
  usernames: Usernames = new Map(),
): HistoryEntry {
  const aspect = aspectOf(change)
  const ref = refOf(change)
  const shownIn = (vulnerability: Vulnerability) => {
    const { assigneeId, dueOn, tags } = vulnerability
    if (aspect === 'ref_state') return seenOnRef(vulnerability, ref).state
    if (aspect === 'tags') return tags.join(', ') || undefined
    if (aspect === 'assignee') return usernames.get(assigneeId ?? 0)
    return aspect === 'due_date' ? dueOn : vulnerability[aspect]
  }
  return {
    vulnerabilityId: after.id,
    kind: aspect,
    userId: context.userId,
    bulkId: context.bulkId,
    ref,
    from: shownIn(before),
    to: shownIn(after),
    comment: change.comment,
    dismissalReason: aspect === 'state' || aspect === 'ref_state' ? seenOnRef(after, ref).dismissalReason : null,
    details: detailsOf(before, after, change, context),
  }
}

/** Details of a triage action: what an undo restores, and the end of a dismissal. Null without either. */
function detailsOf(before: Vulnerability, after: Vulnerability, change: Change, { bulkId }: ActionContext) {
  const undone = bulkId === undefined ? {} : { before: formerOf(before, after, change) }
  const tagged = describeTags(before.tags, after.tags)
  const group = groupOf(change)
  const details = {
    ...undone,
    ...tagged,
    ...(change.action === 'dismiss' && describeEnd(seenOnRef(after, refOf(change)))),
    ...(group && { group_id: group.id, group: group.fullPath }),
  }
  return Object.keys(details).length === 0 ? null : details
}

const triaged = [
  'state',
  'severity',
  'isSeverityOverridden',
  'isAutoResolved',
  'dismissalReason',
  'dismissedUntil',
  'isDismissedUntilFixed',
  'confirmedAt',
  'confirmedById',
  'dismissedAt',
  'dismissedById',
  'resolvedAt',
  'resolvedById',
  'dueOn',
  'isDueOnOverridden',
  'ruleId',
  'ruleEffects',
] as const satisfies (keyof Vulnerability)[]

/** Fields that triage changes; a bulk change stores them for its undo. */
type Triage = Pick<Vulnerability, (typeof triaged)[number]>

/** Triage as bulk changes stored it before dismissals could end and rules existed. */
export type StoredTriage = Omit<Triage, keyof typeof noEnd | 'ruleId' | 'ruleEffects'> & Partial<Triage>

/** The assignee before a bulk change of assignees, which changes nothing else. */
type Assignment = Pick<Vulnerability, 'assigneeId'>

/** Fields that a bulk change has stored for its undo. */
export type Former = StoredTriage | Assignment | Tagging | RefTriage

/** The dismissal on a ref before a bulk change that was limited to it. */
interface RefTriage {
  ref: string
  refDismissal: RefDismissal | null
}

/** What a bulk change of tags did, so that its undo keeps other tags. */
interface Tagging {
  addedTags: readonly string[]
  removedTags: readonly string[]
}

const isTagging = (former: Former): former is Tagging => 'addedTags' in former

const isRefTriage = (former: Former): former is RefTriage => 'refDismissal' in former

export const isTriage = (former: Former): former is StoredTriage =>
  !isAssignment(former) && !isTagging(former) && !isRefTriage(former)

export const isAssignment = (former: Former): former is Assignment => 'assigneeId' in former

function formerOf(before: Vulnerability, after: Vulnerability, change: Change): Former {
  const [aspect, ref] = [aspectOf(change), refOf(change)]
  if (ref !== undefined) return { ref, refDismissal: before.refDismissals.find((one) => one.ref === ref) ?? null }
  if (aspect === 'assignee') return { assigneeId: before.assigneeId }
  if (aspect === 'tags') {
    return { addedTags: without(after.tags, before.tags), removedTags: without(before.tags, after.tags) }
  }
  return Object.fromEntries(triaged.map((name) => [name, before[name]])) as Triage // exactly these names
}

/**
 * Restores the fields of an earlier triage; returns the vulnerability itself if its tags are restored already. A severity
 * that was not overridden becomes the scanner's current one.
 */
export function restoreTriage(
  vulnerability: Vulnerability,
  before: Former,
  reported: Severity,
  now: string,
): Vulnerability {
  if (isAssignment(before)) return { ...vulnerability, ...before, updatedAt: now }
  if (isTagging(before)) {
    const kept = without(vulnerability.tags, before.addedTags)
    const tags = withTags(kept, before.removedTags).slice(0, maxTags)
    return isSame(tags, vulnerability.tags) ? vulnerability : { ...vulnerability, tags, updatedAt: now }
  }
  if (isRefTriage(before)) {
    return {
      ...vulnerability,
      refDismissals: withRefDismissal(vulnerability, before.ref, before.refDismissal),
      updatedAt: now,
    }
  }
  const severity = before.isSeverityOverridden ? before.severity : reported
  return { ...vulnerability, ...noEnd, ...before, ...effectsAfterUndo(vulnerability, before), severity, updatedAt: now }
}

/** Restores what a rule had changed, but for the assignee, which has an undo of its own. */
function effectsAfterUndo(
  { ruleId, ruleEffects }: Vulnerability,
  before: StoredTriage,
): Pick<Vulnerability, 'ruleId' | 'ruleEffects'> {
  if (!before.ruleEffects) return { ruleId, ruleEffects }
  const { assigneeId: _, ...restored } = before.ruleEffects
  const assigneeId = ruleEffects?.assigneeId
  const effects = { ...restored, ...(assigneeId !== undefined && { assigneeId }) }
  const isEmpty = Object.keys(effects).length === 0
  return isEmpty ? { ruleId: null, ruleEffects: null } : { ruleId: before.ruleId ?? null, ruleEffects: effects }
}

/** Returns a resolved vulnerability reopened, because an import found it again. */
export function reopened(vulnerability: Vulnerability, now: string): Vulnerability {
  const nobody = { resolvedAt: null, resolvedById: null, isAutoResolved: false }
  return { ...vulnerability, ...nobody, state: 'detected', updatedAt: now }
}

/** Returns a vulnerability resolved automatically, because it was no longer found. */
export function autoResolved(vulnerability: Vulnerability, now: string): Vulnerability {
  return {
    ...vulnerability,
    state: 'resolved',
    resolvedAt: now,
    resolvedById: null,
    isAutoResolved: true,
    updatedAt: now,
  }
}
