import type { Schemas } from '@alcove/client'
import { type ReactNode, useContext } from 'react'
import { QueryResult } from '../../components/page/states.tsx'
import { useApiQuery } from '../../data/api.ts'
import { isWithin, LimitsContext, levelIn, type SessionState, useSession } from '../../data/session.ts'
import { limitsOf } from '../mirror/limits.ts'
import { asProject, ProjectContext, type ProjectScreen } from './project.ts'

/** Returns what the pages of a project know of it. */
export function projectScreen(view: Schemas['Project'], session: SessionState): ProjectScreen {
  const project = asProject(view)
  return {
    project,
    level: levelIn(project, session),
    isReadOnly: !isWithin(limitsOf(project), 'content'),
    to: (part) => `/${project.path_with_namespace}${part && `/-/${part}`}`,
  }
}

/** Provides the context of a project outside its own pages, such as in a list of many projects. */
export function ProjectScope({ path, children }: { path: string; children: ReactNode }) {
  const here = useContext(ProjectContext)
  return here?.project.path_with_namespace === path ? children : <OtherProject path={path}>{children}</OtherProject>
}

function OtherProject({ path, children }: { path: string; children: ReactNode }) {
  const session = useSession()
  const query = useApiQuery('GET /projects/{id}', { path: { id: path } })
  return (
    <QueryResult query={query}>
      {(view) => {
        const screen = projectScreen(view, session)
        return (
          <ProjectContext value={screen}>
            <LimitsContext value={limitsOf(screen.project)}>{children}</LimitsContext>
          </ProjectContext>
        )
      }}
    </QueryResult>
  )
}
