import { type Deps, provisionally, type RootDeps } from '../deps.ts'
import { keepIdentifiers, keepScanners, listScannerIds } from './catalogue-queries.ts'
import { type Category, isIn } from './categories.ts'
import { type FindingKey, formerUuids, lineOf, matchingKeys } from './finding-keys.ts'
import {
  findKnownFindings,
  hasAnyFinding,
  hasFindings,
  insertBelongings,
  insertFindings,
  type KnownFinding,
  type StoredDraft,
} from './finding-queries.ts'
import { inFittingSlices } from './fitting-slices.ts'
import { type Gaps, startGaps } from './gaps.ts'
import type { ImportedFinding } from './imported-finding.ts'
import type { Identifier, JsonObject, Scanner } from './report.ts'
import { stageFindings } from './staged-queries.ts'

/** Where a report belongs. */
export interface ImportPlace {
  projectId: number
  ref: string
  defaultBranch: string
  /** Absent: the report speaks for all of the ref. */
  category: Category | undefined
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
  /** There already, and never in a report of this category before. */
  joined: number[]
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
  /** Doubtful findings that were not there before: each may stand for one that was. */
  doubts: Gaps
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
  severity: ImportedFinding['severity']
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
    joined: [],
    changed: [],
    unattached: [],
    fresh: [],
    news: { total: 0, first: [] },
    claims: [],
    doubts: startGaps(),
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

  async function add(batch: readonly ImportedFinding[]): Promise<void> {
    await keepScannersOf(batch.map(({ scanner }) => scanner))
    const uuids = batch.map(({ uuid }) => uuid)
    hasAny ??= await hasAnyFinding(deps.db, place.projectId)
    const listed = hasAny ? await findKnownFindings(deps.db, place, uuids) : []
    const known = new Map(listed.map((finding) => [finding.uuid, finding]))
    const inserted: ImportedFinding[] = []
    const staged: ImportedFinding[] = []
    result.kept += batch.length
    for (const finding of batch) {
      const match = known.get(finding.uuid)
      noteDoubt(finding, match)
      const differs = match !== undefined && match.digest !== finding.digest
      if (!match) inserted.push(finding)
      else if (!match.isOwnUuid) {
        staged.push(finding)
        result.claims.push({ ...freshFrom(finding, match.id), known: match, differs })
      } else if (!match.wasSeen) {
        if (differs) {
          staged.push(finding)
          result.changed.push({ findingId: match.id, uuid: finding.uuid, isLarge: finding.isLarge })
        }
        addFresh(finding, match.id)
      } else {
        if (differs && mayChange(place, match)) {
          staged.push(finding)
          result.changed.push({ findingId: match.id, uuid: finding.uuid, isLarge: finding.isLarge })
        }
        see(result, place, match)
      }
    }
    await write(inserted, staged)
  }

  function noteDoubt({ doubt, scanner, reportType, pointer }: ImportedFinding, match?: KnownFinding): void {
    const wasThere = match?.wasPresent && (!place.category || isIn(place.category, match.categories))
    if (doubt && !wasThere) {
      result.doubts.add({ scanner: scanner.externalId, reportType }, `an entry cannot be read (${doubt})`, pointer)
    }
  }

  async function write(inserted: readonly ImportedFinding[], staged: readonly ImportedFinding[]): Promise<void> {
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
      const drafts = inserted.map(draftOf)
      const ids = await insertFindings(db, { projectId, importId, now }, drafts)
      const withIds = drafts.map((draft) => ({ findingId: idOf(ids, draft.uuid), draft }))
      await insertBelongings(db, projectId, withIds)
      await stageFindings(db, importId, staged.map(draftOf))
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

  const hasPast = ({ scanner }: ImportedFinding): boolean =>
    result.scannersWithPast.has(result.scannerIds.get(scanner.externalId) ?? 0)

  function draftOf(finding: ImportedFinding): StoredDraft {
    const { uuid, row, identifiers } = finding
    const ids = identifiers.map(({ fingerprint }) => idOf(identifierIds, fingerprint))
    return { uuid, row, identifierIds: ids, keys: matchingKeys(finding, hasPast(finding)) }
  }

  function addFresh(finding: ImportedFinding, id: number): void {
    const fresh = freshFrom(finding, id)
    if (fresh.keys.length + fresh.former.length > 0) result.fresh.push(fresh)
    else addNew(result, fresh)
  }

  const freshFrom = (finding: ImportedFinding, id: number): FreshFinding => {
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
      isLarge: finding.isLarge,
      keys: hasPast(finding) ? matchingKeys(finding, true) : [],
      // Also of scanners that are new: they may take over from others.
      former: hasAny ? formerUuids(finding, place.projectId) : [],
    }
  }

  return {
    keepScannersOf,
    /** Between two batches other requests have their turn. */
    async addAll(
      batches: AsyncIterable<readonly ImportedFinding[]>,
      afterEach: () => Promise<void>,
    ): Promise<Classified> {
      await inFittingSlices(batches, { work: add, afterEach })
      return result
    },
  }
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
  { seen, arrivals, found, returned, joined, unattached }: Classified,
  { category }: Pick<ImportPlace, 'category'>,
  known: Pick<KnownFinding, 'id' | 'vulnerabilityId' | 'wasPresent' | 'categories'>,
): void {
  seen.add(known.id)
  if (known.wasPresent === undefined) arrivals.push(known.id)
  else if (!known.wasPresent) returned.push(known.id)
  else if (category && !isIn(category, known.categories)) joined.push(known.id)
  if (known.vulnerabilityId === null) unattached.push(known.id)
  else if (known.wasPresent === undefined) found.push(known.id)
}

export function idOf(ids: ReadonlyMap<string, number>, key: string): number {
  const id = ids.get(key)
  if (id === undefined) throw new Error(`nothing was stored under ${key}`)
  return id
}
