import sql from 'sql-template-tag'
import { beforeAll, describe, expect, test } from 'vitest'
import { type Client, createClient } from '../../../testing/client.ts'
import { onSqlite } from '../../../testing/databases/database.ts'
import { historyOf, keepReport, runImport, vulnerabilitiesOf } from '../../../testing/reports/imports.ts'
import { entry, sastReport } from '../../../testing/reports/reports.ts'
import { startServer, type TestProject, type TestServer } from '../../../testing/server.ts'

let server: TestServer
beforeAll(async () => {
  server = await startServer()
})

let projects = 0
const newProject = () => server.project(`acme/files-${++projects}`, { maxAbsentPercent: null })

const inFile = (file: string) => entry({ name: file, file, rule: file })
const report = (...files: string[]) => sastReport(files.map(inFile))

type Fields = Record<string, string>
type Files = Record<string, string | Uint8Array>

function form(sent: object, files: Files, fields: Fields = {}, field = 'project_files[]'): FormData {
  const data = new FormData()
  for (const [name, value] of Object.entries(fields)) data.append(name, value)
  data.append('file', new Blob([JSON.stringify(sent)]), 'report.json')
  for (const [path, content] of Object.entries(files)) data.append(field, new Blob([Buffer.from(content)]), path)
  return data
}

const send = (
  { id }: TestProject,
  sent: object,
  files: Files,
  { fields = {}, as = server.admin, field = 'project_files[]' }: { fields?: Fields; as?: Client; field?: string } = {},
) => as.post(`/projects/${id}/security_reports`, form(sent, files, { promote: 'true', ...fields }, field))

async function assignees(project: TestProject): Promise<Record<string, string | null>> {
  const found = await vulnerabilitiesOf(server, project)
  return Object.fromEntries(Object.entries(found).map(([title, { assignee }]) => [title, assignee?.username ?? null]))
}

const nameOf = ({ user }: Client) => user?.username ?? ''

