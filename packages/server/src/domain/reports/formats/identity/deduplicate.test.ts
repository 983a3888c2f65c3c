import { expect, test } from 'vitest'
import { hashKey, startKeyTable } from '../../comparison/key-table.ts'
import type { MergedFinding, ReportFinding, Scanner } from '../report.ts'
import { deduplicationKeys, startDeduplication, startScannerOrder } from './deduplicate.ts'

const scanner = (externalId: string): Scanner => ({ externalId, name: externalId, vendor: 'V', version: undefined })
const acme = scanner('acme')

function finding(pointer: string, keys: string[], by = acme): ReportFinding {
  return { pointer, uuid: `uuid-${pointer}`, keys, scanner: by } as ReportFinding
}

async function deduplicate(findings: ReportFinding[], isMixed = false) {
  const order = isMixed ? startScannerOrder() : undefined
  for (const finding of findings) order?.add(finding)
  const { keptFor } = startDeduplication(await order?.duplicates())
  const kept: ReportFinding[] = []
  const merged: MergedFinding[] = []
  for (const finding of findings) {
    const repeat = keptFor(finding, finding.keys.map(hashKey))
    if (repeat) merged.push(repeat)
    else kept.push(finding)
  }
  return { kept, merged }
}

test('the first of two findings that share a key is kept', async () => {
  const { kept, merged } = await deduplicate([
    finding('/0', ['a', 'b']),
    finding('/1', ['c']),
    finding('/2', ['b', 'd']),
  ])
  expect(kept.map(({ pointer }) => pointer)).toEqual(['/0', '/1'])
  expect(merged).toEqual([{ pointer: '/2', uuid: 'uuid-/2', into: '/0' }])
})

test('a finding is no duplicate of a duplicate that was dropped', async () => {
  const { kept } = await deduplicate([finding('/0', ['a']), finding('/1', ['a', 'b']), finding('/2', ['b'])])
  expect(kept.map(({ pointer }) => pointer)).toEqual(['/0', '/2'])
})

test('the finding of the scanner with the better rank is kept, in its original order', async () => {
  const [zzz, semgrep, bandit, aaa] = ['zzz', 'semgrep', 'bandit', 'aaa'].map(scanner)
  const findings = [
    finding('/0', ['a'], zzz),
    finding('/1', ['b'], semgrep),
    finding('/2', ['b'], bandit),
    finding('/3', ['a'], aaa),
  ]
  const { kept, merged } = await deduplicate(findings, true)
  expect(kept.map(({ pointer }) => pointer)).toEqual(['/2', '/3'])
  expect(merged.map(({ pointer, into }) => [pointer, into])).toEqual([
    ['/0', '/3'],
    ['/1', '/2'],
  ])
})

test('keys combine every identifier with every location, except weakness classes', () => {
  const identifiers = [
    { externalType: 'CWE', fingerprint: 'w' },
    { externalType: 'cve', fingerprint: 'c' },
    { externalType: 'wasc', fingerprint: 'x' },
  ]
  expect(deduplicationKeys('u', identifiers, ['p', 'hash:q'])).toEqual(['u', 'c:p', 'c:hash:q'])
})

test('the key table distinguishes 100,000 keys', () => {
  const table = startKeyTable()
  const find = (index: number) => table.find(hashKey(`key-${index}`))
  for (let index = 0; index < 100_000; index++) table.add(hashKey(`key-${index}`), index)
  const all = Array.from({ length: 200_000 }, (_, index) => index)
  expect(all.filter((index) => find(index) !== (index < 100_000 ? index : undefined))).toEqual([])
  table.add(hashKey('key-7'), 1)
  expect(find(7)).toBe(7)
})
