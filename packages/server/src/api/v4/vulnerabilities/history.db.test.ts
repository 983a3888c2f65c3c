import { beforeAll, describe, expect, test } from 'vitest'
import { onSqlite } from '../../../testing/databases/database.ts'
import { historyOf, vulnerabilitiesOf } from '../../../testing/reports/imports.ts'
import { entry, sastReport } from '../../../testing/reports/reports.ts'
import { startServer, type TestServer } from '../../../testing/server.ts'

let server: TestServer
beforeAll(async () => {
  server = await startServer()
})

let projects = 0
const freshProject = () => server.project(`acme/history-${++projects}`, { maxAbsentPercent: null })
const [one, two] = [entry({ name: 'One', line: 1 }), entry({ name: 'Two', line: 2, rule: 'b' })]

const triage = (id: number, action: string, fields: object = {}) =>
  server.admin.post(`/vulnerabilities/${id}/${action}`, fields)

describe('an import on the default branch', () => {
  test.runIf(onSqlite)('marks vulnerabilities that its scanner no longer finds, and keeps their state', async () => {
    const project = await freshProject()
    await server.report(project, [one, two])
    const { Two } = await vulnerabilitiesOf(server, project)
    await triage(Two.id, 'confirm')
    const { id: importId } = await server.report(project, [one], { commit_sha: 'c0ffee' })
    expect(await vulnerabilitiesOf(server, project)).toMatchObject({
      One: { resolved_on_default_branch: false, state: 'detected' },
      Two: { resolved_on_default_branch: true, state: 'confirmed', auto_resolved: false },
    })
    expect((await historyOf(server.admin, Two.id)).at(-1)).toMatchObject({
      kind: 'gone',
      text: 'no longer found on main',
      author: { id: 1 },
      import: { id: importId, ref: 'main', commit_sha: 'c0ffee', format: 'gitlab' },
    })
  })

  test.runIf(onSqlite)('continues from the previous default branch after a rename', async () => {
    const project = await freshProject()
    const three = entry({ name: 'Three', line: 3, rule: 'c' })
    const secret = entry({ name: 'Secret', line: 9, rule: 's' })
    // This branch did not contain Two when it became the default branch.
    await server.report(project, [one, two], { ref: 'trunk' })
    await server.report(project, [one], { ref: 'trunk' })
    await server.report(project, [one, two, three])
    await server.report(project, sastReport([secret], undefined, 'secret_detection'))
    expect((await server.admin.put(`/projects/${project.id}`, { default_branch: 'trunk' })).status).toBe(200)
    const { findings } = await server.report(project, [one])
    expect(findings).toMatchObject({ known: 1, gone: 2 })
    await server.report(project, sastReport([], undefined, 'secret_detection'))
    const after = await vulnerabilitiesOf(server, project)
    expect(after).toMatchObject({
      One: { resolved_on_default_branch: false },
      Two: { resolved_on_default_branch: true, state: 'detected' },
      Three: { resolved_on_default_branch: true, state: 'detected' },
      Secret: { resolved_on_default_branch: false },
    })
    expect((await historyOf(server.admin, after['Three'].id)).at(-1)).toMatchObject({ kind: 'gone', ref: 'trunk' })
    expect(await server.report(project, [one])).toMatchObject({ unchanged: true, findings: { gone: 0 } })
    expect((await server.report(project, [one, three])).findings).toMatchObject({ known: 2, gone: 0 })
    expect((await vulnerabilitiesOf(server, project))['Three']).toMatchObject({ resolved_on_default_branch: false })
  })

  test.runIf(onSqlite)(
    'reopens resolved vulnerabilities that are found again, with a system note, and keeps other states',
    async () => {
      const project = await freshProject()
      const entries = [1, 2, 3, 4].map((line) => entry({ name: `Flaw ${line}`, line, rule: `r${line}` }))
      await server.report(project, entries)
      const before = await vulnerabilitiesOf(server, project)
      const act = { 'Flaw 1': 'resolve', 'Flaw 2': 'dismiss', 'Flaw 3': 'confirm' }
      for (const [title, action] of Object.entries(act)) await triage(before[title].id, action)
      await server.report(project, [])
      const { id: importId } = await server.report(project, entries)
      expect(await vulnerabilitiesOf(server, project)).toMatchObject({
        'Flaw 1': { state: 'detected', resolved_at: null, resolved_by_id: null, resolved_on_default_branch: false },
        'Flaw 2': { state: 'dismissed', dismissed_by_id: 1, resolved_on_default_branch: false },
        'Flaw 3': { state: 'confirmed', confirmed_by_id: 1, resolved_on_default_branch: false },
        'Flaw 4': { state: 'detected', resolved_on_default_branch: false },
      })
      expect(await historyOf(server.admin, before['Flaw 1'].id)).toMatchObject([
        { kind: 'created', ref: 'main' },
        { kind: 'state', from: 'detected', to: 'resolved', author: { id: 1 } },
        { kind: 'gone', ref: 'main' },
        { kind: 'back', ref: 'main', import: { id: importId } },
        {
          kind: 'state',
          from: 'resolved',
          to: 'detected',
          author: null,
          import: { id: importId },
          text: 'reverted vulnerability status from Resolved to Detected with the following comment: "found again on the default branch"',
        },
      ])
      const { body: notes } = await server.admin.get(
        `/projects/${project.id}/vulnerabilities/${before['Flaw 1'].id}/notes?sort=asc`,
      )
      expect(notes).toMatchObject([
        { system: true },
        { system: true, author: null, body: expect.stringMatching(/^reverted/) },
      ])
    },
  )

  test.runIf(onSqlite)('records a changed severity together with the changed state', async () => {
    const project = await freshProject()
    await server.report(project, [one])
    const { One } = await vulnerabilitiesOf(server, project)
    await triage(One.id, 'resolve')
    await server.report(project, [{ ...one, severity: 'High' }])
    const changes = (await historyOf(server.admin, One.id)).slice(2)
    expect(changes.map(({ kind, from, to }) => [kind, from, to])).toEqual([
      ['severity', 'medium', 'high'],
      ['state', 'resolved', 'detected'],
    ])
  })

  test.runIf(onSqlite)('reopens a resolved vulnerability that was never absent', async () => {
    const project = await freshProject()
    await server.report(project, [one])
    const { One } = await vulnerabilitiesOf(server, project)
    await triage(One.id, 'resolve')
    await server.report(project, [one])
    expect((await server.admin.get(`/vulnerabilities/${One.id}`)).body.state).toBe('detected')
  })

  test.runIf(onSqlite)('changes nothing of scanners that did not run', async () => {
    const project = await freshProject()
    await server.report(project, sastReport([one], 'first'))
    await server.report(project, sastReport([two], 'second'))
    await server.report(project, sastReport([], 'third'))
    await server.report(project, sastReport([], 'second'))
    expect(await vulnerabilitiesOf(server, project)).toMatchObject({
      One: { resolved_on_default_branch: false },
      Two: { resolved_on_default_branch: true },
    })
  })

  test.runIf(onSqlite)('of gemnasium or trivy covers GitLab’s SBOM scanner, each for its own type', async () => {
    const project = await freshProject()
    const dependency = { package: { name: 'rack' }, version: '1' }
    const inFile = { ...one, location: { file: 'Gemfile.lock', dependency } }
    const inImage = { ...two, location: { image: 'app:1.0', operating_system: 'alpine', dependency } }
    const bills = 'gitlab-sbom-vulnerability-scanner'
    await server.report(project, sastReport([inFile], bills, 'dependency_scanning'))
    await server.report(project, sastReport([inImage], bills, 'container_scanning'))
    const gone = async () => {
      const { One, Two } = await vulnerabilitiesOf(server, project)
      return [One.resolved_on_default_branch, Two.resolved_on_default_branch]
    }
    await server.report(project, sastReport([], 'other', 'dependency_scanning'))
    await server.report(project, sastReport([], 'trivy', 'dependency_scanning'))
    expect(await gone()).toEqual([false, false])
    await server.report(project, sastReport([], 'gemnasium-python', 'dependency_scanning'))
    expect(await gone()).toEqual([true, false])
    await server.report(project, sastReport([], 'trivy', 'container_scanning'))
    expect(await gone()).toEqual([true, true])
  })

  test.runIf(onSqlite)('never marks an absent secret as resolved, because it stays leaked', async () => {
    const project = await freshProject()
    const secret = { ...one, location: { ...one.location, commit: { sha: 'abc' } } }
    await server.report(project, sastReport([secret], undefined, 'secret_detection'))
    await server.admin.put(`/projects/${project.id}`, { auto_resolve_vulnerabilities: true })
    await server.report(project, sastReport([], undefined, 'secret_detection'))
    const { One } = await vulnerabilitiesOf(server, project)
    expect(One).toMatchObject({ report_type: 'secret_detection', resolved_on_default_branch: false, state: 'detected' })
    expect(await historyOf(server.admin, One.id)).toMatchObject([{ kind: 'created' }, { kind: 'gone' }])
  })

  test.runIf(onSqlite)(
    'auto-resolves absent vulnerabilities when the project enables it, and reopens them when they return',
    async () => {
      const project = await freshProject()
      const entries = [1, 2, 3].map((line) => entry({ name: `Flaw ${line}`, line, rule: `r${line}` }))
      await server.report(project, entries)
      const before = await vulnerabilitiesOf(server, project)
      await triage(before['Flaw 2'].id, 'confirm')
      await triage(before['Flaw 3'].id, 'dismiss', { dismissal_reason: 'acceptable_risk' })
      await server.admin.put(`/projects/${project.id}`, { auto_resolve_vulnerabilities: true })
      await server.report(project, [])
      const gone = { resolved_on_default_branch: true, resolved_by_id: null, resolved_at: expect.any(String) }
      expect(await vulnerabilitiesOf(server, project)).toMatchObject({
        'Flaw 1': { ...gone, state: 'resolved', auto_resolved: true },
        'Flaw 2': { ...gone, state: 'resolved', auto_resolved: true, confirmed_by_id: 1 },
        'Flaw 3': { state: 'dismissed', dismissal_reason: 'acceptable_risk', auto_resolved: false },
      })
      expect((await historyOf(server.admin, before['Flaw 1'].id)).at(-1)).toMatchObject({
        kind: 'state',
        to: 'resolved',
        author: null,
        comment: 'no longer found on the default branch',
      })
      await server.report(project, entries)
      expect(await vulnerabilitiesOf(server, project)).toMatchObject({
        'Flaw 1': { state: 'detected', auto_resolved: false, resolved_on_default_branch: false },
        'Flaw 3': { state: 'dismissed', resolved_on_default_branch: false },
      })
    },
  )

  test('resolves untriaged vulnerabilities when the scanner dropped their rule', async () => {
    const project = await freshProject()
    const entries = ['kept', 'dropped', 'confirmed'].map((rule, line) => entry({ name: rule, line: line + 1, rule }))
    await server.report(project, entries)
    const before = await vulnerabilitiesOf(server, project)
    await triage(before['confirmed'].id, 'confirm')
    const report = sastReport([])
    Object.assign(report.scan, { primary_identifiers: [{ type: 'test_rule', name: 'Rule kept', value: 'kept' }] })
    await server.report(project, report, { promote: 'false' })
    expect(await vulnerabilitiesOf(server, project)).toMatchObject({
      kept: { state: 'detected', resolved_on_default_branch: true },
      dropped: { state: 'resolved', auto_resolved: true, resolved_by_id: null },
      confirmed: { state: 'confirmed', resolved_on_default_branch: true },
    })
    expect((await historyOf(server.admin, before['dropped'].id)).at(-1)).toMatchObject({
      comment: 'the scanner no longer has the rule that found it',
    })
  })
})

