import { startTimeSlice } from '../../../platform/time-slice.ts'
import { forEachBatch } from '../../batches.ts'
import type { Deps } from '../../deps.ts'
import { readAliases } from '../../feeds/feeds.ts'
import type { Project } from '../../projects/project.ts'
import { isCovered } from '../approval/approval-rule.ts'
import { findEffectiveRule } from '../approval/approval-rules.ts'
import { withPolicyDates } from '../due-dates/policy-dates.ts'
import type { CountChange } from '../list/counts/count-change-queries.ts'
import { countChanges } from '../list/counts/count-changes.ts'
import { listWhoMayTriage, usernamesOf } from '../triage/assignees.ts'
import { recordHistory } from '../triage/history/history.ts'
import { recordVulnerabilityChanges } from '../triage/history/vulnerability-events.ts'
import { saveTags, upsertTags } from '../triage/tag-queries.ts'
import { tagKey, without, withTags } from '../triage/tags.ts'
import { lockVulnerabilities, saveVulnerabilities } from '../triage/triage-queries.ts'
import type { Vulnerability } from '../vulnerability.ts'
import { type DecisionRow, listDecisions } from './finding-queries.ts'
import { type CompiledRule, compileRule, firstMatch } from './match-rules.ts'
import { type ReadFinding, readFindings } from './matched-findings.ts'
import type { Rule } from './rule.ts'
import { type Aspect, type EffectContext, withoutEffects, withRule } from './rule-effects.ts'
import { type ChangedByRule, entriesOf } from './rule-history.ts'
import { listRulesFor } from './rule-queries.ts'

/** The rules that apply to a project, prepared for many vulnerabilities. */
export interface ProjectRules {
  rules: readonly CompiledRule[]
  /** Users to whom a rule assigns and who may triage vulnerabilities of the project. */
  assignable: ReadonlySet<number>
  /** The rule that requires a second person for dismissals. */
  approval: Awaited<ReturnType<typeof findEffectiveRule>>
}

/** Returns the rules that apply to a project, or `undefined` without any: then nothing more is read. */
export async function loadRules(deps: Deps, project: Project): Promise<ProjectRules | undefined> {
  const rules = await listRulesFor(deps.db, project.id)
  return rules.length === 0 ? undefined : prepareRules(deps, project, rules)
}

/** Prepares rules, in the order in which they apply, for the vulnerabilities of a project. */
export async function prepareRules(deps: Deps, project: Project, rules: readonly Rule[]): Promise<ProjectRules> {
  return readConditions(deps, project, await compileRules(deps, rules))
}

/** Prepares the conditions of rules, which costs the most and depends on nothing but the rules and the feeds. */
export async function compileRules(deps: Deps, rules: readonly Rule[]): Promise<CompiledRule[]> {
  const identifiers = rules.flatMap(({ match }) => match.identifiers ?? [])
  const aliases = await readAliases(deps, identifiers)
  return rules.map((rule) => compileRule(rule, (name) => aliases.get(name) ?? []))
}

/** Completes compiled rules with what users may do in the project. */
export async function readConditions(
  deps: Deps,
  project: Project,
  rules: readonly CompiledRule[],
): Promise<ProjectRules> {
  const assignees = rules.flatMap(({ action }) => action.assigneeId ?? [])
  const dismisses = rules.some(({ action }) => action.dismiss)
  return {
    rules,
    assignable: await listWhoMayTriage(deps, project, assignees),
    approval: dismisses ? await findEffectiveRule(deps, project.id) : undefined,
  }
}

/** What the rules would do with a vulnerability. */
export interface Outcome {
  before: Vulnerability
  /** Undefined if nothing changes. */
  after: Vulnerability | undefined
  finding: ReadFinding
  /** The first rule that matches. */
  rule: CompiledRule | undefined
  decided: ReadonlySet<Aspect>
  /** A dismissal that is not made, because it needs a second person. */
  needsApproval: boolean
}

