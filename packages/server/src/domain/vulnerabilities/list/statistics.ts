import { openCache, perDatabase } from '../../../db/cache.ts'
import type { Db } from '../../../db/db.ts'
import type { RootDeps } from '../../deps.ts'
import { type Severity, type State, severities, states } from '../../findings/scales.ts'
import { groupBy } from '../../group-by.ts'
import { listScanned, listWithBacklog } from './evidence-queries.ts'
import { type DailyChange, type FacetCount, listDailyChanges, listFacetCounts } from './facet-count-queries.ts'
import type { ListScope } from './filter.ts'

export type BySeverity<T> = Record<Severity, T>
type LetterGrade = 'A' | 'B' | 'C' | 'D' | 'F'

/** Statistics computed from facet counts: exact, and independent of the number of vulnerabilities. */
export interface Statistics {
  counts: BySeverity<Record<State, number>>
  /** Number of detected and confirmed vulnerabilities. */
  active: BySeverity<number>
  /** Null without evidence: nothing was ever imported, or findings await promotion that could lower the grade. */
  letterGrade: LetterGrade | null
  /** Number of active vulnerabilities at the end of each day of the last year (UTC), today last. */
  days: { date: string; active: BySeverity<number> }[]
  /** Mean time from detection to resolution; null if none is resolved. */
  secondsToResolve: { overall: number | null; bySeverity: BySeverity<number | null> }
  /** Number of projects with each grade. Projects without a grade are not counted. */
  grades: Record<LetterGrade, number>
}

const days = 365
const dayMs = 24 * 60 * 60 * 1000

export async function readStatistics(
  { db, now }: Pick<RootDeps, 'db' | 'now'>,
  { key, projectIds }: ListScope,
): Promise<Statistics> {
  const today = Date.parse(now().slice(0, 10))
  const dates = Array.from({ length: days }, (_, index) => dateOf(today - (days - 1 - index) * dayMs))
  const [found, growth, evidence] = await Promise.all([
    listFacetCounts(db, projectIds),
    listDailyChanges(db, projectIds, dates[0] ?? ''),
    evidences(db).getShared(key, () => readEvidence(db, projectIds)),
  ])
  const facetCounts = found.filter(({ isOnDefaultBranch }) => isOnDefaultBranch)
  const active = countActive(facetCounts)
  return {
    counts: eachSeverity((severity) => countStates(facetCounts.filter((count) => count.severity === severity))),
    active,
    letterGrade: gradeOf(active, evidence.scanned.size > 0 && evidence.waiting.size === 0),
    days: daysBefore(active, growth, dates),
    secondsToResolve: {
      overall: meanSeconds(facetCounts),
      bySeverity: eachSeverity((severity) => meanSeconds(facetCounts.filter((count) => count.severity === severity))),
    },
    grades: countGrades(facetCounts, projectIds, evidence),
  }
}

const dateOf = (time: number) => new Date(time).toISOString().slice(0, 10)

function eachSeverity<T>(value: (severity: Severity) => T): BySeverity<T> {
  return Object.fromEntries(severities.map((severity) => [severity, value(severity)])) as BySeverity<T> // of all of them
}

function countStates(facetCounts: readonly FacetCount[]): Record<State, number> {
  const totals = states.map((state) => [state, sum(facetCounts.filter((count) => count.state === state))])
  return Object.fromEntries(totals) as Record<State, number> // of all of them
}

function countActive(facetCounts: readonly FacetCount[]): BySeverity<number> {
  const isActive = ({ state }: FacetCount) => state === 'detected' || state === 'confirmed'
  return eachSeverity((severity) => sum(facetCounts.filter((count) => count.severity === severity && isActive(count))))
}

const sum = (facetCounts: readonly FacetCount[]) => facetCounts.reduce((total, count) => total + count.total, 0)

/** Facts about the default branches of projects that a grade depends on, as ids of projects. */
interface Evidence {
  scanned: ReadonlySet<number>
  /** Projects with findings that await promotion. */
  waiting: ReadonlySet<number>
}

const maxEvidences = 1000
const evidences = perDatabase((changes) =>
  openCache<Evidence>(changes, ['projects', 'imports', 'findings', 'occurrences'], maxEvidences),
)

async function readEvidence(db: Db, projectIds: readonly number[]): Promise<Evidence> {
  const [scanned, waiting] = await Promise.all([listScanned(db, projectIds), listWithBacklog(db, projectIds)])
  return { scanned: new Set(scanned), waiting: new Set(waiting) }
}

/** The highest active severity determines the grade. Only the lowest grade needs no further evidence. */
function gradeOf(
  { critical, high, unknown, medium, low }: BySeverity<number>,
  hasEvidence: boolean,
): LetterGrade | null {
  if (critical > 0) return 'F'
  if (!hasEvidence) return null
  if (high > 0 || unknown > 0) return 'D'
  if (medium > 0) return 'C'
  return low > 0 ? 'B' : 'A'
}

/** Computes past days backwards from the current numbers and the daily changes. */
function daysBefore(active: BySeverity<number>, growth: readonly DailyChange[], dates: readonly string[]) {
  const grown = new Map(growth.map((row) => [`${row.day} ${row.severity}`, row.growth]))
  const last = { ...active }
  const found: Statistics['days'] = []
  for (const date of dates.toReversed()) {
    found.push({ date, active: { ...last } })
    for (const severity of severities) last[severity] -= grown.get(`${date} ${severity}`) ?? 0
  }
  return found.reverse()
}

function meanSeconds(facetCounts: readonly FacetCount[]): number | null {
  const resolved = facetCounts.filter(({ state }) => state === 'resolved')
  const total = sum(resolved)
  return total === 0 ? null : Math.round(resolved.reduce((all, { seconds }) => all + seconds, 0) / total)
}

function countGrades(
  facetCounts: readonly FacetCount[],
  projectIds: readonly number[],
  { scanned, waiting }: Evidence,
): Record<LetterGrade, number> {
  const ofProject = groupBy(facetCounts, ({ projectId }) => projectId)
  const grades = { A: 0, B: 0, C: 0, D: 0, F: 0 }
  for (const id of projectIds) {
    const grade = gradeOf(countActive(ofProject.get(id) ?? []), scanned.has(id) && !waiting.has(id))
    if (grade) grades[grade]++
  }
  return grades
}
