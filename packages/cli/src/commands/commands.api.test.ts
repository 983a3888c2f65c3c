import { readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { folder, run } from '../testing/command-run.ts'
import { type ListeningServer, listeningServer } from '../testing/listening-server.ts'

let server: ListeningServer
beforeAll(async () => {
  server = await listeningServer()
})

let projects = 0
const freshProject = () => server.project(`shop/commands-${++projects}`)

describe('alcove login', () => {
  const loginIn = async (env: Record<string, string>, stdin: string, args: string[] = []) => {
    const home = await folder()
    const file = join(home, '.config/alcove/login.json')
    return { home, file, done: await run(['login', ...args], { env: { HOME: home, ...env }, stdin }) }
  }

  test('stores the token for its owner only, and later commands use it', async () => {
    const { home, file, done } = await loginIn({}, `${server.env.ALCOVE_TOKEN}\n`, ['--url', `${server.url}/`])
    expect(done).toMatchObject({ code: 0, stdout: expect.stringContaining(`Signed in to ${server.url} as root.`) })
    expect((await stat(file)).mode & 0o777).toBe(0o600)
    expect(JSON.parse(await readFile(file, 'utf8'))).toEqual({ url: server.url, token: server.env.ALCOVE_TOKEN })
    expect(done.stdout + done.stderr).not.toContain(server.env.ALCOVE_TOKEN)
    expect(await run(['topics', 'list', '--json'], { env: { HOME: home } })).toMatchObject({ code: 0 })
  })

  test('reads the token from a terminal without showing it', async () => {
    const home = await folder()
    const options = { env: { HOME: home }, stdin: server.env.ALCOVE_TOKEN, isTerminal: true }
    const done = await run(['login', '--url', server.url], options)
    expect(done).toMatchObject({ code: 0, stderr: expect.stringContaining('(not shown)') })
  })

  test('stores nothing when the server rejects the token', async () => {
    const { file, done } = await loginIn({ ALCOVE_URL: server.url }, 'wrong')
    expect(done).toMatchObject({ code: 2, stderr: expect.stringContaining('The server rejected the token (401)') })
    await expect(stat(file)).rejects.toThrow('ENOENT')
  })

  test('keeps the stored token from every other server', async () => {
    const { home } = await loginIn({ ALCOVE_URL: server.url }, server.env.ALCOVE_TOKEN)
    const sent: unknown[] = []
    const fetch = async (...call: unknown[]) => {
      sent.push(call)
      return new Response('[]')
    }
    const done = await run(['topics', 'list', '--url', 'https://other.example.com'], { env: { HOME: home }, fetch })
    expect(done).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('There is no token for https://other.example.com'),
    })
    expect(sent).toEqual([])
  })

  test('does not use a file that other users can read', async () => {
    const { home, file } = await loginIn({ ALCOVE_URL: server.url }, server.env.ALCOVE_TOKEN)
    const { chmod } = await import('node:fs/promises')
    await chmod(file, 0o644)
    const done = await run(['topics', 'list'], { env: { HOME: home } })
    expect(done).toMatchObject({ code: 2, stderr: expect.stringContaining('Run: chmod 600') })
    expect(await run(['logout'], { env: { HOME: home } })).toMatchObject({ code: 0 })
    await expect(stat(file)).rejects.toThrow('ENOENT')
  })
})

