import { existsSync, readFileSync } from 'node:fs'
import { addressOf } from '../packages/server/src/http/route.ts'
import { routes } from '../packages/server/src/routes.ts'

// Checks that docs/compatibility.md contains every operation and that every test it names exists.
const document = 'docs/compatibility.md'
const folders = ['packages/server/src/', 'packages/server/', '']
const text = readFileSync(document, 'utf8')
const problems: string[] = []
const testsOf = new Map<string, Set<string>>()
let checked = 0

for (const [index, line] of text.split('\n').entries()) {
  // Format of the last cell: `file` name of describe › name of test, separated by <br>.
  const lastCell =
    line
      .split(/(?<!\\)\|/)
      .at(-2)
      ?.trim() ?? ''
  if (!line.startsWith('|') || lastCell === 'Test' || /^-+$/.test(lastCell)) continue
  for (const reference of lastCell.split('<br>')) {
    const [, file, name] = /^`([\w./-]+\.ts)` (.+)$/.exec(reference.trim()) ?? []
    if (file === undefined || name === undefined) {
      problems.push(`${document}:${index + 1}: the last cell names no test`)
      continue
    }
    checked++
    const tests = findTests(file)
    if (!tests) problems.push(`${document}:${index + 1}: there is no file ${file}`)
    else if (!tests.has(name.replaceAll('\\|', '|'))) {
      problems.push(`${document}:${index + 1}: ${file} has no test named ${name}`)
    }
  }
}
for (const route of routes) {
  const operation = `\`${route.method} ${route.outside ? addressOf(route) : route.path}\``
  if (!text.includes(operation)) problems.push(`${document}: ${operation} is not in it`)
}
if (checked === 0) problems.push(`${document}: it names no tests`)

for (const problem of problems) console.error(problem)
if (problems.length > 0) process.exit(1)
console.log(`${checked} tests named in ${document} exist`)

function findTests(file: string): Set<string> | undefined {
  const path = folders.map((folder) => `${folder}${file}`).find((candidate) => existsSync(candidate))
  if (path === undefined) return undefined
  const tests = testsOf.get(path) ?? new Set(namesIn(readFileSync(path, 'utf8')))
  testsOf.set(path, tests)
  return tests
}

/** Returns the names of tests with the names of their groups, which follow from the formatter's indentation. */
function namesIn(source: string): string[] {
  // `test('…',`, or the end of the rows of `test.each`: `])('…',`
  const named = /^( *)((?:describe|test)\b.*|[\])}].*\))\(\s*(['"`])((?:\\.|(?!\3).)*)\3,/gm
  const above: { indent: number; name: string }[] = []
  const names: string[] = []
  for (const [, { length: indent } = '', call = '', , name = ''] of source.matchAll(named)) {
    while ((above.at(-1)?.indent ?? -1) >= indent) above.pop()
    above.push({ indent, name: name.replace(/\\(['"`])/g, '$1') })
    if (!call.startsWith('describe')) names.push(above.map((entry) => entry.name).join(' › '))
  }
  return names
}
