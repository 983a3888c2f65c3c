import { beforeAll, describe, expect, test } from 'vitest'
import { historyOf, vulnerabilitiesOf } from '../../../testing/reports/imports.ts'
import { entry, sastReport } from '../../../testing/reports/reports.ts'
import { startServer, type TestProject, type TestServer } from '../../../testing/server.ts'

let server: TestServer
beforeAll(async () => {
  server = await startServer()
})

let projects = 0
const freshProject = () => server.project(`acme/later-${++projects}`, { maxAbsentPercent: null })

type Fields = {
  ref?: string
  category?: string
}

const send = (project: TestProject, fields: Fields, ...entries: object[]) => server.report(project, entries, fields)

const named = (name: string) => entry({ name, file: `${name}.ts` })

async function listed(project: TestProject, query = ''): Promise<string[]> {
  const { body } = await server.admin.get(`/projects/${project.id}/vulnerability_findings?per_page=100${query}`)
  return body.map(({ name }: { name: string }) => name).sort()
}

describe('a finding of two categories', () => {
  const at = (line: number) => entry({ name: 'Shared', line, code: 'eval(input)' })

  test('stays one finding with its state when it moves in one report after the other', async () => {
    const project = await freshProject()
    await send(project, { category: 'a' }, at(10))
    await send(project, { category: 'b' }, at(10))
    const { Shared: before } = await vulnerabilitiesOf(server, project)
    await server.admin.post(`/vulnerabilities/${before.id}/dismiss`, {})
    expect((await send(project, { category: 'a' }, at(12))).findings).toMatchObject({ new: 0, moved: 1, gone: 0 })
    expect((await send(project, { category: 'b' }, at(12))).findings).toMatchObject({ new: 0, known: 1, gone: 0 })
    expect(await send(project, { category: 'a' }, at(12))).toMatchObject({ unchanged: true })
    const { body } = await server.admin.get(`/projects/${project.id}/vulnerabilities`)
    expect(body).toMatchObject([{ id: before.id, state: 'dismissed', finding: { location: { start_line: 12 } } }])
    expect((await historyOf(server.admin, before.id)).map(({ kind }) => kind)).toEqual(['created', 'state', 'matched'])
    expect((await send(project, { category: 'a' })).findings).toMatchObject({ gone: 0 })
    expect((await send(project, { category: 'b' })).findings).toMatchObject({ gone: 1 })
  })

  test('has the first import of the other category as last_import, even an incomplete one', async () => {
    const project = await freshProject()
    await send(project, { category: 'b' }, named('shared'))
    await send(project, { category: 'a' }, named('a1'))
    const report = { ...sastReport([named('shared')]) }
    report.scan.status = 'failure'
    const joined = await server.report(project, report, { promote: 'false', category: 'a' })
    expect(joined.findings).toMatchObject({ known: 1, gone: 0 })
    const { shared } = await vulnerabilitiesOf(server, project)
    const { body } = await server.admin.get(`/vulnerabilities/${shared.id}/occurrences`)
    expect(body).toMatchObject([{ ref: 'main', is_present: true, last_import: { id: joined.id } }])
  })

  test('is listed for the first import of each category, even after that category no longer has it', async () => {
    const project = await freshProject()
    const first = await send(project, { category: 'a' }, named('shared'), named('a1'))
    const second = await send(project, { category: 'b' }, named('shared'), named('b1'))
    expect(await listed(project, `&pipeline_id=${first.id}`)).toEqual(['a1', 'shared'])
    expect(await listed(project, `&pipeline_id=${second.id}`)).toEqual(['b1', 'shared'])
    await send(project, { category: 'a' }, named('a1'))
    expect(await listed(project, `&pipeline_id=${first.id}`)).toEqual(['a1', 'shared'])
    expect(await listed(project, `&pipeline_id=${second.id}`)).toEqual(['b1', 'shared'])
  })
})

