import { createReadStream } from 'node:fs'
import { expect, test } from 'vitest'
import { asFile, readAccepted } from '../../../../testing/reports/read-report-file.ts'

const fixture = () => createReadStream(new URL('./fixtures/matches.json', import.meta.url))

test('a match is read with its template, its ids and its address', async () => {
  const { reportType, findings } = await readAccepted(fixture)
  expect(reportType).toBe('dast')
  expect(findings[0]).toMatchObject({
    name: 'Example Shop - Path Traversal',
    description: 'Files outside of the folder can be read.',
    solution: 'Upgrade to 2.0.',
    severity: 'high',
    location: { hostname: 'https://shop.example.com', path: '/files', method: '', param: '' },
    links: [{ url: 'https://example.com/advisories/1' }],
    identifiers: [
      { externalType: 'nuclei_template_id', externalId: 'example-cve-2099-0001' },
      { externalType: 'cve', externalId: 'CVE-2099-0001' },
      { externalType: 'cwe', externalId: '22' },
    ],
  })
})

test('matchers of one template are findings of their own, and an address may be a host with a port', async () => {
  const { findings, counts } = await readAccepted(fixture)
  expect(counts).toEqual({ read: 4, merged: 0, skipped: 0 })
  expect(findings.slice(1)).toMatchObject([
    { severity: 'info', location: { path: '/', param: 'strict-transport-security' } },
    { severity: 'info', location: { path: '/', param: 'content-security-policy' } },
    { severity: 'unknown', location: { path: 'db.example.com:5432' } },
  ])
})

test('a match without an address or template keeps what is known', async () => {
  const entries = [
    { 'template-id': 'a', info: {} },
    { 'template-id': '', info: {}, host: 'shop.example.com' },
  ]
  const { gaps, skipped } = await readAccepted(asFile(entries))
  expect(skipped).toEqual([{ pointer: '/1', reason: 'it has no identifier' }])
  expect(gaps.map(({ reason }) => reason)).toContain('an entry cannot be read (it has no identifier)')
})
