import type { Deps } from '../../deps.ts'
import { type Severity, severities } from '../scales.ts'
import { countOpen, type OpenCount, orderRefs, type RefPair } from './open-on-refs-queries.ts'
import type { ComparedRefs } from './ref-comparison.ts'

/** Open findings: vulnerabilities by severity, and those that await triage. */
export interface OpenFindings {
  vulnerabilities: Record<Severity, number>
  total: number
  awaitingTriage: number
}

/** The open findings of two refs. Those on both have the state and severity of the first one. */
export interface OpenComparison {
  onlyOnRef: OpenFindings
  onlyOnTarget: OpenFindings
  onBoth: OpenFindings
}

/** Counts the open findings that are present on one of two refs, or on both. */
export async function compareOpen(
  { db }: Pick<Deps, 'db'>,
  { projectId, ref, targetRef }: ComparedRefs,
): Promise<OpenComparison> {
  return compareIn(db, await orderRefs(db, projectId, [ref, targetRef]), ref)
}

/** Compares a ref of the pair with the other one. Exported for its test. */
export async function compareIn(db: Deps['db'], pair: RefPair, ref: string): Promise<OpenComparison> {
  const counts = await countOpen(db, pair)
  const isSmaller = ref === pair.smaller
  const smaller = openOnRef(counts, 'smaller')
  const larger = openOnRef(counts, 'larger')
  const [own, other] = isSmaller ? [smaller, larger] : [larger, smaller]
  return { onlyOnRef: own.only, onlyOnTarget: other.only, onBoth: own.both }
}

/** Returns the findings that are open on one of the refs: those that are absent from the other one, and the others. */
function openOnRef(counts: readonly OpenCount[], which: 'smaller' | 'larger'): Record<'only' | 'both', OpenFindings> {
  const only = noFindings()
  const both = noFindings()
  for (const { part, total, isPromoted, ...count } of counts) {
    if (part === which) add(only, true, count.severity, total)
    if (part === `${which} unpromoted`) {
      // The part with all open findings has counted them as promoted.
      add(only, true, count.severity, -total)
      add(only, false, count.severity, total)
    }
    if (part !== 'both' || !(which === 'smaller' ? count.isOpenOnSmaller : count.isOpenOnLarger)) continue
    const severity = which === 'smaller' ? count.severity : count.severityOnLarger
    add(both, isPromoted, severity, total)
    add(only, isPromoted, severity, -total)
  }
  return { only, both }
}

function add(findings: OpenFindings, isPromoted: boolean, severity: Severity, amount: number): void {
  if (isPromoted) {
    findings.vulnerabilities[severity] += amount
    findings.total += amount
  } else findings.awaitingTriage += amount
}

function noFindings(): OpenFindings {
  const none = Object.fromEntries(severities.map((severity) => [severity, 0]))
  return { vulnerabilities: none as OpenFindings['vulnerabilities'], total: 0, awaitingTriage: 0 } // one entry for each severity
}
