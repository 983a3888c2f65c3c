import { createReadStream } from 'node:fs'
import { expect, test } from 'vitest'
import { asFile, readAccepted } from '../../../../testing/reports/read-report-file.ts'

const fixture = () => createReadStream(new URL('./fixtures/site.json', import.meta.url))
test('an alert is a finding for each path, method and parameter', async () => {
  const report = await readAccepted(fixture, { strict: true })
  expect(report).toMatchObject({ version: '2.16.0', reportType: 'dast', counts: { read: 4, merged: 1, skipped: 1 } })
  expect(report.findings).toMatchObject([
    {
      pointer: '/site/0/alerts/0/instances/0',
      name: 'SQL Injection',
      description: 'A query may be changed.\n\nData can be read.',
      solution: 'Bind the values.',
      severity: 'high',
      confidence: 'medium',
      location: { hostname: 'https://shop.example.com', path: '/search', method: 'GET', param: 'q' },
      evidence: { summary: 'syntax error' },
      links: [{ url: 'https://example.com/a' }, { url: 'https://example.com/b' }],
      identifiers: [
        { externalType: 'ZAProxy_PluginId', externalId: '40018', name: 'SQL Injection' },
        { externalType: 'cwe', externalId: '89' },
      ],
    },
    { location: { path: '/orders', method: 'POST', param: 'id' }, evidence: undefined },
  ])
  expect(JSON.parse(report.findings[1]?.rawMetadata ?? '')).toMatchObject({
    pluginid: '40018',
    instances: [{ uri: 'https://shop.example.com/orders' }],
  })
})

test('a false positive is skipped, and nothing is kept because of it', async () => {
  const { skipped, gaps } = await readAccepted(fixture)
  expect(skipped).toEqual([{ pointer: '/site/0/alerts/1', reason: 'it was marked as a false positive in ZAP' }])
  expect(gaps).toEqual([])
})

test('a report without sites or with an alert without addresses makes nothing absent', async () => {
  expect((await readAccepted(asFile({ '@version': '2.16.0', site: [] }))).gaps).toMatchObject([
    { reason: 'it names no site that was scanned' },
  ])
  const alert = { pluginid: '1', riskcode: '1', instances: [] }
  expect((await readAccepted(asFile({ '@version': '2.16.0', site: [{ alerts: [alert] }] }))).gaps).toMatchObject([
    { reason: 'an entry cannot be read (it names no address)' },
  ])
})
