import type { DismissalReason } from '../../findings/scales.ts'
import type { Namespace } from '../../namespaces/namespace.ts'
import type { Project } from '../../projects/project.ts'

export interface TemplateDraft {
  name: string
  reason: DismissalReason
  comment: string
  /** Days until the dismissal ends, counted from the dismissal. */
  untilDays: number | null
  isUntilFixed: boolean
}

/**
 * Prepared dismissal of a project, a group, or with neither the instance. It fills in a form; a dismissal does not keep
 * which template it used.
 */
export interface DismissalTemplate extends TemplateDraft {
  id: number
  projectId: number | null
  namespaceId: number | null
  createdAt: string
  updatedAt: string
}

/** Level of templates: a project, a group, or with neither the instance. */
export interface TemplatePlace {
  project?: Project | undefined
  group?: Namespace | undefined
}
