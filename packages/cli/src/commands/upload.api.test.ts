import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { formWithFile } from '../../../server/src/testing/client.ts'
import { entry, sastReport } from '../../../server/src/testing/reports/reports.ts'
import { folder, run } from '../testing/command-run.ts'
import { type ListeningServer, listeningServer } from '../testing/listening-server.ts'

let server: ListeningServer
beforeAll(async () => {
  server = await listeningServer()
})

const sqlInjection = entry({ name: 'SQL injection', severity: 'Critical', rule: 'sql', file: 'src/db.ts', line: 14 })
const weakHash = entry({ name: 'Weak hash', severity: 'Low', rule: 'hash', file: 'src/auth.ts', line: 7 })
const redirect = entry({ name: 'Open redirect', severity: 'High', rule: 'redirect', file: 'src/login.ts', line: 3 })

const files = (reports: Record<string, object[]>) =>
  folder(Object.fromEntries(Object.entries(reports).map(([name, rows]) => [name, JSON.stringify(sastReport(rows))])))

let projects = 0

/** Creates a project with findings on main, and returns a function that uploads reports of a feature branch. */
async function projectWith(...onMain: object[]) {
  const project = await server.project(`shop/upload-${++projects}`)
  if (onMain.length > 0) await server.report(project, onMain)
  const upload = async (cwd: string, ...args: string[]) =>
    run(['upload', '--project', project.path_with_namespace, '--ref', 'feature', ...args], { env: server.env, cwd })
  return { project, upload }
}

