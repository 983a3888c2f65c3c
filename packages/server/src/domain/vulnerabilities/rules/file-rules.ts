import { invalid } from '../../../platform/failure.ts'
import { type Deps, transaction } from '../../deps.ts'
import { groupBy } from '../../group-by.ts'
import type { Project } from '../../projects/project.ts'
import { assertRule } from './assert-rule.ts'
import { recordFileEvent } from './audited-rules.ts'
import { isTimed, type Rule, type RuleDraft, type RuleOwner } from './rule.ts'
import { deleteRules, insertRules, listRulesOf, orderRules, updateRule } from './rule-queries.ts'
import { applyAgain } from './rules.ts'

const maxRules = 1_000
const maxFile = 255

export interface FileRules {
  /** Name of the file. */
  file: string
  /** In the order in which they apply. None deletes the rules of the file. */
  rules: readonly RuleDraft[]
  /** The user who sent the file. */
  createdById: number | null
}

/** How the rules of a file replace those that it had before. */
export interface FileRulePlan {
  /** Rules that the file had before. */
  before: readonly Rule[]
  isUnchanged: boolean
  /** For each rule the former one whose place it takes. */
  former: readonly (Rule | undefined)[]
  /** Rules that the file does not have any more. */
  removed: readonly Rule[]
}

/** Compares the rules of a file with all of the project. Throws if they are invalid or too many. */
export function planFileRules(
  all: readonly Rule[],
  { file, rules }: Pick<FileRules, 'file' | 'rules'>,
  now: string,
): FileRulePlan {
  const before = all.filter((rule) => rule.file === file)
  if (isSame(before, rules)) return { before, isUnchanged: true, former: before, removed: [] }
  const others = all.filter((rule) => rule.origin === 'file' && rule.file !== file).length
  if (others + rules.length > maxRules) {
    throw invalid({ rules: [`are too many: the files of a project may have ${maxRules} rules`] })
  }
  for (const rule of rules) assertRule(rule, now, { mayHaveEnded: true })
  const former = pairRules(before, rules)
  const kept = new Set(former.map((rule) => rule?.id))
  return { before, isUnchanged: false, former, removed: before.filter(({ id }) => !kept.has(id)) }
}

/**
 * Replaces the rules of a project that come from a file. They apply after the rules of users. Rules that the file had
 * before stay, so that adding one does not repeat what others have done. Returns false, and changes nothing, if the file has the same rules as before.
 */
export function replaceFileRules(
  deps: Deps,
  project: Project,
  { file, rules, createdById }: FileRules,
): Promise<boolean> {
  return transaction(deps, async (deps) => {
    const owner: RuleOwner = { kind: 'project', id: project.id }
    if (file === '' || [...file].length > maxFile) throw invalid({ file: ['is not the name of a file'] })
    const plan = planFileRules(await listRulesOf(deps.db, owner), { file, rules }, deps.now())
    if (plan.isUnchanged) return false
    await deleteRules(
      deps.db,
      plan.removed.map(({ id }) => id),
    )
    const ids: number[] = []
    for (const [index, rule] of rules.entries()) {
      const former = plan.former[index]
      const row = { ...rule, isTimed: isTimed(rule), createdById }
      if (former && !isSameRule(former, rule)) await updateRule(deps.db, former.id, row, deps.now())
      const inserted = former ? [] : await insertRules(deps.db, { owner, origin: 'file', file }, [row], deps.now())
      ids.push(...(former ? [former.id] : inserted))
    }
    await orderRules(deps.db, ids)
    await recordFileEvent(deps, project, { file, before: plan.before.length, after: rules.length })
    await applyAgain(deps, owner)
    return true
  })
}

/**
 * Returns the former rule in place of each rule: one with the same conditions and effects, or with the same effects.
 * What it has changed and still matches is then not changed again.
 */
function pairRules(before: readonly Rule[], rules: readonly RuleDraft[]): (Rule | undefined)[] {
  const paired: (Rule | undefined)[] = rules.map(() => undefined)
  for (const keyOf of [ruleKey, effectKey]) {
    const former = groupBy(
      before.filter((rule) => !paired.includes(rule)),
      keyOf,
    )
    for (const [index, rule] of rules.entries()) paired[index] ??= former.get(keyOf(rule))?.shift()
  }
  return paired
}

const effectKey = ({ action }: RuleDraft) => JSON.stringify(sorted(action))
const ruleKey = (rule: RuleDraft) => effectKey(rule) + JSON.stringify(sorted(rule.match))

const isSame = (before: readonly Rule[], rules: readonly RuleDraft[]): boolean =>
  before.length === rules.length && before.every((rule, index) => isSameRule(rule, rules[index]))

/** Returns whether a rule has the same name, conditions and effects as another one. */
export const isSameRule = (rule: RuleDraft, other: RuleDraft | undefined): boolean => textOf(rule) === textOf(other)

const textOf = (rule: RuleDraft | undefined) =>
  JSON.stringify([rule?.name, rule?.isEnabled, sorted(rule?.match), sorted(rule?.action)])

/** Copies an object with its names in order, and without undefined values. */
const sorted = (value: object | undefined): unknown =>
  Object.entries(value ?? {})
    .filter(([, inner]) => inner !== undefined)
    .map(([name, inner]) => [name, isObject(inner) ? sorted(inner) : inner])
    .sort(([a], [b]) => (String(a) < String(b) ? -1 : 1))

const isObject = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
