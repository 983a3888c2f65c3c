import type { Severity } from '../vulnerabilities/scales.ts'

/** The base score that a CVSS vector stands for, 0 to 10; undefined when it is none or lacks a base metric. */
export type ScoreVector = (vector: string) => number | undefined

/** Reads vectors of CVSS 2.0, 3.0, 3.1 and 4.0. The calculator is large, so it is loaded with the first report. */
export async function loadScores(): Promise<ScoreVector> {
  const { default: calculator } = await import('ae-cvss-calculator')
  return (vector) => {
    const prefix = /^CVSS:(\d\.\d)\//.exec(vector)?.[1]
    const required = baseMetrics[prefix ?? '2.0']
    if (!required || vector.length > maxLength) return undefined
    const metrics = new Set(vector.split('/').map((metric) => metric.slice(0, Math.max(metric.indexOf(':'), 0))))
    if (!required.every((metric) => metrics.has(metric))) return undefined
    const score = calculator.fromVector(vector)?.calculateScores().base
    return typeof score === 'number' && score >= 0 && score <= 10 ? score : undefined
  }
}

const maxLength = 512

const version3 = ['AV', 'AC', 'PR', 'UI', 'S', 'C', 'I', 'A']
const baseMetrics: Record<string, string[]> = {
  '2.0': ['AV', 'AC', 'Au', 'C', 'I', 'A'],
  '3.0': version3,
  '3.1': version3,
  '4.0': ['AV', 'AC', 'AT', 'PR', 'UI', 'VC', 'VI', 'VA', 'SC', 'SI', 'SA'],
}

/** The word that a score from 0 to 10 stands for, by the scale of CVSS 3 and 4; nothing at all is mere information. */
export function severityOfScore(score: number): Severity {
  if (score >= 9) return 'critical'
  if (score >= 7) return 'high'
  if (score >= 4) return 'medium'
  return score > 0 ? 'low' : 'info'
}

/** The worst severity that any of the vectors stands for. */
export function severityOfVectors(vectors: readonly string[], scoreOf: ScoreVector): Severity | undefined {
  const scores = vectors.map(scoreOf).filter((score) => score !== undefined)
  return scores.length > 0 ? severityOfScore(Math.max(...scores)) : undefined
}
