import type { RootDeps } from '../../domain/deps.ts'
import { isCve, readCves } from '../../domain/feeds/feeds.ts'
import type { FindingExtras } from '../../domain/findings/finding.ts'
import { listExtras, listIdentifiers, listScanners } from '../../domain/findings/findings.ts'
import { groupBy } from '../../domain/group-by.ts'
import { listProjectsById } from '../../domain/projects/projects.ts'
import { findCreatedLinks } from '../../domain/trackers/issues.ts'
import { listPeople } from '../../domain/users/users.ts'
import { findTransitions } from '../../domain/vulnerabilities/triage/history/history.ts'
import { findLinks } from '../../domain/vulnerabilities/triage/links.ts'
import { countComments, findNewestNotes } from '../../domain/vulnerabilities/triage/notes.ts'
import { refused } from '../../platform/failure.ts'
import { openBatch } from './batch.ts'

/** Functions that load the surroundings of listed rows in batches. */
export function openLoaders(deps: RootDeps) {
  const { db } = deps
  let spent = 0
  /** Refuses notes beyond the maximum of a request. */
  const spend = (characters: number) => {
    spent += characters
    if (spent > maxNoteCharacters) {
      throw refused(`the notes have more than ${maxNoteCharacters} characters. Request fewer nodes with \`first\``)
    }
  }
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
    notes: openBatch(async (vulnerabilityIds) => {
      const found = groupBy(await findNewestNotes(deps, vulnerabilityIds, spend), (note) => note.vulnerabilityId)
      return (id) => found.get(id) ?? []
    }),
    commentCount: openBatch(async (vulnerabilityIds) => {
      const found = await countComments(deps, vulnerabilityIds)
      return (id) => found.get(id) ?? 0
    }),
    /** What the feeds have of the CVEs of a finding. */
    cves: openBatch(async (findingIds) => {
      const identifiers = await listIdentifiers(db, findingIds)
      const named = identifiers.map(({ findingId, name }) => ({ findingId, cve: name.toUpperCase() }))
      const cves = await readCves(deps, [...new Set(named.map(({ cve }) => cve).filter(isCve))])
      const found = groupBy(named, ({ findingId }) => findingId)
      return (id) => (found.get(id) ?? []).flatMap(({ cve }) => cves.get(cve) ?? [])
    }),
    jiraIssues: openBatch(async (vulnerabilityIds) => {
      const created = await findCreatedLinks(deps, vulnerabilityIds, 'jira')
      const found = groupBy(created, ({ vulnerabilityId }) => vulnerabilityId)
      return (id) => found.get(id) ?? []
    }),
    links: openBatch(async (vulnerabilityIds) => {
      const found = groupBy(await findLinks(deps, vulnerabilityIds), ({ vulnerabilityId }) => vulnerabilityId)
      return (id) => found.get(id) ?? []
    }),
  }
}

/** A comment has up to a million characters, so the number of notes does not bound the size of a response. */
const maxNoteCharacters = 10_000_000

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