describe('CODEOWNERS of a report', () => {
  test.runIf(onSqlite)(
    'assigns unassigned vulnerabilities, old ones and new ones, to the first owner who may triage',
    async () => {
      const project = await newProject()
      const [one, two, guest] = [
        await server.as('maintainer', project),
        await server.as('maintainer', project),
        await server.as('guest', project),
      ]
      const email = (await server.admin.get(`/users/${two.user?.id}`)).body.email
      await send(project, report('src/a.ts', 'docs/b.md', 'c.txt'), {})
      const text = `* @${nameOf(guest)} @missing-user @acme/team\nsrc/ @${nameOf(guest)} @${nameOf(one).toUpperCase()} @${nameOf(two)}\n*.md ${email}\n`
      const dryRun = await send(
        project,
        report('src/a.ts', 'docs/b.md', 'c.txt', 'src/new.ts'),
        { CODEOWNERS: text },
        { fields: { dry_run: 'true' } },
      )
      const effect = {
        name: 'CODEOWNERS',
        path: 'CODEOWNERS',
        status: 'applied',
        assigned: 2,
        rules: 0,
        warnings: [{ line: 1, message: '@acme/team is a group or team; only users are assigned' }],
        rule_previews: [],
      }
      expect(dryRun.body.project_files).toEqual([effect])
      expect(await assignees(project)).toEqual({ 'src/a.ts': null, 'docs/b.md': null, 'c.txt': null })
      expect((await server.admin.get(`/projects/${project.id}/codeowners`)).status).toBe(404)

      const done = await send(project, report('src/a.ts', 'docs/b.md', 'c.txt', 'src/new.ts'), { CODEOWNERS: text })
      expect(done.body).toMatchObject({ project_files: [effect], warnings: [] })
      expect(await assignees(project)).toEqual({
        'src/a.ts': nameOf(one),
        'src/new.ts': nameOf(one),
        'docs/b.md': nameOf(two),
        'c.txt': null,
      })
      const { 'src/a.ts': known, 'src/new.ts': fresh } = await vulnerabilitiesOf(server, project)
      for (const { id } of [known, fresh]) {
        expect((await historyOf(server.admin, id)).at(-1)).toMatchObject({
          kind: 'assignee',
          text: `assigned to ${nameOf(one)} by CODEOWNERS (line 2)`,
          author: null,
        })
      }
      // Findings that are promoted later have owners too, and so do reports without the file.
      await send(project, report('src/late.ts', 'src/a.ts'), {}, { fields: { promote: 'false' } })
      const [late] = (await server.admin.get(`/projects/${project.id}/vulnerability_findings?scope=all&search=late`))
        .body
      const promoted = await server.admin.post(`/projects/${project.id}/vulnerabilities?finding_id=${late.id}`)
      expect(promoted.body).toMatchObject({ title: 'src/late.ts', assignee: { username: nameOf(one) } })
      const again = await send(project, report('src/a.ts', 'src/late.ts'), { CODEOWNERS: text })
      expect(again.body.project_files).toMatchObject([{ status: 'unchanged', assigned: 0 }])
    },
  )

  test.runIf(onSqlite)('leaves what a person has assigned or unassigned, also when the file changes', async () => {
    const project = await newProject()
    const [one, two] = [await server.as('maintainer', project), await server.as('maintainer', project)]
    await send(project, report('a.ts', 'b.ts', 'c.ts'), { CODEOWNERS: `a.ts @${nameOf(one)}` })
    const { 'a.ts': a, 'b.ts': b } = await vulnerabilitiesOf(server, project)
    expect((await server.admin.delete(`/vulnerabilities/${a.id}/assignee`)).status).toBeLessThan(300)
    expect((await server.admin.put(`/vulnerabilities/${b.id}/assignee`, { assignee_id: two.user?.id })).status).toBe(
      200,
    )
    const done = await send(project, report('a.ts', 'b.ts', 'c.ts'), { CODEOWNERS: `* @${nameOf(one)}` })
    expect(done.body.project_files).toMatchObject([{ status: 'applied', assigned: 1 }])
    expect(await assignees(project)).toEqual({ 'a.ts': null, 'b.ts': nameOf(two), 'c.ts': nameOf(one) })
    // An assignment by an older file stays too.
    await send(project, report('a.ts', 'b.ts', 'c.ts'), { CODEOWNERS: `* @${nameOf(two)}` })
    expect(await assignees(project)).toMatchObject({ 'c.ts': nameOf(one) })
  })

  test('is shown with its rules and unresolved owners, to those who may read vulnerabilities', async () => {
    const project = await newProject()
    const [maintainer, guest] = [await server.as('maintainer', project), await server.as('guest', project)]
    const developer = await server.as('developer', project)
    const text = `[Code] @missing-user\n*.ts\nsrc/ @${nameOf(maintainer)} mail@example.com @@owner\n`
    const sent = await send(project, report('a.ts'), { '.gitlab/CODEOWNERS': text })
    const path = `/projects/${project.id}/codeowners`
    expect((await developer.get(path)).body).toMatchObject({
      ...{ name: 'CODEOWNERS', path: '.gitlab/CODEOWNERS', ref: 'main', report_id: sent.body.id, size: text.length },
      ...{ content: text, author: { username: 'root' } },
      warnings: [{ line: 3, message: '@@owner is a role; only users are assigned' }],
      sections: [
        {
          name: 'Code',
          rules: [
            { line: 2, owners: ['@missing-user'] },
            { line: 3, pattern: 'src/' },
          ],
        },
      ],
      owners: [{ owner: `@${nameOf(maintainer)}`, user: { id: maintainer.user?.id } }],
      unresolved_owners: [
        { owner: '@missing-user', line: 2 },
        { owner: 'mail@example.com', line: 3 },
      ],
    })
    expect((await guest.get(path)).status).toBe(403)
    expect((await developer.get(`/projects/${project.id}/project_files`)).body).toMatchObject([{ name: 'CODEOWNERS' }])
    const stored = `/projects/${project.id}/project_files/CODEOWNERS`
    expect((await developer.delete(stored)).status).toBe(403)
    expect((await server.admin.delete(stored)).status).toBe(204)
    expect((await server.admin.delete(stored)).status).toBe(404)
    expect((await developer.get(path)).status).toBe(404)
    const { body: events } = await server.admin.get(`/projects/${project.id}/audit_events`)
    expect(events.map(({ details }: { details: { event_name: string } }) => details.event_name)).toEqual(
      expect.arrayContaining(['project_file_updated', 'project_file_destroyed']),
    )
  })
})

