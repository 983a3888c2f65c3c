import type { MergedFinding, ReportFinding } from '../formats/report.ts'

/** Notices suppressed findings that another entry of the report states without a suppression. */
export interface SuppressedFindings {
  kept: (finding: ReportFinding) => void
  merged: (finding: Pick<ReportFinding, 'suppression'>, merged: MergedFinding) => void
  /** Pointers of kept findings that are not suppressed after all. */
  unsuppressed: () => string[]
}

/** `mayMergeForward`: whether a duplicate may precede the finding that stays. */
export function startSuppressedFindings(mayMergeForward: boolean): SuppressedFindings {
  const suppressed = new Set<string>()
  const plain = new Set<string>()
  return {
    kept({ pointer, suppression }) {
      if (suppression) suppressed.add(pointer)
    },
    merged({ suppression }, { into }) {
      if (!suppression && (mayMergeForward || suppressed.has(into))) plain.add(into)
    },
    unsuppressed: () => [...plain].filter((pointer) => suppressed.has(pointer)),
  }
}
