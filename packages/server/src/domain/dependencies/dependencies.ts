import type { Deps } from '../deps.ts'
import { searchTerms } from '../findings/list/search-terms.ts'
import { parsePackageUrl, splitName, storedName } from '../findings/package-url.ts'
import { severityOf } from '../findings/scales.ts'
import { groupBy } from '../group-by.ts'
import { maxCountedRows, type Page, type PageRequest, pageOf } from '../page.ts'
import {
  type Dependency,
  type DependencyVulnerability,
  type GroupDependency,
  type LicenseCount,
  type UsedPackage,
  unknownLicense,
} from './dependency.ts'
import {
  type CandidateFinding,
  countByLicenses,
  countDependencies,
  countPackagesOf,
  currentInventories,
  type DependencyFilter,
  inventoriesOf,
  listCandidateFindings,
  listDependencies,
  listDependents,
  listInventoryIds,
  listPackageDetails,
  listPackagesOf,
  listUsedPackages,
  type PackageSearch,
} from './dependency-list-queries.ts'

export type { DependencyFilter } from './dependency-list-queries.ts'

interface Place {
  projectId: number
  ref: string
}

export interface ListedDependency extends Dependency {
  vulnerabilities: readonly DependencyVulnerability[]
}

/** Maximum number of findings that a page examines. */
const maxCandidates = 10_000

/** Returns the dependencies of a ref by name, with their vulnerabilities. */
export async function listProjectDependencies(
  { db }: Deps,
  place: Place,
  filter: DependencyFilter,
  request: PageRequest,
): Promise<Page<ListedDependency>> {
  const ids = await listInventoryIds(db, place)
  const rows = await listDependencies(db, ids, filter, { limit: request.perPage + 1, offset: request.offset })
  const total = await countDependencies(db, ids, filter, maxCountedRows + 1)
  const page = pageOf(request, rows, total)
  const names = new Set(page.rows.map(lastName))
  const found = names.size > 0 ? await listCandidateFindings(db, place, [...names], maxCandidates) : []
  return { ...page, rows: page.rows.map((row) => ({ ...row, vulnerabilities: vulnerabilitiesOf(row, found) })) }
}

const lastName = ({ packageKey, name }: Dependency): string =>
  storedName((packageKey && parsePackageUrl(packageKey)?.name) ?? splitName(name).name)

function vulnerabilitiesOf(dependency: Dependency, found: readonly CandidateFinding[]): DependencyVulnerability[] {
  return found
    .filter((candidate) => isIn(dependency, candidate))
    .map(({ vulnerabilityId, title, severity }) => ({ id: vulnerabilityId, title, severity: severityOf(severity) }))
}

/** Compares package URLs, or names if one of them is unknown, and versions. */
function isIn({ packageKey, name, version }: Dependency, candidate: CandidateFinding): boolean {
  const { dependency } = candidate.location as { dependency?: { package?: { name?: unknown }; version?: unknown } } // as reported
  if (packageKey === null || candidate.packageKey === null) {
    return dependency?.package?.name === name && dependency.version === version
  }
  if (packageKey !== candidate.packageKey) return false
  const stated = candidate.packageUrl === null ? undefined : parsePackageUrl(candidate.packageUrl)?.version
  return (stated ?? dependency?.version) === version
}

/** Returns how many dependencies of a ref have each license. */
export async function countProjectLicenses({ db }: Deps, place: Place): Promise<LicenseCount[]> {
  return sumByLicense(await countByLicenses(db, inventoriesOf(await listInventoryIds(db, place))))
}

/** Returns how many dependencies of the default branches of these projects have each license. */
export async function countLicenses({ db }: Deps, projectIds: readonly number[]): Promise<LicenseCount[]> {
  return sumByLicense(await countByLicenses(db, currentInventories(db, projectIds)))
}

function sumByLicense(counts: readonly { licenses: string; total: number }[]): LicenseCount[] {
  const totals = new Map<string, number>()
  for (const { licenses, total } of counts) {
    const names: string[] = JSON.parse(licenses)
    for (const name of names.length > 0 ? names : [unknownLicense]) totals.set(name, (totals.get(name) ?? 0) + total)
  }
  return [...totals]
    .map(([name, total]) => ({ name, total }))
    .sort((a, b) => b.total - a.total || (a.name < b.name ? -1 : 1))
}

/** Maximum number of projects that a search lists for each package. */
const maxListedProjects = 20

/**
 * Returns the versions of packages that projects depend on, and the first projects of each. `search` is a package URL
 * with or without a version, or words of at least three letters. Returns `undefined` if it has no such word.
 */
export async function searchPackages(
  { db }: Deps,
  projectIds: readonly number[],
  search: string,
  request: PageRequest,
): Promise<Page<UsedPackage & { projectIds: readonly number[] }> | undefined> {
  const wanted = readSearch(search.trim())
  if (!wanted) return undefined
  const range = { limit: request.perPage + 1, offset: request.offset }
  const page = pageOf(request, await listUsedPackages(db, projectIds, wanted, range))
  const ids = page.rows.map(({ id }) => id)
  const dependents = ids.length > 0 ? await listDependents(db, projectIds, ids, maxListedProjects) : []
  return {
    ...page,
    rows: page.rows.map((row) => ({
      ...row,
      projectIds: dependents.filter(({ packageId }) => packageId === row.id).map(({ projectId }) => projectId),
    })),
  }
}

/** Returns the packages on which the default branches of these projects depend, by name and version. */
export async function listGroupDependencies(
  { db }: Deps,
  projectIds: readonly number[],
  filter: DependencyFilter,
  request: PageRequest,
): Promise<Page<GroupDependency>> {
  const range = { limit: request.perPage + 1, offset: request.offset }
  const rows = await listPackagesOf(db, projectIds, filter, range)
  const page = pageOf(request, rows, await countPackagesOf(db, projectIds, filter, maxCountedRows + 1))
  const ids = page.rows.map(({ id }) => id)
  if (ids.length === 0) return { ...page, rows: [] }
  const details = groupBy(await listPackageDetails(db, projectIds, ids), ({ packageId }) => packageId)
  const dependents = groupBy(await listDependents(db, projectIds, ids, maxListedProjects), ({ packageId }) => packageId)
  return {
    ...page,
    rows: page.rows.map((row) => ({
      ...row,
      packageManager: details.get(row.id)?.find(({ packageManager }) => packageManager !== '')?.packageManager ?? '',
      licenses: [...new Set(details.get(row.id)?.flatMap(({ licenses }) => licenses))].sort(),
      projectIds: dependents.get(row.id)?.map(({ projectId }) => projectId) ?? [],
    })),
  }
}

function readSearch(search: string): PackageSearch | undefined {
  if (search.startsWith('pkg:')) {
    const url = parsePackageUrl(search)
    return url && { url }
  }
  const terms = searchTerms(search)
  return terms.length > 0 ? { terms } : undefined
}
