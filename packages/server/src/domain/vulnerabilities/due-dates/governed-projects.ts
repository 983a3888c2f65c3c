import { notFound } from '../../../platform/failure.ts'
import type { Deps } from '../../deps.ts'
import { findNamespaceById } from '../../namespaces/namespaces.ts'
import type { DueDateOwner } from '../../projects/queue-due-dates.ts'
import { listGovernedProjects } from './due-date-policy-queries.ts'

/** Returns the ids of the projects to which a policy of this level applies, or would apply. */
export async function governedProjects({ db }: Deps, owner: DueDateOwner): Promise<number[]> {
  if (owner.kind !== 'group') return listGovernedProjects(db, owner)
  const group = await findNamespaceById(db, owner.id)
  if (!group) throw notFound('Group')
  return listGovernedProjects(db, owner, group)
}
