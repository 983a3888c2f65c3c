import { setImmediate } from 'node:timers/promises'
import type { Deps, RootDeps } from '../../deps.ts'
import { lineageOf } from '../../namespaces/namespace.ts'
import { findNamespaceById } from '../../namespaces/namespaces.ts'
import type { Project } from '../../projects/project.ts'
import { findProjectById } from '../../projects/projects.ts'
import type { Visitor } from '../../projects/visible.ts'
import { readableScope } from '../list/readable-scope.ts'
import { isSame } from '../triage/tags.ts'
import { evaluate, type Outcome, prepareRules } from './apply-rules.ts'
import { assertRule } from './assert-rule.ts'
import { type Rule, type RuleDraft, type RuleOwner, ruleOrigins } from './rule.ts'
import { countVulnerabilities, listRuledProjects, listRulesFor, listVulnerabilityRows } from './rule-queries.ts'

export interface RulePreview {
  /** Number of vulnerabilities of the owner. */
  total: number
  /** Number of those that were evaluated; fewer than all if there are very many. */
  examined: number
  /** Number for which this is the first rule that matches. */
  matched: number
  /** Number that would change. */
  changed: number
  dismissed: number
  severity: number
  assigned: number
  dueDate: number
  tagged: number
  /** Number of those that match and that a decision of a user keeps as they are, in part or in whole. */
  kept: number
  /** Number of those that would be dismissed if that needed no second person. */
  needsApproval: number
  /** Number of those that the present rule has changed and the new one would not. */
  reverted: number
  /** Some that would change and that the caller may read. */
  samples: PreviewSample[]
}

/** A vulnerability that would change, with its project. */
interface PreviewSample extends Outcome {
  project: Project
}

/** Maximum number of vulnerabilities that a preview evaluates. */
const maxExamined = 50_000
const maxSamples = 20
const batchSize = 500

export interface PreviewedRule {
  draft: Pick<RuleDraft, 'match' | 'action'>
  /** The rule that it replaces. Without it, the rule is a new one. */
  replacedId?: number | undefined
  /** Where a new rule comes from, which decides its place. */
  origin?: Rule['origin'] | undefined
}

/** Computes what a rule would change. Nothing is stored. */
export async function previewRule(
  deps: RootDeps,
  owner: RuleOwner,
  caller: Visitor,
  rule: PreviewedRule,
): Promise<RulePreview> {
  const [preview] = await previewRules(deps, owner, caller, [rule])
  if (!preview) throw new Error('the preview of a rule is missing')
  return preview
}

/** Computes what rules would change together, each as far as it is the first one that matches. Nothing is stored. */
export async function previewRules(
  deps: RootDeps,
  owner: RuleOwner,
  caller: Visitor,
  previewed: readonly PreviewedRule[],
): Promise<RulePreview[]> {
  for (const { draft, replacedId } of previewed) {
    assertRule({ name: 'preview', ...draft }, deps.now(), { mayHaveEnded: replacedId !== undefined })
  }
  const projectIds = await listRuledProjects(deps.db, owner, 0)
  const readable = await listReadable(deps, owner, caller)
  const total = await countVulnerabilities(deps.db, projectIds)
  // A rule that is not stored has a negative id.
  const drafts = previewed.map(({ draft, replacedId, origin = 'user' }, index) => ({
    ...{ draft, origin, id: replacedId ?? -1 - index },
    preview: emptyPreview(total),
  }))
  const previews = new Map(drafts.map(({ id, preview }) => [id, preview]))
  const examined = await examineRules(deps, projectIds, previews, {
    rulesOf: (project, present) => drafts.reduce((rules, one) => withDraft(rules, { owner, project, ...one }), present),
    samplesOf: ({ id }) => (readable === 'all' || readable.has(id) ? maxSamples : 0),
  })
  return drafts.map(({ preview }) => ({ ...preview, examined }))
}

interface Examination {
  /** Returns the rules of a project as they would be, in the order in which they apply. */
  rulesOf: (project: Project, present: readonly Rule[]) => readonly Rule[]
  /** Returns the maximum number of samples of a preview with which vulnerabilities of a project may be added. */
  samplesOf: (project: Project) => number
}

