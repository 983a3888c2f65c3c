import { execFileSync } from 'node:child_process'
import { copyFile, mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { beforeAll, expect, test } from 'vitest'
import { type ServerProcess, startProcess } from '../../server/tests/process.ts'
import { jobEnvironments } from './job-environments.ts'
import { addReport, type Job, openJob, readDocument, scriptsOf } from './pipelines.ts'

const root = fileURLToPath(new URL('../../../', import.meta.url))
const pipelineStep = "alcove upload --fail-on 'new:high' trivy.json semgrep.json gitleaks.json\n"
const gitlabReports = 'packages/server/src/domain/reports/formats/gitlab/fixtures'
const token = 'token-of-the-administrator-for-documents'
let server: ServerProcess

beforeAll(async () => {
  server = await startProcess({ env: { ALCOVE_BOOTSTRAP_TOKEN: token } })
  return async () => void (await server.stop())
})

/** Runs a script of a document with the installed program, this server and its token. */
async function runScript(job: Job, script: string, env: Record<string, string> = {}): Promise<string> {
  const here = script.replaceAll('http://127.0.0.1:8080', server.url).replaceAll('alpat-…', token)
  const program = 'set -o pipefail; alcove() { "$STUB_NODE" "$STUB_PROGRAM" "$@"; }; export -f alcove\n'
  const done = await job.run(
    program + here.replaceAll(/\bxargs (.*) alcove\b/g, 'xargs $1 "$STUB_NODE" "$STUB_PROGRAM"'),
    {
      ALCOVE_URL: server.url,
      ALCOVE_TOKEN: token,
      ...env,
    },
  )
  expect(done, `${script}\n${done.stdout}${done.stderr}`).toMatchObject({ code: 0 })
  return done.stdout
}

async function get(path: string) {
  const response = await fetch(`${server.url}/api/v4${path}`, { headers: { authorization: `Bearer ${token}` } })
  expect(response.ok, `${path}: ${response.status}`).toBe(true)
  return response.json()
}

test('the commands in README.md create a project with a report, an upload and topics', async () => {
  const page = await readDocument('README.md')
  const scripts = scriptsOf(page)
  const [start, packages, report, list, step, requests, ...others] = scripts
  expect({ step, others }).toEqual({ step: pipelineStep, others: [] })
  const manifest = JSON.parse(await readDocument('package.json'))
  expect(start).toBe('npm ci && npm start\n')
  expect(packages).toContain(`./alcove-${manifest.version}.tgz`)

  const job = await openJob()
  await mkdir(join(job.folder, 'docs'))
  await copyFile(join(root, 'docs/picture.svg'), join(job.folder, 'docs/picture.svg'))
  await addReport(job, 'semgrep', 'semgrep.json')
  await addReport(job, 'gitleaks', 'gitleaks.json')
  expect(await runScript(job, report ?? '')).toContain('Gate passed')
  expect(await runScript(job, list ?? '')).toContain('critical')
  const output = await runScript(job, requests ?? '')
  expect(output).toContain('![picture.svg](/uploads/')
  expect(output).toContain('"state":"detected"')
  expect(await get('/projects/root%2Fshop')).toMatchObject({ topics: ['java', 'payments'] })
})

test('the pipeline step in README.md compares the reports of a merge request with its target', async () => {
  const job = await openJob()
  for (const name of ['trivy', 'semgrep', 'gitleaks'] as const) await addReport(job, name, `${name}.json`)
  const env = (isChange: boolean) =>
    jobEnvironments['gitlab']?.({ project: 'root/step', forgeUrl: server.url, isChange }) ?? {}
  expect(await runScript(job, pipelineStep, env(false))).toContain('Gate passed')
  expect(await runScript(job, pipelineStep, env(true))).toContain('compared with main')
})

test('the requests in docs/api.md are accepted', async () => {
  const job = await openJob()
  for (const script of scriptsOf(await readDocument('docs/api.md'))) {
    const output = await runScript(job, script.replace('root%2Fshop', 'root'))
    expect(output).toContain('"username":"root"')
  }
})

const hasJq = (() => {
  try {
    return execFileSync('jq', ['--version']).length > 0
  } catch {
    return false
  }
})()

// Alcove stands in for GitLab, whose API it serves. The other products have none.
test.skipIf(!hasJq)('docs/migrate.md carries reports, dismissals, uploads and topics over from GitLab', async () => {
  const scripts = scriptsOf(await readDocument('docs/migrate.md'))
  const find = (text: string) => scripts.find((script) => script.includes(text)) ?? `echo no script with ${text}; false`
  const job = await openJob()
  const env = { GITLAB_URL: server.url, GITLAB_TOKEN: token }
  await runScript(job, `API=$ALCOVE_URL/api/v4\n${find('path=shop')}`)
  await copyFile(join(root, gitlabReports, 'sast-15.json'), join(job.folder, 'gl-sast-report.json'))
  await copyFile(join(root, gitlabReports, 'secrets-14.json'), join(job.folder, 'gl-secret-detection-report.json'))
  await runScript(job, find('gl-sast-report.json'))

  await writeFile(join(job.folder, 'false-positives.txt'), 'CWE-79\nCVE-2000-0001\n')
  await runScript(job, find('false-positives.txt'))
  const vulnerabilities: { state: string; dismissal_reason: string | null }[] = await get(
    '/projects/shop%2Fapi/vulnerabilities?per_page=100',
  )
  const dismissed = vulnerabilities.filter(({ state }) => state === 'dismissed')
  expect(dismissed).toMatchObject([{ dismissal_reason: 'false_positive' }])
  expect(vulnerabilities.length).toBeGreaterThan(1)

  await copyFile(join(root, 'docs/picture.svg'), join(job.folder, 'plan.svg'))
  await runScript(job, 'alcove attach --project shop/api plan.svg && rm plan.svg')
  expect(await runScript(job, find('uploads?per_page'), env)).toContain('![plan.svg](/uploads/')
  expect(await get('/projects/shop%2Fapi/uploads')).toMatchObject([{ filename: 'plan.svg' }, { filename: 'plan.svg' }])

  await runScript(job, 'alcove topics set --project shop/api kotlin')
  await runScript(job, find('/api/v4/topics'), env)
  expect(await get('/topics?search=kotlin')).toMatchObject([{ name: 'kotlin' }])
})
