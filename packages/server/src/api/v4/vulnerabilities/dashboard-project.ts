import Type from 'typebox'
import type { Project } from '../../../domain/projects/project.ts'

/** Project of an entry of the security dashboard. */
export const projectFields = Type.Object({
  id: Type.Integer(),
  name: Type.String(),
  name_with_namespace: Type.String(),
  path_with_namespace: Type.String(),
  web_url: Type.String(),
})

export type ProjectView = ReturnType<typeof viewProject>

export const viewProject = (project: Project, origin: string) => ({
  id: project.id,
  name: project.name,
  name_with_namespace: `${project.namespace.fullName} / ${project.name}`,
  path_with_namespace: project.fullPath,
  web_url: `${origin}/${project.fullPath}`,
})
