import { type Severity, severities } from '../../../findings/scales.ts'
import { objectOf, textOf } from '../fields/json-fields.ts'
import { severityWords } from '../fields/severity-words.ts'

/** Fields of a generic report, in the order of the documentation. */
export const genericFields = [
  'title',
  'severity',
  'confidence',
  'description',
  'solution',
  'rule',
  'cve',
  'cwe',
  'id',
  'cvss',
  'file',
  'line',
  'end_line',
  'package',
  'version',
  'image',
  'operating_system',
  'url',
  'method',
  'param',
  'links',
  'fingerprint',
] as const
export type GenericField = (typeof genericFields)[number]

/** Where the fields of a generic report are. */
export interface Mapping {
  /** Column of a table, or keys of an entry joined by dots. */
  fields: Partial<Record<GenericField, string>>
  /** Severities of words, in lower case. */
  severities: Record<string, Severity>
  /** Name of the scanner. */
  scanner?: string | undefined
  /** Keys of the list of findings in a JSON document, joined by dots. */
  findings?: string | undefined
}

const maxMapping = 16 * 1024
const maxName = 200

/** Parses a mapping that was sent with a report. Returns the problem with it as a text. */
export function parseMapping(text: string): Mapping | string {
  if (text.length > maxMapping) return `is longer than ${maxMapping} characters`
  let written: unknown
  try {
    written = JSON.parse(text)
  } catch {
    return 'is not valid JSON'
  }
  const root = objectOf(written)
  if (!root) return 'is not an object'
  const mapping: Mapping = { fields: {}, severities: {} }
  for (const [key, value] of Object.entries(root)) {
    const problem = readKey(mapping, key, value)
    if (problem) return problem
  }
  return mapping
}

function readKey(mapping: Mapping, key: string, value: unknown): string | undefined {
  if (key === 'severities') return readSeverities(mapping, value)
  const name = textOf(value)
  if (name === undefined || name.length > maxName)
    return `has no text of up to ${maxName} characters for ${quoted(key)}`
  const field = genericFields.find((field) => field === key)
  if (field) mapping.fields[field] = name
  else if (key === 'scanner' || key === 'findings') mapping[key] = name
  else
    return `has the unknown field ${quoted(key)}; fields are ${genericFields.join(', ')}, severities, scanner and findings`
  return undefined
}

function readSeverities(mapping: Mapping, value: unknown): string | undefined {
  for (const [word, meaning] of Object.entries(objectOf(value) ?? { severities: value })) {
    const severity = severities.find((severity) => severity === meaning)
    if (!severity) return `maps the severity ${quoted(word)} to a word that is none of ${severities.join(', ')}`
    mapping.severities[word.trim().toLowerCase()] = severity
  }
  return undefined
}

const quoted = (text: string): string => JSON.stringify(text.slice(0, 40))

/** Returns the severity of a word, or undefined if it is unknown. No word is `unknown`. */
export function severityOf(word: string | undefined, mapping: Mapping): Severity | undefined {
  if (word === undefined) return 'unknown'
  const key = word.trim().toLowerCase()
  if (Object.hasOwn(mapping.severities, key)) return mapping.severities[key]
  return severityWords.get(key) ?? moreWords.get(key)
}

const moreWords: ReadonlyMap<string, Severity> = new Map([
  ['information', 'info'],
  ['informational', 'info'],
  ['none', 'info'],
  ['unknown', 'unknown'],
])
