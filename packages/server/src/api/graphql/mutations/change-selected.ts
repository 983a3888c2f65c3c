import { GraphQLError } from 'graphql'
import type { Permission } from '../../../domain/access/permissions.ts'
import { transaction } from '../../../domain/deps.ts'
import { groupBy } from '../../../domain/group-by.ts'
import type { Project } from '../../../domain/projects/project.ts'
import { loadVulnerabilities } from '../../../domain/vulnerabilities/list/list.ts'
import { changeMany } from '../../../domain/vulnerabilities/triage/bulk/bulk.ts'
import type { Change } from '../../../domain/vulnerabilities/triage/change.ts'
import type { VulnerabilityWithFinding } from '../../../domain/vulnerabilities/vulnerability.ts'
import { notFound } from '../../../platform/failure.ts'
import type { Context } from '../context.ts'
import { callerOf, permitWrite } from './mutation.ts'

/** Maximum number of vulnerabilities in one mutation, as in GitLab. */
const maxSelected = 100

/** Throws GitLab's sentences when the number of ids is out of bounds. */
export function assertSelection(ids: readonly number[]): void {
  if (ids.length > maxSelected) throw new GraphQLError(`Maximum vulnerability_ids exceeded (${maxSelected})`)
  if (ids.length === 0) throw new GraphQLError('At least 1 value must be provided for vulnerability_ids')
}

/** Returns the vulnerabilities in the order of their ids. Throws unless there are all of them. */
async function loadSelected({ deps }: Context, ids: readonly number[]): Promise<VulnerabilityWithFinding[]> {
  const distinct = [...new Set(ids)]
  const found = await loadVulnerabilities(deps, distinct)
  if (found.length < distinct.length) throw notFound()
  return found
}

/** Changes vulnerabilities of any projects in one transaction, if the caller may change all of them. */
export async function changeSelected(
  context: Context,
  ids: readonly number[],
  change: Change,
): Promise<VulnerabilityWithFinding[]> {
  const { user } = callerOf(context)
  assertSelection(ids)
  const selected = await loadSelected(context, ids)
  const byProject = groupBy(selected, ({ vulnerability }) => vulnerability.projectId)
  const permission: Permission = 'vulnerability.bulk'
  const parts: { project: Project; ids: number[] }[] = []
  // In the order of projects, as every other change of many, to avoid deadlocks.
  for (const [projectId, rows] of [...byProject].sort(([a], [b]) => a - b)) {
    const { project } = (await permitWrite(context, permission, projectId)) as { project: Project } // of this row
    parts.push({ project, ids: rows.map(({ vulnerability }) => vulnerability.id) })
  }
  await transaction(context.deps, async (deps) => {
    for (const { project, ids } of parts) await changeMany(deps, project, user, { selection: { ids }, change })
  })
  return loadSelected(context, ids)
}
