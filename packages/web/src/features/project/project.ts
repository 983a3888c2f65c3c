import type { AnswerOf } from '@alcove/client'
import { createContext, useContext } from 'react'

export type Project = AnswerOf<'GET /projects/{id}'>

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
