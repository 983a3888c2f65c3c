import fc from 'fast-check'
import { beforeAll, expect, test } from 'vitest'
import { formWithFile } from '../../../testing/client.ts'
import { vulnerabilitiesOf } from '../../../testing/reports/imports.ts'
import { entry, sastReport } from '../../../testing/reports/reports.ts'
import { startServer, type TestProject, type TestServer } from '../../../testing/server.ts'

let server: TestServer
beforeAll(async () => {
  server = await startServer()
})

interface Occurrence {
  isPresent: boolean
  categories: Set<string>
  since: number
}

/** A finding with its vulnerability. */
interface Known {
  on: Map<string, Occurrence>
  isOnDefault: boolean
  isResolvedOnDefault: boolean
  state: 'detected' | 'dismissed' | 'resolved'
}

interface Report {
  scanner: string
  ref: string
  category: string | undefined
  found: readonly string[]
  isComplete: boolean
}

/** Model of a project's findings by category; see decision 30. */
function openModel(autoResolve: boolean) {
  const known = new Map<string, Known>()
  const complete = new Set<string>()
  let time = 0

  function see({ ref, category }: Report, isDefault: boolean, name: string): 'new' | 'known' | 'returned' {
    const finding = known.get(name)
    const seen = (categories: Iterable<string>): Occurrence => {
      return { isPresent: true, categories: new Set(categories), since: time }
    }
    const mine = category === undefined ? [] : [category]
    if (!finding) {
      const on = new Map([[ref, seen(mine)]])
      known.set(name, { on, isOnDefault: isDefault, isResolvedOnDefault: false, state: 'detected' })
      return 'new'
    }
    const occurrence = finding.on.get(ref)
    if (isDefault && (!occurrence?.isPresent || finding.state === 'resolved')) {
      Object.assign(finding, { isOnDefault: true, isResolvedOnDefault: false })
      if (finding.state === 'resolved') finding.state = 'detected'
    }
    if (occurrence?.isPresent) {
      if (category !== undefined) occurrence.categories.add(category)
      return 'known'
    }
    finding.on.set(ref, seen(category === undefined && occurrence ? occurrence.categories : mine))
    return occurrence ? 'returned' : 'known'
  }

  function isMissing({ scanner, ref, category }: Report, isDefault: boolean, finding: Known): boolean {
    const speaksFor = ({ categories }: Occurrence) => category === undefined || categories.has(category)
    const here = finding.on.get(ref)
    if (here?.isPresent) {
      if (!speaksFor(here)) return false
      here.isPresent = category !== undefined && here.categories.size > 1
      if (here.isPresent) here.categories.delete(category ?? '')
      return !here.isPresent
    }
    if (!isDefault || !finding.isOnDefault || finding.isResolvedOnDefault) return false
    const last = here ?? [...finding.on.values()].toSorted((a, b) => b.since - a.since)[0]
    if (!last || !speaksFor(last)) return false
    const others = [...last.categories].filter((other) => other !== category)
    const haveSpoken = others.every((other) => complete.has(JSON.stringify([scanner, ref, other])))
    return category === undefined || haveSpoken
  }

  return {
    known,
    present: (ref: string): string[] =>
      [...known].flatMap(([name, { on }]) => (on.get(ref)?.isPresent ? name : [])).sort(),
    /** Returns the expected counts of the import. */
    take(report: Report, defaultBranch: string) {
      const { scanner, ref, category, found, isComplete } = report
      const isDefault = ref === defaultBranch
      const counts = { new: 0, known: 0, returned: 0 }
      time++
      const missing = [...known].flatMap(([name, finding]) => {
        const isAsked = isComplete && name.startsWith(scanner) && !found.includes(name)
        return isAsked && isMissing(report, isDefault, finding) ? finding : []
      })
      for (const name of found) counts[see(report, isDefault, name)]++
      for (const finding of isDefault ? missing : []) {
        finding.isResolvedOnDefault = true
        if (autoResolve && finding.state === 'detected') finding.state = 'resolved'
      }
      if (isComplete) complete.add(JSON.stringify([scanner, ref, category]))
      return { ...counts, gone: missing.length }
    },
  }
}

