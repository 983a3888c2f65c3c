import { notFound } from '../../../platform/failure.ts'
import { changesBetween, type Entity, instanceEntity } from '../../audit/audit-event.ts'
import { recordAuditEvent } from '../../audit/record.ts'
import { type Deps, transaction } from '../../deps.ts'
import { severities } from '../../findings/scales.ts'
import type { Job } from '../../jobs/jobs.ts'
import { findProgress } from '../../jobs/jobs.ts'
import { lineageOf } from '../../namespaces/namespace.ts'
import { findNamespaceById } from '../../namespaces/namespaces.ts'
import { findEntity } from '../../projects/audited-place.ts'
import { findProjectById } from '../../projects/projects.ts'
import { type DueDateOwner, dueDatesKey, queueDueDates } from '../../projects/queue-due-dates.ts'
import type { DueDatePolicy, DueDateRule } from './due-date-policy.ts'
import { deletePolicy, findPolicyOf, listPoliciesAbove, upsertPolicy } from './due-date-policy-queries.ts'

export interface DueDatePolicies {
  own: DueDatePolicy | undefined
  /** The policy that applies without a policy of its own. */
  inherited: DueDatePolicy | undefined
  /** The queued, running or failed update of due dates by a policy of this level. */
  update: Pick<Job, 'state' | 'done' | 'total'> | undefined
}

export async function getPolicies(deps: Deps, owner: DueDateOwner): Promise<DueDatePolicies> {
  const [own, inherited, update] = await Promise.all([
    findPolicyOf(deps.db, owner),
    findInheritedPolicy(deps, owner),
    findProgress(deps, dueDatesKey(owner)),
  ])
  return { own, inherited, update }
}

/** Returns the policy of the nearest group above, or that of the instance. */
export async function findInheritedPolicy(deps: Deps, owner: DueDateOwner): Promise<DueDatePolicy | undefined> {
  if (owner.kind === 'instance') return undefined
  const ids = await listAncestors(deps, owner)
  const policies = await listPoliciesAbove(deps.db, ids)
  const depth = ({ namespaceId }: DueDatePolicy) => (namespaceId === null ? -1 : ids.indexOf(namespaceId))
  return policies.sort((a, b) => depth(b) - depth(a))[0]
}

/** Returns the ids of the namespaces above, from the root downwards. */
async function listAncestors({ db }: Deps, { kind, id }: Exclude<DueDateOwner, { kind: 'instance' }>) {
  if (kind === 'project') {
    const project = await findProjectById(db, id)
    return project ? lineageOf(project.namespace) : []
  }
  const group = await findNamespaceById(db, id)
  return group ? lineageOf(group).slice(0, -1) : []
}

/** Sets the policy of an owner and queues the update of the due dates that it changes. */
export function savePolicy(deps: Deps, owner: DueDateOwner, rule: DueDateRule): Promise<void> {
  return transaction(deps, async (deps) => {
    const before = await findPolicyOf(deps.db, owner)
    await upsertPolicy(deps.db, owner, rule, deps.now())
    const after = await findPolicyOf(deps.db, owner)
    if (!after) throw new Error('a stored policy returned no row')
    await recordPolicyEvent(deps, owner, { before, after })
    await queueDueDates(deps, owner)
  })
}

/** Removes the policy of an owner, so that the next one above applies, and queues the update of the due dates. */
export function removePolicy(deps: Deps, owner: DueDateOwner): Promise<void> {
  return transaction(deps, async (deps) => {
    const before = await findPolicyOf(deps.db, owner)
    if (!before) throw notFound()
    await deletePolicy(deps.db, owner)
    await recordPolicyEvent(deps, owner, { before })
    await queueDueDates(deps, owner)
  })
}

interface ChangedPolicy {
  before?: DueDatePolicy | undefined
  after?: DueDatePolicy
}

async function recordPolicyEvent(deps: Deps, owner: DueDateOwner, { before, after }: ChangedPolicy): Promise<void> {
  const entity: Entity = owner.kind === 'instance' ? instanceEntity : await findEntity(deps, owner)
  const done = after ? (before ? 'updated' : 'created') : 'destroyed'
  await recordAuditEvent(deps, `due_date_policy_${done}`, {
    entity,
    message: messages[done],
    target: { type: 'DueDatePolicy', id: (after ?? before)?.id ?? 0, name: entity.path },
    changes: changesBetween(auditedFields(before), auditedFields(after), auditedNames),
  })
}

const messages = {
  created: 'Set the due date policy',
  updated: 'Changed the due date policy',
  destroyed: 'Removed the due date policy',
} as const

const auditedNames: Readonly<Record<string, string>> = {
  counted_from: 'counted_from',
  ...Object.fromEntries(severities.map((severity) => [`${severity}_days`, `${severity}_days`])),
}

function auditedFields(policy: DueDatePolicy | undefined): Record<string, unknown> {
  const days = severities.map((severity) => [`${severity}_days`, policy?.days[severity] ?? null])
  return { counted_from: policy?.countedFrom ?? null, ...Object.fromEntries(days) }
}
