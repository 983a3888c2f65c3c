/** Severities in ascending order, with the numbers that GitLab stores them as. */
export const severityRanks = { info: 1, unknown: 2, low: 4, medium: 5, high: 6, critical: 7 } as const
export type Severity = keyof typeof severityRanks
// `Object.keys` loses the type of the keys.
export const severities = Object.keys(severityRanks) as Severity[]

/** Returns the same string for equal severities, so that a long list of them takes no memory for copies. */
export const sharedSeverity = (severity: Severity): Severity => severityOf(severityRanks[severity])

export const confidenceRanks = {
  ignore: 1,
  unknown: 2,
  experimental: 3,
  low: 4,
  medium: 5,
  high: 6,
  confirmed: 7,
} as const
export type Confidence = keyof typeof confidenceRanks
// `Object.keys` loses the type of the keys.
export const confidences = Object.keys(confidenceRanks) as Confidence[]

export const reportTypes = [
  'sast',
  'dependency_scanning',
  'container_scanning',
  'dast',
  'secret_detection',
  'coverage_fuzzing',
  'api_fuzzing',
  'cluster_image_scanning',
  'container_scanning_for_registry',
] as const
export type ReportType = (typeof reportTypes)[number]

export const states = ['detected', 'confirmed', 'resolved', 'dismissed'] as const
export type State = (typeof states)[number]

export const dismissalReasons = [
  'acceptable_risk',
  'false_positive',
  'mitigating_control',
  'used_in_tests',
  'not_applicable',
] as const
export type DismissalReason = (typeof dismissalReasons)[number]

/** Row of a table, which stores severity and confidence as numbers. */
export type Ranked<Noun> = Omit<Noun, 'severity' | 'confidence'> & { severity: number; confidence: number }

export function severityOf(rank: number): Severity {
  return severities.find((word) => severityRanks[word] === rank) ?? 'unknown'
}

export function confidenceOf(rank: number): Confidence {
  return confidences.find((word) => confidenceRanks[word] === rank) ?? 'unknown'
}
