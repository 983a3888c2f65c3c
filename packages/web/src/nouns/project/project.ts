import type { Schemas } from '@alcove/client'
import { createContext, useContext } from 'react'

type Told = Schemas['Project']
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

/** What every answer about a project has is there; the rest depends on who asks. */
export type Project = Omit<Told, Basic> & { [Name in Basic]-?: Exclude<Told[Name], undefined> }

/** The document requires no field of a project, because the server writes what is required before everything else. */
export const asProject = (told: Told): Project => told as Project // the basic fields are in each of its views

/** What the screens of a project know of it. */
export interface ProjectScreen {
  project: Project
  /** The caller's access level in it. */
  level: number
  /** The address of a screen: `to('uploads')`. */
  to: (part: string) => string
}

export const ProjectContext = createContext<ProjectScreen | undefined>(undefined)

export function useProject(): ProjectScreen {
  const screen = useContext(ProjectContext)
  if (!screen) throw new Error('this belongs on a page of a project')
  return screen
}
