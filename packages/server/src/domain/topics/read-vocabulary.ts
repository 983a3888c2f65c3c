import { type EntryProblem, importRejected } from '../../platform/failure.ts'
import { maxAliases } from './aliases.ts'
import { draftProblems, nameProblems } from './topic.ts'
import { compareKeys, type VocabularyTopic, vocabularyVersion } from './vocabulary.ts'

/** As many as one transaction should change. */
const maxEntries = 20_000
/** More than anybody mends before trying again. */
const maxProblems = 1000

/** The topics that a parsed file names; throws everything that is wrong with it, whatever the database holds. */
export function readVocabulary(value: unknown): VocabularyTopic[] {
  const problems: EntryProblem[] = []
  const report = (entry: number | null, field: string | null, reason: string) => {
    if (problems.length < maxProblems) problems.push({ entry, field, reason })
  }
  const topics = readFile(value, report).map((entry, index) =>
    readEntry(entry, (field, reason) => report(index + 1, field, reason)),
  )
  reportRepeats(topics, report)
  if (problems.length > 0) throw importRejected(problems)
  return topics.map((topic) => ({
    ...topic,
    aliases: [...topic.aliases].sort((a, b) => compareKeys(a.toLowerCase(), b.toLowerCase())),
  }))
}

type Report = (entry: number | null, field: string | null, reason: string) => void

function readFile(value: unknown, report: Report): unknown[] {
  if (!isRecord(value)) {
    report(null, null, 'must have `version` and `topics`')
    return []
  }
  if (value['version'] !== vocabularyVersion) report(null, 'version', `must be ${vocabularyVersion}`)
  for (const field of unknownFields(value, ['version', 'topics'])) report(null, field, 'is unknown')
  const topics = value['topics']
  if (!Array.isArray(topics)) {
    report(null, 'topics', 'must be a list')
    return []
  }
  if (topics.length <= maxEntries) return topics
  report(null, 'topics', `are too many (maximum is ${maxEntries})`)
  return []
}

function readEntry(value: unknown, report: (field: string | null, reason: string) => void): VocabularyTopic {
  const topic: VocabularyTopic = { name: '', title: '', description: null, aliases: [] }
  if (!isRecord(value)) {
    report(null, 'must have a `name`')
    return topic
  }
  for (const field of unknownFields(value, ['name', 'title', 'description', 'aliases'])) report(field, 'is unknown')
  const read = (field: string): string | undefined => {
    const text = value[field]
    if (text === undefined || text === null) return undefined
    if (typeof text === 'string' && !unstorable.test(text)) return text
    report(field, typeof text === 'string' ? 'has characters that are not allowed' : 'must be text, in quotes')
    return undefined
  }
  if (value['name'] === undefined || value['name'] === null) report('name', 'is missing')
  const name = read('name')
  const title = read('title') ?? name
  const description = read('description') ?? null
  if (name !== undefined) {
    const draft = { name, description, ...(title !== undefined && { title }) }
    for (const [field, reasons] of Object.entries(draftProblems(draft))) {
      for (const reason of reasons) report(field, reason)
    }
  }
  return { name: name ?? '', title: title ?? '', description, aliases: readAliases(value['aliases'], report) }
}

// What no database takes, and half a pair of surrogates, which has no UTF-8 form.
const unstorable = /\0|\p{Surrogate}/u

function readAliases(value: unknown, report: (field: string, reason: string) => void): string[] {
  if (value === undefined || value === null) return []
  if (!Array.isArray(value)) {
    report('aliases', 'must be a list')
    return []
  }
  if (value.length > maxAliases) {
    report('aliases', `are too many (maximum is ${maxAliases})`)
    return []
  }
  const aliases: string[] = []
  for (const alias of value) {
    if (typeof alias !== 'string') report('aliases', 'must be text, in quotes')
    else if (nameProblems(alias).length > 0)
      report('aliases', `${JSON.stringify(alias.slice(0, 60))} ${nameProblems(alias)[0]}`)
    else aliases.push(alias)
  }
  return aliases
}

/** In one file a name stands for one thing, whatever the case. */
function reportRepeats(topics: readonly VocabularyTopic[], report: Report): void {
  const taken = new Map<string, string>()
  const take = (entry: number, field: string, name: string) => {
    const key = name.toLowerCase()
    const other = taken.get(key)
    if (name === '') return
    if (other) report(entry, field, `${JSON.stringify(name.slice(0, 60))} is ${other} already`)
    else taken.set(key, `${field === 'name' ? 'the name' : 'an alias'} of entry ${entry}`)
  }
  for (const [index, { name }] of topics.entries()) take(index + 1, 'name', name)
  for (const [index, { aliases }] of topics.entries()) for (const alias of aliases) take(index + 1, 'aliases', alias)
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** As many as anybody needs to see. */
function unknownFields(value: Record<string, unknown>, known: readonly string[]): string[] {
  return Object.keys(value)
    .filter((field) => !known.includes(field))
    .slice(0, 5)
    .map((field) => field.slice(0, 60))
}
