import { createReadStream } from 'node:fs'
import { expect, test } from 'vitest'
import { asFile, readAccepted } from '../../../../testing/reports/read-report-file.ts'

const fixture = () => createReadStream(new URL('./fixtures/results.json', import.meta.url))
test('a result is read with its test, its weakness and its lines', async () => {
  const { findings, scannedFiles, scan } = await readAccepted(fixture, { strict: true })
  expect(findings).toMatchObject([
    {
      reportType: 'sast',
      name: 'A subprocess is started with a shell.',
      severity: 'high',
      confidence: 'high',
      scanner: { externalId: 'bandit', name: 'Bandit' },
      location: { file: 'app/run.py', start_line: 12, end_line: 13 },
      codeExtract: 'def start(name):\n    subprocess.run(name,\n                   shell=True)\n',
      links: [{ url: 'https://bandit.example.com/b602.html' }],
    },
    { severity: 'unknown', confidence: 'unknown', location: { file: 'app/db.py', start_line: 3, end_line: 3 } },
  ])
  expect(findings[0]?.identifiers).toMatchObject([
    { externalType: 'bandit_test_id', externalId: 'B602', name: 'Bandit Test ID B602' },
    { externalType: 'cwe', externalId: '78' },
  ])
  expect(scannedFiles).toBe(2)
  expect(scan.endTime).toBe('2026-03-01T10:00:00.000Z')
})

test('findings in a file that could not be scanned keep their state', async () => {
  const { gaps, warnings } = await readAccepted(fixture)
  expect(gaps).toMatchObject([{ file: 'app/broken.py', reason: 'a file could not be scanned' }])
  expect(warnings.map(({ message }) => message)).toEqual([
    'The scanner warns: ./app/broken.py: syntax error while parsing AST from file',
  ])
})

test('a scan of no file makes nothing absent', async () => {
  const empty = { errors: [], generated_at: '2026-03-01T10:00:00Z', metrics: { _totals: {} }, results: [] }
  expect((await readAccepted(asFile(empty))).gaps).toMatchObject([{ reason: 'no file was scanned' }])
  const scanned = { ...empty, metrics: { _totals: {}, 'a.py': {} } }
  expect((await readAccepted(asFile(scanned))).gaps).toEqual([])
})
