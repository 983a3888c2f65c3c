import { hash } from 'node:crypto'
import { beforeAll, expect, test } from 'vitest'
import { onSqlite } from '../../../testing/databases/database.ts'
import { sastReport } from '../../../testing/reports/reports.ts'
import { startServer, type TestProject, type TestServer } from '../../../testing/server.ts'

let server: TestServer
beforeAll(async () => {
  server = await startServer()
})

let projects = 0

const onMain = 'registry.example.com/app/main:latest'
const onBranch = 'registry.example.com/app/feature:latest'

function entry(image: string, packageName = 'openssl', imageOnMain?: string) {
  return {
    id: `${image} ${packageName}`,
    severity: 'High',
    identifiers: [{ type: 'cve', name: 'CVE-2099-0001', value: 'CVE-2099-0001' }],
    location: {
      image,
      operating_system: 'alpine:3.19',
      dependency: { package: { name: packageName }, version: '1.0' },
      ...(imageOnMain && { default_branch_image: imageOnMain }),
    },
  }
}

function send(project: TestProject, entries: object[], fields: Record<string, string> = {}) {
  const { scan, ...report } = sastReport(entries, 'trivy')
  return server.report(
    project,
    { ...report, scan: { ...scan, type: 'container_scanning' } },
    { promote: 'false', ...fields },
  )
}

const findings = async (project: TestProject, ref: string) =>
  (await server.admin.get(`/projects/${project.id}/vulnerability_findings?ref=${ref}`)).body

test.runIf(onSqlite)('findings of an image built on a branch match those of the default branch’s image', async () => {
  const project = await server.project('acme/branch-image')
  await send(project, [entry(onMain)])
  const ofBranch = [entry(onBranch, 'openssl', onMain), entry(onBranch, 'zlib', onMain)]
  const dryRun = await send(project, ofBranch, { ref: 'feature', dry_run: 'true' })
  const sent = await send(project, ofBranch, { ref: 'feature' })
  expect(sent.findings).toMatchObject({ read: 2, known: 1, new: 1 })
  expect(dryRun.findings).toEqual(sent.findings)

  const [known] = await findings(project, 'main')
  const [first, second] = await findings(project, 'feature')
  expect(first.uuid).toBe(known.uuid)
  // Findings that only the branch has keep their uuid after the merge.
  expect(second.location).toMatchObject({ image: onBranch, default_branch_image: onMain })
  expect((await send(project, [entry(onMain), entry(onMain, 'zlib')])).findings).toMatchObject({ known: 2, new: 0 })
  const place = hash('sha1', 'registry.example.com/app/main:zlib')
  await server.admin.post(`/projects/${project.id}/vulnerabilities?finding_id=${second.id}`)
  const [vulnerability] = (await server.admin.get(`/projects/${project.id}/vulnerabilities`)).body
  expect(vulnerability.finding).toMatchObject({ uuid: second.uuid, location_fingerprint: place })
})

test.for([
  ['the image has no findings', []],
  ['only another image has findings', [entry('registry.example.com/app:latest')]],
  ['only another branch has findings of it', [entry(onMain)], 'other'],
] as const)('findings of an image built on a branch are new when %s', async ([, before, ref = 'main']) => {
  const project = await server.project(`acme/branch-image-${++projects}`)
  await send(project, [...before], { ref })
  await send(project, [entry(onBranch, 'openssl', onMain)], { ref: 'feature' })
  expect((await send(project, [entry(onMain, 'openssl')])).findings.new).toBe(ref === 'main' ? 1 : 0)
  expect((await send(project, [entry(onBranch, 'openssl')])).findings).toMatchObject({ known: 1, new: 0 })
})

test.runIf(onSqlite)('default_branch_image is ignored on the default branch', async () => {
  const project = await server.project('acme/default-image')
  await send(project, [entry(onMain)])
  expect((await send(project, [entry(onBranch, 'openssl', onMain)])).findings).toMatchObject({ new: 1, gone: 0 })
})
