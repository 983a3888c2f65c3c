import type { MergedFinding, ReportFinding, Scanner } from './report.ts'

/**
 * Keeps one of the findings that are the same: the one of the scanner that comes first, and within one scanner the one
 * that stands first in the file. What is kept stays in the order of the file.
 */
export function deduplicate(findings: readonly ReportFinding[]): { kept: ReportFinding[]; merged: MergedFinding[] } {
  const known = new Map<string, ReportFinding>()
  const intoOf = new Map<ReportFinding, ReportFinding>()
  for (const finding of inScannerOrder(findings)) {
    const first = finding.keys.find((key) => known.has(key))
    const winner = first === undefined ? undefined : known.get(first)
    if (winner) intoOf.set(finding, winner)
    // Only what is kept claims its keys: being like a repeat does not make a finding a repeat.
    else for (const key of finding.keys) known.set(key, finding)
  }

  const kept: ReportFinding[] = []
  const merged: MergedFinding[] = []
  for (const finding of findings) {
    const winner = intoOf.get(finding)
    if (winner) merged.push({ pointer: finding.pointer, uuid: finding.uuid, into: winner.pointer })
    else kept.push(finding)
  }
  return { kept, merged }
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

function inScannerOrder(findings: readonly ReportFinding[]): readonly ReportFinding[] {
  const first = findings[0]?.scanner
  if (findings.every(({ scanner }) => scanner === first)) return findings
  // Sorting is stable, so the place in the file decides last.
  return findings.toSorted((a, b) => compareScanners(a.scanner, b.scanner))
}

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
