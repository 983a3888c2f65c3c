import type { Deps } from '../../deps.ts'
import { type Severity, severities } from '../scales.ts'
import type { ComparedRefs } from './ref-comparison.ts'
import { countOpenOnRef, type OpenCount } from './ref-comparison-queries.ts'

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
export async function compareOpen({ db }: Pick<Deps, 'db'>, refs: ComparedRefs): Promise<OpenComparison> {
  const { ref, targetRef } = refs
  const ofRef = await countOpenOnRef(db, refs)
  const ofTarget = await countOpenOnRef(db, { ...refs, ref: targetRef, targetRef: ref })
  return {
    onlyOnRef: sumOf(ofRef.filter(({ isOnOther }) => !isOnOther)),
    onlyOnTarget: sumOf(ofTarget.filter(({ isOnOther }) => !isOnOther)),
    onBoth: sumOf(ofRef.filter(({ isOnOther }) => isOnOther)),
  }
}

function sumOf(counts: readonly OpenCount[]): OpenFindings {
  const sum = (some: readonly OpenCount[]) => some.reduce((total, count) => total + count.total, 0)
  const promoted = counts.filter(({ isPromoted }) => isPromoted)
  const bySeverity = severities.map((name) => [name, sum(promoted.filter(({ severity }) => severity === name))])
  return {
    vulnerabilities: Object.fromEntries(bySeverity), // one entry for each severity
    total: sum(promoted),
    awaitingTriage: sum(counts.filter(({ isPromoted }) => !isPromoted)),
  }
}
