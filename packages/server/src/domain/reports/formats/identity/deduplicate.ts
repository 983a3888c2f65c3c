import { startTimeSlice } from '../../../../platform/time-slice.ts'
import { hashKey, type KeyHash, startKeyTable } from '../../comparison/key-table.ts'
import type { MergedFinding, ReportFinding, Scanner } from '../report.ts'
import { startPointerList } from './pointer-list.ts'

export interface Deduplicator {
  /**
   * Returns the finding that this one duplicates, or undefined if it is the first of its kind. `keys` are the hashes of its
   * deduplication keys.
   */
  keptFor: (finding: Pick<ReportFinding, 'pointer' | 'uuid'>, keys: readonly KeyHash[]) => MergedFinding | undefined
}

/**
 * Detects duplicates in a stream of findings; the first of several equal findings stays. With `duplicates`, a map from
 * the pointers of known duplicates to those of the kept findings, that map decides.
 */
export function startDeduplication(duplicates?: ReadonlyMap<string, string>): Deduplicator {
  const table = startKeyTable()
  const pointers = startPointerList()
  return {
    keptFor({ pointer, uuid }, hashes) {
      if (duplicates) {
        const into = duplicates.get(pointer)
        return into === undefined ? undefined : { pointer, uuid, into }
      }
      for (const hash of hashes) {
        const winner = table.find(hash)
        if (winner !== undefined) return { pointer, uuid, into: pointers.at(winner) }
      }
      // Only a kept finding registers its keys: sharing a key with a duplicate does not make a finding a duplicate.
      const ordinal = pointers.push(pointer)
      for (const hash of hashes) table.add(hash, ordinal)
      return undefined
    },
  }
}

export interface ScannerOrder {
  add: (finding: ReportFinding) => void
  /** Returns the pointers of duplicates with those of the kept findings. Call it after the last finding. */
  duplicates: () => Promise<ReadonlyMap<string, string>>
}

/** Finds duplicates across scanners: the finding of the scanner with the best rank stays. */
export function startScannerOrder(): ScannerOrder {
  const pointers = startPointerList()
  // `ends` holds the end of each finding's hashes in `halves`.
  const ends: number[] = []
  const halves: number[] = []
  const ordinalsOf = new Map<Scanner, number[]>()
  return {
    add({ scanner, pointer, keys }) {
      const ordinal = pointers.push(pointer)
      for (const key of keys) halves.push(...hashKey(key))
      ends.push(halves.length)
      const ordinals = ordinalsOf.get(scanner)
      if (ordinals) ordinals.push(ordinal)
      else ordinalsOf.set(scanner, [ordinal])
    },
    async duplicates() {
      const table = startKeyTable()
      const losers = new Map<string, string>()
      const slice = startTimeSlice()
      for (const scanner of [...ordinalsOf.keys()].sort(compareScanners)) {
        for (const ordinal of ordinalsOf.get(scanner) ?? []) {
          if (slice.isOver()) await slice.next()
          const hashes = pairsOf(halves, ends[ordinal - 1] ?? 0, ends[ordinal] ?? 0)
          const winner = hashes.map(table.find).find((known) => known !== undefined)
          if (winner === undefined) for (const hash of hashes) table.add(hash, ordinal)
          else losers.set(pointers.at(ordinal), pointers.at(winner))
        }
      }
      return losers
    },
  }
}

function pairsOf(halves: readonly number[], start: number, end: number): KeyHash[] {
  const pairs: KeyHash[] = []
  for (let at = start; at < end; at += 2) pairs.push([halves[at] ?? 0, halves[at + 1] ?? 0])
  return pairs
}

/** Returns the deduplication keys of a finding. Two findings of one report type that share a key are duplicates. */
export function deduplicationKeys(
  uuid: string,
  identifiers: readonly { externalType: string; fingerprint: string }[],
  places: readonly string[],
): string[] {
  const keys = [uuid]
  for (const { externalType, fingerprint } of identifiers) {
    if (isWeaknessClass(externalType)) continue
    for (const place of places) keys.push(`${fingerprint}:${place}`)
  }
  return keys
}

/** Returns true for CWE and WASC, which name a class of weaknesses: two flaws in one place may share it. */
const isWeaknessClass = (externalType: string): boolean => /^(?:cwe|wasc)$/i.test(externalType)

function compareScanners(a: Scanner, b: Scanner): number {
  return (
    rank(a) - rank(b) ||
    compareText(a.externalId, b.externalId) ||
    compareText(a.name, b.name) ||
    compareText(a.vendor, b.vendor)
  )
}

const ranks = new Map([
  ['bundler_audit', 1],
  ['retire.js', 2],
  ['gemnasium', 3],
  ['gemnasium-maven', 3],
  ['gemnasium-python', 3],
  ['bandit', 1],
  ['spotbugs', 1],
  ['semgrep', 2],
])

const rank = (scanner: Scanner): number => ranks.get(scanner.externalId) ?? 99

const compareText = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)