test('ignore files of scanners become rules of the project, which a new file replaces and a deleted one removes', async () => {
  const project = await newProject()
  const rules = () =>
    server.deps.db.all(sql`
      select file, match, action from vulnerability_rules where project_id = ${project.id} order by file, position`)
  const files = {
    '.trivyignore': 'CVE-2099-0001 exp:2999-01-31',
    'ci/.grype.yaml': 'ignore:\n  - vulnerability: CVE-2099-0002\n  - vex-status: fixed\n',
    '.snyk': 'ignore: {}',
    'osv-scanner.toml': '[[IgnoredVulns]]\nid = "CVE-2099-0003"\nreason = "test"',
  }
  const dryRun = await send(project, report('a.ts'), files, { fields: { dry_run: 'true' } })
  expect(await rules()).toEqual([])
  const done = await send(project, report('a.ts'), files)
  const effect = (name: string, count: number, ...lines: number[]) => ({
    ...{ name, status: 'applied', assigned: 0, rules: count },
    warnings: lines.map((line) => ({ line, message: expect.any(String) })),
  })
  const byName = ({ body }: { body: { project_files: { name: string }[] } }) =>
    [...body.project_files].sort((a, b) => (a.name < b.name ? -1 : 1))
  const expected = [
    effect('.grype.yaml', 1, 3),
    effect('.snyk', 0),
    effect('.trivyignore', 1),
    effect('osv-scanner.toml', 1),
  ]
  expect(byName(done)).toMatchObject(expected)
  expect(byName(dryRun)).toMatchObject(expected)
  const grype = { file: '.grype.yaml', match: { identifiers: ['CVE-2099-0002'], scanners: ['grype'] } }
  expect(await rules()).toMatchObject([
    { ...grype, action: { dismiss: {} } },
    { file: '.trivyignore', action: { dismiss: { until: '2999-01-31' } } },
    { file: 'osv-scanner.toml', action: { dismiss: { comment: 'test' } } },
  ])
  await send(project, report('a.ts'), { 'osv-scanner.toml': '' })
  await server.admin.delete(`/projects/${project.id}/project_files/.trivyignore`)
  expect(await rules()).toMatchObject([grype])
  const refused = await send(project, report('a.ts'), { '.trivyignore': 'CVE-1', '.snyk': 'ignore:\n  A: 1' })
  expect(refused).toMatchObject({
    status: 400,
    body: { message: { project_files: ['.snyk, line 2: A must have a list of paths'] } },
  })
  const feature = { fields: { ref: 'feature' } }
  expect((await send(project, report('a.ts'), { '.trivyignore': 'CVE-1' }, feature)).body).toMatchObject({
    project_files: [{ status: 'ignored', rules: 0 }],
  })
  expect(await rules()).toHaveLength(1)
})

test.runIf(onSqlite)('a changed alcove.yml does not repeat what its rules have done', async () => {
  const project = await server.project('changed-file/site')
  const rule = (name: string, path: string) =>
    `  - { name: ${name}, match: { path: ${path} }, action: { dismiss: { reason: used_in_tests } } }\n`
  const head = 'version: 1\nrules:\n'
  const sendFile = async (text: string) => {
    expect((await send(project, report('test/a.js', 'src/b.js'), { 'alcove.yml': head + text })).status).toBe(201)
    await server.runJobs()
    const { body } = await server.admin.get(`/projects/${project.id}/vulnerabilities?sort=detected_asc`)
    const rules = (await server.admin.get(`/projects/${project.id}/vulnerability_rules`)).body.rules
    const entries = []
    for (const { id, state } of body) {
      const history = (await server.admin.get(`/vulnerabilities/${id}/history`)).body
      entries.push([state, history.filter(({ kind }: { kind: string }) => kind === 'state').length])
    }
    return { entries, rules: rules.map(({ name, position }: { name: string; position: number }) => [name, position]) }
  }
  const [first, other, third] = [rule('tests', 'test/**'), rule('other', 'other/**'), rule('third', 'third/**')]
  const once = [
    ['dismissed', 1],
    ['detected', 0],
  ]
  expect(await sendFile(first)).toEqual({ entries: once, rules: [['tests', 1]] })
  expect(await sendFile(other + first)).toEqual({
    entries: once,
    rules: [
      ['other', 1],
      ['tests', 2],
    ],
  })
  expect(await sendFile(rule('renamed', '[test/**, spec/**]') + third)).toEqual({
    entries: [
      ['dismissed', expect.any(Number)],
      ['detected', 0],
    ],
    rules: [
      ['renamed', 1],
      ['third', 2],
    ],
  })
  expect((await sendFile(third)).entries[0]?.[0]).toBe('detected')
})