const names = ['f0', 'f1', 'f2']
const report = fc.record({
  scanner: fc.constantFrom('one', 'one', 'one', 'two'),
  ref: fc.constantFrom('main', 'main', 'trunk', 'feature'),
  category: fc.constantFrom('a', 'b', 'a', 'b', '%,1', undefined),
  found: fc.subarray(names),
  isComplete: fc.integer({ min: 0, max: 9 }).map((number) => number > 0),
})
const decision = fc.record({
  what: fc.constantFrom('dismiss' as const, 'resolve' as const),
  name: fc.constantFrom(...names),
})
const step = fc.oneof(
  { weight: 8, arbitrary: report },
  { weight: 1, arbitrary: decision },
  { weight: 1, arbitrary: fc.constant('rename' as const) },
)

function sendAs({ id }: TestProject, { scanner, ref, category, found, isComplete }: Report, isDryRun: boolean) {
  const file = sastReport(
    found.map((name) => entry({ name, file: `${name}.ts`, rule: scanner })),
    scanner,
  )
  if (!isComplete) file.scan.status = 'failure'
  const fields = { promote: 'true', ref, dry_run: String(isDryRun), ...(category !== undefined && { category }) }
  return server.admin.post(
    `/projects/${id}/security_reports`,
    formWithFile('file', 'r.json', JSON.stringify(file), fields),
  )
}

let projects = 0

test('random sequences of reports with and without categories give the results of the model', async () => {
  const run = async (
    steps: ('rename' | Report | { what: 'dismiss' | 'resolve'; name: string })[],
    autoResolve: boolean,
  ) => {
    const project = await server.project(`acme/model-${++projects}`, { maxAbsentPercent: null })
    const path = `/projects/${project.id}`
    await server.admin.put(path, { auto_resolve_vulnerabilities: autoResolve })
    const model = openModel(autoResolve)
    let defaultBranch = 'main'
    for (const step of steps) {
      if (step === 'rename') {
        defaultBranch = defaultBranch === 'main' ? 'trunk' : 'main'
        await server.admin.put(path, { default_branch: defaultBranch })
      } else if ('what' in step) {
        const finding = model.known.get(`one ${step.name}`)
        const state = step.what === 'dismiss' ? 'dismissed' : 'resolved'
        if (!finding?.isOnDefault || finding.state === state) continue
        const { [`one ${step.name}`]: vulnerability } = await vulnerabilitiesOf(server, project)
        expect((await server.admin.post(`/vulnerabilities/${vulnerability.id}/${step.what}`, {})).status).toBe(201)
        finding.state = state
      } else {
        const sent = { ...step, found: step.found.map((name) => `${step.scanner} ${name}`) }
        const dryRun = await sendAs(project, sent, true)
        const { body } = await sendAs(project, sent, false)
        expect(body.findings).toMatchObject({ ...model.take(sent, defaultBranch), changed: 0, moved: 0 })
        expect(dryRun.body).toMatchObject({ findings: body.findings, samples: body.samples })
        if (sent.isComplete) expect((await sendAs(project, sent, true)).body.unchanged).toBe(true)
        for (const ref of ['main', 'trunk', 'feature']) {
          const listed = await server.admin.get(`${path}/vulnerability_findings?scope=all&per_page=100&ref=${ref}`)
          expect(listed.body.map(({ name }: { name: string }) => name).sort()).toEqual(model.present(ref))
        }
        const query = `scope=all&per_page=100&ref=${sent.ref}&pipeline_id=${body.id}`
        const ofImport = await server.admin.get(`${path}/vulnerability_findings?${query}`)
        const listed = ofImport.body.map(({ name }: { name: string }) => name).sort()
        if (sent.isComplete) expect(listed).toEqual([...sent.found].sort())
      }
      const vulnerabilities = await vulnerabilitiesOf(server, project)
      for (const [name, { isOnDefault, isResolvedOnDefault, state }] of model.known) {
        if (!isOnDefault) continue
        expect(vulnerabilities[name]).toMatchObject({ state, resolved_on_default_branch: isResolvedOnDefault })
      }
    }
  }
  const property = fc.asyncProperty(fc.array(step, { minLength: 20, maxLength: 30 }), fc.boolean(), run)
  await fc.assert(property, { numRuns: 12, seed: 20_261_122 })
}, 300_000)
