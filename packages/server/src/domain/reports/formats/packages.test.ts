import { createReadStream } from 'node:fs'
import { expect, test } from 'vitest'
import { asFile, readAccepted } from '../../../testing/reports/read-report-file.ts'
import { packageOf, packageOfStored } from './finding-package.ts'
import type { Report } from './report.ts'

const readFixture = (path: string) => readAccepted(() => createReadStream(new URL(path, import.meta.url)))
const urlsOf = ({ findings }: Report) => findings.map((finding) => packageOf(finding)?.url)

test.each([
  ['./dependency-check/fixtures/project.json', 0, 'pkg:maven/org.example/parser@1.2.0'],
  ['./cyclonedx/fixtures/bom-1.6.json', 2, 'pkg:npm/%40scope/thing@2.0.0'],
  ['./osv-scanner/fixtures/lock-files.json', 0, 'pkg:npm/example-parser@1.2.0'],
  ['./snyk/fixtures/project.json', 0, 'pkg:npm/example-parser@1.2.0'],
])('a finding of %s has the URL of its package', async (path, index, url) => {
  expect(urlsOf(await readFixture(path))[index]).toBe(url)
})

const gitlabReport = (type: string, location: object) =>
  asFile({
    version: '15.2.1',
    scan: {
      analyzer: { id: 'a', name: 'A', version: '1', vendor: { name: 'V' } },
      scanner: { id: 's', name: 'S', version: '1', vendor: { name: 'V' } },
      type,
      status: 'success',
      start_time: '2026-01-31T08:15:30',
      end_time: '2026-01-31T08:16:30',
    },
    vulnerabilities: [{ id: '1', identifiers: [{ type: 'cve', name: 'CVE-2099-1', value: 'CVE-2099-1' }], location }],
  })

test.each([
  ['Gemfile.lock', 'rack', '2.0', 'pkg:gem/rack@2.0'],
  ['web/package-lock.json', '@acme/core', '1', 'pkg:npm/%40acme/core@1'],
  ['pom.xml', 'org.acme/core', '1', 'pkg:maven/org.acme/core@1'],
  ['go.sum', 'github.com/acme/lib', '1.2.3', 'pkg:golang/github.com/acme/lib@v1.2.3'],
  ['App.csproj', 'Acme.Core', '1', 'pkg:nuget/Acme.Core@1'],
  // Maven has no packages without a group, and the ecosystem of other files is unknown.
  ['pom.xml', 'core', '1', undefined],
  ['inventory.txt', 'core', '1', undefined],
])('the ecosystem of a dependency in %s follows from the name of the file', async (file, name, version, url) => {
  const report = await readAccepted(
    gitlabReport('dependency_scanning', { file, dependency: { package: { name }, version } }),
  )
  expect(urlsOf(report)).toEqual([url])
})

test('a package of an image has no URL, because its ecosystem is unknown, but a name', async () => {
  const dependency = { package: { name: 'openssl' }, version: '1' }
  const location = { image: 'a:1', operating_system: 'debian:12', dependency }
  const { findings } = await readAccepted(gitlabReport('container_scanning', location))
  expect(findings.map(packageOf)).toEqual([{ url: undefined, key: undefined, name: 'openssl' }])
})

const grypeReport = (purl?: string) =>
  asFile({
    matches: [
      {
        vulnerability: { id: 'CVE-2099-1', severity: 'High' },
        artifact: { name: 'lodash', version: '4', locations: [{ path: 'package-lock.json' }], ...(purl && { purl }) },
      },
    ],
    source: { type: 'directory', target: '.' },
    descriptor: { name: 'grype', version: '0.90.0' },
  })
const trivyReport = (entry: object, type = 'npm') =>
  asFile({
    SchemaVersion: 2,
    ArtifactName: '.',
    Results: [
      {
        Target: 'lock',
        Type: type,
        Vulnerabilities: [{ VulnerabilityID: 'CVE-2099-1', PkgName: 'lodash', InstalledVersion: '4', ...entry }],
      },
    ],
  })

test('Grype and Trivy state package URLs; an older report of Trivy states the ecosystem', async () => {
  expect(urlsOf(await readAccepted(grypeReport('pkg:npm/lodash@4')))).toEqual(['pkg:npm/lodash@4'])
  expect(urlsOf(await readAccepted(grypeReport()))).toEqual(['pkg:npm/lodash@4'])
  expect(urlsOf(await readAccepted(grypeReport('pkg:broken')))).toEqual([undefined])
  expect(urlsOf(await readAccepted(trivyReport({ PkgIdentifier: { PURL: 'pkg:npm/lodash@4?a=b' } })))).toEqual([
    'pkg:npm/lodash@4?a=b',
  ])
  expect(urlsOf(await readAccepted(trivyReport({})))).toEqual(['pkg:npm/lodash@4'])
  expect(urlsOf(await readAccepted(trivyReport({}, 'debian')))).toEqual([undefined])
})

test.each([
  [{ package: 'pkg:npm/lodash@4', file: 'a.txt' }, 'pkg:npm/lodash@4'],
  [{ package: 'rack', version: '2', file: 'Gemfile.lock' }, 'pkg:gem/rack@2'],
  [{ package: 'rack', version: '2', file: 'list.txt' }, undefined],
])('a generic entry with %j has the package URL %s', async (fields, url) => {
  const findings = [{ title: 'Flaw', severity: 'high', ...fields }]
  expect(urlsOf(await readAccepted(asFile({ format: 'generic', findings })))).toEqual([url])
})

test('a package URL does not change the uuid of a finding', async () => {
  const [without, stated] = await Promise.all(
    [grypeReport('pkg:broken'), grypeReport('pkg:npm/lodash@4')].map((file) => readAccepted(file)),
  )
  expect(stated?.findings[0]?.package).toBe('pkg:npm/lodash@4')
  expect(stated?.findings[0]?.uuid).toBe(without?.findings[0]?.uuid)
})

test.each([
  './cyclonedx/fixtures/bom-1.6.json',
  './gitlab/fixtures/dependency-14.json',
  './gitlab/fixtures/container-14.json',
  './grype/fixtures/directory.json',
  './osv-scanner/fixtures/lock-files.json',
  './trivy/fixtures/image.json',
  './snyk/fixtures/project.json',
])('the stored findings of %s have the same packages, unless the report states them elsewhere', async (path) => {
  const { findings } = await readFixture(path)
  for (const [id, finding] of findings.entries()) {
    const { location, rawMetadata, isPackageDigested } = finding
    const read = packageOf(finding)
    const derived = packageOfStored({ id, location, rawMetadata })
    expect(derived?.name).toBe(read?.name)
    if (derived?.url !== undefined || !isPackageDigested) expect(derived).toEqual(read)
  }
})
