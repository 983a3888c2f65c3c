import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { testEngine } from '../../../testing/databases/database.ts'
import { disagreements } from '../../../testing/kept-counts.ts'
import { entry } from '../../../testing/reports/reports.ts'
import { startServer, type TestProject, type TestServer } from '../../../testing/server.ts'
import type { Optional } from '../../optional.ts'
import { queueRules } from '../../projects/queue-rules.ts'

/*
 * Random rules of three levels, reports and decisions of a person, compared with a model that knows nothing of stored
 * effects: it computes from the list of rules, the report and the decisions what every vulnerability must be.
 */

const severities = ['info', 'low', 'medium', 'high', 'critical'] as const
const files = ['src/a.js', 'src/b.js', 'test/a.js', 'test/b.js'] as const
const levels = ['project', 'group', 'instance'] as const
const pick = <T>(from: readonly T[]) => fc.constantFrom(...from)
const maybe = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: undefined })

const match = fc
  .record({ path: maybe(pick(['src/**', 'test/**', '**/a.js'])), severity: maybe(pick(severities)) })
  .map(({ path, severity }) => ({ ...(path && { path }), ...(severity && { severity }), category: 'sast' }))
const action = fc
  .record({
    dismiss: maybe(fc.constant({ reason: 'used_in_tests' })),
    severity: maybe(pick(severities)),
    assignee: maybe(fc.constant('root')),
    due_on: maybe(pick(['2030-01-01', '2030-02-01'])),
  })
  .map((action) => Object.fromEntries(Object.entries(action).filter(([, value]) => value !== undefined)))
  .filter((action) => Object.keys(action).length > 0)

const place = fc.nat(20)
const command = fc.oneof(
  fc.record({ do: fc.constant('create' as const), level: pick(levels), match, action }),
  fc.record({ do: fc.constant('change' as const), place, match, action }),
  fc.record({ do: fc.constant('switch' as const), place, enabled: fc.boolean() }),
  fc.record({ do: fc.constant('move' as const), place, position: fc.integer({ min: 1, max: 4 }) }),
  fc.record({ do: fc.constant('delete' as const), place }),
  fc.record({ do: fc.constant('report' as const), file: pick(files), severity: pick(severities) }),
  fc.record({ do: fc.constant('state' as const), file: pick(files), to: pick(['confirm', 'dismiss', 'revert']) }),
  fc.record({ do: fc.constant('severity' as const), file: pick(files), to: maybe(pick(severities)) }),
  fc.record({ do: fc.constant('assignee' as const), file: pick(files), isSet: fc.boolean() }),
  fc.record({ do: fc.constant('due' as const), file: pick(files), to: maybe(fc.constant('2031-01-01')) }),
  fc.record({ do: fc.constant('bulk and undo' as const) }),
)
type Command = typeof command extends fc.Arbitrary<infer Value> ? Value : never

interface ModelRule {
  id: number
  level: (typeof levels)[number]
  enabled: boolean
  match: { path?: string; severity?: string }
  action: { dismiss?: object; severity?: string; assignee?: string; due_on?: string }
}
type Shown = { state: string; severity: string; assignee: string | null; due: string | null }

/** The rules in the order of their creation, or as moved; the severities of the report; what a person decided. */
class Model {
  rules: ModelRule[] = []
  reported = new Map<string, string>()
  decided = new Map<string, Optional<Shown>>()

  expected(file: string): Shown & { rule: number | null } {
    const decided = this.decided.get(file) ?? {}
    const reported = this.reported.get(file) ?? ''
    const severity = decided.severity ?? reported
    const rule = levels
      .flatMap((level) => this.rules.filter((one) => one.level === level))
      .find(({ enabled, match }) => enabled && isBelow(file, match.path) && (match.severity ?? severity) === severity)
    const { dismiss, severity: set, assignee, due_on: due } = rule?.action ?? {}
    const effects = [
      [dismiss, 'state'],
      [set, 'severity'],
      [assignee, 'assignee'],
      [due, 'due'],
    ] as const
    const isEffective = effects.some(([effect, aspect]) => effect !== undefined && !(aspect in decided))
    return {
      state: decided.state ?? (dismiss ? 'dismissed' : 'detected'),
      severity: 'severity' in decided ? severity : (set ?? reported),
      assignee: decided.assignee === undefined ? (assignee ?? null) : decided.assignee,
      due: decided.due === undefined ? (due ?? null) : decided.due,
      rule: rule && isEffective ? rule.id : null,
    }
  }

  decide(file: string, decision: Optional<Shown>): void {
    this.decided.set(file, { ...this.decided.get(file), ...decision })
  }
}

const isBelow = (file: string, path: string | undefined) =>
  path === undefined || (path === '**/a.js' ? file.endsWith('/a.js') : file.startsWith(path.slice(0, -2)))

class Tested {
  model = new Model()
  private readonly server: TestServer
  private readonly project: TestProject
  constructor(server: TestServer, project: TestProject) {
    this.server = server
    this.project = project
  }

  private base(level: ModelRule['level']): string {
    if (level === 'instance') return '/vulnerability_rules'
    const id = level === 'project' ? this.project.id : this.project['namespace'].id
    return `/${level}s/${id}/vulnerability_rules`
  }

