import sql from 'sql-template-tag'
import { beforeAll, describe, expect, test } from 'vitest'
import { entry, sastReport } from '../../../testing/reports/reports.ts'
import { startServer, type TestProject, type TestServer } from '../../../testing/server.ts'

let server: TestServer
beforeAll(async () => {
  server = await startServer()
})

type Write = (artifact: string, packages: readonly string[]) => object

const trivy: Write = (artifact, packages) => ({
  SchemaVersion: 2,
  ArtifactName: artifact,
  ArtifactType: 'container_image',
  Results: [
    {
      Target: `${artifact} (debian 12)`,
      Class: 'os-pkgs',
      Type: 'debian',
      Vulnerabilities: packages.map((name) => ({
        VulnerabilityID: 'CVE-2099-0001',
        PkgName: name,
        InstalledVersion: '1.0',
        Severity: 'HIGH',
      })),
    },
  ],
})

/** Returns Trivy's report of a folder, where equal packages of two folders are one finding. */
const trivyOfFiles: Write = (artifact, packages) => ({
  SchemaVersion: 2,
  ArtifactName: artifact,
  ArtifactType: 'filesystem',
  Results: [
    {
      Target: 'package-lock.json',
      Class: 'lang-pkgs',
      Type: 'npm',
      Vulnerabilities: packages.map((name) => ({
        VulnerabilityID: 'CVE-2099-0001',
        PkgName: name,
        InstalledVersion: '1.0',
        Severity: 'HIGH',
      })),
    },
  ],
})

const cyclonedx: Write = (artifact, packages) => ({
  bomFormat: 'CycloneDX',
  specVersion: '1.6',
  version: 1,
  metadata: { tools: [{ name: 'scan' }], component: { type: 'container', name: artifact } },
  components: packages.map((name) => ({ type: 'library', 'bom-ref': name, name, version: '1.0' })),
  vulnerabilities: packages.map((name) => ({ id: 'CVE-2099-0001', affects: [{ ref: name }] })),
})

const grype: Write = (artifact, packages) => ({
  descriptor: { name: 'grype', version: '0.90.0', db: { status: { valid: true } } },
  source: { type: 'image', target: { userInput: artifact } },
  matches: packages.map((name) => ({
    vulnerability: { id: 'CVE-2099-0001', severity: 'High' },
    artifact: { name, version: '1.0', locations: [] },
  })),
})

const gitlab: Write = (artifact, packages) => {
  const report = sastReport(
    packages.map((name) => ({
      ...entry({ rule: `rule-${name}` }),
      location: { image: artifact, operating_system: 'debian', dependency: { package: { name }, version: '1.0' } },
    })),
  )
  report.scan.type = 'container_scanning'
  return report
}

const writers: Record<string, Write> = { Trivy: trivy, CycloneDX: cyclonedx, Grype: grype, GitLab: gitlab }

let projects = 0

async function freshProject(): Promise<TestProject> {
  const project = await server.project(`acme/artifacts-${++projects}`)
  await server.admin.put(`/projects/${project.id}`, { auto_resolve_vulnerabilities: true })
  return project
}

interface Warning {
  type: string
  message: string
}

const warningsOf = ({ warnings }: { warnings: Warning[] }): string[] =>
  warnings.filter(({ type }) => type === 'OtherArtifact').map(({ message }) => message)

async function countsOf(project: TestProject) {
  const vulnerabilities = await server.admin.get(`/projects/${project.id}/vulnerabilities?per_page=100`)
  const present = await server.admin.get(`/projects/${project.id}/vulnerability_findings?scope=all&per_page=100`)
  const isOver = (one: { state: string; resolved_on_default_branch: boolean }) =>
    one.state === 'resolved' || one.resolved_on_default_branch
  return { present: present.body.length, resolved: vulnerabilities.body.filter(isOver).length }
}

const api = ['openssl', 'zlib', 'curl']
const web = ['nginx', 'zlib']

