import { isObject } from '../fields/json-fields.ts'
import { type Check, isLongerThan, list, note } from '../problems/checks.ts'

/** Checks a list of CVSS 2 or 3 vectors. Metrics may be missing and in any order. */
export const cvssVectors: Check = list(
  (value, found) => {
    if (!isCvssVector(value)) note(found, 'is invalid: error_type=oneOf')
  },
  { min: 1, max: 10 },
)

export function isCvssVector(value: unknown): boolean {
  if (!isObject(value) || typeof value.vendor !== 'string' || value.vendor === '') return false
  return typeof value.vector === 'string' && !isLongerThan(value.vector, maxLength) && isVector(value.vector)
}

const maxLength = 128

function isVector(vector: string): boolean {
  if (/^CVSS:3[.][01]\//.test(vector))
    return vector.length >= 32 && hasMetrics(vector.slice('CVSS:3.1/'.length), version3)
  return vector.length >= 16 && hasMetrics(vector, version2)
}

const hasMetrics = (text: string, metrics: Map<string, string[]>): boolean =>
  text.split('/').every((part) => {
    const colon = part.indexOf(':')
    return metrics.get(part.slice(0, Math.max(colon, 0)))?.includes(part.slice(colon + 1)) ?? false
  })

const version2 = metricTable({
  AV: 'N A L',
  AC: 'L M H',
  Au: 'M S N',
  'C I A': 'N P C',
  E: 'U POC F H ND',
  RL: 'OF TF W U ND',
  RC: 'UC UR C ND',
  CDP: 'N L LM MH H ND',
  TD: 'N L M H ND',
  'CR IR AR': 'L M H ND',
})

const version3 = metricTable({
  AV: 'N A L P',
  AC: 'L H',
  PR: 'N L H',
  UI: 'N R',
  S: 'U C',
  'C I A': 'N L H',
  E: 'X U P F H',
  RL: 'X O T W U',
  RC: 'X U R C',
  'CR IR AR': 'X L M H',
  MAV: 'X N A L P',
  MAC: 'X L H',
  MPR: 'X N L H',
  MUI: 'X N R',
  MS: 'X U C',
  'MC MI MA': 'X N L H',
})

function metricTable(rows: Record<string, string>): Map<string, string[]> {
  return new Map(
    Object.entries(rows).flatMap(([names, values]) =>
      names.split(' ').map((name) => [name, values.split(' ')] as const),
    ),
  )
}
