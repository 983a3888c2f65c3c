import { perDatabase } from '../../db/cache.ts'
import { invalid } from '../../platform/failure.ts'
import type { User } from '../access/users.ts'
import { type Deps, type RootDeps, transaction } from '../deps.ts'
import { openMilestones } from '../milestones.ts'
import { type Page, type PageRequest, pageOf } from '../page.ts'
import type { Project } from '../projects/project.ts'
import { recordVulnerabilityChanges } from './changes.ts'
import { addToCounts, newlyDetected } from './count-queries.ts'
import type { ListedFinding } from './finding.ts'
import type { VulnerabilityWithFinding } from './list.ts'
import type { Position } from './list-queries.ts'
import {
  attachFinding,
  type FindingFilter,
  findFindingPosition,
  insertVulnerability,
  listIdentifiers,
  listPresentFindings,
  listScanners,
  lockFinding,
} from './queries.ts'

/** To pass a finding by, its vulnerability has to be looked at. */
const milestones = perDatabase((changes) =>
  openMilestones<Position>(changes, ['occurrences', 'findings', 'vulnerabilities'], 250),
)

/** Turns a finding of this project, named by its id or uuid, into a vulnerability that people can triage. */
export function promoteFinding(
  deps: Deps,
  project: Project,
  author: User,
  reference: number | string,
): Promise<VulnerabilityWithFinding> {
  return transaction(deps, async (deps) => {
    const finding = await lockFinding(deps.db, project.id, reference)
    if (!finding || finding.vulnerabilityId !== null) throw notPromotable()

    const vulnerability = await insertVulnerability(deps.db, {
      projectId: project.id,
      authorId: author.id,
      title: titleOf(finding.name),
      severity: finding.severity,
      confidence: finding.confidence,
      reportType: finding.reportType,
      scannerId: finding.scannerId,
      now: deps.now(),
    })
    // Two requests may get this far; only one of them attaches.
    const attached = await attachFinding(deps.db, finding.id, vulnerability.id, vulnerability.createdAt)
    if (!attached) throw notPromotable()
    await addToCounts(deps.db, project.id, [newlyDetected(finding)], vulnerability.createdAt)
    await recordVulnerabilityChanges(deps, project.id, [vulnerability.id])
    return {
      vulnerability,
      finding: { ...finding, vulnerabilityId: vulnerability.id, updatedAt: vulnerability.createdAt },
    }
  })
}

/** GitLab has one message for an unknown finding, one of another project, and one that is attached already. */
const notPromotable = () => invalid({ base: ['finding is not found or is already attached to a vulnerability'] })

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
