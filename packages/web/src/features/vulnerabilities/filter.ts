import type { QueryOf } from '@alcove/client'
import { severities, stateInWords } from '../../components/badge.tsx'
import { inWords, reportTypeInWords } from '../../components/format.ts'
import type { SearchState } from '../../components/search-state.ts'

export const states = ['detected', 'confirmed', 'resolved', 'dismissed'] as const
export type State = (typeof states)[number]
export const reportTypes = [
  'sast',
  'dependency_scanning',
  'container_scanning',
  'dast',
  'secret_detection',
  'coverage_fuzzing',
  'api_fuzzing',
  'cluster_image_scanning',
  'container_scanning_for_registry',
  'generic',
] as const
export const dismissalReasons = [
  'acceptable_risk',
  'false_positive',
  'mitigating_control',
  'used_in_tests',
  'not_applicable',
] as const
export type DismissalReason = (typeof dismissalReasons)[number]

/** The filter as it stands in the address, by the API's names; a list has commas. */
export const filterNames = [
  ...(['severity', 'state', 'report_type', 'scanner', 'identifier', 'search', 'ref'] as const),
  ...(['has_resolution', 'present_on_default_branch', 'dismissal_reason'] as const),
]
export type FilterName = (typeof filterNames)[number]
export type FilterState = SearchState<FilterName>
export type FilterChanges = { [P in FilterName]?: string | undefined }

/** What waits for somebody: shown as long as the address says nothing else. */
const openStates: readonly State[] = ['detected', 'confirmed']
const anyState = 'any'

type Query = QueryOf<'GET /projects/{id}/vulnerabilities'>
/** What a filter says to the API, in lists and in bulk changes alike. */
export type Filter = Omit<Query, 'sort' | 'pagination' | 'cursor' | 'page' | 'per_page'>

export type FindingFilter = Pick<Filter, 'severity' | 'report_type' | 'scanner' | 'identifier' | 'search' | 'ref'>

export function listed(value: string | undefined): string[] {
  return (value ?? '').split(',').filter(Boolean)
}

function known<T extends string>(value: string | undefined, words: readonly T[]): T[] {
  const given = listed(value)
  return words.filter((word) => given.includes(word))
}

export const severitiesIn = (state: FilterState) => known(state.severity, severities)
const reasonsIn = (state: FilterState) => known(state.dismissal_reason, dismissalReasons)

/** Whoever asks for a reason asks for what was dismissed for it. */
export function statesIn(state: FilterState): State[] {
  const chosen = known(state.state, states)
  if (chosen.length > 0) return chosen
  return state.state === anyState || state.dismissal_reason ? [...states] : [...openStates]
}

export function filterFrom(state: FilterState): Filter {
  const reasons = reasonsIn(state)
  const chosen = known(state.state, states)
  // The API shows what is in one of the states or dismissed for one of the reasons.
  const wanted = reasons.length > 0 ? chosen.filter((word) => word !== 'dismissed') : statesIn(state)
  return given({
    severity: unlessEmpty(severitiesIn(state)),
    state: wanted.length === states.length ? undefined : unlessEmpty(wanted),
    report_type: unlessEmpty(known(state.report_type, reportTypes)),
    scanner: unlessEmpty(listed(state.scanner)),
    identifier: state.identifier ? [state.identifier] : undefined,
    search: state.search,
    ref: state.ref,
    has_resolution: state.has_resolution ? state.has_resolution === 'true' : undefined,
    present_on_default_branch: state.present_on_default_branch ? state.present_on_default_branch === 'true' : undefined,
    dismissal_reason: unlessEmpty(reasons),
  })
}

/** Without what was given as undefined: a filter of a bulk change has only what it says. */
function given<F extends Filter>(filter: F): F {
  return Object.fromEntries(Object.entries(filter).filter(([, value]) => value !== undefined)) as F // what is optional may be absent
}

/** What a list of findings understands of it; they have no states of their own. */
export function findingFilterFrom(state: FilterState): FindingFilter {
  const { severity, report_type, scanner, identifier, search, ref } = filterFrom(state)
  return given({ severity, report_type, scanner, identifier, search, ref })
}

function unlessEmpty<T>(list: T[]): T[] | undefined {
  return list.length > 0 ? list : undefined
}

export interface Chip {
  label: string
  /** What takes it out of the filter. */
  without: FilterChanges
}

/** What the filter says beyond the usual, one chip for each word of it. */
export function chipsOf(state: FilterState, nameOf: (scanner: string) => string = (scanner) => scanner): Chip[] {
  const list = (name: FilterName, word: (value: string) => string): Chip[] =>
    listed(state[name]).map((value) => ({ label: word(value), without: { [name]: without(state[name], value) } }))
  const text = (name: FilterName, label: string): Chip[] =>
    state[name] ? [{ label: `${label}: ${state[name]}`, without: { [name]: undefined } }] : []
  return [
    ...list('severity', (value) => `Severity: ${inWords(value)}`),
    ...(state.state === anyState
      ? [{ label: 'All statuses', without: { state: undefined } }]
      : list('state', (value) => `Status: ${stateInWords(value)}`)),
    ...list('report_type', (value) => `Report type: ${reportTypeInWords(value)}`),
    ...list('scanner', (value) => `Scanner: ${nameOf(value)}`),
    ...list('dismissal_reason', (value) => `Dismissed: ${inWords(value)}`),
    ...text('identifier', 'Identifier'),
    ...text('search', 'Search'),
    ...text('ref', 'Branch or tag'),
    ...(state.has_resolution
      ? [
          {
            label: state.has_resolution === 'true' ? 'No longer detected' : 'Still detected',
            without: { has_resolution: undefined },
          },
        ]
      : []),
    ...(state.present_on_default_branch
      ? [
          {
            label: state.present_on_default_branch === 'true' ? 'On the default branch' : 'Only on other branches',
            without: { present_on_default_branch: undefined },
          },
        ]
      : []),
  ]
}

function without(list: string | undefined, value: string): string | undefined {
  return (
    listed(list)
      .filter((other) => other !== value)
      .join() || undefined
  )
}

/** A list in the address with the value put in, or taken out. */
export function toggled(list: string | undefined, value: string): string | undefined {
  return listed(list).includes(value) ? without(list, value) : [...listed(list), value].join()
}

/** The states with one put in or taken out; all of them are `any`, and what is usual needs no words. */
export function toggledState(state: FilterState, word: State): string | undefined {
  const before = statesIn(state)
  const after = before.includes(word) ? before.filter((other) => other !== word) : [...before, word]
  if (after.length === states.length) return anyState
  const isUsual = after.length === 0 || (after.length === 2 && openStates.every((open) => after.includes(open)))
  return isUsual ? undefined : states.filter((other) => after.includes(other)).join()
}

/** Takes everything out. */
export const nothing: FilterChanges = Object.fromEntries(filterNames.map((name) => [name, undefined]))
