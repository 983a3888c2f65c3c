import { type EntryProblem, importRejected } from '../../../platform/failure.ts'
import { maxAliases } from '../aliases.ts'
import { draftProblems, nameProblems } from '../topic.ts'
import { compareKeys, type VocabularyEntry, vocabularyVersion } from './vocabulary.ts'

/** Maximum number of entries, which one transaction can change in reasonable time. */
const maxEntries = 20_000
/** Maximum number of problems that are reported. */
const maxProblems = 1000

/** Returns the entries of a parsed file. Throws all problems that can be detected without the database. */
export function readVocabulary(value: unknown): VocabularyEntry[] {
  const problems: EntryProblem[] = []
  const report = (entry: number | null, field: string | null, reason: string) => {
    if (problems.length < maxProblems) problems.push({ entry, field, reason })
  }
  const topics = readFile(value, report).map((entry, index) =>
    readEntry(entry, (field, reason) => report(index + 1, field, reason)),
  )
  reportRepeats(topics, report)
  if (problems.length > 0) throw importRejected(problems)
  return topics
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

function readEntry(value: unknown, report: (field: string | null, reason: string) => void): VocabularyEntry {
  if (!isRecord(value)) {
    report(null, 'must have a `name`')
    return { name: '' }
  }
  for (const field of unknownFields(value, ['name', 'title', 'description', 'aliases'])) report(field, 'is unknown')
  const read = (field: string): string | null | undefined => {
    const text = value[field]
    if (text === undefined || text === null) return text
    if (typeof text === 'string' && !unstorable.test(text)) return text
    report(field, typeof text === 'string' ? 'has characters that are not allowed' : 'must be text, in quotes')
    return undefined
  }
  if (value['name'] === undefined || value['name'] === null) report('name', 'is missing')
  const name = read('name') ?? undefined
  const title = read('title')
  const description = read('description')
  if (name !== undefined) {
    for (const [field, reasons] of Object.entries(draftProblems({ name, title: title ?? name, description }))) {
      for (const reason of reasons) report(field, reason)
    }
  }
  const aliases = readAliases(value['aliases'], report)
  return {
    name: name ?? '',
    // A topic always has a title, which defaults to its name.
    ...(title !== undefined && { title: title ?? name ?? '' }),
    ...(description !== undefined && { description }),
    ...(aliases && { aliases }),
  }
}

// Characters that databases reject, and lone surrogates, which have no UTF-8 form.
const unstorable = /\0|\p{Surrogate}/u

/** Returns the aliases in byte order of their lower-case forms, or `undefined` if the entry has no such field. */
function readAliases(value: unknown, report: (field: string, reason: string) => void): string[] | undefined {
  if (value === undefined) return undefined
  if (value === null) return []
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
  return aliases.sort((a, b) => compareKeys(a.toLowerCase(), b.toLowerCase()))
}

/** Reports names and aliases that occur twice in a file, ignoring case. */
function reportRepeats(topics: readonly VocabularyEntry[], report: Report): void {
  const taken = new Map<string, string>()
  const take = (entry: number, field: string, name: string) => {
    const key = name.toLowerCase()
    const other = taken.get(key)
    if (name === '') return
    if (other) report(entry, field, `${JSON.stringify(name.slice(0, 60))} is ${other} already`)
    else taken.set(key, `${field === 'name' ? 'the name' : 'an alias'} of entry ${entry}`)
  }
  for (const [index, { name }] of topics.entries()) take(index + 1, 'name', name)
  for (const [index, { aliases = [] }] of topics.entries()) {
    for (const alias of aliases) take(index + 1, 'aliases', alias)
  }
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Returns the first few unknown fields, shortened. */
function unknownFields(value: Record<string, unknown>, known: readonly string[]): string[] {
  return Object.keys(value)
    .filter((field) => !known.includes(field))
    .slice(0, 5)
    .map((field) => field.slice(0, 60))
}
