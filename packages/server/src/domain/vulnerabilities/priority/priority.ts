import type { Severity } from '../../findings/scales.ts'
import type { Exposure } from '../../projects/project.ts'
import type { Vulnerability } from '../vulnerability.ts'

export const priorityParts = ['severity', 'cvss', 'epss', 'kev', 'fix_available', 'exposure', 'age'] as const

/** Points of a part of the priority, and the value that they follow from. */
export interface PriorityPart {
  name: (typeof priorityParts)[number]
  points: number
  maxPoints: number
  value: string | number | boolean | null
}

export interface Priority {
  /** Sum of the points, 0 to 100. The column `priority` is the same sum. */
  score: number
  parts: readonly PriorityPart[]
}

const severityPoints: Record<Severity, number> = { critical: 40, high: 30, medium: 20, unknown: 15, low: 10, info: 0 }

/** Points from a probability on, in millionths, highest first. */
const epssSteps = [
  { from: 500_000, points: 15 },
  { from: 100_000, points: 10 },
  { from: 10_000, points: 5 },
  { from: 1_000, points: 2 },
] as const

export const exposurePoints: Record<Exposure, number> = { internet: 10, unknown: 5, internal: 3, none: 0 }

/** Points from a number of days on, oldest first. */
export const ageSteps = [
  { days: 180, points: 5 },
  { days: 90, points: 3 },
  { days: 30, points: 1 },
] as const

const kevPoints = 15
const fixPoints = 5
const maxCvss = 10

/** Returns the priority of a vulnerability with its explanation. */
export function priorityOf(vulnerability: Vulnerability): Priority {
  const { severity, cvssTenths, epssMillionths, isKev, fixAvailableAt } = vulnerability
  const epss = epssSteps.find(({ from }) => (epssMillionths ?? 0) >= from)?.points ?? 0
  const hasFix = fixAvailableAt !== null
  const parts: PriorityPart[] = [
    { name: 'severity', points: severityPoints[severity], maxPoints: severityPoints.critical, value: severity },
    { name: 'cvss', points: Math.round((cvssTenths ?? 0) / 10), maxPoints: maxCvss, value: fraction(cvssTenths, 10) },
    { name: 'epss', points: epss, maxPoints: epssSteps[0].points, value: fraction(epssMillionths, 1_000_000) },
    { name: 'kev', points: isKev ? kevPoints : 0, maxPoints: kevPoints, value: isKev },
    { name: 'fix_available', points: hasFix ? fixPoints : 0, maxPoints: fixPoints, value: hasFix },
    ...storedParts(vulnerability),
  ]
  return { score: parts.reduce((sum, { points }) => sum + points, 0), parts }
}

/** Parts whose points are stored, because a task changes them. */
function storedParts({ exposurePoints: points, agePoints }: Vulnerability): PriorityPart[] {
  const [exposure] = Object.entries(exposurePoints).find(([, of]) => of === points) ?? []
  const days = ageSteps.find((step) => step.points === agePoints)?.days ?? 0
  return [
    { name: 'exposure', points, maxPoints: exposurePoints.internet, value: exposure ?? null },
    { name: 'age', points: agePoints, maxPoints: ageSteps[0].points, value: days },
  ]
}

/** Returns the number that is stored in whole parts. */
export function fraction(parts: number | null, of: number): number | null {
  return parts === null ? null : parts / of
}
