/** What one writer owns on the server, by name, as it was acknowledged or as it is found there. */
export interface State {
  topics: Record<string, TopicState>
  projects: Record<string, ProjectState>
}

export interface TopicState {
  title: string
  description: string | null
  /** SHA-256 of the picture. */
  avatar: string | null
}

export interface ProjectState {
  topics: string[]
  uploads: Record<string, UploadState>
  findings: Record<string, FindingState>
}

export interface UploadState {
  sha256: string
  bytes: number
  isDeleted: boolean
}

/** Findings that are neither on the branch nor promoted are told by no list, and so are not kept here. */
export interface FindingState {
  severity: string
  isPresent: boolean
  isPromoted: boolean
}

/** The numbers behind the names; what was never acknowledged has none. */
export type Ids = Map<string, number>

export function emptyState(): State {
  return { topics: {}, projects: {} }
}

/** The same text for the same state, whatever order things were written in. */
export function describe(state: State): string {
  return JSON.stringify(state, (_, value: unknown) => {
    if (Array.isArray(value)) return value.toSorted()
    if (typeof value !== 'object' || value === null) return value
    return Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)))
  })
}
