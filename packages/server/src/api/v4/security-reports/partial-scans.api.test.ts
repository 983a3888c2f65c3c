import { beforeAll, describe, expect, test } from 'vitest'
import { entry, sastReport } from '../../../testing/reports/reports.ts'
import { startServer, type TestProject, type TestServer } from '../../../testing/server.ts'

let server: TestServer
beforeAll(async () => {
  server = await startServer()
})

async function resolvingProject(): Promise<TestProject> {
  const project = await server.project(`acme/p${++projects}`, { maxAbsentPercent: null })
  await server.admin.put(`/projects/${project.id}`, { auto_resolve_vulnerabilities: true })
  return project
}
let projects = 0

async function listOpen(project: TestProject): Promise<number> {
  const { body } = await server.admin.get(`/projects/${project.id}/vulnerabilities?state=detected`)
  return body.length
}

const files = (count: number) => Array.from({ length: count }, (_, index) => `src/${index}.py`)

/** Returns a Semgrep report about these scanned files with one result in each file of `found`. */
const semgrep = (scanned: readonly string[], found: readonly string[]) => ({
  version: '1.100.0',
  errors: [],
  paths: { scanned },
  results: found.map((path) => ({
    check_id: 'rules.hash',
    path,
    start: { line: 1, col: 1 },
    end: { line: 1, col: 9 },
    extra: { message: 'Weak hash', severity: 'ERROR' },
  })),
})

const fewerFiles =
  'The report is incomplete: 1 files were scanned, and 10 by the last complete scan; send partial=false if this scan is complete. Missing findings keep their state.'

describe('a Semgrep report of changed files only', () => {
  test('makes nothing absent and warns, every time it is sent', async () => {
    const project = await resolvingProject()
    await server.report(project, semgrep(files(10), files(3)))
    for (const found of [[], ['src/9.py']]) {
      const report = semgrep(['src/9.py'], found)
      const dryRun = await server.report(project, report, { dry_run: 'true' })
      const done = await server.report(project, report)
      expect(done).toMatchObject({ findings: { gone: 0 } })
      expect(done.warnings).toContainEqual({ type: 'Incomplete', message: fewerFiles, pointer: '/paths/scanned' })
      expect([dryRun.findings, dryRun.warnings]).toEqual([done.findings, done.warnings])
    }
    expect(await listOpen(project)).toBe(4)
    // A deleted file is not scanned.
    expect(await server.report(project, semgrep(files(10).slice(1), files(3).slice(1)))).toMatchObject({
      findings: { gone: 2 },
    })
  })

  test('covers its category when its sender sets partial=false', async () => {
    const project = await resolvingProject()
    await server.report(project, semgrep(files(10), files(3)))
    expect(await server.report(project, semgrep(['src/0.py'], []), { partial: 'false' })).toMatchObject({
      findings: { gone: 3 },
    })
    await server.report(project, semgrep(['src/0.py'], ['src/0.py']))
    expect(await server.report(project, semgrep(['src/0.py'], []))).toMatchObject({ findings: { gone: 1 } })
  })

  test('is compared with scans of the same ref and category', async () => {
    const project = await resolvingProject()
    await server.report(project, semgrep(files(10), files(3)))
    for (const fields of [{ ref: 'feature' }, { category: 'api' }] as Record<string, string>[]) {
      await server.report(project, semgrep(['src/9.py'], ['src/9.py']), fields)
      expect(await server.report(project, semgrep(['src/9.py'], []), fields)).toMatchObject({ findings: { gone: 1 } })
    }
    expect((await server.report(project, semgrep(['src/8.py'], []))).findings.gone).toBe(0)
  })
})

test('a report with partial=true makes nothing absent in any format', async () => {
  const secret = { RuleID: 'key', File: 'config.yml', StartLine: 1, EndLine: 1, Secret: 'x' }
  const complete = [
    sastReport([entry({ line: 1 }), entry({ line: 2, rule: 'other' })]),
    semgrep(files(2), files(2)),
    JSON.stringify([secret, { ...secret, StartLine: 2 }]),
  ]
  const partial = [sastReport([]), semgrep(files(2), []), '[]']
  for (const [index, report] of complete.entries()) {
    const project = await resolvingProject()
    await server.report(project, report)
    const fields: Record<string, string> = index === 2 ? { report_type: 'secret_detection' } : {}
    const done = await server.report(project, partial[index] ?? {}, { ...fields, partial: 'true' })
    expect(done.findings.gone).toBe(0)
    const message =
      'The report is incomplete: its sender says that the scan was partial. Missing findings keep their state.'
    expect(done.warnings).toContainEqual({ type: 'Incomplete', message, pointer: '' })
    expect((await server.report(project, partial[index] ?? {}, fields)).findings.gone).toBe(2)
  }
})

test.each([
  ['diff-informed', 0],
  ['diff-informed,overlay', 0],
  ['overlay', 1],
])('a CodeQL run in the incremental mode %s makes %i of its findings absent', async (incrementalMode, gone) => {
  const project = await resolvingProject()
  const physicalLocation = { artifactLocation: { uri: 'src/app.c' }, region: { startLine: 1 } }
  const log = (results: object[], properties = {}) => ({
    version: '2.1.0',
    runs: [{ tool: { driver: { name: 'CodeQL' } }, results, properties }],
  })
  await server.report(
    project,
    log([{ ruleId: 'c/hash', message: { text: 'Weak' }, locations: [{ physicalLocation }] }]),
  )
  const done = await server.report(project, log([], { incrementalMode }))
  expect(done.findings.gone).toBe(gone)
  expect(done.warnings.some(({ type }: { type: string }) => type === 'Incomplete')).toBe(gone === 0)
})
