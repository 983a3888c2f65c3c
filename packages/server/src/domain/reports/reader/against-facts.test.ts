import { createReadStream, readFileSync } from 'node:fs'
import { gzipSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import {
  count,
  data,
  distinct,
  entries,
  entriesIn,
  type Facts,
  ourWords,
  type ReportEntry,
  scannersOf,
} from '../../../testing/models/report-facts.ts'
import type { Report } from '../formats/report.ts'
import { type ReadOptions, readWholeReport } from './read-report.ts'

const ofFormat = (...kinds: string[]) => entries.filter(({ kind }) => kinds.includes(kind))

const read = (entry: ReportEntry, options: Partial<ReadOptions> = {}) =>
  readWholeReport(() => createReadStream(new URL(entry.file, data), { highWaterMark: 10_000 }), {
    projectId: 42,
    ...options,
  })

async function readable(entry: ReportEntry, options: Partial<ReadOptions> = {}): Promise<Report> {
  const result = await read(entry, options)
  if ('problems' in result) throw new Error(`${entry.file}: ${JSON.stringify(result.problems.slice(0, 3))}`)
  return result.report
}

const ofAcceptedVersion = ({ file, facts }: ReportEntry) =>
  facts?.schema !== undefined && facts.schema.note === undefined && !file.endsWith('/duplicate-keys.json')
const isPacked = ({ file }: ReportEntry) => file.endsWith('/gzipped.json')

describe.skipIf(entries.length === 0)('the collected GitLab reports', () => {
  test('are 117 files', () => expect(ofFormat('gitlab')).toHaveLength(117))

  test.for(ofFormat('gitlab').filter(ofAcceptedVersion))(
    '$file passes strict validation exactly when its schema accepts it',
    async (entry) => {
      const result = await read(entry, { strict: true })
      expect({ valid: 'report' in result, read: 'problems' in result && result.problems }).toMatchObject({
        valid: entry.facts?.schema?.valid,
      })
    },
  )

  test.for(ofFormat('gitlab').filter((entry) => !ofAcceptedVersion(entry) && !isPacked(entry)))(
    '$file is rejected',
    async (entry) => {
      expect('report' in (await read(entry))).toBe(false)
    },
  )

  test.for(ofFormat('gitlab').filter((entry) => ofAcceptedVersion(entry) && entry.facts?.schema?.valid))(
    '$file has the expected counts',
    async (entry) => {
      const facts = entry.facts as Facts
      const report = await readable(entry)
      const { findings } = report
      expect(report.skipped).toEqual([])
      expect(report.counts.read).toBe(facts.vulnerabilities)
      expect(report.scan.status).toBe(facts.scan_status)
      expect(findings.filter(({ name }) => name === '')).toEqual([])
      if (report.counts.merged > 0) return
      expect({
        by_severity: count(findings.map(({ severity }) => severity)),
        by_confidence: count(findings.map(({ confidence }) => confidence)),
        by_scanner: count(findings.map(({ scanner }) => scanner.externalId)),
        distinct_primary_identifiers: distinct(findings.map(({ identifiers }) => identifiers[0].fingerprint)),
        distinct_by_scanner_identifier_location: distinct(
          findings.map(({ scanner, identifiers, locationFingerprint }) =>
            [scanner.externalId, identifiers[0].fingerprint, locationFingerprint].join(),
          ),
        ),
        with_cvss_vectors: findings.filter(({ cvss }) => cvss.length > 0).length,
        with_details: findings.filter(({ details }) => Object.keys(details).length > 0).length,
        with_flags: findings.filter(({ flags }) => flags.length > 0).length,
        with_evidence: findings.filter(({ evidence }) => evidence).length,
      }).toEqual({
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
    },
  )
})

describe.skipIf(entries.length === 0)('the collected reports of other formats', () => {
  const sarif = ofFormat('sarif').filter(({ facts }) => facts?.version === '2.1.0' && facts.results !== undefined)

  test('include 78 SARIF and 6 CycloneDX files', () =>
    expect([sarif.length, ofFormat('cyclonedx').length]).toEqual([78, 6]))

  test.for(sarif)('$file has the expected results and skipped entries', async (entry) => {
    const facts = entry.facts as Facts
    const { format, counts, skipped } = await readable(entry)
    expect(format).toBe('sarif')
    expect(counts.read).toBe(facts.results)
    const reasons = count(skipped.map(({ reason }) => reason))
    const passed = facts.by_kind?.pass ?? 0
    expect(reasons['it says that the check passed'] ?? 0).toBe(passed)
    expect(reasons['it says that the finding is not there any more'] ?? 0).toBe(facts.by_baseline_state?.absent ?? 0)
    expect(reasons['it is suppressed, and the suppression is accepted'] ?? 0).toBe(facts.suppressed_accepted)
  })

  test.for(ofFormat('sarif').filter((entry) => !sarif.includes(entry)))('$file is rejected', async (entry) => {
    expect('report' in (await read(entry))).toBe(false)
  })

  test.for([...sarif, ...ofFormat('cyclonedx')].filter(({ facts }) => facts?.schema?.valid))(
    '$file passes strict validation, as it passes the published schema',
    async (entry) => {
      await readable(entry, { strict: true })
    },
  )

  test('fail strict validation when the published schema rejects them', async () => {
    const invalid = [...sarif, ...ofFormat('cyclonedx')].filter(({ facts }) => facts?.schema?.valid === false)
    const accepted: string[] = []
    for (const entry of invalid) if ('report' in (await read(entry, { strict: true }))) accepted.push(entry.file)
    expect([invalid.length, accepted]).toEqual([10, []])
  })

  test.for(ofFormat('cyclonedx'))('$file has the expected components and analysis states', async (entry) => {
    const facts = entry.facts as Facts
    const { format, counts, skipped } = await readable(entry)
    expect(format).toBe('cyclonedx')
    const states = facts.by_analysis_state ?? {}
    const settled = skipped.filter(({ reason }) => reason.startsWith('its analysis says'))
    expect([counts.read, settled.length]).toEqual([
      entriesIn(entry),
      (states.not_affected ?? 0) + (states.false_positive ?? 0) + (states.resolved ?? 0),
    ])
  })

  test.for(ofFormat('trivy', 'grype', 'semgrep', 'gitleaks'))(
    '$file has the expected number of entries',
    async (entry) => {
      // What gitleaks writes when it finds nothing could be anything.
      const { format, counts } = await readable(
        entry,
        entry.kind === 'gitleaks' ? { reportType: 'secret_detection' } : {},
      )
      expect(format).toBe(entry.kind)
      expect(counts.read).toBe(entriesIn(entry))
    },
  )
})

describe.skipIf(entries.length === 0)('every collected report', () => {
  test.for(entries)('$file gives the same result compressed and in small chunks', async (entry) => {
    const bytes = readFileSync(new URL(entry.file, data))
    const options = { projectId: 42 }
    const whole = await readWholeReport(() => pieces(bytes, bytes.length || 1), options)
    const odd = isPacked(entry) ? bytes : gzipSync(bytes)
    expect(await readWholeReport(() => pieces(odd, 13), options)).toEqual(whole)
  })

  test.for(entries.filter(({ sane_outcome }) => sane_outcome))(
    '$file has the outcome: $sane_outcome',
    async (entry) => {
      const outcome = entry.sane_outcome ?? ''
      const strict = await read(entry, { strict: true })
      if (outcome.startsWith('refused') && !outcome.startsWith('refused, or')) {
        expect('problems' in strict && strict.problems.every(({ message }) => message !== '')).toBe(true)
      }
      const lenient = await read(entry)
      if ('problems' in lenient) {
        expect(outcome).toMatch(/^refused|or gitleaks/)
        for (const { type, message } of lenient.problems) expect([type, message]).not.toContain('')
        return
      }
      const { report } = lenient
      expect(report.counts.read).toBe(report.findings.length + report.counts.merged + report.counts.skipped)
      // Whatever strictness refuses is told of.
      if ('problems' in strict) expect(report.warnings.length + report.skipped.length).toBeGreaterThan(0)
      if (outcome.startsWith('accepted as a failed')) expect(report.scan.status).toBe('failure')
      if (outcome.includes('0 findings')) expect(report.counts.read).toBe(0)
    },
  )
})

async function* pieces(bytes: Buffer, size: number): AsyncGenerator<Buffer> {
  for (let start = 0; start < bytes.length; start += size) yield bytes.subarray(start, start + size)
}
