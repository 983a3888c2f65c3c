import sql from 'sql-template-tag'
import { beforeAll, describe, expect, test } from 'vitest'
import { formWithFile } from '../../../testing/client.ts'
import { historyOf, vulnerabilitiesOf } from '../../../testing/reports/imports.ts'
import { entry, sastReport } from '../../../testing/reports/reports.ts'
import { startServer, type TestProject, type TestServer } from '../../../testing/server.ts'

let server: TestServer
beforeAll(async () => {
  server = await startServer()
})

let projects = 0
const freshProject = () => server.project(`acme/categories-${++projects}`, { maxAbsentPercent: null })

const flaw = (name: string, file = `${name}.ts`) => entry({ name, file })

/** Imports a report with these flaws, each in a different file. */
const send = (project: TestProject, category: string | undefined, names: string[], fields: { ref?: string } = {}) =>
  server.report(
    project,
    names.map((name) => flaw(name)),
    { ...fields, ...(category !== undefined && { category }) },
  )

async function present(project: TestProject, ref = 'main'): Promise<string[]> {
  const { body } = await server.admin.get(`/projects/${project.id}/vulnerability_findings?ref=${ref}&per_page=100`)
  return body.map(({ name }: { name: string }) => name).sort()
}

async function occurrenceOf(project: TestProject, name: string) {
  const { [name]: vulnerability } = await vulnerabilitiesOf(server, project)
  return (await server.admin.get(`/vulnerabilities/${vulnerability.id}/occurrences`)).body[0]
}

