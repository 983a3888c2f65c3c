import { openCache, perDatabase } from '../../../db/cache.ts'
import type { RootDeps } from '../../deps.ts'
import { type Severity, type State, severities, states } from '../../findings/scales.ts'
import { groupBy } from '../../group-by.ts'
import { maxCountedRows } from '../../page.ts'
import { cachedFacetCounts, facetTables, onlyProjectOf } from './counts/cached-counts.ts'
import { type Evidence, evidenceTables, readEvidence } from './evidence.ts'
import { type DailyChange, type FacetCount, listDailyChanges } from './facet-count-queries.ts'
import type { ListScope } from './filter.ts'
import { countOverdue } from './overdue-queries.ts'

export type BySeverity<T> = Record<Severity, T>
type LetterGrade = 'A' | 'B' | 'C' | 'D' | 'F'

/** Statistics computed from facet counts: exact, and independent of the number of vulnerabilities. */
export interface Statistics {
  counts: BySeverity<Record<State, number>>
  /** Number of detected and confirmed vulnerabilities. */
  active: BySeverity<number>
  /** Number of active vulnerabilities after their due dates. */
  overdue: BySeverity<number>
  /** Null without evidence: nothing was ever imported, or findings await promotion that could lower the grade. */
  letterGrade: LetterGrade | null
  /** Number of findings that await promotion; `maxCountedRows + 1` stands for all higher numbers. */
  waitingFindings: number
  /** Number of active vulnerabilities at the end of each day of the last year (UTC), today last. */
  days: { date: string; active: BySeverity<number> }[]
  /** Mean time from detection to resolution; null if none is resolved. */
  secondsToResolve: { overall: number | null; bySeverity: BySeverity<number | null> }
  /** Number of projects with each grade. Projects without a grade are not counted. */
  grades: Record<LetterGrade, number>
  /** Projects with the most active vulnerabilities, by critical, then high severity; at most ten. */
  mostAffected: ProjectStatistics[]
  /** Projects with the most findings that await promotion; at most ten. */
  waiting: ProjectStatistics[]
}

export interface ProjectStatistics {
  projectId: number
  active: BySeverity<number>
  letterGrade: LetterGrade | null
  waitingFindings: number
}

const days = 365
const dayMs = 24 * 60 * 60 * 1000

/** Tables that statistics depend on. */
export const statisticsTables: readonly string[] = [...facetTables, 'vulnerability_days', ...evidenceTables]

/** Maximum number of cached statistics. Each takes about 60 KB. */
const maxCached = 50
const cache = perDatabase((changes) => openCache<Statistics>(changes, statisticsTables, maxCached))

/** Returns the statistics of these projects as of today (UTC). */
export function readStatistics(deps: RootDeps, scope: ListScope): Promise<Statistics> {
  const today = deps.now().slice(0, 10)
  const load = () => computeStatistics(deps, scope, Date.parse(today))
  return cache(deps.db).getShared(`${today} ${scope.key}`, load, onlyProjectOf(scope))
}

async function computeStatistics(deps: RootDeps, scope: ListScope, today: number): Promise<Statistics> {
  const dates = Array.from({ length: days }, (_, index) => dateOf(today - (days - 1 - index) * dayMs))
  const [found, growth, evidence, overdue] = await Promise.all([
    cachedFacetCounts(deps, scope),
    listDailyChanges(deps.db, scope.projectIds, dates[0] ?? ''),
    readEvidence(deps.db, scope),
    countOverdue(deps.db, scope.projectIds, dateOf(today)),
  ])
  const facetCounts = found.filter(({ isOnDefaultBranch }) => isOnDefaultBranch)
  const active = countActive(facetCounts)
  const projects = statisticsOfProjects(facetCounts, scope.projectIds, evidence)
  return {
    counts: eachSeverity((severity) => countStates(facetCounts.filter((count) => count.severity === severity))),
    active,
    overdue: eachSeverity((severity) => overdue.find((row) => row.severity === severity)?.total ?? 0),
    letterGrade: gradeOf(active, { isScanned: evidence.scanned.size > 0, isWaiting: evidence.waiting.size > 0 }),
    waitingFindings: Math.min(
      projects.reduce((total, { waitingFindings }) => total + waitingFindings, 0),
      maxCountedRows + 1,
    ),
    days: daysBefore(active, growth, dates),
    secondsToResolve: {
      overall: meanSeconds(facetCounts),
      bySeverity: eachSeverity((severity) => meanSeconds(facetCounts.filter((count) => count.severity === severity))),
    },
    grades: countGrades(projects),
    mostAffected: projects
      .filter(({ active }) => severities.some((severity) => active[severity] > 0))
      .sort((a, b) => compareActive(a.active, b.active))
      .slice(0, maxRanked),
    waiting: projects
      .filter(({ waitingFindings }) => waitingFindings > 0)
      .sort((a, b) => b.waitingFindings - a.waitingFindings)
      .slice(0, maxRanked),
  }
}

/** Returns the numbers and the grade of each project. */
export async function readGrades(deps: RootDeps, scope: ListScope): Promise<ProjectStatistics[]> {
  const [found, evidence] = await Promise.all([cachedFacetCounts(deps, scope), readEvidence(deps.db, scope)])
  const facetCounts = found.filter(({ isOnDefaultBranch }) => isOnDefaultBranch)
  return statisticsOfProjects(facetCounts, scope.projectIds, evidence)
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

/**
 * The highest active severity determines the grade. There is none while findings await promotion, and only the lowest
 * grade needs no scan.
 */
function gradeOf(
  { critical, high, unknown, medium, low }: BySeverity<number>,
  { isScanned, isWaiting }: { isScanned: boolean; isWaiting: boolean },
): LetterGrade | null {
  if (isWaiting) return null
  if (critical > 0) return 'F'
  if (!isScanned) return null
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

function statisticsOfProjects(
  facetCounts: readonly FacetCount[],
  projectIds: readonly number[],
  { scanned, waiting, backlogs }: Evidence,
): ProjectStatistics[] {
  const ofProject = groupBy(facetCounts, ({ projectId }) => projectId)
  return projectIds.map((projectId) => {
    const active = countActive(ofProject.get(projectId) ?? [])
    const known = { isScanned: scanned.has(projectId), isWaiting: waiting.has(projectId) }
    const letterGrade = gradeOf(active, known)
    return { projectId, active, letterGrade, waitingFindings: backlogs.get(projectId) ?? 0 }
  })
}

function countGrades(projects: readonly ProjectStatistics[]): Record<LetterGrade, number> {
  const grades = { A: 0, B: 0, C: 0, D: 0, F: 0 }
  for (const { letterGrade } of projects) if (letterGrade) grades[letterGrade]++
  return grades
}

const maxRanked = 10

/** Orders by the number of critical vulnerabilities, then high ones, and so on. */
function compareActive(a: BySeverity<number>, b: BySeverity<number>): number {
  const differing = severities.toReversed().find((severity) => a[severity] !== b[severity])
  return differing ? b[differing] - a[differing] : 0
}
