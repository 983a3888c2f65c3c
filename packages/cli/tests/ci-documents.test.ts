import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { type ServerProcess, startProcess } from '../../server/tests/process.ts'
import type { ForgeKind } from '../src/ci/ci-run.ts'
import { startForge } from '../src/testing/forge-server.ts'
import { jobEnvironments } from './job-environments.ts'
import { addReport, openJob, parseYaml, readDocument, scanners, scriptsIn, scriptsOf } from './pipelines.ts'

const token = 'token-of-the-administrator-for-pipelines'
let server: ServerProcess
let connection: { ALCOVE_URL: string; ALCOVE_TOKEN: string }

async function api(method: string, path: string, body?: object) {
  const response = await fetch(`${server.url}/api/v4${path}`, {
    method,
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    ...(body && { body: JSON.stringify(body) }),
  })
  expect(response.ok, `${method} ${path}: ${response.status}`).toBe(true)
  return response.json()
}

let groupId: number
const createProject = (path: string) => api('POST', '/projects', { name: path, path, namespace_id: groupId })

beforeAll(async () => {
  server = await startProcess({ env: { ALCOVE_BOOTSTRAP_TOKEN: token } })
  connection = { ALCOVE_URL: server.url, ALCOVE_TOKEN: token }
  groupId = (await api('POST', '/groups', { name: 'shop', path: 'shop' })).id
  return async () => void (await server.stop())
})

const forgeKinds: Partial<Record<string, ForgeKind>> = { gitlab: 'gitlab', github: 'github', gitea: 'gitea' }

describe('the commands in docs/ci', () => {
  test.each(Object.keys(jobEnvironments))('of %s scan, report and pass on main and on a change', async (name) => {
    const project = `shop/${name}`
    await createProject(name)
    const page = await readDocument(`docs/ci/${name}.md`)
    const forge = await startForge({ kind: forgeKinds[name] ?? 'github', users: { job: 'bot' } })
    const job = await openJob()
    for (const isChange of [false, true]) {
      const env = { ...connection, ...jobEnvironments[name]?.({ project, forgeUrl: forge.url, isChange }) }
      for (const script of scriptsOf(page)) {
        const done = await job.run(script, env)
        expect(done, `${script}\n${done.stdout}${done.stderr}`).toMatchObject({ code: 0 })
      }
    }
    const commands = await job.commands()
    const written = page.match(/^.*npx --yes "\$ALCOVE_URL\/-\/alcove\.tgz" upload/gm)?.length ?? 0
    expect(commands.filter((command) => command.startsWith('npx '))).toHaveLength(2 * written)
    expect(scanners.filter((scanner) => commands.some((command) => command.startsWith(`${scanner} `)))).toEqual(
      scanners,
    )

    const imports: { ref: string; format: string }[] = await api(
      'GET',
      `/projects/${encodeURIComponent(project)}/security_reports?per_page=100`,
    )
    for (const ref of ['main', name === 'woodpecker' ? 'refs/pull/12/head' : 'feature/login']) {
      const own = imports.filter((one) => one.ref === ref).map(({ format }) => format)
      expect(own.sort()).toEqual(['gitleaks', 'grype', 'sarif', 'semgrep', 'trivy'])
    }
    if (forgeKinds[name]) expect(forge.notes).toMatchObject([{ body: expect.stringContaining('0 new') }])
  })

  test('in docs/ci.md work, with curl as well', async () => {
    await createProject('api')
    const job = await openJob()
    for (const file of ['trivy.json', 'trivy-api.json', 'trivy-web.json']) await addReport(job, 'trivy', file)
    for (const file of ['semgrep.json', 'semgrep-api.json', 'semgrep-web.json']) await addReport(job, 'semgrep', file)
    for (const script of scriptsOf(await readDocument('docs/ci.md'))) {
      const done = await job.run(script, connection)
      expect(done, `${script}\n${done.stdout}${done.stderr}`).toMatchObject({ code: 0 })
    }
    expect(JSON.parse(await readFile(join(job.folder, 'import.json'), 'utf8'))).toMatchObject({ status: 'done' })
    const imports: { category: string | null }[] = await api('GET', '/projects/shop%2Fapi/security_reports')
    expect(new Set(imports.map(({ category }) => category))).toEqual(
      new Set([null, 'semgrep-api.json', 'semgrep-web.json', 'api-image', 'web-image']),
    )
  })
})

/** Replaces references such as `${{ inputs.url }}` by their values. */
function interpolate(text: string, pattern: RegExp, values: Record<string, string>): string {
  return text.replace(pattern, (reference, name: string) => values[name] ?? reference)
}

interface Input {
  description?: string
  default?: string | boolean
}

const valuesOf = (inputs: Record<string, Input>, given: Record<string, string>) => ({
  ...Object.fromEntries(Object.entries(inputs).map(([name, input]) => [name, String(input.default ?? '')])),
  ...given,
})

