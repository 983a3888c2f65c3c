import { createRequire } from 'node:module'
import type CvssCalculator from 'ae-cvss-calculator'
import type { FindingExtras } from './finding.ts'
import type { Severity } from './scales.ts'

/** Scores and severity of a CVSS vector. */
interface CvssRating {
  version: string
  /** Score of the base metrics, 0 to 10. */
  baseScore: number
  /** Score of all metrics in the vector. */
  overallScore: number
  /** Severity of the overall score in the scale of the CVSS version; version 2.0 has no `critical`. */
  severity: 'none' | 'low' | 'medium' | 'high' | 'critical'
}

/** Rates a vector. Returns undefined if it is invalid or lacks a base metric. */
export type RateVector = (vector: string) => CvssRating | undefined
/** Returns the base score of a vector, 0 to 10. */
export type ScoreVector = (vector: string) => number | undefined

/** Loads the CVSS calculator for versions 2.0, 3.0, 3.1 and 4.0. It is large, so it is loaded on first use. */
export function loadRatings(): RateVector {
  // `require`, because the shape of an imported CommonJS module depends on the loader.
  const calculator: typeof CvssCalculator = createRequire(import.meta.url)('ae-cvss-calculator')
  return (vector) => {
    const version = /^CVSS:(\d\.\d)\//.exec(vector)?.[1] ?? '2.0'
    const required = baseMetrics[version]
    if (!required || vector.length > maxLength) return undefined
    const metrics = new Set(vector.split('/').map((metric) => metric.slice(0, Math.max(metric.indexOf(':'), 0))))
    if (!required.every((metric) => metrics.has(metric))) return undefined
    const scores = calculator.fromVector(vector)?.calculateScores()
    // For version 4.0 the calculator's base score includes threat metrics.
    const baseScore = scores && ('baseMetricsOnly' in scores ? scores.baseMetricsOnly : scores.base)
    if (!isScore(baseScore)) return undefined
    const overallScore = isScore(scores?.overall) ? scores.overall : baseScore
    return { version, baseScore, overallScore, severity: wordOf(version, overallScore) }
  }
}

export function loadScores(): ScoreVector {
  const rate = loadRatings()
  return (vector) => rate(vector)?.baseScore
}

const isScore = (score: unknown): score is number => typeof score === 'number' && score >= 0 && score <= 10

function wordOf(version: string, score: number): CvssRating['severity'] {
  if (version === '2.0') return score >= 7 ? 'high' : score >= 4 ? 'medium' : 'low'
  const word = severityOfScore(score)
  return word === 'info' || word === 'unknown' ? 'none' : word
}

const maxLength = 512

const version3 = ['AV', 'AC', 'PR', 'UI', 'S', 'C', 'I', 'A']
const baseMetrics: Record<string, string[]> = {
  '2.0': ['AV', 'AC', 'Au', 'C', 'I', 'A'],
  '3.0': version3,
  '3.1': version3,
  '4.0': ['AV', 'AC', 'AT', 'PR', 'UI', 'VC', 'VI', 'VA', 'SC', 'SI', 'SA'],
}

/** Returns the severity of a score in the scale of CVSS 3 and 4, and `info` for a score of 0. */
export function severityOfScore(score: number): Severity {
  if (score >= 9) return 'critical'
  if (score >= 7) return 'high'
  if (score >= 4) return 'medium'
  return score > 0 ? 'low' : 'info'
}

/** Returns the highest severity of the vectors. */
export function severityOfVectors(
  vectors: readonly Pick<FindingExtras['cvss'][number], 'vector'>[],
  scoreOf: ScoreVector,
): Severity | undefined {
  const scores = vectors.map(({ vector }) => scoreOf(vector)).filter((score) => score !== undefined)
  return scores.length > 0 ? severityOfScore(Math.max(...scores)) : undefined
}