describe('alcove list', () => {
  test('prints vulnerabilities by severity, with filters, and says when there are more', async () => {
    const project = await freshProject()
    await server.vulnerability(project, { name: 'Weak hash', severity: 'Low', file: 'src/a.ts', line: 3 })
    const { id } = await server.vulnerability(project, { name: 'SQL injection', severity: 'Critical', rule: 'sql' })
    const list = (...args: string[]) =>
      run(['list', '--project', project.path_with_namespace, ...args], { env: server.env })

    const all = await list()
    expect(all.code).toBe(0)
    expect(all.stdout.split('\n')).toEqual([
      expect.stringMatching(new RegExp(`^ *${id} {2}critical {2}detected {3}SQL injection {2}src/app.ts:1$`)),
      expect.stringContaining('low       detected   Weak hash  src/a.ts:3'),
      '',
    ])
    const critical = await list('--severity', 'critical,high', '--json')
    expect(JSON.parse(critical.stdout)).toMatchObject([{ id, title: 'SQL injection' }])
    expect((await list('--limit', '1')).stderr).toContain('There is more')
    expect((await list('--search', 'nothing like it')).stderr).toBe('Nothing matches.\n')
    expect((await list('--ref', 'main', '--not-on', 'main')).stderr).toBe('Nothing matches.\n')
    expect(await list('--severity', 'severe')).toMatchObject({ code: 2, stderr: expect.stringContaining('severity') })
  })

  test('prints the vulnerabilities of a group, and findings that wait for promotion', async () => {
    const project = await freshProject()
    const { uuid } = await server.finding(project, { name: 'Waits' })
    const findings = await run(['list', '--findings', '--json'], {
      env: { ...server.env, ALCOVE_PROJECT: project.path_with_namespace },
    })
    expect(JSON.parse(findings.stdout)).toMatchObject([{ uuid, name: 'Waits' }])
    expect(await run(['list', '--group', 'shop', '--json'], { env: server.env })).toMatchObject({ code: 0 })
    const both = await run(['list', '--group', 'shop', '--project', 'shop/x'], { env: server.env })
    expect(both).toMatchObject({ code: 2, stderr: 'alcove: Use either --project or --group.\n' })
  })

  test('prints hostile names without effect', async () => {
    const project = await freshProject()
    await server.vulnerability(project, { name: 'a\u001b[31mb\u202ec ##vso[task.complete]', file: '::error::x' })
    for (const isTerminal of [true, false]) {
      const options = { env: { ...server.env, NO_COLOR: '1' }, isTerminal }
      const { stdout } = await run(['list', '--project', project.path_with_namespace], options)
      expect(stdout).not.toMatch(/(?!\n)\p{Cc}|\u202e|##vso|^::/mu)
    }
  })

  test('is coloured on a terminal only, and not with NO_COLOR', async () => {
    const project = await freshProject()
    await server.vulnerability(project, { severity: 'High' })
    const list = (isTerminal: boolean, env = {}) =>
      run(['list', '--project', project.path_with_namespace], { env: { ...server.env, ...env }, isTerminal })
    expect((await list(true)).stdout).toContain('\u001b[31mhigh')
    expect((await list(false)).stdout).not.toContain('\u001b')
    expect((await list(true, { NO_COLOR: '1' })).stdout).not.toContain('\u001b')
  })
})

describe('a vulnerability', () => {
  test('is shown', async () => {
    const project = await freshProject()
    const { id } = await server.vulnerability(project, { name: 'SQL injection', severity: 'High' })
    const shown = await run(['show', `#${id}`], { env: server.env })
    expect(shown.stdout).toContain(`#${id} SQL injection`)
    expect(shown.stdout).toMatch(/Severity {4}high/)
    expect(shown.stdout).toMatch(/Location {4}src\/app\.ts:1/)
    expect(JSON.parse((await run(['show', String(id), '--json'], { env: server.env })).stdout)).toMatchObject({ id })
    expect(await run(['show', 'x'], { env: server.env })).toMatchObject({ code: 2 })
    expect(await run(['show', '999999'], { env: server.env })).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('(404)'),
    })
  })

  test('is dismissed with a reason, reopened, confirmed and resolved', async () => {
    const project = await freshProject()
    const { id } = await server.vulnerability(project, { name: 'Flaw' })
    const command = async (...args: string[]) => (await run(args, { env: server.env })).stdout
    expect(await command('dismiss', String(id), '--reason', 'false_positive', '-m', 'constant')).toBe(
      `#${id} dismissed: Flaw\n`,
    )
    expect((await server.admin.get(`/vulnerabilities/${id}`)).body).toMatchObject({
      state: 'dismissed',
      dismissal_reason: 'false_positive',
    })
    expect(await command('dismiss', String(id))).toBe(`#${id} was already dismissed\n`)
    expect(await command('revert', String(id))).toBe(`#${id} reopened: Flaw\n`)
    expect(await command('confirm', String(id))).toBe(`#${id} confirmed: Flaw\n`)
    expect(JSON.parse(await command('resolve', String(id), '--json'))).toMatchObject([{ id, state: 'resolved' }])
    expect(await run(['dismiss', '1', '--reason', 'boring'], { env: server.env })).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('Use one of: acceptable_risk'),
    })
  })

  test('is dismissed until a day, and awaits approval where a rule requires it', async () => {
    const project = await freshProject()
    const { id } = await server.vulnerability(project, { name: 'Flaw' })
    const command = async (...args: string[]) => (await run(args, { env: server.env })).stdout
    const until = new Date(Date.now() + 30 * 24 * 60 * 60 * 1000).toISOString().slice(0, 10)
    expect(await command('dismiss', String(id), '--until', until, '--until-fixed')).toBe(`#${id} dismissed: Flaw\n`)
    expect(await command('show', String(id))).toMatch(new RegExp(`^Until +${until} or a fix is available$`, 'm'))
    expect(await run(['dismiss', String(id), '--until', '2020-01-01'], { env: server.env })).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('must be a date in the future'),
    })
    await command('revert', String(id))
    await server.admin.put(`/projects/${project.id}/dismissal_approval`, { severity: 'info' })
    expect(await command('dismiss', String(id))).toBe(
      `#${id} is not dismissed yet, because another user must approve it: Flaw\n`,
    )
  })

  test('of a project without the right to triage is left as it is', async () => {
    const project = await freshProject()
    const { id } = await server.vulnerability(project)
    const developer = await server.as('developer', project)
    const done = await run(['resolve', String(id)], { env: server.envOf(developer) })
    expect(done).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('the user of the token needs a higher role'),
    })
  })
})

