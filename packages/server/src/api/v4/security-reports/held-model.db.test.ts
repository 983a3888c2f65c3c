import fc from 'fast-check'
import { beforeAll, expect, test } from 'vitest'
import { testEngine } from '../../../testing/databases/database.ts'
import { entry, sastReport } from '../../../testing/reports/reports.ts'
import { startServer, type TestProject, type TestServer } from '../../../testing/server.ts'

let server: TestServer
beforeAll(async () => {
  server = await startServer()
})

interface Known {
  scanner: string
  isPresent: boolean
  categories: Set<string>
  /** Number of the last import that observed it. */
  observedBy: number
}

interface Report {
  kind: 'report'
  scanner: string
  category: string | undefined
  /** The first and the last finding. Without findings the first is greater. */
  first: number
  last: number
  isPartial: boolean
}

interface Decision {
  kind: 'decision'
  /** Which of the reports whose absences are held. */
  which: number
  action: 'apply' | 'discard'
}

interface Held {
  import: number
  scanner: string
  category: string | undefined
  isEmpty: boolean
  names: readonly string[]
  status: string
  count: number
}

const percent = 50
const minHeld = 10

const namesOf = ({ scanner, first, last }: Report) =>
  Array.from({ length: Math.max(0, last - first + 1) }, (_, index) => `${scanner} f${first + index}`)

/** Model of the presence of findings on the default branch, and of the absences that reports hold. */
function openModel() {
  const known = new Map<string, Known>()
  const held: Held[] = []
  let imports = 0

  /** Takes a finding out of a category, or off the branch when no other category has it. */
  function miss(finding: Known, category: string | undefined) {
    if (category !== undefined && finding.categories.size > 1) finding.categories.delete(category)
    else finding.isPresent = false
  }

  function observe({ scanner, category }: Report, name: string) {
    const found = known.get(name)
    const mine = category === undefined ? [] : [category]
    const categories = new Set([
      ...(found && (found.isPresent || category === undefined) ? found.categories : []),
      ...mine,
    ])
    known.set(name, { scanner, isPresent: true, categories, observedBy: imports })
  }

  return {
    held,
    waiting: () => held.filter(({ status }) => status === 'held'),
    present: () => [...known].flatMap(([name, { isPresent }]) => (isPresent ? name : [])).sort(),
    take(report: Report): { status: string; count: number } {
      imports++
      const { scanner, category, isPartial } = report
      const names = new Set(namesOf(report))
      const covered = [...known].filter(
        ([, of]) => of.scanner === scanner && of.isPresent && (category === undefined || of.categories.has(category)),
      )
      const missing = isPartial ? [] : covered.filter(([name]) => !names.has(name))
      const absent = missing.filter(([, { categories }]) => category === undefined || categories.size === 1).length
      const isConfirmed = held.some(
        (one) => one.status === 'held' && one.isEmpty && one.scanner === scanner && one.category === category,
      )
      const isFirstEmpty = names.size === 0 && !isConfirmed
      const isHeld = (isFirstEmpty && absent > 0) || (absent >= minHeld && absent * 100 > covered.length * percent)
      if (!isPartial) {
        for (const one of held) {
          if (one.status === 'held' && one.scanner === scanner && one.category === category) one.status = 'superseded'
        }
      }
      const outcome = { status: isHeld ? 'held' : 'none', count: isHeld ? absent : 0 }
      if (isHeld) {
        const what = { import: imports, scanner, category, isEmpty: names.size === 0 }
        held.push({ ...what, names: missing.map(([name]) => name), ...outcome })
      }
      if (!isHeld) for (const [, finding] of missing) miss(finding, category)
      for (const name of names) observe(report, name)
      return outcome
    },
    decide(one: Held, action: 'apply' | 'discard') {
      one.status = action === 'apply' ? 'applied' : 'discarded'
      if (action === 'discard') return
      for (const name of one.names) {
        const finding = known.get(name)
        if (finding?.isPresent && finding.observedBy <= one.import) miss(finding, one.category)
      }
    },
  }
}

const findings = 24
const steps = fc.array(
  fc.oneof(
    {
      weight: 3,
      arbitrary: fc.record({
        kind: fc.constant('report' as const),
        scanner: fc.constantFrom('one', 'one', 'one', 'two'),
        category: fc.constantFrom(undefined, 'a', 'a', 'b'),
        first: fc.constantFrom(0, 0, 0, 12),
        last: fc.constantFrom(-1, 2, 11, 15, findings - 1, findings - 1),
        isPartial: fc.integer({ min: 0, max: 5 }).map((number) => number === 0),
      }),
    },
    {
      weight: 1,
      arbitrary: fc.record({
        kind: fc.constant('decision' as const),
        which: fc.nat({ max: 3 }),
        action: fc.constantFrom('apply' as const, 'apply' as const, 'discard' as const),
      }),
    },
  ),
  { minLength: 6, maxLength: 14 },
)

const at = ({ id }: TestProject) => `/projects/${id}/security_reports`

function send(project: TestProject, report: Report) {
  const { scanner, category, isPartial } = report
  const entries = namesOf(report).map((name) => entry({ name, file: `${name}.ts`, rule: name }))
  return server.report(project, sastReport(entries, scanner), {
    promote: 'false',
    ...(category !== undefined && { category }),
    ...(isPartial && { partial: 'true' }),
  })
}

async function presentIn({ id }: TestProject): Promise<string[]> {
  const { body } = await server.admin.get(`/projects/${id}/vulnerability_findings?per_page=100&scope=all`)
  return body.map(({ name }: { name: string }) => name).sort()
}

const full: Report = {
  kind: 'report',
  scanner: 'one',
  category: undefined,
  first: 0,
  last: findings - 1,
  isPartial: false,
}
const apply: Decision = { kind: 'decision', which: 0, action: 'apply' }

/** Histories that failed once. */
const examples: [(Report | Decision)[]][] = [
  // A discarded report must not take findings out of its category that another category has, too.
  [
    [
      { ...full, category: 'a' },
      { ...full, category: 'b', first: 12 },
      { ...full, category: 'a', last: -1 },
      { ...apply, action: 'discard' },
      { ...full, category: 'b', last: -1 },
    ],
  ],
  // A complete report without a category has observed what an earlier one of a category misses.
  [[{ ...full, category: 'a' }, { ...full, category: 'a', last: 2 }, full, apply]],
]

test('absences are held, superseded, applied and discarded as in the model, in any order of reports', async () => {
  let projects = 0
  await fc.assert(
    fc.asyncProperty(steps, async (all: readonly (Report | Decision)[]) => {
      const project = await server.project(`acme/model-${++projects}`)
      const model = openModel()
      const idOf = new Map<number, number>()
      let imports = 0
      for (const step of all) {
        if (step.kind === 'report') {
          const sent = await send(project, step)
          idOf.set(++imports, sent.id)
          expect(sent.absences).toEqual(model.take(step))
        } else {
          const one = model.waiting()[step.which]
          if (!one) continue
          const path = `${at(project)}/${idOf.get(one.import)}/absences/${step.action}`
          expect(await server.admin.post(path)).toMatchObject({ status: 201 })
          model.decide(one, step.action)
        }
        expect(await presentIn(project)).toEqual(model.present())
        for (const { import: number, status, count } of model.held) {
          const { body } = await server.admin.get(`${at(project)}/${idOf.get(number)}`)
          expect(body.absences).toEqual({ status, count })
        }
      }
    }),
    { numRuns: testEngine === 'postgres' ? 6 : 24, seed: 20_261_122, examples },
  )
}, 300_000)
