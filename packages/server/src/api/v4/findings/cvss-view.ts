import Type from 'typebox'
import type { FindingExtras } from '../../../domain/findings/finding.ts'
import type { RateVector } from '../../../domain/reports/formats/fields/cvss-score.ts'
import { nullableString } from '../views.ts'

const nullableNumber = Type.Unsafe<number | null>({ type: ['number', 'null'] })

export const cvssView = Type.Array(
  Type.Object({
    vendor: Type.String(),
    vector: Type.String(),
    version: nullableString,
    base_score: nullableNumber,
    overall_score: nullableNumber,
    severity: nullableString,
  }),
  { description: 'Same fields as in GitLab’s GraphQL API. An invalid vector has no scores' },
)

export function viewCvss(cvss: FindingExtras['cvss'], rate: RateVector) {
  return cvss.map(({ vendor, vector }) => {
    const rating = rate(vector)
    return {
      vendor,
      vector,
      version: rating?.version ?? null,
      base_score: rating?.baseScore ?? null,
      overall_score: rating?.overallScore ?? null,
      severity: rating?.severity ?? null,
    }
  })
}
