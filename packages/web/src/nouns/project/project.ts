import type { Schemas } from '@alcove/client'
import { createContext, useContext } from 'react'

type ProjectView = Schemas['Project']
type Basic =
  | 'id'
  | 'description'
  | 'name'
  | 'path'
  | 'path_with_namespace'
  | 'created_at'
  | 'topics'
  | 'web_url'
  | 'avatar_url'
  | 'star_count'
  | 'last_activity_at'
  | 'visibility'
  | 'namespace'

/** Project with the fields that every response contains; the others depend on the permissions of the caller. */
export type Project = Omit<ProjectView, Basic> & { [Name in Basic]-?: Exclude<ProjectView[Name], undefined> }

/**
 * Converts a response to `Project`. The OpenAPI document marks no field as required, because that would change the
 * field order.
 */
export const asProject = (view: ProjectView): Project => view as Project // every view contains the basic fields

/** Context of the pages of a project. */
export interface ProjectScreen {
  project: Project
  /** The user's access level in the project. */
  level: number
  /** True: the place is archived or a mirror, so that its content cannot be changed. */
  isReadOnly: boolean
  /** Returns the address of a page of the project, such as `to('uploads')`. */
  to: (part: string) => string
}

export const ProjectContext = createContext<ProjectScreen | undefined>(undefined)

export function useProject(): ProjectScreen {
  const screen = useContext(ProjectContext)
  if (!screen) throw new Error('useProject must be used inside a project page')
  return screen
}
