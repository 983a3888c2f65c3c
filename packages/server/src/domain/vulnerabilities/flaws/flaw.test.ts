import { describe, expect, test } from 'vitest'
import { type FlawFinding, flawOf, keyOfFlaw } from './flaw.ts'

const usual: FlawFinding = {
  projectId: 1,
  uuid: 'u',
  reportType: 'sast',
  packageKey: null,
  packageName: null,
  location: { file: 'src/app.ts', start_line: 7 },
  identifiers: [
    { externalType: 'semgrep_id', externalId: 'rule-1' },
    { externalType: 'cwe', externalId: '79' },
  ],
}
const cve = { externalType: 'cve', externalId: 'CVE-2021-44228' }
const ghsa = { externalType: 'ghsa', externalId: 'GHSA-jfh8-c2jp-5v3q' }
const keyOf = (finding: Partial<FlawFinding>, canonical = new Map<string, string>()) =>
  keyOfFlaw(flawOf({ ...usual, ...finding }, canonical))

describe('flawOf', () => {
  test('joins scanners and projects by vulnerability and package', () => {
    const first = { packageKey: 'pkg:npm/log4js', packageName: 'log4js', identifiers: [cve] }
    const second = { ...first, projectId: 2, uuid: 'v', location: { file: 'x' }, identifiers: [ghsa, cve] }
    expect(keyOf(second)).toBe(keyOf(first))
    expect(keyOf({ ...first, packageKey: 'pkg:npm/other' })).not.toBe(keyOf(first))
    const alone = { ...first, identifiers: [ghsa] }
    expect(keyOf(alone)).not.toBe(keyOf(first))
    expect(keyOf(alone, new Map([['GHSA-JFH8-C2JP-5V3Q', 'CVE-2021-44228']]))).toBe(keyOf(first))
  })

  test('joins code by weakness, file and line within a project', () => {
    const other = { uuid: 'v', identifiers: [{ externalType: 'cwe', externalId: 'CWE-79' }] }
    expect(keyOf(other)).toBe(keyOf({}))
    expect(keyOf({ ...other, identifiers: [{ externalType: 'cwe', externalId: '80' }] })).toBe(keyOf({}))
    expect(keyOf({ location: { file: './src/app.ts', start_line: 7, end_line: 9 } })).toBe(keyOf({}))
    const others = [
      { projectId: 2 },
      { location: { file: 'src/app.ts', start_line: 8 } },
      { location: { file: 'src/b.ts', start_line: 7 } },
      { identifiers: [{ externalType: 'cwe', externalId: '89' }] },
    ]
    for (const different of others) expect(keyOf(different)).not.toBe(keyOf({}))
  })

  test('joins secrets of a line whatever rule found them', () => {
    const secret = { reportType: 'secret_detection', identifiers: [{ externalType: 'gitleaks', externalId: 'aws' }] }
    expect(keyOf({ ...secret, identifiers: [{ externalType: 'trufflehog', externalId: 'AWS' }] })).toBe(keyOf(secret))
  })

  test('leaves a finding without a place alone', () => {
    expect(keyOf({ location: {} })).not.toBe(keyOf({ location: {}, uuid: 'v' }))
    expect(Number.isSafeInteger(keyOf({ location: {} }))).toBe(true)
  })
})
