import type { Category } from '../../findings/occurrences/categories.ts'

/** Project, ref and scope of a report. */
export interface ImportPlace {
  projectId: number
  ref: string
  defaultBranch: string
  /** Absent: the report covers the whole ref. */
  category: Category | undefined
  /** Artifact that the report describes, if it has no category; set after the report has been read. */
  artifact: string | undefined
  /** Whether the sender declares the scan as partial: see `IngestOptions`. */
  isPartial?: boolean | undefined
  /** Setting of the project; see `findImplausible`. Absent: no absences are held. */
  maxAbsentPercent?: number | null | undefined
  /** Absent in a dry run, which writes nothing. */
  importId: number | undefined
  now: string
}

/**
 * Returns true if this import may change the content of the finding. Once the default branch has observed a finding,
 * imports into other refs record its presence only.
 */
export const mayChange = (place: ImportPlace, known: { wasOnDefaultBranch: boolean }): boolean =>
  place.ref === place.defaultBranch || !known.wasOnDefaultBranch
