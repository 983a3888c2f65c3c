import { hash } from 'node:crypto'
import { setImmediate } from 'node:timers/promises'
import { type Deps, provisionally, type RootDeps } from '../deps.ts'
import { keepIdentifiers, keepScanners, listScannerIds } from './catalogue-queries.ts'
import { type FindingKey, formerUuids, lineOf, matchingKeys } from './finding-keys.ts'
import {
  type FindingDraft,
  findingRow,
  findKnownFindings,
  hasAnyFinding,
  hasFindings,
  insertBelongings,
  insertFindings,
  type KnownFinding,
} from './finding-queries.ts'
import type { Identifier, JsonObject, ReportFinding, Scanner } from './report.ts'
import { stageFindings } from './staged-queries.ts'

/** Where a report belongs. */
export interface ImportPlace {
  projectId: number
  ref: string
  defaultBranch: string
  /** Absent: a rehearsal, which writes nothing. */
  importId: number | undefined
  now: string
}

/** What is known of all findings of a report once it is read to its end. Ids only: there may be many. */
export interface Classified {
  scannerIds: Map<string, number>
  /** Those of the scanners that have found anything here before: only of theirs can anything have moved or gone. */
  scannersWithPast: Set<number>
  /** Findings that the report names, by whatever uuid. */
  seen: Set<number>
  /** New to the project: until the import is shown nobody has seen them, and nothing hangs on them. */
  newcomers: number[]
  /** Known, and never on this ref before. */
  arrivals: number[]
  /** Of those that arrive: with a vulnerability, from another ref. */
  found: number[]
  returned: number[]
  /** Known ones that say something else now. */
  changed: StagedFinding[]
  /** Those without a vulnerability; in a rehearsal new ones are counted as id 0. */
  unattached: number[]
  /** Not known under this uuid, but perhaps under another one. */
  fresh: FreshFinding[]
  /** Known under no uuid: so many, and the first of them. */
  news: { total: number; first: FreshFinding[] }
  /** Known under another uuid since an earlier import, if nobody else in this report is that finding. */
  claims: Claim[]
  /** How many the report names. */
  kept: number
}

export interface StagedFinding {
  findingId: number
  /** What it is staged under. */
  uuid: string
  /** So that not many of them are held at once. */
  isLarge: boolean
}

export interface FreshFinding {
  /** 0 in a rehearsal. */
  id: number
  uuid: string
  name: string
  severity: ReportFinding['severity']
  reportType: string
  /** 0 of a scanner that only a rehearsal has met. */
  scannerId: number
  location: JsonObject
  line: number
  isLarge: boolean
  keys: readonly FindingKey[]
  former: readonly { uuid: string; reason: 'identifier' | 'location' }[]
}

interface Claim extends FreshFinding {
  known: KnownFinding
  differs: boolean
}

/** Content of a finding belongs to the default branch as soon as that has seen it; other branches only see it there. */
export const mayChange = (place: ImportPlace, known: { wasOnDefaultBranch: boolean }): boolean =>
  place.ref === place.defaultBranch || !known.wasOnDefaultBranch

/** Of a report of which nothing was read yet. */
export function nothingClassified(): Classified {
  return {
    scannerIds: new Map(),
    scannersWithPast: new Set(),
    seen: new Set(),
    newcomers: [],
    arrivals: [],
    found: [],
    returned: [],
    changed: [],
    unattached: [],
    fresh: [],
    news: { total: 0, first: [] },
    claims: [],
    kept: 0,
  }
}

/**
 * Compares findings with what the project knows, batch by batch. New ones are stored at once, where nobody sees them yet;
 * what known ones say is set aside. So a report of any size passes through, and only its last step changes the project.
 */