/** Evaluates the rules for vulnerabilities, in a small constant number of statements. */
export async function evaluate(
  deps: Deps,
  { rules, assignable, approval }: ProjectRules,
  all: readonly Vulnerability[],
): Promise<Outcome[]> {
  const vulnerabilities = rules.length > 0 ? all : all.filter(({ ruleId }) => ruleId !== null)
  if (vulnerabilities.length === 0) return []
  const ids = vulnerabilities.map(({ id }) => id)
  const findings = new Map(
    (await readFindings(deps, rules, 'vulnerability_id', ids)).map((finding) => [finding.vulnerabilityId, finding]),
  )
  const decidedIn = aspectsOf(await listDecisions(deps.db, ids))
  const now = deps.now()
  const outcomes: Outcome[] = []
  const slice = startTimeSlice()
  for (const before of vulnerabilities) {
    if (slice.isOver()) await slice.next()
    const finding = findings.get(before.id)
    if (!finding) continue
    const reported = finding.severity
    const base = withoutEffects(before, reported)
    const { severity, createdAt, epssMillionths, isKev } = base
    const rule = firstMatch(rules, { ...finding, severity, createdAt, epssMillionths, isKev }, now)
    const decided = decidedIn.get(before.id) ?? new Set()
    const needsApproval = approval !== undefined && [base.severity, reported].some((one) => isCovered(approval, one))
    const context: EffectContext = { now, reported, hasFix: finding.hasFix, decided, assignable, needsApproval }
    const after = withRule(before, base, rule, context)
    const isRefused = needsApproval && rule?.action.dismiss !== undefined && (after ?? before).state === 'detected'
    outcomes.push({ before, after, finding, rule, decided, needsApproval: isRefused && !decided.has('state') })
  }
  return outcomes
}

/** The undo of a bulk change is no decision. */
function aspectsOf(decisions: readonly DecisionRow[]): Map<number, Set<Aspect>> {
  const decided = new Map<number, Set<Aspect>>()
  for (const { vulnerabilityId, kind, details } of decisions) {
    if (details && 'undoes_bulk_id' in details) continue
    decided.set(vulnerabilityId, (decided.get(vulnerabilityId) ?? new Set()).add(kind))
  }
  return decided
}

export interface Applied {
  /** Number of changed vulnerabilities. */
  changed: number
  /** For the caller, who updates the facet counts at the end of the transaction. */
  counts: CountChange[]
}

/**
 * Applies the rules of a project to its vulnerabilities in the caller's transaction. `announces` is false where the caller
 * records webhook events of all of them afterwards.
 */
export async function applyRules(
  deps: Deps,
  project: Project,
  rules: ProjectRules,
  { ids, announces = true }: { ids: readonly number[]; announces?: boolean },
): Promise<Applied> {
  const applied: Applied = { changed: 0, counts: [] }
  // Lock in the order of ids, as every other bulk operation does, to avoid deadlocks.
  const inOrder = [...new Set(ids)].sort((a, b) => a - b)
  await forEachBatch(inOrder, async (batch) => {
    const locked = await lockVulnerabilities(deps.db, project.id, batch)
    const outcomes = await evaluate(deps, rules, locked)
    const changes = outcomes.flatMap(({ before, after, rule }) => (after ? { before, after, rule } : []))
    const changed = await saveChanged(deps, project, changes, announces)
    applied.changed += changed.length
    applied.counts.push(...countChanges(changed))
  })
  return applied
}

/** Adds the new tags to those of the project, and spells them as the project does. */
async function spellTags(
  { db }: Deps,
  project: Project,
  changes: readonly ChangedByRule[],
): Promise<readonly ChangedByRule[]> {
  const added = withTags(
    [],
    changes.flatMap(({ before, after }) => without(after.tags, before.tags)),
  )
  if (added.length === 0) return changes
  const spellings = new Map((await upsertTags(db, project.id, added)).map((tag) => [tagKey(tag), tag]))
  return changes.map((change) => {
    const tags = change.after.tags.map((tag) => spellings.get(tagKey(tag)) ?? tag)
    return { ...change, after: { ...change.after, tags } }
  })
}

async function saveChanged(
  deps: Deps,
  project: Project,
  changes: readonly ChangedByRule[],
  announces: boolean,
): Promise<ChangedByRule[]> {
  if (changes.length === 0) return []
  const spelled = await spellTags(deps, project, changes)
  const changed = await withPolicyDates(deps, project.id, spelled)
  await saveVulnerabilities(
    deps.db,
    changed.map(({ after }) => after),
  )
  await saveTags(deps.db, project.id, changed)
  const usernames = await usernamesOf(
    deps,
    changed.flatMap(({ before, after }) =>
      before.assigneeId === after.assigneeId ? [] : [before.assigneeId, after.assigneeId].filter((id) => id !== null),
    ),
  )
  const entries = changed.flatMap((change) => entriesOf(change, usernames))
  await recordHistory(deps.db, entries, deps.now())
  const announced = new Set(
    entries.flatMap(({ vulnerabilityId, kind }) => (kind === 'severity' ? [] : vulnerabilityId)),
  )
  if (announces) await recordVulnerabilityChanges(deps, project.id, [...announced])
  return changed
}
