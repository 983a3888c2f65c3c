import type { KnownFinding } from '../../findings/known-finding.ts'
import { disambiguatedUuid, haveSameFingerprint } from '../formats/identity/result-fingerprints.ts'
import { decideObserved, type ObservedFinding } from './decision.ts'
import { fingerprintKeysOf } from './finding-keys.ts'
import type { ImportPlace } from './import-place.ts'
import { type ImportedFinding, renamed } from './imported-finding.ts'

/** A reported finding, and the stored finding that has its uuid or was matched under it. */
export interface UuidPair {
  finding: ImportedFinding
  known: KnownFinding | undefined
  /** Known finding that has the reported uuid but other fingerprints; `finding` has another uuid then. */
  owner: KnownFinding | undefined
}

/** Result of comparing one reported finding by its uuid. */
export type UuidResult =
  | { kind: 'unknown'; finding: ImportedFinding }
  /** Stored by an import that did not finish, and invisible. */
  | { kind: 'leftover'; finding: ImportedFinding; findingId: number; isChanged: boolean }
  | { kind: 'known'; finding: ImportedFinding; decision: ObservedFinding }
  /** Matched by an earlier import, unless another entry of this report has the known finding's own uuid. */
  | { kind: 'matchedBefore'; finding: ImportedFinding; known: KnownFinding; isChanged: boolean }
  /** At the place of a known finding, but with other fingerprints. */
  | { kind: 'contested'; finding: ImportedFinding; owner: KnownFinding }

/** Returns the findings whose fingerprints must be compared with those of the known finding that has their uuid. */
export const listPossibleConflicts = (
  batch: readonly ImportedFinding[],
  known: ReadonlyMap<string, KnownFinding>,
): { finding: ImportedFinding; owner: KnownFinding }[] =>
  batch.flatMap((finding) => {
    const owner = known.get(finding.uuid)
    const mayDiffer = owner?.wasSeen && finding.fingerprints.length > 0 && owner.digest !== finding.digest
    return mayDiffer ? [{ finding, owner }] : []
  })

/**
 * Returns the known findings whose uuid a reported finding has although their fingerprints differ. Such uuids depend on
 * the place, so another flaw has moved to that place.
 */
export function selectConflicts(
  possible: readonly { finding: ImportedFinding; owner: KnownFinding }[],
  keys: ReadonlyMap<number, { anywhere: readonly string[] }>,
): Map<ImportedFinding, KnownFinding> {
  const conflicts = new Map<ImportedFinding, KnownFinding>()
  for (const { finding, owner } of possible) {
    const anywhere = keys.get(owner.id)?.anywhere ?? []
    if (haveSameFingerprint(fingerprintKeysOf(finding), anywhere) === false) conflicts.set(finding, owner)
  }
  return conflicts
}

/** Returns the uuid of a finding that shares its place with another one. */
export const disambiguatedUuidOf = ({ uuid, fingerprints }: ImportedFinding): string =>
  disambiguatedUuid(uuid, fingerprints)

/** Pairs reported findings with the stored ones of their uuids; findings with a conflict get another uuid. */
export const pairByUuid = (
  batch: readonly ImportedFinding[],
  known: ReadonlyMap<string, KnownFinding>,
  conflicts: ReadonlyMap<ImportedFinding, KnownFinding>,
  knownOfConflicts: ReadonlyMap<string, KnownFinding>,
): UuidPair[] =>
  batch.map((given) => {
    const owner = conflicts.get(given)
    if (!owner) return { finding: given, known: known.get(given.uuid), owner }
    const uuid = disambiguatedUuidOf(given)
    return { finding: renamed(given, uuid), known: knownOfConflicts.get(uuid), owner }
  })

/** Compares a reported finding with the stored one of its uuid. */
export function compareByUuid(place: ImportPlace, { finding, known, owner }: UuidPair): UuidResult {
  if (!known) return owner ? { kind: 'contested', finding, owner } : { kind: 'unknown', finding }
  const isChanged = known.digest !== finding.digest
  if (!known.isOwnUuid) return { kind: 'matchedBefore', finding, known, isChanged }
  if (!known.wasSeen) return { kind: 'leftover', finding, findingId: known.id, isChanged }
  return { kind: 'known', finding, decision: decideObserved(place, known, finding, { isChanged }) }
}

/** Returns true if the content of the report is needed later and must be staged. */
export function isStaged(result: UuidResult): boolean {
  if (result.kind === 'known') return result.decision.content !== undefined
  return result.kind === 'matchedBefore' || result.kind === 'contested'
}
