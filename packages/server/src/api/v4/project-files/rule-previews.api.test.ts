import sql from 'sql-template-tag'
import { beforeAll, describe, expect, test } from 'vitest'
import type { Client } from '../../../testing/client.ts'
import { vulnerabilitiesOf } from '../../../testing/reports/imports.ts'
import { entry, sastReport } from '../../../testing/reports/reports.ts'
import { startServer, type TestProject, type TestServer } from '../../../testing/server.ts'

let server: TestServer
beforeAll(async () => {
  server = await startServer()
})

let projects = 0
const newProject = () => server.project(`acme/previewed-${++projects}`, { maxAbsentPercent: null })

const report = (...files: string[]) =>
  sastReport(
    files.map((file) => entry({ name: file, file, rule: file })),
    'trivy',
  )

interface Options {
  isDryRun?: boolean
  as?: Client
}

function send({ id }: TestProject, sent: object, files: Record<string, string>, options: Options = {}) {
  const { isDryRun = false, as = server.admin } = options
  const data = new FormData()
  if (as === server.admin) data.append('promote', 'true')
  if (isDryRun) data.append('dry_run', 'true')
  data.append('file', new Blob([JSON.stringify(sent)]), 'report.json')
  for (const [path, content] of Object.entries(files)) data.append('project_files[]', new Blob([content]), path)
  return as.post(`/projects/${id}/security_reports`, data)
}

const alcoveYml = (...rules: string[]) => ['version: 1', 'rules:', ...rules.map((rule) => `  - ${rule}`)].join('\n')
const rule = (name: string, path: string, action: string, more = '') =>
  `{ name: ${name}, match: { path: "${path}" }, action: { ${action} }${more} }`
const inTests = rule('Tests', 'test/**', 'dismiss: { reason: used_in_tests }')

/** The previews of a dry run by the names of rules, with the titles of the samples, and without counts that are 0. */
function previewsOf(file: { rule_previews: Record<string, unknown>[] }) {
  return Object.fromEntries(
    file.rule_previews.map(({ name, samples, ...preview }) => [
      name,
      {
        ...Object.fromEntries(Object.entries(preview).filter(([, value]) => value !== 0)),
        samples: (samples as { title: string }[]).map(({ title }) => title),
      },
    ]),
  )
}

async function statesOf(project: TestProject) {
  const found = await vulnerabilitiesOf(server, project)
  return Object.fromEntries(
    Object.entries(found).map(([title, { state, severity, assignee, tags }]) => [
      title,
      [state, severity, assignee?.username ?? null, tags],
    ]),
  )
}

