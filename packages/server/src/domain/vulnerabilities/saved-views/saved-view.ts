import type { Namespace } from '../../namespaces/namespace.ts'
import type { Project } from '../../projects/project.ts'
import type { Person } from '../../users/user.ts'
import type { VulnerabilityFilter, VulnerabilitySort } from '../list/filter.ts'

/** The list that a view belongs to: of a project, of a group, or of the whole instance. */
export type ViewPlace =
  | { project: Project; group?: undefined }
  | { group: Namespace; project?: undefined }
  | InstancePlace

interface InstancePlace {
  project?: undefined
  group?: undefined
}

/** What a view selects, independent of its reader. */
export interface ViewConditions {
  filter: VulnerabilityFilter
  projectIds?: readonly number[] | undefined
  groupId?: number | undefined
  topics?: readonly string[] | undefined
}

export interface ViewDraft {
  name: string
  /** Parameters of the list, as the API names them, so that `me` stands for the reader of the view. */
  filter: object
  /** The same filter as the server applies it; null if it depends on the reader. */
  conditions: ViewConditions | null
  sort: VulnerabilitySort
  /** Whether everyone who may read the list can use the view. */
  isShared: boolean
}

/** A named filter and order of a list of vulnerabilities. */
export interface SavedView extends ViewDraft {
  id: number
  projectId: number | null
  namespaceId: number | null
  userId: number
  author: Person
  createdAt: string
  updatedAt: string
  /** Whether the reader opens the list with this view. */
  isDefault: boolean
}
