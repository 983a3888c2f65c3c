import Type from 'typebox'
import type { ViewConditions, ViewPlace } from '../../../domain/vulnerabilities/saved-views/saved-view.ts'
import { compileInput } from '../../../http/params/compile-input.ts'
import type { RawParams } from '../../../http/params/raw-params.ts'
import { assertKnown, type FilterCaller, filterProperties, isPersonal, readFilter } from '../vulnerabilities/filters.ts'
import { projectFilter, scopeProperties } from '../vulnerabilities/scope-filters.ts'

/** Filters of the list of each kind of place. */
const filters = {
  project: filterProperties,
  group: { ...filterProperties, project_id: projectFilter },
  instance: { ...filterProperties, ...scopeProperties },
} as const
export type ViewKind = keyof typeof filters

const readers = {
  project: compileInput(Type.Object(filters.project)),
  group: compileInput(Type.Object(filters.group)),
  instance: compileInput(Type.Object(filters.instance)),
}

/** Validates a filter as the list does, and returns it as it was given and as the server applies it. */
export function readViewFilter(kind: ViewKind, params: RawParams, caller: FilterCaller) {
  assertKnown('filter', params, filters[kind])
  readFilter(readers[kind](params), caller)
  return { filter: params, conditions: conditionsOf(kind, params, caller) }
}

/** Returns what a valid filter selects, or null if that depends on the caller. */
export function conditionsOf(kind: ViewKind, params: RawParams, caller: FilterCaller): ViewConditions | null {
  // A reader returns the parameters of its kind of place; the others are absent.
  const input: Partial<ReturnType<typeof readers.instance>> = readers[kind](params)
  if (isPersonal(input)) return null
  const { project_id: projectIds, group_id: groupId, topic: topics } = input
  return { filter: readFilter(input, caller), projectIds, groupId, topics }
}

export const kindOf = ({ project, group }: ViewPlace): ViewKind => (project ? 'project' : group ? 'group' : 'instance')
