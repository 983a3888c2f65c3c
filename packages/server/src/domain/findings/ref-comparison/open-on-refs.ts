import type { Deps } from '../../deps.ts'
import { type Severity, severities } from '../scales.ts'
import { countOpen, type OpenCount, orderRefs, type RefPair, type RefRole } from './open-on-refs-queries.ts'
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
  const own: RefRole = ref === pair.outer ? 'outer' : 'inner'
  const other: RefRole = own === 'outer' ? 'inner' : 'outer'
  const onRef = openOnRef(counts, own)
  return { onlyOnRef: onRef.only, onlyOnTarget: openOnRef(counts, other).only, onBoth: onRef.both }
}

/** Counts the open findings of one ref, split into those that only it has and those that are present on both. */
function openOnRef(counts: readonly OpenCount[], role: RefRole): Record<'only' | 'both', OpenFindings> {
  const only = noFindings()
  const both = noFindings()
  for (const count of counts) {
    if (count.part === role) add(only, count.isPromoted, count.severity, count.total)
    if (count.part !== 'both' || !(role === 'outer' ? count.isOpenOnOuter : count.isOpenOnInner)) continue
    const severity = role === 'outer' ? count.severity : count.innerSeverity
    add(both, count.isPromoted, severity, count.total)
    add(only, count.isPromoted, severity, -count.total)
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