/** Runs `alcove export`, and the jobs of the server until it ends. */
async function runExport(
  args: string[],
  options: { env: Record<string, string>; cwd: string },
  command: readonly string[] = ['export'],
) {
  const done = run([...command, ...args], options)
  for (let isOver = false; !isOver; ) {
    await server.runJobs()
    isOver = await Promise.race([done.then(() => true), new Promise<false>((go) => setTimeout(go, 20, false))])
  }
  return done
}

test('alcove export writes a file or the standard output', async () => {
  const project = await freshProject()
  await server.vulnerability(project, { name: 'SQL injection' })
  const env = { ...server.env, ALCOVE_PROJECT: project.path_with_namespace }
  const place = await folder()
  const exported = (...args: string[]) => runExport(args, { env, cwd: place })
  expect((await exported()).stdout).toContain('SQL injection')
  expect(await exported('--format', 'sarif', '-o', 'out.sarif', '--json')).toMatchObject({ code: 0 })
  expect(JSON.parse(await readFile(join(place, 'out.sarif'), 'utf8'))).toMatchObject({ version: '2.1.0' })
  expect(await exported('--json')).toMatchObject({ code: 2 })
})

test('alcove export and an empty list print how many findings await promotion', async () => {
  const project = await freshProject()
  await server.finding(project)
  const env = { ...server.env, ALCOVE_PROJECT: project.path_with_namespace }
  const cwd = await folder()
  const { stdout, stderr } = await runExport(['--output', 'all.json', '--format', 'json', '--json'], { env, cwd })
  expect(JSON.parse(stdout)).toMatchObject({ rows: 0, waiting_findings: 1 })
  expect(stderr).toContain('Not in the file: 1 finding awaits promotion.')

  const list = (...args: string[]) => run(['list', ...args], { env })
  expect((await list()).stderr).toBe('Nothing matches.\nBut 1 finding awaits promotion. List them with --findings.\n')
  expect(await list('--json')).toMatchObject({ stdout: '[]\n', stderr: expect.stringContaining('1 finding awaits') })
  const [group = ''] = project.path_with_namespace.split('/')
  expect((await run(['list', '--group', group, '--search', 'nothing like it'], { env: server.env })).stderr).toContain(
    'await',
  )
  expect((await list('--findings', '--search', 'nothing like it')).stderr).toBe('Nothing matches.\n')
})