test.runIf(onSqlite)(
  'alcove.yml has rules of the project, which triage existing and new vulnerabilities and end with the file',
  async () => {
    const project = await newProject()
    const owner = await server.as('maintainer', project)
    await send(project, report('test/a.ts', 'src/b.ts'), {})
    const text = [
      ...['version: 1', 'rules:', '  - name: Test code', '    match: { path: "test/**" }'],
      ...['    action: { dismiss: { reason: used_in_tests } }', '  - name: Sources', '    match: { path: src/ }'],
      ...[`    action: { assignee: ${nameOf(owner)} }`, '  - name: No such user', '    match: { path: src/ }'],
      ...['    action: { assignee: missing-user }'],
    ].join('\n')
    const files = ['test/a.ts', 'test/c.ts', 'src/b.ts']
    const done = await send(project, report(...files), { 'alcove.yml': text })
    expect(done.body.project_files).toMatchObject([
      {
        name: 'alcove.yml',
        status: 'applied',
        rules: 2,
        warnings: [{ line: 9, message: expect.stringContaining('missing-user') }],
      },
    ])
    await server.runJobs()
    const states = async () =>
      Object.fromEntries(
        Object.entries(await vulnerabilitiesOf(server, project)).map(([name, { state, assignee }]) => [
          name,
          [state, assignee?.username],
        ]),
      )
    expect(await states()).toEqual({
      'test/a.ts': ['dismissed', undefined],
      'test/c.ts': ['dismissed', undefined],
      'src/b.ts': ['detected', nameOf(owner)],
    })
    const broken = text.replace('used_in_tests', 'no_reason').replace('version: 1', 'version: 2')
    expect(await send(project, report(...files), { 'alcove.yml': broken })).toMatchObject({
      status: 400,
      body: {
        message: { project_files: [expect.stringMatching(/^alcove\.yml, line \d+: version must be 1; line 5: /)] },
      },
    })
    expect((await server.admin.delete(`/projects/${project.id}/project_files/alcove.yml`)).status).toBe(204)
    await server.runJobs()
    expect(await states()).toMatchObject({ 'test/a.ts': ['detected', undefined], 'src/b.ts': ['detected', undefined] })
  },
)

describe.runIf(onSqlite)('a file that cannot be used', () => {
  test.for([
    [{ 'secrets.txt': 'x' }, 'secrets.txt is not one of CODEOWNERS, alcove.yml, .trivyignore'],
    [{ codeowners: 'x' }, 'codeowners is not one of CODEOWNERS'],
    [{ CODEOWNERS: 'a @b\n[x' }, 'CODEOWNERS, line 2: the heading of a section has no closing bracket'],
    [{ CODEOWNERS: Uint8Array.of(97, 10, 0xff) }, 'CODEOWNERS, line 2: it is not UTF-8'],
    [
      { '.grype.yaml': 'ignore:\n  - vulnerability: CVE-1\n    reason: "a\\0"' },
      '.grype.yaml, line 1: an escape stands for NUL or for half of a character',
    ],
    [
      { 'alcove.yml': 'version: 1\nrules:\n  - { name: "\\uD83D", match: { path: a }, action: { hold: true } }' },
      'alcove.yml, line 1: an escape stands for NUL',
    ],
    [{ CODEOWNERS: 'a\n\n\0' }, 'CODEOWNERS, line 3: it has a NUL character'],
    [{ CODEOWNERS: '* @a', 'docs/CODEOWNERS': '* @a' }, 'docs/CODEOWNERS: a report may have one file named CODEOWNERS'],
    [{ CODEOWNERS: 'x'.repeat(1024 * 1024 + 1) }, 'CODEOWNERS: a file may have up to 1 MiB'],
    [{ [`${'x/'.repeat(200)}CODEOWNERS`]: '* @a' }, 'the path is too long'],
  ] as const)('is refused with its name and line, and nothing changes: %#', async ([files, message]) => {
    const project = await newProject()
    for (const field of ['project_files[]', 'project_files']) {
      for (const fields of [{}, { dry_run: 'true' }, { ref: 'feature' }] as Fields[]) {
        expect(await send(project, report('a.ts'), files, { fields, field })).toMatchObject({
          status: 400,
          body: { message: { project_files: [expect.stringContaining(message)] } },
        })
      }
    }
    expect((await server.admin.get(`/projects/${project.id}/security_reports`)).body).toEqual([])
    const path = encodeURIComponent(`${project.path_with_namespace}-new`)
    const created = await server.admin.post(
      `/projects/${path}/security_reports`,
      form(report('a.ts'), files, { create: 'true' }),
    )
    expect(created.status).toBe(400)
    expect((await server.admin.get(`/projects/${path}`)).status).toBe(404)
  })

  test('is no file', async () => {
    const project = await newProject()
    const data = form(report('a.ts'), {}, { 'project_files[]': '* @a' })
    expect(await server.admin.post(`/projects/${project.id}/security_reports`, data)).toMatchObject({
      status: 400,
      body: { error: 'project_files is invalid' },
    })
  })
})

