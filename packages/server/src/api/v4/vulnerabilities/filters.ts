import type { Static, TSchema } from 'typebox'
import Type from 'typebox'
import type { Caller } from '../../../domain/access/callers.ts'
import { parsePackageUrl } from '../../../domain/findings/package-url.ts'
import { dismissalReasons, reportTypes, type State, severities, states } from '../../../domain/findings/scales.ts'
import {
  owaspCategories,
  type VulnerabilityFilter,
  vulnerabilitySorts,
} from '../../../domain/vulnerabilities/list/filter.ts'
import { dismissalScopes } from '../../../domain/vulnerabilities/triage/dismissals/ref-dismissals.ts'
import { compileInput } from '../../../http/params/compile-input.ts'
import { date, flag, integer, listOf, number, oneOf, optional, text, textList } from '../../../http/params/input.ts'
import type { RawParams } from '../../../http/params/raw-params.ts'
import { cursorFields } from '../../../http/response/keyset.ts'
import { parameterProblem } from '../../../platform/failure.ts'

/**
 * Filters of vulnerability lists: GitLab's GraphQL arguments in snake case. Lists, summaries, bulk changes, exports and
 * findings take their parameters from this table.
 */
const filters = {
  state: filter(
    'states',
    listOf([...states, 'opened'], { commaSeparated: true, description: '`opened` is an alias of `detected`' }),
    (words) => words.map((word): State => (word === 'opened' ? 'detected' : word)),
  ),
  severity: filter('severities', listOf(severities, { commaSeparated: true }), unchanged),
  report_type: filter('reportTypes', listOf([...reportTypes, 'generic'], { commaSeparated: true }), unchanged),
  scanner: filter(
    'scanners',
    textList({ commaSeparated: true, description: 'External IDs of scanners' }),
    withoutBlanks,
  ),
  assignee_id: filter(
    'assigneeIds',
    textList({
      commaSeparated: true,
      description: 'IDs of users, `me` for the current user, or `none` for results without an assignee',
    }),
    readAssignees,
  ),
  tags: filter(
    'tags',
    textList({ commaSeparated: true, description: 'Only results with one of these tags; case-insensitive' }),
    someOf,
  ),
  has_issue: filter('hasIssue', flag({ description: 'Whether it has a link to an issue' }), unchanged),
  owasp_top_ten: filter(
    'owaspTopTen',
    listOf(owaspCategories, {
      commaSeparated: true,
      description:
        'Only results with an identifier of these categories of the OWASP Top 10; `none`, alone: results without any',
    }),
    readOwasp,
  ),
  not_tags: filter(
    'notTags',
    textList({ commaSeparated: true, description: 'Only results with none of these tags; case-insensitive' }),
    someOf,
  ),
  identifier: filter(
    'identifiers',
    textList({ description: 'Exact name or external ID of an identifier, such as CVE-2021-44228; case-insensitive' }),
    withoutBlanks,
  ),
  package: filter(
    'packages',
    textList({
      description:
        'Package URL with or without a version, such as pkg:npm/lodash@4.17.20, or name of a package; names are case-insensitive',
    }),
    readPackages,
  ),
  search: filter(
    'search',
    text({ description: 'Words of at least three letters in the title, location or an identifier' }),
    (words) => words.trim() || undefined,
  ),
  ref: filter(
    'ref',
    text({ allowBlank: false, description: 'Only results that are present on this branch or tag' }),
    unchanged,
  ),
  not_on: filter(
    'notOnRef',
    text({
      allowBlank: false,
      description: 'Only results that are not present on this branch or tag, such as the target of a merge request',
    }),
    unchanged,
  ),
  also_on: filter(
    'alsoOnRef',
    text({ allowBlank: false, description: 'Only results that are present on this branch or tag, too, beside `ref`' }),
    unchanged,
  ),
  flaw: filter(
    'flaws',
    textList({
      commaSeparated: true,
      description: 'IDs of flaws, from `vulnerability_flaws`: only results that are one of them',
    }),
    readFlaws,
  ),
  kev: filter('isKev', flag({ description: 'Whether one of the CVEs is known to be exploited' }), unchanged),
  epss_min: filter(
    'minEpss',
    number({ minimum: 0, maximum: 1, description: 'Minimum EPSS score, from 0 to 1' }),
    unchanged,
  ),
  fix_available: filter(
    'hasFix',
    flag({ description: 'Whether the report has a remediation, or its solution states the version to upgrade to' }),
    unchanged,
  ),
  has_remediations: filter(
    'hasRemediations',
    flag({ description: 'Whether the report has a remediation, which is a patch' }),
    unchanged,
  ),
  image: filter(
    'images',
    textList({
      description: 'Names of container images, exactly; only results of container and cluster image scanning',
    }),
    someOf,
  ),
  present_on_default_branch: filter(
    'isOnDefaultBranch',
    flag({
      description:
        'True: results that were ever present on the default branch. False: results that never were, including those no longer present on any branch. Default without `ref`: true',
    }),
    unchanged,
  ),
  has_resolution: filter(
    'isResolvedOnDefaultBranch',
    flag({ description: 'True: only results that are no longer detected on the default branch' }),
    unchanged,
  ),
  dismissal_reason: filter(
    'dismissalReasons',
    listOf(dismissalReasons, {
      commaSeparated: true,
      description: 'Combined with `state`: results in one of the states, or dismissed for one of these reasons',
    }),
    unchanged,
  ),
  overdue: filter(
    'isOverdue',
    flag({
      description:
        'True: only results that are detected or confirmed after their due date (UTC). False: all other results',
    }),
    unchanged,
  ),
  due_before: filter('dueBefore', date({ description: 'Only results whose due date is before this day' }), unchanged),
  due_after: filter('dueAfter', date({ description: 'Only results whose due date is after this day' }), unchanged),
  rule_id: filter('ruleId', integer({ description: 'Only results that the rule with this ID has changed' }), unchanged),
  dismissal_scope: filter(
    'dismissalScopes',
    listOf(dismissalScopes, {
      commaSeparated: true,
      description:
        'Only results that are dismissed so far: on all branches, on some of them only, or with a decision for all projects of a group',
    }),
    unchanged,
  ),
  dismissal_ends: filter(
    'hasDismissalEnd',
    flag({
      description:
        'True: only results whose dismissal ends on a day or when a fix is available. False: only results dismissed without an end',
    }),
    unchanged,
  ),
  dismissal_ends_before: filter(
    'dismissalEndsBefore',
    date({ description: 'Only results whose dismissal ends before this day (UTC)' }),
    unchanged,
  ),
}

