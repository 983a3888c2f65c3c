import { setImmediate } from 'node:timers/promises'
import { instanceUrl } from '../../../platform/settings/settings.ts'
import type { RootDeps } from '../../deps.ts'
import { type DismissalReason, dismissalReasons } from '../../findings/scales.ts'
import { findNamespaceById } from '../../namespaces/namespaces.ts'
import type { Project } from '../../projects/project.ts'
import { findProjectById, listProjectsById } from '../../projects/projects.ts'
import type { ListScope, VulnerabilityFilter } from '../../vulnerabilities/list/filter.ts'
import { matchesFacets } from '../../vulnerabilities/list/filter.ts'
import { matchingIds } from '../../vulnerabilities/list/list.ts'
import { scopeOf } from '../../vulnerabilities/list/readable-scope.ts'
import { type BySeverity, readStatistics, type Statistics } from '../../vulnerabilities/list/statistics.ts'
import { listFacetCounts, listWithFindings } from '../../vulnerabilities/vulnerabilities.ts'
import type { VulnerabilityWithFinding } from '../../vulnerabilities/vulnerability.ts'
import type { Export } from '../export.ts'
import { listRemarks, type Remark } from '../exported-row-queries.ts'
import {
  findPreviousReport,
  listOwnerNames,
  type OwnerTally,
  type Tally,
  tallyBatch,
  tallyOwners,
} from './report-queries.ts'

/** Maximum number of vulnerabilities in each table of a report. */
export const maxListed = 200

/** Maximum number of assignees. */
const maxOwners = 50

/** Limits of the ages, in days. */
export const ageDays = [7, 30, 90, 365] as const

/** A vulnerability in a table. */
export interface ListedVulnerability extends Pick<VulnerabilityWithFinding, 'vulnerability' | 'assignee'> {
  project: Project
  url: string
}

export interface AcceptedRisk extends ListedVulnerability {
  /** Username and comment of the dismissal. */
  by: string | null
  comment: string | null
}

/** A table with its rows and the number of all that there are. */
export interface Bounded<Row> {
  rows: Row[]
  total: number
}

/** Everything that a report shows. */
export interface Report {
  title: string
  /** Address of the list of vulnerabilities. */
  url: string
  asOf: string
  projectCount: number
  /** The projects with the most severe open vulnerabilities. */
  projects: Project[]
  statistics: Statistics
  tallies: Tally[]
  /** Open vulnerabilities of assignees; null for those without one. */
  owners: Bounded<{ username: string | null; open: BySeverity<number> }>
  mostSevere: Bounded<ListedVulnerability>
  accepted: Bounded<AcceptedRisk>
  dismissals: { reason: DismissalReason | null; total: number }[]
  /** Start of the period of changes; `isPrevious` when it is the time of the previous report. */
  since: { at: string; isPrevious: boolean }
  added: Bounded<ListedVulnerability>
}

const dayMs = 24 * 60 * 60 * 1000
const defaultPeriodDays = 30

/** Reads the data of a report. Rows are read in batches, so changes during the reading may be counted. */
export async function readReport(
  deps: RootDeps,
  asked: Export,
  projectIds: readonly number[],
  onBatch: (rows: number) => Promise<void>,
): Promise<Report> {
  const asOf = deps.now()
  const scope = scopeOf(projectIds)
  const since = await sinceOf(deps, asked, asOf)
  const counts = (await listFacetCounts(deps.db, projectIds)).filter((count) => count.isOnDefaultBranch)
  const totalOf = (filter: VulnerabilityFilter) =>
    counts.filter((count) => matchesFacets(filter, count)).reduce((sum, { total }) => sum + total, 0)
  const statistics = await readStatistics(deps, scope)
  const { tallies, owners, newest } = await tally(deps, scope, { asOf, since: since.at }, onBatch)
  const open: VulnerabilityFilter = { states: ['detected', 'confirmed'] }
  const accepted: VulnerabilityFilter = { dismissalReasons: ['acceptable_risk', 'mitigating_control'] }
  return {
    ...(await describeTarget(deps, asked)),
    ...{ asOf, since, tallies },
    owners: await nameOwners(deps, owners),
    projectCount: projectIds.length,
    projects: await listProjectsById(
      deps.db,
      statistics.mostAffected.map(({ projectId }) => projectId),
    ),
    statistics,
    mostSevere: { rows: await listVulnerabilities(deps, await firstIds(deps, scope, open)), total: totalOf(open) },
    accepted: { rows: await listAccepted(deps, await firstIds(deps, scope, accepted)), total: totalOf(accepted) },
    dismissals: [...dismissalReasons, null].map((reason) => ({
      reason,
      total: counts
        .filter((count) => count.state === 'dismissed' && (count.dismissalReason || null) === reason)
        .reduce((sum, { total }) => sum + total, 0),
    })),
    added: {
      rows: await listVulnerabilities(deps, newest),
      total: tallies.reduce((sum, { added }) => sum + added, 0),
    },
  }
}

async function sinceOf(deps: RootDeps, asked: Export, asOf: string): Promise<Report['since']> {
  const given = asked.filter.changesSince
  if (given !== undefined) return { at: given, isPrevious: asked.scheduleId !== null }
  const previous = await findPreviousReport(deps.db, asked)
  if (previous !== undefined) return { at: previous, isPrevious: true }
  return { at: daysBefore(asOf, defaultPeriodDays), isPrevious: false }
}

