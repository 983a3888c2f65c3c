import { invalid } from '../../../platform/failure.ts'
import type { Deps } from '../../deps.ts'
import { findProjectById } from '../../projects/projects.ts'
import { findUserByUsername } from '../../users/users.ts'
import { mayTriage } from '../triage/assignees.ts'
import type { ReadRule } from './read-rule.ts'
import type { RuleAction, RuleDraft, RuleOwner } from './rule.ts'

/** Replaces the username of the assignee by the id of the user. */
export async function resolveRule(deps: Deps, owner: RuleOwner, { assignee, ...rule }: ReadRule): Promise<RuleDraft> {
  return { ...rule, action: await resolveAction(deps, owner, { action: rule.action, assignee }) }
}

export async function resolveAction(
  deps: Deps,
  owner: RuleOwner,
  { action, assignee }: Pick<ReadRule, 'action' | 'assignee'>,
): Promise<RuleAction> {
  return assignee === undefined ? action : { ...action, assigneeId: await findAssignee(deps, owner, assignee) }
}

/** Of a project, only users can be assigned who may triage there. Below a group, this is tested for each project later. */
async function findAssignee(deps: Deps, owner: RuleOwner, username: string): Promise<number> {
  const user = await findUserByUsername(deps.db, username)
  const project = owner.kind === 'project' ? await findProjectById(deps.db, owner.id) : undefined
  if (!user || (project && !(await mayTriage(deps, project, user.id)))) {
    throw invalid({ action: [`assignee: ${username.slice(0, 100)} is not a user who may triage vulnerabilities here`] })
  }
  return user.id
}
