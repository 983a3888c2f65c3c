import { execFile } from 'node:child_process'
import { chmod, copyFile, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { onTestFinished } from 'vitest'
import { parseAllDocuments } from 'yaml'

const root = fileURLToPath(new URL('../../../', import.meta.url))
const formats = join(root, 'packages/server/src/domain/reports/formats')

/** The installed program, which a test of a pipeline runs in place of npx. */
export const program = join(root, 'bin/alcove.js')

/** A report of each scanner that the documents name. */
const reports = {
  trivy: join(formats, 'trivy/fixtures/image.json'),
  grype: join(formats, 'grype/fixtures/directory.json'),
  semgrep: join(formats, 'semgrep/fixtures/results.json'),
  gitleaks: join(formats, 'gitleaks/fixtures/version-8.json'),
  codeql: join(formats, 'sarif/fixtures/code.sarif'),
}
export const scanners = Object.keys(reports) as (keyof typeof reports)[] // the keys of the record above

/** Writes its report where its arguments say so, as the scanner of its name does. */
const scanner = `#!/bin/bash
echo "\${0##*/} $*" >> "$STUB_LOG"
name=\${0##*/}
while [ $# -gt 0 ]; do
  case "$1" in
    --output=*) target=\${1#*=} ;;
    --report-path | --file) target=$2; shift ;;
    --output) if [ "$name" != grype ]; then target=$2; fi; shift ;;
  esac
  shift
done
if [ -n "\${target:-}" ]; then cp "$STUB_REPORTS/$name" "$target"; fi
`
const npx = `#!/bin/bash
echo "npx $*" >> "$STUB_LOG"
[ "$1 $2" = "--yes $ALCOVE_URL/-/alcove.tgz" ] || exit 97
exec "$STUB_NODE" "$STUB_PROGRAM" "\${@:3}"
`

/** A folder of a job, in which scripts run with stand-ins for npx and the scanners. */
export interface Job {
  folder: string
  /** Runs a script with a shell, which stops at the first command that fails. */
  run(script: string, env: Record<string, string>, shell?: 'bash' | 'sh'): Promise<ScriptRun>
  /** Commands of the stand-ins so far. */
  commands(): Promise<string[]>
}

export interface ScriptRun {
  code: number
  stdout: string
  stderr: string
}

const scriptTimeoutMs = 120_000

/** Creates the folder of a job, which the test removes. */
export async function openJob(): Promise<Job> {
  const place = await mkdtemp(join(tmpdir(), 'alcove-job-'))
  onTestFinished(() => rm(place, { recursive: true, force: true }))
  const [tools, samples, folder] = [join(place, 'tools'), join(place, 'samples'), join(place, 'work')]
  for (const path of [tools, samples, folder]) await mkdir(path)
  for (const name of scanners) {
    await copyFile(reports[name], join(samples, name))
    await writeProgram(join(tools, name), scanner)
  }
  await writeProgram(join(tools, 'npx'), npx)
  const log = join(place, 'log')
  await writeFile(log, '')
  const stubs = {
    STUB_LOG: log,
    STUB_REPORTS: samples,
    STUB_NODE: process.execPath,
    STUB_PROGRAM: program,
    PATH: `${tools}:${process.env['PATH']}`,
    HOME: place,
  }
  return {
    folder,
    commands: async () => (await readFile(log, 'utf8')).trim().split('\n'),
    run: (script, env, shell = 'bash') =>
      new Promise((resolve) => {
        const options = { cwd: folder, env: { ...stubs, ...env }, timeout: scriptTimeoutMs }
        execFile(shell, ['-e', '-c', script], options, (error, stdout, stderr) => {
          resolve({ code: error ? Number(error.code ?? 99) : 0, stdout, stderr })
        })
      }),
  }
}

async function writeProgram(path: string, text: string): Promise<void> {
  await writeFile(path, text)
  await chmod(path, 0o755)
}

/** Reads a file of the repository. */
export function readDocument(path: string): Promise<string> {
  return readFile(join(root, path), 'utf8')
}

/** Copies the report of a scanner into the folder of a job. */
export function addReport({ folder }: Job, name: keyof typeof reports, file: string): Promise<void> {
  return copyFile(reports[name], join(folder, file))
}

/** Returns the shell scripts in the code blocks of a Markdown page, in their order, each once. */
export function scriptsOf(page: string): string[] {
  const scripts = [...page.matchAll(/^```(\w+)\n([\s\S]*?)^```$/gm)].flatMap(([, language, code = '']) => {
    if (language === 'sh') return [code]
    if (language === 'yaml') return parseYaml(code).flatMap((document) => scriptsIn(document))
    if (language === 'groovy') return [...code.matchAll(/sh ('''|')([\s\S]*?)\1/g)].map(([, , script = '']) => script)
    return []
  })
  return [...new Set(scripts)]
}

/** Parses YAML of one or more documents. Throws at errors and warnings. */
export function parseYaml(text: string): unknown[] {
  return parseAllDocuments(text).map((document) => {
    const problem = document.errors[0] ?? document.warnings[0]
    if (problem) throw problem
    return document.toJS()
  })
}

const scriptKeys = new Set(['script', 'before_script', 'commands', 'run'])

/** Returns the values of the keys that CI systems execute. */
export function scriptsIn(value: unknown, key = ''): string[] {
  if (scriptKeys.has(key) && typeof value === 'string') return [value]
  if (scriptKeys.has(key) && isTextList(value)) return [value.join('\n')]
  if (Array.isArray(value)) return value.flatMap((item) => scriptsIn(item))
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([name, child]) => scriptsIn(child, name))
}

function isTextList(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((item) => typeof item === 'string')
}
