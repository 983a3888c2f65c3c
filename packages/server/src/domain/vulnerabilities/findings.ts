import { setImmediate } from 'node:timers/promises'
import { perDatabase } from '../../db/cache.ts'
import type { Db } from '../../db/db.ts'
import { notFound } from '../../platform/failure.ts'
import type { Deps, RootDeps } from '../deps.ts'
import type { ListedFinding, PresentFinding } from '../findings/finding.ts'
import { type Severity, type State, severities, severityRanks, states } from '../findings/scales.ts'
import { groupBy } from '../group-by.ts'
import { type Page, type PageRequest, pageOf } from '../page.ts'
import { openPageBookmarks } from '../page-bookmarks.ts'
import type { Project } from '../projects/project.ts'
import {
  type FindingScope,
  findShownFinding,
  importProbe,
  listFindingsById,
  listIdentifiers,
  listPresent,
  listScanners,
  originProbe,
  promotionProbe,
  selectPresent,
} from './finding-queries.ts'
import { readCandidates } from './list/candidate-queries.ts'
import { worstAndOldestFirst } from './list/codes.ts'
import type { Way } from './list/gather.ts'
import { type GatheredOptions, openGathered, openListMemory, type Remembered } from './list/gathered-listing.ts'
import { type Listing, type Test, wayThrough } from './list/held-listing.ts'
import type { Position } from './list/list-queries.ts'
import { readFrom } from './list/marked-listing.ts'
import { listPassing, type Probe, textProbesOf } from './list/probe-queries.ts'

export interface FindingFilter extends FindingScope {
  severities: readonly Severity[] | undefined
  reportTypes: readonly string[] | undefined
  /** External ids of scanners. */
  scanners: readonly string[] | undefined
  states: readonly State[] | undefined
  identifiers: readonly string[] | undefined
  search: string | undefined
  /** Only findings that this import observed. */
  importId: number | undefined
  /** False: only findings without a vulnerability. */
  isPromoted: boolean | undefined
}

/** Returns the findings that are present on the ref, highest severity first. */
export async function findFindings(
  deps: RootDeps,
  filter: FindingFilter,
  page: PageRequest,
): Promise<Page<ListedFinding>> {
  const { db } = deps
  const listing = await openFindings(db, filter, { memory: memories(db), key: JSON.stringify(filter) })
  const positions = await listing.at(page.offset, page.perPage + 1)
  // GitLab returns no totals for findings, so only the list of unpromoted findings has one.
  const { rows, total, hasNext } = pageOf(page, positions, filter.isPromoted === false ? listing.total : undefined)
  return { rows: await load(db, filter, rows), total, hasNext }
}

/** Yields the ids of all matching findings in batches, highest severity first. Works inside a transaction. */
export async function* matchingFindingIds({ db }: Pick<Deps, 'db'>, filter: FindingFilter): AsyncGenerator<number[]> {
  const listing = await openFindings(db, filter, { key: '' })
  for (let after: Position | undefined; ; ) {
    const positions = await listing.next(after, slice)
    if (positions.length > 0) yield positions.map(({ id }) => id)
    if (positions.length < slice) return
    after = positions.at(-1)
    await setImmediate()
  }
}

const slice = 500

const tables = ['occurrences', 'scans', 'findings', 'vulnerabilities', 'identifiers', 'finding_identifiers', 'scanners']

const memories = perDatabase((changes) => ({
  gathered: openListMemory(changes, tables),
  milestones: openPageBookmarks(changes, tables),
}))

interface FindingsOptions extends Omit<GatheredOptions, 'memory'> {
  memory?: Remembered | undefined
}

export async function openFindings(
  db: Db,
  filter: FindingFilter,
  { memory, key, ...limits }: FindingsOptions,
): Promise<Listing> {
  const probes = probesOf(db, filter)
  const inOrder = { next: (after: Position | undefined, rows: number) => readOn(db, filter, after, rows) }
  if (probes.length === 0) {
    const marks = { milestones: memory?.milestones, key }
    const at: Listing['at'] = (offset, rows) =>
      readFrom(inOrder, worstAndOldestFirst, marks, { after: undefined, skip: offset }, rows)
    return { total: undefined, at, ...inOrder }
  }
  const test: Test = (ids) => listPassing(db, 'id', ids, probes)
  const wanted = { severities: filter.severities ?? severities, states: filter.states ?? states }
  const bySources = probes.flatMap((probe): Way[] => {
    const { sources } = probe
    if (!sources) return []
    const others = probes.filter((other) => other !== probe)
    return [{ go: () => readCandidates(db, sources, (found) => selectPresent(db, filter, found, wanted, others)) }]
  })
  const ways = [...bySources, { go: () => wayThrough(inOrder, test) }]
  // GitLab returns no totals for findings, so only unpromoted findings are counted.
  const isCounted = filter.isPromoted === false
  const list = { inOrder, test, ways, code: worstAndOldestFirst, isCounted }
  return openGathered(list, { ...limits, memory: memory?.gathered, key })
}

function probesOf(db: Db, filter: FindingFilter): Probe[] {
  const { importId, scanners, reportTypes, isPromoted } = filter
  return [
    ...(importId === undefined ? [] : [importProbe(filter, importId)]),
    ...textProbesOf(db, filter, [filter.projectId]),
    ...(isPromoted === undefined ? [] : [promotionProbe(filter, isPromoted)]),
    ...(scanners || reportTypes ? [originProbe(db, filter, scanners, reportTypes)] : []),
  ]
}

/** Reads the next findings in list order, one severity after the other. */
async function readOn(db: Db, filter: FindingFilter, after: Position | undefined, rows: number): Promise<Position[]> {
  const found: Position[] = []
  for (const severity of severities.toReversed()) {
    if (found.length >= rows) break
    const rank = severityRanks[severity]
    if ((filter.severities && !filter.severities.includes(severity)) || (after && rank > after.severity)) continue
    const from = after?.severity === rank ? after.id : 0
    const range = { severity, states: filter.states ?? states }
    found.push(...(await listPresent(db, filter, range, from, rows - found.length)))
  }
  return found
}

async function load(db: Db, scope: FindingScope, positions: readonly Position[]): Promise<ListedFinding[]> {
  const ids = positions.map(({ id }) => id)
  return complete(db, await listFindingsById(db, scope, ids))
}

/** Returns a finding of the project, present or not. */
export async function getFinding({ db }: Deps, project: Project, id: number): Promise<ListedFinding> {
  const found = await findShownFinding(db, project.id, project.defaultBranch, id)
  const [finding] = found ? await complete(db, [found]) : []
  if (!finding) throw notFound('Finding')
  return finding
}

/** Adds scanners and identifiers. */
async function complete(db: Db, rows: readonly PresentFinding[]): Promise<ListedFinding[]> {
  const [scanners, identifiers] = await Promise.all([
    listScanners(
      db,
      rows.map(({ scannerId }) => scannerId),
    ),
    listIdentifiers(
      db,
      rows.map(({ id }) => id),
    ),
  ])
  const scannerById = new Map(scanners.map((scanner) => [scanner.id, scanner]))
  const identifiersOf = groupBy(identifiers, ({ findingId }) => findingId)
  return rows.flatMap(({ scannerId, ...finding }) => {
    const scanner = scannerById.get(scannerId)
    return scanner ? [{ ...finding, scanner, identifiers: identifiersOf.get(finding.id) ?? [] }] : []
  })
}