describe.runIf(onSqlite)('files of a sender who may not triage', () => {
  const files = (owner: Client) => ({ CODEOWNERS: `* @${nameOf(owner)}` })
  const ignored = (message: string) => ({
    status: 201,
    body: {
      project_files: [{ name: 'CODEOWNERS', status: 'ignored', assigned: 0 }],
      warnings: [{ type: 'ProjectFilesIgnored', message: expect.stringContaining(message) }],
    },
  })

  /** A project with a vulnerability, its owner, and tokens that may send reports but not triage. */
  async function world() {
    const project = await newProject()
    const owner = await server.as('maintainer', project)
    await send(project, report('a.ts'), {})
    const narrow = await server.client(owner, { scopes: ['write_security_reports'] })
    const token = { name: 'pipeline', access_level: 30, scopes: ['write_security_reports'] }
    const issued = await server.admin.post(`/projects/${project.id}/access_tokens`, token)
    return { project, owner, senders: [narrow, createClient(server.app, { token: issued.body.token })] }
  }

  test('are ignored with a warning, unless the project accepts them', async () => {
    const { project, owner, senders } = await world()
    for (const as of senders) {
      for (const fields of [{ promote: 'false' }, { promote: 'false', dry_run: 'true' }]) {
        expect(await send(project, report('a.ts'), files(owner), { as, fields: fields as Fields })).toMatchObject(
          ignored('may not triage'),
        )
      }
    }
    expect(await assignees(project)).toEqual({ 'a.ts': null })
    expect((await owner.get(`/projects/${project.id}/codeowners`)).status).toBe(404)

    const developer = await server.as('developer', project)
    expect((await developer.put(`/projects/${project.id}`, { accept_reporters_files: true })).status).toBe(403)
    expect((await owner.put(`/projects/${project.id}`, { accept_reporters_files: true })).body).toMatchObject({
      accept_reporters_files: true,
    })
    const { body: events } = await server.admin.get(`/projects/${project.id}/audit_events`)
    expect(events[0].details).toMatchObject({ change: 'accept_reporters_files', from: false, to: true })
    const as = senders[0] ?? owner
    const feature = { promote: 'false', ref: 'feature' }
    expect(await send(project, report('a.ts'), files(owner), { as, fields: feature })).toMatchObject(
      ignored('the default branch main'),
    )
    expect(
      (await send(project, report('a.ts'), files(owner), { as, fields: { promote: 'false' } })).body,
    ).toMatchObject({ project_files: [{ status: 'applied', assigned: 1 }], warnings: [] })
    expect(await assignees(project)).toEqual({ 'a.ts': nameOf(owner) })
  })

  test('are ignored on other refs than the default branch, also those of maintainers', async () => {
    const { project, owner } = await world()
    for (const fields of [{ ref: 'feature' }, { ref: 'feature', dry_run: 'true' }] as Fields[]) {
      expect(await send(project, report('a.ts'), files(owner), { as: owner, fields })).toMatchObject(
        ignored('the default branch main'),
      )
    }
    expect(await assignees(project)).toEqual({ 'a.ts': null })
  })

  test('are ignored when the sender loses the right before the import runs', async () => {
    const project = await newProject()
    const maintainer = await server.as('maintainer', project)
    const path = `/projects/${project.id}`
    const queued = await keepReport(
      server,
      project,
      report('a.ts'),
      {},
      {
        ...maintainer,
        post: (at: string) => maintainer.post(at, form(report('a.ts'), files(maintainer), { async: 'true' })),
      },
    )
    await server.admin.put(`${path}/members/${maintainer.user?.id}`, { access_level: 30 })
    await runImport(server, queued)
    expect((await server.admin.get(`${path}/security_reports/${queued}`)).body).toMatchObject({
      status: 'done',
      ...ignored('may not triage').body,
    })
  })
})
