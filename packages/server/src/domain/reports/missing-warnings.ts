import type { ReportProblem } from '../../platform/failure.ts'
import type { Classified } from './classified.ts'
import { describeGap } from './gaps.ts'
import type { Missing } from './gone.ts'

/** Says what becomes of findings that the report does not name, where its sender may expect something else. */
export function missingWarnings(
  { kept }: Pick<Classified, 'kept'>,
  { effective, gone, held }: Missing,
): ReportProblem[] {
  const warnings = [...effective].map((gap) => ({
    type: 'Incomplete',
    message: describeGap(gap),
    pointer: gap.pointer,
  }))
  if (held > 0)
    warnings.unshift({ type: 'Incomplete', message: `Missing findings that keep their state: ${held}.`, pointer: '' })
  if (kept === 0 && gone.length > 0) {
    const message = `The report has no findings, so all ${gone.length} that it could name are absent now.`
    warnings.unshift({ type: 'Empty', message, pointer: '' })
  }
  return warnings
}
