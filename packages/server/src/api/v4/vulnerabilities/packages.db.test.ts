import sql from 'sql-template-tag'
import { beforeAll, expect, test } from 'vitest'
import { enqueue } from '../../../domain/jobs/job.ts'
import type { Client } from '../../../testing/client.ts'
import { startServer, type TestProject, type TestServer } from '../../../testing/server.ts'

let server: TestServer
let project: TestProject
let other: TestProject

const vulnerability = (name: string, version: string, purl?: string) => ({
  VulnerabilityID: `CVE-2099-${name.length}`,
  Severity: 'HIGH',
  Title: `Flaw in ${name} ${version}`,
  PkgName: name,
  InstalledVersion: version,
  ...(purl && { PkgIdentifier: { PURL: purl } }),
})
const report = (...vulnerabilities: object[]) =>
  JSON.stringify({
    SchemaVersion: 2,
    ArtifactName: 'shop',
    ArtifactType: 'container_image',
    Results: [{ Target: 'shop (debian 12)', Class: 'os-pkgs', Type: 'debian', Vulnerabilities: vulnerabilities }],
  })

beforeAll(async () => {
  server = await startServer()
  project = await server.project('acme/shop')
  other = await server.project('acme/site')
  await server.report(
    project,
    report(
      vulnerability('openssl', '3.0.1', 'pkg:deb/debian/openssl@3.0.1?arch=amd64'),
      vulnerability('@acme/core', '1.0.0', 'pkg:npm/%40acme/core@1.0.0'),
      vulnerability('org.acme:core', '2.0'),
    ),
  )
  await server.report(other, report(vulnerability('openssl', '3.0.2', 'pkg:deb/debian/openssl@3.0.2')))
})

const titles = async (path: string, packages: string[], client: Client = server.admin) => {
  const query = packages.map((text) => `package[]=${encodeURIComponent(text)}`).join('&')
  const { status, body } = await client.get(`${path}?${query}&sort=detected_asc`)
  expect(status).toBe(200)
  return body.map(({ title, name }: { title?: string; name: string }) => title ?? name)
}

test('a vulnerability and its finding have the package URL in canonical form', async () => {
  const { body: vulnerabilities } = await server.admin.get(`/projects/${project.id}/vulnerabilities?sort=detected_asc`)
  const { body: findings } = await server.admin.get(`/projects/${project.id}/vulnerability_findings`)
  const urls = ['pkg:deb/debian/openssl@3.0.1?arch=amd64', 'pkg:npm/%40acme/core@1.0.0', null]
  expect(vulnerabilities.map(({ finding }: { finding: { package_url: string } }) => finding.package_url)).toEqual(urls)
  expect(findings.map((finding: { package_url: string }) => finding.package_url)).toEqual(urls)
})

test.each([
  [['pkg:deb/debian/openssl'], ['Flaw in openssl 3.0.1']],
  [['pkg:deb/debian/openssl@3.0.1'], ['Flaw in openssl 3.0.1']],
  [['pkg:deb/debian/openssl@3.0'], []],
  [['OpenSSL'], ['Flaw in openssl 3.0.1']],
  [['core'], ['Flaw in @acme/core 1.0.0', 'Flaw in org.acme:core 2.0']],
  [['@acme/core'], ['Flaw in @acme/core 1.0.0']],
  [['org.acme:core'], ['Flaw in org.acme:core 2.0']],
  [
    ['openssl', 'pkg:npm/@acme/core'],
    ['Flaw in openssl 3.0.1', 'Flaw in @acme/core 1.0.0'],
  ],
])('the filter %j finds its packages in a project', async (packages, expected) => {
  expect(await titles(`/projects/${project.id}/vulnerabilities`, packages)).toEqual(expected)
  expect(await titles(`/projects/${project.id}/vulnerability_findings`, packages)).toEqual(expected)
})

test('lists of groups and of the instance find a package in every project, and only in those that may be read', async () => {
  const both = ['Flaw in openssl 3.0.1', 'Flaw in openssl 3.0.2']
  expect(await titles('/groups/acme/vulnerabilities', ['openssl'])).toEqual(both)
  expect(await titles('/vulnerabilities', ['pkg:deb/debian/openssl'])).toEqual(both)
  const developer = await server.as('developer', other)
  expect(await titles('/vulnerabilities', ['openssl'], developer)).toEqual(both.slice(1))
})

test('an invalid package URL is rejected', async () => {
  const { status, body } = await server.admin.get(`/projects/${project.id}/vulnerabilities?package=pkg:npm`)
  expect([status, body]).toEqual([400, { error: 'package is not a valid package URL: pkg:npm' }])
})

test.each(['json', 'sarif', 'csv'])('an export as %s contains the package URLs', async (format) => {
  const path = '/security/vulnerability_exports'
  const { body } = await server.admin.post(`/security/projects/${project.id}/vulnerability_exports`, {
    export_format: format,
  })
  await server.runJobs()
  const { text } = await server.admin.get(`${path}/${body.id}/download`)
  expect(text).toContain('pkg:npm/%40acme/core@1.0.0')
})

test('a job computes the packages of findings that were stored before', async () => {
  const { db } = server.deps
  const packages = () => db.all(sql`select id, package_url, package_key, package_name from findings order by id`)
  const before = await packages()
  await db.run(sql`update findings set package_url = null, package_key = null, package_name = null`)
  expect(await titles('/vulnerabilities', ['openssl'])).toEqual([])

  await enqueue(server.deps, { kind: 'package-urls', key: 'package-urls', payload: {} })
  await server.runJobs()
  expect(await packages()).toEqual(before)
  expect(await titles('/vulnerabilities', ['openssl'])).toHaveLength(2)
})
