import type { Deps } from '../deps.ts'
import { enqueue } from '../jobs/job.ts'

export const dueDatesKind = 'due-dates'

/** Owner of a policy of due dates. Where it has none, that of the next level applies to its projects. */
export type DueDateOwner = { kind: 'project' | 'group'; id: number } | { kind: 'instance' }

export interface DueDatesJob {
  owner: DueDateOwner
}

/** Key of the job that updates the due dates of an owner. */
export const dueDatesKey = (owner: DueDateOwner): string =>
  owner.kind === 'instance' ? `${dueDatesKind}:instance` : `${dueDatesKind}:${owner.kind}:${owner.id}`

/** Queues an update of the due dates that the policy of this level sets, or that of a level above it. */
export async function queueDueDates(deps: Deps, owner: DueDateOwner): Promise<void> {
  const payload: DueDatesJob = { owner }
  await enqueue(deps, { kind: dueDatesKind, key: dueDatesKey(owner), payload })
}
