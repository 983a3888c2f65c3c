import { beforeAll, describe, expect, test } from 'vitest'
import { entry, sastReport } from '../../../testing/reports/reports.ts'
import { startServer, type TestProject, type TestServer } from '../../../testing/server.ts'

let server: TestServer
beforeAll(async () => {
  server = await startServer()
})

let projects = 0
const freshProject = () => server.project(`acme/moved-${++projects}`, { maxAbsentPercent: null })

const send = (project: TestProject, entries: object[], fields = {}, scanner?: string) =>
  server.report(project, sastReport(entries, scanner), { promote: 'false', ...fields })

interface Finding {
  id: number
  location: { start_line: number }
}

const findings = async (project: TestProject, query = '') =>
  (await server.admin.get(`/projects/${project.id}/vulnerability_findings?${query}`)).body

const matches = async (project: TestProject, id: number) =>
  (await server.admin.get(`/projects/${project.id}/vulnerability_findings/${id}/matches`)).body

const code = 'const hash = createHash("md5").update(password)'

describe('a finding at another line', () => {
  test.for([
    ['its signature', 'signature', { signature: 'src/app.ts|login[0]:3' }, { signature: 'src/app.ts|login[0]:3' }],
    ['its code with any indentation', 'code', { code }, { code: `\n\t${code.replaceAll(' ', '  ')} ` }],
    ['its code in another file', 'code_elsewhere', { code }, { code, file: 'lib/login.ts' }],
    ['being the only one of its rule in a function', 'symbol', { method: 'login' }, { method: 'login' }],
  ] as const)('is matched by %s', async ([, reason, before, after]) => {
    const project = await freshProject()
    await send(project, [entry({ line: 10, ...before }), entry({ line: 90, rule: 'other' })], { promote: 'true' })
    const [first] = await findings(project)
    const [vulnerability] = (await server.admin.get(`/projects/${project.id}/vulnerabilities`)).body.filter(
      (one: { finding: { id: number } }) => one.finding.id === first.id,
    )

    const dryRun = await send(project, [entry({ line: 14, ...after }), entry({ line: 90, rule: 'other' })], {
      dry_run: 'true',
    })
    const moved = await send(project, [entry({ line: 14, ...after }), entry({ line: 90, rule: 'other' })])
    // The uuid depends on the signature only, so the finding is known at once.
    const isMoved = reason !== 'signature'
    const counts = { new: 0, known: 2, returned: 0, gone: 0, changed: isMoved ? 0 : 1, moved: isMoved ? 1 : 0 }
    expect(moved.findings).toMatchObject(counts)
    expect(dryRun.findings).toMatchObject(counts)
    expect(dryRun.samples).toEqual(moved.samples)

    const [second, ...others] = await findings(project)
    expect(second).toMatchObject({ id: first.id, uuid: first.uuid, location: { start_line: 14 }, state: 'detected' })
    expect(others).toHaveLength(1)
    const recorded = await matches(project, first.id)
    if (isMoved) {
      expect(moved.samples.moved).toMatchObject([{ uuid: first.uuid, reason, location: { start_line: 14 } }])
      expect(recorded).toMatchObject([
        {
          reason,
          ref: 'main',
          security_report_id: moved.id,
          old_location: { file: 'src/app.ts', start_line: 10 },
          new_location: { start_line: 14 },
        },
      ])
    } else expect(recorded).toEqual([])
    const { body } = await server.admin.get(`/projects/${project.id}/vulnerabilities`)
    expect(body.find(({ id }: { id: number }) => id === vulnerability.id)).toMatchObject({
      state: 'detected',
      resolved_on_default_branch: false,
      finding: { id: first.id, location: { start_line: 14 } },
    })
    expect(await send(project, [entry({ line: 14, ...after }), entry({ line: 90, rule: 'other' })])).toMatchObject({
      unchanged: true,
      findings: { new: 0, known: 2, gone: 0, changed: 0, moved: 0 },
    })
  })

  test('is matched at its location when its signature is missing or different, every time', async () => {
    const project = await freshProject()
    const tracked = (signature?: string, line = 10) => [entry({ line, ...(signature && { signature }) })]
    await send(project, tracked('src/app.ts|login[0]:3'))
    const [first] = await findings(project)
    for (const next of [tracked(), tracked('src/app.ts|enter[0]:9'), tracked()]) {
      const sent = await send(project, next)
      expect(sent.findings).toMatchObject({ new: 0, known: 1, returned: 0, gone: 0 })
      expect(await findings(project)).toMatchObject([{ id: first.id, uuid: first.uuid }])
      expect(await send(project, next)).toMatchObject({ unchanged: true })
    }
    expect((await matches(project, first.id)).map(({ reason }: { reason: string }) => reason)).toEqual([
      'location',
      'location',
    ])
    const moved = await send(project, tracked(undefined, 14))
    expect(moved.findings).toMatchObject({ new: 0, known: 1, moved: 1, gone: 0 })
    expect((await matches(project, first.id))[0]).toMatchObject({ reason: 'nearest' })
  })

  test('is new in another file without signature or code', async () => {
    const project = await freshProject()
    await send(project, [entry({ line: 10 })])
    const moved = await send(project, [entry({ line: 10, file: 'lib/login.ts' })])
    expect(moved.findings).toMatchObject({ new: 1, known: 0, gone: 1, moved: 0 })
  })

  describe('without signature or code', () => {
    const at = (...lines: number[]) => lines.map((line) => entry({ line, rule: 'kics' }))
    const linesOf = async (project: TestProject) =>
      new Map<number, number>((await findings(project)).map((one: Finding) => [one.id, one.location.start_line]))

    test('is matched to the nearest finding of its rule in its file', async () => {
      const project = await freshProject()
      await send(project, at(10, 50), { promote: 'true' })
      const before = await linesOf(project)
      const dryRun = await send(project, at(13, 53), { dry_run: 'true' })
      const moved = await send(project, at(13, 53))
      expect(moved.findings).toMatchObject({ new: 0, known: 2, gone: 0, moved: 2 })
      expect([dryRun.findings, dryRun.samples]).toEqual([moved.findings, moved.samples])
      expect(moved.samples.moved).toMatchObject([{ reason: 'nearest' }, { reason: 'nearest' }])
      for (const [id, line] of await linesOf(project)) expect(line).toBe((before.get(id) ?? 0) + 3)
      const [{ id }] = (await server.admin.get(`/projects/${project.id}/vulnerabilities`)).body
      const history = (await server.admin.get(`/vulnerabilities/${id}/history`)).body
      expect(history.at(-1)).toMatchObject({ text: 'recognised at another line as the nearest one of its rule' })
      expect(await send(project, at(13, 53))).toMatchObject({ unchanged: true })
    })

    test.for([
      ['two that are equally near', [10, 20], [15]],
      ['one that is equally near to two', [15], [10, 20]],
      ['all moved by the same distance, with others nearer', [10, 20, 30], [40, 50, 60]],
    ] as const)('is not matched: %s', async ([, before, after]) => {
      const project = await freshProject()
      await send(project, at(...before))
      const { findings } = await send(project, at(...after))
      expect(findings).toMatchObject({ new: after.length, gone: before.length, moved: 0 })
    })

    test('is not matched for secrets, in an incomplete report, or to absent findings', async () => {
      const project = await freshProject()
      await send(project, at(10))
      const partial = await send(project, [...at(14), Object('damaged')])
      expect(partial.findings).toMatchObject({ new: 1, gone: 0, moved: 0 })
      await send(project, [])
      expect((await send(project, at(18))).findings).toMatchObject({ new: 1, returned: 0, moved: 0 })
    })

    test('is matched to the default branch’s finding on a branch', async () => {
      const project = await freshProject()
      await send(project, at(10))
      const branch = await send(project, at(12), { ref: 'feature' })
      expect(branch.findings).toMatchObject({ new: 0, known: 1, moved: 1 })
      expect(await send(project, at(12), { ref: 'feature' })).toMatchObject({ unchanged: true })
    })
  })

  test('is new with another rule or scanner, even with the same code', async () => {
    const project = await freshProject()
    await send(project, [entry({ line: 10, code })])
    const rule = await send(project, [entry({ line: 14, code, rule: 'other' })])
    expect(rule.findings).toMatchObject({ new: 1, gone: 1, moved: 0 })
    const scanner = await send(project, [entry({ line: 18, code })], {}, 'another-scanner')
    expect(scanner.findings).toMatchObject({ new: 1, gone: 0, moved: 0 })
  })

  test('is matched in line order among findings with the same code', async () => {
    const project = await freshProject()
    await send(project, [entry({ line: 10, code }), entry({ line: 20, code }), entry({ line: 30, code })])
    const before = await findings(project)
    const moved = await send(project, [entry({ line: 33, code }), entry({ line: 13, code }), entry({ line: 23, code })])
    expect(moved.findings).toMatchObject({ new: 0, gone: 0, moved: 3 })
    const after = await findings(project)
    const lineOf = (list: typeof after, id: number) =>
      list.find((one: { id: number }) => one.id === id).location.start_line
    for (const { id } of before) expect(lineOf(after, id)).toBe(lineOf(before, id) + 3)
  })

  test('is not matched when several findings of its rule are in the same function', async () => {
    const project = await freshProject()
    await send(project, [entry({ line: 10, method: 'login' }), entry({ line: 11, method: 'login' })])
    const moved = await send(project, [entry({ line: 20, method: 'login' }), entry({ line: 21, method: 'login' })])
    expect(moved.findings).toMatchObject({ new: 2, gone: 2, moved: 0 })
  })

  test('is not matched to a finding whose uuid is in the report', async () => {
    const project = await freshProject()
    await send(project, [entry({ line: 10, code })])
    await send(project, [entry({ line: 14, code })])
    const [known] = await findings(project)
    // Now there are two: at the old line and at the new one.
    const both = await send(project, [entry({ line: 14, code }), entry({ line: 10, code })])
    expect(both.findings).toMatchObject({ new: 1, gone: 0 })
    const after = await findings(project)
    expect(after.map((one: { location: { start_line: number } }) => one.location.start_line).sort()).toEqual([10, 14])
    expect(after.map(({ id }: { id: number }) => id)).toContain(known.id)
    expect(await send(project, [entry({ line: 10, code }), entry({ line: 14, code })])).toMatchObject({
      unchanged: true,
    })
  })

  test('on a branch is the same finding, and keeps its old line on the default branch', async () => {
    const project = await freshProject()
    await send(project, [entry({ line: 10, code })])
    const branch = await send(project, [entry({ line: 14, code, severity: 'Critical' })], { ref: 'feature' })
    expect(branch.findings).toMatchObject({ new: 0, known: 1, gone: 0, moved: 1, changed: 0 })
    const [onMain] = await findings(project)
    const [onBranch] = await findings(project, 'ref=feature')
    expect(onMain).toMatchObject({ location: { start_line: 10 }, severity: 'medium' })
    expect(onBranch.id).toBe(onMain.id)
    // Merged.
    await send(project, [entry({ line: 14, code, severity: 'Critical' })])
    expect(await findings(project)).toMatchObject([
      { id: onMain.id, location: { start_line: 14 }, severity: 'critical' },
    ])
  })

  test('takes the new uuid when its scanner swaps its identifiers', async () => {
    const project = await freshProject()
    const cve = { type: 'semgrep_id', name: 'other', value: 'other' }
    const swapped = { ...entry({ line: 10 }), identifiers: [cve, ...entry({ line: 10 }).identifiers] }
    await send(project, [entry({ line: 10, others: [cve] })], {}, 'semgrep')
    const [before] = await findings(project)
    expect((await send(project, [swapped], {}, 'semgrep')).findings).toMatchObject({ new: 0, gone: 0, moved: 1 })
    const [after] = await findings(project)
    expect(after.id).toBe(before.id)
    expect(after.uuid).not.toBe(before.uuid)
    expect(await matches(project, after.id)).toMatchObject([{ reason: 'identifier', uuid: before.uuid }])
    expect(await send(project, [swapped], {}, 'semgrep')).toMatchObject({ unchanged: true })
  })

  test('keeps its uuid when only a branch has swapped identifiers, and the second report changes nothing', async () => {
    const project = await freshProject()
    const other = { type: 'semgrep_id', name: 'other', value: 'other' }
    const swapped = { ...entry({ line: 10 }), identifiers: [other, ...entry({ line: 10 }).identifiers] }
    await send(project, [entry({ line: 10, others: [other] })], {}, 'semgrep')
    const [before] = await findings(project)
    expect(await send(project, [swapped], { ref: 'feature' }, 'semgrep')).toMatchObject({ findings: { moved: 1 } })
    expect((await findings(project)).map(({ uuid }: { uuid: string }) => uuid)).toEqual([before.uuid])
    expect(await send(project, [swapped], { ref: 'feature' }, 'semgrep')).toMatchObject({ unchanged: true })
  })

  test('is matched to the finding of a previous scanner when it still names that scanner’s rule', async () => {
    const project = await freshProject()
    await send(project, [entry({ line: 10 })], { promote: 'true' }, 'bandit')
    const own = { type: 'semgrep_id', name: 'own', value: 'own' }
    const same = { ...entry({ line: 10 }), identifiers: [own, ...entry({ line: 10 }).identifiers] }
    expect((await send(project, [same], {}, 'semgrep')).findings).toMatchObject({ new: 0, known: 1, moved: 1 })
    expect(await findings(project)).toMatchObject([{ scanner: { external_id: 'semgrep' }, state: 'detected' }])
    expect((await send(project, [], {}, 'bandit')).findings).toMatchObject({ gone: 0 })
  })

  test('is not matched to another scanner’s finding by location alone', async () => {
    const project = await freshProject()
    await send(project, [entry({ line: 10 })], {}, 'first')
    await send(project, [entry({ line: 90, rule: 'other' })], {}, 'second')
    const signed = entry({ line: 10, signature: 'src/app.ts|login[0]:3' })
    const second = await send(project, [entry({ line: 90, rule: 'other' }), signed], {}, 'second')
    expect(second.findings).toMatchObject({ new: 1, moved: 0 })
  })

  test('is new when its report type differs', async () => {
    const project = await freshProject()
    await send(project, [entry({ line: 10, code })])
    const report = sastReport([
      { ...entry({ line: 14, code }), location: { ...entry({ line: 14 }).location, commit: { sha: 'a' } } },
    ])
    Object.assign(report.scan, { type: 'secret_detection' })
    expect(await server.report(project, report, { promote: 'false' })).toMatchObject({
      errors: [],
      findings: { new: 1, moved: 0, gone: 0 },
    })
    expect((await findings(project)).map((one: { report_type: string }) => one.report_type)).toEqual([
      'sast',
      'secret_detection',
    ])
  })

  test.for([
    ['confirm', 'confirmed'],
    ['dismiss', 'dismissed'],
  ] as const)(
    'keeps the state set by users (%s), and its history has the move, the reason and the import',
    async ([decide, state]) => {
      const project = await freshProject()
      await send(project, [entry({ line: 10, code })], { promote: 'true' })
      const [{ id }] = (await server.admin.get(`/projects/${project.id}/vulnerabilities`)).body
      const decided = await server.admin.post(`/vulnerabilities/${id}/${decide}`, { comment: 'seen' })
      expect(decided).toMatchObject({ status: 201, body: { state } })

      const moved = await send(project, [entry({ line: 14, code })])
      const { body, headers } = await server.admin.get(`/projects/${project.id}/vulnerabilities`)
      expect(body).toMatchObject([
        { id, state, resolved_on_default_branch: false, finding: { location: { start_line: 14 } } },
      ])
      expect(headers['x-total']).toBe('1')
      const history = (await server.admin.get(`/vulnerabilities/${id}/history`)).body
      expect(history.map(({ kind }: { kind: string }) => kind)).toEqual(['created', 'state', 'matched'])
      expect(history.at(-1)).toMatchObject({
        text: 'recognised at another place by its code',
        ref: 'main',
        import: { id: moved.id, ref: 'main', format: 'gitlab', scanner: 'Test scanner' },
        details: { reason: 'code', location: { start_line: 14 } },
      })
    },
  )

  test('has returned when it was absent before', async () => {
    const project = await freshProject()
    await send(project, [entry({ line: 10, code })], { promote: 'true' })
    expect((await send(project, [])).findings).toMatchObject({ gone: 1 })
    const back = await send(project, [entry({ line: 15, code })])
    expect(back.findings).toMatchObject({ new: 0, returned: 1, moved: 1 })
    const { body } = await server.admin.get(`/projects/${project.id}/vulnerabilities`)
    expect(body).toMatchObject([{ resolved_on_default_branch: false, finding: { location: { start_line: 15 } } }])
  })
})

test('matches of a finding are listed newest first, including those of a uuid that another finding had before', async () => {
  const project = await freshProject()
  await send(project, [entry({ line: 10, code }), entry({ line: 30, code })])
  const [, second] = await findings(project)
  await send(project, [entry({ line: 14, code }), entry({ line: 34, code })])
  // The first one has not moved, so the finding at line 14 must be the second one.
  const renewed = await send(project, [entry({ line: 10, code }), entry({ line: 14, code })])
  expect(renewed.findings).toMatchObject({ new: 0, gone: 0, moved: 1 })
  const recorded = await matches(project, second.id)
  expect(recorded.map((match: { new_location: object }) => match.new_location)).toMatchObject([
    { start_line: 14 },
    { start_line: 34 },
  ])
})

test('GET of matches returns 404 for an unknown finding and for one of another project', async () => {
  const [project, other] = [await freshProject(), await freshProject()]
  await send(project, [entry()])
  const [{ id }] = await findings(project)
  for (const [where, finding] of [
    [project, 999_999],
    [other, id],
  ] as const) {
    const { status, body } = await server.admin.get(`/projects/${where.id}/vulnerability_findings/${finding}/matches`)
    expect([status, body]).toEqual([404, { message: '404 Not found' }])
  }
})
