import type { ReportProblem } from '../../../../platform/failure.ts'
import type { Decision } from '../../comparison/decision.ts'
import { describeGap, type Gap } from '../../formats/gaps.ts'

/** Parts of a report that kept missing findings in their state. */
export interface Retained {
  total: number
  /** Gaps that retained a finding, and gaps that apply to all findings. */
  gaps: ReadonlySet<Gap>
  /** Number of retained findings by artifact, for artifacts other than that of the report. */
  byArtifact: ReadonlyMap<string, number>
}

export function summariseRetained(decisions: readonly Decision[], gaps: readonly Gap[]): Retained {
  const effective = new Set(gaps.filter(({ since }) => since === undefined))
  const byArtifact = new Map<string, number>()
  let total = 0
  for (const decision of decisions) {
    if (decision.kind !== 'retained') continue
    const { gaps: covering, otherArtifact } = decision
    total++
    for (const gap of covering) effective.add(gap)
    if (otherArtifact !== undefined) byArtifact.set(otherArtifact, (byArtifact.get(otherArtifact) ?? 0) + 1)
  }
  return { total, gaps: effective, byArtifact }
}

/** Returns warnings about missing findings whose state may differ from what the sender expects. */
export function missingWarnings(
  retained: Retained,
  { total, known, absent, artifact }: { total: number; known: number; absent: number; artifact: string | undefined },
): ReportProblem[] {
  const warnings = [...retained.gaps].map((gap) => ({
    type: 'Incomplete',
    message: describeGap(gap),
    pointer: gap.pointer,
  }))
  if (retained.byArtifact.size > 0) {
    const message = `The report is about ${artifact}. Missing findings that were last reported for ${printOthers(retained.byArtifact)} keep their state. Send the reports of each with a \`category\` of its own.`
    warnings.unshift({ type: 'OtherArtifact', message, pointer: '' })
  }
  if (retained.total > 0)
    warnings.unshift({
      type: 'Incomplete',
      message: `Missing findings that keep their state: ${retained.total}.`,
      pointer: '',
    })
  if (total === 0 && absent > 0) {
    const message = `The report has no findings, so all ${absent} that it could name are absent now.`
    warnings.unshift({ type: 'Empty', message, pointer: '' })
  }
  if (known === 0 && Math.min(total, absent) >= minReplaced) {
    const message = `None of the findings that were present is in the report: ${absent} are absent now, and all ${total} of the report are new or have returned. If it covers another folder or image than the last one, send the reports of each with a \`category\` of its own.`
    warnings.unshift({ type: 'NothingInCommon', message, pointer: '' })
  }
  return warnings
}

/** With fewer findings, all of them may well be fixed between two reports. */
const minReplaced = 3

/** Maximum number of listed artifacts; only the number of further ones is shown. */
const maxNamed = 5

function printOthers(others: ReadonlyMap<string, number>): string {
  const named = [...others].slice(0, maxNamed).map(([name, count]) => `${name} (${count})`)
  const rest = others.size - named.length
  return rest > 0 ? `${named.join(', ')} and ${rest} more` : named.join(', ')
}
