import { setImmediate } from 'node:timers/promises'
import { hashKey, type KeyHash, startKeyTable } from '../comparison/key-table.ts'
import type { MergedFinding, ReportFinding, Scanner } from './report.ts'

export interface Deduplicator {
  /** The finding that this one repeats; undefined when it is the first of its kind, which then stands for the rest. */
  winnerOf: (finding: ReportFinding) => MergedFinding | undefined
}

/**
 * Tells repeats as findings pass by: of several that are the same, the first stays; or those do not that are known to
 * lose, by their pointers and those of the winners.
 */
export function startDeduplication(losers?: ReadonlyMap<string, string>): Deduplicator {
  const table = startKeyTable()
  const pointers: string[] = []
  return {
    winnerOf(finding) {
      const { pointer, uuid, keys } = finding
      if (losers) {
        const into = losers.get(pointer)
        return into === undefined ? undefined : { pointer, uuid, into }
      }
      const hashes = keys.map(hashKey)
      for (const hash of hashes) {
        const winner = table.find(hash)
        if (winner !== undefined) return { pointer, uuid, into: pointers[winner] ?? '' }
      }
      // Only what is kept claims its keys: being like a repeat does not make a finding a repeat.
      const ordinal = pointers.push(pointer) - 1
      for (const hash of hashes) table.add(hash, ordinal)
      return undefined
    },
  }
}

export interface ScannerOrder {
  see: (finding: ReportFinding) => void
  /** Once all have been seen. */
  losers: () => Promise<ReadonlyMap<string, string>>
}

/** Of equal findings of several scanners, the one of the scanner that comes first stays. */
export function startScannerOrder(): ScannerOrder {
  const pointers: string[] = []
  // Of each finding, where its hashes end among all of them; and who found it.
  const ends: number[] = []
  const halves: number[] = []
  const ordinalsOf = new Map<Scanner, number[]>()
  return {
    see({ scanner, pointer, keys }) {
      const ordinal = pointers.push(pointer) - 1
      for (const key of keys) halves.push(...hashKey(key))
      ends.push(halves.length)
      const ordinals = ordinalsOf.get(scanner)
      if (ordinals) ordinals.push(ordinal)
      else ordinalsOf.set(scanner, [ordinal])
    },
    async losers() {
      const table = startKeyTable()
      const losers = new Map<string, string>()
      for (const scanner of [...ordinalsOf.keys()].sort(compareScanners)) {
        for (const ordinal of ordinalsOf.get(scanner) ?? []) {
          if (ordinal % 5000 === 0) await setImmediate()
          const hashes = pairsOf(halves, ends[ordinal - 1] ?? 0, ends[ordinal] ?? 0)
          const winner = hashes.map(table.find).find((known) => known !== undefined)
          if (winner === undefined) for (const hash of hashes) table.add(hash, ordinal)
          else losers.set(pointers[ordinal] ?? '', pointers[winner] ?? '')
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

/** Two findings of one type are the same when they share one of these. */
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

/** CWE and WASC name a kind of weakness: two different flaws in one place may share it. */
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