/** Declares a filter: the field of `VulnerabilityFilter`, the parameter, and how its value becomes that field. */
function filter<Field extends keyof VulnerabilityFilter, Parameter extends TSchema>(
  field: Field,
  parameter: Parameter,
  read: (value: Static<Parameter>, userId: number) => VulnerabilityFilter[Field],
) {
  return {
    field,
    parameter: optional(parameter),
    read: (value: Static<Parameter> | undefined, userId: number) =>
      value === undefined ? undefined : read(value, userId),
  }
}

type Filters = typeof filters
type FilterName = keyof Filters
// `Object.keys` loses the type of the keys.
export const filterNames = Object.keys(filters) as FilterName[]

/** Parameters of all filters. */
export const filterProperties = Object.fromEntries(filterNames.map((name) => [name, filters[name].parameter])) as {
  [Name in FilterName]: Filters[Name]['parameter']
} // `fromEntries` loses which value belongs to which key

/** Parameter of each field. Does not compile when a field of `VulnerabilityFilter` has no parameter. */
const nameOfField: Record<keyof VulnerabilityFilter, string> = Object.fromEntries(
  filterNames.map((name) => [filters[name].field, name]),
) as Record<Filters[FilterName]['field'], FilterName> // `fromEntries` loses the type of the keys

export const listProperties = {
  ...filterProperties,
  sort: oneOf(vulnerabilitySorts, {
    default: 'severity_desc',
    description: 'Results without a due date follow all others in `due_asc`, and precede them in `due_desc`',
  }),
  ...cursorFields,
}

const filterInput = Type.Object(filterProperties)
const compiledFilter = compileInput(filterInput)

/** Reads the filters from an object. Rejects unknown names, because ignoring one would select too many rows. */
export function readFilterObject(params: RawParams, caller: FilterCaller): VulnerabilityFilter {
  assertKnown('filter', params, filterProperties)
  return readFilter(compiledFilter(params), caller)
}

