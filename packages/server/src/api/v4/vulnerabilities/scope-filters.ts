import Type, { type Static } from 'typebox'
import type { Caller } from '../../../domain/access/callers.ts'
import type { RootDeps } from '../../../domain/deps.ts'
import { resolveVisibleGroup } from '../../../domain/projects/resolve-visible.ts'
import type { ListScope } from '../../../domain/vulnerabilities/list/filter.ts'
import { readableScope } from '../../../domain/vulnerabilities/list/readable-scope.ts'
import { integer, integerList, optional, textList } from '../../../http/params/input.ts'
import { notFound } from '../../../platform/failure.ts'

/** Parameter that selects some projects of a list. */
export const projectFilter = optional(
  integerList({ commaSeparated: true, description: 'Only vulnerabilities of these projects' }),
)

/** Parameters that select projects of the whole instance. */
export const scopeProperties = {
  group_id: optional(integer({ description: 'Only projects of this group and its subgroups' })),
  project_id: projectFilter,
  topic: optional(
    textList({ commaSeparated: true, description: 'Topic names; only projects that have all of these topics' }),
  ),
}

const scopeInput = Type.Object(scopeProperties)

/** Returns the readable projects that the parameters select. Responds with 404 for a group that the caller cannot see. */
export async function instanceScope(
  deps: RootDeps,
  caller: Caller,
  { group_id, project_id, topic }: Static<typeof scopeInput>,
): Promise<ListScope> {
  const group = group_id === undefined ? undefined : await resolveVisibleGroup(deps, caller, String(group_id))
  if (group_id !== undefined && !group) throw notFound('Group')
  return readableScope(deps, caller, { group: group?.found, projectIds: project_id, topics: topic })
}