describe('on a non-default branch', () => {
  test('a category does not match findings that only other categories of the default branch have as moved', async () => {
    const project = await freshProject()
    const at = (line: number, file: string) =>
      entry({ name: file, file, line, code: 'eval(await request.body.text())' })
    await send(project, { category: 'a' }, at(10, 'a.ts'))
    expect((await send(project, { category: 'b', ref: 'feature' }, at(10, 'b.ts'))).findings).toMatchObject({
      new: 1,
      moved: 0,
    })
    expect((await send(project, { category: 'a', ref: 'feature' }, at(12, 'a.ts'))).findings).toMatchObject({
      new: 0,
      moved: 1,
    })
    expect(await listed(project, '&ref=feature')).toEqual(['a.ts', 'b.ts'])
  })

  test('a category matches its findings of the default branch as moved, even when another category was there first', async () => {
    const project = await freshProject()
    const at = (line: number) => entry({ line, code: 'eval(input)' })
    await send(project, { category: 'a' }, at(10))
    await send(project, { category: 'b' }, at(10))
    await send(project, { category: 'a', ref: 'feature' }, at(10))
    expect((await send(project, { category: 'b', ref: 'feature' }, at(12))).findings).toMatchObject({
      new: 0,
      moved: 1,
    })
    expect((await send(project, { category: 'a', ref: 'feature' }, at(12))).findings).toMatchObject({ new: 0, gone: 0 })
  })
})

describe('after the default branch is renamed', () => {
  test('a finding of two categories becomes absent only after reports of both lack it', async () => {
    const project = await freshProject()
    await send(project, { category: 'a' }, named('shared'), named('a1'))
    await send(project, { category: 'b' }, named('shared'), named('b1'))
    await server.admin.put(`/projects/${project.id}`, { default_branch: 'trunk' })
    expect((await send(project, { category: 'a' }, named('a1'))).findings).toMatchObject({ known: 1, gone: 0 })
    expect(await vulnerabilitiesOf(server, project)).toMatchObject({ shared: { resolved_on_default_branch: false } })
    expect((await send(project, { category: 'b' }, named('b1'))).findings).toMatchObject({ known: 1, gone: 1 })
    expect(await vulnerabilitiesOf(server, project)).toMatchObject({ shared: { resolved_on_default_branch: true } })
    expect(await send(project, { category: 'b' }, named('b1'))).toMatchObject({ unchanged: true })
  })
})

describe('a report with a category', () => {
  test('auto-resolves by removed rules only findings of its category', async () => {
    const project = await freshProject()
    const withRules = async (category: string, rules: string[], ...entries: object[]) => {
      const report = sastReport(entries)
      const identifiers = rules.map((value) => ({ type: 'test_rule', name: `Rule ${value}`, value }))
      Object.assign(report.scan, { primary_identifiers: identifiers })
      await server.report(project, report, { category })
    }
    await withRules('a', ['r1'], entry({ name: 'A', rule: 'r1', file: 'a.ts' }))
    await withRules('b', ['r2'], entry({ name: 'B', rule: 'r2', file: 'b.ts' }))
    await withRules('b', ['r2'])
    await withRules('a', ['r1'], entry({ name: 'A', rule: 'r1', file: 'a.ts' }))
    expect(await vulnerabilitiesOf(server, project)).toMatchObject({
      B: { state: 'detected', resolved_on_default_branch: true },
    })
    await withRules('b', ['r3'])
    expect(await vulnerabilitiesOf(server, project)).toMatchObject({ B: { state: 'resolved' } })
  })

  test('matches findings as moved since a report without a category', async () => {
    const project = await freshProject()
    const at = (line: number, file: string) =>
      entry({ name: file, file, line, code: 'eval(await request.body.text())' })
    await send(project, {}, at(10, 'a.ts'), at(10, 'b.ts'))
    expect((await send(project, { category: 'a' }, at(12, 'a.ts'))).findings).toMatchObject({ new: 0, moved: 1 })
    // The code of b.ts may still be there.
    expect((await send(project, { category: 'a' }, at(12, 'a.ts'), at(1, 'c.ts'))).findings).toMatchObject({
      new: 1,
      moved: 0,
    })
    expect((await send(project, { category: 'b' }, at(12, 'b.ts'))).findings).toMatchObject({ new: 0, moved: 1 })
    expect(await listed(project)).toEqual(['a.ts', 'b.ts', 'c.ts'])
  })

  test('still covers its findings after a report without a category brought them back', async () => {
    const project = await freshProject()
    await send(project, { category: 'a' }, named('a1'))
    await send(project, { category: 'b' }, named('b1'))
    expect((await send(project, {})).findings).toMatchObject({ gone: 2 })
    expect((await send(project, {}, named('a1'), named('b1'))).findings).toMatchObject({ returned: 2 })
    expect((await send(project, { category: 'a' })).findings).toMatchObject({ gone: 1 })
    expect(await listed(project)).toEqual(['b1'])
  })
})
