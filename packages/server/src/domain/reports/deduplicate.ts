import { startKeyTable } from './key-table.ts'
import type { MergedFinding, ReportFinding, Scanner } from './report.ts'

export interface Deduplicator {
  /** The finding that this one repeats; undefined when it is the first of its kind, which then stands for the rest. */
  winnerOf: (finding: ReportFinding) => MergedFinding | undefined
}

/**
 * Tells repeats as findings pass by: of several that are the same, the first stays. Where findings of several scanners
 * are mixed, `order` must have seen all of them before.
 */
export function startDeduplication(order?: ScannerOrder): Deduplicator {
  const table = startKeyTable()
  const pointers: string[] = []
  const losers = order?.losers()
  return {
    winnerOf(finding) {
      const { pointer, uuid, keys } = finding
      if (losers) {
        const into = losers.get(pointer)
        return into === undefined ? undefined : { pointer, uuid, into }
      }
      for (const key of keys) {
        const winner = table.find(key)
        if (winner !== undefined) return { pointer, uuid, into: pointers[winner] ?? '' }
      }
      // Only what is kept claims its keys: being like a repeat does not make a finding a repeat.
      const ordinal = pointers.push(pointer) - 1
      for (const key of keys) table.add(key, ordinal)
      return undefined
    },
  }
}

export interface ScannerOrder {
  see: (finding: ReportFinding) => void
  losers: () => Map<string, string>
}

/** Of equal findings of several scanners, the one of the scanner that comes first stays. */
export function startScannerOrder(): ScannerOrder {
  const byScanner = new Map<Scanner, { pointer: string; keys: string[] }[]>()
  return {
    see({ scanner, pointer, keys }) {
      const list = byScanner.get(scanner)
      if (list) list.push({ pointer, keys })
      else byScanner.set(scanner, [{ pointer, keys }])
    },
    losers() {
      const table = startKeyTable()
      const pointers: string[] = []
      const losers = new Map<string, string>()
      for (const scanner of [...byScanner.keys()].sort(compareScanners)) {
        for (const { pointer, keys } of byScanner.get(scanner) ?? []) {
          const winner = keys.map(table.find).find((ordinal) => ordinal !== undefined)
          if (winner !== undefined) losers.set(pointer, pointers[winner] ?? '')
          else {
            const ordinal = pointers.push(pointer) - 1
            for (const key of keys) table.add(key, ordinal)
          }
        }
      }
      return losers
    },
  }
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
