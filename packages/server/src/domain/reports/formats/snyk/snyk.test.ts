import { createReadStream } from 'node:fs'
import { expect, test } from 'vitest'
import { asFile, readAccepted } from '../../../../testing/reports/read-report-file.ts'

const fixture = () => createReadStream(new URL('./fixtures/project.json', import.meta.url))
const vulnerability = { id: 'SNYK-JS-A-1', title: 'Injection', severity: 'low', packageName: 'a', version: '1.0.0' }
const project = { dependencyCount: 1, packageManager: 'npm', displayTargetFile: 'package-lock.json' }

test('a vulnerability is read with its package, its fixes and its ids', async () => {
  const { findings, artifact } = await readAccepted(fixture, { strict: true })
  expect(findings).toMatchObject([
    {
      reportType: 'dependency_scanning',
      name: 'Uncontrolled recursion in example-parser',
      solution: 'Upgrade example-parser to 1.2.1 or 2.0.3',
      severity: 'high',
      location: { file: 'package-lock.json', dependency: { package: { name: 'example-parser' }, version: '1.2.0' } },
      links: [{ name: 'Advisory', url: 'https://example.com/advisories/1' }],
      cvss: [{ vendor: 'Snyk', vector: 'CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:N/I:N/A:H' }],
    },
  ])
  expect(findings[0]?.identifiers.map(({ externalType, externalId }) => `${externalType}:${externalId}`)).toEqual([
    'snyk:SNYK-JS-EXAMPLEPARSER-100001',
    'cve:CVE-2099-0001',
    'ghsa:GHSA-aaaa-bbbb-cccc',
    'cwe:674',
  ])
  expect(artifact).toBe('shop')
})

test('several paths to one package are one finding; licences and ignored ones are skipped', async () => {
  const { counts, skipped, gaps } = await readAccepted(fixture)
  expect(counts).toEqual({ read: 4, merged: 1, skipped: 2 })
  expect(skipped).toEqual([
    { pointer: '/vulnerabilities/2', reason: 'it is a licence, not a vulnerability' },
    { pointer: '/filtered/ignore/0', reason: 'a rule of the scanner’s configuration ignores it' },
  ])
  expect(gaps).toEqual([])
})

test('a list of projects is read with the file of each', async () => {
  const other = { ...project, displayTargetFile: 'web/package-lock.json', vulnerabilities: [vulnerability] }
  const { findings } = await readAccepted(asFile([{ ...project, vulnerabilities: [vulnerability] }, other]))
  expect(findings.map(({ location }) => location.file)).toEqual(['package-lock.json', 'web/package-lock.json'])
})

test('a list with a project that could not be tested makes nothing absent', async () => {
  const failed = { ok: false, error: 'no lock file', path: '/src' }
  const { findings, gaps } = await readAccepted(asFile([{ ...project, vulnerabilities: [vulnerability] }, failed]))
  expect(findings).toHaveLength(1)
  expect(gaps).toMatchObject([{ reason: 'a project could not be tested', pointer: '/1' }])
})

test('a test of an image is read as container scanning', async () => {
  const image = {
    ...{ dependencyCount: 90, packageManager: 'deb', projectName: 'docker-image|registry.example.com/shop' },
    docker: { os: { prettyName: 'Debian GNU/Linux 12' } },
    vulnerabilities: [vulnerability],
  }
  const { reportType, findings, artifact } = await readAccepted(asFile(image))
  expect(reportType).toBe('container_scanning')
  expect(findings[0]?.location).toMatchObject({
    image: 'registry.example.com/shop',
    operating_system: 'Debian GNU/Linux 12',
  })
  expect(artifact).toBe('registry.example.com/shop')
})