export function assertKnown(parameter: string, params: RawParams, properties: object): void {
  const unknown = Object.keys(params).filter((name) => !Object.hasOwn(properties, name))
  if (unknown.length === 0) return
  const named = unknown.map((name) => `${parameter}[${name}] is not a filter`).join(', ')
  throw parameterProblem(`${named.slice(0, 200)}; there are: ${Object.keys(properties).join(', ')}`)
}

/** The user whom `me` stands for. */
export type FilterCaller = Pick<Caller, 'user'>

/** Converts validated parameters to a filter. Absent ones stay undefined. */
export const readFilter = (input: FilterInput, { user }: FilterCaller): VulnerabilityFilter =>
  Object.fromEntries(
    filterNames.map((name) => [filters[name].field, readOne(filters, { input, userId: user.id }, name)]),
  )

/** Returns whether the result depends on the caller, so that a response must not be shared. */
export const isPersonal = ({ assignee_id: ids }: FilterInput): boolean => ids?.some((id) => isMe(id)) ?? false

type FilterInput = Partial<Static<typeof filterInput>>

/** Reads the value of one filter. The type parameter relates the value to the function that reads it. */
const readOne = <Name extends FilterName>(
  readers: {
    [Each in FilterName]: {
      read(value: FilterInput[Each], userId: number): VulnerabilityFilter[keyof VulnerabilityFilter]
    }
  },
  { input, userId }: { input: FilterInput; userId: number },
  name: Name,
) => readers[name].read(input[name], userId)

/** Returns the parameters of a filter: the inverse of `readFilter`. */
export function viewFilter(filter: VulnerabilityFilter): Record<string, unknown> {
  const fields = Object.entries(nameOfField) as [keyof VulnerabilityFilter, string][] // keys are fields
  const assigneeIds = filter.assigneeIds?.map((id) => (id === null ? 'none' : String(id)))
  const flaws = filter.flaws?.map(String)
  const written: Partial<Record<keyof VulnerabilityFilter, unknown>> = { ...filter, assigneeIds, flaws }
  return Object.fromEntries(fields.map(([field, name]) => [name, written[field]]))
}

function unchanged<Value>(value: Value): Value {
  return value
}

function readPackages(texts: readonly string[]): string[] {
  const packages = withoutBlanks(texts)
  const invalid = packages.find((text) => text.startsWith('pkg:') && !parsePackageUrl(text))
  if (invalid !== undefined) throw parameterProblem(`package is not a valid package URL: ${invalid.slice(0, 100)}`)
  return packages
}

function readFlaws(ids: readonly string[]): number[] | undefined {
  const keys = withoutBlanks(ids).map((id) => {
    const key = /^\d{1,16}$/.test(id) ? Number(id) : 0
    if (key === 0 || !Number.isSafeInteger(key)) throw parameterProblem('flaw does not have a valid value')
    return key
  })
  return keys.length > 0 ? [...new Set(keys)] : undefined
}

const isMe = (id: string) => id.trim().toLowerCase() === 'me'

/** Returns ids of users, and null for `none`. */
function readAssignees(ids: readonly string[], userId: number): (number | null)[] | undefined {
  const words = withoutBlanks(ids).map((id) => id.toLowerCase())
  const found = words.map((word) => {
    if (word === 'none') return null
    if (isMe(word)) return userId
    const id = /^\d{1,15}$/.test(word) ? Number(word) : 0
    if (id === 0) throw parameterProblem('assignee_id does not have a valid value')
    return id
  })
  return found.length > 0 ? [...new Set(found)] : undefined
}

/** An empty list is no filter. */
function someOf(texts: readonly string[]): string[] | undefined {
  const found = withoutBlanks(texts)
  return found.length > 0 ? found : undefined
}

function readOwasp(categories: readonly string[]): readonly string[] {
  if (categories.includes('none') && categories.length > 1) {
    throw parameterProblem('owasp_top_ten: none cannot be combined with other values')
  }
  return categories
}

function withoutBlanks(texts: readonly string[]): string[] {
  return texts.map((text) => text.trim()).filter((text) => text !== '')
}