describe('reports of two artifacts without a category', () => {
  test.for(Object.keys(writers))('of %s make nothing absent, and warn with the artifacts’ names', async (name) => {
    const write = writers[name] as Write
    const project = await freshProject()
    expect(warningsOf(await server.report(project, write('registry:5000/api:first', api)))).toEqual([])
    const message = (own: string, other: string) =>
      `The report is about registry:5000/${own}. Missing findings that were last reported for registry:5000/${other} keep their state. Send the reports of each with a \`category\` of its own.`
    // Versions are excluded: as on GitLab, a package in another version of an image is another finding.
    for (const tag of ['first', 'second', 'third']) {
      for (const [own, other, packages] of [
        ['web', 'api (3)', web],
        ['api', 'web (2)', api],
      ] as const) {
        const report = write(`registry:5000/${own}:${tag}`, packages)
        const dryRun = await server.report(project, report, { dry_run: 'true' })
        const done = await server.report(project, report)
        expect(done.findings).toMatchObject({ gone: 0, returned: 0, moved: 0 })
        expect(warningsOf(done)).toEqual([message(own, other)])
        expect([dryRun.findings, dryRun.warnings]).toEqual([done.findings, done.warnings])
        expect(await countsOf(project)).toEqual({ present: 5, resolved: 0 })
      }
    }
    // Findings that the newest report of their artifact does not contain are absent.
    expect((await server.report(project, write('registry:5000/web:last', ['nginx']))).findings).toMatchObject({
      gone: 1,
      known: 1,
    })
    expect((await server.report(project, write('registry:5000/api:last', ['curl']))).findings).toMatchObject({
      gone: 2,
      known: 1,
    })
    expect(await countsOf(project)).toEqual({ present: 2, resolved: 3 })
  })

  test('assign a shared finding to its newest report', async () => {
    const project = await freshProject()
    await server.report(project, trivyOfFiles('services/api', ['shared', 'a']))
    expect(warningsOf(await server.report(project, trivyOfFiles('services/web', ['shared', 'b'])))).toHaveLength(1)
    expect((await server.report(project, trivyOfFiles('services/api', ['a']))).findings).toMatchObject({
      gone: 0,
      known: 1,
    })
    expect((await server.report(project, trivyOfFiles('services/web', ['b']))).findings).toMatchObject({
      gone: 1,
      known: 1,
    })
    expect(await countsOf(project)).toEqual({ present: 2, resolved: 1 })
  })

  test('do not match a finding as moved while the other artifact still has it at its location', async () => {
    const project = await freshProject()
    const write = (artifact: string, line: number) => ({
      SchemaVersion: 2,
      ArtifactName: artifact,
      ArtifactType: 'filesystem',
      Results: [
        {
          Target: 'main.tf',
          Class: 'config',
          Type: 'terraform',
          Misconfigurations: [
            {
              ID: 'AVD-AWS-0001',
              Title: 'Open bucket',
              Status: 'FAIL',
              Severity: 'HIGH',
              CauseMetadata: {
                StartLine: line,
                EndLine: line,
                Code: { Lines: [{ Content: 'acl = "public-read" # of everything' }] },
              },
            },
          ],
        },
      ],
    })
    await server.report(project, write('modules/a', 1))
    expect((await server.report(project, write('modules/b', 9))).findings).toMatchObject({ new: 1, moved: 0, gone: 0 })
    expect((await server.report(project, write('modules/b', 12))).findings).toMatchObject({ new: 0, moved: 1, gone: 0 })
    expect((await server.report(project, write('modules/a', 1))).findings).toMatchObject({
      known: 1,
      moved: 0,
      gone: 0,
    })
  })

  test('are compared within their ref only', async () => {
    const project = await freshProject()
    await server.report(project, trivy('api:main', api))
    expect(warningsOf(await server.report(project, trivy('web:main', web), { ref: 'feature' }))).toEqual([])
    expect((await server.report(project, trivy('api:latest', ['curl']))).findings).toMatchObject({ gone: 2 })
  })

  test('name at most five artifacts in the warning', async () => {
    const project = await freshProject()
    for (let number = 1; number <= 7; number++) await server.report(project, trivy(`image-${number}:1`, ['zlib']))
    expect(warningsOf(await server.report(project, trivy('image-8:1', ['zlib'])))).toEqual([
      expect.stringContaining('image-1 (1), image-2 (1), image-3 (1), image-4 (1), image-5 (1) and 2 more keep'),
    ])
  })
})

