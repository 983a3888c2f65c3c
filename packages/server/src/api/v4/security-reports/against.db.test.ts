import fc from 'fast-check'
import { beforeAll, describe, expect, test } from 'vitest'
import { severities } from '../../../domain/findings/scales.ts'
import { formWithFile } from '../../../testing/client.ts'
import { testEngine } from '../../../testing/databases/database.ts'
import { entry, sastReport } from '../../../testing/reports/reports.ts'
import { startServer, type TestProject, type TestServer } from '../../../testing/server.ts'

let server: TestServer
beforeAll(async () => {
  server = await startServer()
})

interface Known {
  scanner: string
  severity: string
  /** Severity set by a user. */
  override: string | undefined
  isPromoted: boolean
  isDismissed: boolean
  on: Map<string, { isPresent: boolean; categories: Set<string> }>
}

interface Report {
  scanner: string
  ref: string
  category: string | undefined
  targetRef: string | undefined
  found: readonly { name: string; severity: string }[]
  isComplete: boolean
  promote: boolean
  isRepeated: boolean
}

const defaultBranch = 'main'

/** Model of the presence of findings on refs; categories as in decision 30. */
function openModel() {
  const known = new Map<string, Known>()
  const scans = new Set<string>()

  function observe({ scanner, ref, category, promote }: Report, name: string, severity: string) {
    const mine = category === undefined ? [] : [category]
    const created: Known = {
      ...{ scanner, severity, override: undefined, isPromoted: false, isDismissed: false },
      on: new Map(),
    }
    const finding = known.get(name) ?? created
    known.set(name, finding)
    if (ref === defaultBranch || !finding.on.has(defaultBranch)) finding.severity = severity
    if (promote) finding.isPromoted = true
    const before = finding.on.get(ref)
    if (before?.isPresent) for (const one of mine) before.categories.add(one)
    else
      finding.on.set(ref, { isPresent: true, categories: new Set(category === undefined ? before?.categories : mine) })
  }

  function miss({ ref, category }: Report, { on }: Known) {
    const here = on.get(ref)
    if (!here?.isPresent || !(category === undefined || here.categories.has(category))) return
    here.isPresent = category !== undefined && here.categories.size > 1
    if (here.isPresent && category !== undefined) here.categories.delete(category)
  }

  return {
    known,
    take(report: Report) {
      const { scanner, ref, category, found, isComplete } = report
      const names = new Set(found.map(({ name }) => name))
      for (const [name, finding] of known) {
        if (isComplete && finding.scanner === scanner && !names.has(name)) miss(report, finding)
      }
      for (const { name, severity } of found) observe(report, name, severity)
      if (isComplete) scans.add(JSON.stringify([scanner, ref, category ?? null]))
    },
    compare(ref: string, targetRef: string) {
      const counts = { new: 0, fixed: 0, known: 0 }
      const bySeverity = Object.fromEntries(severities.map((severity) => [severity, { ...counts }]))
      const names = { new: [] as string[], fixed: [] as string[] }
      let dismissed = 0
      for (const [name, { scanner, severity, override, isDismissed, on }] of known) {
        const target = on.get(targetRef)
        const isOnRef = on.get(ref)?.isPresent === true
        const covering = [null, ...(target?.categories ?? [])].map((one) => JSON.stringify([scanner, ref, one]))
        const isFixed = !isOnRef && target?.isPresent === true && covering.some((scan) => scans.has(scan))
        if (!isOnRef && !isFixed) continue
        const verdict = isFixed ? 'fixed' : target?.isPresent ? 'known' : 'new'
        if (isDismissed) dismissed++
        else {
          counts[verdict]++
          const own = bySeverity[(override ?? severity).toLowerCase()]
          if (own) own[verdict]++
          if (verdict !== 'known') names[verdict].push(name)
        }
      }
      const sorted = { new: names.new.sort(), fixed: names.fixed.sort() }
      const ofTarget = { ref: ref === targetRef ? null : targetRef }
      return { counts: { ...ofTarget, ...counts, dismissed, by_severity: bySeverity }, names: sorted }
    },
  }
}

const names = ['f0', 'f1', 'f2', 'f3']
const refs = ['main', 'feature', 'release']
const report = fc.record({
  scanner: fc.constantFrom('one', 'one', 'two'),
  ref: fc.constantFrom('main', 'feature', 'main', 'feature', 'release'),
  category: fc.constantFrom(undefined, undefined, 'a', 'b'),
  targetRef: fc.constantFrom(undefined, undefined, ...refs, 'never imported'),
  found: fc
    .subarray(names)
    .chain((some) =>
      fc.tuple(...some.map((name) => fc.constantFrom('High', 'Low').map((severity) => ({ name, severity })))),
    ),
  isComplete: fc.integer({ min: 0, max: 9 }).map((number) => number > 0),
  promote: fc.boolean(),
  isRepeated: fc.boolean(),
})
const triage = fc.record({
  action: fc.constantFrom('dismiss' as const, 'revert' as const, 'rate' as const),
  name: fc.constantFrom(...names.flatMap((name) => [`one ${name}`, `two ${name}`])),
})

