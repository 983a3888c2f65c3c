import type { DismissalReason } from '../../../findings/scales.ts'
import type { RefDismissal, Vulnerability } from '../../vulnerability.ts'
import type { DismissalEnd } from './dismissal-end.ts'

/** What a user decides on a ref. */
interface Decision extends DismissalEnd {
  comment?: string | undefined
  dismissalReason?: DismissalReason | undefined
}

/** Returns whether dismissals on single refs count in this state. */
const isOpen = ({ state }: Pick<Vulnerability, 'state'>): boolean => state === 'detected' || state === 'confirmed'

/** Returns the dismissal that counts on the ref. */
export const dismissalOn = (vulnerability: Vulnerability, ref: string): RefDismissal | undefined =>
  isOpen(vulnerability) ? vulnerability.refDismissals.find((one) => one.ref === ref) : undefined

/** Returns the dismissals with that of a ref replaced, or removed. */
export function withRefDismissal(
  { refDismissals }: Vulnerability,
  ref: string,
  dismissal: RefDismissal | null,
): RefDismissal[] {
  const others = refDismissals.filter((one) => one.ref !== ref)
  return [...others, ...(dismissal ? [dismissal] : [])].sort((a, b) => (a.ref < b.ref ? -1 : 1))
}

/**
 * Dismisses a vulnerability on a ref, or changes reason, end or comment of that dismissal; returns `undefined` if nothing
 * changes, or if the vulnerability is not open.
 */
export function dismissOnRef(
  vulnerability: Vulnerability,
  { comment, dismissalReason, until, untilFixed }: Decision,
  { ref, userId, now, isBulk }: { ref: string; userId: number | null; now: string; isBulk: boolean },
): Vulnerability | undefined {
  if (!isOpen(vulnerability)) return undefined
  const former = dismissalOn(vulnerability, ref)
  const dismissal = {
    ref,
    reason: dismissalReason ?? former?.reason ?? null,
    until: until === undefined ? (former?.until ?? null) : until,
    untilFixed: untilFixed ?? former?.untilFixed ?? false,
    dismissedAt: now,
    dismissedById: userId,
  }
  const isCommented = comment !== undefined && !isBulk
  const isSame =
    former?.reason === dismissal.reason &&
    former.until === dismissal.until &&
    former.untilFixed === dismissal.untilFixed
  if (isSame && !isCommented) return undefined
  return { ...vulnerability, refDismissals: withRefDismissal(vulnerability, ref, dismissal), updatedAt: now }
}

/** Returns the ref on which the dismissal differs; an undo changes one at most. */
export const changedRef = (before: Vulnerability, after: Vulnerability): string | undefined =>
  before.refDismissals === after.refDismissals
    ? undefined
    : [...before.refDismissals, ...after.refDismissals].find(
        (one) => !(before.refDismissals.includes(one) && after.refDismissals.includes(one)),
      )?.ref

/** Ends the dismissal on a ref; returns `undefined` if there is none. */
export function revertOnRef(vulnerability: Vulnerability, ref: string, now: string): Vulnerability | undefined {
  if (!vulnerability.refDismissals.some((one) => one.ref === ref)) return undefined
  return { ...vulnerability, refDismissals: withRefDismissal(vulnerability, ref, null), updatedAt: now }
}

/** Returns the vulnerability as a list of this ref shows it. */
export function seenOnRef(vulnerability: Vulnerability, ref: string | undefined): Vulnerability {
  const dismissal = ref === undefined ? undefined : dismissalOn(vulnerability, ref)
  if (!dismissal) return vulnerability
  const { reason, until, untilFixed, dismissedAt, dismissedById } = dismissal
  const end = { dismissedUntil: until, isDismissedUntilFixed: untilFixed }
  return {
    ...vulnerability,
    ...end,
    state: 'dismissed',
    dismissalReason: reason,
    dismissedAt,
    dismissedById,
    shownRef: dismissal.ref,
  }
}

/** How far a dismissal reaches. Null: the vulnerability is not dismissed anywhere. */
export const dismissalScopes = ['all_refs', 'ref', 'group'] as const
export type DismissalScope = (typeof dismissalScopes)[number]

export function dismissalScopeOf(vulnerability: Vulnerability): DismissalScope | null {
  const { state, refDismissals, shownRef, groupRuleId } = vulnerability
  if (shownRef !== undefined) return 'ref'
  if (isOpen({ state })) return refDismissals.length > 0 ? 'ref' : null
  if (state !== 'dismissed') return null
  return groupRuleId === null ? 'all_refs' : 'group'
}
