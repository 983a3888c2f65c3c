import type { EntryProblem } from '../../../platform/failure.ts'
import { completeEntry, type VocabularyEntry, type VocabularyTopic } from './vocabulary.ts'
import type { StoredTopic } from './vocabulary-queries.ts'

interface FieldChange {
  field: 'name' | 'title' | 'description' | 'aliases'
  from: string | readonly string[] | null
  to: string | readonly string[] | null
}

export interface Plan {
  created: VocabularyTopic[]
  updated: { before: StoredTopic; after: VocabularyTopic; fields: FieldChange[] }[]
  deleted: StoredTopic[]
  unchanged: number
  problems: EntryProblem[]
}

/**
 * Plans the changes from the stored topics to those of the file. Topics match by name, and fields missing in an entry
 * stay unchanged. With `prune`, topics that are not in the file are deleted; otherwise they keep their names.
 */
export function planVocabulary(
  wanted: readonly VocabularyEntry[],
  stored: readonly StoredTopic[],
  options: { prune: boolean },
): Plan {
  const byKey = new Map(stored.map((topic) => [topic.name.toLowerCase(), topic]))
  const wantedKeys = new Set(wanted.map(({ name }) => name.toLowerCase()))
  const unwanted = stored.filter(({ name }) => !wantedKeys.has(name.toLowerCase()))
  const plan: Plan = { created: [], updated: [], deleted: options.prune ? unwanted : [], unchanged: 0, problems: [] }

  const kept = new Map<string, string>()
  for (const { name, aliases } of options.prune ? [] : unwanted) {
    kept.set(name.toLowerCase(), 'the name of a topic that is not in the file; merge it, or prune')
    for (const alias of aliases)
      kept.set(alias.toLowerCase(), `an alias of ${JSON.stringify(name)}, which is not in the file`)
  }
  for (const { name, aliases } of wanted) {
    const topic = aliases ? undefined : byKey.get(name.toLowerCase())
    for (const alias of topic?.aliases ?? []) {
      kept.set(
        alias.toLowerCase(),
        `an alias of ${JSON.stringify(name)}, whose entry lists no aliases and so keeps them`,
      )
    }
  }
  for (const [index, entry] of wanted.entries()) {
    for (const [field, names] of [
      ['name', [entry.name]],
      ['aliases', entry.aliases ?? []],
    ] as const) {
      for (const name of names) {
        const holder = kept.get(name.toLowerCase())
        if (holder) plan.problems.push({ entry: index + 1, field, reason: `${JSON.stringify(name)} is ${holder}` })
      }
    }
    const before = byKey.get(entry.name.toLowerCase())
    const after = completeEntry(entry, before)
    const fields = before ? differences(before, after) : []
    if (!before) plan.created.push(after)
    else if (fields.length > 0) plan.updated.push({ before, after, fields })
    else plan.unchanged++
  }
  return plan
}

function differences(before: StoredTopic, after: VocabularyTopic): FieldChange[] {
  const fields: FieldChange[] = []
  for (const field of ['name', 'title', 'description'] as const) {
    if (before[field] !== after[field]) fields.push({ field, from: before[field], to: after[field] })
  }
  const [had, has] = [new Set(before.aliases), new Set(after.aliases)]
  const isSame = had.size === has.size && after.aliases.every((alias) => had.has(alias))
  if (!isSame) fields.push({ field: 'aliases', from: before.aliases, to: after.aliases })
  return fields
}
