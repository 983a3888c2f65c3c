import type { Deps } from '../deps.ts'
import {
  listFactsByFiles,
  listFactsByIds,
  listFactsByUuids,
  listFindingsOfSource,
  listIdsOfFindings,
  listImportedRecords,
} from '../findings/findings.ts'
import {
  type ImportKey,
  importKeysOf,
  importRanks,
  type KeyedFinding,
  placeOf,
} from '../findings/imported-findings/import-key.ts'
import type { ImportedRecord, KnownFacts } from '../findings/imported-findings/imported-record.ts'
import { pairImported } from '../findings/imported-findings/pair-imported.ts'
import { parsePackageUrl } from '../findings/package-url.ts'
import { groupBy } from '../group-by.ts'
import type { Project } from '../projects/project.ts'
import { uuidOf } from './finding-of-record.ts'
import type { FindingRecord, RecordBatch } from './record.ts'

/** A record with the stored findings that it is about. */
export interface MatchedRecord {
  record: FindingRecord
  keys: readonly ImportKey[]
  /** Findings of the project; empty if the record is a new one, or that of another record of the batch. */
  findings: readonly Pick<KnownFacts, 'id' | 'vulnerabilityId'>[]
  /** What earlier imports have recorded of it. */
  before: readonly ImportedRecord[]
  /** Another record of the batch about the same finding, which comes first. */
  sameAs: FindingRecord | undefined
}

/** Maximum number of stored findings that records of one batch are compared with. */
const maxCandidates = 50_000

/** Finds the stored findings that records are about, by the rules of the comparison of reports. */
export async function matchRecords(deps: Deps, project: Project, batch: RecordBatch): Promise<MatchedRecord[]> {
  const { records, source } = batch
  const keyed = records.map((record) => {
    const facts = keyedFrom(record)
    return {
      record,
      line: facts.line,
      keys: importKeysOf(facts, { isImported: true }),
      ids: facts.ids,
      file: facts.file,
    }
  })
  const stored = await listImportedRecords(
    deps.db,
    project.id,
    source,
    records.map(({ id }) => id),
  )
  const before = groupBy(stored, ({ sourceId }) => sourceId)
  const unknown = keyed.filter(({ record }) => !before.has(record.id))
  const isExport = source === 'alcove'
  const loaded = await loadCandidates(deps, project, source, unknown)
  // Each row of an export is a finding of its own, whatever it has in common with others.
  const claimed = isExport ? await listClaimed(deps, project, source, loaded) : new Set<number>()
  const candidates = loaded.filter(({ facts }) => !claimed.has(facts.id))
  const matched = new Map<FindingRecord, KnownFacts[]>()
  const byUuid = new Map(candidates.map((one) => [one.facts.uuid, one]))
  const taken = new Set<number>()
  for (const { record } of unknown) {
    const found = byUuid.get(uuidOf(record, source, project.id))
    if (!found || taken.has(found.facts.id)) continue
    taken.add(found.facts.id)
    matched.set(record, [found.facts])
  }
  const open = unknown.filter(({ record }) => !matched.has(record))
  const free = candidates.filter(({ facts }) => !taken.has(facts.id))
  for (const { record, finding } of pairImported(open, free)) {
    taken.add(finding.facts.id)
    matched.set(record.record, [finding.facts])
  }
  addEverywhere(open, free, matched, taken)
  const repeated = isExport ? [] : unknown.filter(({ record }) => !matched.has(record))
  const firstOf = findRepeats(repeated)
  return keyed.map(({ record, keys }) => {
    const earlier = before.get(record.id) ?? []
    const findings = matched.get(record) ?? []
    return { record, keys, findings, before: earlier, sameAs: firstOf.get(record) }
  })
}

/** Returns the findings that other records of the source are about. */
async function listClaimed(
  { db }: Deps,
  project: Project,
  source: string,
  candidates: readonly { facts: KnownFacts }[],
): Promise<Set<number>> {
  const ids = candidates.map(({ facts }) => facts.id)
  return new Set(await listFindingsOfSource(db, project.id, source, ids))
}

interface Keyed {
  record: FindingRecord
  line: number
  keys: readonly ImportKey[]
  ids: readonly string[]
  file: string | undefined
}

/** Adds all findings of a package to a record that names no place, because it is about each of them. */
function addEverywhere(
  open: readonly Keyed[],
  candidates: readonly { facts: KnownFacts; keys: readonly ImportKey[] }[],
  matched: ReadonlyMap<FindingRecord, KnownFacts[]>,
  taken: Set<number>,
): void {
  const byKey = groupBy(
    candidates.flatMap(({ facts, keys }) => keys.map(({ key }) => ({ key, facts }))),
    ({ key }) => key,
  )
  for (const { record, keys } of open) {
    const findings = matched.get(record)
    if (!findings) continue
    for (const { rank, key } of keys) {
      if (rank !== importRanks.anywhere) continue
      for (const { facts } of byKey.get(key) ?? []) {
        if (taken.has(facts.id)) continue
        taken.add(facts.id)
        findings.push(facts)
      }
    }
  }
}

/** Returns the records about the same place as an earlier one of the batch, with that one. */
function findRepeats(records: readonly Keyed[]): Map<FindingRecord, FindingRecord> {
  const first = new Map<string, FindingRecord>()
  const repeats = new Map<FindingRecord, FindingRecord>()
  for (const { record, keys, line, file } of records) {
    const isPlaced = record.packageUrl !== undefined || line > 0 || file !== undefined
    const places = isPlaced ? keys.filter(({ rank }) => rank === importRanks.place) : []
    const known = places.flatMap(({ key }) => first.get(key) ?? [])[0]
    if (known) repeats.set(record, known)
    else for (const { key } of places) first.set(key, record)
  }
  return repeats
}

/** Loads the stored findings that have an id or a place of one of the records, with their keys. */
async function loadCandidates({ db }: Deps, project: Project, source: string, records: readonly Keyed[]) {
  if (records.length === 0) return []
  const ids = [...new Set(records.flatMap(({ ids }) => ids).map((id) => id.toLowerCase()))]
  const files = [...new Set(records.flatMap(({ file }) => (file ? [file, `/${file}`, `./${file}`] : [])))]
  const uuids = records.map(({ record }) => uuidOf(record, source, project.id))
  const found = [
    ...(await listFactsByUuids(db, project.id, uuids)),
    ...(await listFactsByIds(db, project.id, ids, maxCandidates)),
    ...(await listFactsByFiles(db, project.id, files, maxCandidates)),
  ]
  const facts = [...new Map(found.map((one) => [one.id, one])).values()].sort((a, b) => a.id - b.id)
  const listed = await listIdsOfFindings(
    db,
    facts.map(({ id }) => id),
  )
  const idsOf = groupBy(listed, ({ findingId }) => findingId)
  return facts.map((one) => {
    const place = placeOf(one.location)
    const names = (idsOf.get(one.id) ?? []).flatMap(({ name, externalId }) => [name, externalId])
    const { title, reportType } = one
    const keys = importKeysOf({ ids: names, title, reportType, ...place }, { isImported: false })
    return { facts: one, line: place.line, keys }
  })
}

/** Returns what the keys of a record are made of. */
function keyedFrom({ identifiers, name, reportType, location, packageUrl }: FindingRecord): KeyedFinding {
  const place = placeOf(location)
  return {
    ids: identifiers.flatMap(({ name, externalId }) => [name, externalId]),
    title: name,
    reportType,
    ...place,
    packageName: place.packageName ?? (packageUrl && parsePackageUrl(packageUrl)?.name),
  }
}
