import { perDatabase } from '../../../db/cache.ts'
import type { Db } from '../../../db/db.ts'
import { notFound } from '../../../platform/failure.ts'
import type { Deps, RootDeps } from '../../deps.ts'
import type { Page } from '../../page.ts'
import type { Project } from '../../projects/project.ts'
import type { ListedFinding } from '../finding.ts'
import { severities, severityRanks, states } from '../scales.ts'
import type { Cursor, ListOrder } from './cursor.ts'
import { type FilteredList, type ListCache, type ListLimits, openFilteredList, openListCache } from './filtered-list.ts'
import type { FindingFilter, FindingScope } from './finding-filter.ts'
import { unindexedFilters } from './finding-filter-queries.ts'
import {
  countPresent,
  findShownFinding,
  listFindingsById,
  listListedVersions,
  listPresent,
} from './finding-list-queries.ts'
import type { IndexRanges } from './index-range.ts'
import { assertNumbered, idBatches, type ListPageRequest, readPage } from './list-page.ts'

/** Returns the ids of the findings that are present on the ref, highest severity first. */
export async function listFindingIds(
  deps: RootDeps,
  filter: FindingFilter,
  request: ListPageRequest,
): Promise<Page<number> & { next: Cursor | undefined }> {
  assertNumbered(request, 'Finding')
  const list = await openFindings(deps.db, filter, { cache: caches(deps.db) })
  const { rows, ...page } = await readPage(list, request)
  return { ...page, rows: rows.map(({ id }) => id) }
}

/** Returns findings that are present on the ref, in the order of the ids. */
export function loadFindings({ db }: Deps, scope: FindingScope, ids: readonly number[]): Promise<ListedFinding[]> {
  return listFindingsById(db, scope, ids)
}

/** Returns the versions of the same findings, and whether their vulnerabilities have history or links. */
export function listVersions(
  { db }: Deps,
  scope: FindingScope,
  ids: readonly number[],
): Promise<{ id: number; version: string; hasTriage: boolean }[]> {
  return listListedVersions(db, scope, ids)
}

/** Yields the ids of all matching findings in batches, highest severity first. Works inside a transaction. */
export async function* matchingFindingIds({ db }: Pick<Deps, 'db'>, filter: FindingFilter): AsyncGenerator<number[]> {
  yield* idBatches(await openFindings(db, filter))
}

const tables = [
  ...['occurrences', 'occurrence_categories', 'scans', 'findings'],
  ...['identifiers', 'finding_identifiers', 'scanners'],
]
const caches = perDatabase((changes) => openListCache(changes, tables))

interface FindingsOptions {
  cache?: ListCache | undefined
  limits?: ListLimits | undefined
}

const order: ListOrder = { severity: 'desc', id: 'asc' }

export function openFindings(
  db: Db,
  filter: FindingFilter,
  { cache, limits }: FindingsOptions = {},
): Promise<FilteredList> {
  const list = {
    key: JSON.stringify(filter),
    order,
    ranges: indexRanges(db, filter),
    unindexed: unindexedFilters(db, filter),
    // GitLab returns no totals for findings, so only unpromoted findings are counted.
    isCounted: filter.isPromoted === false,
    projectId: filter.projectId,
    version: cache?.bookmarks.version(filter.projectId),
  }
  return openFilteredList(list, cache, limits)
}

/** Returns one index range for each severity, highest first. */
function indexRanges(db: Db, filter: FindingFilter): IndexRanges {
  const wanted = filter.severities ?? severities
  const highestFirst = severities.toReversed().filter((severity) => wanted.includes(severity))
  return {
    ranges: highestFirst.map((severity) => ({
      severity: severityRanks[severity],
      count: (max) => countPresent(db, filter, { severity, states: filter.states ?? states }, max),
    })),
    read: (start, end, request) =>
      listPresent(db, filter, { severities: highestFirst.slice(start, end), states: filter.states ?? states }, request),
  }
}

/** Returns a finding of the project, present or not. */
export async function getFinding({ db }: Deps, project: Project, id: number): Promise<ListedFinding> {
  const finding = await findShownFinding(db, project.id, project.defaultBranch, id)
  if (!finding) throw notFound('Finding')
  return finding
}
