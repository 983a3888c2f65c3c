import { existsSync, readFileSync } from 'node:fs'
import sql from 'sql-template-tag'
import { beforeAll, describe, expect, test } from 'vitest'
import type { Reply } from '../../../testing/client.ts'
import { onSqlite } from '../../../testing/databases/database.ts'
import { data } from '../../../testing/models/report-facts.ts'
import { startServer, type TestProject, type TestServer } from '../../../testing/server.ts'

let server: TestServer
beforeAll(async () => {
  server = await startServer()
})

type Body = Reply['body']

interface Result {
  line: number
  hash?: string | undefined
  rule?: string
  file?: string
  text?: string
}

const sarif = (results: Result[], name = 'primaryLocationLineHash'): Body => ({
  version: '2.1.0',
  runs: [
    {
      tool: { driver: { name: 'Code scanner' } },
      results: results.map(({ line, hash, rule = 'rule', file = 'src/app.c', text = `Flaw ${hash}` }) => ({
        ruleId: rule,
        message: { text },
        locations: [{ physicalLocation: { artifactLocation: { uri: file }, region: { startLine: line } } }],
        ...(hash && { partialFingerprints: { [name]: `${hash}-of-a-line:1` } }),
      })),
    },
  ],
})

let projects = 0
const freshProject = () => server.project(`acme/fingerprints-${++projects}`)

/** Dry run, import, and an identical import, which changes nothing. */
async function sendTwice(project: TestProject, report: object, fields: Record<string, string> = {}): Promise<Body> {
  const dryRun = await server.report(project, report, { ...fields, dry_run: 'true' })
  const sent = await server.report(project, report, fields)
  expect([dryRun.findings, dryRun.samples]).toEqual([sent.findings, sent.samples])
  expect(await server.report(project, report, fields)).toMatchObject({ unchanged: true })
  return sent
}

async function listed(project: TestProject): Promise<Body[]> {
  const { body } = await server.admin.get(`/projects/${project.id}/vulnerability_findings?scope=all&per_page=100`)
  return body
}

/** Returns ids by the scanner's message and line. */
const linesById = (rows: Body[]) => new Map<number, number>(rows.map(({ id, location }) => [id, location.start_line]))
const idOf = (rows: Body[], hash: string) => rows.find(({ description }) => description === `Flaw ${hash}`)?.id

describe('a SARIF result with a fingerprint', () => {
  test.runIf(onSqlite).for(['primaryLocationLineHash', 'contextRegionHash/v1'])(
    'in %s is matched wherever it moves',
    async (name) => {
      const project = await freshProject()
      await server.report(
        project,
        sarif(
          [
            { line: 10, hash: 'one' },
            { line: 20, hash: 'two' },
          ],
          name,
        ),
      )
      const before = await listed(project)
      const { findings, samples } = await sendTwice(
        project,
        sarif(
          [
            { line: 90, hash: 'one' },
            { line: 7, hash: 'two', file: 'lib/app.c' },
          ],
          name,
        ),
      )
      expect(findings).toMatchObject({ new: 0, known: 2, gone: 0, moved: 2 })
      expect(samples.moved).toMatchObject([{ reason: 'fingerprint' }, { reason: 'fingerprint' }])
      const after = await listed(project)
      expect(linesById(after).get(idOf(before, 'one'))).toBe(90)
      expect(linesById(after).get(idOf(before, 'two'))).toBe(7)
      expect(after.map(({ uuid }) => uuid).sort()).toEqual(before.map(({ uuid }) => uuid).sort())
    },
  )

  test.runIf(onSqlite)('is not matched to the finding at whose location it now is', async () => {
    const project = await freshProject()
    await server.report(
      project,
      sarif([
        { line: 10, hash: 'one' },
        { line: 20, hash: 'two' },
        { line: 30, hash: 'three' },
      ]),
    )
    const before = await listed(project)
    const moved = await sendTwice(
      project,
      sarif([
        { line: 20, hash: 'one' },
        { line: 30, hash: 'two' },
        { line: 10, hash: 'new' },
      ]),
    )
    expect(moved.findings).toMatchObject({ new: 1, known: 2, gone: 1, moved: 2 })
    const after = await listed(project)
    expect(linesById(after).get(idOf(before, 'one'))).toBe(20)
    expect(linesById(after).get(idOf(before, 'two'))).toBe(30)
    expect(new Set(after.map(({ uuid }) => uuid)).size).toBe(3)
    // And back.
    await sendTwice(
      project,
      sarif([
        { line: 10, hash: 'one' },
        { line: 20, hash: 'two' },
        { line: 30, hash: 'three' },
      ]),
    )
    const last = await listed(project)
    expect(['one', 'two', 'three'].map((hash) => idOf(last, hash))).toEqual(
      ['one', 'two', 'three'].map((hash) => idOf(before, hash)),
    )
  })

  test.runIf(onSqlite)('is matched by location when the scanner changes, drops or restores fingerprints', async () => {
    const project = await freshProject()
    await server.report(project, sarif([{ line: 10 }, { line: 20, hash: 'two' }]))
    for (const hashes of [
      ['one', 'two'],
      ['uno', 'due'],
      [undefined, undefined],
      ['one', 'two'],
    ]) {
      const [first, second] = hashes
      const { findings } = await sendTwice(
        project,
        sarif([
          { line: 10, hash: first },
          { line: 20, hash: second },
        ]),
      )
      expect(findings).toMatchObject({ new: 0, known: 2, gone: 0, moved: 0 })
    }
  })

  test.runIf(onSqlite)('shared by several results is not matched by it', async () => {
    const project = await freshProject()
    await server.report(
      project,
      sarif([
        { line: 10, hash: 'all' },
        { line: 40, hash: 'all', rule: 'other' },
      ]),
    )
    const twice = [
      { line: 60, hash: 'all' },
      { line: 90, hash: 'all' },
      { line: 40, hash: 'all', rule: 'other' },
    ]
    expect((await sendTwice(project, sarif(twice))).findings).toMatchObject({ new: 2, gone: 1, moved: 0 })
  })

  test.runIf(onSqlite)('on a branch is matched to the default branch’s finding', async () => {
    const project = await freshProject()
    await server.report(
      project,
      sarif([
        { line: 10, hash: 'one' },
        { line: 20, hash: 'two' },
      ]),
    )
    const moved = sarif([
      { line: 20, hash: 'one' },
      { line: 33, hash: 'two' },
    ])
    const { findings } = await sendTwice(project, moved, { ref: 'feature' })
    expect(findings).toMatchObject({ new: 0, known: 2, moved: 2 })
    expect([...linesById(await listed(project)).values()].sort()).toEqual([10, 20])
  })

  test('keeps its uuid when the finding was stored without fingerprints', async () => {
    const project = await freshProject()
    const report = sarif([
      { line: 10, hash: 'one' },
      { line: 20, hash: 'two' },
    ])
    await server.report(project, report)
    const before = await listed(project)
    await server.deps.db.run(sql`delete from finding_keys where finding_id in (
      select id from findings where project_id = ${project.id})`)
    await server.deps.db.run(sql`update findings set digest = 'older' where project_id = ${project.id}`)
    expect((await sendTwice(project, report)).findings).toMatchObject({ new: 0, known: 2, gone: 0, moved: 0 })
    const moved = await sendTwice(
      project,
      sarif([
        { line: 13, hash: 'one' },
        { line: 23, hash: 'two' },
      ]),
    )
    expect(moved.findings).toMatchObject({ new: 0, moved: 2 })
    expect((await listed(project)).map(({ uuid }) => uuid).sort()).toEqual(before.map(({ uuid }) => uuid).sort())
  })
})

