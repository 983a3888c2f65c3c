import { existsSync, readFileSync, statSync } from 'node:fs'
import { testEngine } from '../databases/database.ts'

// Facts about many real and hostile reports, counted without this server. They are stored beside the repository, if at all.
export const data = new URL('../../../../../../shared/data/', import.meta.url)

export interface ReportEntry {
  file: string
  kind: string
  sane_outcome?: string
  facts?: Facts
}

export type Counts = Record<string, number>

export interface Facts {
  version?: unknown
  schema?: { valid: boolean; note?: string }
  scan_status?: string
  scan_scanner?: { id: string }
  vulnerabilities?: number
  by_severity?: Counts
  by_confidence?: Counts
  by_scanner?: Counts
  identifiers: number
  distinct_identifiers: number
  distinct_primary_identifiers: number
  most_identifiers_on_one: number
  distinct_by_scanner_identifier_location: number
  with_cvss_vectors: number
  with_details: number
  with_flags: number
  with_evidence: number
  results?: number
  by_kind?: Counts
  by_baseline_state?: Counts
  suppressed_accepted?: number
  vulnerability_component_pairs?: number
  by_analysis_state?: Counts
  misconfigurations?: number
  secrets?: number
  matches?: number
  findings?: number
  distinct_rules?: number
}

const formats = ['gitlab', 'sarif', 'cyclonedx', 'trivy', 'grype', 'semgrep', 'gitleaks']
/** All reports with their facts. Empty when the collection is absent. */
export const entries: ReportEntry[] = existsSync(data)
  ? JSON.parse(readFileSync(new URL('expected.json', data), 'utf8')).files.filter(({ kind }: ReportEntry) =>
      formats.includes(kind),
    )
  : []

/**
 * Returns true when the engine under test imports the file. Large reports test how they are read, which does not depend on
 * the engine; PostgreSQL imports thousands of findings in `far-pages.db.test.ts`.
 */
export function isImportedHere({ file }: ReportEntry): boolean {
  return testEngine === 'sqlite' || statSync(new URL(file, data)).size < 100_000
}

export function count(words: readonly string[]): Counts {
  const counts: Counts = {}
  for (const word of words) counts[word] = (counts[word] ?? 0) + 1
  return counts
}

/** Returns counts by scanner; those of the scan when the facts read a field that schema 15.x does not have. */
export function scannersOf({ by_scanner = {}, scan_scanner }: Facts): Counts {
  const { '(absent)': absent, ...named } = by_scanner
  return absent ? { ...named, [scan_scanner?.id ?? '']: absent } : named
}

export const distinct = (values: readonly string[]): number => new Set(values).size

export function ourWords(counts: Counts = {}): Counts {
  const ours: Counts = {}
  for (const [word, amount] of Object.entries(counts)) {
    const our = word === '(absent)' ? 'unknown' : word.toLowerCase()
    ours[our] = (ours[our] ?? 0) + amount
  }
  return ours
}

/** Returns the number of entries in the file. */
export function entriesIn({ kind, facts }: ReportEntry): number | undefined {
  const { vulnerabilities = 0, misconfigurations = 0, secrets = 0, matches, results, findings } = facts ?? {}
  if (kind === 'cyclonedx') return Math.max(facts?.vulnerability_component_pairs ?? 0, vulnerabilities)
  return matches ?? results ?? findings ?? vulnerabilities + misconfigurations + secrets
}
