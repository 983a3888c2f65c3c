import type { Deps } from '../deps.ts'
import { enqueue } from '../jobs/job.ts'

export const rulesKind = 'vulnerability-rules'

/** Owner of rules that triage vulnerabilities. */
export type RuleOwner = { kind: 'project' | 'group'; id: number } | { kind: 'instance' }

export interface RulesJob {
  owner: RuleOwner
}

/** Key of the job that applies the rules to the vulnerabilities of an owner. */
export const rulesKey = (owner: RuleOwner): string =>
  owner.kind === 'instance' ? `${rulesKind}:instance` : `${rulesKind}:${owner.kind}:${owner.id}`

/** Queues the application of all rules to the vulnerabilities of an owner. */
export async function queueRules(deps: Deps, owner: RuleOwner): Promise<void> {
  const payload: RulesJob = { owner }
  await enqueue(deps, { kind: rulesKind, key: rulesKey(owner), payload })
}
