import { setImmediate } from 'node:timers/promises'
import type { Deps } from '../deps.ts'
import type { KevEntry } from '../feeds/feed.ts'
import { readKevEntries } from '../feeds/feeds.ts'
import type { FindingExtras } from '../findings/finding.ts'
import { listExtras } from '../findings/findings.ts'
import { groupBy } from '../group-by.ts'
import type { Project } from '../projects/project.ts'
import { findProjectById } from '../projects/projects.ts'
import { matchesFacets, projectScope, type VulnerabilityFilter } from '../vulnerabilities/list/filter.ts'
import { matchingIds } from '../vulnerabilities/list/list.ts'
import { usernamesOf } from '../vulnerabilities/triage/assignees.ts'
import { seenOnRef } from '../vulnerabilities/triage/dismissals/ref-dismissals.ts'
import { type FacetCount, listFacetCounts, listWithFindings } from '../vulnerabilities/vulnerabilities.ts'
import type { VulnerabilityWithFinding } from '../vulnerabilities/vulnerability.ts'
import type { ExportFilter } from './export.ts'
import { type ExportedMatch, listNewestMatches, listRemarks, type Remark } from './exported-row-queries.ts'

/** Vulnerability with all of its exported data. */
export interface ExportedRow extends VulnerabilityWithFinding {
  project: Project
  extras: FindingExtras
  remarks: Remark[]
  matches: ExportedMatch[]
  /** Entries of the KEV catalogue. */
  exploitations: KevEntry[]
  /** Usernames of the users that the vulnerability names, by id. */
  usernames: ReadonlyMap<number, string>
}

/** Number of rows per batch, which bounds memory use and the time that the event loop is blocked. */
const batchSize = 200
/** Maximum number of matches per finding, because a finding may move with every import. */
const maxMatches = 100

/** Returns the vulnerabilities of a project in batches, ordered by id. */
export async function* readRows(
  deps: Deps,
  projectId: number,
  filter: ExportFilter,
): AsyncGenerator<readonly [ExportedRow, ...ExportedRow[]]> {
  const project = await findProjectById(deps.db, projectId)
  if (!project) return
  const counts = await listFacetCounts(deps.db, [projectId])
  const query = { scope: projectScope(projectId), filter: withoutIds(filter, counts), sort: 'detected_asc' } as const
  for await (const ids of matchingIds(deps, query, batchSize)) {
    const rows = await loadRows(deps, project, ids)
    const [first, ...others] = rows.map((row) => ({
      ...row,
      vulnerability: seenOnRef(row.vulnerability, filter.ref),
    }))
    if (first) yield [first, ...others]
    await setImmediate()
  }
}

/** Returns the project's facet counts that match the filter. */
export async function listMatchingFacetCounts(
  { db }: Deps,
  projectId: number,
  filter: ExportFilter,
): Promise<FacetCount[]> {
  const counts = await listFacetCounts(db, [projectId])
  const narrowed = withoutIds(filter, counts)
  return counts.filter((count) => matchesFacets(narrowed, count))
}

/** Replaces scanner ids with external ids, which identify a scanner within one project. */
function withoutIds({ scannerIds, ...filter }: ExportFilter, counts: readonly FacetCount[]): VulnerabilityFilter {
  if (!scannerIds) return filter
  const named = new Set(counts.flatMap((count) => (scannerIds.includes(count.scannerId) ? (count.scanner ?? []) : [])))
  return { ...filter, scanners: filter.scanners ? filter.scanners.filter((name) => named.has(name)) : [...named] }
}

async function loadRows(deps: Deps, project: Project, ids: readonly number[]): Promise<ExportedRow[]> {
  const [rows, remarks] = await Promise.all([listWithFindings(deps.db, ids), listRemarks(deps.db, ids)])
  const findingIds = rows.map(({ finding }) => finding.id)
  const [extras, matches] = await Promise.all([
    listExtras(deps.db, findingIds),
    listNewestMatches(deps.db, findingIds, maxMatches),
  ])
  const usernames = await usernamesOf(deps, rows.flatMap(namedUsers))
  const rowOf = new Map(rows.map((row) => [row.vulnerability.id, row]))
  const extrasOf = new Map(extras.map(({ id, extras }) => [id, extras]))
  const exploitationsOf = await readExploitations(deps, rows)
  const matchesOf = groupBy(matches, ({ findingId }) => findingId)
  const remarksOf = groupBy(remarks, ({ vulnerabilityId }) => vulnerabilityId)
  return ids.flatMap((id) => {
    const row = rowOf.get(id)
    const extras = row && extrasOf.get(row.finding.id)
    // Skips vulnerabilities that were deleted after their ids were read.
    if (!row || !extras) return []
    const hanging = {
      remarks: remarksOf.get(id) ?? [],
      matches: matchesOf.get(row.finding.id) ?? [],
      exploitations: exploitationsOf.get(id) ?? [],
    }
    return [{ project, ...row, extras, ...hanging, usernames }]
  })
}

/** Returns the entries of the KEV catalogue by vulnerability, of those that are known to be exploited. */
async function readExploitations(
  deps: Deps,
  rows: readonly VulnerabilityWithFinding[],
): Promise<Map<number, KevEntry[]>> {
  const exploited = rows.filter(({ vulnerability }) => vulnerability.isKev)
  const lists = exploited.map(({ identifiers }) => identifiers.map(({ externalId }) => externalId))
  const entries = await readKevEntries(deps, lists)
  return new Map(exploited.map(({ vulnerability }, index) => [vulnerability.id, entries[index] ?? []]))
}

/** Returns the ids of the users that a vulnerability names. */
function namedUsers({ vulnerability }: VulnerabilityWithFinding): number[] {
  const { dismissedById, confirmedById, resolvedById, authorId } = vulnerability
  return [dismissedById, confirmedById, resolvedById, authorId].flatMap((id) => id ?? [])
}
