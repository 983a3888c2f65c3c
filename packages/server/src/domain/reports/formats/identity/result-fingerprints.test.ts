import { describe, expect, test } from 'vitest'
import { chooseFingerprints, fingerprintKeys, haveSameFingerprint, pairByFingerprint } from './result-fingerprints.ts'

/** Fingerprints by name. */
type Values = Readonly<Record<string, string>>

const place = { scanner: 'codeql', rule: 'rule', file: 'src/app.c' }
const keysOf = (given: Values, file = place.file) =>
  fingerprintKeys(chooseFingerprints(Object.entries(given).map(([name, value]) => ({ name, value }))), {
    ...place,
    file,
  })
const knownKeys = (given: Values, file = place.file) => {
  const keys = keysOf(given, file)
  return { inFile: keys.map(({ inFile }) => inFile), anywhere: keys.map(({ anywhere }) => anywhere) }
}

test('placeholders, short values and shared facts are no fingerprints, and the highest version comes first', () => {
  const given = {
    'matchBasedId/v1': 'requires login',
    primaryLocationStartColumnFingerprint: '12345678',
    commitSha: '0123456789abcdef',
    column: '4',
    zeros: '0000000000000000',
    'context/v1': 'aaaaaaaabbbbbbbb',
    'context/v2': 'ccccccccdddddddd',
    primaryLocationLineHash: '39fa2ee980eb94b0:1',
  }
  const chosen = chooseFingerprints(Object.entries(given).map(([name, value]) => ({ name, value })))
  expect(chosen.map(({ name }) => name)).toEqual(['context/v2', 'context/v1', 'primaryLocationLineHash'])
})

describe('two results', () => {
  test.for<{ reported: Values; known: Values; same: boolean | undefined }>([
    { reported: { 'a/v1': 'value-one' }, known: { 'a/v1': 'value-one' }, same: true },
    { reported: { 'a/v1': 'value-one' }, known: { 'a/v1': 'value-two' }, same: false },
    { reported: { 'a/v1': 'value-one' }, known: { 'b/v1': 'value-one' }, same: undefined },
    { reported: { 'a/v1': 'value-one' }, known: {}, same: undefined },
    // The newer version decides.
    {
      reported: { 'a/v1': 'value-one', 'a/v2': 'value-two' },
      known: { 'a/v1': 'value-one', 'a/v2': 'other-one' },
      same: false,
    },
    { reported: { 'a/v1': 'value-one', 'a/v2': 'value-two' }, known: { 'a/v1': 'value-one' }, same: true },
    { reported: { a: 'value-one', b: 'value-two' }, known: { a: 'value-six', b: 'value-two' }, same: true },
  ])('with $reported and $known have the same fingerprint: $same', ({ reported, known, same }) => {
    expect(haveSameFingerprint(keysOf(reported), knownKeys(known).anywhere)).toBe(same)
  })
})

describe('fingerprint pairs', () => {
  const reported = (given: Values, file?: string) => ({
    reportType: 'sast',
    fingerprints: keysOf(given, file),
  })
  const known = (id: number, given: Values, more: { wasPresent?: boolean | undefined; file?: string } = {}) => {
    const { wasPresent = true, file } = more
    return { id, reportType: 'sast', wasPresent, ...knownKeys(given, file), staysInFile: false }
  }
  const never = () => false
  const ids = (pairs: readonly { known: { id: number } }[]) => pairs.map((pair) => pair.known.id)

  test('prefer the same file to other files', () => {
    const given = { hash: 'same-hash-of-a-line' }
    const both = [known(1, given, { file: 'other.c' }), known(2, given)]
    expect(ids(pairByFingerprint([reported(given)], both, never))).toEqual([2])
    expect(ids(pairByFingerprint([reported(given)], both.slice(0, 1), never))).toEqual([1])
  })

  test('require a fingerprint that is unique on both sides', () => {
    const given = { hash: 'same-hash-of-a-line' }
    expect(pairByFingerprint([reported(given)], [known(1, given), known(2, given)], never)).toEqual([])
    expect(pairByFingerprint([reported(given)], [known(1, given)], () => true)).toEqual([])
  })

  test('prefer findings that are present on the ref to absent ones', () => {
    const given = { hash: 'same-hash-of-a-line' }
    const all = [known(1, given, { wasPresent: false }), known(2, given), known(3, given, { wasPresent: false })]
    expect(ids(pairByFingerprint([reported(given)], all, never))).toEqual([2])
  })
})