const daysBefore = (time: string, days: number) => new Date(Date.parse(time) - days * dayMs).toISOString()

/** Counts all vulnerabilities, and returns the newest ones of the period. */
async function tally(
  deps: RootDeps,
  scope: ListScope,
  { asOf, since }: { asOf: string; since: string },
  onBatch: (rows: number) => Promise<void>,
) {
  const [week, month, quarter, year] = ageDays.map((days) => daysBefore(asOf, days))
  const ages = [week ?? asOf, month ?? asOf, quarter ?? asOf, year ?? asOf] as const
  const sums = new Map<string, Tally>()
  const owners = new Map<number, BySeverity<number>>()
  const newest: number[] = []
  for await (const ids of matchingIds(deps, { scope, filter: {}, sort: 'detected_desc' }, tallyBatchSize)) {
    const tallies = await tallyBatch(deps.db, ids, { ages, since, today: asOf.slice(0, 10) })
    for (const one of tallies) sums.set(`${one.severity} ${one.age}`, add(one, sums.get(`${one.severity} ${one.age}`)))
    addOwners(owners, await tallyOwners(deps.db, ids))
    if (newest.length < maxListed && tallies.some(({ added }) => added > 0)) {
      const rows = await listWithFindings(deps.db, ids)
      const added = rows.filter(({ vulnerability }) => vulnerability.createdAt > since)
      newest.push(...added.map(({ vulnerability }) => vulnerability.id).sort((a, b) => b - a))
    }
    await onBatch(ids.length)
    await setImmediate()
  }
  return { tallies: [...sums.values()], owners, newest: newest.slice(0, maxListed) }
}

const tallyBatchSize = 1_000

function addOwners(owners: Map<number, BySeverity<number>>, tallies: readonly OwnerTally[]): void {
  for (const { assigneeId, severity, open } of tallies) {
    const counts = owners.get(assigneeId) ?? { critical: 0, high: 0, medium: 0, low: 0, unknown: 0, info: 0 }
    owners.set(assigneeId, { ...counts, [severity]: counts[severity] + open })
  }
}

/** Returns the assignees with the most open vulnerabilities first. */
async function nameOwners(deps: RootDeps, owners: ReadonlyMap<number, BySeverity<number>>): Promise<Report['owners']> {
  const sum = (open: BySeverity<number>) => Object.values(open).reduce((total, count) => total + count, 0)
  const most = [...owners].sort(([, a], [, b]) => sum(b) - sum(a)).slice(0, maxOwners)
  const ids = most.map(([id]) => id)
  const names = new Map((await listOwnerNames(deps.db, ids)).map(({ id, username }) => [id, username]))
  return { rows: most.map(([id, open]) => ({ username: names.get(id) ?? null, open })), total: owners.size }
}

function add(one: Tally, other: Tally | undefined): Tally {
  if (!other) return one
  return {
    ...one,
    open: one.open + other.open,
    overdue: one.overdue + other.overdue,
    added: one.added + other.added,
    resolved: one.resolved + other.resolved,
    dismissed: one.dismissed + other.dismissed,
  }
}

async function firstIds(deps: RootDeps, scope: ListScope, filter: VulnerabilityFilter): Promise<number[]> {
  for await (const ids of matchingIds(deps, { scope, filter, sort: 'severity_desc' }, maxListed)) {
    return ids.slice(0, maxListed)
  }
  return []
}

async function listVulnerabilities(deps: RootDeps, ids: readonly number[]): Promise<ListedVulnerability[]> {
  const found = await listWithFindings(deps.db, ids)
  const byId = new Map(found.map((row) => [row.vulnerability.id, row]))
  const projectIds = new Set(found.map(({ vulnerability }) => vulnerability.projectId))
  const projects = new Map((await listProjectsById(deps.db, [...projectIds])).map((one) => [one.id, one]))
  const origin = instanceUrl(deps.settings)
  return ids.flatMap((id) => {
    const row = byId.get(id)
    const project = row && projects.get(row.vulnerability.projectId)
    if (!project) return []
    const { vulnerability, assignee } = row
    return [{ vulnerability, assignee, project, url: `${origin}/${project.fullPath}/-/vulnerabilities/${id}` }]
  })
}

async function listAccepted(deps: RootDeps, ids: readonly number[]): Promise<AcceptedRisk[]> {
  const isDismissal = ({ kind, to }: Remark) => kind === 'state' && to === 'dismissed'
  const dismissals = (await listRemarks(deps.db, ids)).filter(isDismissal)
  const last = new Map(dismissals.map((remark) => [remark.vulnerabilityId, remark]))
  return (await listVulnerabilities(deps, ids)).map((row) => {
    const { username: by = null, comment = null } = last.get(row.vulnerability.id) ?? {}
    return { ...row, by, comment }
  })
}

async function describeTarget(deps: RootDeps, { projectId, groupId }: Export): Promise<Pick<Report, 'title' | 'url'>> {
  const origin = instanceUrl(deps.settings)
  const project = projectId === null ? undefined : await findProjectById(deps.db, projectId)
  if (project) return { title: project.fullPath, url: `${origin}/${project.fullPath}/-/vulnerabilities` }
  const group = groupId === null ? undefined : await findNamespaceById(deps.db, groupId)
  if (group) return { title: group.fullPath, url: `${origin}/groups/${group.fullPath}/-/vulnerabilities` }
  return { title: 'All projects', url: `${origin}/-/vulnerabilities` }
}