describe('alcove upload', () => {
  test('prints new, fixed and known findings with location, and returns the same when it is repeated', async () => {
    const { upload } = await projectWith(weakHash, redirect)
    const cwd = await files({ 'report.json': [sqlInjection, weakHash] })
    const first = await upload(cwd, 'report.json', '--fail-on', 'new:high')
    expect(first).toMatchObject({ code: 1, stderr: '' })
    expect(first.stdout).toMatch(/feature, compared with main\n {2}report\.json: 2 findings/)
    expect(first.stdout).toMatch(/new +1 +0 +0 +0 +0 +0 +1\nfixed +0 +1 +0 +0 +0 +0 +1\nknown +0 +0 +0 +1 +0 +0 +1\n/)
    expect(first.stdout).toMatch(/New\n {2}critical SQL injection {2}src\/db\.ts:14\n/)
    expect(first.stdout).toMatch(/Fixed\n {2}high {5}Open redirect {2}src\/login\.ts:3\n/)
    expect(first.stdout).toMatch(/Known\n {2}low {6}Weak hash {2}src\/auth\.ts:7\n/)
    expect(first.stdout).toContain('Gate failed:\n  1 new finding of severity high or above (new:high)\n')

    const tail = (text: string) => text.slice(text.indexOf('critical'))
    for (let round = 0; round < 2; round++) {
      const again = await upload(cwd, 'report.json', '--fail-on', 'new:high')
      expect([again.code, tail(again.stdout)]).toEqual([1, tail(first.stdout)])
    }
  })

  test('reads a generic report with the stored mapping that --mapping names, and refuses unknown names', async () => {
    const { project, upload } = await projectWith()
    const cwd = await folder({ 'pentest.csv': 'Issue;Risk\nBroken lock;critical\n' })
    const send = (name: string) => upload(cwd, 'pentest.csv', '--mapping', name)
    const refused = await send('pentest')
    expect(refused.code).toBe(2)
    expect(`${refused.stdout}${refused.stderr}`).toContain('names no mapping of this project: pentest')
    const mapping = { title: 'Issue', severity: 'Risk' }
    await server.admin.post(`/projects/${project.id}/report_mappings`, { name: 'pentest', mapping })
    const sent = await send('pentest')
    expect([sent.code, sent.stderr]).toEqual([0, ''])
    expect(sent.stdout).toContain('critical Broken lock')
  })

  test('sends CODEOWNERS with the first report and says so, except for merge requests and with --no-project-files', async () => {
    const { project, upload } = await projectWith()
    const cwd = await files({ 'one.json': [sqlInjection], 'two.json': [sqlInjection] })
    await mkdir(join(cwd, 'docs'))
    await writeFile(join(cwd, 'docs', 'CODEOWNERS'), 'src/ @missing-user')
    await writeFile(join(cwd, '.trivyignore'), 'CVE-2099-0001')
    const send = (...args: string[]) => upload(cwd, ...args, '--category', '{file}', '--ref', 'main')
    const paths = async () =>
      (await server.admin.get(`/projects/${project.id}/project_files`)).body.map(({ path }: { path: string }) => path)
    expect(await send('one.json', '--no-project-files')).toMatchObject({ code: 0, stderr: '' })
    expect(await upload(cwd, 'one.json', '--target-ref', 'main')).toMatchObject({ code: 0, stderr: '' })
    expect(await paths()).toEqual([])
    const sent = await send('one.json', 'two.json')
    expect(sent.stderr).toBe(
      'alcove: sending docs/CODEOWNERS, .trivyignore with the report; --no-project-files leaves out files of the repository\n',
    )
    expect([sent.code, await paths()]).toEqual([0, ['.trivyignore', 'docs/CODEOWNERS']])
    await writeFile(join(cwd, 'CODEOWNERS'), '[broken')
    const refused = await send('one.json')
    expect(refused.code).toBe(2)
    expect(`${refused.stdout}${refused.stderr}`).toContain('CODEOWNERS, line 1')
  })

  test('prints in a dry run what each rule of the files would change', async () => {
    const { project, upload } = await projectWith(sqlInjection)
    const [finding] = (await server.admin.get(`/projects/${project.id}/vulnerability_findings?scope=all`)).body
    await server.admin.post(`/projects/${project.id}/vulnerabilities?finding_id=${finding.id}`)
    const cwd = await files({ 'one.json': [sqlInjection] })
    const rules = '  - { name: Sources, match: { path: src/ }, action: { severity: low, tags: [seen] } }\n'
    await writeFile(join(cwd, 'alcove.yml'), `version: 1\nrules:\n${rules}`)
    const dryRun = await upload(cwd, 'one.json', '--ref', 'main', '--dry-run')
    expect(dryRun.code).toBe(0)
    expect(dryRun.stdout).toContain(
      [
        ...['Rules of alcove.yml', '  Sources (created): 1 matched, 1 would change, 1 with a new severity, 1 tagged'],
        ...['    SQL injection: critical -> low; tagged seen', ''],
      ].join('\n'),
    )
    const { imports } = JSON.parse((await upload(cwd, 'one.json', '--ref', 'main', '--dry-run', '--json')).stdout)
    expect(imports[0].project_files[0].rule_previews).toMatchObject([{ name: 'Sources', severity: 1, tagged: 1 }])
    expect((await upload(cwd, 'one.json', '--ref', 'main')).stdout).not.toContain('Rules of')
  })

  test.each([
    ['new:critical', 1],
    ['new:high,any:critical', 1],
    ['known:high', 0],
    ['known:low', 1],
    ['any', 1],
  ])('with --fail-on %s returns %d', async (policy, code) => {
    const { upload } = await projectWith(weakHash)
    const cwd = await files({ 'report.json': [sqlInjection, weakHash] })
    expect((await upload(cwd, 'report.json', '--fail-on', policy)).code).toBe(code)
  })

  test('passes when the new finding was dismissed, and says so', async () => {
    const { project, upload } = await projectWith()
    const cwd = await files({ 'report.json': [sqlInjection] })
    expect((await upload(cwd, 'report.json', '--fail-on', 'new')).code).toBe(1)
    const [finding] = (await server.admin.get(`/projects/${project.id}/vulnerability_findings?ref=feature`)).body
    const { body } = await server.admin.post(`/projects/${project.id}/vulnerabilities?finding_id=${finding.id}`)
    await server.admin.post(`/vulnerabilities/${body.id}/dismiss`)
    const done = await upload(cwd, 'report.json', '--fail-on', 'new')
    expect(done).toMatchObject({ code: 0, stdout: expect.stringContaining('1 dismissed finding is not counted.') })
    expect(done.stdout).toContain('Gate passed: new:info')
  })

  test('sends several reports, plain and gzipped, and compares all of them together', async () => {
    const { upload } = await projectWith()
    const large = Array.from({ length: 200 }, (_, index) => entry({ rule: `r${index}`, line: index + 1 }))
    const cwd = await folder({
      'a.json': JSON.stringify(sastReport([sqlInjection], 'one')),
      'b.json.gz': gzipSync(JSON.stringify(sastReport([weakHash], 'two'))),
      'c.json': JSON.stringify(sastReport(large, 'three')),
    })
    const done = await upload(cwd, '*.json*', '--json')
    expect(done).toMatchObject({ code: 0, stderr: '' })
    const result = JSON.parse(done.stdout)
    expect(result.imports.map(({ file }: { file: string }) => file)).toEqual(['a.json', 'b.json.gz', 'c.json'])
    expect(result.imports[2].file_size).toBeLessThan(Buffer.byteLength(JSON.stringify(sastReport(large, 'three'))) / 4)
    expect(result.against).toMatchObject({ ref: 'main', new: 202 })
    expect(result.findings.new).toHaveLength(202)
    expect(result.findings.complete).toBe(true)
  })

  test('lists every fixed finding, of those that the scan of the branch covers', async () => {
    const old = Array.from({ length: 45 }, (_, index) => entry({ rule: `old${index}`, line: index + 1 }))
    const { project, upload } = await projectWith(...old, weakHash)
    await server.admin.post(
      `/projects/${project.id}/security_reports`,
      formWithFile('file', 'other.json', JSON.stringify(sastReport([redirect], 'another scanner'))),
    )
    const cwd = await files({ 'report.json': [weakHash] })
    const { against, findings } = JSON.parse((await upload(cwd, 'report.json', '--json')).stdout)
    expect(against).toMatchObject({ fixed: 45, known: 1 })
    expect(against.samples.fixed).toHaveLength(20)
    expect(findings).toMatchObject({ fixed: expect.any(Array), known: [{ name: 'Weak hash' }], complete: true })
    expect(findings.fixed).toHaveLength(45)
  })

  test('takes project, ref, commit and target from the CI job', async () => {
    const { project } = await projectWith(weakHash)
    const cwd = await files({ 'report.json': [weakHash] })
    const env = {
      ...server.env,
      GITLAB_CI: 'true',
      CI_PROJECT_PATH: project.path_with_namespace,
      CI_COMMIT_REF_NAME: 'feature/ci',
      CI_COMMIT_SHA: 'a1b2c3d4',
      CI_MERGE_REQUEST_IID: '3',
      CI_MERGE_REQUEST_SOURCE_PROJECT_PATH: project.path_with_namespace,
      CI_MERGE_REQUEST_SOURCE_BRANCH_NAME: 'feature/ci',
      CI_MERGE_REQUEST_TARGET_BRANCH_NAME: 'release',
    }
    const done = JSON.parse((await run(['upload', 'report.json', '--json'], { env, cwd })).stdout)
    expect(done).toMatchObject({
      ref: 'feature/ci',
      commit: 'a1b2c3d4',
      ci: 'GitLab CI',
      against: { ref: 'release', new: 1 },
    })
    expect(done.imports).toMatchObject([{ commit_sha: 'a1b2c3d4' }])
  })

  test('on the default branch counts what is present', async () => {
    const { project } = await projectWith()
    const cwd = await files({ 'report.json': [sqlInjection] })
    const upload = (policy: string) =>
      run(['upload', '--project', project.path_with_namespace, 'report.json', '--fail-on', policy], {
        env: server.env,
        cwd,
      })
    expect(await upload('new')).toMatchObject({ code: 0, stdout: expect.stringMatching(/present +1 /) })
    expect((await upload('any:critical')).code).toBe(1)
  })

  test('with --dry-run stores nothing and returns the same comparison', async () => {
    const { project, upload } = await projectWith(weakHash)
    const cwd = await files({ 'report.json': [sqlInjection, weakHash], 'other.json': [] })
    const done = await upload(cwd, 'report.json', '--dry-run', '--fail-on', 'new:critical', '--json')
    expect(done.code).toBe(1)
    expect(JSON.parse(done.stdout)).toMatchObject({
      dry_run: true,
      against: { new: 1, known: 1 },
      gate: { passed: false },
    })
    expect((await server.admin.get(`/projects/${project.id}/security_reports?ref=feature`)).body).toEqual([])
    expect(await upload(cwd, '*.json', '--dry-run')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('one file'),
    })
  })

  test('writes several formats to files and the text to the log', async () => {
    const { upload } = await projectWith()
    const cwd = await files({ 'report.json': [sqlInjection] })
    const formats = ['--format', 'codequality', '--output', 'cq.json', '--format', 'junit', '--output', 'junit.xml']
    const done = await upload(cwd, 'report.json', ...formats)
    expect(done).toMatchObject({ code: 0, stdout: expect.stringContaining('New\n  critical SQL injection') })
    expect(JSON.parse(await readFile(join(cwd, 'cq.json'), 'utf8'))).toMatchObject([
      { severity: 'blocker', location: { path: 'src/db.ts', lines: { begin: 14 } } },
    ])
    expect(await readFile(join(cwd, 'junit.xml'), 'utf8')).toContain('failures="1"')
    const rest = await upload(cwd, 'report.json', ...formats.slice(0, 5), 'markdown')
    expect(rest.stdout).toMatch(/^### Security findings: 1 new/)
    expect((await upload(cwd, 'report.json', '--format', 'json', '--format', 'text')).code).toBe(2)
  })

  test('works with a token that may only send reports, and then lists samples', async () => {
    const { project, upload } = await projectWith(weakHash)
    const cwd = await files({ 'report.json': [sqlInjection, weakHash] })
    const expires = new Date(Date.now() + 86_400_000).toISOString().slice(0, 10)
    const body = { name: 'ci', scopes: ['write_security_reports'], access_level: 30, expires_at: expires }
    const made = await server.admin.post(`/projects/${project.id}/access_tokens`, body)
    const args = ['upload', '--project', project.path_with_namespace, '--ref', 'feature', 'report.json', '--json']
    const done = await run([...args, '--fail-on', 'new:critical'], { env: server.envOf(made.body), cwd })
    expect(done).toMatchObject({ code: 1, stderr: expect.stringMatching(/Only 1 of 2 findings are listed: the token/) })
    const limited = JSON.parse(done.stdout)
    expect(limited).toMatchObject({ against: { new: 1, known: 1 }, findings: { known: [], complete: false } })
    expect(limited.findings.new).toMatchObject([{ name: 'SQL injection', web_url: expect.stringContaining('http') }])
    expect(JSON.parse((await upload(cwd, 'report.json', '--json')).stdout).findings).toMatchObject({
      known: [{ name: 'Weak hash' }],
      complete: true,
    })
  })

  test('creates the project with its first report, where the user may', async () => {
    await server.project('shop/neighbour')
    const cwd = await files({ 'report.json': [sqlInjection] })
    const args = ['upload', '--project', 'shop/brand-new', 'report.json', '--json']
    const created = async () => JSON.parse((await run(args, { env: server.env, cwd })).stdout)
    const first = await created()
    expect(first).toMatchObject({
      project_created: true,
      ref: 'main',
      findings: { known: [{ name: 'SQL injection' }] },
    })
    expect(first.findings.known[0].web_url).toContain('/shop/brand-new/-/security/vulnerabilities/')
    expect(await created()).toMatchObject({ project_created: false })
    const outsider = server.envOf(await server.user('outsider-of-shop'))
    expect(await run(['upload', '-p', 'shop/other-new', 'report.json'], { env: outsider, cwd })).toMatchObject({
      code: 2,
    })
    const dryRun = await run(['upload', '-p', 'shop/third-new', 'report.json', '--dry-run'], { env: server.env, cwd })
    expect(dryRun).toMatchObject({ code: 2, stderr: expect.stringContaining('(404)') })
  })

  test('shows progress on a terminal only', async () => {
    const { project } = await projectWith()
    const cwd = await files({ 'report.json': [] })
    const args = ['upload', '--project', project.path_with_namespace, 'report.json']
    const shown = await run(args, { env: server.env, cwd, isTerminal: true })
    expect(shown.stderr).toBe('Uploading report.json (1 of 1)\r\u001b[K')
    expect((await run(args, { env: server.env, cwd })).stderr).toBe('')
  })

  test('waits for an import that the server runs later', async () => {
    const { project } = await projectWith()
    const cwd = await files({ 'report.json': [sqlInjection] })
    const sent: string[] = []
    const fetch: typeof globalThis.fetch = async (input, init) => {
      sent.push(`${init?.method ?? 'GET'} ${new URL(String(input)).pathname.split('/').slice(0, 6).at(-1)}`)
      if (init?.body instanceof FormData) init.body.set('async', 'true')
      return globalThis.fetch(input, init)
    }
    const done = await run(
      ['upload', '--project', project.path_with_namespace, '--ref', 'feature', 'report.json', '--json'],
      {
        env: server.env,
        cwd,
        fetch,
      },
    )
    expect(JSON.parse(done.stdout)).toMatchObject({ imports: [{ status: 'done' }], against: { new: 1 } })
    expect(sent.filter((request) => request === 'POST security_reports')).toHaveLength(1)
    expect(sent.filter((request) => request === 'GET security_reports').length).toBeGreaterThan(0)
  })

  test('imports once when the response to the first attempt is lost', async () => {
    const { project } = await projectWith()
    const cwd = await files({ 'report.json': [sqlInjection] })
    let isLost = false
    const fetch: typeof globalThis.fetch = async (input, init) => {
      const response = await globalThis.fetch(input, init)
      if (init?.method !== 'POST' || isLost) return response
      isLost = true
      throw new TypeError('fetch failed')
    }
    const done = await run(['upload', '--project', project.path_with_namespace, 'report.json'], {
      env: server.env,
      cwd,
      fetch,
    })
    expect([done.code, isLost]).toEqual([0, true])
    expect((await server.admin.get(`/projects/${project.id}/security_reports`)).body).toHaveLength(1)
  })

  test('reports a file that is no report with exit code 2, after the others were imported', async () => {
    const { project, upload } = await projectWith()
    const cwd = await folder({
      'a.json': JSON.stringify(sastReport([sqlInjection])),
      'b.json': '{"not":"a report"}',
      'c.json': '',
    })
    const wrong = await upload(cwd, 'b.json')
    expect(wrong).toMatchObject({ code: 2, stdout: '', stderr: expect.stringContaining('b.json') })
    const both = await upload(cwd, 'a.json', 'b.json')
    expect(both).toMatchObject({ code: 2, stdout: expect.stringContaining('b.json: rejected: This is no report') })
    expect(await upload(cwd, 'c.json')).toMatchObject({ code: 2, stderr: expect.stringContaining('c.json is empty') })
    expect((await server.admin.get(`/projects/${project.id}/vulnerability_findings?ref=feature`)).body).toHaveLength(1)
  })
})

