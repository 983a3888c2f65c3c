import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { testTitles } from './test-titles.ts'

/**
 * Finds words in comments, UI strings and titles of tests that plain English does without. A line that needs one of them,
 * such as a word of a test's data, ends with `// english: <reason>`.
 */
const words = /\b(he|his|him|himself|whoever|whomever|nobody|somebody|anybody|everybody)\b/i
const exception = /\/\/ english: \S/

const files = execFileSync('git', ['ls-files', 'packages/*.ts', 'packages/*.tsx', 'bench/*.ts', 'scripts/*.ts'], {
  encoding: 'utf8',
})
  .split('\n')
  .filter((file) => file !== '' && !/^packages\/client\/src\/operations\.ts$|weak-passwords\.ts$/.test(file))

let found = 0
for (const file of files) {
  const isUi = file.startsWith('packages/web/src/') && !file.endsWith('.test.ts')
  const source = readFileSync(file, 'utf8')
  const titles = new Map(testTitles(source).map(({ line, title }) => [line, title]))
  for (const [index, line] of source.split('\n').entries()) {
    const text = isUi && !/^\s*import\b/.test(line) ? line : `${titles.get(index + 1) ?? ''} ${commentIn(line)}`
    const word = words.exec(text)?.[0]
    if (word === undefined || exception.test(line)) continue
    found++
    console.error(`${file}:${index + 1}: “${word}” in: ${line.trim()}`)
  }
}
if (found > 0) {
  console.error(`${found} lines use words of which CONTRIBUTING.md (English) says what to write in their place`)
  process.exit(1)
}
console.log(
  `comments, UI strings and test titles of ${files.length} files are free of the words that plain English does without`,
)

/** Returns the comment on a line, if there is one. */
function commentIn(line: string): string {
  return /^\s*\*(?!\/)(.*)$|\/\*\*?(.*)$|(?:^|\s)\/\/(.*)$/.exec(line)?.slice(1).find(Boolean) ?? ''
}
