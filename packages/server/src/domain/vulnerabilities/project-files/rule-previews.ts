import type { Deps } from '../../deps.ts'
import { groupBy } from '../../group-by.ts'
import type { Project } from '../../projects/project.ts'
import { isSameRule, planFileRules } from '../rules/file-rules.ts'
import { emptyPreview, examineRules, type RulePreview } from '../rules/preview.ts'
import type { Rule, RuleDraft } from '../rules/rule.ts'
import { countVulnerabilities, listRulesOf } from '../rules/rule-queries.ts'
import type { FileRulePreview, ProjectFileName } from './project-file.ts'

const maxSamples = 10

/** A file with rules whose content would replace the stored one. */
export interface RuleFile {
  name: ProjectFileName
  rules: readonly RuleDraft[]
}

interface Previewed {
  file: ProjectFileName
  rule: Rule
  change: FileRulePreview['change']
  preview: RulePreview
}

/**
 * Computes what the rules of files would change together in the vulnerabilities of a project, and what the rules that the
 * files lack any more have changed. Nothing is stored. Without `withSamples`, there are only counts.
 */
export async function previewFileRules(
  deps: Deps,
  project: Project,
  files: readonly RuleFile[],
  { withSamples }: { withSamples: boolean },
): Promise<Map<ProjectFileName, FileRulePreview[]>> {
  const total = await countVulnerabilities(deps.db, [project.id])
  const previewed: Previewed[] = []
  let all: readonly Rule[] = await listRulesOf(deps.db, { kind: 'project', id: project.id })
  for (const { name: file, rules } of files) {
    const plan = planFileRules(all, { file, rules }, deps.now())
    const drafts = rules.map((draft, index): Previewed => {
      const former = plan.former[index]
      // A rule that is not stored has a negative id.
      const rule = ruleOf(project, file, {
        draft,
        id: former?.id ?? -1 - previewed.length - index,
        position: index + 1,
      })
      const change = former ? (isSameRule(former, draft) ? 'unchanged' : 'updated') : 'created'
      return { file, rule, change, preview: emptyPreview(total) }
    })
    const removed = plan.removed.map(
      (rule): Previewed => ({ file, rule, change: 'removed', preview: emptyPreview(total) }),
    )
    previewed.push(...drafts, ...removed)
    all = [...all.filter((rule) => rule.file !== file), ...drafts.map(({ rule }) => rule)]
  }
  const names = new Set<string>(files.map(({ name }) => name))
  const drafts = previewed.flatMap(({ rule, change }) => (change !== 'removed' && rule.isEnabled ? rule : []))
  const previews = new Map(previewed.map(({ rule, preview }) => [rule.id, preview]))
  const examined = await examineRules(deps, [project.id], previews, {
    rulesOf: (_, present) => withFileRules(present, names, drafts),
    samplesOf: () => (withSamples ? maxSamples : 0),
  })
  const byFile = groupBy(previewed, ({ file }) => file)
  return new Map(
    [...byFile].map(([name, all]) => [
      name,
      all.map(({ rule, change, preview }) => ({ name: rule.name, change, preview: { ...preview, examined } })),
    ]),
  )
}

const ruleOf = (
  project: Project,
  file: string,
  { draft, ...place }: { draft: RuleDraft; id: number; position: number },
) => ({
  ...{ ...draft, ...place, file, origin: 'file' as const, level: 'project' as const },
  ...{ projectId: project.id, namespaceId: null, createdById: null, createdAt: '', updatedAt: '' },
})

/** Returns the rules of a project with other rules of these files, in the order of `listRulesFor`. */
function withFileRules(present: readonly Rule[], files: ReadonlySet<string>, drafts: readonly Rule[]): Rule[] {
  const isOfFile = ({ level, origin }: Rule) => level === 'project' && origin === 'file'
  const others = present.filter((rule) => isOfFile(rule) && !files.has(rule.file ?? ''))
  const key = ({ file }: Rule) => (file ?? '').toLowerCase()
  return [
    ...present.filter((rule) => rule.level === 'project' && rule.origin !== 'file'),
    ...[...others, ...drafts].sort((a, b) => (key(a) < key(b) ? -1 : Number(key(a) > key(b)))),
    ...present.filter(({ level }) => level !== 'project'),
  ]
}