describe('the composite action of GitHub', () => {
  interface Action {
    name: string
    description: string
    inputs: Record<string, Input & { required?: boolean }>
    runs: { using: string; steps: { shell: string; env: Record<string, string>; run: string }[] }
  }

  async function runAction(given: Record<string, string>, project: string) {
    const text = await readDocument('packaging/ci/github/action.yml')
    const [action] = parseYaml(text) as [Action] // its fields are checked below
    const [step] = action.runs.steps
    if (!step) throw new Error('the action has no step')
    const forge = await startForge({ kind: 'github', users: { job: 'bot' } })
    const values = valuesOf(action.inputs, { url: server.url, token, ...given })
    const named = Object.fromEntries(Object.entries(values).map(([name, value]) => [`inputs.${name}`, value]))
    const env = Object.fromEntries(
      Object.entries(step.env).map(([name, value]) => [
        name,
        interpolate(value, /\$\{\{ ([\w.-]+) }}/g, { ...named, 'github.token': 'job' }),
      ]),
    )
    const job = await openJob()
    await addReport(job, 'semgrep', 'semgrep.json')
    await addReport(job, 'trivy', 'trivy.json')
    const run = await job.run(step.run, {
      ...jobEnvironments['github']?.({ project, forgeUrl: forge.url, isChange: true }),
      ...env,
    })
    return { text, action, step, run, job, forge }
  }

  test('has the keys of an action, and uses each of its inputs', async () => {
    const { text, action, step } = await runAction({ files: 'semgrep.json' }, 'shop/api')
    expect(action).toMatchObject({
      name: expect.any(String),
      description: expect.any(String),
      runs: { using: 'composite' },
    })
    expect(step.shell).toBe('bash')
    expect(step.run).not.toContain('${{')
    for (const [name, { description, required, default: value }] of Object.entries(action.inputs)) {
      expect([name, typeof description, required === true || value !== undefined]).toEqual([name, 'string', true])
      expect(text).toContain(`\${{ inputs.${name} }}`)
    }
  })

  test('uploads, annotates, writes the summary and the note, and returns the code of the policy', async () => {
    await createProject('action')
    const inputs = { files: 'semgrep.json\ntrivy.json\n', 'fail-on': 'new', note: 'true' }
    const { run, job, forge } = await runAction(inputs, 'shop/action')
    expect(run, run.stderr).toMatchObject({ code: 1, stdout: expect.stringMatching(/^::error /m) })
    expect(await readFile(join(job.folder, 'step-summary.md'), 'utf8')).toContain('### Security findings')
    expect(forge.notes).toHaveLength(1)
  })

  test('does not execute the text of its inputs', async () => {
    const hostile = '$(touch executed)`touch executed`"; touch executed; \''
    const inputs = { files: `${hostile}\nsemgrep.json`, project: hostile, category: hostile, 'fail-on': 'new' }
    const { run, job } = await runAction(inputs, 'shop/api')
    expect(run).toMatchObject({ code: 2, stderr: expect.stringContaining('No file matches') })
    await expect(readFile(join(job.folder, 'executed'))).rejects.toThrow('ENOENT')
  })
})

describe('the component of GitLab', () => {
  interface Component {
    spec: { inputs: Record<string, Input> }
  }
  interface ComponentJob {
    stage: string
    image: string
    variables: Record<string, string>
    script: string[]
  }

  async function runComponent(given: Record<string, string>, project: string) {
    const text = await readDocument('packaging/ci/gitlab/template.yml')
    const [{ spec }] = parseYaml(text) as [Component] // its fields are checked below
    const values = valuesOf(spec.inputs, { url: server.url, ...given })
    const [, jobs] = parseYaml(interpolate(text, /\$\[\[ inputs\.(\w+) ]]/g, values)) as [
      unknown,
      Record<string, ComponentJob>,
    ] // as above
    const [[name, definition] = []] = Object.entries(jobs)
    if (!definition) throw new Error('the component has no job')
    const job = await openJob()
    await addReport(job, 'semgrep', 'semgrep.json')
    const forge = await startForge({ kind: 'gitlab', users: { note: 'bot' } })
    const ci = jobEnvironments['gitlab']?.({ project, forgeUrl: forge.url, isChange: true })
    const env = { ...ci, ...definition.variables, ALCOVE_TOKEN: token, ALCOVE_NOTE_TOKEN: 'note' }
    const [script = ''] = scriptsIn(definition)
    return { text, spec, name, definition, forge, job, run: await job.run(script, env, 'sh') }
  }

  test('uploads with its defaults and with every input', async () => {
    await createProject('component')
    const first = await runComponent({ files: '*.json' }, 'shop/component')
    expect(first.run, first.run.stderr).toMatchObject({ code: 0 })
    expect(first).toMatchObject({
      name: 'alcove',
      definition: { stage: 'test', image: expect.stringMatching(/^node:/) },
    })
    for (const name of Object.keys(first.spec.inputs)) expect(first.text).toContain(`$[[ inputs.${name} ]]`)

    const inputs = {
      files: 'semgrep.json',
      project: 'shop/component',
      category: 'web',
      fail_on: 'new',
      note: 'true',
      stage: 'scan',
    }
    const second = await runComponent(inputs, 'shop/other')
    expect(second.run).toMatchObject({ code: 1, stdout: expect.stringContaining('Gate failed') })
    expect(second.forge.notes).toHaveLength(1)
    const quality = await readFile(join(second.job.folder, 'gl-code-quality-report.json'), 'utf8')
    expect(JSON.parse(quality).length).toBeGreaterThan(0)
  })
})
