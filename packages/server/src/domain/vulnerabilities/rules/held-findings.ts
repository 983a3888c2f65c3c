import type { Deps } from '../../deps.ts'
import { readScores } from '../priority/scores.ts'
import type { ProjectRules } from './apply-rules.ts'
import { firstMatch } from './match-rules.ts'
import { readFindings } from './matched-findings.ts'

/** Returns those of the findings whose first matching rule holds them back from automatic promotion. */
export async function listHeld(
  deps: Deps,
  { rules }: ProjectRules,
  findingIds: readonly number[],
): Promise<ReadonlySet<number>> {
  if (!rules.some(({ action }) => action.hold)) return new Set()
  const findings = await readFindings(deps, rules, 'id', findingIds)
  const needsScores = rules.some(({ match }) => match.minEpss !== undefined || match.isKev !== undefined)
  const scores = needsScores ? await readScores(deps, findingIds) : undefined
  const now = deps.now()
  const held = findings.filter((finding) => {
    const { epssMillionths = null, isKev = false } = scores?.get(finding.findingId) ?? {}
    return firstMatch(rules, { ...finding, epssMillionths, isKev, createdAt: now }, now)?.action.hold === true
  })
  return new Set(held.map(({ findingId }) => findingId))
}
