import { existsSync, readFileSync } from 'node:fs'
import { addressOf } from '../packages/server/src/http/route.ts'
import { routes } from '../packages/server/src/routes.ts'
import { testTitles } from './test-titles.ts'

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
  const operation = `\`${route.method} ${route.outside || route.base ? addressOf(route) : route.path}\``
  if (!text.includes(operation)) problems.push(`${document}: ${operation} is not in it`)
}
if (checked === 0) problems.push(`${document}: it names no tests`)

for (const problem of problems) console.error(problem)
if (problems.length > 0) process.exit(1)
console.log(`${checked} tests named in ${document} exist`)

function findTests(file: string): Set<string> | undefined {
  const path = folders.map((folder) => `${folder}${file}`).find((candidate) => existsSync(candidate))
  if (path === undefined) return undefined
  const tests = testsOf.get(path) ?? namesIn(readFileSync(path, 'utf8'))
  testsOf.set(path, tests)
  return tests
}

function namesIn(source: string): Set<string> {
  return new Set(
    testTitles(source)
      .filter(({ isGroup }) => !isGroup)
      .map(({ fullName }) => fullName),
  )
}
