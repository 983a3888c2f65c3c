import type { RootDeps } from '../../domain/deps.ts'
import type { FindingExtras } from '../../domain/findings/finding.ts'
import { listExtras, listIdentifiers, listScanners } from '../../domain/findings/findings.ts'
import { groupBy } from '../../domain/group-by.ts'
import { listProjectsById } from '../../domain/projects/projects.ts'
import { listPeople } from '../../domain/users/users.ts'
import { findTransitions } from '../../domain/vulnerabilities/triage/history.ts'
import { findLinks } from '../../domain/vulnerabilities/triage/links.ts'
import { openBatch } from './batch.ts'

/** Functions that load the surroundings of listed rows in batches. */
export function openLoaders(deps: RootDeps) {
  const { db } = deps
  return {
    project: openBatch(async (ids) => byId(await listProjectsById(db, ids))),
    person: openBatch(async (ids) => byId(await listPeople(db, ids))),
    scanner: openBatch(async (ids) => byId(await listScanners(db, ids))),
    extras: openBatch(async (findingIds) => {
      const found = byId(await listExtras(db, findingIds))
      return (id) => found(id)?.extras ?? noExtras
    }),
    identifiers: openBatch(async (findingIds) => {
      const found = groupBy(await listIdentifiers(db, findingIds), ({ findingId }) => findingId)
      return (id) => found.get(id) ?? []
    }),
    transitions: openBatch(async (vulnerabilityIds) => {
      const found = groupBy(await findTransitions(deps, vulnerabilityIds), ({ vulnerabilityId }) => vulnerabilityId)
      return (id) => found.get(id) ?? []
    }),
    links: openBatch(async (vulnerabilityIds) => {
      const found = groupBy(await findLinks(deps, vulnerabilityIds), ({ vulnerabilityId }) => vulnerabilityId)
      return (id) => found.get(id) ?? []
    }),
  }
}

function byId<Row extends { id: number }>(rows: readonly Row[]): (id: number) => Row | undefined {
  const found = new Map(rows.map((row) => [row.id, row]))
  return (id) => found.get(id)
}

const noExtras: FindingExtras = {
  links: [],
  flags: [],
  evidence: null,
  assets: [],
  cvss: [],
  remediations: [],
  signatures: [],
}
