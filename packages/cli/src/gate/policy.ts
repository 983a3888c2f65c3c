import { counted } from '../counted.ts'
import { wrongUsage } from '../exit.ts'
import { type Severity, severities } from '../findings.ts'
import { type Comparison, countOf } from './comparison.ts'

/** A condition that fails the gate, such as `new:high`. */
export interface Rule {
  /** `any` means new and known findings. */
  kind: 'new' | 'known' | 'any'
  /** The least severity that counts. */
  severity: Severity
}

/** A rule that failed, with the number of findings that it counted. */
export interface Violation {
  rule: Rule
  count: number
}

const kinds: readonly Rule['kind'][] = ['new', 'known', 'any']
const example = "Example: --fail-on 'new:high,any:critical'"

/** Parses a policy such as `new:high,any:critical`. A rule without a severity counts every finding. */
export function parsePolicy(text: string): Rule[] {
  const rules = text.split(',').map((word) => parseRule(word.trim()))
  if (text.trim() === '') throw wrongUsage(`The policy is empty. ${example}`)
  return rules
}

function parseRule(word: string): Rule {
  const [kindWord = '', severityWord = 'info', ...rest] = word.toLowerCase().split(':')
  const kind = kinds.find((known) => known === kindWord)
  const severity = severities.find((known) => known === severityWord)
  if (kind && severity && rest.length === 0) return { kind, severity }
  const allowed = `A rule is ${kinds.join(', ')}, then a colon and ${severities.join(', ')}.`
  throw wrongUsage(`${JSON.stringify(word)} is not a rule of a policy. ${allowed} ${example}`)
}

/** Returns the rules that a comparison violates. */
export function findViolations(policy: readonly Rule[], comparison: Comparison): Violation[] {
  return policy.map((rule) => ({ rule, count: countMatches(rule, comparison) })).filter(({ count }) => count > 0)
}

function countMatches({ kind, severity }: Rule, comparison: Comparison): number {
  const counted = severities.slice(0, severities.indexOf(severity) + 1)
  const counts = { new: countOf(comparison, 'new', counted), known: countOf(comparison, 'known', counted) }
  return kind === 'any' ? counts.new + counts.known : counts[kind]
}

/** Returns true if one of the rules counts a finding of this kind and severity. */
export function isCounted(policy: readonly Rule[], kind: 'new' | 'known', severity: Severity): boolean {
  return policy.some(
    (rule) =>
      (rule.kind === 'any' || rule.kind === kind) && severities.indexOf(severity) <= severities.indexOf(rule.severity),
  )
}

/** Describes a violation, such as `2 new findings of severity high or above (new:high)`. */
export function describeViolation({ rule, count }: Violation): string {
  const adjective = rule.kind === 'any' ? '' : `${rule.kind} `
  const of =
    rule.severity === 'info' ? '' : ` of severity ${rule.severity}${rule.severity === 'critical' ? '' : ' or above'}`
  return `${counted(count, `${adjective}finding`)}${of} (${writeRule(rule)})`
}

/** Writes a rule as it is parsed. */
export function writeRule({ kind, severity }: Rule): string {
  return `${kind}:${severity}`
}
