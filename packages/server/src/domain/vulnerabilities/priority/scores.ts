import type { Deps } from '../../deps.ts'
import { readThreats } from '../../feeds/feeds.ts'
import { loadScores, type ScoreVector } from '../../findings/cvss-score.ts'
import { listScoredFindings, type ScoredFinding, type Scores, updateScores } from './score-queries.ts'

/** Scores of a finding without CVSS vectors and CVEs. */
export const noScores: Scores = { cvssTenths: null, epssMillionths: null, epssPercentileMillionths: null, isKev: false }

/** Returns the scores of findings by id. */
export async function readScores(deps: Deps, findingIds: readonly number[]): Promise<Map<number, Scores>> {
  return scoresOf(deps, await listScoredFindings(deps.db, 'id', findingIds))
}

/** Computes the scores of vulnerabilities from their findings and the feeds, and stores what has changed. */
export async function rescore(deps: Deps, vulnerabilityIds: readonly number[]): Promise<number> {
  const findings = await listScoredFindings(deps.db, 'vulnerability_id', vulnerabilityIds)
  const scores = await scoresOf(deps, findings)
  const known = findings.flatMap(({ findingId, vulnerabilityId }) => {
    const found = scores.get(findingId)
    return found && vulnerabilityId !== null ? [{ id: vulnerabilityId, ...found }] : []
  })
  // A vulnerability without a finding has no scores, and counts as scored.
  const withFinding = new Set(known.map(({ id }) => id))
  const others = vulnerabilityIds.filter((id) => !withFinding.has(id)).map((id) => ({ id, ...noScores }))
  // In the order of ids, as every other bulk operation, to avoid deadlocks.
  return updateScores(
    deps.db,
    [...known, ...others].sort((a, b) => a.id - b.id),
  )
}

async function scoresOf(deps: Deps, findings: readonly ScoredFinding[]): Promise<Map<number, Scores>> {
  const threats = await readThreats(
    deps,
    findings.map(({ identifiers }) => identifiers),
  )
  const cvss = highestScores(findings)
  return new Map(
    findings.map(({ findingId }, index) => {
      const { epss, isKev } = threats[index] ?? { epss: null, isKev: false }
      const epssPercentileMillionths = epss && toThousandth(epss.percentileMillionths)
      const epssMillionths = epss?.scoreMillionths ?? null
      return [findingId, { cvssTenths: cvss[index] ?? null, epssMillionths, epssPercentileMillionths, isKev }]
    }),
  )
}

/** Almost every percentile changes each day by less, which would change almost every row. */
const toThousandth = (millionths: number) => Math.round(millionths / 1_000) * 1_000

/** Returns the highest base score of each finding's vectors, in tenths. */
function highestScores(findings: readonly ScoredFinding[]): (number | null)[] {
  let scoreOf: ScoreVector | undefined
  const known = new Map<string, number | undefined>()
  return findings.map(({ vectors }) => {
    const scores = vectors.flatMap(({ vector }) => {
      if (!known.has(vector)) {
        scoreOf ??= loadScores()
        known.set(vector, scoreOf(vector))
      }
      return known.get(vector) ?? []
    })
    return scores.length > 0 ? Math.round(Math.max(...scores) * 10) : null
  })
}
