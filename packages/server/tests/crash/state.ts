/** Data of one writer by name, as acknowledged or as found on the server. */
export interface State {
  topics: Record<string, TopicState>
  projects: Record<string, ProjectState>
}

export interface TopicState {
  title: string
  description: string | null
  /** SHA-256 of the avatar. */
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

/** Excludes findings that are neither present nor promoted, because no list contains them. */
export interface FindingState {
  severity: string
  isPresent: boolean
  isPromoted: boolean
}

/** Ids by name; unacknowledged resources have none. */
export type Ids = Map<string, number>

export function emptyState(): State {
  return { topics: {}, projects: {} }
}

/** Returns a canonical text of the state. */
export function describe(state: State): string {
  return JSON.stringify(state, (_, value: unknown) => {
    if (Array.isArray(value)) return value.toSorted()
    if (typeof value !== 'object' || value === null) return value
    return Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)))
  })
}
