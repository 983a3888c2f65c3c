import type { Severity } from '../../findings/scales.ts'
import { globTest } from './globs.ts'
import type { Rule, RuleMatch } from './rule.ts'
import { versionTest } from './version-range.ts'

/** What rules match: a finding, with the fields of its vulnerability if it has one. */
export interface MatchedFinding {
  findingId: number
  /** File, path and image of the location. */
  paths: readonly string[]
  /** Names and external ids of all identifiers, in capitals. Empty unless a rule has conditions on identifiers. */
  identifiers: ReadonlySet<string>
  /** Name and external id of the primary identifier, in capitals. */
  primary: readonly string[]
  packageKey: string | null
  /** Names of the package, in lower case: with its namespace as reported, and without. */
  packageNames: readonly string[]
  version: string | null
  scanner: string
  severity: Severity
  reportType: string
  /** All refs on which it was reported. Empty unless a rule has conditions on refs. */
  refs: readonly string[]
  /** Time since which it is a vulnerability. */
  createdAt: string
  epssMillionths: number | null
  isKev: boolean
  hasFix: boolean
}

/** A rule with its conditions prepared. */
export interface CompiledRule extends Rule {
  test(finding: MatchedFinding, now: string): boolean
}

const dayMs = 24 * 60 * 60 * 1000

type Condition = (finding: MatchedFinding, now: string) => boolean

/** Prepares a rule. `aliasesOf` returns further identifiers of the same vulnerability, in capitals. */
export function compileRule(rule: Rule, aliasesOf: (name: string) => readonly string[] = () => []): CompiledRule {
  const conditions = conditionsOf(rule.match, aliasesOf)
  // A rule without conditions is invalid, and must not match everything.
  return { ...rule, test: (finding, now) => conditions.length > 0 && conditions.every((one) => one(finding, now)) }
}

/** Cheap conditions come first. */
function conditionsOf(match: RuleMatch, aliasesOf: (name: string) => readonly string[]): Condition[] {
  const { severities, reportTypes, scanners, isKev, hasFix, minEpss, minAgeDays } = match
  return [
    severities && among(severities, ({ severity }) => [severity]),
    reportTypes && among(reportTypes, ({ reportType }) => [reportType]),
    scanners && among(scanners, ({ scanner }) => [scanner]),
    isKev === undefined ? undefined : (finding: MatchedFinding) => finding.isKev === isKev,
    hasFix === undefined ? undefined : (finding: MatchedFinding) => finding.hasFix === hasFix,
    minEpss === undefined ? undefined : (finding: MatchedFinding) => hasEpss(finding, minEpss),
    minAgeDays === undefined ? undefined : (finding: MatchedFinding, now: string) => isAged(finding, minAgeDays, now),
    match.ruleIds && among(match.ruleIds.map(upper), ({ primary }) => primary),
    match.identifiers && hasIdentifier(match.identifiers, aliasesOf),
    match.packages && hasPackage(match.packages),
    match.versionRange === undefined ? undefined : hasVersion(match.versionRange),
    match.paths && matchesSome(globTest(match.paths, { isPath: true }), ({ paths }) => paths),
    match.refs && isOnlyOn(globTest(match.refs, { isPath: false })),
  ].filter((condition) => condition !== undefined)
}

function among(values: readonly string[], of: (finding: MatchedFinding) => readonly string[]): Condition {
  const wanted = new Set(values)
  return (finding) => of(finding).some((value) => wanted.has(value))
}

function hasIdentifier(names: readonly string[], aliasesOf: (name: string) => readonly string[]): Condition {
  const wanted = new Set(names.map(upper).flatMap((name) => [name, ...aliasesOf(name)]))
  return ({ identifiers }) => {
    const [few, many] = wanted.size < identifiers.size ? [wanted, identifiers] : [identifiers, wanted]
    for (const name of few) if (many.has(name)) return true
    return false
  }
}

function hasPackage(packages: readonly string[]): Condition {
  const keys = new Set(packages.filter((name) => name.startsWith('pkg:')).map(keyOf))
  const names = new Set(packages.filter((name) => !name.startsWith('pkg:')).map((name) => name.toLowerCase()))
  return ({ packageKey, packageNames }) =>
    (packageKey !== null && keys.has(packageKey)) || packageNames.some((name) => names.has(name))
}

/** Removes version, qualifiers and subpath of a package URL. */
const keyOf = (url: string): string => url.slice(0, url.search(/[@?#]|$/))

function hasVersion(range: string): Condition {
  const contains = versionTest(range)
  return ({ version }) => version !== null && contains(version)
}

const matchesSome =
  (test: (text: string) => boolean, of: (finding: MatchedFinding) => readonly string[]): Condition =>
  (finding) =>
    of(finding).some(test)

/** A finding of other refs as well is not matched: a report of a branch must not decide about the default branch. */
const isOnlyOn =
  (test: (ref: string) => boolean): Condition =>
  ({ refs }) =>
    refs.length > 0 && refs.every(test)

const hasEpss = ({ epssMillionths }: MatchedFinding, min: number): boolean =>
  epssMillionths !== null && epssMillionths >= Math.round(min * 1_000_000)

/** Whole days (UTC), so that the outcome changes at midnight. */
const isAged = ({ createdAt }: MatchedFinding, days: number, now: string): boolean =>
  Date.parse(now.slice(0, 10)) - Date.parse(createdAt.slice(0, 10)) >= days * dayMs

const upper = (text: string): string => text.trim().toUpperCase()

/** Returns the first rule that matches. The rules are in the order in which they apply. */
export const firstMatch = (
  rules: readonly CompiledRule[],
  finding: MatchedFinding,
  now: string,
): CompiledRule | undefined => rules.find((rule) => rule.test(finding, now))