describe('a report covers everything on the ref', () => {
  test.for([
    ['app:1.2.3', 'app:1.2.4'],
    ['registry:5000/app:1', `registry:5000/app@sha256:${'0'.repeat(64)}`],
    ['/builds/0/team/app', '/builds/1/team/app'],
  ] as const)('when its artifact is the same: %s, %s', async ([first, second]) => {
    const project = await freshProject()
    await server.report(project, trivyOfFiles(first, api))
    const done = await server.report(project, trivyOfFiles(second, ['curl']))
    expect([done.findings.gone, warningsOf(done)]).toEqual([2, []])
  })

  test('when it names several images', async () => {
    const project = await freshProject()
    const both = gitlab('api:1', ['openssl']) as ReturnType<typeof sastReport>
    both.vulnerabilities.push(...(gitlab('web:1', web) as ReturnType<typeof sastReport>).vulnerabilities)
    await server.report(project, gitlab('api:1', api))
    const done = await server.report(project, both)
    expect([done.findings.gone, warningsOf(done)]).toEqual([2, []])
    expect((await server.report(project, gitlab('web:1', web))).findings).toMatchObject({ gone: 1, known: 2 })
  })

  test('when its format names no artifact', async () => {
    const project = await freshProject()
    await server.report(project, sastReport([entry({ file: 'a.ts' })]))
    const done = await server.report(project, sastReport([entry({ file: 'b.ts', rule: 'other' })]))
    expect([done.findings.gone, warningsOf(done)]).toEqual([1, []])
  })

  test('when the previous import has no stored artifact', async () => {
    const project = await freshProject()
    await server.report(project, trivy('api:1', api))
    await server.deps.db.run(sql`update imports set artifact = null where project_id = ${project.id}`)
    const done = await server.report(project, trivy('web:1', web))
    expect([done.findings.gone, warningsOf(done)]).toEqual([3, []])
    expect(warningsOf(await server.report(project, trivy('api:1', api)))).toHaveLength(1)
  })

  test('when the missing findings belong to categories', async () => {
    const project = await freshProject()
    await server.report(project, trivy('api:1', api), { category: 'api' })
    const other = await server.report(project, trivy('web:1', web), { category: 'web' })
    expect([other.findings.gone, warningsOf(other)]).toEqual([0, []])
    expect((await server.report(project, trivy('web:1', ['curl']), { category: 'api' })).findings).toMatchObject({
      gone: 3,
    })
    const whole = await server.report(project, trivy('db:1', ['zlib']))
    expect([whole.findings.gone, warningsOf(whole)]).toEqual([3, []])
  })
})

test('a report with a category makes its category’s findings of another artifact absent', async () => {
  const project = await freshProject()
  await server.report(project, trivy('api:1', api))
  await server.report(project, trivy('api:1', api), { category: 'images' })
  const done = await server.report(project, trivy('web:1', web), { category: 'images' })
  expect([done.findings.gone, warningsOf(done)]).toEqual([3, []])
})

test('reports of two folders that name no artifact warn that they have nothing in common', async () => {
  const project = await freshProject()
  const of = (folder: string, count: number) =>
    Array.from({ length: count }, (_, index) => entry({ file: `${folder}/${index}.py`, rule: `${folder} ${index}` }))
  const send = async (entries: object[], fields = {}) =>
    (await server.report(project, entries, fields)).warnings.filter(({ type }: Warning) => type === 'NothingInCommon')
  expect(await send(of('api', 3))).toEqual([])
  const [warning, ...others] = await send(of('web', 3))
  expect(others).toEqual([])
  expect(warning.message).toMatch(/^None of the findings.*: 3 are absent now.*`category`/)
  // What was fixed and found since the last report is not a sign of another folder.
  expect(await send([...of('web', 1), ...of('api', 3)])).toEqual([])
  expect(await send([...of('docs', 2)])).toEqual([])
})
