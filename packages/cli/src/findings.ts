import type { Schemas } from '@alcove/client'
import { plain } from './safe-text.ts'

/** Severities in the server's order, the most severe first. */
export const severities = ['critical', 'high', 'medium', 'low', 'unknown', 'info'] as const
export type Severity = (typeof severities)[number]

/** Fields that samples, findings and vulnerabilities share. */
export interface ListedFinding {
  uuid: string
  name: string
  severity: string
  report_type: string
  location: Record<string, unknown>
  web_url?: string | null
  identifiers?: Schemas['Finding']['identifiers']
  scanner?: Schemas['Finding']['scanner']
  description?: string | null
  solution?: string | null
}

/** Returns the severity, or `unknown` for a word that is none. */
export function severityOf({ severity }: Pick<ListedFinding, 'severity'>): Severity {
  return severities.find((known) => known === severity) ?? 'unknown'
}

/** Compares findings by severity, name and location, so that equal lists are printed alike. */
export function bySeverity(one: ListedFinding, other: ListedFinding): number {
  const rank = (finding: ListedFinding) => severities.indexOf(severityOf(finding))
  return rank(one) - rank(other) || compare(one.name, other.name) || compare(one.uuid, other.uuid)
}

const compare = (one: string, other: string) => (one < other ? -1 : one > other ? 1 : 0)

/** Returns the name on one line, without characters that have an effect where it is printed. */
export function nameOf({ name }: Pick<ListedFinding, 'name'>): string {
  return plain(name) || 'Finding without a name'
}

export interface Place {
  /** Path of a file of the repository, if the finding has one. */
  path: string | undefined
  /** First line, at least 1. */
  line: number | undefined
  endLine: number | undefined
  /** The whole location on one line; empty if it is unknown. */
  text: string
}

/** Describes a location of any report type: a file with a line, a package, an image or a URL. */
export function placeOf({ location }: Pick<ListedFinding, 'location'>): Place {
  const path = text(location['file'])
  const line = lineNumber(location['start_line'])
  const endLine = lineNumber(location['end_line'])
  const image = text(location['image'])
  const dependency = describeDependency(location['dependency'])
  const url = `${text(location['hostname']) ?? ''}${text(location['path']) ?? ''}`
  const place = path ? `${path}${line ? `:${line}` : ''}` : (image ?? (url || text(location['crash_address'])))
  return { path, line, endLine, text: [place, dependency].filter(Boolean).join(' ') }
}

function describeDependency(value: unknown): string | undefined {
  if (!isRecord(value)) return undefined
  const name = isRecord(value['package']) ? text(value['package']['name']) : undefined
  const version = text(value['version'])
  return name && `(${name}${version ? ` ${version}` : ''})`
}

function text(value: unknown): string | undefined {
  return typeof value === 'string' ? plain(value) || undefined : undefined
}

function lineNumber(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isInteger(value) && value >= 1 ? value : undefined
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
