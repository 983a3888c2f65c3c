import { openCache, perDatabase } from '../../../db/cache.ts'
import type { Deps, RootDeps } from '../../deps.ts'
import type { Finding } from '../../findings/finding.ts'
import { type Page, type PageRequest, pageOf } from '../../page.ts'
import { openPageBookmarks } from '../../page-bookmarks.ts'
import type { Vulnerability } from '../vulnerability.ts'
import { type CountedCell, listCells } from './cell-queries.ts'
import type { ListScope, VulnerabilityFilter, VulnerabilitySort } from './filter.ts'
import { openListMemory } from './gathered-listing.ts'
import type { Listing } from './held-listing.ts'
import { listFindingsOf, listVulnerabilitiesById, type Position } from './list-queries.ts'
import { openListing } from './listing.ts'

export interface VulnerabilityWithFinding {
  vulnerability: Vulnerability
  finding: Finding
}

/** Position of a vulnerability in a list. */
export type VulnerabilityPlace = Position

/** Returns a page by its number. */
export async function findVulnerabilities(
  deps: RootDeps,
  scope: ListScope,
  filter: VulnerabilityFilter,
  sort: VulnerabilitySort,
  page: PageRequest,
): Promise<Page<VulnerabilityWithFinding>> {
  const listing = await rememberedListing(deps, scope, filter, sort)
  const positions = await listing.at(page.offset, page.perPage + 1)
  const { rows, ...counted } = pageOf(page, positions, listing.total)
  return { ...counted, rows: await load(deps, rows) }
}

/** Returns the rows after a position, and the position for the next page. */
export async function findVulnerabilitiesAfter(
  deps: RootDeps,
  scope: ListScope,
  filter: VulnerabilityFilter,
  sort: VulnerabilitySort,
  after: Position | undefined,
  perPage: number,
): Promise<{ rows: VulnerabilityWithFinding[]; next: Position | undefined }> {
  const listing = await rememberedListing(deps, scope, filter, sort)
  const positions = await listing.next(after, perPage + 1)
  const shown = positions.slice(0, perPage)
  return { rows: await load(deps, shown), next: positions.length > perPage ? shown.at(-1) : undefined }
}

export interface ListSummary {
  /** Undefined for long lists without exact counts. */
  total: number | undefined
  /** Available filter values regardless of the filter, most frequent first. */
  scanners: { externalId: string; name: string; total: number }[]
  reportTypes: { name: string; total: number }[]
}

/** Returns the total of a filtered list and the available filter values. */
export async function summarizeList(
  deps: RootDeps,
  scope: ListScope,
  filter: VulnerabilityFilter,
): Promise<ListSummary> {
  const { total } = await rememberedListing(deps, scope, filter, 'severity_desc')
  const cells = await memories(deps.db).cells.get(scope.key, () => listCells(deps.db, scope.projectIds))
  const scanners = new Map<string, { name: string; total: number }>()
  const reportTypes = new Map<string, { name: string; total: number }>()
  for (const cell of cells) {
    if (!cell.isOnDefaultBranch) continue
    if (cell.scanner !== null) addTo(scanners, cell.scanner, cell.scannerName ?? cell.scanner, cell.total)
    addTo(reportTypes, cell.reportType, cell.reportType, cell.total)
  }
  return {
    total,
    scanners: mostFirst([...scanners].map(([externalId, counted]) => ({ externalId, ...counted }))),
    reportTypes: mostFirst([...reportTypes.values()]),
  }
}

function addTo(counts: Map<string, { name: string; total: number }>, key: string, name: string, total: number): void {
  counts.set(key, { name, total: total + (counts.get(key)?.total ?? 0) })
}

function mostFirst<T extends { name: string; total: number }>(rows: T[]): T[] {
  return rows.sort((a, b) => b.total - a.total || (a.name < b.name ? -1 : 1))
}

/** Yields the ids of all matching vulnerabilities in batches, highest severity first. Works inside a transaction. */
export async function* matchingIds(
  { db }: Pick<Deps, 'db'>,
  scope: ListScope,
  filter: VulnerabilityFilter,
): AsyncGenerator<number[]> {
  const listing = await openListing(db, await listCells(db, scope.projectIds), scope, filter, 'severity_desc')
  for (let after: Position | undefined; ; ) {
    const positions = await listing.next(after, slice)
    if (positions.length > 0) yield positions.map(({ id }) => id)
    if (positions.length < slice) return
    after = positions.at(-1)
  }
}

const slice = 500

async function load({ db }: Deps, positions: readonly Position[]): Promise<VulnerabilityWithFinding[]> {
  const ids = positions.map(({ id }) => id)
  const [vulnerabilities, findings] = await Promise.all([listVulnerabilitiesById(db, ids), listFindingsOf(db, ids)])
  const vulnerabilityById = new Map(vulnerabilities.map((vulnerability) => [vulnerability.id, vulnerability]))
  const findingOf = new Map(findings.map((finding) => [finding.vulnerabilityId, finding]))
  return ids.flatMap((id) => {
    const [vulnerability, finding] = [vulnerabilityById.get(id), findingOf.get(id)]
    return vulnerability && finding ? [{ vulnerability, finding }] : []
  })
}

const probedTables = ['findings', 'promoted_findings', 'occurrences', 'identifiers', 'finding_identifiers']
const listedTables = ['vulnerabilities', 'vulnerability_counts', 'scanners']

const memories = perDatabase((changes) => ({
  cells: openCache<CountedCell[]>(changes, listedTables, 50_000, (cells) => cells.length + 1),
  gathered: openListMemory(changes, [...listedTables, ...probedTables]),
  milestones: openPageBookmarks(changes, listedTables),
}))

async function rememberedListing(
  { db }: RootDeps,
  scope: ListScope,
  filter: VulnerabilityFilter,
  sort: VulnerabilitySort,
): Promise<Listing> {
  const { cells, ...memory } = memories(db)
  const counted = await cells.get(scope.key, () => listCells(db, scope.projectIds))
  return openListing(db, counted, scope, filter, sort, { memory })
}