describe('several files of one scanner', () => {
  const api = sastReport([redirect])
  const web = sastReport([weakHash])
  const twoFiles = () => folder({ 'api.json': JSON.stringify(api), 'web.json': JSON.stringify(web) })

  test('fail the gate and name both files, because one would make the findings of the other absent', async () => {
    const { project, upload } = await projectWith()
    const cwd = await twoFiles()
    const formats = ['markdown', 'junit', 'annotations', 'json'].flatMap((format) => [
      '--format',
      format,
      '--output',
      format,
    ])
    const done = await upload(cwd, 'api.json', 'web.json', '--fail-on', 'new:critical', ...formats)
    expect(done.code).toBe(2)
    expect(done.stdout).toMatch(
      /web\.json: rejected: .* findings of import \d+ \(api\.json\).* use --category '{file}'/,
    )
    expect(done.stdout).toContain('Gate failed:\n  1 report was not imported\n')
    const { body } = await server.admin.get(`/projects/${project.id}/vulnerability_findings?ref=feature`)
    expect(body).toMatchObject([{ name: 'Open redirect' }])

    const written = async (name: string) => readFile(join(cwd, name), 'utf8')
    expect(await written('markdown')).toMatch(/the policy failed\n[\s\S]*\*\*Not imported\*\*\n\n- `web\.json`: /)
    expect(await written('junit')).toMatch(
      /errors="1"[\s\S]*<testcase classname="alcove" name="web\.json" time="0">\n +<error/,
    )
    expect(await written('annotations')).toContain('::error title=Not imported%3A web.json::This report covers')
    expect(JSON.parse(await written('json'))).toMatchObject({
      gate: { passed: false },
      rejected: [{ file: 'web.json' }],
    })
  })

  test('fail the gate also when the server imports them later', async () => {
    const { project } = await projectWith()
    const fetch: typeof globalThis.fetch = async (input, init) => {
      if (init?.body instanceof FormData) init.body.set('async', 'true')
      return globalThis.fetch(input, init)
    }
    const args = [
      'upload',
      '-p',
      project.path_with_namespace,
      '--ref',
      'feature',
      '*.json',
      '--fail-on',
      'new:critical',
    ]
    const done = await run(args, { env: server.env, cwd: await twoFiles(), fetch })
    expect(done).toMatchObject({
      code: 2,
      stdout: expect.stringMatching(/web\.json: not imported[\s\S]*\(api\.json\)/),
    })
    expect(done.stdout).toContain('1 report was not imported')
  })

  test('are compared together when their paths are their categories, and each makes only its own findings absent', async () => {
    const { upload } = await projectWith()
    const cwd = await twoFiles()
    const send = async () =>
      upload(cwd, './api.json', '*.json', '--category', 'scan of {file}', '--fail-on', 'new:high', '--json')
    const first = await send()
    expect(first.code).toBe(1)
    expect(JSON.parse(first.stdout)).toMatchObject({
      imports: [{ category: 'scan of api.json' }, { category: 'scan of web.json' }],
      against: { new: 2 },
    })
    await writeFile(join(cwd, 'api.json'), JSON.stringify(sastReport([])))
    const second = await send()
    expect([second.code, JSON.parse(second.stdout).against.new]).toEqual([0, 1])
  })
})

