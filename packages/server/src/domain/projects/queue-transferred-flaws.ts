import type { Deps } from '../deps.ts'
import { enqueue } from '../jobs/job.ts'

export const transferredFlawsKind = 'transferred-flaws'

/** What was transferred: a project, or a group with everything below it. */
export interface TransferredFlawsJob {
  owner: { kind: 'project' | 'group'; id: number }
}

/** Queues the flaws of a transferred project or group, because splits and joins of its former group end there. */
export async function queueTransferredFlaws(deps: Deps, owner: TransferredFlawsJob['owner']): Promise<void> {
  const payload: TransferredFlawsJob = { owner }
  await enqueue(deps, { kind: transferredFlawsKind, key: `${transferredFlawsKind}:${owner.kind}:${owner.id}`, payload })
}