describe('a report with a category', () => {
  test('makes only findings of its category absent', async () => {
    const project = await freshProject()
    expect(await send(project, 'image-a', ['a1', 'a2'])).toMatchObject({
      category: 'image-a',
      findings: { new: 2, gone: 0 },
    })
    expect((await send(project, 'image-b', ['b1', 'b2'])).findings).toMatchObject({ new: 2, gone: 0 })
    expect((await send(project, 'image-a', ['a1'])).findings).toMatchObject({ known: 1, gone: 1 })
    expect(await present(project)).toEqual(['a1', 'b1', 'b2'])
    expect(await vulnerabilitiesOf(server, project)).toMatchObject({
      a1: { resolved_on_default_branch: false },
      a2: { resolved_on_default_branch: true },
      b1: { resolved_on_default_branch: false },
    })
    expect(await send(project, 'image-b', ['b1', 'b2'])).toMatchObject({ unchanged: true })
    expect((await send(project, 'image-b', [])).findings).toMatchObject({ gone: 2 })
    expect(await present(project)).toEqual(['a1'])
    const { body } = await server.admin.get(`/projects/${project.id}/security_reports`)
    expect(body.map(({ category }: { category: string }) => category)).toEqual([
      'image-b',
      'image-b',
      'image-a',
      'image-b',
      'image-a',
    ])
  })

  test('keeps findings that another category also has, without an entry in the history', async () => {
    const project = await freshProject()
    await send(project, 'a', ['shared', 'a1'])
    expect((await send(project, 'b', ['shared', 'b1'])).findings).toMatchObject({ new: 1, known: 1, gone: 0 })
    expect((await send(project, 'a', ['a1'])).findings).toMatchObject({ known: 1, gone: 0 })
    const { shared } = await vulnerabilitiesOf(server, project)
    expect(shared).toMatchObject({ resolved_on_default_branch: false })
    expect((await historyOf(server.admin, shared.id)).map(({ kind }) => kind)).toEqual(['created'])
    const last = await send(project, 'b', ['b1'])
    expect(last.findings).toMatchObject({ known: 1, gone: 1 })
    expect(await present(project)).toEqual(['a1', 'b1'])
    expect((await historyOf(server.admin, shared.id)).map(({ kind }) => kind)).toEqual(['created', 'gone'])
    // It reappears in one category; the other one does not cover it.
    expect((await send(project, 'a', ['a1', 'shared'])).findings).toMatchObject({ returned: 1 })
    expect(await send(project, 'b', ['b1'])).toMatchObject({ unchanged: true })
    expect(await present(project)).toEqual(['a1', 'b1', 'shared'])
  })

  test('keeps findings of reports without a category until such a report lacks them', async () => {
    const project = await freshProject()
    await send(project, undefined, ['old', 'a1'])
    expect((await send(project, 'a', ['a1', 'a2'])).findings).toMatchObject({ new: 1, known: 1, gone: 0 })
    expect(await present(project)).toEqual(['a1', 'a2', 'old'])
    // Now the category contains it.
    expect((await send(project, 'a', ['a2'])).findings).toMatchObject({ gone: 1 })
    await send(project, 'b', ['b1'])
    expect(await send(project, undefined, ['a2'])).toMatchObject({ category: null, findings: { known: 1, gone: 2 } })
    expect(await present(project)).toEqual(['a2'])
  })

  test('affects only its own ref', async () => {
    const project = await freshProject()
    await send(project, 'a', ['a1', 'a2'])
    await send(project, 'a', ['a1'], { ref: 'feature' })
    await send(project, 'b', ['b1'], { ref: 'feature' })
    expect(await present(project)).toEqual(['a1', 'a2'])
    expect(await present(project, 'feature')).toEqual(['a1', 'b1'])
    expect((await send(project, 'a', [], { ref: 'feature' })).findings).toMatchObject({ gone: 1 })
    expect(await present(project)).toEqual(['a1', 'a2'])
    expect(await present(project, 'feature')).toEqual(['b1'])
  })

  test('does not match a finding as moved while another category has it at its location', async () => {
    const project = await freshProject()
    const sent = (category: string, line: number) =>
      server.report(project, [entry({ line, code: 'eval(input)' })], { category })
    await sent('a', 10)
    expect((await sent('b', 20)).findings).toMatchObject({ new: 1, moved: 0, gone: 0 })
    expect((await sent('a', 12)).findings).toMatchObject({ new: 0, known: 1, moved: 1, gone: 0 })
    expect(await sent('b', 20)).toMatchObject({ unchanged: true })
  })

  test('updates last_import only for findings of its category', async () => {
    const project = await freshProject()
    const { id: first } = await send(project, 'a', ['a1'])
    await send(project, 'b', ['b1'])
    expect((await occurrenceOf(project, 'a1')).last_import).toMatchObject({ id: first })
    const { id: second } = await send(project, 'a', ['a1'])
    await send(project, 'b', ['b1'])
    expect((await occurrenceOf(project, 'a1')).last_import).toMatchObject({ id: second })
    const { id: whole } = await send(project, undefined, ['a1', 'b1'])
    expect((await occurrenceOf(project, 'a1')).last_import).toMatchObject({ id: whole })
    const ofImport = async (id: number) =>
      (await server.admin.get(`/projects/${project.id}/vulnerability_findings?pipeline_id=${id}`)).body.map(
        ({ name }: { name: string }) => name,
      )
    expect(await ofImport(second)).toEqual(['a1'])
    expect(await ofImport(whole)).toEqual(['a1', 'b1'])
  })

  test('is named by the occurrences and the history of its findings', async () => {
    const project = await freshProject()
    await send(project, 'image-b', ['shared'])
    await send(project, 'image-a', ['shared'])
    expect(await occurrenceOf(project, 'shared')).toMatchObject({
      categories: ['image-a', 'image-b'],
      first_import: { category: 'image-b' },
    })
    await send(project, 'image-b', [])
    await send(project, 'image-a', [])
    expect(await occurrenceOf(project, 'shared')).toMatchObject({ is_present: false, categories: ['image-a'] })
    const { shared } = await vulnerabilitiesOf(server, project)
    const kinds = (await historyOf(server.admin, shared.id)).map((entry) => [entry.kind, entry.import.category])
    expect(kinds).toEqual([
      ['created', 'image-b'],
      ['gone', 'image-a'],
    ])
  })

  test('returns in a dry run the counts of the import, and changes nothing', async () => {
    const project = await freshProject()
    await send(project, 'a', ['a1', 'a2'])
    await send(project, 'b', ['b1'])
    const dryRun = (category: string | undefined) =>
      server.report(project, [flaw('a1')], { dry_run: 'true', ...(category && { category }) })
    expect(await dryRun('a')).toMatchObject({ category: 'a', findings: { known: 1, gone: 1 } })
    expect(await dryRun('never seen')).toMatchObject({ findings: { known: 1, gone: 0 } })
    expect(await dryRun(undefined)).toMatchObject({ findings: { known: 1, gone: 2 } })
    expect(await present(project)).toEqual(['a1', 'a2', 'b1'])
    expect(await categoriesOf(project)).toEqual(['a', 'b'])
  })

  test('stores no category when it is rejected', async () => {
    const project = await freshProject()
    const path = `/projects/${project.id}/security_reports`
    const report = JSON.stringify(sastReport([]))
    const blank = await server.admin.post(path, formWithFile('file', 'r.json', report, { category: '' }))
    expect([blank.status, blank.body]).toEqual([400, { error: 'category is empty' }])
    const long = await server.admin.post(path, formWithFile('file', 'r.json', report, { category: 'x'.repeat(256) }))
    expect([long.status, long.body]).toEqual([
      400,
      { message: { category: ['is too long (maximum is 255 characters)'] } },
    ])
    const broken = await server.admin.post(path, formWithFile('file', 'r.json', `${report} {`, { category: 'broken' }))
    expect(broken.status).toBe(400)
    expect(await categoriesOf(project)).toEqual([])
    expect((await server.admin.get(path)).body).toEqual([])
  })
})

async function categoriesOf({ id }: TestProject): Promise<string[]> {
  const rows = await server.deps.db.all<{ name: string }>(sql`
    select name from report_categories where project_id = ${id} order by name`)
  return rows.map(({ name }) => name)
}
