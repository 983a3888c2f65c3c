import type { Schemas } from '@alcove/client'

export type DismissalTemplate = Schemas['DismissalTemplate']

/** Project, group or instance whose dismissal templates are offered. */
export type TemplatePlace = { kind: 'project' | 'group'; id: number } | { kind: 'instance' }

const groupPath = '/groups/{id}/dismissal_templates'
const paths = {
  project: '/projects/{id}/dismissal_templates',
  group: groupPath,
  instance: '/admin/dismissal_templates',
}

/** Returns the path and parameters of the operations of a place. */
export const operationsOf = (place: TemplatePlace) => ({
  // The operations of all places have the types of a group's. The client fills only parameters that the path has.
  path: paths[place.kind] as typeof groupPath,
  id: place.kind === 'instance' ? 0 : place.id,
})
