import { type Deps, type RootDeps, withRelaxedDurability } from '../../deps.ts'
import type { FindingContent } from '../../findings/finding-content.ts'
import { lineOf } from '../../findings/finding-key.ts'
import {
  createFindings,
  findKnownFindings,
  hasAnyFinding,
  hasFindings,
  listScannerIds,
  stageFindings,
  upsertIdentifiers,
  upsertScanners,
} from '../../findings/findings.ts'
import type { KnownFinding } from '../../findings/known-finding.ts'
import { disambiguatedUuid } from '../formats/identity/result-fingerprints.ts'
import type { Identifier, Scanner } from '../formats/report.ts'
import {
  addKnown,
  addNew,
  type Classified,
  emptyComparison,
  type ImportPlace,
  idOf,
  mayChange,
  type ReportedFinding,
} from './classified.ts'
import { findContested } from './contested.ts'
import { noteDoubts } from './doubts.ts'
import { fingerprintKeysOf, formerUuids, matchingKeys, nearestKey } from './finding-keys.ts'
import { forEachAdaptiveBatch } from './fitting-slices.ts'
import { type ImportedFinding, renamed } from './imported-finding.ts'

/**
 * Compares findings with the project, batch by batch. Inserts new findings at once, still invisible, and stages the
 * content of known ones. Memory use is therefore independent of the report's size, and only the last step is visible.
 */
export function openClassifier(deps: RootDeps, place: ImportPlace) {
  const result = emptyComparison()
  const identifierIds = new Map<string, number>()
  /** Whether the project had findings before this import. Findings of one report have distinct uuids. */
  let hasAny: boolean | undefined

  async function upsertScannersOf(scanners: readonly Scanner[]): Promise<void> {
    const unknown = scanners.filter(({ externalId }) => !result.scannerIds.has(externalId))
    if (unknown.length === 0) return
    const distinct = [...new Map(unknown.map((scanner) => [scanner.externalId, scanner])).values()]
    const ids = place.importId
      ? await withRelaxedDurability(deps, ({ db }) => upsertScanners(db, place.projectId, distinct, place.now))
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
    await upsertScannersOf(batch.map(({ scanner }) => scanner))
    const uuids = batch.map(({ uuid }) => uuid)
    hasAny ??= await hasAnyFinding(deps.db, place.projectId)
    const known = await knownByUuid(uuids)
    const contested = await findContested(deps.db, batch, known)
    const besides = await knownByUuid([...contested.keys()].map(disambiguatedUuidOf))
    const pairs = batch.map((given) => {
      const owner = contested.get(given)
      const finding = owner ? renamed(given, disambiguatedUuidOf(given)) : given
      return { finding, owner, match: (owner ? besides : known).get(finding.uuid) }
    })
    await noteDoubts(deps.db, place, pairs, result.doubts)
    const inserted: ImportedFinding[] = []
    const staged: ImportedFinding[] = []
    result.total += batch.length
    for (const { finding, owner, match } of pairs) {
      if (hasPast(finding)) result.repeats.addAll(fingerprintKeysOf(finding))
      const differs = match !== undefined && match.digest !== finding.digest
      if (!match && owner) {
        staged.push(finding)
        result.contested.push({ ...reportedFrom(finding, 0), owner })
      } else if (!match) inserted.push(finding)
      else if (!match.isOwnUuid) {
        staged.push(finding)
        result.candidateMatches.push({ ...reportedFrom(finding, match.id), known: match, differs })
      } else if (!match.wasSeen) {
        if (differs) {
          staged.push(finding)
          result.changed.push({ findingId: match.id, uuid: finding.uuid, isLarge: finding.isLarge })
        }
        addReported(finding, match.id)
      } else {
        if (differs && mayChange(place, match)) {
          staged.push(finding)
          result.changed.push({ findingId: match.id, uuid: finding.uuid, isLarge: finding.isLarge })
        }
        addKnown(result, place, match)
      }
    }
    await write(inserted, staged)
  }

  async function knownByUuid(uuids: readonly string[]): Promise<Map<string, KnownFinding>> {
    const listed = hasAny && uuids.length > 0 ? await findKnownFindings(deps.db, place, uuids) : []
    return new Map(listed.map((finding) => [finding.uuid, finding]))
  }

  async function write(inserted: readonly ImportedFinding[], staged: readonly ImportedFinding[]): Promise<void> {
    const { importId, projectId, now } = place
    if (importId === undefined) {
      for (const finding of inserted) addReported(finding, 0)
      return
    }
    if (inserted.length + staged.length === 0) return
    const ids = await withRelaxedDurability(deps, async ({ db }) => {
      await loadIdentifierIds(
        db,
        [...inserted, ...staged].flatMap(({ identifiers }) => identifiers),
      )
      const ids = await createFindings(db, { projectId, importId, now }, inserted.map(contentOf))
      await stageFindings(db, importId, staged.map(contentOf))
      return ids
    })
    for (const finding of inserted) addReported(finding, idOf(ids, finding.uuid))
  }

  async function loadIdentifierIds(db: Deps['db'], identifiers: readonly Identifier[]): Promise<void> {
    const unknown = identifiers.filter(({ fingerprint }) => !identifierIds.has(fingerprint))
    if (unknown.length === 0) return
    if (identifierIds.size > maxCachedIdentifiers) identifierIds.clear()
    const all = identifierIds.size === 0 ? identifiers : unknown
    for (const [fingerprint, id] of await upsertIdentifiers(db, place.projectId, all))
      identifierIds.set(fingerprint, id)
  }

  const hasPast = ({ scanner }: ImportedFinding): boolean =>
    result.scannersWithPast.has(result.scannerIds.get(scanner.externalId) ?? 0)

  function contentOf(finding: ImportedFinding): FindingContent {
    const { uuid, row, identifiers } = finding
    const ids = identifiers.map(({ fingerprint }) => idOf(identifierIds, fingerprint))
    return { uuid, row, identifierIds: ids, keys: matchingKeys(finding, hasPast(finding)) }
  }

  function addReported(finding: ImportedFinding, id: number): void {
    const reported = reportedFrom(finding, id)
    const mayBeKnown = reported.keys.length + reported.former.length > 0 || reported.nearestKey !== undefined
    if (mayBeKnown) result.unmatched.push(reported)
    else addNew(result, reported)
  }

  const reportedFrom = (finding: ImportedFinding, id: number): ReportedFinding => {
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
      fingerprints: hasPast(finding) ? fingerprintKeysOf(finding) : [],
      nearestKey: hasPast(finding) ? nearestKey(finding) : undefined,
      // Include new scanners, which may have replaced another scanner.
      former: hasAny ? formerUuids(finding, place.projectId) : [],
    }
  }

  return {
    upsertScannersOf,
    /** Compares all batches; yields to the event loop between them. */
    async addAll(
      batches: AsyncIterable<readonly ImportedFinding[]>,
      afterEach: () => Promise<void>,
    ): Promise<Classified> {
      await forEachAdaptiveBatch(batches, { work: add, afterEach })
      return result
    },
  }
}

const maxCachedIdentifiers = 100_000

const disambiguatedUuidOf = ({ uuid, fingerprints }: ImportedFinding): string => disambiguatedUuid(uuid, fingerprints)