describe.runIf(onSqlite)('an import on another branch', () => {
  test('changes only that branch’s occurrences', async () => {
    const project = await freshProject()
    await server.report(project, [one, two])
    const before = await vulnerabilitiesOf(server, project)
    await triage(before['One'].id, 'resolve')
    const { One, Two } = await vulnerabilitiesOf(server, project)
    const { id: first } = await server.report(project, [one, two], { ref: 'feature' })
    await server.report(project, [one], { ref: 'feature' })
    const { id: last } = await server.report(project, [one, two], { ref: 'feature' })
    expect(await vulnerabilitiesOf(server, project)).toEqual({ One, Two })
    expect(await historyOf(server.admin, Two.id)).toMatchObject([
      { kind: 'created', ref: 'main' },
      { kind: 'found', ref: 'feature', import: { id: first } },
      { kind: 'gone', ref: 'feature' },
      { kind: 'back', ref: 'feature', import: { id: last }, text: 'found again on feature' },
    ])
  })

  test('creates vulnerabilities for that branch, which the default branch gets when it reports them', async () => {
    const project = await freshProject()
    await server.report(project, [one], { ref: 'feature' })
    const titles = async (query: string) =>
      (await server.admin.get(`/projects/${project.id}/vulnerabilities?${query}`)).body.map(
        (row: { title: string; severity: string }) => `${row.title}, ${row.severity}`,
      )
    const total = async () => (await server.admin.get(`/projects/${project.id}/vulnerability_statistics`)).body.total
    expect([await titles(''), await titles('ref=feature'), await total()]).toEqual([[], ['One, medium'], 0])
    await server.report(project, [{ ...one, name: 'Uno', severity: 'High' }], { ref: 'feature' })
    expect([await titles(''), await titles('ref=feature'), await total()]).toEqual([[], ['Uno, high'], 0])
    await server.report(project, [one])
    expect([await titles(''), await titles('ref=feature'), await total()]).toEqual([
      ['One, medium'],
      ['One, medium'],
      1,
    ])
    const { One } = await vulnerabilitiesOf(server, project)
    expect(await historyOf(server.admin, One.id)).toMatchObject([
      { kind: 'created', ref: 'feature' },
      { kind: 'severity', from: 'medium', to: 'high', ref: 'feature' },
      { kind: 'found', ref: 'main' },
      { kind: 'severity', from: 'high', to: 'medium', ref: 'main' },
    ])
  })

  test('is listed in the occurrences with dates and imports', async () => {
    const clock = { now: '2026-03-01T10:00:00.000Z' }
    const server = await startServer({ clock })
    const project = await server.project('acme/site', { maxAbsentPercent: null })
    const { id: first } = await server.report(project, [one])
    clock.now = '2026-03-02T10:00:00.000Z'
    const { id: branch } = await server.report(project, [one], { ref: 'feature/x', commit_sha: 'abc' })
    clock.now = '2026-03-03T10:00:00.000Z'
    await server.report(project, [])
    const { One } = await vulnerabilitiesOf(server, project)
    const developer = await server.as('developer', project)
    const reply = await developer.get(`/vulnerabilities/${One.id}/occurrences`)
    expect(reply).toMatchObject({
      status: 200,
      body: [
        {
          ref: 'main',
          is_default: true,
          is_present: false,
          first_seen_at: '2026-03-01T10:00:00.000Z',
          last_seen_at: '2026-03-01T10:00:00.000Z',
          first_import: { id: first },
          last_import: { id: first },
        },
        {
          ref: 'feature/x',
          is_default: false,
          is_present: true,
          first_seen_at: '2026-03-02T10:00:00.000Z',
          first_import: { id: branch, ref: 'feature/x', commit_sha: 'abc', scanner: 'Test scanner' },
        },
      ],
    })
    expect(reply.headers['x-total']).toBe('2')
    expect((await developer.get(`/vulnerabilities/${One.id}/occurrences?per_page=1&page=2`)).body).toMatchObject([
      { ref: 'feature/x' },
    ])
  })
})

