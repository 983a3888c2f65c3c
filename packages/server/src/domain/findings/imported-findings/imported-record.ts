/** A finding of another product, as its import has recorded it. */
export interface ImportedRecord {
  id: number
  findingId: number
  source: string
  sourceId: string
  sourceName: string
  sourceUrl: string | null
  digest: string
  isCreated: boolean
  applied: object
}

export type NewImportedRecord = Omit<ImportedRecord, 'id'>

/** Where a finding was imported from. */
export type Origin = Pick<ImportedRecord, 'source' | 'sourceName' | 'sourceId' | 'sourceUrl' | 'isCreated'> & {
  createdAt: string
  updatedAt: string
}

/** An imported finding in the list of a project. */
export interface ImportedFinding extends Origin {
  title: string
  /** Null: the finding awaits promotion. */
  vulnerabilityId: number | null
}

export interface ImportedFilter {
  source?: string | undefined
  sourceName?: string | undefined
}

/** A stored finding that an imported record may be. */
export interface KnownFacts {
  id: number
  uuid: string
  vulnerabilityId: number | null
  title: string
  reportType: string
  packageName: string | null
  location: { [key: string]: unknown }
}
