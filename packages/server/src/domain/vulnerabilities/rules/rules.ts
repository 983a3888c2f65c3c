import { invalid, limitReached, notFound } from '../../../platform/failure.ts'
import { type Deps, transaction } from '../../deps.ts'
import type { Job } from '../../jobs/jobs.ts'
import { findProgress } from '../../jobs/jobs.ts'
import type { Optional } from '../../optional.ts'
import { queueRules, rulesKey } from '../../projects/queue-rules.ts'
import { findUsersById } from '../../users/users.ts'
import type { Assignee } from '../vulnerability.ts'
import { assertRule } from './assert-rule.ts'
import { recordRuleEvent } from './audited-rules.ts'
import { isTimed, type Rule, type RuleDraft, type RuleOrigin, type RuleOwner } from './rule.ts'
import * as queries from './rule-queries.ts'

/** Maximum numbers of rules that an owner may have. */
const maxRules: Readonly<Record<Exclude<RuleOrigin, 'file'>, number>> = { decision: 2_000, user: 200 }

export interface OwnedRules {
  /** In the order in which they apply. */
  rules: Rule[]
  /** The enabled rules of the levels above, which apply after them. */
  inherited: Rule[]
  /** Numbers of vulnerabilities that the rules have changed, by id. */
  changed: ReadonlyMap<number, number>
  /** Those who have created the rules and to whom they assign, by id. */
  users: ReadonlyMap<number, Assignee>
  /** The queued, running or failed application of the rules to the vulnerabilities of the owner. */
  update: Pick<Job, 'state' | 'done' | 'total'> | undefined
}

export async function getRules(deps: Deps, owner: RuleOwner): Promise<OwnedRules> {
  const [rules, inherited, update] = await Promise.all([
    queries.listRulesOf(deps.db, owner),
    queries.listInherited(deps.db, owner),
    findProgress(deps, rulesKey(owner)),
  ])
  const ids = rules.map(({ id }) => id)
  const changed = ids.length === 0 ? new Map<number, number>() : await queries.countChangedBy(deps.db, ids)
  return { rules, inherited, changed, users: await findUsersOf(deps, [...rules, ...inherited]), update }
}

/** Returns the users whom rules name, by id. */
async function findUsersOf(deps: Deps, rules: readonly Rule[]): Promise<ReadonlyMap<number, Assignee>> {
  const ids = rules.flatMap(({ createdById, action }) => [
    ...(createdById ? [createdById] : []),
    ...(action.assigneeId ? [action.assigneeId] : []),
  ])
  const users = ids.length === 0 ? [] : await findUsersById(deps.db, [...new Set(ids)])
  return new Map(users.map((user) => [user.id, user]))
}

/** Returns a rule of the owner. */
export async function getRule({ db }: Deps, owner: RuleOwner, id: number): Promise<Rule> {
  const found = await queries.findRule(db, owner, id)
  if (!found) throw notFound()
  return found
}

export interface CreatedRule extends RuleDraft {
  origin: Exclude<RuleOrigin, 'file'>
  createdById: number | null
}

/** Creates a rule after the others of its origin, and queues its application. */
export function createRule(deps: Deps, owner: RuleOwner, { origin, ...draft }: CreatedRule): Promise<Rule> {
  return transaction(deps, async (deps) => {
    assertRule(draft, deps.now())
    if ((await queries.countRules(deps.db, owner, origin)) >= maxRules[origin]) {
      throw limitReached(`there may be up to ${maxRules[origin]} rules here`)
    }
    const row = { ...draft, isTimed: isTimed(draft) }
    const [id = 0] = await queries.insertRules(deps.db, { owner, origin, file: null }, [row], deps.now())
    const rule = await getRule(deps, owner, id)
    await recordRuleEvent(deps, owner, { after: rule })
    await applyAgain(deps, owner)
    return rule
  })
}

export interface RuleChanges extends Optional<RuleDraft> {
  /** Place among the rules of the same origin, from 1. A number beyond the end means the end. */
  position?: number | undefined
}

/** Changes or moves a rule. Rules of files are replaced with their file only. */
export function changeRule(deps: Deps, owner: RuleOwner, id: number, changes: RuleChanges): Promise<Rule> {
  return transaction(deps, async (deps) => {
    const before = await getEditable(deps, owner, id)
    const { position, ...fields } = changes
    const draft: RuleDraft = { ...draftOf(before), ...withoutUndefined(fields) }
    // A rule whose end has passed can still be disabled or moved.
    if (fields.match || fields.action || fields.name !== undefined) assertRule(draft, deps.now())
    await queries.updateRule(deps.db, id, { ...draft, isTimed: isTimed(draft) }, deps.now())
    if (position !== undefined) await move(deps, owner, before, position)
    const after = await getRule(deps, owner, id)
    await recordRuleEvent(deps, owner, { before, after })
    await applyAgain(deps, owner)
    return after
  })
}

async function move({ db }: Deps, owner: RuleOwner, rule: Rule, position: number): Promise<void> {
  const total = await queries.countRules(db, owner, rule.origin)
  const to = Math.min(Math.max(position, 1), total)
  if (to !== rule.position) await queries.moveRule(db, groupOf(owner, rule), { id: rule.id, from: rule.position, to })
}

/** Deletes a rule, and queues a job that reverts what it changed. */
export function removeRule(deps: Deps, owner: RuleOwner, id: number): Promise<void> {
  return transaction(deps, async (deps) => {
    const before = await getEditable(deps, owner, id)
    await queries.deleteRule(deps.db, groupOf(owner, before), before)
    await recordRuleEvent(deps, owner, { before })
    await applyAgain(deps, owner)
  })
}

/** Applies the rules of an owner from the beginning. */
export async function applyAgain(deps: Deps, owner: RuleOwner): Promise<void> {
  await queries.resetRun(deps.db, rulesKey(owner))
  await queueRules(deps, owner)
}

async function getEditable(deps: Deps, owner: RuleOwner, id: number): Promise<Rule> {
  const rule = await getRule(deps, owner, id)
  if (rule.origin === 'file') throw invalid({ base: [`the rule belongs to the file ${rule.file}; change it there`] })
  return rule
}

const groupOf = (owner: RuleOwner, { origin, file }: Rule) => ({ owner, origin, file })

const draftOf = ({ name, isEnabled, match, action }: Rule): RuleDraft => ({ name, isEnabled, match, action })

const withoutUndefined = (fields: Optional<RuleDraft>): Partial<RuleDraft> =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined))
