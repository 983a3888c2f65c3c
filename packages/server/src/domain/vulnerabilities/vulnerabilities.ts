import { perDatabase } from '../../db/cache.ts'
import type { RootDeps } from '../deps.ts'
import { openMilestones } from '../milestones.ts'
import { type Page, type PageRequest, pageOf } from '../page.ts'
import type { ListedFinding } from './finding.ts'
import type { Position } from './list-queries.ts'
import {
  type FindingFilter,
  findFindingPosition,
  listIdentifiers,
  listPresentFindings,
  listScanners,
} from './queries.ts'

/** To pass a finding by, its vulnerability has to be looked at. */
const milestones = perDatabase((changes) =>
  openMilestones<Position>(changes, ['occurrences', 'findings', 'vulnerabilities'], 250),
)

const maxTitle = 255

/** A title is a finding's name, cut to what a title may have. */
export function titleOf(name: string): string {
  const characters = [...name.trim()]
  return characters.length <= maxTitle ? characters.join('') : `${characters.slice(0, maxTitle - 3).join('')}...`
}

export async function findFindings(
  deps: RootDeps,
  filter: FindingFilter,
  page: PageRequest,
): Promise<Page<ListedFinding>> {
  const next = (after: Position | undefined, rows: number) => findFindingPosition(deps.db, filter, after, rows)
  const start = await milestones(deps.db).before(JSON.stringify(filter), page.offset, next)
  const present = await listPresentFindings(deps.db, filter, start, page.perPage)
  const { rows, hasNext } = pageOf(page, present)
  const [scanners, identifiers] = await Promise.all([
    listScanners(
      deps.db,
      rows.map(({ scannerId }) => scannerId),
    ),
    listIdentifiers(
      deps.db,
      rows.map(({ id }) => id),
    ),
  ])
  const scannerById = new Map(scanners.map((scanner) => [scanner.id, scanner]))
  const identifiersOf = new Map<number, typeof identifiers>(rows.map(({ id }) => [id, []]))
  for (const identifier of identifiers) identifiersOf.get(identifier.findingId)?.push(identifier)
  return {
    hasNext,
    rows: rows.flatMap(({ scannerId, ...finding }) => {
      const scanner = scannerById.get(scannerId)
      return scanner ? [{ ...finding, scanner, identifiers: identifiersOf.get(finding.id) ?? [] }] : []
    }),
  }
}