// biome-ignore lint/suspicious/noExplicitAny: a response body
type Body = any

const countsOf = ({ samples: _, ...counts }: Body) => counts
const namesOf = ({ samples }: Body) => ({
  new: samples.new.map(({ name }: Body) => name).sort(),
  fixed: samples.fixed.map(({ name }: Body) => name).sort(),
})

async function send({ id }: TestProject, report: Report, isDryRun: boolean) {
  const { scanner, ref, category, targetRef, found, isComplete, promote } = report
  const file = sastReport(
    found.map(({ name, severity }) => entry({ name, severity, file: `${name}.ts`, rule: scanner })),
    scanner,
  )
  if (!isComplete) file.scan.status = 'failure'
  const { body } = await server.admin.post(
    `/projects/${id}/security_reports`,
    formWithFile('file', 'r.json', JSON.stringify(file), {
      ...{ ref, promote: String(promote), dry_run: String(isDryRun) },
      ...(category !== undefined && { category }),
      ...(targetRef !== undefined && { target_ref: targetRef }),
    }),
  )
  return body
}

let projects = 0

describe('the comparison with the target ref', () => {
  test('has the result of the model after any order of reports and triage, and in every dry run', async () => {
    const run = async (steps: (Report | { action: 'dismiss' | 'revert' | 'rate'; name: string })[]) => {
      const project = await server.project(`acme/model-${++projects}`, { maxAbsentPercent: null })
      const model = openModel()
      for (const step of steps) {
        if ('action' in step) {
          await change(project, model.known.get(step.name), step)
          continue
        }
        const sent = {
          ...step,
          found: step.found.map((one) => ({ ...one, name: `${step.scanner} ${one.name}` })),
        }
        const dryRun = await send(project, sent, true)
        const done = await send(project, sent, false)
        model.take(sent)
        const target = sent.targetRef ?? defaultBranch
        const expected = model.compare(sent.ref, target)
        expect(countsOf(done.against)).toEqual(expected.counts)
        expect(namesOf(done.against)).toEqual(expected.names)
        expect(countsOf(dryRun.against)).toEqual(expected.counts)
        expect(namesOf(dryRun.against)).toEqual(expected.names)
        if (sent.isRepeated) expect((await send(project, sent, false)).against).toEqual(done.against)
        const { body: read } = await server.admin.get(`/projects/${project.id}/security_reports/${done.id}`)
        expect(read.against).toEqual(done.against)
        const query = new URLSearchParams({ ref: sent.ref, not_on: target, per_page: '100' })
        const listed = await server.admin.get(`/projects/${project.id}/vulnerability_findings?${query}`)
        expect(listed.body.map(({ name }: Body) => name).sort()).toEqual(expected.names.new)
        const fixed = new URLSearchParams({ ref: target, not_on: sent.ref, scanned_on: sent.ref, per_page: '100' })
        const fixedRows = await server.admin.get(`/projects/${project.id}/vulnerability_findings?${fixed}`)
        expect(fixedRows.body.map(({ name }: Body) => name).sort()).toEqual(expected.names.fixed)
      }
    }
    const step = fc.oneof({ weight: 4, arbitrary: report }, { weight: 1, arbitrary: triage })
    const property = fc.asyncProperty(fc.array(step, { minLength: 10, maxLength: 20 }), run)
    await fc.assert(property, { numRuns: testEngine === 'postgres' ? 4 : 16, seed: 20_261_123 })
  }, 300_000)

  test('names the findings with a link, the most severe first, at most twenty of each', async () => {
    const project = await server.project('acme/samples')
    const path = `/projects/${project.id}`
    const some = (count: number, severity: string, prefix: string) =>
      Array.from({ length: count }, (_, index) =>
        entry({ name: `${prefix} ${index}`, severity, file: `${prefix}-${index}.ts` }),
      )
    await server.report(project, [...some(3, 'Low', 'old'), ...some(2, 'High', 'both')], { promote: 'false' })
    const added = [...some(15, 'Low', 'minor'), ...some(10, 'Critical', 'major')]
    const sent = [...added, ...some(2, 'High', 'both')]
    const dryRun = await server.report(project, sent, { ref: 'feature', dry_run: 'true' })
    const done = await server.report(project, sent, { ref: 'feature', promote: 'true' })
    expect(countsOf(done.against)).toMatchObject({
      ...{ ref: 'main', new: 25, fixed: 3, known: 2, dismissed: 0 },
      by_severity: { critical: { new: 10, fixed: 0, known: 0 }, low: { new: 15, fixed: 3, known: 0 } },
    })
    const { samples } = done.against
    expect(samples.new.map(({ severity }: Body) => severity)).toEqual([
      ...Array.from({ length: 10 }, () => 'critical'),
      ...Array.from({ length: 10 }, () => 'low'),
    ])
    const [first] = samples.new
    const [listed] = (await server.admin.get(`${path}/vulnerability_findings?ref=feature&search=major`)).body
    expect(first).toEqual({
      uuid: listed.uuid,
      name: 'major 0',
      severity: 'critical',
      report_type: 'sast',
      location: { file: 'major-0.ts', start_line: 1, end_line: 1 },
      web_url: `${project['web_url']}/-/security/vulnerabilities/${listed.vulnerability_id}`,
    })
    const [fixed] = samples.fixed
    const [old] = (await server.admin.get(`${path}/vulnerability_findings?search=old`)).body
    expect(fixed).toMatchObject({ name: 'old 0', web_url: `${project['web_url']}/-/findings/${old.id}` })
    expect(dryRun.against.samples.new[0]).toEqual({ ...first, web_url: null })
    expect(dryRun.against.samples.fixed).toEqual(samples.fixed)
  })

  test('can be read for another target, and not before the results are visible', async () => {
    const project = await server.project('acme/targets')
    const path = `/projects/${project.id}/security_reports`
    await server.report(project, [entry({ line: 1 })])
    await server.report(project, [entry({ line: 1 }), entry({ line: 5, rule: 'other' })], { ref: 'stable' })
    const done = await server.report(project, [entry({ line: 5, rule: 'other' })], { ref: 'fix', target_ref: 'stable' })
    expect(done.against).toMatchObject({ ref: 'stable', new: 0, known: 1, fixed: 1 })
    const read = (query: string) => server.admin.get(`${path}/${done.id}${query}`)
    expect((await read('')).body.against).toEqual(done.against)
    expect((await read('?target_ref=main')).body.against).toMatchObject({ ref: 'main', new: 1, known: 0, fixed: 1 })
    expect((await read('?target_ref=fix')).body.against).toMatchObject({ ref: null, new: 0, known: 1, fixed: 0 })
    expect(await read('?target_ref=')).toMatchObject({ status: 400, body: { error: 'target_ref is empty' } })
    expect(await read(`?target_ref=${'x'.repeat(256)}`)).toMatchObject({ status: 400 })
    const [listed] = (await server.admin.get(path)).body
    expect(listed).not.toHaveProperty('against')
    const report = JSON.stringify(sastReport([entry()]))
    const queued = await server.admin.post(path, formWithFile('file', 'r.json', report, { async: 'true' }))
    expect(queued.body.against === null).toBe(queued.body.shown_at === null)
  })

  test('counts a finding as fixed only if a complete scan of the ref covers it', async () => {
    const project = await server.project('acme/covered')
    const other = sastReport([entry({ rule: 'image', file: 'Dockerfile' })], 'other-scanner')
    await server.report(project, [entry({ rule: 'a' }), entry({ rule: 'b', line: 9 })])
    await server.report(project, other)
    const partial = await server.report(project, [entry({ rule: 'a' })], { ref: 'fix', partial: 'true' })
    expect(partial.against).toMatchObject({ new: 0, known: 1, fixed: 0 })
    const complete = await server.report(project, [entry({ rule: 'a' })], { ref: 'fix' })
    expect(complete.against).toMatchObject({ new: 0, known: 1, fixed: 1 })
  })
})

/** Applies the triage to the vulnerability of a finding, if it has one, and to the model. */
async function change(
  project: TestProject,
  finding: Known | undefined,
  { action, name }: { action: 'dismiss' | 'revert' | 'rate'; name: string },
) {
  const ref = finding && [...finding.on].find(([, { isPresent }]) => isPresent)?.[0]
  if (!finding?.isPromoted || ref === undefined) return
  if (action !== 'rate' && finding.isDismissed === (action === 'dismiss')) return
  const query = new URLSearchParams({ ref, scope: 'all', per_page: '100' })
  const { body } = await server.admin.get(`/projects/${project.id}/vulnerability_findings?${query}`)
  const { vulnerability_id: id } = body.find((listed: Body) => listed.name === name)
  const reply =
    action === 'rate'
      ? await server.admin.put(`/vulnerabilities/${id}/severity`, { severity: 'critical' })
      : await server.admin.post(`/vulnerabilities/${id}/${action}`, {})
  // 304: the severity is set already.
  expect([200, 201, 304]).toContain(reply.status)
  if (action === 'rate') finding.override = 'critical'
  else finding.isDismissed = action === 'dismiss'
}