test('alcove vex imports documents with a preview, and exports them', async () => {
  const project = await freshProject()
  const { id } = await server.vulnerability(project, {
    name: 'Old library',
    others: [{ type: 'cve', name: 'CVE-2099-1', value: 'CVE-2099-1' }],
  })
  const cwd = await folder({ 'broken.json': '{' })
  const env = { ...server.env, ALCOVE_PROJECT: project.path_with_namespace }
  const vex = (...args: string[]) => run(['vex', ...args], { env, cwd })
  const exported = (...args: string[]) => runExport(args, { env, cwd }, ['vex', 'export'])
  const stateOf = async () => (await server.admin.get(`/vulnerabilities/${id}`)).body.state
  await server.admin.post(`/vulnerabilities/${id}/dismiss`, { dismissal_reason: 'false_positive' })
  expect(JSON.parse((await exported()).stdout)).toMatchObject({ statements: [{ status: 'not_affected' }] })
  expect(await exported('-o', 'own.json')).toMatchObject({ code: 0 })

  await server.admin.post(`/vulnerabilities/${id}/revert`)
  expect((await vex('import', 'own.json')).stdout).toContain('1 kept, because users decided later')
  const preview = await vex('import', 'own.json', '--override', '--preview')
  expect(preview).toMatchObject({ code: 0, stdout: expect.stringContaining('1 statement: 1 would change') })
  expect(preview.stdout).toContain('dismiss  CVE-2099-1 (not_affected, 1 vulnerability)')
  expect(await stateOf()).toBe('detected')
  const done = await vex('import', 'own.json', '--override', '--json')
  expect(JSON.parse(done.stdout)).toMatchObject({ changed: 1, dry_run: false })
  expect(await stateOf()).toBe('dismissed')
  expect(await vex('import', 'broken.json')).toMatchObject({ code: 2 })
  expect(await vex('import', 'missing.json')).toMatchObject({ code: 2, stderr: expect.stringContaining('Cannot read') })

  const [group = ''] = project.path_with_namespace.split('/')
  const ofGroup = await runExport(['-g', group, '--format', 'csaf'], { env: server.env, cwd }, ['vex', 'export'])
  expect(JSON.parse(ofGroup.stdout)).toMatchObject({ document: { category: 'csaf_vex' } })
  await server.admin.post(`/vulnerabilities/${id}/revert`)
  const inGroup = (...args: string[]) => run(['vex', 'import', '-g', group, ...args], { env: server.env, cwd })
  const groupPreview = await inGroup('own.json', '--override', '--preview')
  expect(groupPreview).toMatchObject({ code: 0, stdout: expect.stringContaining('1 statement: 1 would change') })
  expect(groupPreview.stdout).toContain(
    `dismiss  CVE-2099-1 (not_affected, 1 vulnerability of ${project.path_with_namespace})`,
  )
  expect(await stateOf()).toBe('detected')
  expect(await inGroup('own.json', '--override')).toMatchObject({ stdout: expect.stringContaining('1 changed') })
  expect(await stateOf()).toBe('dismissed')
  expect(await vex('import', '-g', group, '-p', 'x', 'own.json')).toMatchObject({ code: 2 })
  expect(await exported('--format', 'cyclonedx', '--ref', 'main', '-o', 'out.json')).toMatchObject({ code: 0 })
  expect(JSON.parse(await readFile(join(cwd, 'out.json'), 'utf8'))).toMatchObject({ bomFormat: 'CycloneDX' })
  expect((await exported('--ref', 'no-such-branch')).stdout).not.toContain('CVE-2099-1')
  expect(await exported('--format', 'csv')).toMatchObject({ code: 2 })
})