/** Evaluates rules that are not stored, adds the outcomes to previews by rule, and returns how many were evaluated. */
export async function examineRules(
  deps: Deps,
  projectIds: readonly number[],
  previews: ReadonlyMap<number, RulePreview>,
  { rulesOf, samplesOf }: Examination,
): Promise<number> {
  let examined = 0
  for (const projectId of projectIds) {
    if (examined >= maxExamined) break
    const project = await findProjectById(deps.db, projectId)
    if (!project) continue
    const samples = samplesOf(project)
    const rules = await prepareRules(deps, project, rulesOf(project, await listRulesFor(deps.db, projectId)))
    for (let afterId = 0; examined < maxExamined; ) {
      const rows = await listVulnerabilityRows(deps.db, projectId, afterId, batchSize)
      examined += rows.length
      for (const outcome of await evaluate(deps, rules, rows)) {
        for (const id of new Set([outcome.rule?.id, outcome.before.ruleId])) {
          const preview = previews.get(id ?? 0)
          if (preview && id) addOutcome(preview, outcome, { id, samples, project })
        }
      }
      await setImmediate()
      afterId = rows.at(-1)?.id ?? afterId
      if (rows.length < batchSize) break
    }
  }
  return examined
}

/** Returns the projects whose vulnerabilities the caller may read. Those who manage the rules of a project may. */
async function listReadable(deps: RootDeps, owner: RuleOwner, caller: Visitor): Promise<'all' | ReadonlySet<number>> {
  if (owner.kind !== 'group') return 'all'
  const group = await findNamespaceById(deps.db, owner.id)
  return new Set((await readableScope(deps, caller, group && { group })).projectIds)
}

interface Placed {
  owner: RuleOwner
  project: Project
  draft: PreviewedRule['draft']
  id: number
  origin: Rule['origin']
}

/** Returns the rules of a project with the draft in the place of the one that it replaces, or after those of its origin. */
function withDraft(rules: readonly Rule[], { owner, project, draft, id, origin }: Placed): Rule[] {
  const rule: Rule = {
    ...{ ...draft, id, name: '', isEnabled: true, position: 0, origin, file: null, createdById: null },
    ...{ level: owner.kind, createdAt: '', updatedAt: '' },
    projectId: owner.kind === 'project' ? owner.id : null,
    namespaceId: owner.kind === 'group' ? owner.id : null,
  }
  if (rules.some((one) => one.id === id)) return rules.map((one) => (one.id === id ? rule : one))
  const ids = lineageOf(project.namespace)
  const distance = (one: Pick<Rule, 'level' | 'namespaceId'>) =>
    one.level === 'project' ? 0 : one.level === 'group' ? ids.length - ids.indexOf(one.namespaceId ?? 0) : Infinity
  const isAfter = (one: Rule) =>
    distance(one) > distance(rule) ||
    (distance(one) === distance(rule) && ruleOrigins.indexOf(one.origin) > ruleOrigins.indexOf(origin))
  const at = rules.findIndex(isAfter)
  return at < 0 ? [...rules, rule] : [...rules.slice(0, at), rule, ...rules.slice(at)]
}

export const emptyPreview = (total: number): RulePreview => ({
  total,
  ...{ examined: 0, matched: 0, changed: 0, dismissed: 0, severity: 0, assigned: 0, dueDate: 0, tagged: 0 },
  ...{ kept: 0, needsApproval: 0, reverted: 0, samples: [] },
})

function addOutcome(
  preview: RulePreview,
  outcome: Outcome,
  { id, samples, project }: { id: number; samples: number; project: Project },
): void {
  const { before, after, rule, decided } = outcome
  if (before.ruleId === id && rule?.id !== id) preview.reverted++
  if (rule?.id !== id) {
    if (before.ruleId !== id || !after) return
  } else {
    preview.matched++
    if (outcome.needsApproval) preview.needsApproval++
    if (wanted(rule).some((aspect) => decided.has(aspect))) preview.kept++
  }
  if (!after) return
  preview.changed++
  if (after.ruleId === id) {
    if (before.state !== 'dismissed' && after.state === 'dismissed') preview.dismissed++
    if (before.severity !== after.severity) preview.severity++
    if (before.assigneeId !== after.assigneeId) preview.assigned++
    if (before.dueOn !== after.dueOn) preview.dueDate++
    if (!isSame(before.tags, after.tags)) preview.tagged++
  }
  if (preview.samples.length < samples) preview.samples.push({ ...outcome, project })
}

/** What a rule would change. */
function wanted({ action }: Pick<Rule, 'action'>) {
  const isDue = action.dueOn !== undefined || action.dueInDays !== undefined
  return [
    ...(action.dismiss ? (['state'] as const) : []),
    ...(action.severity ? (['severity'] as const) : []),
    ...(action.assigneeId === undefined ? [] : (['assignee'] as const)),
    ...(isDue ? (['due_date'] as const) : []),
    ...(action.tags ? (['tags'] as const) : []),
  ]
}
