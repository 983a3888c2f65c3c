import type { Static } from 'typebox'
import Type from 'typebox'
import { dismissalReasons, reportTypes, type State, severities, states } from '../../../domain/findings/scales.ts'
import { type VulnerabilityFilter, vulnerabilitySorts } from '../../../domain/vulnerabilities/list/filter.ts'
import type { VulnerabilityPlace } from '../../../domain/vulnerabilities/list/list.ts'
import { compileInput } from '../../../http/params/compile-input.ts'
import { flag, listOf, oneOf, optional, text, textList } from '../../../http/params/input.ts'
import type { RawParams } from '../../../http/params/raw-params.ts'
import { cursorFields } from '../../../http/response/keyset.ts'
import { parameterProblem } from '../../../platform/failure.ts'

/** Filters of vulnerability lists: GitLab's GraphQL arguments in snake case. */
export const filterProperties = {
  state: optional(
    listOf([...states, 'opened'], { commaSeparated: true, description: '`opened` is an alias of `detected`' }),
  ),
  severity: optional(listOf(severities, { commaSeparated: true })),
  report_type: optional(listOf([...reportTypes, 'generic'], { commaSeparated: true })),
  scanner: optional(textList({ commaSeparated: true, description: 'External IDs of scanners' })),
  identifier: optional(
    textList({ description: 'Exact name or external ID of an identifier, such as CVE-2021-44228; case-insensitive' }),
  ),
  search: optional(text({ description: 'Words of at least three letters in the title, location or an identifier' })),
  ref: optional(text({ allowBlank: false, description: 'Only results that are present on this branch or tag' })),
  present_on_default_branch: optional(
    flag({
      description:
        'True: results that were ever present on the default branch. False: results that never were, including those no longer present on any branch. Default without `ref`: true',
    }),
  ),
  has_resolution: optional(
    flag({ description: 'True: only results that are no longer detected on the default branch' }),
  ),
  dismissal_reason: optional(
    listOf(dismissalReasons, {
      commaSeparated: true,
      description: 'Combined with `state`: results in one of the states, or dismissed for one of these reasons',
    }),
  ),
}

export const listProperties = {
  ...filterProperties,
  sort: oneOf(vulnerabilitySorts, { default: 'severity_desc' }),
  ...cursorFields,
}

const filterInput = Type.Object(filterProperties)
const compiledFilter = compileInput(filterInput)

/** Reads the filters from an object. Rejects unknown names, because ignoring one would select too many rows. */
export function readFilterObject(params: RawParams): VulnerabilityFilter {
  assertKnown('filter', params, filterProperties)
  return readFilter(compiledFilter(params))
}

export function assertKnown(parameter: string, params: RawParams, properties: object): void {
  const unknown = Object.keys(params).filter((name) => !Object.hasOwn(properties, name))
  if (unknown.length === 0) return
  const named = unknown.map((name) => `${parameter}[${name}] is not a filter`).join(', ')
  throw parameterProblem(`${named.slice(0, 200)}; there are: ${Object.keys(properties).join(', ')}`)
}

export function readFilter(input: Static<typeof filterInput>): VulnerabilityFilter {
  return {
    states: readStates(input.state),
    severities: input.severity,
    reportTypes: input.report_type,
    scanners: named(input.scanner),
    identifiers: named(input.identifier),
    search: input.search?.trim() || undefined,
    ref: input.ref,
    isOnDefaultBranch: input.present_on_default_branch,
    isResolvedOnDefaultBranch: input.has_resolution,
    dismissalReasons: input.dismissal_reason,
  }
}

export function readStates(words: readonly (State | 'opened')[] | undefined): State[] | undefined {
  return words?.map((word) => (word === 'opened' ? 'detected' : word))
}

/** Removes blank entries. */
export function named(texts: readonly string[] | undefined): string[] | undefined {
  return texts?.map((text) => text.trim()).filter((text) => text !== '')
}

export function writeCursor({ severity, id }: VulnerabilityPlace): string {
  return Buffer.from(`${severity}:${id}`).toString('base64url')
}

/** Throws when the cursor is malformed. */
export function readCursor(cursor: string): VulnerabilityPlace {
  const [, severity, id] = /^(\d{1,2}):(\d{1,15})$/.exec(Buffer.from(cursor, 'base64url').toString()) ?? []
  if (severity === undefined || id === undefined) throw parameterProblem('cursor is invalid')
  return { severity: Number(severity), id: Number(id) }
}
