import { setImmediate } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { disagreements } from '../../../testing/kept-counts.ts'
import { entry } from '../../../testing/reports/reports.ts'
import { insertMadeUp, usual } from '../../../testing/reports/vulnerabilities.ts'
import { startServer } from '../../../testing/server.ts'
import { rulesJob } from './apply-job.ts'

const total = 20_000
const rule = {
  name: 'Tests',
  match: { path: 'test/**', identifier: 'CWE-327', ref: 'main' },
  action: { dismiss: { reason: 'used_in_tests' }, severity: 'low', assignee: 'root', due_in_days: 3 },
}

test('20,000 findings are changed and reverted in batches, from where an interrupted job has stopped', async () => {
  const statements: { text: string; values: readonly unknown[] }[] = []
  const server = await startServer({ observe: ({ text, values }) => statements.push({ text, values }) })
  const project = await server.project('acme/site')
  const all = Array.from({ length: total }, (_, index) => ({
    ...usual,
    ...{ id: index + 1, projectId: project.id, file: index % 10 === 0 ? 'test/a.js' : 'src/a.js' },
  }))
  await insertMadeUp(server.deps.db, all, server.deps.now())
  // The rows of the test have no history of their own.
  const atFirst = await disagreements(server.deps)
  const path = `/projects/${project.id}/vulnerability_rules`
  const { body: created } = await server.admin.post(path, rule)
  const countOf = async (filter: string) => {
    const { headers } = await server.admin.get(`/projects/${project.id}/vulnerabilities?per_page=1&${filter}`)
    return Number(headers['x-total'])
  }

  statements.length = 0
  const payload = { owner: { kind: 'project', id: project.id } }
  const seen: number[] = []
  const runOnce = async (stopAt: number) => {
    const stop = new AbortController()
    const progress = async (done: number, of: number) => {
      seen.push(done)
      expect(of).toBe(total)
      if (done >= stopAt) stop.abort()
      await setImmediate()
    }
    const job = { id: 1, payload, attempt: 1, lane: 'x', signal: stop.signal, progress, forget: async () => {} }
    return rulesJob.run(server.deps, job)
  }
  await expect(runOnce(5_000)).rejects.toThrow()
  expect(seen.at(-1)).toBe(5_000)
  expect(await countOf('state=dismissed')).toBe(500)
  await runOnce(Number.POSITIVE_INFINITY)
  expect(seen.slice(0, 22)).toEqual(Array.from({ length: 22 }, (_, index) => 250 * (index + 1)))
  expect(await countOf('state=dismissed')).toBe(total / 10)
  expect(await disagreements(server.deps)).toEqual(atFirst)

  // The rules are read and compiled once in each of the two runs, not for each of the 80 batches.
  expect(statements.filter(({ text }) => text.includes('r.match, r.action'))).toHaveLength(2)
  const written = statements.filter(({ text }) => !/\b(jobs|promoted_findings)\b/.test(text))
  expect(written.length).toBeLessThan(25 * (total / 250))
  // A parameter has the rows of one batch, so that memory does not grow with the number of findings.
  const largest = Math.max(...written.flatMap(({ values }) => values.map((value) => String(value).length)))
  expect(largest).toBeLessThan(600 * 250)

  await server.admin.put(`${path}/${created.id}`, { enabled: false })
  await server.runJobs()
  expect(await countOf('state=dismissed')).toBe(0)
  expect(await countOf(`rule_id=${created.id}`)).toBe(0)
  expect(await countOf('severity=low')).toBe(0)
  expect(await disagreements(server.deps)).toEqual(atFirst)
})

test('an import reads one statement more without rules, and a constant number for each batch with them', async () => {
  const texts: string[] = []
  const server = await startServer({ observe: ({ text }) => texts.push(text) })
  const importNew = async (path: string, count: number, withRule: boolean) => {
    const project = await server.project(path)
    if (withRule) await server.admin.post(`/projects/${project.id}/vulnerability_rules`, rule)
    await server.runJobs()
    texts.length = 0
    const entries = Array.from({ length: count }, (_, line) =>
      entry({ line: line + 1, rule: `r-${line}`, file: 'test/a.js' }),
    )
    await server.report(project, entries)
    return texts.filter((text) => !/\b(jobs|imports)\b/.test(text))
  }
  const rulesOf = (all: readonly string[]) => all.filter((text) => text.includes('vulnerability_rules')).length
  const without = await importNew('acme/none', 400, false)
  expect(rulesOf(without)).toBeLessThanOrEqual(2)
  const few = await importNew('acme/few', 100, true)
  const many = await importNew('acme/many', 400, true)
  expect(many.length - without.length).toBeLessThan(4 * 20)
  expect(few.length).toBeLessThan(without.length + 25)
})
