import { type StdioOptions, spawn } from 'node:child_process'
import { mkdirSync, readFileSync, rmSync } from 'node:fs'
import { relative } from 'node:path'

/*
 * Runs groups of checks (`npm run check -- types lint`; by default types, lint, docs and tests). A failed check does not stop
 * the others; the last lines list what failed.
 */
const testReport = '.tmp/tests.json'
const testReporters = `--reporter=default --reporter=json --outputFile.json=${testReport}`
const groups: Record<string, string[]> = {
  types: ['tsc -p tsconfig.json', 'tsc -p packages/web/tsconfig.json'],
  lint: [
    'biome check --error-on-warnings .',
    'tsx scripts/import-rules.ts',
    'knip',
    'tsx scripts/lock-file.ts',
    'tsx scripts/openapi.ts --check',
    'tsx scripts/compatibility.ts',
    'tsx scripts/architecture.ts',
    'tsx scripts/plain-english.ts',
    'tsx scripts/table-owners.ts',
    'tsx scripts/severity-colors.ts',
    'tsx scripts/function-size.ts',
    'tsx scripts/regular-expressions.ts',
  ],
  tests: [`npm test -- ${testReporters}`],
  docs: ['tsx scripts/docs-site.ts'],
  package: ['tsx scripts/pack-check.ts', 'tsx scripts/image-check.ts'],
  // Less than a minute; the program has been built by then or is built.
  bench: ['npm run --silent bench -- --quick --check'],
  clients: ['bash scripts/radosgw.sh', 'bash scripts/compat.sh', 'bash scripts/clamd.sh'],
}
const maxFailuresShown = 8
/** Maximum number of failed test files that run a second time. */
const maxRepeatedFiles = 8
/** Number of checks of a group that run at the same time. */
const maxRunning = 2

const names = process.argv.length > 2 ? process.argv.slice(2) : ['types', 'lint', 'docs', 'tests']
const unknown = names.filter((name) => !groups[name])
if (unknown.length > 0) throw new Error(`unknown: ${unknown.join()}; there are ${Object.keys(groups).join()}`)

mkdirSync('.tmp', { recursive: true })
rmSync(testReport, { force: true })
const started = performance.now()
const failures: string[] = []
for (const name of names) await runGroup(name, groups[name] ?? [])

const seconds = Math.round((performance.now() - started) / 1000)
console.log(`\n${failures.length === 0 ? `All checks passed (${names.join(', ')})` : 'FAILED'} after ${seconds} s`)
for (const failure of failures.slice(0, maxFailuresShown)) console.log(`- ${failure}`)
if (failures.length > maxFailuresShown) console.log(`- and ${failures.length - maxFailuresShown} more`)
process.exitCode = failures.length > 0 ? 1 : 0

async function runGroup(name: string, commands: readonly string[]): Promise<void> {
  console.log(`\n== ${name}`)
  const waiting = [...commands]
  const work = async () => {
    for (let command = waiting.shift(); command; command = waiting.shift()) {
      const isTests = name === 'tests'
      const first = await run(command, isTests)
      const { code, output } = isTests && first.code !== 0 ? await repeatFailedFiles(first) : first
      console.log(`${code === 0 ? 'passed' : 'FAILED'}: ${command}`)
      // A check that passed has nothing to say.
      if (code !== 0) console.log(output)
      if (code !== 0) failures.push(...(isTests ? failedTests() : [command]))
    }
  }
  await Promise.all(Array.from({ length: maxRunning }, work))
}

/**
 * Runs the files of failed tests once more, because a busy machine can delay what a test waits for. Each starts from its
 * beginning, so a repeated test finds nothing that the first attempt left behind.
 */
async function repeatFailedFiles(first: CommandResult): Promise<CommandResult> {
  const files = failedFiles()
  if (files.length === 0 || files.length > maxRepeatedFiles) return first
  console.log(`\nSecond attempt, because of these failed tests:\n- ${failedTests().join('\n- ')}\n`)
  rmSync(testReport)
  return run(`npx vitest run ${files.join(' ')} ${testReporters}`, true)
}

interface CommandResult {
  code: number | null
  output: string
}

/** Runs a command. With `isDirect`, it writes to the terminal. */
function run(command: string, isDirect: boolean): Promise<CommandResult> {
  return new Promise((resolve, reject) => {
    const stdio: StdioOptions = isDirect ? ['ignore', 'inherit', 'inherit'] : ['ignore', 'pipe', 'pipe']
    const child = spawn(command, { shell: true, stdio })
    let output = ''
    for (const stream of [child.stdout, child.stderr]) {
      stream?.setEncoding('utf8').on('data', (text: string) => {
        output += text
      })
    }
    child.once('error', reject).once('close', (code) => resolve({ code, output }))
  })
}

interface TestReport {
  testResults: {
    name: string
    message: string
    status: string
    assertionResults: { fullName: string; status: string }[]
  }[]
}

function readTestReport(): TestReport {
  return JSON.parse(readFileSync(testReport, 'utf8')) as TestReport // written by Vitest
}

/** Returns the paths of the files with failed tests; none if the tests ended before their report. */
function failedFiles(): string[] {
  try {
    const failed = readTestReport().testResults.filter(({ status }) => status === 'failed')
    return [...new Set(failed.map(({ name }) => relative('.', name)))]
  } catch {
    return []
  }
}

/** Returns the failed tests, each as its file and name. */
function failedTests(): string[] {
  try {
    const failed = readTestReport().testResults.flatMap(({ name, message, status, assertionResults }) => {
      const file = name.slice(name.lastIndexOf('/') + 1)
      const tests = assertionResults
        .filter((test) => test.status === 'failed')
        .map((test) => `${file}: ${test.fullName}`)
      return tests.length === 0 && status === 'failed' ? [`${file}: ${message.split('\n', 1)}`] : tests
    })
    return failed.length > 0 ? failed : ['npm test']
  } catch {
    return ['npm test (it ended before its report)']
  }
}