export function openClassifier(deps: RootDeps, place: ImportPlace) {
  const result = nothingClassified()
  const identifierIds = new Map<string, number>()
  /** Before this import: of its own ones no two have the same uuid. */
  let hasAny: boolean | undefined

  async function keepScannersOf(scanners: readonly Scanner[]): Promise<void> {
    const unknown = scanners.filter(({ externalId }) => !result.scannerIds.has(externalId))
    if (unknown.length === 0) return
    const distinct = [...new Map(unknown.map((scanner) => [scanner.externalId, scanner])).values()]
    const ids = place.importId
      ? await provisionally(deps, ({ db }) => keepScanners(db, place.projectId, distinct, place.now))
      : await listScannerIds(
          deps.db,
          place.projectId,
          distinct.map(({ externalId }) => externalId),
        )
    for (const [externalId, id] of ids) {
      result.scannerIds.set(externalId, id)
      if (await hasFindings(deps.db, id)) result.scannersWithPast.add(id)
    }
  }

  async function add(batch: readonly ReportFinding[]): Promise<void> {
    await keepScannersOf(batch.map(({ scanner }) => scanner))
    const uuids = batch.map(({ uuid }) => uuid)
    hasAny ??= await hasAnyFinding(deps.db, place.projectId)
    const listed = hasAny ? await findKnownFindings(deps.db, place, uuids) : []
    const known = new Map(listed.map((finding) => [finding.uuid, finding]))
    const inserted: ReportFinding[] = []
    const staged: ReportFinding[] = []
    const digests = new Map<string, string>()
    result.kept += batch.length
    for (const finding of batch) {
      const digest = digestOf(finding)
      digests.set(finding.uuid, digest)
      const match = known.get(finding.uuid)
      const differs = match !== undefined && match.digest !== digest
      if (!match) inserted.push(finding)
      else if (!match.isOwnUuid) {
        staged.push(finding)
        result.claims.push({ ...freshFrom(finding, match.id), known: match, differs })
      } else if (!match.wasSeen) {
        if (differs) {
          staged.push(finding)
          result.changed.push({ findingId: match.id, uuid: finding.uuid, isLarge: isLarge(finding) })
        }
        addFresh(finding, match.id)
      } else {
        if (differs && mayChange(place, match)) {
          staged.push(finding)
          result.changed.push({ findingId: match.id, uuid: finding.uuid, isLarge: isLarge(finding) })
        }
        see(result, match)
      }
    }
    await write(inserted, staged, digests)
  }

  async function write(
    inserted: readonly ReportFinding[],
    staged: readonly ReportFinding[],
    digests: ReadonlyMap<string, string>,
  ): Promise<void> {
    const { importId, projectId, now } = place
    if (importId === undefined) {
      for (const finding of inserted) addFresh(finding, 0)
      return
    }
    if (inserted.length + staged.length === 0) return
    const ids = await provisionally(deps, async ({ db }) => {
      await learnIdentifiers(
        db,
        [...inserted, ...staged].flatMap(({ identifiers }) => identifiers),
      )
      const drafts = inserted.map((finding) => draftOf(finding, digests))
      const ids = await insertFindings(db, { projectId, importId, now }, drafts)
      const withIds = drafts.map((draft) => ({ findingId: idOf(ids, draft.row.uuid), draft }))
      await insertBelongings(db, projectId, withIds)
      await stageFindings(
        db,
        importId,
        staged.map((finding) => draftOf(finding, digests)),
      )
      return ids
    })
    for (const finding of inserted) addFresh(finding, idOf(ids, finding.uuid))
  }

  async function learnIdentifiers(db: Deps['db'], identifiers: readonly Identifier[]): Promise<void> {
    const unknown = identifiers.filter(({ fingerprint }) => !identifierIds.has(fingerprint))
    if (unknown.length === 0) return
    if (identifierIds.size > maxRemembered) identifierIds.clear()
    const all = identifierIds.size === 0 ? identifiers : unknown
    for (const [fingerprint, id] of await keepIdentifiers(db, place.projectId, all)) identifierIds.set(fingerprint, id)
  }

  const hasPast = ({ scanner }: ReportFinding): boolean =>
    result.scannersWithPast.has(result.scannerIds.get(scanner.externalId) ?? 0)

  function draftOf(finding: ReportFinding, digests: ReadonlyMap<string, string>): FindingDraft {
    const [primary] = finding.identifiers
    const ids = finding.identifiers.map(({ fingerprint }) => idOf(identifierIds, fingerprint))
    const row = findingRow(finding, {
      digest: digests.get(finding.uuid) ?? '',
      scannerId: idOf(result.scannerIds, finding.scanner.externalId),
      primaryIdentifierId: idOf(identifierIds, primary.fingerprint),
    })
    return { row, identifierIds: ids, keys: matchingKeys(finding, hasPast(finding)) }
  }

  function addFresh(finding: ReportFinding, id: number): void {
    const fresh = freshFrom(finding, id)
    if (fresh.keys.length + fresh.former.length > 0) result.fresh.push(fresh)
    else addNew(result, fresh)
  }

  const freshFrom = (finding: ReportFinding, id: number): FreshFinding => {
    const scannerId = result.scannerIds.get(finding.scanner.externalId) ?? 0
    return {
      id,
      scannerId,
      uuid: finding.uuid,
      name: finding.name,
      severity: finding.severity,
      reportType: finding.reportType,
      location: finding.location,
      line: lineOf(finding.location),
      isLarge: isLarge(finding),
      keys: hasPast(finding) ? matchingKeys(finding, true) : [],
      // Also of scanners that are new: they may take over from others.
      former: hasAny ? formerUuids(finding, place.projectId) : [],
    }
  }

  return {
    keepScannersOf,
    /** Between two batches other requests have their turn. */
    async addAll(
      batches: AsyncIterable<readonly ReportFinding[]>,
      afterEach: () => Promise<void>,
    ): Promise<Classified> {
      let size = fewestAtOnce
      for await (const batch of batches) {
        for (let start = 0; start < batch.length; ) {
          const slice = batch.slice(start, start + size)
          const since = performance.now()
          await add(slice)
          if (slice.length === size) size = nextSize(size, performance.now() - since)
          start += slice.length
          await afterEach()
          await setImmediate()
        }
      }
      return result
    },
  }
}