test('alcove attach uploads files and prints their Markdown', async () => {
  const project = await freshProject()
  const cwd = await folder({ 'a.png': 'one', 'b.png': 'two' })
  const env = { ...server.env, ALCOVE_PROJECT: project.path_with_namespace }
  const { stdout } = await run(['attach', '*.png'], { env, cwd })
  expect(stdout.split('\n')).toEqual([
    expect.stringMatching(/^!\[a]\(\/uploads\/[0-9a-f]{32}\/a\.png\)$/),
    expect.stringMatching(/^!\[b]\(\/uploads\/[0-9a-f]{32}\/b\.png\)$/),
    '',
  ])
  const json = await run(['attach', 'a.png', '--json'], { env, cwd })
  expect(JSON.parse(json.stdout)).toMatchObject([{ file: 'a.png', alt: 'a' }])
})

test('alcove topics lists, assigns, exports and imports topics', async () => {
  const project = await freshProject()
  const cwd = await folder()
  const env = { ...server.env, ALCOVE_PROJECT: project.path_with_namespace }
  const topics = (...args: string[]) => run(['topics', ...args], { env, cwd })
  expect((await topics('set', 'payments', 'Java')).stdout.split('\n').sort()).toEqual(['', 'Java', 'payments'])
  expect(JSON.parse((await topics('show', '--json')).stdout).sort()).toEqual(['Java', 'payments'])
  expect((await topics('list', '--search', 'payments')).stdout).toBe('     1  payments\n')
  expect(await topics('export', '-o', 'topics.yaml')).toMatchObject({ code: 0 })
  expect(JSON.parse((await topics('import', 'topics.yaml', '--dry-run')).stdout)).toMatchObject({
    dry_run: true,
    changes: [],
  })
  expect((await topics('set')).stdout).toBe('')
})

describe('wrong usage', () => {
  test.each([
    [['upload'], 'missing required argument'],
    [['uplaod', 'x'], 'Did you mean upload?'],
    [['list', '--nonsense'], 'unknown option'],
    [['list', '--limit', 'many'], 'It must be a number of at least 1.'],
    [['topics', 'list'], 'Set ALCOVE_URL'],
    [['topics', 'list', '--url', 'example.com'], 'is not the address of a server'],
    [['topics', 'list', '--url', 'http://user:pass@example.com'], 'must not contain a password'],
  ])('%j ends with exit code 2 and a reason', async (args, reason) => {
    expect(await run(args)).toMatchObject({ code: 2, stdout: '', stderr: expect.stringContaining(reason) })
  })

  test('a token with a line break is rejected before anything is sent', async () => {
    const env = { ALCOVE_URL: 'https://example.com', ALCOVE_TOKEN: 'a\nb' }
    expect(await run(['topics', 'list'], { env })).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('The token has spaces'),
    })
  })
})

describe('the help', () => {
  const commands = [
    'login',
    'list',
    'show',
    'dismiss',
    'resolve',
    'export',
    'attach',
    'topics list',
    'topics import',
    'completion',
    'upload',
  ]

  test.each(commands)('of alcove %s has an example', async (name) => {
    const { code, stdout } = await run([...name.split(' '), '--help'])
    expect(code).toBe(0)
    expect(stdout).toMatch(/Examples?:\n {2}\$ alcove /)
    expect(stdout).toContain('--json')
  })

  test('lists every command', async () => {
    const { stdout } = await run(['--help'])
    for (const name of commands) expect(stdout).toContain(`  ${name.split(' ')[0]} `)
  })
})
