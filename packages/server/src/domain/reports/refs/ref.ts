/** A branch or tag for which reports were imported. */
export interface Ref {
  projectId: number
  name: string
  lastReportAt: string
  /** Null while the ref is open. The findings of a closed ref are not present on it. */
  closedAt: string | null
}

/** Name of a ref in its project. */
export type RefName = Pick<Ref, 'projectId' | 'name'>
