import type { Namespace } from '../../namespaces/namespace.ts'
import type { Project } from '../../projects/project.ts'

/** Named mapping of generic reports. Reports of a project name its mappings and those of the groups above it. */
export interface ReportMapping {
  id: number
  projectId: number | null
  namespaceId: number | null
  name: string
  /** As the parameter of a report. */
  mapping: object
  createdAt: string
  updatedAt: string
}

export type MappingPlace = { project: Project; group?: undefined } | { group: Namespace; project?: undefined }

export type MappingDraft = Pick<ReportMapping, 'name' | 'mapping'>
