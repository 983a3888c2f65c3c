import type { ReportProblem } from '../../../platform/failure.ts'
import { describeGap } from '../formats/gaps.ts'
import type { Classified } from './classified.ts'
import type { Missing } from './gone.ts'

/** Returns warnings about missing findings whose state may differ from what the sender expects. */
export function missingWarnings(
  { total }: Pick<Classified, 'total'>,
  { effective, gone, retained, others, artifact }: Missing & { artifact: string | undefined },
): ReportProblem[] {
  const warnings = [...effective].map((gap) => ({
    type: 'Incomplete',
    message: describeGap(gap),
    pointer: gap.pointer,
  }))
  if (others.size > 0) {
    const message = `The report is about ${artifact}. Missing findings that were last reported for ${printOthers(others)} keep their state. Send the reports of each with a \`category\` of its own.`
    warnings.unshift({ type: 'OtherArtifact', message, pointer: '' })
  }
  if (retained > 0)
    warnings.unshift({
      type: 'Incomplete',
      message: `Missing findings that keep their state: ${retained}.`,
      pointer: '',
    })
  if (total === 0 && gone.length > 0) {
    const message = `The report has no findings, so all ${gone.length} that it could name are absent now.`
    warnings.unshift({ type: 'Empty', message, pointer: '' })
  }
  return warnings
}

/** Maximum number of listed artifacts; only the number of further ones is shown. */
const maxNamed = 5

function printOthers(others: ReadonlyMap<string, number>): string {
  const named = [...others].slice(0, maxNamed).map(([name, count]) => `${name} (${count})`)
  const rest = others.size - named.length
  return rest > 0 ? `${named.join(', ')} and ${rest} more` : named.join(', ')
}
