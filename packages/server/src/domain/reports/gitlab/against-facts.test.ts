import { existsSync, readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { parseReportJson } from '../json.ts'
import { readReport } from '../read-report.ts'
import type { Report } from '../report.ts'
import { decodeText } from '../text.ts'
import { readGitlabReport } from './read.ts'

// Facts about many real and hostile reports, counted without this server; they lie beside the project, if anywhere.
const data = new URL('../../../../../../../shared/data/', import.meta.url)

interface Entry {
  file: string
  kind: string
  sane_outcome?: string
  facts?: Facts
}

interface Facts {
  version?: unknown
  scan_status?: string
  scan_scanner?: { id: string }
  vulnerabilities?: number
  by_severity?: Record<string, number>
  by_confidence?: Record<string, number>
  by_scanner?: Record<string, number>
  identifiers: number
  distinct_identifiers: number
  distinct_primary_identifiers: number
  most_identifiers_on_one: number
  distinct_by_scanner_identifier_location: number
  with_cvss_vectors: number
  with_details: number
  with_flags: number
  with_evidence: number
  without_name_and_message: number
  schema?: { valid: boolean; note?: string }
}

const entries: Entry[] = existsSync(data)
  ? JSON.parse(readFileSync(new URL('expected.json', data), 'utf8')).files.filter(
      (file: Entry) => file.kind === 'gitlab',
    )
  : []
const readBytes = (entry: Entry) => readFileSync(new URL(entry.file, data))
const ofAcceptedVersion = ({ facts }: Entry) => facts?.schema !== undefined && facts.schema.note === undefined

describe.skipIf(entries.length === 0)('every GitLab report of the collection', () => {
  test('there are 117', () => expect(entries).toHaveLength(117))

  test.for(entries.filter(ofAcceptedVersion))('$file is accepted exactly when its schema accepts it', async (entry) => {
    const read = await readReport(readBytes(entry), { projectId: 42 })
    expect({ valid: 'report' in read, read: 'problems' in read && read.problems }).toMatchObject({
      valid: entry.facts?.schema?.valid,
    })
  })

  test.for(entries.filter((entry) => !ofAcceptedVersion(entry)))('$file is refused', async (entry) => {
    const read = await readReport(readBytes(entry), { projectId: 42 })
    const outcome = 'report' in read ? 'read' : 'refused'
    expect(outcome).toBe('refused')
  })

  test.for(entries.filter((entry) => ofAcceptedVersion(entry) && entry.facts?.schema?.valid))(
    '$file is read as it was counted',
    async (entry) => {
      const facts = entry.facts as Facts
      const report = await readWithRepeats(entry)
      const { findings } = report
      expect(report.skipped).toEqual([])
      expect({
        vulnerabilities: findings.length,
        scan_status: report.scan.status,
        by_severity: count(findings.map(({ severity }) => severity)),
        by_confidence: count(findings.map(({ confidence }) => confidence)),
        by_scanner: count(findings.map(({ scanner }) => scanner.externalId)),
        distinct_primary_identifiers: distinct(findings.map(({ identifiers }) => identifiers[0].fingerprint)),
        distinct_by_scanner_identifier_location: distinct(
          findings.map((finding) => {
            const { scanner, identifiers, locationFingerprint } = finding
            return [scanner.externalId, identifiers[0].fingerprint, locationFingerprint].join()
          }),
        ),
        with_cvss_vectors: findings.filter(({ cvss }) => cvss.length > 0).length,
        with_details: findings.filter(({ details }) => Object.keys(details).length > 0).length,
        with_flags: findings.filter(({ flags }) => flags.length > 0).length,
        with_evidence: findings.filter(({ evidence }) => evidence).length,
      }).toEqual({
        vulnerabilities: facts.vulnerabilities,
        scan_status: facts.scan_status,
        by_severity: ourWords(facts.by_severity),
        by_confidence: ourWords(facts.by_confidence),
        by_scanner: scannersOf(facts),
        distinct_primary_identifiers: facts.distinct_primary_identifiers,
        distinct_by_scanner_identifier_location: facts.distinct_by_scanner_identifier_location,
        with_cvss_vectors: facts.with_cvss_vectors,
        with_details: facts.with_details,
        with_flags: facts.with_flags,
        with_evidence: facts.with_evidence,
      })
      if (facts.most_identifiers_on_one <= 20) {
        const all = findings.flatMap(({ identifiers }) => identifiers.map(({ fingerprint }) => fingerprint))
        expect([all.length, distinct(all)]).toEqual([facts.identifiers, facts.distinct_identifiers])
      }
      expect(findings.filter(({ name }) => name === '')).toEqual([])
      expect(distinct(findings.map(({ uuid }) => uuid))).toBeLessThanOrEqual(findings.length)
    },
  )

  test.for(entries.filter(({ sane_outcome }) => sane_outcome))('$file: $sane_outcome', async (entry) => {
    const read = await readReport(readBytes(entry), { projectId: 42 })
    const outcome = entry.sane_outcome ?? ''
    expect(await readReport(readBytes(entry), { projectId: 42 })).toEqual(read)
    if ('problems' in read) {
      expect(outcome).toMatch(/^refused/)
      for (const { type, message } of read.problems) expect([type, message]).not.toContain('')
    } else {
      expect(outcome).toMatch(/^imported|^accepted|^refused, or/)
      expect(read.report.counts.read).toBe(read.report.findings.length + read.report.merged.length)
      if (outcome.startsWith('accepted as a failed')) expect(read.report.scan.status).toBe('failure')
    }
  })
})

/** The report before repeats are merged. */
async function readWithRepeats(entry: Entry): Promise<Report> {
  const read = await readGitlabReport(parseReportJson(decodeText(readBytes(entry))), { projectId: 42 })
  if ('problems' in read) throw new Error(JSON.stringify(read.problems))
  return read.report
}

function count(words: readonly string[]): Record<string, number> {
  const counts: Record<string, number> = {}
  for (const word of words) counts[word] = (counts[word] ?? 0) + 1
  return counts
}

/** Where the facts looked at a scanner that 15.x does not have at this place, the scan's counts. */
function scannersOf({ by_scanner = {}, scan_scanner }: Facts): Record<string, number> {
  const { '(absent)': absent, ...named } = by_scanner
  return absent ? { ...named, [scan_scanner?.id ?? '']: absent } : named
}

const distinct = (values: readonly string[]): number => new Set(values).size

function ourWords(counts: Record<string, number> = {}): Record<string, number> {
  const ours: Record<string, number> = {}
  for (const [word, amount] of Object.entries(counts)) {
    const our = word === '(absent)' ? 'unknown' : word.toLowerCase()
    ours[our] = (ours[our] ?? 0) + amount
  }
  return ours
}