describe('the history of a vulnerability', () => {
  test.runIf(onSqlite)('has the user who promoted it and the import that found it', async () => {
    const project = await freshProject()
    const imported = await server.report(project, [one], { promote: 'false' })
    const { body: findings } = await server.admin.get(`/projects/${project.id}/vulnerability_findings`)
    const maintainer = await server.as('maintainer', project)
    const { body } = await maintainer.post(`/projects/${project.id}/vulnerabilities`, { finding_id: findings[0].id })
    expect(await historyOf(maintainer, body.id)).toMatchObject([
      { kind: 'created', author: { id: maintainer.user?.id }, import: { id: imported.id }, ref: 'main' },
    ])
  })

  test('is paged, in both orders', async () => {
    const project = await freshProject()
    await server.report(project, [one])
    const { One } = await vulnerabilitiesOf(server, project)
    for (const action of ['confirm', 'revert', 'confirm']) await triage(One.id, action)
    const all = await historyOf(server.admin, One.id)
    expect(all.map(({ to }) => to)).toEqual([null, 'confirmed', 'detected', 'confirmed'])
    const reply = await server.admin.get(`/vulnerabilities/${One.id}/history?sort=desc&per_page=3&page=2`)
    expect(reply.body).toEqual([all[0]])
    expect(reply.headers['x-total']).toBe('4')
  })

  test.runIf(onSqlite)('keeps its entries when their users are deleted', async () => {
    const project = await freshProject()
    await server.report(project, [one])
    const { One } = await vulnerabilitiesOf(server, project)
    const maintainer = await server.as('maintainer', project)
    await maintainer.post(`/vulnerabilities/${One.id}/confirm`, { comment: 'real' })
    await maintainer.post(`/projects/${project.id}/vulnerabilities/${One.id}/notes`, { body: 'see the wiki' })
    await maintainer.post(`/vulnerabilities/${One.id}/issue_links`, { url: 'https://tracker.test/1' })
    expect((await server.admin.delete(`/users/${maintainer.user?.id}`)).status).toBeLessThan(300)
    expect(await historyOf(server.admin, One.id)).toMatchObject([
      { kind: 'created', author: { id: 1 } },
      { kind: 'state', author: { username: 'ghost' }, comment: 'real' },
      { kind: 'note', author: { username: 'ghost' }, text: 'see the wiki' },
      { kind: 'linked', author: { username: 'ghost' }, details: { url: 'https://tracker.test/1' } },
    ])
  })
})