  async report(): Promise<void> {
    const all = files.map((file) =>
      entry({ name: file, file, rule: file, severity: this.model.reported.get(file) ?? '' }),
    )
    await this.server.report(
      this.project,
      all.map((one) => ({ ...one, severity: one.severity.charAt(0).toUpperCase() + one.severity.slice(1) })),
    )
  }

  async rows(): Promise<{ id: number; file: string; shown: Shown & { rule: number | null } }[]> {
    // A severity that a person sets is matched at the next report or change of rules.
    await queueRules(this.server.deps, { kind: 'project', id: this.project.id })
    await this.server.runJobs()
    const { body } = await this.server.admin.get(`/projects/${this.project.id}/vulnerabilities`)
    return body.map((row: Record<string, never>) => ({
      id: row['id'],
      file: row['title'],
      shown: {
        state: row['state'],
        severity: row['severity'],
        assignee: row['assignee'] ? row['assignee']['username'] : null,
        due: row['due_on'],
        rule: row['rule_id'],
      },
    }))
  }

  async run(step: Command): Promise<void> {
    const { admin } = this.server
    const { rules } = this.model
    if (step.do === 'create') {
      const { body } = await admin.post(this.base(step.level), {
        ...step,
        name: 'Rule',
        level: undefined,
        do: undefined,
      })
      rules.push({ id: body.id, level: step.level, enabled: true, match: step.match, action: step.action })
    } else if (step.do === 'report') {
      this.model.reported.set(step.file, step.severity)
      await this.report()
    } else if (step.do === 'bulk and undo') {
      const path = `/projects/${this.project.id}/vulnerability_bulk_changes`
      const { body } = await admin.post(path, { action: 'confirm', filter: {} })
      expect((await admin.post(`${path}/${body.id}/undo`)).status).toBe(201)
    } else if ('place' in step) {
      const rule = rules[step.place % Math.max(rules.length, 1)]
      if (rule) await this.changeRule(step, rule)
    } else {
      await this.decide(step)
    }
  }

  private async changeRule(step: Extract<Command, { place: number }>, rule: ModelRule): Promise<void> {
    const { admin } = this.server
    const path = `${this.base(rule.level)}/${rule.id}`
    const { rules } = this.model
    if (step.do === 'delete') {
      await admin.delete(path)
      rules.splice(rules.indexOf(rule), 1)
    } else if (step.do === 'move') {
      const { body } = await admin.put(path, { position: step.position })
      const others = rules.filter((one) => one.level === rule.level && one !== rule)
      others.splice(body.position - 1, 0, rule)
      this.model.rules = [...rules.filter((one) => one.level !== rule.level), ...others]
    } else if (step.do === 'switch') {
      await admin.put(path, { enabled: step.enabled })
      rule.enabled = step.enabled
    } else {
      await admin.put(path, { match: step.match, action: step.action })
      Object.assign(rule, { match: step.match, action: step.action })
    }
  }

  /** A request that changes nothing is rejected, and is no decision. */
  private async decide(step: Extract<Command, { do: 'state' | 'severity' | 'assignee' | 'due' }>): Promise<void> {
    const { admin } = this.server
    const id = (await this.rows()).find(({ file }) => file === step.file)?.id
    const { model } = this
    if (step.do === 'state') {
      const states = { confirm: 'confirmed', dismiss: 'dismissed', revert: 'detected' } as Record<string, string>
      const { status } = await admin.post(`/vulnerabilities/${id}/${step.to}`)
      if (status < 300) model.decide(step.file, { state: states[step.to] ?? '' })
    } else if (step.do === 'severity') {
      const path = `/vulnerabilities/${id}/severity`
      const { status } = step.to ? await admin.put(path, { severity: step.to }) : await admin.delete(path)
      if (status < 300) model.decide(step.file, { severity: step.to })
    } else if (step.do === 'assignee') {
      const path = `/vulnerabilities/${id}/assignee`
      const { status } = step.isSet ? await admin.put(path, { assignee_id: 1 }) : await admin.delete(path)
      if (status < 300) model.decide(step.file, { assignee: step.isSet ? 'root' : null })
    } else {
      const path = `/vulnerabilities/${id}/due_date`
      const { status } = step.to ? await admin.put(path, { due_on: step.to }) : await admin.delete(path)
      if (status < 300) model.decide(step.file, { due: step.to ?? null })
    }
  }
}

let runs = 0

test('rules, reports and decisions in any order lead to the result of the model', { timeout: 60_000 }, async () => {
  const server = await startServer()
  const steps = fc.array(command, { minLength: 4, maxLength: 14 })
  const check = async (commands: Command[]) => {
    const project = await server.project(`model-${++runs}/site`)
    const tested = new Tested(server, project)
    for (const file of files) tested.model.reported.set(file, 'medium')
    await tested.report()
    for (const step of commands) {
      await tested.run(step)
      const rows = await tested.rows()
      expect(rows.length).toBe(files.length)
      const shown = Object.fromEntries(rows.map((row) => [row.file, row.shown]))
      const expected = Object.fromEntries(files.map((file) => [file, tested.model.expected(file)]))
      expect(shown, JSON.stringify(step)).toEqual(expected)
    }
    expect(await disagreements(server.deps)).toEqual([])
    for (const { id, level } of tested.model.rules) {
      if (level === 'instance') await server.admin.delete(`/vulnerability_rules/${id}`)
    }
  }
  await fc.assert(fc.asyncProperty(steps, check), { numRuns: testEngine === 'postgres' ? 5 : 25, endOnFailure: true })
})