const isLarge = ({ rawMetadata }: ReportFinding): boolean => rawMetadata.length > 64 * 1024

/** What a step takes is time that others wait; how many findings that are, the last step tells. */
const turnMs = 10
const fewestAtOnce = 25
const mostAtOnce = 200

function nextSize(size: number, tookMs: number): number {
  const fitting = Math.round(size * Math.min(2, turnMs / tookMs))
  return Math.min(mostAtOnce, Math.max(fewestAtOnce, fitting))
}

const maxRemembered = 100_000

/** As many as anybody looks at. */
export const maxSamples = 10

/** A finding that the project did not know. In a rehearsal it has no id. */
export function addNew({ news, newcomers, unattached }: Classified, fresh: FreshFinding): void {
  if (news.total++ < maxSamples) news.first.push(fresh)
  if (fresh.id !== 0) newcomers.push(fresh.id)
  unattached.push(fresh.id)
}

/** A known finding that the report names. */
export function see(
  { seen, arrivals, found, returned, unattached }: Classified,
  known: { id: number; vulnerabilityId: number | null; wasPresent: boolean | undefined },
): void {
  seen.add(known.id)
  if (known.wasPresent === undefined) arrivals.push(known.id)
  else if (!known.wasPresent) returned.push(known.id)
  if (known.vulnerabilityId === null) unattached.push(known.id)
  else if (known.wasPresent === undefined) found.push(known.id)
}

/** Of everything that is stored of a finding; what keeps its digest is left alone. */
function digestOf({
  pointer: _pointer,
  keys: _keys,
  codeExtract: _code,
  rawMetadata,
  ...stored
}: ReportFinding): string {
  // The entry is JSON text already, and escaping it once more takes longer than all the rest.
  return hash('sha1', digestVersion + JSON.stringify(stored) + rawMetadata)
}

/** Another one makes every finding differ from what is stored, and so be stored anew when it is reported again. */
const digestVersion = '2'

export function idOf(ids: ReadonlyMap<string, number>, key: string): number {
  const id = ids.get(key)
  if (id === undefined) throw new Error(`nothing was stored under ${key}`)
  return id
}