describe('a dry run of a report with rules in its files', () => {
  test('shows what each rule would change, as the import then does', async () => {
    const project = await newProject()
    const owner = await server.as('maintainer', project)
    const username = owner.user?.username ?? ''
    const sent = report('test/a.ts', 'src/b.ts', 'lib/c.ts', 'docs/d.md', 'other/e.ts')
    const docs = rule('Docs', 'docs/**', 'tags: [docs]')
    await send(project, sent, { 'alcove.yml': alcoveYml(inTests, docs) })
    await server.runJobs()
    const { 'lib/c.ts': decided } = await vulnerabilitiesOf(server, project)
    await server.admin.post(`/vulnerabilities/${decided.id}/confirm`)
    const before = await statesOf(project)
    expect(before).toMatchObject({
      'test/a.ts': ['dismissed', 'medium', null, []],
      'docs/d.md': ['detected', 'medium', null, ['docs']],
    })

    const files = {
      'alcove.yml': alcoveYml(
        rule('Renamed', 'test/**', 'dismiss: { reason: used_in_tests }'),
        rule('Library', 'lib/**', 'dismiss: { reason: false_positive }'),
        rule('Sources', 'src/**', `severity: low, assignee: ${username}, due_in_days: 7`),
        rule('Off', 'other/**', 'severity: info', ', enabled: false'),
        rule('Nothing left', 'src/b.ts', 'severity: info'),
      ),
      '.trivyignore': 'other/e.ts\nCVE-2099-0001',
    }
    const stored = () =>
      server.deps.db.all(sql`select id, name, updated_at from vulnerability_rules where project_id = ${project.id}`)
    const rules = await stored()
    const dryRun = await send(project, sent, files, { isDryRun: true })
    expect(dryRun.status).toBe(201)
    const byName = Object.fromEntries(
      dryRun.body.project_files.map((file: { name: string; rule_previews: Record<string, unknown>[] }) => [
        file.name,
        previewsOf(file),
      ]),
    )
    const of = { total: 5, examined: 5 }
    expect(byName['alcove.yml']).toEqual({
      Renamed: { ...of, change: 'updated', matched: 1, samples: [] },
      Library: { ...of, change: 'created', matched: 1, kept: 1, samples: [] },
      Sources: {
        ...{ ...of, change: 'created', matched: 1, changed: 1 },
        ...{ severity: 1, assigned: 1, due_date: 1, samples: ['src/b.ts'] },
      },
      Off: { ...of, change: 'created', samples: [] },
      'Nothing left': { ...of, change: 'created', samples: [] },
      Docs: { ...of, change: 'removed', changed: 1, reverted: 1, samples: ['docs/d.md'] },
    })
    expect(Object.values(byName['.trivyignore'])).toEqual([
      { ...of, change: 'created', matched: 1, changed: 1, dismissed: 1, samples: ['other/e.ts'] },
    ])
    const [, , sources] = dryRun.body.project_files[0].rule_previews
    expect(sources.samples[0]).toMatchObject({
      ...{ project_id: project.id, path_with_namespace: project.path_with_namespace },
      before: { state: 'detected', severity: 'medium', assignee_id: null, due_on: null, tags: [] },
      after: { severity: 'low', assignee_id: owner.user?.id, due_on: expect.any(String) },
    })
    expect([await statesOf(project), await stored()]).toEqual([before, rules])

    const done = await send(project, sent, files)
    expect(done.body.project_files).toMatchObject([{ rule_previews: [] }, { rule_previews: [] }])
    await server.runJobs()
    expect(await statesOf(project)).toMatchObject({
      'test/a.ts': ['dismissed', 'medium', null, []],
      'lib/c.ts': ['confirmed', 'medium', null, []],
      'src/b.ts': ['detected', 'low', username, []],
      'docs/d.md': ['detected', 'medium', null, []],
      'other/e.ts': ['dismissed', 'medium', null, []],
    })
    const again = await send(project, sent, files, { isDryRun: true })
    expect(again.body.project_files[0].status).toBe('unchanged')
    for (const { change, changed, reverted } of again.body.project_files[0].rule_previews) {
      expect([change, changed, reverted]).toEqual(['unchanged', 0, 0])
    }
  })

  test('has up to ten samples of a rule, and none for a token that may only send reports', async () => {
    const project = await newProject()
    const names = Array.from({ length: 12 }, (_, index) => `test/${index}.ts`)
    await send(project, report(...names), {})
    const files = { 'alcove.yml': alcoveYml(inTests) }
    const dryRun = await send(project, report(...names), files, { isDryRun: true })
    const [preview] = dryRun.body.project_files[0].rule_previews
    expect(preview).toMatchObject({ total: 12, changed: 12, dismissed: 12 })
    expect(preview.samples).toHaveLength(10)

    const maintainer = await server.as('maintainer', project)
    await maintainer.put(`/projects/${project.id}`, { accept_reporters_files: true })
    const narrow = await server.client(maintainer, { scopes: ['write_security_reports'] })
    const { status, body } = await send(project, report(...names), files, { isDryRun: true, as: narrow })
    expect(status).toBe(201)
    expect(body.project_files[0].rule_previews).toMatchObject([{ dismissed: 12, samples: [] }])
  })

  test('evaluates the rules of users and of other files first, as the import does', async () => {
    const project = await newProject()
    await send(project, report('test/a.ts', 'test/b.ts'), { '.trivyignore': 'test/a.ts' })
    await server.runJobs()
    const created = await server.admin.post(`/projects/${project.id}/vulnerability_rules`, {
      ...{ name: 'Mine', match: { path: ['test/b.ts'] }, action: { severity: 'low' } },
    })
    expect(created.status).toBe(201)
    await server.runJobs()
    const files = { 'alcove.yml': alcoveYml(inTests) }
    const dryRun = await send(project, report('test/a.ts', 'test/b.ts'), files, { isDryRun: true })
    expect(dryRun.body.project_files[0].rule_previews).toMatchObject([{ matched: 0, changed: 0, reverted: 0 }])
    await send(project, report('test/a.ts', 'test/b.ts'), files)
    await server.runJobs()
    expect(await statesOf(project)).toMatchObject({ 'test/b.ts': ['detected', 'low', null, []] })
  })
})
