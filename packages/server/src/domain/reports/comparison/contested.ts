import type { Db } from '../../../db/db.ts'
import { listFingerprintKeys } from '../../findings/findings.ts'
import type { KnownFinding } from '../../findings/known-finding.ts'
import { type FingerprintKey, haveSameFingerprint } from '../formats/identity/result-fingerprints.ts'
import { fingerprintKeysOf } from './finding-keys.ts'
import type { ImportedFinding } from './imported-finding.ts'
import { hashKey, startKeyTable } from './key-table.ts'

/**
 * Returns the known findings whose uuid a reported finding has although their fingerprints differ. Such uuids depend on
 * the place, so another flaw has moved to that place.
 */
export async function findContested(
  db: Db,
  batch: readonly ImportedFinding[],
  known: ReadonlyMap<string, KnownFinding>,
): Promise<Map<ImportedFinding, KnownFinding>> {
  const contested = new Map<ImportedFinding, KnownFinding>()
  const pairs = batch.flatMap((finding) => {
    const owner = known.get(finding.uuid)
    const mayDiffer = owner?.wasSeen && finding.fingerprints.length > 0 && owner.digest !== finding.digest
    return mayDiffer ? [{ finding, owner }] : []
  })
  if (pairs.length === 0) return contested
  const keys = await listFingerprintKeys(
    db,
    pairs.map(({ owner }) => owner.id),
  )
  for (const { finding, owner } of pairs) {
    const { anywhere } = keys.get(owner.id) ?? { anywhere: [] }
    if (haveSameFingerprint(fingerprintKeysOf(finding), anywhere) === false) contested.set(finding, owner)
  }
  return contested
}

/** Records which fingerprints occur more than once in a report. */
export interface Repeats {
  addAll: (keys: readonly FingerprintKey[]) => void
  isRepeated: (key: string) => boolean
}

export function startRepeats(): Repeats {
  const [once, again] = [startKeyTable(), startKeyTable()]
  return {
    addAll(keys) {
      for (const { inFile, anywhere } of keys) {
        for (const hash of [inFile, anywhere].map(hashKey)) {
          if (once.find(hash) === undefined) once.add(hash, 0)
          else again.add(hash, 0)
        }
      }
    },
    isRepeated: (key) => again.find(hashKey(key)) !== undefined,
  }
}
