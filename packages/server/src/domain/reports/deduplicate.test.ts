import { expect, test } from 'vitest'
import { deduplicate, deduplicationKeys } from './deduplicate.ts'
import type { ReportFinding, Scanner } from './report.ts'

const scanner = (externalId: string): Scanner => ({ externalId, name: externalId, vendor: 'V', version: undefined })
const acme = scanner('acme')

function finding(pointer: string, keys: string[], by = acme): ReportFinding {
  return { pointer, uuid: `uuid-${pointer}`, keys, scanner: by } as ReportFinding
}

test('of two findings that share a key, the first in the file stays', () => {
  const { kept, merged } = deduplicate([finding('/0', ['a', 'b']), finding('/1', ['c']), finding('/2', ['b', 'd'])])
  expect(kept.map(({ pointer }) => pointer)).toEqual(['/0', '/1'])
  expect(merged).toEqual([{ pointer: '/2', uuid: 'uuid-/2', into: '/0' }])
})

test('being like a repeat does not make a finding a repeat', () => {
  const { kept } = deduplicate([finding('/0', ['a']), finding('/1', ['a', 'b']), finding('/2', ['b'])])
  expect(kept.map(({ pointer }) => pointer)).toEqual(['/0', '/2'])
})

test('the scanner with the better rank stays, wherever it stands; what stays keeps its order', () => {
  const { kept, merged } = deduplicate([
    finding('/0', ['a'], scanner('zzz')),
    finding('/1', ['b'], scanner('semgrep')),
    finding('/2', ['b'], scanner('bandit')),
    finding('/3', ['a'], scanner('aaa')),
  ])
  expect(kept.map(({ pointer }) => pointer)).toEqual(['/2', '/3'])
  expect(merged.map(({ pointer, into }) => [pointer, into])).toEqual([
    ['/0', '/3'],
    ['/1', '/2'],
  ])
})

test('keys pair every identifier with every place, but weakness classes with none', () => {
  const identifiers = [
    { externalType: 'CWE', fingerprint: 'w' },
    { externalType: 'cve', fingerprint: 'c' },
    { externalType: 'wasc', fingerprint: 'x' },
  ]
  expect(deduplicationKeys('u', identifiers, ['p', 'hash:q'])).toEqual(['u', 'c:p', 'c:hash:q'])
})