test.runIf(onSqlite)('Semgrep’s fingerprint matches findings, its placeholder does not', async () => {
  const report = (line: number, fingerprint: string) => ({
    errors: [],
    results: [
      {
        check_id: 'rule',
        path: 'app.py',
        start: { line },
        end: { line },
        extra: { message: 'Flaw', severity: 'ERROR', fingerprint, lines: 'requires login' },
      },
    ],
  })
  const project = await freshProject()
  await server.report(project, report(1, 'c0ffee00c0ffee_0'))
  expect((await server.report(project, report(9, 'c0ffee00c0ffee_0'))).samples.moved).toMatchObject([
    { reason: 'fingerprint' },
  ])
  await server.report(project, report(9, 'requires login'))
  expect((await server.report(project, report(12, 'requires login'))).samples.moved).toMatchObject([
    { reason: 'nearest' },
  ])
})

const real = [
  'codeql-gh-gei-35.sarif',
  'dd-codeQL-output.sarif',
  'sdk-CweGhasSample.sarif',
  'dd-taint-python-report.sarif',
]

describe.skipIf(!existsSync(data))('a real export', () => {
  test.runIf(onSqlite).for(real)(
    '%s keeps every decision when a third of its results move',
    { timeout: 60_000 },
    async (file) => {
      const text = readFileSync(new URL(`reports/sarif/${file}`, data), 'utf8')
      const results = (report: Body): Body[] => report.runs.flatMap((run: Body) => run.results)
      const hashOf = ({ partialFingerprints }: Body) =>
        partialFingerprints?.primaryLocationLineHash ?? partialFingerprints?.scanPrimaryLocationHash
      const original = JSON.parse(text)
      const keyOf = (result: Body) =>
        [result.ruleId, result.locations[0].physicalLocation.artifactLocation.uri, hashOf(result)].join(' ')
      const counts = new Map<string, number>()
      for (const result of results(original)) counts.set(keyOf(result), (counts.get(keyOf(result)) ?? 0) + 1)

      const project = await freshProject()
      await server.report(project, original)
      const { body } = await server.admin.get(`/projects/${project.id}/vulnerabilities?per_page=100`)
      for (const [index, { id }] of body.entries()) {
        if (index % 2 === 0) await server.admin.post(`/vulnerabilities/${id}/dismiss`, { comment: 'looked at' })
      }
      const idsByKey = (rows: Body[]) => {
        const raws = rows.map(({ finding, id, state }) => ({ key: keyOf(JSON.parse(finding.raw_metadata)), id, state }))
        return new Map(raws.filter(({ key }) => counts.get(key) === 1).map(({ key, id, state }) => [key, [id, state]]))
      }
      const list = async () => (await server.admin.get(`/projects/${project.id}/vulnerabilities?per_page=100`)).body
      const before = idsByKey(await list())

      const moved = JSON.parse(text)
      for (const [index, result] of results(moved).entries()) {
        const { region } = result.locations[0].physicalLocation
        if (index % 3 !== 0 || counts.get(keyOf(result)) !== 1 || !region) continue
        region.startLine += 7
        if (region.endLine) region.endLine += 7
      }
      const { findings } = await server.report(project, moved)
      expect(findings).toMatchObject({ new: 0, gone: 0 })
      expect(findings.moved).toBeGreaterThan(0)
      expect(idsByKey(await list())).toEqual(before)
      expect(before.size).toBeGreaterThan(3)
    },
  )
})
