/** A finding of another product, as `POST /projects/:id/imported_findings` reads it. */
export interface FindingRecord {
  id: string
  name: string
  url?: string | undefined
  description?: string | undefined
  solution?: string | undefined
  severity?: Severity | undefined
  report_type?: string | undefined
  scanner?: { external_id: string; name: string; vendor: string } | undefined
  identifiers?: RecordIdentifier[] | undefined
  location?: object | undefined
  package_url?: string | undefined
  state: 'detected' | 'confirmed' | 'resolved' | 'dismissed'
  dismissal_reason?: DismissalReason | undefined
  dismissed_until?: string | undefined
  comment?: string | undefined
  decided_at?: string | undefined
  decided_by?: string | undefined
  comments?: { body: string; author?: string | undefined; created_at?: string | undefined }[] | undefined
  assignee?: string | undefined
  due_on?: string | undefined
  tags?: string[] | undefined
  links?: { url: string; title?: string | undefined }[] | undefined
  detected_at?: string | undefined
}

type Severity = 'critical' | 'high' | 'medium' | 'low' | 'info' | 'unknown'
export type DismissalReason =
  | 'acceptable_risk'
  | 'false_positive'
  | 'mitigating_control'
  | 'used_in_tests'
  | 'not_applicable'

interface RecordIdentifier {
  external_type: string
  external_id: string
  name?: string
}

/** A finding of a product and what becomes of it. */
export interface MappedFinding {
  id: string
  /** Status in the product, in its own words. */
  status: string
  /** Absent if it is not imported; `notes` then have the reason. */
  record: FindingRecord | undefined
  /** What has no counterpart, with the reason. */
  notes: readonly string[]
}

/** A product whose findings are imported. */
export interface FindingSource {
  source: 'defectdojo' | 'dependency-track' | 'github' | 'secobserve' | 'csv' | 'alcove'
  /** Name of the product, as users know it. */
  name: string
  findings(): AsyncIterable<MappedFinding>
}

const severityWords: Readonly<Record<string, Severity>> = {
  critical: 'critical',
  high: 'high',
  error: 'high',
  moderate: 'medium',
  medium: 'medium',
  warning: 'medium',
  low: 'low',
  note: 'low',
  info: 'info',
  informational: 'info',
  none: 'info',
}

/** Returns the severity that a product names in a word. */
export const severityOf = (word: string | undefined): Severity => severityWords[word?.toLowerCase() ?? ''] ?? 'unknown'

/** Returns an identifier with the type that its text shows. */
function identifierOf(id: string, type = 'rule'): RecordIdentifier {
  const [, prefix] = /^(CVE|GHSA|CWE|OSV|GO|RUSTSEC|PYSEC)-/i.exec(id) ?? []
  return { external_type: prefix?.toLowerCase() ?? type, external_id: shorten(id, maxId), name: shorten(id, maxId) }
}

/** Returns identifiers without empty and repeated ones. */
export const identifiersOf = (ids: readonly (string | undefined)[]): RecordIdentifier[] =>
  [...new Set(ids.flatMap((id) => (id?.trim() ? [id.trim()] : [])))]
    .slice(0, maxIdentifiers)
    .map((id) => identifierOf(id))

const maxId = 500
const maxIdentifiers = 20
const maxName = 255

/** Shortens a text to a number of characters. */
export function shorten(text: string, max = maxName): string {
  const characters = [...text.trim()]
  return characters.length > max ? `${characters.slice(0, max - 1).join('')}…` : text.trim()
}

/** Returns an address of http or https, or undefined. */
export function webAddress(text: string | undefined): string | undefined {
  const url = text !== undefined && URL.canParse(text) ? new URL(text) : undefined
  return url && /^https?:$/.test(url.protocol) && url.username + url.password === '' ? url.href : undefined
}

/** Returns a time in ISO 8601, or undefined. */
export function timeOf(value: string | number | undefined): string | undefined {
  const time = typeof value === 'string' ? Date.parse(value) : (value ?? Number.NaN)
  return Number.isNaN(time) ? undefined : new Date(time).toISOString()
}

/** Returns the day of a date or time, as `YYYY-MM-DD`. */
export const dayOf = (value: string | undefined): string | undefined => timeOf(value)?.slice(0, 10)

/** Returns tags without what a tag cannot contain. */
export function tagsOf(names: readonly string[]): string[] {
  const clean = names.map((name) => shorten(name.replace(/[,\p{Cc}]/gu, ' '), maxTag)).filter((name) => name !== '')
  return [...new Map(clean.map((name) => [name.toLowerCase(), name])).values()].slice(0, maxTags)
}

const maxTag = 50
const maxTags = 20