describe('an upload that fails', () => {
  const attempt = async (env: Record<string, string>, ...args: string[]) => {
    const cwd = await files({ 'report.json': [sqlInjection] })
    return run(['upload', '--project', 'shop/x', 'report.json', ...args], { env: { ...server.env, ...env }, cwd })
  }

  test('because nothing listens returns 3, or 0 with a warning when that is allowed', async () => {
    const env = { ALCOVE_URL: 'http://127.0.0.1:9' }
    expect(await attempt(env, '--fail-on', 'new')).toMatchObject({
      code: 3,
      stderr: expect.stringContaining('The server at http://127.0.0.1:9 does not respond'),
    })
    expect(await attempt(env, '--allow-unreachable')).toMatchObject({
      code: 0,
      stderr: expect.stringContaining('The gate was not checked'),
    })
  })

  test.each([502, 503, 429])('because the server answers %d returns 3', async (status) => {
    const busy = createServer((request, response) => {
      request.resume()
      response.writeHead(status, { 'content-type': 'application/json' }).end('{"message":"try later"}')
    })
    await new Promise<void>((resolve) => busy.listen(0, '127.0.0.1', resolve))
    onTestFinished(() => void busy.close())
    const { port } = busy.address() as AddressInfo // listens on TCP
    const env = { ALCOVE_URL: `http://127.0.0.1:${port}` }
    expect(await attempt(env)).toMatchObject({
      code: 3,
      stderr: expect.stringContaining(`The server cannot serve the request (${status})`),
    })
  })

  test('because of the token returns 2, also where an unreachable server is allowed', async () => {
    expect(await attempt({ ALCOVE_TOKEN: 'wrong' }, '--allow-unreachable')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('Check ALCOVE_TOKEN'),
    })
  })

  test.each([
    [['--fail-on', 'new:severe'], 'is not a rule of a policy'],
    [['--format', 'pdf'], 'Use one of: text, json'],
    [['absent-*.json'], 'No file matches'],
  ])('because of %j sends nothing', async (args, reason) => {
    const fetch = () => Promise.reject(new Error('nothing may be sent'))
    const cwd = await files({ 'report.json': [] })
    const done = await run(['upload', '--project', 'shop/x', 'report.json', ...args], { env: server.env, cwd, fetch })
    expect(done).toMatchObject({ code: 2, stdout: '', stderr: expect.stringContaining(reason) })
  })
})
