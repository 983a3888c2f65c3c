import type { DismissalReason } from '../../findings/scales.ts'

/** A suppression in the source or in the configuration of a scanner, as a report states it. */
export interface Suppression {
  /** Where it is stated, such as `in the source`. */
  source: string
  justification: string | null
  reason: DismissalReason | null
  /** Day (UTC) on which it ends. */
  until: string | null
}

/** A suppression in the last report that covered its finding. */
export interface StoredSuppression extends Suppression {
  findingId: number
  scannerId: number
  scannerName: string
  /** Whether it has dismissed the vulnerability. */
  isApplied: boolean
  vulnerabilityId: number | null
  /** State of the vulnerability. */
  state: string | null
}

export const isSame = (one: Suppression, other: Suppression): boolean =>
  one.source === other.source &&
  one.justification === other.justification &&
  one.reason === other.reason &&
  one.until === other.until
